#include <catch2/catch.hpp>
#include <string>

#include "trace_text.h"

using namespace gridcast::trace;
using namespace gridcast::trace::test;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a missing parameter is named with its place") {
  CHECK(error_of(trace_of(call("bsynch_") + call("crtpl_", "Rank=2;"))) ==
        "t.ptr:10: crtpl_: parameter LoopRef is missing "
        "(expected LoopRef among the lines of the call)");
  CHECK(contains(error_of(trace_of(call("crtpl_", "", "LoopRef=1;"))),
                 "t.ptr:8: crtpl_: parameter Rank"));
  CHECK(contains(error_of(trace_of(call("crtamv_", "Rank=1;", "AMViewRef=1;"))), "SizeArray"));
  CHECK(contains(error_of(trace_of(call("dopl_", "LoopRefPtr=5;", "DoPL=0;"))), "LoopRef"));
}

TEST_CASE("an unknown reference is named with its place") {
  CHECK(error_of(trace_of(call("strtrd_", "RedGroupRef=5abc;"))) ==
        "t.ptr:8: strtrd_: RedGroupRef=5abc names no existing object "
        "(expected a reduction group created before)");
}

TEST_CASE("values that are no numbers or make no sense") {
  CHECK(contains(error_of(trace_of(call("crtpl_", "Rank=two;", "LoopRef=1;"))), "Rank=two"));
  CHECK(contains(error_of(trace_of(call("crtpl_", "Rank=99999999999999999999;", "LoopRef=1;"))),
                 "Rank=9999"));
  CHECK(contains(error_of(trace_of(call("crtpl_", "Rank=0;", "LoopRef=1;"))), "Rank=0"));
  CHECK(contains(error_of(trace_of(call("crtpl_", "Rank=1;", "LoopRef=xyz;"))), "LoopRef=xyz"));
  CHECK(contains(error_of(trace_of(call("crtpl_", "Rank=1;", "LoopRef=0;"))),
                 "LoopRef returned is 0"));
  CHECK(contains(error_of(trace_of(call("crtamv_", "SizeArray[0]=-4;", "AMViewRef=1;"))), "-4"));
  CHECK(contains(
      error_of(trace_of(call("crtamv_", "SizeArray[0]=999999999999; SizeArray[1]=999999999999;",
                             "AMViewRef=1;"))),
      "too large"));
  CHECK(contains(error_of(trace_of(call(
                     "crtred_", "RedArrayType=7; RedArrayLength=1; LocElmLength=0;", "RedRef=1;"))),
                 "RedArrayType=7"));
}

TEST_CASE("traces that are not complete") {
  const std::string text = file_text(data("c_jac2d_8_e1.ptr"));
  for (const std::size_t size : {200UL, 3000UL, 20000UL, 60001UL, 100000UL}) {
    INFO(size);
    const std::string error = error_of(text.substr(0, size));
    CHECK(contains(error, "t.ptr"));
    CHECK(error.find('\n') == std::string::npos);
  }
  CHECK(contains(error_of(text.substr(0, 60001)), "the trace ends before dvm_exit (truncated?)"));
  CHECK(contains(error_of(preamble.substr(0, preamble.find("ret_dvm_Init"))),
                 "the trace ends before ret_dvm_Init (truncated?)"));
  const std::string packed = file_text(data("f_jac_8.ptr.gz"));
  CHECK(contains(error_of(packed.substr(0, packed.size() / 2)), "the gzip data ends too early"));
  std::string damaged = packed;
  damaged[packed.size() / 2] = static_cast<char>(damaged[packed.size() / 2] ^ 0x55);
  CHECK(contains(error_of(damaged), "gzip data"));
}

TEST_CASE("files that are no traces") {
  CHECK(contains(error_of(""), "t.ptr: not a trace: it has no event line"));
  CHECK(contains(error_of("hello\nworld\n"), "not a trace"));
  CHECK(contains(error_of(std::string(3U << 20U, 'x')), "t.ptr:1: a line of more than a megabyte"));
  std::string noise;
  for (unsigned i = 0; i < 100000; ++i) {
    noise.push_back(static_cast<char>((i * 2654435761U) >> 24U));
  }
  CHECK(contains(error_of(noise), "not a trace"));
  CHECK_THROWS_AS(read_program("no_such_file.ptr"), gridcast::InputError);
  CHECK_THROWS_AS(read_program(data("variants")), gridcast::InputError);
}

TEST_CASE("damaged event lines") {
  CHECK(error_of(trace_of("call_bsynch_ TIME=0.0x LINE=1 FILE=a\n")) ==
        "t.ptr:8: the numbers of this event line cannot be read "
        "(expected TIME=<seconds> LINE=<number> FILE=<name>)");
  CHECK(contains(error_of(trace_of("call_bsynch_ TIME=nan LINE=1 FILE=a\n")), "t.ptr:8"));
  CHECK(contains(error_of(trace_of("call_bsynch_ TIME=1 LINE=-1 FILE=a\n")), "t.ptr:8"));
  CHECK(
      contains(error_of(trace_of("call_bsynch_ TIME=1e30 LINE=1 FILE=a\n")), "longer than a run"));
}

TEST_CASE("names in results are printable text") {
  const Program program = parse(
      "call_f\x01\xff"
      "oo TIME=1 LINE=1 FILE=\xd0\xb6\xc3.c\n"
      "ret_f\x01\xff"
      "oo TIME=1 LINE=1 FILE=\xd0\xb6\xc3.c\n");
  CHECK(program.function_of(program.records.at(0)) == "f??oo");
  CHECK(program.file_of(program.records.at(0)) == "\xd0\xb6?.c");
}
