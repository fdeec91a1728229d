#include "gridcast/figures/critical_path.h"

#include <array>
#include <cstddef>

namespace gridcast::model {

const char* name(PathKind kind) noexcept {
  constexpr std::array<const char*, 5> names{"work", "overhead", "latency", "bandwidth",
                                             "contention"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace gridcast::model
