#include "gridcast/base/program_file.h"

#include <sys/auxv.h>

#include <system_error>

namespace gridcast {

std::filesystem::path program_file(const std::filesystem::path& link) {
  std::error_code error;
  std::filesystem::path file = std::filesystem::canonical(link, error);
  if (!error) {
    return file;
  }
  // What execve() was given: a shell has looked through PATH before. A relative name holds as long
  // as the current folder is that of the start.
  const unsigned long started = getauxval(AT_EXECFN);
  if (started == 0) {
    return {};
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives addresses as numbers
  file = std::filesystem::canonical(reinterpret_cast<const char*>(started), error);
  return error ? std::filesystem::path() : file;
}

std::optional<std::filesystem::path> library_of_program(const std::filesystem::path& name) {
  const std::filesystem::path own = program_file().parent_path();
  for (const std::filesystem::path& folder :
       {own, own.parent_path(), own.parent_path() / "lib" / "gridcast"}) {
    std::error_code error;
    if (std::filesystem::exists(folder / name, error)) {
      return folder / name;
    }
  }
  return std::nullopt;
}

}  // namespace gridcast
