/// Text from outside in tables, TOML that is nested without end, gzip that unpacks without end.
#include <zlib.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gridcast/base/byte_source.h"
#include "gridcast/base/csv.h"
#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"
#include "gridcast/base/toml_limits.h"

using namespace gridcast;

namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  result.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) {
    result += text;
  }
  return result;
}

std::string packed_by_gzip(const std::string& text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string result(deflateBound(&stream, text.size()) + 64, '\0');
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  result.resize(result.size() - stream.avail_out);
  deflateEnd(&stream);
  return result;
}

/// Bytes that come out of a source.
std::size_t length_of(HashedSource& source) {
  std::vector<char> buffer(std::size_t{1} << 16U);
  std::size_t length = 0;
  while (const std::size_t count = source.read(buffer)) {
    length += count;
  }
  return length;
}

std::string complaint_of_toml(const std::string& text) {
  try {
    require_shallow_toml(text, "f.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("cells of tables are no formulas and one line of UTF-8") {
  CHECK(csv_cell("plain") == "plain");
  CHECK(csv_cell("=HYPERLINK(1)") == "'=HYPERLINK(1)");
  CHECK(csv_cell("+1+cmd|' /C calc'!A0") == "'+1+cmd|' /C calc'!A0");
  CHECK(csv_cell("@SUM(1,2)") == "\"'@SUM(1,2)\"");
  CHECK(csv_cell("-x") == "'-x");
  CHECK(csv_cell(" =1") == "' =1");
  CHECK(csv_cell("-1.5e3") == "-1.5e3");
  CHECK(csv_cell("+7") == "+7");
  CHECK(csv_cell("a,b") == "\"a,b\"");
  CHECK(csv_cell("say \"no\"") == "\"say \"\"no\"\"\"");
  CHECK(csv_cell("a\nb") ==
        "a\xEF\xBF\xBD"
        "b");
  CHECK(csv_cell("\x1b[31m") == "\xEF\xBF\xBD[31m");
  CHECK(csv_cell("\t=1") == "\xEF\xBF\xBD=1");
  CHECK(csv_cell("\xff") == "\xEF\xBF\xBD");
  CHECK(csv_cell("größe") == "größe");
}

TEST_CASE("texts of JSON are valid whatever bytes they have") {
  CHECK(json_quoted("a\"b\\c\n") == R"("a\"b\\c\u000a")");
  CHECK(json_quoted("odd \xff\xc3(") == "\"odd \xEF\xBF\xBD\xEF\xBF\xBD(\"");
}

TEST_CASE("TOML that is nested deeper than files of users is refused with its line") {
  CHECK(complaint_of_toml("a = 1\n" + repeated("b.", 50000) + "c = 1\n").starts_with("f.toml:2: "));
  CHECK(complaint_of_toml("\n\n[" + repeated("b.", 50000) + "c]\n").starts_with("f.toml:3: "));
  CHECK(complaint_of_toml("[[" + repeated("'b' . ", 50000) + "c]]\n").starts_with("f.toml:1: "));
  CHECK(complaint_of_toml("a = " + repeated("[", 50000)).starts_with("f.toml:1: "));
  CHECK(complaint_of_toml("a = " + repeated("{a.b.c = ", 100)).starts_with("f.toml:1: "));
}

TEST_CASE("TOML as users write it is not too deep") {
  CHECK(complaint_of_toml("a.b.c = 1.5\n[[do.do.do]]\nloop = ['i = 1 : n']\n").empty());
  CHECK(complaint_of_toml("[[" + repeated("do.", 60) + "do]]\n").empty());
  CHECK(complaint_of_toml("# " + repeated("a.", 50000) + "\na = 1\n").empty());
  CHECK(complaint_of_toml("a = '" + repeated("a.", 50000) + "'\n").empty());
  CHECK(complaint_of_toml("a = \"\\\"" + repeated("[", 50000) + "\"\n").empty());
  CHECK(complaint_of_toml("a = '''\n" + repeated("[a.\n", 50000) + "'''\n").empty());
  CHECK(complaint_of_toml("a = [" + repeated("1.5, ", 50000) + "]\n").empty());
  CHECK(complaint_of_toml("a = [" + repeated("[1.5],\n", 50000) + "]\n").empty());
}

TEST_CASE("gzip that unpacks to a multiple that no trace has is refused early") {
  const std::string bomb = packed_by_gzip(std::string(std::size_t{1} << 30U, '\n'));
  REQUIRE(bomb.size() < std::size_t{2} << 20U);
  const auto source = open_source(std::string_view(bomb), "bomb.ptr.gz");
  CHECK_THROWS_WITH(length_of(*source), Catch::StartsWith("bomb.ptr.gz: ") &&
                                            Catch::Contains("more than 400 times its size"));
}

TEST_CASE("gzip of calls that are all the same is read whole") {
  // The shortest call of a trace again and again: nothing that a program traces packs better.
  const std::string call =
      "call_bsloop_ TIME=0.000001 LINE=1 FILE=a\nret_bsloop_ TIME=0.000001 LINE=1 FILE=a\n";
  const std::string text = repeated(call, (std::size_t{200} << 20U) / call.size());
  const std::string packed = packed_by_gzip(text);
  const auto source = open_source(std::string_view(packed), "same.ptr.gz");
  CHECK(length_of(*source) == text.size());
}
