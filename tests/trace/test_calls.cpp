#include <catch2/catch.hpp>
#include <string>

#include "trace_text.h"

using namespace gridcast::trace;
using namespace gridcast::trace::test;

namespace {

const std::string make_template = call(
    "crtamv_", "AMRef=0; Rank=2; StaticSign=0;\nSizeArray[0]=8; SizeArray[1]=9;", "AMViewRef=aa0;");

std::string make_array(const std::string& header, const std::string& handle,
                       const std::string& type_size = "8") {
  return call("crtda_",
              "ArrayHeader=" + header + "; ExtHdrSign=0; BasePtr=0; Rank=2; TypeSize=" + type_size +
                  "; StaticSign=1; ReDistrSign=3;\nSizeArray[0]=8; SizeArray[1]=9;\n"
                  "LowShdWidthArray[0]=1; LowShdWidthArray[1]=2;\n"
                  "HiShdWidthArray[0]=3; HiShdWidthArray[1]=4;",
              "ArrayHandlePtr=" + handle + ";");
}

const std::string make_group = call("crtshg_", "StaticSign=0;", "ShadowGroupRef=5e;");

InsertShadow inserted(const std::string& function, const std::string& parameters) {
  const Program program =
      parse(make_array("1", "2") + make_group +
            call(function, "ShadowGroupRef=5e; ArrayHeader=1; ArrayHandlePtr=2;\n" + parameters));
  REQUIRE(program.records.size() == 3);
  return std::get<InsertShadow>(call_at(program, 2));
}

}  // namespace

TEST_CASE("the calls of a Jacobi program") {
  const Program program = read_program(data("c_jac1d_8.ptr"));
  CHECK(call_at(program, 0) == Call(GetMachine{0}));
  CHECK(call_at(program, 1) == Call(CreateTemplate{0, {8, 8}}));
  CHECK(call_at(program, 2) == Call(DivideBlocks{0, {1, 1}}));
  CHECK(call_at(program, 3) == Call(Distribute{0, no_object, {1}}));
  CHECK(call_at(program, 4) == Call(CreateArray{0, {8, 8}, 8, {1, 1}, {1, 1}}));
  CHECK(call_at(program, 5) == Call(Align{0, {PatternKind::target, 0, {1, 2}, {1, 1}, {0, 0}}}));
  CHECK(call_at(program, 7) == Call(Align{1, {PatternKind::array, 0, {1, 2}, {1, 1}, {0, 0}}}));
  const auto loops = all<MapLoop>(program);
  REQUIRE(loops.size() == 41);
  const auto interior = [](Slot pattern) {
    return MapLoop{
        0, {PatternKind::array, pattern, {1, 2}, {1, 1}, {0, 0}}, {1, 1}, {6, 6}, {1, 1}};
  };
  CHECK(loops[1] == interior(0));
  CHECK(loops[2] == interior(1));
  const auto runs = all<RunLoop>(program);
  REQUIRE(runs.size() == 82);
  CHECK(runs[0] == RunLoop{0, true, std::nullopt});
  CHECK(runs[1] == RunLoop{0, false, std::nullopt});
  CHECK(all<CreateReduction>(program).at(0) == CreateReduction{0, 8, 1, 0});
}

TEST_CASE("equal iterations are equal calls") {
  // 20 iterations each; every one creates its loops and groups at other addresses.
  const Program jacobi = read_program(data("c_jac1d_8.ptr"));
  CHECK(jacobi.calls.size() == 27);
  CHECK(jacobi.slots.loops == 1);
  CHECK(jacobi.slots.reductions == 1);
  const Program pipelined = read_program(data("c_adi_20x10.ptr.gz"));
  CHECK(pipelined.slots.shadow_groups == 2);
  CHECK(pipelined.slots.loops == 1);
  const Program gauss = read_program(data("c_gauss_10.ptr.gz"));
  CHECK(gauss.slots.buffers == 1);
  CHECK(gauss.slots.targets == 2);
}

TEST_CASE("types and sizes of elements") {
  const auto size = [](const std::string& type_size) {
    const Program program = parse(make_array("1", "2", type_size));
    return std::get<CreateArray>(call_at(program, 0)).element_size;
  };
  CHECK(size("24") == 24);
  CHECK(size("-1") == 4);
  CHECK(size("-2") == 8);
  CHECK(size("-3") == 4);
  CHECK(size("-4") == 8);
  CHECK(size("-5") == 8);
  CHECK(size("-6") == 16);
  const Program program =
      parse(call("crtred_", "RedArrayType=6; RedArrayLength=3; LocElmLength=8;", "RedRef=7;"));
  CHECK(call_at(program, 0) == Call(CreateReduction{0, 16, 3, 8}));
}

