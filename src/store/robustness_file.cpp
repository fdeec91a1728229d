#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>

#include "description_file.h"
#include "files.h"
#include "gridcast/base/error.h"
#include "gridcast/store/journal.h"
#include "gridcast/store/lock.h"
#include "gridcast/store/paths.h"
#include "gridcast/store/robustness.h"
#include "result_file.h"
#include "seal.h"
#include "writer_state.h"

namespace gridcast::store {
namespace {

constexpr const char* robust_group = "robust";
constexpr std::size_t robust_bytes = std::size_t{1} << 19U;
/// A machine has fewer numbers.
constexpr std::size_t most_entries = 1U << 20U;

void create_reals(const hdf5::Group& group, const char* name, const std::vector<double>& values) {
  const hdf5::Dataset dataset =
      hdf5::create_dataset(group, name, hdf5::Type::float64,
                           {{values.size()}, {std::max<hsize_t>(values.size(), 1)}, {true}});
  if (!values.empty()) {
    hdf5::write(dataset, hdf5::Type::float64, std::array<hsize_t, 1>{0},
                std::array<hsize_t, 1>{values.size()}, values.data());
  }
}

/// Members of a list of structs as columns.
template <class Element, class Value>
std::vector<Value> members(const std::vector<Element>& elements, Value Element::*member) {
  std::vector<Value> values(elements.size());
  std::ranges::transform(elements, values.begin(),
                         [member](const Element& each) { return each.*member; });
  return values;
}

/// Reads the group, and refuses what no writer wrote.
class RobustGroup {
public:
  explicit RobustGroup(const hdf5::File& file) : group_(hdf5::open_group(file, robust_group)) {}

  [[nodiscard]] const hdf5::Group& group() const noexcept { return group_; }

  [[nodiscard]] std::vector<double> reals(const char* name, std::size_t count) const {
    const hdf5::Dataset dataset = hdf5::open_dataset(group_, name, 0);
    if (hdf5::shape(dataset) != std::vector<hsize_t>{count}) {
      refuse(name);
    }
    std::vector<double> values(count);
    if (count > 0) {
      hdf5::read(dataset, hdf5::Type::float64, std::array<hsize_t, 1>{0},
                 std::array<hsize_t, 1>{count}, values.data());
    }
    if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
      refuse(name);
    }
    return values;
  }

  [[nodiscard]] std::vector<std::string> texts(const char* name,
                                               std::optional<std::size_t> count = {}) const {
    const std::vector<hsize_t> shape = hdf5::shape(hdf5::open_dataset(group_, name, 0));
    if (shape.size() != 1 || shape.front() > most_entries || (count && shape.front() != *count)) {
      refuse(name);
    }
    return read_strings(group_, name);
  }

  [[noreturn]] void refuse(const char* name) const {
    throw RunError(*group_.file(), std::string("/robust/") + name + " is not as it was written",
                   "delete the group /robust and use store repair");
  }

private:
  hdf5::Group group_;
};

}  // namespace

void ResultFile::write_robustness(const Robustness& found) {
  reserve_space(path_, robust_bytes);
  if (hdf5::exists(file_, robust_group)) {
    hdf5::remove(file_, robust_group);
  }
  const hdf5::Group group = hdf5::create_group(file_, robust_group);
  hdf5::write_attribute(group, "best", found.best);
  hdf5::write_attribute(group, "runner_up", found.runner_up);
  create_reals(group, "reach_precision_gap", {found.reach, found.precision, found.gap});
  create_strings(group, "number", members(found.numbers, &RobustNumber::name), nullptr);
  create_reals(group, "value", members(found.numbers, &RobustNumber::value));
  create_reals(group, "low", members(found.numbers, &RobustNumber::low));
  create_reals(group, "high", members(found.numbers, &RobustNumber::high));
  create_strings(group, "below", members(found.numbers, &RobustNumber::below), nullptr);
  create_strings(group, "above", members(found.numbers, &RobustNumber::above), nullptr);
  create_strings(group, "network", members(found.latency, &RobustLatency::network), nullptr);
  create_reals(group, "share", members(found.latency, &RobustLatency::share));
  create_reals(group, "times", members(found.latency, &RobustLatency::times));
}

std::optional<Robustness> ResultFile::robustness() const {
  if (!hdf5::exists(file_, robust_group)) {
    return std::nullopt;
  }
  const RobustGroup group(file_);
  Robustness found;
  found.best = hdf5::read_string_attribute(group.group(), "best");
  found.runner_up = hdf5::read_string_attribute(group.group(), "runner_up");
  constexpr std::size_t settings = 3;
  const std::vector<double> given = group.reals("reach_precision_gap", settings);
  found.reach = given[0];
  found.precision = given[1];
  found.gap = given[2];
  if (found.best.empty() || found.reach < 1.0 || found.precision <= 0.0) {
    group.refuse("reach_precision_gap");
  }
  const std::vector<std::string> names = group.texts("number");
  const std::size_t count = names.size();
  const auto values = group.reals("value", count);
  const auto lows = group.reals("low", count);
  const auto highs = group.reals("high", count);
  const auto below = group.texts("below", count);
  const auto above = group.texts("above", count);
  for (std::size_t i = 0; i < count; ++i) {
    if (lows[i] > values[i] || highs[i] < values[i]) {
      group.refuse("value");
    }
    found.numbers.push_back({names[i], values[i], lows[i], highs[i], below[i], above[i]});
  }
  const std::vector<std::string> networks = group.texts("network");
  const auto shares = group.reals("share", networks.size());
  const auto times = group.reals("times", networks.size());
  for (std::size_t i = 0; i < networks.size(); ++i) {
    found.latency.push_back({networks[i], shares[i], times[i]});
  }
  return found;
}

void add_robustness(const std::filesystem::path& path, const Robustness& found) {
  const std::filesystem::path file = resolve_links(path);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    throw InputError(path.string(), 0, "there is no such store", "check the path");
  }
  const StoreLock lock(file);
  if (std::filesystem::exists(journal_path(file), ignored)) {
    throw InputError(path.string(), 0, "its last run was killed",
                     "go on with --resume before its answer is examined");
  }
  static_cast<void>(ResultFile::open(file, hdf5::Access::read));  // with a whole seal
  const std::filesystem::path fresh = snapshot_path(file);
  try {
    copy_contents(file, fresh);
    remove_seal(fresh);
    ResultFile next = ResultFile::open(fresh, hdf5::Access::write);
    next.write_robustness(found);
    next.close();
    lock.require_held();
    publish_file(fresh, file, Disk::wait);
  } catch (...) {
    remove_quietly(fresh);
    throw;
  }
}

}  // namespace gridcast::store
