#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>

#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"
#include "gridcast/base/toml_limits.h"
#include "gridcast/record/recording.h"

namespace gridcast::record {
namespace {

constexpr std::int64_t manifest_version = 1;

/// The keys of a manifest, each with what it must be.
class ManifestReader {
public:
  ManifestReader(const toml::table& table, const std::string& name) : table_(table), name_(name) {}

  Manifest read() {
    if (const std::int64_t version = required<std::int64_t>("version", "a number");
        version != manifest_version) {
      throw InputError(
          name_, 0, fmt::format("version {} of a recording", version),
          fmt::format("this gridcast reads version {}; record again with it", manifest_version));
    }
    Manifest manifest;
    const std::string run = required<std::string>("run", "16 hexadecimal digits");
    if (run.size() != 16 || run.find_first_not_of("0123456789abcdef") != std::string::npos) {
      bad("run", "16 hexadecimal digits");
    }
    manifest.run = std::stoull(run, nullptr, 16);
    manifest.grid = machine::Grid::parse(required<std::string>("grid", "a grid such as \"2x2\""));
    for (const toml::node& each : array("extents")) {
      const std::optional<std::int64_t> extent = each.value_exact<std::int64_t>();
      if (!extent || *extent < 1) {
        bad("extents", "numbers of 1 or more");
      }
      manifest.extents.push_back(*extent);
    }
    for (const toml::node& each : array("command")) {
      const std::optional<std::string> word = each.value_exact<std::string>();
      if (!word) {
        bad("command", "words");
      }
      manifest.command.push_back(*word);
    }
    if (const toml::node* code = table_.get("exit_code")) {
      const std::optional<std::int64_t> value = code->value_exact<std::int64_t>();
      if (!value || *value < 0 || *value > 255) {
        bad("exit_code", "0 to 255");
      }
      manifest.exit_code = static_cast<int>(*value);
    }
    return manifest;
  }

private:
  [[noreturn]] void bad(const char* key, const char* expected) const {
    throw InputError(name_, 0, fmt::format("no valid `{}`", key),
                     fmt::format("expected {}", expected));
  }

  template <class Value>
  Value required(const char* key, const char* expected) const {
    const toml::node* node = table_.get(key);
    const std::optional<Value> value = node == nullptr ? std::nullopt : node->value_exact<Value>();
    if (!value) {
      bad(key, expected);
    }
    return *value;
  }

  const toml::array& array(const char* key) const {
    static const toml::array none;
    const toml::node* node = table_.get(key);
    if (node == nullptr) {
      return none;
    }
    if (!node->is_array()) {
      bad(key, "an array");
    }
    return *node->as_array();
  }

  const toml::table& table_;
  const std::string& name_;
};

std::filesystem::path rank_path(const std::filesystem::path& folder, std::int64_t rank) {
  return folder / fmt::format("rank-{}.gcr", rank);
}

}  // namespace

std::string manifest_text(const Manifest& manifest) {
  std::string text = fmt::format("version = {}\nrun = \"{:016x}\"\ngrid = \"{}\"\n",
                                 manifest_version, manifest.run, manifest.grid.text());
  if (!manifest.extents.empty()) {
    text += fmt::format("extents = [{}]\n", fmt::join(manifest.extents, ", "));
  }
  std::vector<std::string> words;
  words.reserve(manifest.command.size());
  for (const std::string& word : manifest.command) {
    words.push_back(json_quoted(word));
  }
  text += fmt::format("command = [{}]\n", fmt::join(words, ", "));
  return manifest.exit_code ? text + fmt::format("exit_code = {}\n", *manifest.exit_code) : text;
}

Manifest parse_manifest(std::string_view text, const std::string& name) {
  require_shallow_toml(text, name);
  toml::table table;
  try {
    table = toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw InputError(name, error.source().begin.line, printable(error.description()),
                     "expected what gridcast record writes");
  }
  return ManifestReader(table, name).read();
}

Recording read_recording(const std::filesystem::path& folder) {
  Recording recording;
  recording.folder = folder;
  const std::filesystem::path file = folder / "recording.toml";
  std::ifstream stream(file, std::ios::binary);
  std::error_code error;
  if (!stream || !std::filesystem::is_regular_file(file, error)) {
    throw InputError(printable(folder.string()), 0, "no recording.toml in it",
                     "expected a folder that gridcast record -o made");
  }
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  recording.manifest = parse_manifest(text, printable(file.string()));
  const std::int64_t ranks = recording.manifest.grid.processors();
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const std::filesystem::path path = rank_path(folder, rank);
    if (!std::filesystem::exists(path, error)) {
      throw InputError(printable(path.string()), 0, fmt::format("no file of rank {}", rank),
                       fmt::format("the grid {} has ranks 0 to {}, each of which calls MPI_Init",
                                   recording.manifest.grid.text(), ranks - 1));
    }
    RankRecording read = read_rank(path);
    if (read.run != recording.manifest.run) {
      throw InputError(read.file, 0, "is of another run than recording.toml",
                       "keep the files of a run together");
    }
    if (read.rank != rank || read.ranks != ranks) {
      throw InputError(read.file, 0, fmt::format("is of rank {} of {}", read.rank, read.ranks),
                       fmt::format("expected rank {} of {}: the grid {}", rank, ranks,
                                   recording.manifest.grid.text()));
    }
    recording.ranks.push_back(std::move(read));
  }
  return recording;
}

bool is_complete(const Recording& recording) {
  return recording.manifest.exit_code.value_or(0) == 0 &&
         std::all_of(recording.ranks.begin(), recording.ranks.end(),
                     [](const RankRecording& rank) { return rank.state == State::finished; });
}

bool verify_grid(const Recording& recording) {
  const std::span<const std::int32_t> told = recording.manifest.grid.extents();
  std::string found;
  std::string rank_of_found;
  for (const RankRecording& rank : recording.ranks) {
    for (const Communicator& each : rank.communicators) {
      if (each.topology != Topology::cartesian || each.size != rank.ranks || each.extents.empty()) {
        continue;
      }
      if (std::equal(each.extents.begin(), each.extents.end(), told.begin(), told.end())) {
        return true;
      }
      found = fmt::format("{}", fmt::join(each.extents, "x"));
      if (each.extents.size() < told.size()) {
        rank_of_found = fmt::format(" (tune: --rank {})", each.extents.size());
      }
    }
  }
  if (!found.empty()) {
    throw InputError(
        printable(recording.folder.string()), 0,
        fmt::format("the program made the grid {}, not {}", found, recording.manifest.grid.text()),
        fmt::format("expected --grid {}{}, or another command", found, rank_of_found));
  }
  return false;
}

}  // namespace gridcast::record
