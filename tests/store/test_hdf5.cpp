#include <catch2/catch.hpp>

#include "gridcast/base/error.h"
#include "gridcast/store/hdf5.h"
#include "sample.h"

using namespace gridcast;
using namespace gridcast::store;
using namespace gridcast::store::testing;

namespace {

herr_t own_handler(hid_t, void*) { return 0; }

}  // namespace

TEST_CASE("a failed call names the file and HDF5's reason on one line") {
  const TemporaryDirectory directory;
  const auto path = directory / "no/F.h5";
  const std::string message = message_of<RunError>([&] { (void)hdf5::create_file(path); });
  REQUIRE_THAT(message, Catch::StartsWith(path.string() + ": cannot create the file: "));
  REQUIRE_THAT(message, Catch::Contains("No such file or directory"));
  REQUIRE(message.find('\n') == std::string::npos);
}

TEST_CASE("HDF5's error handler is as it was after a failed call") {
  H5E_auto2_t before = nullptr;
  void* before_data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &before_data);
  int data = 0;
  H5Eset_auto2(H5E_DEFAULT, own_handler, &data);
  REQUIRE_THROWS_AS(hdf5::open_file("/none/F.h5", hdf5::Access::read), RunError);
  H5E_auto2_t after = nullptr;
  void* after_data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &after, &after_data);
  H5Eset_auto2(H5E_DEFAULT, before, before_data);
  REQUIRE(after == own_handler);
  REQUIRE(after_data == &data);
}

TEST_CASE("attributes of all kinds are read back, the last value counts") {
  const TemporaryDirectory directory;
  const auto path = directory / "F.h5";
  // Longer than the 64 KiB that an attribute can hold by itself.
  const std::string long_text(200'000, 'x');
  {
    hdf5::File file = hdf5::create_file(path);
    hdf5::write_attribute(file, "n", std::int64_t{1});
    hdf5::write_attribute(file, "n", std::int64_t{-9007199254740993});
    hdf5::write_attribute(file, "empty", "");
    hdf5::write_attribute(file, "long", long_text);
    hdf5::write_attribute(file, "list", std::vector<std::string>{"a", "", "größe"});
    hdf5::write_attribute(file, "none", std::vector<std::string>{});
    hdf5::close(std::move(file));
  }
  const hdf5::File file = hdf5::open_file(path, hdf5::Access::read);
  REQUIRE(hdf5::read_integer_attribute(file, "n") == -9007199254740993);
  REQUIRE(hdf5::read_string_attribute(file, "empty").empty());
  REQUIRE(hdf5::read_string_attribute(file, "long") == long_text);
  REQUIRE(hdf5::read_strings_attribute(file, "list") == std::vector<std::string>{"a", "", "größe"});
  REQUIRE(hdf5::read_strings_attribute(file, "none").empty());
  REQUIRE_FALSE(hdf5::has_attribute(file, "m"));
  REQUIRE_THROWS_AS(hdf5::read_integer_attribute(file, "m"), RunError);
}