TEST_CASE("arrays keep both shadow edges") {
  const Program program = parse(make_array("1", "2"));
  CHECK(call_at(program, 0) == Call(CreateArray{0, {8, 9}, 8, {1, 2}, {3, 4}}));
}

TEST_CASE("names are whole words") {
  // PSRefPtr is not PSRef, PSRank not Rank, ALoc.Rank not Rank.
  const Program program =
      parse(call("psview_", "PSRefPtr=77; PSRank=9; ALoc.Rank=8; PSRef=0; Rank=1; SizeArray[0]=4;",
                 "PSRef=5;"));
  CHECK(call_at(program, 0) == Call(ReshapeSystem{0, no_object, {4}}));
}

TEST_CASE("shadow edges of a group") {
  CHECK(inserted("inssh_",
                 "FullShdSign=0;\nLowShdWidthArray[0]=1; LowShdWidthArray[1]=0;\n"
                 "HiShdWidthArray[0]=-1; HiShdWidthArray[1]=2;") ==
        InsertShadow{0, 0, {1, 0}, {-1, 2}, 1});
  CHECK(inserted("inssh_",
                 "FullShdSign=1;\nLowShdWidthArray[0]=1; LowShdWidthArray[1]=1;\n"
                 "HiShdWidthArray[0]=1; HiShdWidthArray[1]=1;") ==
        InsertShadow{0, 0, {1, 1}, {1, 1}, 2});
  CHECK(inserted("insshd_",
                 "MaxShdCount=2;\nLowShdWidthArray[0]=1; LowShdWidthArray[1]=1;\n"
                 "HiShdWidthArray[0]=1; HiShdWidthArray[1]=1;\n"
                 "ShdSignArray[0]=3; ShdSignArray[1]=5;") == InsertShadow{0, 0, {1, 0}, {0, 1}, 2});
  CHECK(inserted("insshd_",
                 "MaxShdCount=1;\nLowShdWidthArray[0]=1; LowShdWidthArray[1]=1;\n"
                 "HiShdWidthArray[0]=1; HiShdWidthArray[1]=1;\n"
                 "ShdSignArray[0]=7; ShdSignArray[1]=1;") == InsertShadow{0, 0, {1, 0}, {1, 0}, 1});
  // Last - Init + 1; without Init the width itself; without both the array's own.
  CHECK(inserted("incsh_",
                 "FullShdSign=0;\nInitDimIndex[0]=-1; InitDimIndex[1]=-1;\n"
                 "InitLowShdIndex[0]=1; InitLowShdIndex[1]=-1;\n"
                 "LastLowShdIndex[0]=2; LastLowShdIndex[1]=3;\n"
                 "InitHiShdIndex[0]=-1; InitHiShdIndex[1]=0;\n"
                 "LastHiShdIndex[0]=-1; LastHiShdIndex[1]=0;") ==
        InsertShadow{0, 0, {2, 3}, {-1, 1}, 1});
}

TEST_CASE("copies: sections, buffers, flags") {
  const Program program = read_program(data("c_acopy_100.ptr"));
  const auto copies = all<CopyArrays>(program);
  REQUIRE(copies.size() == 10);
  const Section whole0{0, {0, 0}, {99, 99}, {1, 1}};
  const Section whole1{1, {0, 0}, {99, 99}, {1, 1}};
  CHECK(copies[0] == CopyArrays{whole0, whole1, no_object});
  CHECK(all<WaitCopy>(program).size() == 5);
  CHECK(all<WaitCopy>(program)[4] == WaitCopy{0});

  const std::string section =
      "FromInitIndexArray[0]=-1; FromLastIndexArray[0]=1; FromStepArray[0]=1;";
  const Program buffer = parse(
      make_array("1", "2") +
      call("arrcpy_", "FromArrayHeader=1; FromArrayHandlePtr=2; ToBufferPtr=99;\n" + section) +
      call("arrcpy_", "FromArrayHeader=1; FromArrayHandlePtr=2; ToArrayHeader=98;\n" + section));
  const CopyArrays expected{{0, {-1}, {-1}, {1}}, {no_object, {}, {}, {}}, no_object};
  CHECK(call_at(buffer, 1) == Call(expected));
  CHECK(call_at(buffer, 2) == Call(expected));  // a header that is no array's is a buffer's
}

