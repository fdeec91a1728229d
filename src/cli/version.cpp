#include "version.h"

#include <fmt/format.h>
#include <hdf5.h>
#include <mpi.h>
#include <openssl/crypto.h>
#include <spdlog/version.h>
#include <toml++/toml.h>
#include <zlib.h>

#include <CLI/Version.hpp>
#include <boost/version.hpp>
#include <string_view>

#include "gridcast/rules/options.h"
#include "gridcast/store/description.h"

namespace gridcast::cli {
namespace {

std::string hdf5_version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

/// The library names itself in its first words; what follows says how it was built.
std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string_view all(text, static_cast<std::size_t>(length));
  return std::string(all.substr(0, all.find_first_of(",\n")));
}

}  // namespace

std::string version() { return GRIDCAST_VERSION; }

std::string version_text() {
  std::string text = fmt::format("gridcast {} (model {}, store schema {})\n", version(),
                                 model::model_version(), store::schema_name);
  const auto add = [&text](std::string_view library, std::string_view number) {
    text += fmt::format("  {:<8} {}\n", library, number);
  };
  add("HDF5", hdf5_version());
  add("MPI", mpi_version());
  add("Boost", fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000,
                           BOOST_VERSION % 100));
  add("zlib", zlibVersion());
  add("OpenSSL", OpenSSL_version(OPENSSL_VERSION));
  add("fmt",
      fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100));
  add("spdlog", fmt::format("{}.{}.{}", SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH));
  add("CLI11", CLI11_VERSION);
  add("toml++", fmt::format("{}.{}.{}", TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH));
  return text;
}

}  // namespace gridcast::cli
