#pragma once
/// Programs to be predicted.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gridcast {
inline namespace v1 {

/// Options of the model by their names on the command line: {{"reduction", "tree"}}
/// (docs/commands.md, "Options of the model").
using Options = std::map<std::string, std::string, std::less<>>;

/// Values of the parameters of a description, in this order: {{"n", "1000"}}.
using Parameters = std::vector<std::pair<std::string, std::string>>;

/// A program compiled for predictions on any grid, with the options that hold for it. Copies share
/// it; it may be used from several threads at a time.
class Program {
public:
  struct Data;  ///< private to the library
  explicit Program(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  [[nodiscard]] const Data& data() const noexcept { return *data_; }

  /// What looked strange when it was read, one line each.
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept;

private:
  std::shared_ptr<const Data> data_;
};

/// Reads a program: a description (.toml), a trace (.ptr, .ptr.gz), or the traces of all processes
/// of one run. Throws std::runtime_error, whose text is one line: file, line, what is wrong, what
/// was expected.
[[nodiscard]] Program read_program(const std::vector<std::filesystem::path>& files,
                                   const Options& options = {}, const Parameters& parameters = {});

}  // namespace v1
}  // namespace gridcast
