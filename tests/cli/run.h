#pragma once
/// Runs the built executables as a user does.

#include <filesystem>
#include <string>
#include <vector>

#include "process.h"

namespace gridcast::cli::test {

/// What a program left behind when it ended.
struct Run {
  int exit_code = -1;  ///< 128 + n if signal n ended it
  std::string out;     ///< standard output
  std::string err;     ///< standard error
};

using support::Setting;

[[nodiscard]] Run run(const std::vector<std::string>& words, const Setting& setting = {});

/// `gridcast WORDS...`.
[[nodiscard]] Run run_gridcast(std::vector<std::string> words, const Setting& setting = {});

/// `predictor WORDS...`.
[[nodiscard]] Run run_predictor(std::vector<std::string> words, const Setting& setting = {});

/// Whether the program ended with this code and exactly one line on stderr, "gridcast: ..." with
/// all of these texts in it, and nothing on standard output.
[[nodiscard]] bool failed_with(const Run& run, int exit_code,
                               const std::vector<std::string>& texts);

/// A scratch directory whose files are words of a command line.
class TemporaryDirectory : public support::ScratchDirectory {
public:
  [[nodiscard]] std::string operator/(const std::string& name) const { return path() / name; }
};

void write_file(const std::filesystem::path& path, const std::string& text);
[[nodiscard]] std::string file_text(const std::filesystem::path& path);
[[nodiscard]] std::vector<std::string> names_in(const std::filesystem::path& directory);

/// Files of the source tree.
[[nodiscard]] std::string config(const std::string& name);
[[nodiscard]] std::string example(const std::string& name);
[[nodiscard]] std::string data(const std::string& name);

/// The shipped trace that most tests use.
inline const std::string jacobi = example("jacobi2d_10000x10.ptr.gz");

/// Whether `part` stands somewhere in the text.
[[nodiscard]] inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A short complete trace with these lines as its calls.
[[nodiscard]] std::string trace_text(const std::string& calls);

/// The lines of one call: 1 s before it, 0.25 s in it.
[[nodiscard]] std::string call(const std::string& name, const std::string& parameters = {},
                               const std::string& results = {});

}  // namespace gridcast::cli::test