TEST_CASE("rare functions of the library") {
  const Program program = read_program(data("c_lib_100.ptr.gz"));
  const auto elements = all<ElementAccess>(program);
  REQUIRE(elements.size() == 3);  // rwelm_, copelm_, elmcpy_; rlocel_, wlocel_, clocel_ are local
  const Section from{0, {5, 7}, {5, 7}, {1, 1}};
  CHECK(elements[0] == ElementAccess{from, {}});
  CHECK(elements[1] == ElementAccess{from, {1, {50, 60}, {50, 60}, {1, 1}}});
  CHECK(elements[2] == elements[1]);
  CHECK(all<SendShadow>(program).size() == 1);
  CHECK(all<ReceiveShadow>(program).size() == 1);
  CHECK(all<DeleteSystem>(program).size() == 2);
  CHECK(all<DeleteTemplate>(program).size() == 1);
  CHECK(all<DeleteReduction>(program).size() == 1);
  const auto shadows = all<InsertShadow>(program);
  CHECK(shadows.at(shadows.size() - 2) == InsertShadow{0, 0, {-1, -1}, {-1, -1}, 1});  // incsh_
}

TEST_CASE("periodic dimensions of a template") {
  const auto made = [](const std::string& flags) {
    return call("crtamv_", "AMRef=0; Rank=2;\nSizeArray[0]=8; SizeArray[1]=9;\n" + flags,
                "AMViewRef=aa0;");
  };
  CHECK(call_at(parse(made("PeriodicArray[0]=0; PeriodicArray[1]=1;")), 0) ==
        Call(CreateTemplate{0, {8, 9}, {0, 1}}));
  CHECK(call_at(parse(made("")), 0) == Call(CreateTemplate{0, {8, 9}}));
  for (const char* const wrong : {"PeriodicArray[0]=1;", "PeriodicArray[0]=0; PeriodicArray[1]=2;",
                                  "PeriodicArray[0]=1; PeriodicArray[1]=0; PeriodicArray[2]=0;"}) {
    CHECK_THROWS_WITH(parse(made(wrong)), Catch::Matchers::Contains("PeriodicArray is not a list"));
  }
}

TEST_CASE("weights and block lengths") {
  const Program weighted = read_program(data("c_gausswb_10.ptr"));
  const auto weights = all<SetWeights>(weighted);
  REQUIRE(weights.size() == 1);
  CHECK(weights[0] == SetWeights{0, 0, {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}, false});
  const Program blocks = read_program(data("c_gaussgb_500.ptr.gz"));
  CHECK(all<SetBlockLengths>(blocks).at(0) == SetBlockLengths{0, 0, {{500}}, false});

  const Program two = parse(
      make_template + call("setelw_",
                           "PSRef=0; AMViewRef=aa0;\nAddrNumber=2;\nWeightNumber[0] = 2;\n"
                           "LoadWeight[0] = 1.50; LoadWeight[1] = 2.00;\nWeightNumber[1] = 1;\n"
                           "LoadWeight[0] = 4.00;"));
  CHECK(call_at(two, 1) == Call(SetWeights{0, no_object, {{1.5, 2.0}, {4.0}}, false}));
  const Program absent =
      parse(make_template + call("setelw_", "PSRef=0; AMViewRef=aa0;\nAddrNumber=1;") +
            call("genblk_", "PSRef=0; AMViewRef=aa0; AxisCount=1;"));
  CHECK(call_at(absent, 1) == Call(SetWeights{0, no_object, {}, true}));
  CHECK(call_at(absent, 2) == Call(SetBlockLengths{0, no_object, {}, true}));
  REQUIRE(absent.warnings.size() == 1);
  CHECK(absent.warnings[0].find("(2 calls): equal weights") != std::string::npos);
}

