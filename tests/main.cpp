#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

/// Open MPI keeps the files of all runs of a user in one folder: a run that ends removes it while
/// another one makes it, and that fails. Tests run side by side, so each has a folder of its own.
int main(int count, char** arguments) {
  std::string folder = (std::filesystem::temp_directory_path() / "gridcast-mpi-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) {
    std::perror(folder.c_str());
    return EXIT_FAILURE;
  }
  ::setenv("OMPI_MCA_orte_tmpdir_base", folder.c_str(), 1);
  const int code = Catch::Session().run(count, arguments);
  std::error_code gone;
  std::filesystem::remove_all(folder, gone);
  return code;
}
