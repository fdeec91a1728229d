#include "load_solver.h"

#include <dlfcn.h>

#include <string>

#include "gridcast/base/error.h"
#include "gridcast/base/program_file.h"
#include "gridcast/calibrate/fit.h"

namespace gridcast::calibrate {
namespace {

constexpr const char* solver_library = "libgridcast-solver.so";

[[noreturn]] void refuse(const std::string& file) {
  const char* const reason = dlerror();  // NOLINT(concurrency-mt-unsafe): of this thread
  throw InputError(file, 0, "cannot be loaded: " + std::string(reason == nullptr ? "" : reason),
                   "expected the solver of this gridcast, and the libraries of Ceres");
}

decltype(&gridcast_solve) loaded_solver() {
  const auto file = library_of_program(solver_library);
  if (!file) {
    throw InputError("this gridcast is without " + std::string(solver_library) +
                         ", which calibrate and gridcast-measure need",
                     "build it with Ceres and -DGRIDCAST_WITH_CALIBRATE=ON, or install the package "
                     "gridcast-calibrate");
  }
  void* const library = dlopen(file->c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    refuse(file->string());
  }
  void* const solve = dlsym(library, "gridcast_solve");
  if (solve == nullptr) {
    refuse(file->string());
  }
  return reinterpret_cast<decltype(&gridcast_solve)>(solve);
}

}  // namespace

decltype(&gridcast_solve) load_solver() {
  static const auto solve = loaded_solver();
  return solve;
}

void require_solver() { static_cast<void>(load_solver()); }

}  // namespace gridcast::calibrate
