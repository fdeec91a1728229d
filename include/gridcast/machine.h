#pragma once
/// Machines that programs are predicted on.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gridcast {
inline namespace v1 {

/// A machine as a .par file describes it. Copies share it; it may be used from several threads at a
/// time.
class Machine {
public:
  struct Data;  ///< private to the library
  explicit Machine(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  [[nodiscard]] const Data& data() const noexcept { return *data_; }

  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::int64_t processors() const;
  /// The .par file that describes it with its assignments.
  [[nodiscard]] std::string text() const;

private:
  std::shared_ptr<const Data> data_;
};

/// Reads a .par file and changes numbers in it in this order: {"mvs.TStart=5"} (docs/machines.md).
/// Throws std::runtime_error, whose text is one line: file, line, what is wrong, what was expected.
[[nodiscard]] Machine read_machine(const std::filesystem::path& file,
                                   const std::vector<std::string>& assignments = {});

}  // namespace v1
}  // namespace gridcast
