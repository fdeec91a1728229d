/// The worked example of docs/model.md: every number below is worked out there by hand.

#include <catch2/catch.hpp>

#include "gridcast/compile/compile.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/trace/program.h"

using namespace gridcast;

namespace {

constexpr const char* trace_text = R"(
 ProcCount=1;      PSRank=1;      PSSize= 1;
VProcCount=0;
ret_dvm_Init TIME=0.0 LINE=1 FILE=example.cdv
call_crtamv_ TIME=1.0 LINE=2 FILE=example.cdv
AMRef=10; Rank=1; StaticSign=0; SizeArray[0]=100;
ret_crtamv_ TIME=0.0 LINE=2 FILE=example.cdv
AMViewRef=20;
call_distr_ TIME=0.0 LINE=2 FILE=example.cdv
AMViewRef=20; PSRef=0; ParamCount=1; AxisArray[0]=1; DistrParamArray[0]=0;
ret_distr_ TIME=0.0 LINE=2 FILE=example.cdv
call_crtda_ TIME=0.0 LINE=3 FILE=example.cdv
ArrayHeader=30; Rank=1; TypeSize=8; StaticSign=0; ReDistrSign=3; SizeArray[0]=100;
LowShdWidthArray[0]=1; HiShdWidthArray[0]=1;
ret_crtda_ TIME=0.0 LINE=3 FILE=example.cdv
ArrayHandlePtr=40;
call_align_ TIME=0.0 LINE=3 FILE=example.cdv
ArrayHeader=30; ArrayHandlePtr=40; PatternRefPtr=20; PatternRef=20 (AMView);
AxisArray[0]=1; CoeffArray[0]=1; ConstArray[0]=0;
ret_align_ TIME=0.0 LINE=3 FILE=example.cdv
call_crtpl_ TIME=0.0 LINE=4 FILE=example.cdv
Rank=1;
ret_crtpl_ TIME=0.0 LINE=4 FILE=example.cdv
LoopRef=50;
call_mappl_ TIME=0.0 LINE=4 FILE=example.cdv
LoopRef=50; PatternRefPtr=30; PatternRef=40 (DisArray);
AxisArray[0]=1; CoeffArray[0]=1; ConstArray[0]=0;
InInitIndexArray[0]=0; InLastIndexArray[0]=79; InStepArray[0]=1;
ret_mappl_ TIME=0.0 LINE=4 FILE=example.cdv
call_dopl_ TIME=10.0 LINE=4 FILE=example.cdv
LoopRef=50;
ret_dopl_ TIME=0.0 LINE=4 FILE=example.cdv
DoPL=0;
call_endpl_ TIME=0.0 LINE=5 FILE=example.cdv
LoopRef=50;
ret_endpl_ TIME=0.0 LINE=5 FILE=example.cdv
call_crtshg_ TIME=0.0 LINE=6 FILE=example.cdv
StaticSign=0;
ret_crtshg_ TIME=0.0 LINE=6 FILE=example.cdv
ShadowGroupRef=60;
call_inssh_ TIME=0.0 LINE=6 FILE=example.cdv
ShadowGroupRef=60; ArrayHeader=30; ArrayHandlePtr=40; FullShdSign=0;
LowShdWidthArray[0]=1; HiShdWidthArray[0]=1;
ret_inssh_ TIME=0.0 LINE=6 FILE=example.cdv
call_strtsh_ TIME=0.0 LINE=6 FILE=example.cdv
ShadowGroupRef=60;
ret_strtsh_ TIME=0.0 LINE=6 FILE=example.cdv
call_waitsh_ TIME=0.0 LINE=6 FILE=example.cdv
ShadowGroupRef=60;
ret_waitsh_ TIME=0.0 LINE=6 FILE=example.cdv
call_crtrg_ TIME=0.0 LINE=7 FILE=example.cdv
StaticSign=0; DelRedSign=1;
ret_crtrg_ TIME=0.0 LINE=7 FILE=example.cdv
RedGroupRef=70;
call_crtred_ TIME=0.0 LINE=7 FILE=example.cdv
RedFuncNumb=1; RedArrayType=4; RedArrayLength=1; LocElmLength=0; StaticSign=0;
ret_crtred_ TIME=0.0 LINE=7 FILE=example.cdv
RedRef=80;
call_insred_ TIME=0.0 LINE=7 FILE=example.cdv
RedGroupRef=70; RedRef=80;
ret_insred_ TIME=0.0 LINE=7 FILE=example.cdv
call_strtrd_ TIME=0.0 LINE=7 FILE=example.cdv
RedGroupRef=70;
ret_strtrd_ TIME=0.0 LINE=7 FILE=example.cdv
call_waitrd_ TIME=0.0 LINE=7 FILE=example.cdv
RedGroupRef=70;
ret_waitrd_ TIME=0.0 LINE=7 FILE=example.cdv
Event_dvm_exit TIME=0.0 LINE=8 FILE=example.cdv
)";

constexpr const char* machine_text = R"(
cluster = pair;
pair = {2 x p};
pair.CommType = ethernet;
pair.TStart = 100;
pair.TByte = 0.1;
p = 1;
)";

}  // namespace

TEST_CASE("the worked example of docs/model.md") {
  const trace::Program program = trace::parse_program(trace_text, "example.ptr");
  const model::Compiled compiled = model::compile(program);
  const machine::Cluster cluster = machine::Cluster::parse(machine_text, "pair.par");
  model::Predictor predictor(compiled.script, cluster);

  const model::Characteristics c = predictor.evaluate(machine::Grid::parse("2"))[0];
  const auto close = [](double value) { return Approx(value).epsilon(0.0).margin(1e-12); };
  CHECK(c.execution_time == close(7.2504032));
  CHECK(c.total_time == close(14.5008064));
  CHECK(c.productive_time == close(11.0));
  CHECK(c.productive_cpu_time == close(11.0));
  CHECK(c.insufficient_parallelism == close(1.0));
  CHECK(c.synchronization == close(2.5));
  CHECK(c.operations[2].communication == close(2.5004032));
  CHECK(c.operations[2].synch == close(2.5));
  CHECK(c.operations[1].communication == close(0.0004032));
  CHECK(c.communication == close(2.5008064));
  CHECK(c.idle == Approx(0.0).margin(1e-12));
  CHECK(c.load_imbalance == close(2.5));
  CHECK(c.lost_time == close(3.5008064));
  CHECK(c.efficiency == Approx(0.7585785).epsilon(1e-6));
}
