#include <fmt/format.h>

#include <cstdint>

#include "gridcast/rules/options.h"

namespace gridcast::model {
namespace {

/// Raised with every change of the model that changes a figure.
constexpr int rules_version = 4;

}  // namespace

ModelOptions together(ModelOptions options) {
  options.processes = ProcessKind::together;
  // Known without following messages, of the same number of rounds or more.
  if (options.reduction != ReductionKind::linear) {
    options.reduction = ReductionKind::tree;
  }
  return options;
}

std::string model_version(const ModelOptions& options) {
  // FNV-1a, 64 bits, over the rules' number and the options' text.
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : fmt::format("{} {}", rules_version, options.text())) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return fmt::format("{}-{:016x}", rules_version, hash);
}

}  // namespace gridcast::model
