/// What the analysis reads: tables of runs (t), nets (n), files of variants (v), as the first
/// character says. Every one must be read or refused with an error of one line; a net must be the
/// same when it is written and read again.

#include <sstream>

#include "fuzz.h"
#include "gridcast/design/factors.h"
#include "gridcast/nets/net.h"
#include "gridcast/variants/variants.h"

namespace {

using namespace gridcast;

constexpr std::size_t few_markings = 200;

void use_table(const std::filesystem::path& file) {
  const auto table = design::open_table(file);
  design::Question question;
  question.response = table->columns().empty() ? "" : table->columns().back();
  static_cast<void>(design::analyse_factors(*table, question, design::FactorMethod::automatic, {}));
}

void use_net(const std::filesystem::path& file) {
  const nets::Net net = nets::read_pnml(file);
  std::ostringstream out;
  nets::write_pnml(out, net);
  fuzz::write_file(file, out.str());
  nets::Net again = nets::read_pnml(file);
  again.name = net.name;
  if (!(again == net)) {
    std::abort();
  }
  static_cast<void>(nets::reachable_markings(net, few_markings));
}

/// The program and the machine that files of variants name.
void write_program(const std::filesystem::path& folder) {
  fuzz::write_file(folder / "mhd_program.toml", R"(
[parameters]
n = 8
steps = 2
[[array]]
name = "U"
extents = ["n", "n", "n"]
shadow = 1
distribute = ["block", "block", "block"]
[[do]]
repeat = "steps"
  [[do.do]]
  label = "edges"
  exchange = ["U"]
  [[do.do]]
  label = "work"
  loop = ["i = 0 : n-1", "j = 0 : n-1", "k = 0 : n-1"]
  on = "U[i, j, k]"
  ops = {add = 2}
  [[do.do]]
  branch = "converged"
    [[do.do.case]]
    probability = 0.5
    [[do.do.case.do]]
    compute = 1e-6
)");
  fuzz::write_file(folder / "mvs100k.par", "cluster = c; c = {8 x p}; c.CommType = ports; p = 1;");
}

/// A folder with them, made once.
const std::filesystem::path& folder() {
  static const std::filesystem::path path = [] {
    const std::filesystem::path made = fuzz::scratch_file("analysis");
    std::filesystem::create_directory(made);
    write_program(made);
    return made;
  }();
  return path;
}

}  // namespace

namespace gridcast::fuzz {

const bool of_lines = true;

bool use_input(const std::string& input) {
  return accepted(input, [](const std::string& text) {
    const char kind = text.empty() ? 't' : text.front();
    const std::string_view rest = std::string_view(text).substr(text.empty() ? 0 : 1);
    const std::filesystem::path file = folder() / "input";
    write_file(file, rest);
    if (kind == 'n') {
      use_net(file);
    } else if (kind == 'v') {
      static_cast<void>(variants::read_variants(file, {}));
    } else {
      use_table(file);
    }
  });
}

}  // namespace gridcast::fuzz
