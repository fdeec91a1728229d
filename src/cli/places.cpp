#include "places.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "gridcast/base/error.h"
#include "gridcast/farm/launched.h"

namespace gridcast::cli {
namespace {

/// What a name stands for: device and number of an existing file, the path of a future one.
struct Identity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;
  std::string path;
  auto operator<=>(const Identity&) const = default;
};

/// Nothing for what is written without being replaced: standard output, devices, pipes.
std::optional<Identity> identity_of(const std::string& file) {
  if (file.empty() || file == "-") {
    return std::nullopt;
  }
  struct stat found {};
  if (stat(file.c_str(), &found) == 0) {
    return S_ISREG(found.st_mode) ? std::optional(Identity{found.st_dev, found.st_ino, {}})
                                  : std::nullopt;
  }
  std::error_code error;
  const auto absolute = std::filesystem::absolute(file, error);
  const auto canonical = std::filesystem::weakly_canonical(absolute, error);
  return Identity{0, 0, error ? absolute.lexically_normal().string() : canonical.string()};
}

void require_store_name(const std::string& file) {
  if (file.empty()) {
    throw InputError("an empty name of a store", "expected the name of a file, as S.h5");
  }
}

}  // namespace

Places& Places::reads(const std::string& file) {
  inputs_.push_back(file);
  return *this;
}

Places& Places::reads(const std::vector<std::string>& files) {
  inputs_.insert(inputs_.end(), files.begin(), files.end());
  return *this;
}

Places& Places::reads_store(const std::string& file) {
  require_store_name(file);
  for (const char* ending : {"", ".journal", ".lock", ".progress"}) {
    inputs_.push_back(file + ending);
  }
  return *this;
}

Places& Places::writes(const char* option, const std::string& file) {
  options_.push_back(option);
  if (!file.empty()) {
    outputs_.push_back({option, file});
  }
  return *this;
}

Places& Places::writes_store(const std::string& file) {
  require_store_name(file);
  outputs_.push_back({"--store", file});
  for (const char* ending :
       {".journal", ".journal.new", ".next", ".tmp", ".lock", ".progress", ".progress.new"}) {
    outputs_.push_back({"--store (its " + std::string(ending) + ")", file + ending});
  }
  return *this;
}

void Places::require_usable() const {
  std::map<Identity, std::string> taken;
  for (const std::string& file : inputs_) {
    if (const std::optional<Identity> identity = identity_of(file)) {
      taken.try_emplace(*identity, "the input " + file);
    }
  }
  const Place* printed = nullptr;
  for (const Place& place : outputs_) {
    if (place.file == "-" && printed != nullptr) {
      throw InputError(printed->option + " - and " + place.option + " - at the same time",
                       "expected at most one result on standard output");
    }
    printed = place.file == "-" ? &place : printed;
    const std::optional<Identity> identity = identity_of(place.file);
    if (!identity) {
      continue;
    }
    const auto [other, is_new] = taken.try_emplace(*identity, place.option + " " + place.file);
    if (!is_new) {
      throw InputError(place.file, 0,
                       "would be written by " + place.option + " over " + other->second,
                       "expected a file of its own for each output");
    }
    if (!place.option.starts_with("--store") && sweep::launched_rank() == 0) {
      const Output writable(place.file);
    }
  }
}

Outputs Places::open() const {
  require_usable();
  Outputs outputs;
  for (const char* option : options_) {
    outputs.outputs_.try_emplace(option);
  }
  for (const Place& place : outputs_) {
    if (const auto wanted = outputs.outputs_.find(place.option); wanted != outputs.outputs_.end()) {
      wanted->second.emplace(place.file);
    }
  }
  return outputs;
}

bool Outputs::any() const noexcept {
  return std::ranges::any_of(outputs_, [](const auto& each) { return each.second.has_value(); });
}

}  // namespace gridcast::cli