TEST_CASE("tasks") {
  const Program program = read_program(data("f_tasks_8.ptr.gz"));
  CHECK(all<GetSystem>(program).at(0) == GetSystem{0, no_object});  // AMRef of all digits f
  CHECK(all<ReshapeSystem>(program).at(0) == ReshapeSystem{1, no_object, {1}});
  CHECK(all<CreateSystem>(program).at(0) == CreateSystem{2, 1, {0}, {0}});
  CHECK(all<GetMachineElement>(program).at(1) == GetMachineElement{1, 0, {1}});
  CHECK(all<MapMachine>(program).at(1) == MapMachine{1, 3});
  CHECK(all<RunTask>(program).at(0) == RunTask{0, true});
  CHECK(all<LoadBufferGroup>(program).size() == 19);
  CHECK(all<WaitBufferGroup>(program).size() == 19);
  const Program skipped =
      parse(call("getam_", "", "AMRef=1;") + call("runam_", "AMRef=1;", "Run=0;"));
  CHECK(call_at(skipped, 1) == Call(RunTask{0, false}));
}

TEST_CASE("redistribution and realignment") {
  const Program program = read_program(data("c_redist_100_e4.ptr"));
  const auto moves = all<Redistribute>(program);
  REQUIRE(moves.size() == 11);
  CHECK(moves[0].target == no_object);
  CHECK(moves[0].array == 0);
  CHECK(moves[0].axes == Extents{2});
  const auto realigned = all<Realign>(program);
  CHECK(realigned.at(0).rule.axes == Extents{2, 1});
  CHECK_FALSE(realigned.at(0).new_values);
  CHECK(realigned.at(1).new_values);
}

TEST_CASE("intervals and input and output") {
  const Program program = parse(
      call("binter_", "nfrag=7; index=12; UserInter=0;") +
      call("bsloop_", "nfrag=7; index=2000000000 UserInter=0;") + call("bploop_", "nfrag=1") +
      call("enloop_", "nfrag=1; nline=3") + call("biof_") + call("eiof_") +
      call("dvm_fopen", "Filename=x; Type=r;", "Res=1;") + call("dvm_void_printf", "Format=x") +
      call("dvm_fread", "Buf=1; Size=8; Count=100; Stream=1;", "Res=10;") +
      call("dvm_fread", "ArrayHeader=1; Size=8; Count=100; Stream=1;", "Res=10;") +
      call("srmem_", "MemoryCount=2;\nLengthArray[0]=5; LengthArray[1]=7;") + call("tstio_"));
  CHECK(call_at(program, 0) == Call(BeginInterval{IntervalType::user, 12}));
  CHECK(call_at(program, 1) == Call(BeginInterval{IntervalType::sequential, std::nullopt}));
  CHECK(call_at(program, 2) == Call(BeginInterval{IntervalType::parallel, std::nullopt}));
  CHECK(call_at(program, 3) == Call(EndInterval{}));
  CHECK(call_at(program, 4) == Call(BeginIoStatement{}));
  CHECK(call_at(program, 5) == Call(EndIoStatement{}));
  CHECK(call_at(program, 6) == Call(InputOutput{true, 4}));
  CHECK(call_at(program, 7) == Call(InputOutput{false, 0}));
  CHECK(call_at(program, 8) == Call(InputOutput{true, 84}));
  CHECK(call_at(program, 9) == Call(InputOutput{true, 4}));
  CHECK(call_at(program, 10) == Call(InputOutput{true, 12}));
  CHECK(call_at(program, 11) == Call(Ordinary{true}));
  CHECK(program.warnings.empty());
}

TEST_CASE("portions of loops are those after ret_dopl_") {
  const std::string loop = call("crtpl_", "Rank=2;", "LoopRef=b;");
  const SubBlock block{{0, 1}, {7, 6}, {1, 2}};
  CHECK(call_at(parse(loop + call("dopl_", "LoopRef=b;",
                                  "DoPL=1;\nDim0: Lower=0 Upper=7 Step=1\n"
                                  "Dim1: Lower=1 Upper=6 Step=2")),
                1) == Call(RunLoop{0, true, block}));
  CHECK(call_at(parse(loop + call("dopl_", "LoopRef=b;",
                                  "DoPL=0; Lower[0]=0; Lower[1]=1; Upper[0]=7; Upper[1]=6; "
                                  "Step[0]=1; Step[1]=2;")),
                1) == Call(RunLoop{0, false, block}));
  CHECK(call_at(parse(loop + call("dopl_", "LoopRef=b;\nDim0: Lower=0 Upper=7 Step=1", "DoPL=1;")),
                1) == Call(RunLoop{0, true, std::nullopt}));
}
