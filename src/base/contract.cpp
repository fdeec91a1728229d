#include "gridcast/base/contract.h"

#include <cstdio>
#include <cstdlib>

namespace gridcast::detail {

void contract_broken(const char* what, const char* file, int line, const char* function) noexcept {
  std::fprintf(stderr, "%s:%d: contract broken in %s: %s\n", file, line, function, what);
  std::abort();
}

}  // namespace gridcast::detail
