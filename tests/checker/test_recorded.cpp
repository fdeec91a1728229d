// Recorded traces, small ones, on random machines and grids against the naive model.

#include <zlib.h>

#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "compare.h"

namespace gridcast::checker {
namespace {

/// The text of a plain or compressed file in tests/data.
std::string recorded(const std::string& name) {
  const std::string path = std::string(GRIDCAST_SOURCE_DIR) + "/tests/data/" + name;
  const std::unique_ptr<gzFile_s, int (*)(gzFile_s*)> file(gzopen(path.c_str(), "rb"), gzclose);
  REQUIRE(file);
  std::string text;
  std::array<char, 1 << 16> part{};
  for (int length = 0; (length = gzread(file.get(), part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(length));
  }
  REQUIRE(!text.empty());
  return text;
}

}  // namespace

TEST_CASE("recorded traces on random machines agree with the naive model") {
  for (const char* const name :
       {"c_gauss_10.ptr.gz", "c_gausswb_10.ptr", "c_jac1d_8.ptr", "c_jac2d_8_e1.ptr",
        "c_lib_100.ptr.gz", "c_tsk_8.ptr.gz", "c_tsk_ra_8.ptr.gz", "f_jac_8.ptr.gz",
        "f_jacas_8.ptr.gz", "f_sor_10.ptr.gz", "f_tasks_8.ptr.gz", "v_c_tsk_8_ups4_np1.ptr.gz",
        "v_f_jac_8_ups2x2_np1x1.ptr.gz"}) {
    const std::string text = recorded(name);
    const int seeds = std::string(name) == "c_lib_100.ptr.gz" ? 2 : 10;
    for (int seed = 1; seed <= seeds; ++seed) {
      const Case tried = random_case_of(text, static_cast<std::uint64_t>(seed));
      if (const auto difference = difference_of(tried)) {
        FAIL(name << " seed " << seed << "\n" << *difference << tried.machine);
      }
    }
  }
}

}  // namespace gridcast::checker
