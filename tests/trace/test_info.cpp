#include <catch2/catch.hpp>
#include <string>

#include "gridcast/trace/consistency.h"
#include "gridcast/trace/info.h"
#include "trace_text.h"

using namespace gridcast::trace;
using namespace gridcast::trace::test;

TEST_CASE("the summary of a trace") {
  const Program program = read_program(data("c_jac2d_8_e1.ptr"));
  const TraceInfo info = summarise(program);
  CHECK(info.calls == 538);
  CHECK(info.duration == Approx(0.01232679).epsilon(1e-12));
  CHECK(info.call_time + info.ret_time == Approx(info.duration).epsilon(1e-12));
  std::size_t calls = 0;
  double time = 0.0;
  for (std::size_t i = 0; i < info.functions.size(); ++i) {
    calls += info.functions[i].calls;
    time += info.functions[i].call_time + info.functions[i].ret_time;
  }
  CHECK(calls == info.calls);
  CHECK(time == Approx(info.duration).epsilon(1e-12));
  REQUIRE(info.objects.size() == 2);
  CHECK(info.objects[0].kind == "template");
  CHECK(info.objects[0].created == 1);
  CHECK(info.objects[1].created == 2);
  CHECK(info.objects[1].element_size == 8);
  REQUIRE(info.intervals.size() == 4);  // grep: bploop_ in lines 17, 25, 31, bsloop_ in line 23
  CHECK(info.intervals[0].type == IntervalType::parallel);
  CHECK(info.intervals[0].line == 17);
  CHECK(info.intervals[0].entered == 1);

  const std::string text = to_text(info);
  CHECK(text.find("traced grid             1x1x1x1\n") != std::string::npos);
  CHECK(text.find("array       2           8x8 of 8 bytes\n") != std::string::npos);
  CHECK(text.find("par         20          c_jac2d_8_e1.cdv:25\n") != std::string::npos);
}

TEST_CASE("sound traces have no problems") {
  for (const auto* name : {"c_jac1d_8.ptr", "c_redist_100_e4.ptr", "c_tsk_8.ptr.gz",
                           "c_tsk_ra_8.ptr.gz", "f_tasks_8.ptr.gz", "f_jacas_8.ptr.gz",
                           "c_lib_100.ptr.gz", "h_gauss_c.ptr.gz", "c_gauss_10.ptr.gz"}) {
    INFO(name);
    CHECK(check_order(read_program(data(name))).empty());
  }
}
