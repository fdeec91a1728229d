#include "gridcast/farm/shared_jobs.h"

#include <boost/mpi/collectives/all_gather.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <stdexcept>
#include <string>

#include "gridcast/base/error.h"

namespace gridcast::sweep {
namespace {

/// What one rank has to say.
struct Done {
  std::vector<std::vector<double>> results;  ///< of its jobs, in their order
  bool failed = false;                       ///< a job has
  bool bad_input = false;                    ///< because of what the user gave
  std::string file, problem, remedy;         ///< as in InputError
  std::size_t line = 0;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& results& failed& bad_input& file& problem& remedy& line;
  }
};

Done run_own(const boost::mpi::communicator& world, std::size_t count,
             const std::function<std::vector<double>(std::size_t)>& job) {
  Done own;
  try {
    for (auto i = static_cast<std::size_t>(world.rank()); i < count;
         i += static_cast<std::size_t>(world.size())) {
      own.results.push_back(job(i));
    }
  } catch (const InputError& error) {
    own = {{}, true, true, error.file(), error.problem(), error.remedy(), error.line()};
  } catch (const std::exception& error) {
    own = {{}, true, false, {}, error.what(), {}, 0};
  }
  return own;
}

}  // namespace

std::vector<std::vector<double>> share_jobs(
    const boost::mpi::communicator& world, std::size_t count,
    const std::function<std::vector<double>(std::size_t)>& job) {
  std::vector<Done> all;
  boost::mpi::all_gather(world, run_own(world, count, job), all);
  for (const Done& each : all) {
    if (each.failed && each.bad_input) {
      throw InputError(each.file, each.line, each.problem, each.remedy);
    }
  }
  for (const Done& each : all) {
    if (each.failed) {
      throw std::runtime_error(each.problem);
    }
  }
  std::vector<std::vector<double>> results(count);
  const auto ranks = static_cast<std::size_t>(world.size());
  for (std::size_t i = 0; i < count; ++i) {
    results[i] = std::move(all[i % ranks].results[i / ranks]);
  }
  return results;
}

}  // namespace gridcast::sweep
