/// Names with escape sequences, wrong UTF-8 and line ends never reach a terminal as they are.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "gridcast/base/printable.h"
#include "run.h"

using namespace gridcast;
using namespace gridcast::cli::test;

namespace {

/// Sets the title of a terminal, turns it red; C1 control; a wrong byte; right-to-left override.
const std::string hostile =
    "evil\x1b]0;title\x07\x1b[31m\xc2\x9b"
    "1m\xff\xe2\x80\xae"
    "x";

bool steers_terminal(const std::string& text) {
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if ((code < 0x20 && c != '\n') || code == 0x7f) {
      return true;
    }
  }
  return text.find("\xc2\x9b") != std::string::npos ||
         text.find("\xe2\x80\xae") != std::string::npos || valid_utf8(text) != text;
}

}  // namespace

TEST_CASE("text is made printable character by character") {
  CHECK(printable("jac.ptr") == "jac.ptr");
  CHECK(printable("\xd0\xb6\xe2\x82\xac\xf0\x9f\x98\x80") ==
        "\xd0\xb6\xe2\x82\xac\xf0\x9f\x98\x80");
  CHECK(printable("a\x1b[0mb", "?") == "a?[0mb");
  CHECK(printable("\n\t\x7f", "?") == "???");
  CHECK(printable("\xc2\x80\xc2\x9f\xc2\xa0", "?") == "??\xc2\xa0");
  CHECK(printable("\xe2\x80\xaa\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa9", "?") == "????");
  // Overlong, surrogate, beyond the last character, cut off: each byte is replaced.
  CHECK(printable("\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82", "?") == "??|???|????|??");
  CHECK(printable("\xff") == replacement_character);
  CHECK(printable_lines("a\x1b\n\nb\r\n") == "a" + std::string(replacement_character) + "\n\nb" +
                                                 std::string(replacement_character) + "\n");
  CHECK(printable_lines("a\n\nb") == "a\n\nb");
}

TEST_CASE("JSON strings are valid and give back what can be given back") {
  CHECK(json_quoted("a\"\\\n\x1b\x7f\xc2\x9b") == R"("a\"\\\u000a\u001b\u007f\u009b")");
  CHECK(json_quoted("\xed\xa0\x80") == "\"\uFFFD\uFFFD\uFFFD\"");
  const std::string sound = "\xd0\xb6 \x01 \" \\ \xe2\x80\xae";
  CHECK(nlohmann::json::parse(json_quoted(sound)).get<std::string>() == sound);
  CHECK(nlohmann::json::parse(json_quoted(hostile)).is_string());
}

TEST_CASE("commands show names of files, functions and sources without what steers a terminal") {
  const TemporaryDirectory directory;
  const std::string trace = directory / (hostile + ".ptr");
  const std::string place = " LINE=1 FILE=" + hostile + ".c\n";
  write_file(trace,
             "RTS VERSION = 2889\n ProcCount=1;  PSRank=1;  PSSize= 1;\nVProcCount=0;\n"
             "call_dvm_Init TIME=0" +
                 place + "ret_dvm_Init TIME=0" + place + "call_" + hostile + "_ TIME=1" + place +
                 "ret_" + hostile + "_ TIME=1" + place + "call_binter_ TIME=1" + place +
                 "ret_binter_ TIME=1" + place + "call_einter_ TIME=1" + place +
                 "ret_einter_ TIME=1" + place + "Event_dvm_exit TIME=0" + place);
  const std::string store = directory / (hostile + ".h5");
  const std::vector<std::vector<std::string>> commands = {
      {"trace", "info", trace},
      {"trace", "check", trace},
      {"predict", trace, "--machine", config("workstations.par")},
      {"sweep", trace, "--machine", config("workstations.par"), "--mode", "2", "--max-processors",
       "4", "--store", store},
      {"status", store},
      {"trace", "info", trace + "\x1b[31m"},
      {"trace", "average", trace, trace, "-o", directory / (hostile + "_mean.ptr")}};
  for (const std::vector<std::string>& command : commands) {
    INFO(command[0] << " " << command[1]);
    const Run run = run_gridcast(command);
    CHECK(run.exit_code == (command.back().ends_with("[31m") ? 2 : 0));
    CHECK_FALSE((run.out + run.err).empty());
    CHECK_FALSE(steers_terminal(run.out));
    CHECK_FALSE(steers_terminal(run.err));
  }
  const Run status = run_gridcast({"status", store, "--json", "-"});
  REQUIRE(status.exit_code == 0);
  CHECK_FALSE(steers_terminal(status.out.substr(0, status.out.find("\xe2"))));
  CHECK(nlohmann::json::parse(status.out).at("trace").size() == 1);
}
