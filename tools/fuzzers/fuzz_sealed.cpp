/// Stores with a right seal. An input is a list of changes, eight or more bytes each, that are made
/// to a sound store through HDF5: values of any dataset, lengths, texts, attributes, links; then
/// the file is sealed. Every command must use or refuse what is left, and what is called sound must
/// be readable with numbers that are finite.

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "../../src/store/seal.h"
#include "fuzz.h"
#include "gridcast/store/reader.h"
#include "gridcast/store/repair.h"
#include "gridcast/store/writer.h"

namespace {

using namespace gridcast;
using namespace gridcast::store;

/// Takes bytes off an input; zeros at its end.
class Bytes {
public:
  explicit Bytes(const std::string& text) : rest_(text) {}
  [[nodiscard]] bool empty() const { return rest_.empty(); }
  template <class Value>
  Value take() {
    Value value{};
    const std::size_t size = std::min(sizeof value, rest_.size());
    std::memcpy(&value, rest_.data(), size);
    rest_.remove_prefix(size);
    return value;
  }
  std::string take_text() {
    const std::size_t size = std::min<std::size_t>(take<std::uint8_t>(), rest_.size());
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text.substr(0, text.find('\0'));
  }

private:
  std::string_view rest_;
};

std::filesystem::path fuzzed_store() {
  static const std::filesystem::path folder = fuzz::scratch_file("sealed");
  std::filesystem::create_directory(folder);
  return folder / "s.h5";
}

StoreSetup sound_setup() {
  StoreSetup setup;
  setup.description.model_version = "m";
  setup.description.mode = 4;
  setup.description.objective = "time";
  setup.description.options = "{}";
  setup.description.machine = "p = 1;";
  setup.description.trace_sha256 = "00ff";
  setup.description.traces = {"a.ptr"};
  setup.extra_columns = {{"variant", "1", "of the machine", ColumnType::int64},
                         {"TStart", "us", "of the network", ColumnType::float64}};
  setup.intervals = {{}, {0, 1, trace::IntervalType::sequential, 3, "a.f", 7, 1}};
  setup.interval_results = true;
  setup.chunk_rows = 8;
  return setup;
}

/// A sound store with something in every group.
const std::string& sound_store() {
  static const std::string bytes = [] {
    const std::filesystem::path path = fuzzed_store();
    {
      StoreWriter writer = StoreWriter::create(path, sound_setup(), {Durability::none, {}});
      for (std::int64_t i = 1; i <= 20; ++i) {
        const std::array<std::int64_t, 2> extents{i, 2};
        const std::array<double, 2> extras{1.0, 0.5 * static_cast<double>(i)};
        model::Characteristics figures;
        figures.execution_time = 1.0 / static_cast<double>(i);
        const std::vector<model::Characteristics> intervals(2, figures);
        const ResultRow row = make_row(machine::Grid(extents), 1.0, figures);
        if (i == 5) {
          writer.append_failure(row, "too small", extras);
        } else {
          writer.append(row, extras, intervals);
        }
      }
      writer.keep_proof({64, 3, {{{{1, 1, 1, 1}, {4, 4, 1, 1}}, 0.25}}});
      writer.close();
    }
    std::ifstream stream(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  }();
  return bytes;
}

/// Closes what HDF5 gave.
struct Open {
  hid_t id;
  herr_t (*close)(hid_t);
  Open(hid_t given, herr_t (*closer)(hid_t)) : id(given), close(closer) {}
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
  ~Open() {
    if (id >= 0) {
      close(id);
    }
  }
};

herr_t note_dataset(hid_t, const char* name, const H5O_info_t* about, void* names) {
  if (about->type == H5O_TYPE_DATASET) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  }
  return 0;
}

std::vector<std::string> datasets_of(hid_t file) {
  std::vector<std::string> names;
  H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, note_dataset, &names, H5O_INFO_BASIC);
  return names;
}

/// A number that is interesting for its kind, or any.
double odd_number(Bytes& input) {
  constexpr std::array<double, 16> numbers{0.0,          -1.0,         1.0,    2.0,   3.0, 64.0,
                                           2147483647.0, 4294967296.0, 1e18,   4e18,  NAN, INFINITY,
                                           -INFINITY,    1e308,        -1e300, 5e-324};
  const auto which = input.take<std::uint8_t>();
  return which < numbers.size() ? numbers[which] : input.take<double>();
}

