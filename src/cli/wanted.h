#pragma once
#include <memory>
#include <string>

#include "output.h"

namespace gridcast::cli {

/// An output that an option may ask for: opened before the work begins, so that a place that cannot
/// be written shows first.
class Wanted {
public:
  /// Empty: not asked for.
  explicit Wanted(const std::string& place) {
    if (!place.empty()) {
      output_ = std::make_unique<Output>(place);
    }
  }

  [[nodiscard]] explicit operator bool() const noexcept { return output_ != nullptr; }

  template <class Write>
  void write(Write&& write) {
    if (output_) {
      write(output_->stream());
      output_->commit();
    }
  }

private:
  std::unique_ptr<Output> output_;
};

}  // namespace gridcast::cli
