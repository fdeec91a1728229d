/// Command lines, one word per line, in a folder with a trace, a machine, a program, a design and a
/// store: every one must end with an exit code of the product. A first word "predictor" stands for
/// the historical program.

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/mpi/environment.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <vector>

#include "fuzz.h"
#include "gridcast/cli/app.h"
#include "gridcast/retrace/generate.h"
#include "gridcast/store/writer.h"

namespace {

using namespace gridcast;
namespace fs = std::filesystem;

constexpr std::string_view program_of_fuzzing = R"(
[[array]]
name = "A"
extents = [8, 8]
shadow = 1
distribute = ["block", "block"]
[[do]]
repeat = 2
  [[do.do]]
  exchange = ["A"]
  [[do.do]]
  loop = ["i = 1 : 6", "j = 1 : 6"]
  on = "A[i, j]"
  time = 1e-6
  reduce = [{ operation = "max" }]
)";
constexpr std::string_view machine_of_fuzzing =
    "cluster = c; c = {4 x p}; c.CommType = ethernet; c.TStart = 7; c.TByte = 0.004; p = 1;";
constexpr std::string_view design_of_fuzzing =
    "traces = [\"t.ptr\"]\nmachines = [\"m.par\"]\ngrids = [\"2x2\"]\n"
    "design = {kind = \"sobol\", runs = 2}\n[parameters]\nc.TStart = {linear = [1, 2]}\n";

/// A new folder, which is left for good: all names are relative to it.
void enter_folder() {
  std::string name = fuzz::scratch_file("XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr || chdir(name.c_str()) != 0) {
    std::abort();
  }
  // No command may fill the disk.
  constexpr rlim_t largest_file = rlim_t{1} << 22U;
  const rlimit limit{largest_file, largest_file};
  setrlimit(RLIMIT_FSIZE, &limit);
}

std::string trace_of_fuzzing() {
  std::ostringstream trace;
  trace::generate_trace(program_of_fuzzing, "g.toml", trace);
  return trace.str();
}

std::string store_of_fuzzing() {
  store::StoreWriter writer = store::StoreWriter::create("s.h5", {});
  writer.append(store::make_row(machine::Grid::parse("2x2"), 1.0, {}));
  writer.close();
  std::ifstream stream("s.h5", std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The same files before every command.
void lay_out_files() {
  static const std::string trace = trace_of_fuzzing();
  static const std::string stored = store_of_fuzzing();
  for (const fs::directory_entry& entry : fs::directory_iterator(".")) {
    fs::remove_all(entry.path());
  }
  fuzz::write_file("t.ptr", trace);
  fuzz::write_file("m.par", machine_of_fuzzing);
  fuzz::write_file("g.toml", program_of_fuzzing);
  fuzz::write_file("d.toml", design_of_fuzzing);
  fuzz::write_file("s.h5", stored);
}

/// Nothing may leave the folder, start other programs (record and tune do) or take hours for good
/// reasons.
bool is_harmless(const std::vector<std::string>& words) {
  constexpr std::size_t longest = 200;
  return std::ranges::none_of(words, [&](const std::string& word) {
    return word.find('/') != std::string::npos || word.find("..") != std::string::npos ||
           word == "record" || word == "tune" || word.size() > longest;
  });
}

}  // namespace

namespace gridcast::fuzz {

const bool of_lines = true;

bool use_input(const std::string& input) {
  static const boost::mpi::environment once_for_all_sweeps;
  static const bool entered = (enter_folder(), true);
  static_cast<void>(entered);
  std::vector<std::string> words;
  std::istringstream lines(input);
  for (std::string line; std::getline(lines, line);) {
    words.push_back(line.substr(0, line.find('\0')));
  }
  if (words.empty() || words.front() != "predictor") {
    words.insert(words.begin(), "gridcast");
  }
  if (!is_harmless(words)) {
    return false;
  }
  lay_out_files();
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  const int code = cli::run_gridcast(static_cast<int>(arguments.size()), arguments.data());
  if (code < 0 || code > 3) {
    std::abort();
  }
  return code == 0;
}

}  // namespace gridcast::fuzz
