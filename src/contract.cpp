#include "gridcast/contract.h"

#include <cstdio>
#include <cstdlib>

namespace gridcast::detail {

void contract_broken(const char* what, const std::source_location& place) noexcept {
  std::fprintf(stderr, "%s:%u: contract broken in %s: %s\n", place.file_name(),
               static_cast<unsigned>(place.line()), place.function_name(), what);
  std::abort();
}

}  // namespace gridcast::detail
