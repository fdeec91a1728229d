#include <catch2/catch.hpp>

#include "run.h"

using namespace gridcast::cli::test;

TEST_CASE("no command gives results of a damaged store, it is checked, repaired and resumed") {
  const TemporaryDirectory directory;
  const std::string store = directory / "s.h5";
  const std::vector<std::string> sweep{
      "sweep", jacobi,   "--machine", config("mvs.par"),  "--store",
      store,   "--mode", "3",         "--max-processors", "16"};
  REQUIRE(run_gridcast(sweep).exit_code == 0);
  const std::string table = run_gridcast({"export", store, "--csv", "-"}).out;
  CHECK(run_gridcast({"store", "check", store}).exit_code == 0);

  std::string bytes = file_text(store);
  bytes[bytes.size() / 3] = static_cast<char>(bytes[bytes.size() / 3] ^ 0x20);
  write_file(store, bytes);
  const std::vector<std::string> expected{"s.h5: is damaged", "gridcast store repair"};
  CHECK(failed_with(run_gridcast({"status", store}), 1, expected));
  CHECK(failed_with(run_gridcast({"export", store, "--csv", directory / "t.csv"}), 1, expected));
  CHECK(failed_with(run_gridcast({"report", store, "--html", directory / "r.html"}), 1, expected));
  CHECK(failed_with(run_gridcast({"merge", store, "--store", directory / "m.h5"}), 1, expected));
  std::vector<std::string> resume = sweep;
  resume.emplace_back("--resume");
  CHECK(failed_with(run_gridcast(resume), 1, expected));
  CHECK(file_text(store) == bytes);
  CHECK(names_in(directory.path()) == std::vector<std::string>{"s.h5"});

  const Run check = run_gridcast({"store", "check", store});
  CHECK(check.exit_code == 1);
  CHECK(contains(check.out, "s.h5: damaged: its bytes are not those that were written\n"));
  const Run repair = run_gridcast({"store", "repair", store});
  INFO(repair.err);
  REQUIRE(repair.exit_code == 0);
  CHECK(contains(repair.out, "repaired, "));
  CHECK(file_text(store + ".damaged") == bytes);
  CHECK(run_gridcast({"store", "check", store}).exit_code == 0);
  CHECK(run_gridcast(resume).exit_code == 0);
  CHECK(run_gridcast({"export", store, "--csv", "-"}).out == table);
}

TEST_CASE("what is no store is neither checked nor repaired") {
  const TemporaryDirectory directory;
  write_file(directory / "s.h5", "nothing of a store");
  for (const char* part : {"check", "repair"}) {
    CHECK(failed_with(run_gridcast({"store", part, directory / "s.h5"}), 2,
                      {"s.h5: is not an HDF5 file"}));
    CHECK(failed_with(run_gridcast({"store", part, directory / "none.h5"}), 2,
                      {"there is no such store"}));
  }
  CHECK(names_in(directory.path()) == std::vector<std::string>{"s.h5"});
}
