#pragma once
/// One call of every kind with all parameters that the run-time library writes of it, for tests.

#include <map>
#include <string>

#include "trace_text.h"

namespace gridcast::trace::test {

/// A call with everything that the library writes of it, and the calls it needs before it.
struct Sample {
  std::string before;
  std::string parameters;
  std::string results;
};

inline const std::string a_machine = call("getam_", "", "AMRef=aa1;");
inline const std::string a_template =
    call("crtamv_", "AMRef=0; Rank=2;\nSizeArray[0]=8; SizeArray[1]=9;", "AMViewRef=aa0;");
inline const std::string an_array =
    call("crtda_",
         "ArrayHeader=1; Rank=2; TypeSize=8;\nSizeArray[0]=8; SizeArray[1]=9;\n"
         "LowShdWidthArray[0]=1; LowShdWidthArray[1]=1;\n"
         "HiShdWidthArray[0]=1; HiShdWidthArray[1]=1;",
         "ArrayHandlePtr=2;");
inline const std::string a_loop = call("crtpl_", "Rank=2;", "LoopRef=b0;");
inline const std::string a_shadow_group = call("crtshg_", "StaticSign=0;", "ShadowGroupRef=5e;");
inline const std::string a_reduction_group =
    call("crtrg_", "StaticSign=0; DelRedSign=1;", "RedGroupRef=d0;");
inline const std::string a_reduction = call(
    "crtred_", "RedFuncNumb=3; RedArrayType=3; RedArrayLength=1; LocArrayPtr=66; LocElmLength=0;",
    "RedRef=d1;");
inline const std::string buffer_rule =
    "AxisArray[0]=1; AxisArray[1]=2;\nCoeffArray[0]=1; CoeffArray[1]=1;\n"
    "ConstArray[0]=0; ConstArray[1]=0;";
inline const std::string a_buffer =
    call("crtrbl_",
         "RemArrayHeader=1; RemArrayHandlePtr=2; BufferHeader=77; LoopRef=b0;\n" + buffer_rule,
         "BufferHandlePtr=78;");
inline const std::string a_buffer_group =
    call("crtbg_", "DelBufSign=0;", "RegularAccessGroupRef=7e;");
inline const std::string aligned =
    "ArrayHeader=1; ArrayHandlePtr=2; PatternRefPtr=9; PatternRef=aa0 "
    "(AMView);\n" +
    buffer_rule;
inline const std::string edges =
    "LowShdWidthArray[0]=1; LowShdWidthArray[1]=1;\n"
    "HiShdWidthArray[0]=1; HiShdWidthArray[1]=1;";
inline const std::string included =
    "InitDimIndex[0]=-1; InitDimIndex[1]=-1;\n"
    "LastDimIndex[0]=0; LastDimIndex[1]=0;\n"
    "InitLowShdIndex[0]=-1; InitLowShdIndex[1]=-1;\n"
    "LastLowShdIndex[0]=1; LastLowShdIndex[1]=1;\n"
    "InitHiShdIndex[0]=-1; InitHiShdIndex[1]=-1;\n"
    "LastHiShdIndex[0]=1; LastHiShdIndex[1]=1;";
inline const std::string in_group = "ShadowGroupRef=5e; ArrayHeader=1; ArrayHandlePtr=2;\n";
inline const std::string copied =
    "FromArrayHeader=1; FromArrayHandlePtr=2; ToArrayHeader=1; ToArrayHandlePtr=2; CopyRegim=0;\n"
    "FromInitIndexArray[0]=0; FromInitIndexArray[1]=3;\n"
    "FromLastIndexArray[0]=4; FromLastIndexArray[1]=3;\n"
    "FromStepArray[0]=1; FromStepArray[1]=1;\n"
    "ToInitIndexArray[0]=0; ToInitIndexArray[1]=5;\n"
    "ToLastIndexArray[0]=4; ToLastIndexArray[1]=5;\n"
    "ToStepArray[0]=1; ToStepArray[1]=1;";
inline const std::string elements =
    "FromArrayHeader=1; FromArrayHandlePtr=2; ToArrayHeader=1; ToArrayHandlePtr=2;\n"
    "FromIndexArray[0]=1; FromIndexArray[1]=2;\nToIndexArray[0]=3; ToIndexArray[1]=4;";
inline const std::string distributed =
    " PSRefPtr=1; PSRef=0; ParamCount=2;\nAxisArray[0]=1; AxisArray[1]=0;\n"
    "DistrParamArray[0]=0; DistrParamArray[1]=0;";

inline const std::map<std::string, Sample>& samples() {
  static const std::map<std::string, Sample> all = {
      {"binter_", {"", "nfrag=7; index=12;", ""}},
      {"bsloop_", {"", "nfrag=7; index=12;", ""}},
      {"bploop_", {"", "nfrag=7; index=12;", ""}},
      {"crtps_",
       {"", "PSRefPtr=1; PSRef=0; StaticSign=0;\nInitIndexArray[0]=0;\nLastIndexArray[0]=0;",
        "PSRef=c1;"}},
      {"psview_", {"", "PSRefPtr=1; PSRef=0; Rank=1; StaticSign=0;\nSizeArray[0]=1;", "PSRef=c2;"}},
      {"getps_", {a_machine, "AMRefPtr=1; AMRef=aa1;", "PSRef=c3;"}},
      {"delps_", {"", "PSRefPtr=1; PSRef=c9;", ""}},
      {"getam_", {"", "", "AMRef=aa1;"}},
      {"getamr_", {a_template, "AMViewRef=aa0;\nIndexArray[0]=0; IndexArray[1]=0;", "AMRef=aa2;"}},
      {"mapam_", {a_machine, "AMRef=aa1; PSRef=0;", ""}},
      {"runam_", {a_machine, "AMRef=aa1;", "Run=1;"}},
      {"crtamv_",
       {"",
        "AMRef=0; Rank=2; StaticSign=0;\nSizeArray[0]=8; SizeArray[1]=9;\nPeriodicArray[0]=1; "
        "PeriodicArray[1]=0;",
        "AMViewRef=aa0;"}},
      {"delamv_", {"", "AMViewRefPtr=1; AMViewRef=aa9;", ""}},
      {"blkdiv_", {a_template, "AMViewRef=aa0; AMVAxisCount=1;\nAMVAxisDiv[0]=2;", ""}},
      {"setelw_",
       {a_template,
        "PSRef=0; AMViewRef=aa0; AddrNumber=1;\nWeightNumber[0]=2;\nLoadWeight[0]=1.5; "
        "LoadWeight[1]=2.5;",
        ""}},
      {"genblk_",
       {a_template,
        "PSRef=0; AMViewRef=aa0; AxisCount=1; DoubleSign=0\n"
        "AxisWeightAddr[0][0]=8;",
        ""}},
      {"distr_", {a_template, "AMViewRef=aa0;" + distributed, ""}},
      {"redis_", {a_template, "AMViewRef=aa0; NewSign=0;" + distributed, ""}},
      {"getamv_", {an_array, "ArrayHeader=1; ArrayHandlePtr=2;", "AMViewRef=aa5;"}},
      {"crtda_",
       {"",
        "ArrayHeader=1; ExtHdrSign=0; BasePtr=0; Rank=2; TypeSize=8; StaticSign=1; "
        "ReDistrSign=3;\nSizeArray[0]=8; SizeArray[1]=9;\n" +
            edges,
        "ArrayHandlePtr=2;"}},
      {"crtrda_",
       {"",
        "ArrayHeader=1; ExtHdrSign=0; BasePtr=0; Rank=2; TypeSize=8; StaticSign=1; "
        "ReDistrSign=3; MemPtr=5;\nSizeArray[0]=8; SizeArray[1]=9;",
        "ArrayHandlePtr=2;"}},
      {"delda_", {"", "ArrayHeader=1; ArrayHandlePtr=2;", ""}},
      {"delobj_", {"", "ObjectRefPtr=1; ObjectRef=99;", ""}},
      {"align_", {a_template + an_array, aligned, ""}},
      {"realn_", {a_template + an_array, "NewSign=0; " + aligned, ""}},
      {"arrcpy_", {an_array, copied, ""}},
      {"aarrcp_", {an_array, "CopyFlagPtr=44; " + copied, ""}},
      {"waitcp_",
       {call("aarrcp_", "FromBufferPtr=1; ToBufferPtr=2; CopyFlagPtr=44;"), "CopyFlagPtr=44;", ""}},
      {"rwelm_",
       {an_array,
        "FromArrayHeader=1; FromArrayHandlePtr=2; ToBufferPtr=9;\n"
        "IndexArray[0]=1; IndexArray[1]=2;",
        ""}},
      {"copelm_", {an_array, elements, ""}},
      {"elmcpy_", {an_array, elements, ""}},
      {"crtpl_", {"", "Rank=2;", "LoopRef=b0;"}},
      {"mappl_",
       {a_template + a_loop,
        "LoopRefPtr=1; LoopRef=b0; PatternRefPtr=9; PatternRef=aa0 (AMView);\n" + buffer_rule +
            "\nLoopVarAddrArray[0]=1; LoopVarTypeArray[0]=1;\n"
            "InInitIndexArray[0]=0; InInitIndexArray[1]=0;\n"
            "InLastIndexArray[0]=7; InLastIndexArray[1]=7;\n"
            "InStepArray[0]=1; InStepArray[1]=1;",
        "IsLocal=1;"}},
      {"dopl_", {a_loop, "LoopRefPtr=1; LoopRef=b0;", "DoPL=0;"}},
      {"endpl_", {a_loop, "LoopRefPtr=1; LoopRef=b0;", ""}},
      {"across_",
       {a_shadow_group,
        "AcrossType=0; OldShadowGroupRef=0; NewShadowGroupRef=5e; PipeLinePar=0.5; QDim=4;", ""}},
      {"exfrst_", {a_loop + a_shadow_group, "LoopRef=b0; ShadowGroupRef=5e;", ""}},
      {"imlast_", {a_loop + a_shadow_group, "LoopRef=b0; ShadowGroupRef=5e;", ""}},
      {"crtrg_", {"", "StaticSign=0; DelRedSign=0;", "RedGroupRef=d0;"}},
      {"crtred_",
       {"",
        "RedFuncNumb=3; RedArrayPtr=5; RedArrayType=3; RedArrayLength=1; LocArrayPtr=6; "
        "LocElmLength=8; StaticSign=0;",
        "RedRef=d1;"}},
      {"insred_",
       {a_reduction_group + a_reduction, "RedGroupRef=d0; RedRef=d1; LoopRef=b0; RenewSign=0;",
        ""}},
      {"delred_", {"", "RedRefPtr=1; RedRef=d9;", ""}},
      {"delrg_", {"", "RedGroupRefPtr=1; RedGroupRef=d8;", ""}},
      {"strtrd_", {a_reduction_group, "RedGroupRef=d0;", ""}},
      {"waitrd_", {a_reduction_group, "RedGroupRef=d0;", ""}},
      {"crtshg_", {"", "StaticSign=0;", "ShadowGroupRef=5e;"}},
      {"inssh_",
       {an_array + a_shadow_group, in_group + "FullShdSign=0; EdgeTypeSize=4;\n" + edges, ""}},
      {"insshd_",
       {an_array + a_shadow_group,
        in_group + "MaxShdCount=1;\n" + edges + "\nShdSignArray[0]=7; ShdSignArray[1]=7;", ""}},
      {"incsh_", {an_array + a_shadow_group, in_group + "FullShdSign=0;\n" + included, ""}},
      {"incshd_",
       {an_array + a_shadow_group,
        in_group + "MaxShdCount=1;\n" + included + "\nShdSignArray[0]=7; ShdSignArray[1]=7;", ""}},
      {"delshg_", {"", "ShadowGroupRefPtr=1; ShadowGroupRef=59;", ""}},
      {"strtsh_", {a_shadow_group, "ShadowGroupRef=5e;", ""}},
      {"waitsh_", {a_shadow_group, "ShadowGroupRef=5e;", ""}},
      {"sendsh_", {a_shadow_group, "ShadowGroupRef=5e;", ""}},
      {"recvsh_", {a_shadow_group, "ShadowGroupRef=5e;", ""}},
      {"crtrbl_",
       {an_array + a_loop,
        "RemArrayHeader=1; RemArrayHandlePtr=2; BufferHeader=77; BasePtr=0; StaticSign=0; "
        "LoopRef=b0;\n" +
            buffer_rule,
        "BufferHandlePtr=78; IsLocal=1;"}},
      {"crtrbp_",
       {an_array,
        "RemArrayHeader=1; RemArrayHandlePtr=2; BufferHeader=77; BasePtr=0; StaticSign=0; "
        "PSRef=0;\nCoordArray[0]=-1; CoordArray[1]=3;",
        "BufferHandlePtr=78; IsLocal=1;"}},
      {"loadrb_",
       {an_array + a_loop + a_buffer, "BufferHeader=77; BufferHandlePtr=78; RenewSign=0;", ""}},
      {"waitrb_", {an_array + a_loop + a_buffer, "BufferHeader=77; BufferHandlePtr=78;", ""}},
      {"crtbg_", {"", "StaticSign=0; DelBufSign=0;", "RegularAccessGroupRef=7e;"}},
      {"insrb_",
       {an_array + a_loop + a_buffer + a_buffer_group,
        "RegularAccessGroupRef=7e; BufferHeader=77; BufferHandlePtr=78;", ""}},
      {"loadbg_", {a_buffer_group, "RegularAccessGroupRef=7e; RenewSign=0;", ""}},
      {"waitbg_", {a_buffer_group, "RegularAccessGroupRef=7e;", ""}},
      {"srmem_", {"", "MemoryCount=1;\nLengthArray[0]=8;", ""}},
      {"dvm_fread", {"", "Buf=1; Size=8; Count=10; Stream=2;", "Res=10;"}},
      {"dvm_read", {"", "Count=10;", "Res=10;"}},
  };
  return all;
}

}  // namespace gridcast::trace::test
