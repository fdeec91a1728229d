#include <zlib.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <map>
#include <string>

#include "trace_text.h"

using namespace gridcast::trace;
using namespace gridcast::trace::test;

namespace {

std::string gzipped(const std::string& text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(text.size() + 1000, '\0');
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

void check_same(const Program& a, const Program& b) {
  CHECK(calls_of(a) == calls_of(b));
  REQUIRE(a.records.size() == b.records.size());
  CHECK(std::equal(a.records.begin(), a.records.end(), b.records.begin(),
                   [](const Record& x, const Record& y) {
                     return x.call_time == y.call_time && x.ret_time == y.ret_time;
                   }));
  CHECK(a.places == b.places);
  CHECK(a.traced_grid == b.traced_grid);
}

}  // namespace

// Numbers of outermost calls after ret_dvm_Init and sums of the TIMEs of their call_ and ret_ lines
// (with what is nested), taken from the texts by a script of a few lines of Python.
TEST_CASE("calls and their times are those of the text") {
  struct Expected {
    std::string file;
    std::size_t calls;
    double seconds;
  };
  const std::vector<Expected> table = {{"c_acopy_100.ptr", 63, 0.02126956},
                                       {"c_gausswb_10.ptr", 196, 0.01993716},
                                       {"c_jac1d_8.ptr", 454, 0.01148164},
                                       {"c_jac2d_8_e1.ptr", 538, 0.01232679},
                                       {"c_lib_100.ptr.gz", 126, 0.00993882},
                                       {"c_redist_100_e4.ptr", 198, 0.02086228},
                                       {"c_tsk_8.ptr.gz", 792, 0.02567717},
                                       {"c_tsk_ra_8.ptr.gz", 759, 0.02726288},
                                       {"f_feat_100.ptr.gz", 401, 0.03741304},
                                       {"f_jac_8.ptr.gz", 440, 0.03754228},
                                       {"f_jacas_8.ptr.gz", 562, 0.03770679},
                                       {"v_f_jac_8_ups2x2_np1x1.ptr.gz", 440, 0.03825113},
                                       {"variants/jac2d_8_curtime.ptr.gz", 538, 0.01031946},
                                       {"variants/jac2d_8_full.ptr.gz", 545, 0.49946000},
                                       {"variants/jac2d_8_keyword.ptr.gz", 538, 0.01000216},
                                       {"variants/jac2d_8_nested.ptr.gz", 545, 0.49824607},
                                       {"variants/jac2d_8_underline.ptr.gz", 538, 0.01212005}};
  for (const Expected& expected : table) {
    INFO(expected.file);
    const Program program = read_program(data(expected.file));
    CHECK(program.records.size() == expected.calls);
    CHECK(program.duration == Approx(expected.seconds).epsilon(1e-12).margin(1e-12));
    CHECK(program.warnings.empty());
    CHECK(program.process_count == 1);
  }
}

TEST_CASE("the functions are counted as grep counts them") {
  const Program program = read_program(data("c_jac1d_8.ptr"));
  std::map<std::string, int> counts;
  for (const Record& record : program.records) {
    ++counts[program.function_of(record)];
  }
  CHECK(counts["dopl_"] == 82);
  CHECK(counts["crtpl_"] == 41);
  CHECK(counts["strtrd_"] == 20);
  CHECK(counts["dvm_void_printf"] == 21);
  CHECK(counts.count("mps_Barrier") == 0);  // start-up
}

TEST_CASE("the digest is that of the text, packed or not") {
  CHECK(read_program(data("c_jac1d_8.ptr")).sha256 ==  // sha256sum
        "bb2dcd0805d6614f8441ac9cf5a7bea157154def31a020c6ecc9056a5566917a");
  CHECK(read_program(data("f_jac_8.ptr.gz")).sha256 ==  // zcat | sha256sum
        "4de02d0dbfadc00cc8ef51dcd0601cb7d72a9db8995b2ad5c9edd4ab9acd7c32");
}

TEST_CASE("start-up is not counted, its first event names the main interval") {
  const Program program = parse(call("getam_", "", "AMRef=1;"));
  REQUIRE(program.records.size() == 1);
  CHECK(program.duration == 1.25);
  CHECK(program.records[0].trace_line == 8);
  CHECK(program.files[program.first_file] == "main.cdv");
  CHECK(program.first_line == 16);
  CHECK(program.file_of(program.records[0]) == "a.cdv");
  CHECK(program.places[program.records[0].place].line == 20);

  const Program skipped =
      parse_program(trace_of(call("bsynch_") + call("bsynch_")), "t.ptr", {.skip_startup = true});
  CHECK(skipped.records[0].call_time == 0.0);
  CHECK(skipped.records[1].call_time == 1.0);
  CHECK(skipped.duration == 1.5);
}

TEST_CASE("the traced grid is that of the virtual system if there is one") {
  using Grid = std::vector<std::int64_t>;
  CHECK(read_program(data("c_jac1d_8.ptr")).traced_grid == Grid{1, 1, 1, 1});
  CHECK(read_program(data("v_f_jac_8_ups2x2_np1x1.ptr.gz")).traced_grid == Grid{2, 2});
  const Program part = read_program(data("processes/jac2d_1x2/jac2d0_0.ptr.gz"));
  CHECK(part.traced_grid == Grid{1, 2});
  CHECK(part.process_count == 2);
  REQUIRE(part.warnings.size() == 1);
  CHECK(part.warnings[0].find("one of 2 traces") != std::string::npos);
}

TEST_CASE("a compressed trace is the same program") {
  const std::string text = file_text(data("c_jac2d_8_e1.ptr"));
  const Program plain = parse_program(text, "t.ptr");
  check_same(plain, parse_program(gzipped(text), "t.ptr"));
  SECTION("also in several parts, with padding") {
    const std::size_t half = text.size() / 2;
    check_same(plain, parse_program(gzipped(text.substr(0, half)) + gzipped(text.substr(half)) +
                                        std::string(512, '\0'),
                                    "t.ptr"));
  }
}

TEST_CASE("spellings of the lines make no difference") {
  const std::string text = file_text(data("c_jac2d_8_e1.ptr"));
  const Program plain = parse_program(text, "t.ptr");
  check_same(plain, parse_program(replaced(text, "\n", "\r\n"), "t.ptr"));
  check_same(plain, parse_program(replaced(text, "\n", "\n\n \n"), "t.ptr"));
  check_same(plain, parse_program(replaced(text, "=", " = "), "t.ptr"));
  check_same(plain, parse_program(replaced(text, "=", "= "), "t.ptr"));
  check_same(plain, parse_program(replaced(text, "call_", "NAME=call_"), "t.ptr"));
  check_same(plain, parse_program(replaced(text, " LINE=", " 0.09651780 LINE="), "t.ptr"));
  check_same(plain, parse_program(replaced(text, "\nret_", "\n----------\nret_"), "t.ptr"));
  check_same(plain, parse_program(replaced(text, "Ref=55", "Ref=0x0055"), "t.ptr"));
}

TEST_CASE("other trace settings give the same calls") {
  const auto plain = calls_of(read_program(data("variants/jac2d_8_keyword.ptr.gz")));
  CHECK(calls_of(read_program(data("variants/jac2d_8_underline.ptr.gz"))) == plain);
  CHECK(calls_of(read_program(data("variants/jac2d_8_curtime.ptr.gz"))) == plain);
  for (const auto* name : {"variants/jac2d_8_nested.ptr.gz", "variants/jac2d_8_full.ptr.gz"}) {
    auto nested = calls_of(read_program(data(name)));
    REQUIRE(nested.size() == plain.size() + 7);  // what the library does after Event_dvm_exit
    nested.resize(plain.size());
    CHECK(nested == plain);
  }
}

TEST_CASE("nested calls belong to the outermost") {
  const Program program = parse(
      "call_endpl2_ TIME=1 LINE=1 FILE=a\n"
      "  call_env_Done TIME=0.5 LINE=2 FILE=b\n"
      "    call_parloop_Done TIME=0.25 LINE=3 FILE=b\n"
      "    ret_parloop_Done TIME=0.125 LINE=3 FILE=b\n"
      "    Event_inside TIME=100 LINE=3 FILE=b\n"
      "  ret_env_Done TIME=0.0625 LINE=2 FILE=b\n"
      "ret_endpl2_ TIME=0.03125 LINE=1 FILE=a\n");
  REQUIRE(program.records.size() == 1);
  CHECK(program.records[0].call_time == 1.0);
  CHECK(program.records[0].ret_time == 0.96875);
  CHECK(program.warnings == std::vector<std::string>{"unknown function endpl2_ (1 call)"});
}

TEST_CASE("Event_ lines are skipped and do not end the trace") {
  const Program program = parse(call("bsynch_") + ending + call("bsynch_"));
  CHECK(program.records.size() == 2);
  CHECK(program.duration == 2.5);
}

TEST_CASE("a call without its ret_ line is left out") {
  SECTION("at the end") {
    const Program program = parse(call("bsynch_") + "call_dvm_exit TIME=1 LINE=1 FILE=a\n");
    CHECK(program.records.size() == 1);
    REQUIRE(program.warnings.size() == 1);
    CHECK(program.warnings[0] == "t.ptr:10: call_dvm_exit has no ret_ line and is left out");
  }
  SECTION("between others") {
    const Program program = parse(call("bsynch_") + "call_redis_ TIME=1 LINE=1 FILE=a\n" +
                                  "NewSign=0;\n" + call("tstio_") + call("bsynch_"));
    REQUIRE(program.records.size() == 3);
    CHECK(program.function_of(program.records[1]) == "tstio_");
    CHECK(program.duration == 3.75);
    CHECK(program.warnings ==
          std::vector<std::string>{"t.ptr:10: call_redis_ has no ret_ line and is left out"});
  }
  SECTION("and a ret_ line without its call") {
    const Program program = parse("ret_redis_ TIME=1 LINE=1 FILE=a\n" + call("bsynch_"));
    CHECK(program.records.size() == 1);
    CHECK(program.duration == 1.25);
    CHECK(program.warnings.size() == 1);
  }
}

TEST_CASE("file names and texts that look like events are none") {
  const Program program = parse(
      "call_bsynch_ TIME=1 LINE=20 FILE=call_ret_.cdv\n"
      "ret_bsynch_ TIME=0.5 LINE=20 FILE=call_ret_.cdv\n"
      "call_dvm_void_printf TIME=1 LINE=21 FILE=Event_.cdv\n"
      "Format=call_me TIME and ret_\n"
      "call_me later\n"
      "ret_dvm_void_printf TIME=0.5 LINE=21 FILE=Event_.cdv\n");
  REQUIRE(program.records.size() == 2);
  CHECK(program.duration == 3.0);
  CHECK(program.file_of(program.records[0]) == "call_ret_.cdv");
  CHECK(program.warnings.empty());
}

TEST_CASE("unknown functions are ordinary and reported once each") {
  const Program program =
      parse(call("foo_") + call("bsynch_") + call("bar_") + call("foo_") + call("foo_"));
  CHECK(call_at(program, 0) == Call(Ordinary{.known = false}));
  CHECK(call_at(program, 1) == Call(Ordinary{.known = true}));
  CHECK(program.warnings == std::vector<std::string>{"unknown function foo_ (3 calls)",
                                                     "unknown function bar_ (1 call)"});
}

TEST_CASE("times of any notation are read exactly") {
  const Program program = parse(
      "call_bsynch_ TIME=0.00000005 LINE=1 FILE=a\nret_bsynch_ TIME=1.5e-3 LINE=1 FILE=a\n"
      "call_bsynch_ TIME=123456.123456 LINE=1 FILE=a\nret_bsynch_ TIME=3 LINE=1 FILE=a\n"
      "call_bsynch_ TIME=-0.00000001 LINE=1 FILE=a\n"
      "ret_bsynch_ TIME=0.1234567890123456789 LINE=1 FILE=a\n");
  CHECK(program.records[0].call_time == 0.00000005);
  CHECK(program.records[0].ret_time == 1.5e-3);
  CHECK(program.records[1].call_time == 123456.123456);
  CHECK(program.records[1].ret_time == 3.0);
  CHECK(program.records[2].call_time == 0.0);
  CHECK(program.records[2].ret_time == 0.1234567890123456789);
  CHECK(program.warnings.size() == 1);
}
