/// Parameters that traces may leave out or fill with whatever was in memory: docs/functions.md says
/// which they are, and each is taken away here in turn.

#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "call_samples.h"

using namespace gridcast::trace;
using namespace gridcast::trace::test;

namespace {

/// One call kind of the table in docs/functions.md: what it needs (each entry a parameter or
/// several of which one is enough) and what it can do without. Results are marked with `->`.
struct Documented {
  std::vector<std::vector<std::string>> needed;
  std::set<std::string> optional;
  std::set<std::string> read;  ///< what the model looks at, without marks
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, '|');) {
    cells.push_back(cell);
  }
  return cells;
}

std::vector<std::string> words_in_ticks(const std::string& text) {
  static const std::regex word("`([^`]+)`");
  std::vector<std::string> words;
  for (std::sregex_iterator it(text.begin(), text.end(), word), end; it != end; ++it) {
    words.push_back((*it)[1]);
  }
  return words;
}

std::map<std::string, Documented> documented() {
  const std::string text =
      file_text(std::filesystem::path(GRIDCAST_SOURCE_DIR) / "docs" / "functions.md");
  const std::size_t begin = text.find("## Parameters");
  REQUIRE(begin != std::string::npos);
  std::istringstream lines(text.substr(begin));
  std::map<std::string, Documented> rows;
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() < 4 || cells[1].find('`') == std::string::npos) {
      continue;
    }
    Documented row;
    static const std::regex condition(R"(\([^)]*\))");  // when it is needed, or what serves instead
    std::istringstream needed(std::regex_replace(cells[2], condition, ""));
    for (std::string entry; std::getline(needed, entry, ',');) {
      const auto names = words_in_ticks(entry);
      if (!names.empty()) {
        row.needed.push_back(names);
      }
    }
    for (const std::string& name : words_in_ticks(cells[3])) {
      row.optional.insert(name);
    }
    const std::string used = cells[2] + cells[3].substr(0, cells[3].find("not used"));
    for (const std::string& name : words_in_ticks(used)) {
      row.read.insert(name.starts_with("->") ? name.substr(2) : name);
    }
    for (const std::string& function : words_in_ticks(cells[1])) {
      rows[function] = row;
    }
  }
  return rows;
}

/// The text without `NAME=value`, `NAME[0]=value`, …
std::string without(const std::string& text, const std::string& name) {
  return std::regex_replace(text, std::regex("\\b" + name + R"((\[\d+\])*\s*=\s*[^\s;]*;?)"), "");
}

/// The sample without parameters; `->NAME` is a result.
Sample reduced(Sample sample, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name.starts_with("->")) {
      sample.results = without(sample.results, name.substr(2));
    } else {
      sample.parameters = without(sample.parameters, name);
    }
  }
  return sample;
}

std::string outcome(const std::string& function, const Sample& sample) {
  return gridcast::trace::test::error_of(
      trace_of(sample.before + call(function, sample.parameters, sample.results)));
}

std::set<std::string> names_in(const std::string& text, const std::string& mark) {
  static const std::regex assignment(R"(([A-Za-z_]\w*)(\[\d+\])*\s*=)");
  std::set<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), assignment), end; it != end; ++it) {
    names.insert(mark + (*it)[1].str());
  }
  return names;
}

Call last_call(const std::string& calls) {
  const Program program = parse(calls);
  return program.calls.at(program.records.back().call);
}

/// A 64-bit number of no use, as uninitialised memory holds.
const std::string garbage = "94352019239488512";

}  // namespace

TEST_CASE("docs/functions.md lists the parameters of every call that has any") {
  std::set<std::string> in_docs;
  for (const auto& [function, row] : documented()) {
    in_docs.insert(function);
  }
  std::set<std::string> here;
  for (const auto& [function, sample] : samples()) {
    here.insert(function);
  }
  CHECK(in_docs == here);
}

