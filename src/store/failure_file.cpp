/// The group /failures.

#include <array>
#include <string>

#include "description_file.h"
#include "files.h"
#include "result_file.h"
#include "validation.h"

namespace gridcast::store {
namespace {

constexpr const char* failed_config = "config";
constexpr const char* cause = "cause";
/// Room for HDF5's own structures: with each failure, and with all of them.
constexpr std::size_t overhead_per_failure = 4096;
constexpr std::size_t failures_overhead = std::size_t{1} << 18U;

/// Stores of earlier versions have no causes.
FailureCause cause_named(const std::filesystem::path& path, const std::string& text) {
  for (const FailureCause known : {FailureCause::memory, FailureCause::lost}) {
    if (text == name(known)) {
      return known;
    }
  }
  require_no_trouble(path, text.empty() || text == name(FailureCause::prediction)
                               ? ""
                               : "a failure has a cause that is not known");
  return FailureCause::prediction;
}

}  // namespace

void ResultFile::create_failures(const hdf5::File& file) {
  const hdf5::Group group = hdf5::create_group(file, "failures");
  const hdf5::Layout layout{{0}, {64}, {true}};
  static_cast<void>(hdf5::create_dataset(group, failed_config, hdf5::Type::int64, layout));
  static_cast<void>(hdf5::create_dataset(group, "grid", hdf5::Type::string, layout));
  static_cast<void>(hdf5::create_dataset(group, "reason", hdf5::Type::string, layout));
  static_cast<void>(hdf5::create_dataset(group, cause, hdf5::Type::string, layout));
}

void ResultFile::write_failures(std::span<const Failure> failures) {
  std::size_t bytes = failures_overhead;
  std::vector<std::int64_t> configs;
  std::vector<std::string> grids;
  std::vector<std::string> reasons;
  std::vector<std::string> causes;
  for (const Failure& failure : failures) {
    configs.push_back(failure.config);
    grids.push_back(failure.grid);
    reasons.push_back(failure.reason);
    causes.emplace_back(name(failure.cause));
    bytes += 2 * (failure.grid.size() + failure.reason.size()) + overhead_per_failure;
  }
  if (!failures.empty()) {
    reserve_space(path_, bytes);
  }
  const hdf5::Group group = hdf5::open_group(file_, "failures");
  const hdf5::Dataset numbers = hdf5::open_dataset(group, failed_config, 0);
  const std::array<hsize_t, 1> count{failures.size()};
  hdf5::set_shape(numbers, count);
  if (!failures.empty()) {
    hdf5::write(numbers, hdf5::Type::int64, std::array<hsize_t, 1>{0}, count, configs.data());
  }
  hdf5::write_strings(hdf5::open_dataset(group, "grid", 0), grids);
  hdf5::write_strings(hdf5::open_dataset(group, "reason", 0), reasons);
  if (hdf5::exists(group, cause)) {  // stores of earlier versions have none
    hdf5::write_strings(hdf5::open_dataset(group, cause, 0), causes);
  } else {
    create_strings(group, cause, causes, nullptr);
  }
}

std::vector<Failure> ResultFile::failures() const {
  const hdf5::Group group = hdf5::open_group(file_, "failures");
  const std::vector<std::int64_t> configs = read_integers(group, failed_config);
  const std::vector<std::string> grids = read_strings(group, "grid");
  const std::vector<std::string> reasons = read_strings(group, "reason");
  const std::vector<std::string> causes = hdf5::exists(group, cause)
                                              ? read_strings(group, cause)
                                              : std::vector<std::string>(configs.size());
  require_length(group, configs.size(), {grids.size(), reasons.size(), causes.size()});
  std::vector<Failure> failures;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    failures.push_back({configs[i], grids[i], reasons[i], cause_named(path_, causes[i])});
    require_no_trouble(path_, trouble_with(failures.back()));
  }
  return failures;
}

}  // namespace gridcast::store
