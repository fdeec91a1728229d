#include "gridcast/store/paths.h"

#include <system_error>

#include "gridcast/base/error.h"

namespace gridcast::store {

std::filesystem::path resolve_links(const std::filesystem::path& store) {
  // As many as the kernel follows.
  constexpr int most_links = 40;
  std::filesystem::path path = store;
  for (int link = 0; link < most_links; ++link) {
    std::error_code failed;
    const std::filesystem::path folder =
        std::filesystem::canonical(path.has_parent_path() ? path.parent_path() : ".", failed);
    if (failed || !path.has_filename()) {
      return path;  // whoever opens it says what is wrong
    }
    path = folder / path.filename();
    const std::filesystem::path target = std::filesystem::read_symlink(path, failed);
    if (failed) {
      return path;
    }
    path = folder / target;
  }
  throw InputError(store.string(), 0, "is a chain of links without an end",
                   "give the file that is meant");
}

}  // namespace gridcast::store