TEST_CASE("docs/trace-format.md says what every parameter means, and its trace by hand is one") {
  const std::string page =
      file_text(std::filesystem::path(GRIDCAST_SOURCE_DIR) / "docs" / "trace-format.md");
  std::set<std::string> explained;
  static const std::regex name("`(->)?([A-Za-z]+)[`=\\[]");
  for (std::sregex_iterator it(page.begin(), page.end(), name), end; it != end; ++it) {
    explained.insert((*it)[2]);
  }
  for (const auto& [function, row] : documented()) {
    INFO(function);
    for (const std::string& parameter : row.read) {
      INFO(parameter);
      CHECK(explained.contains(parameter));
    }
  }
  const std::string mark = "cat > out/hand.ptr <<'END'\n";
  const std::size_t begin = page.find(mark) + mark.size();
  const Program program =
      parse_program(page.substr(begin, page.find("\nEND\n") + 1 - begin), "hand.ptr");
  CHECK(program.warnings.empty());
  CHECK(program.duration == 1.0);
  CHECK(program.records.size() == 13);
  CHECK(program.first_line == 1);
}

TEST_CASE(
    "a call is read without each of its optional parameters, and refused without a needed one") {
  const auto rows = documented();
  for (const auto& [function, sample] : samples()) {
    INFO(function);
    REQUIRE(rows.contains(function));
    const Documented& row = rows.at(function);
    CHECK(outcome(function, sample) == "no error");
    std::set<std::string> needed;
    for (const std::vector<std::string>& names : row.needed) {
      INFO("needed: " << names.front());
      CHECK_THAT(
          outcome(function, reduced(sample, names)),
          Catch::Matchers::StartsWith("t.ptr:") && Catch::Matchers::Contains(function + ": "));
      for (const std::string& name : names) {
        if (names.size() > 1) {
          CHECK(outcome(function, reduced(sample, {name})) == "no error");
        }
        needed.insert(name);
      }
    }
    std::set<std::string> written = names_in(sample.parameters, "");
    written.merge(names_in(sample.results, "->"));
    for (const std::string& name : written) {
      if (!needed.contains(name)) {
        INFO("optional: " << name);
        CHECK(row.optional.contains(name));
        CHECK(outcome(function, reduced(sample, {name})) == "no error");
      }
    }
    // All at once, too, and nothing is listed that a call does not have.
    CHECK(outcome(function, reduced(sample, {row.optional.begin(), row.optional.end()})) ==
          "no error");
    for (const std::string& name : row.optional) {
      INFO("listed: " << name);
      CHECK(written.contains(name));
    }
  }
}

TEST_CASE("temporary arrays of Fortran have no shadow edges") {
  const Sample& sample = samples().at("crtrda_");
  CHECK(last_call(call("crtrda_", sample.parameters, sample.results)) ==
        Call(CreateArray{0, {8, 9}, 8, {0, 0}, {0, 0}}));
}

TEST_CASE("what a whole dimension and a single element do not use is not read") {
  const std::string section =
      "FromInitIndexArray[0]=-1; FromInitIndexArray[1]=3;\n"
      "FromLastIndexArray[0]=" +
      garbage +
      "; FromLastIndexArray[1]=3;\n"
      "FromStepArray[0]=-" +
      garbage + "; FromStepArray[1]=" + garbage + ";";
  const std::string copy = "FromArrayHeader=1; FromArrayHandlePtr=2; ToBufferPtr=9;\n" + section;
  const Call expected = CopyArrays{{0, {-1, 3}, {-1, 3}, {1, 1}}, {}, no_object};
  CHECK(last_call(an_array + call("arrcpy_", copy)) == expected);
  // Whatever the memory held, it is the same call.
  CHECK(last_call(an_array + call("arrcpy_", std::regex_replace(copy, std::regex(garbage), "0"))) ==
        expected);
}

