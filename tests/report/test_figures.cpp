#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "gridcast/base/readable.h"
#include "gridcast/report/text_table.h"

namespace gridcast::report::test {

TEST_CASE("times have four significant digits and a unit") {
  CHECK(seconds_text(0.0) == "0 s");
  CHECK(seconds_text(-8.674e-19) == "0 s");
  CHECK(seconds_text(1.0) == "1.000 s");
  CHECK(seconds_text(-0.0025) == "-2.500 ms");
  CHECK(seconds_text(0.25003) == "250.0 ms");
  CHECK(seconds_text(0.000912) == "912.0 µs");
  CHECK(seconds_text(9e-6) == "9.000 µs");
  CHECK(seconds_text(12.3456e-9) == "12.35 ns");
  CHECK(seconds_text(3.9412e-10) == "0.3941 ns");
  CHECK(seconds_text(1.23456e-12) == "1.235e-12 s");
  CHECK(seconds_text(-8.674e-19) == "0 s");  // left over by rounding
  CHECK(seconds_text(99.996) == "100.0 s");
  CHECK(seconds_text(1234.4) == "1\u202F234 s");
  CHECK(seconds_text(12345.0) == "12\u202F350 s");
  CHECK(seconds_text(1e12) == "1\u202F000\u202F000\u202F000\u202F000 s");
  CHECK(seconds_text(1.23456e15) == "1.235e+15 s");
  CHECK(seconds_text(std::numeric_limits<double>::infinity()) == "inf s");
}

TEST_CASE("a column has one unit, and no number has an exponent without need") {
  const Unit bytes = bytes_unit(4.80096e6);
  CHECK(bytes.name == "MB");
  CHECK(bytes.text(4.80096e6) == "4.801");
  CHECK(bytes.text(160.0) == "<0.001");
  CHECK(bytes.text(0.0) == "0.000");
  CHECK(seconds_unit(0.9995).name == "ms");
  CHECK(seconds_unit(1.0).name == "s");
  CHECK(seconds_unit(0.0).name == "ns");
  CHECK(seconds_unit(3e-5).text(-1.25e-5) == "-12.500");
  CHECK(short_number(4.80096e6) == "4\u202F800\u202F960");
  CHECK(short_number(0.25) == "0.25");
}

TEST_CASE("a time that rounds to the next unit is shown in it") {
  CHECK(seconds_text(999.94) == "999.9 s");
  CHECK(seconds_text(999.96) == "1\u202F000 s");
  CHECK(seconds_text(0.99996) == "1.000 s");
  CHECK(seconds_text(999.96e-6) == "1.000 ms");
  CHECK(seconds_text(999.94e-9) == "999.9 ns");
  CHECK(seconds_text(9999.6) == "10\u202F000 s");
}

TEST_CASE("long lines are broken at blanks, what follows stands below the last column") {
  const std::string short_line(100, 'x');
  CHECK(wrapped(short_line + "\n" + short_line) == short_line + "\n" + short_line);
  std::string words;
  for (int i = 0; i < 30; ++i) {
    words += (i == 0 ? "" : " ") + std::string("µbcde");
  }
  // 16 words and 15 blanks are 95 columns, with 4 blanks before them 99.
  const std::string text = wrapped("    " + words + "\n");
  CHECK(text.substr(0, text.find('\n')) == "    " + words.substr(0, 16 * 6 + 15));
  CHECK(text.substr(text.find('\n')).starts_with("\n      µbcde µbcde"));
  const std::string table = wrapped("  --name N    " + words);
  CHECK(table.find("\n              µbcde") != std::string::npos);
  const std::string path(150, 'p');  // cannot be broken
  CHECK(wrapped("a " + path + " b") == "a " + path + "\n  b");
}

TEST_CASE("no line ends between a number and its unit") {
  const std::string words(86, 'x');
  CHECK(wrapped(words + " worse by 1.25 %") == words + " worse by\n  1.25 %");
  CHECK(wrapped(words + " in (1020 processors") == words + " in\n  (1020 processors");
  CHECK(wrapped(words + " in all 1.25 to 3") == words + " in all\n  1.25 to 3");
  CHECK(wrapped("Best           a " + words, 15) == "Best           a\n               " + words);
  std::string list = "processors";
  for (int i = 0; i < 40; ++i) {
    list += " 123";
  }
  CHECK(wrapped(list).find('\n') == std::string("processors").size() + 22 * 4);
}

TEST_CASE("one thing has no plural") {
  CHECK(counted(1, "processor") == "1 processor");
  CHECK(counted(0, "processor") == "0 processors");
  CHECK(counted(16384, "processor") == "16384 processors");
  CHECK(grouped(-1234567) == "-1\u202F234\u202F567");
  CHECK(grouped(999) == "999");
}

}  // namespace gridcast::report::test
