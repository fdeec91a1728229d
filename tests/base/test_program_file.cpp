#include <catch2/catch.hpp>
#include <filesystem>

#include "gridcast/base/program_file.h"

using namespace gridcast;

TEST_CASE("the program is found without /proc") {
  const std::filesystem::path file = program_file("/proc/self/exe");
  CHECK(file.filename() == "test_base");
  CHECK(program_file("/nowhere/exe") == file);
}

TEST_CASE("libraries are found beside the program, and one folder above it") {
  const std::filesystem::path file = program_file();
  CHECK(library_of_program(file.filename()) == file);
  const auto above = library_of_program(file.parent_path().filename());
  REQUIRE(above);
  CHECK(std::filesystem::equivalent(*above, file.parent_path()));
  CHECK_FALSE(library_of_program("libnowhere.so"));
}
