#include "gridcast/farm/shared_jobs.h"

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

#include "exchange.h"
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

template <class T>
Message packed_jobs(const T& value) {
  std::ostringstream stream;
  boost::archive::binary_oarchive(stream) << value;
  const std::string text = stream.str();
  return {text.begin(), text.end()};
}

template <class T>
T unpacked_jobs(const Message& message) {
  std::istringstream stream(std::string(message.begin(), message.end()));
  T value;
  boost::archive::binary_iarchive(stream) >> value;
  return value;
}

/// What each rank has to say, on every rank.
std::vector<Done> exchanged(const boost::mpi::communicator& world, const Done& own) {
  std::vector<Done> all;
  for (const Message& each : collect(world, packed_jobs(own))) {
    all.push_back(unpacked_jobs<Done>(each));
  }
  return unpacked_jobs<std::vector<Done>>(hand_out(world, packed_jobs(all)));
}

}  // namespace

std::vector<std::vector<double>> share_jobs(
    const boost::mpi::communicator& world, std::size_t count,
    const std::function<std::vector<double>(std::size_t)>& job) {
  std::vector<Done> all = exchanged(world, run_own(world, count, job));
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
