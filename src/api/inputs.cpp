/// Reading of programs and machines, and grids.

#include <utility>

#include "api.h"
#include "gridcast/base/error.h"
#include "gridcast/compile/compile.h"
#include "gridcast/retrace/merge.h"

namespace gridcast {
inline namespace v1 {

machine::Grid inner(const Grid& grid) {
  const std::vector<std::int64_t> extents(grid.extents.begin(), grid.extents.end());
  if (grid.threads < 1) {
    throw InputError("a process of " + std::to_string(grid.threads) + " threads",
                     "expected 1 or more");
  }
  return machine::Grid(extents).with_threads(grid.threads);
}

Grid outer(const machine::Grid& grid) {
  return {{grid.extents().begin(), grid.extents().end()}, grid.threads()};
}

Grid Grid::parse(std::string_view text) { return outer(machine::Grid::parse(text)); }

std::string Grid::text() const { return inner(*this).text(); }

const std::vector<std::string>& Program::warnings() const noexcept { return data().warnings; }

Program read_program(const std::vector<std::filesystem::path>& files, const Options& options,
                     const Parameters& parameters) {
  const trace::Program read = trace::read_run(files, model::read_options(options), parameters);
  model::Compiled compiled = model::compile(read);
  return Program(std::make_shared<Program::Data>(Program::Data{
      std::move(compiled.script), model::resolve(options, read), std::move(compiled.warnings)}));
}

std::string Machine::name() const { return data().cluster.name(); }
std::int64_t Machine::processors() const { return data().cluster.processors(); }
std::string Machine::text() const { return data().cluster.text(); }

Machine read_machine(const std::filesystem::path& file,
                     const std::vector<std::string>& assignments) {
  machine::Cluster cluster = machine::Cluster::read(file);
  for (const std::string& assignment : assignments) {
    cluster.set(assignment);
  }
  return Machine(std::make_shared<Machine::Data>(Machine::Data{std::move(cluster)}));
}

}  // namespace v1
}  // namespace gridcast