void change_value(hid_t file, const std::string& name, Bytes& input) {
  const Open dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  const Open space(H5Dget_space(dataset.id), H5Sclose);
  const Open type(H5Dget_type(dataset.id), H5Tclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.id);
  if (count <= 0) {
    return;
  }
  std::array<hsize_t, 2> shape{1, 1};
  const int rank = H5Sget_simple_extent_dims(space.id, shape.data(), nullptr);
  const hsize_t at = input.take<std::uint16_t>() % static_cast<hsize_t>(count);
  const std::array<hsize_t, 2> point{rank > 1 ? at / shape[1] : at, rank > 1 ? at % shape[1] : 0};
  H5Sselect_elements(space.id, H5S_SELECT_SET, 1, point.data());
  const Open one(H5Screate(H5S_SCALAR), H5Sclose);
  if (H5Tis_variable_str(type.id) > 0) {
    const std::string text = input.take_text();
    const char* const data = text.c_str();
    H5Dwrite(dataset.id, type.id, one.id, space.id, H5P_DEFAULT, &data);
  } else if (H5Tget_class(type.id) == H5T_FLOAT) {
    const double number = odd_number(input);
    H5Dwrite(dataset.id, H5T_NATIVE_DOUBLE, one.id, space.id, H5P_DEFAULT, &number);
  } else {
    const auto number = input.take<std::int64_t>();
    H5Dwrite(dataset.id, H5T_NATIVE_INT64, one.id, space.id, H5P_DEFAULT, &number);
  }
}

void change_length(hid_t file, const std::string& name, Bytes& input) {
  const Open dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  const Open space(H5Dget_space(dataset.id), H5Sclose);
  std::array<hsize_t, 2> shape{1, 1};
  H5Sget_simple_extent_dims(space.id, shape.data(), nullptr);
  const auto shift = input.take<std::uint8_t>();
  shape[0] = shift < 64 ? hsize_t{1} << shift : shift % 32;
  H5Dset_extent(dataset.id, shape.data());
}

void change_attribute(hid_t file, Bytes& input) {
  const auto number = input.take<std::uint8_t>();
  const Open attribute(
      H5Aopen_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, number % 24, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  if (attribute.id < 0) {
    return;
  }
  const Open type(H5Aget_type(attribute.id), H5Tclose);
  if (H5Tis_variable_str(type.id) > 0) {
    const std::string text = input.take_text();
    const std::vector<const char*> data(8, text.c_str());
    H5Awrite(attribute.id, type.id, data.data());
  } else if (H5Tget_class(type.id) == H5T_INTEGER) {
    const std::vector<std::int64_t> data(8, input.take<std::int64_t>());
    H5Awrite(attribute.id, H5T_NATIVE_INT64, data.data());
  }
}

void change_link(hid_t file, const std::string& name, const std::string& other, unsigned how) {
  const std::string target = "/" + other;
  if (how % 2 == 0) {
    H5Ldelete(file, name.c_str(), H5P_DEFAULT);
  }
  if (how % 3 == 0) {
    H5Lcreate_soft(target.c_str(), file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  } else if (how % 3 == 1) {
    H5Lcreate_external("/etc/hostname", target.c_str(), file, name.c_str(), H5P_DEFAULT,
                       H5P_DEFAULT);
  } else {
    H5Lcreate_hard(file, target.c_str(), file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  }
}

void change_store(const std::filesystem::path& path, const std::string& text) {
  Bytes input(text);
  const Open access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.id, false, true);
  const Open file(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.id), H5Fclose);
  for (int changes = 0; changes < 16 && !input.empty(); ++changes) {
    const std::vector<std::string> names = datasets_of(file.id);
    if (names.empty()) {
      return;
    }
    const auto kind = input.take<std::uint8_t>();
    const std::string& name = names[input.take<std::uint8_t>() % names.size()];
    if (kind < 160) {
      change_value(file.id, name, input);
    } else if (kind < 190) {
      change_length(file.id, name, input);
    } else if (kind < 230) {
      change_attribute(file.id, input);
    } else {
      change_link(file.id, name, names[input.take<std::uint8_t>() % names.size()], kind);
    }
  }
}

/// What is sound can be read, and has no number that is none.
void read_sound(const std::filesystem::path& path) {
  const bool intervals = StoreReader(path).about().setup.interval_results;
  const Store read = read_store(path, intervals);
  for (const ResultRow& row : read.table.rows) {
    if (!std::isfinite(row.characteristics.execution_time) ||
        row.grid().processors() != row.processors) {
      std::abort();
    }
  }
}

void use_store(const std::filesystem::path& path) {
  const bool sound = inspect_store(path).sound;
  bool readable = false;
  try {
    read_sound(path);
    readable = true;
    StoreWriter::resume(path, sound_setup(), FailedRows::keep, {Durability::none, {}}).close();
  } catch (const InputError&) {
  } catch (const RunError&) {
  }
  // A best grid that is no row can be read, and is not sound.
  if (sound && !readable) {
    std::abort();
  }
  if (!sound) {
    static_cast<void>(repair_store(path));
    if (!inspect_store(path).sound) {
      std::abort();
    }
  }
}

}  // namespace

namespace gridcast::fuzz {

const bool of_lines = false;

bool use_input(const std::string& input) {
  const std::string& whole = sound_store();
  const std::filesystem::path path = fuzzed_store();
  std::filesystem::remove_all(path.parent_path());
  std::filesystem::create_directory(path.parent_path());
  write_file(path, whole);
  return accepted(input, [&](const std::string& text) {
    remove_seal(path);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    change_store(path, text);
    add_seal(path, 0);
    use_store(path);
  });
}

}  // namespace gridcast::fuzz