TEST_CASE("coefficients that an alignment does not use are not read") {
  const std::string lists =
      "AxisArray[0]=-1; AxisArray[1]=0;\n"
      "CoeffArray[0]=" +
      garbage + "; CoeffArray[1]=" + garbage +
      ";\n"
      "ConstArray[0]=" +
      garbage + "; ConstArray[1]=4;";
  const AlignmentRule rule{PatternKind::target, 0, {-1, 0}, {0, 0}, {0, 4}};
  const std::string pattern = "PatternRef=aa0 (AMView);\n" + lists;
  const std::string start = a_template + an_array + a_loop;
  const std::string named = "ArrayHeader=1; ArrayHandlePtr=2; ";
  CHECK(last_call(start + call("align_", named + pattern)) == Call(Align{0, rule}));
  CHECK(last_call(start + call("realn_", named + "NewSign=1; " + pattern)) ==
        Call(Realign{0, rule, true}));
  CHECK(last_call(start + call("mappl_", "LoopRef=b0; " + pattern +
                                             "\nInInitIndexArray[0]=0; InLastIndexArray[0]=7; "
                                             "InStepArray[0]=1;")) ==
        Call(MapLoop{0, rule, {0}, {7}, {1}}));
  CHECK(last_call(start +
                  call("crtrbl_", "RemArrayHeader=1; BufferHeader=77; LoopRef=b0;\n" + lists)) ==
        Call(CreateRemoteBuffer{0, 0, 0, {-1, 0}, {0, 0}, {0, 4}}));
  // A coefficient that is used must be one.
  CHECK_THAT(gridcast::trace::test::error_of(trace_of(
                 start + call("align_",
                              named + std::regex_replace(pattern, std::regex("AxisArray\\[1\\]=0"),
                                                         "AxisArray[1]=1")))),
             Catch::Matchers::Contains("CoeffArray=" + garbage));
}

TEST_CASE("the length of places counts for maxima and minima that have some") {
  const auto extra = [](const std::string& function, const std::string& places,
                        const std::string& length) {
    return std::get<CreateReduction>(
               last_call(call("crtred_",
                              "RedFuncNumb=" + function + "; RedArrayType=3; RedArrayLength=1; " +
                                  "LocArrayPtr=" + places + "; LocElmLength=" + length + ";",
                              "RedRef=d1;")))
        .extra;
  };
  CHECK(extra("3", "5a0", "8") == 8);
  CHECK(extra("4", "5a0", "16") == 16);
  CHECK(extra("3", "0", garbage) == 0);
  CHECK(extra("3", "0", "99999999999999999999999") == 0);
  CHECK(extra("1", "5a0", "-1") == 0);
  for (const std::string sum : {"1", "2", "5", "6", "7", "8"}) {
    CHECK(extra(sum, "5a0", garbage) == 0);
  }
}

TEST_CASE("a step of 0 makes a loop without iterations") {
  const Sample& sample = samples().at("mappl_");
  const auto& mapped = last_call(
      sample.before +
      call("mappl_", std::regex_replace(sample.parameters, std::regex("InStepArray\\[1\\]=1"),
                                        "InStepArray[1]=0")));
  CHECK(std::get<MapLoop>(mapped).last == Extents{7, -1});
  CHECK(std::get<MapLoop>(mapped).step == Extents{1, 1});
}

TEST_CASE("weights that are none are not missing ones") {
  const Program program = parse(a_template + call("setelw_", "AMViewRef=aa0; AddrNumber=0;") +
                                call("genblk_", "AMViewRef=aa0; AxisCount=0;"));
  CHECK(call_at(program, 1) == Call(SetWeights{0, no_object, {}, false}));
  CHECK(call_at(program, 2) == Call(SetBlockLengths{0, no_object, {}, false}));
  CHECK(program.warnings.empty());
}

TEST_CASE("types of single characters and of long long integers") {
  CHECK(
      std::get<CreateArray>(last_call(call("crtrda_", "ArrayHeader=1; TypeSize=0;\nSizeArray[0]=8;",
                                           "ArrayHandlePtr=2;")))
          .element_size == 1);
  CHECK(std::get<CreateReduction>(
            last_call(call("crtred_", "RedArrayType=8; RedArrayLength=1;", "RedRef=d1;")))
            .element_size == 8);
}
