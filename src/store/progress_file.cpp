#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string_view>

#include "files.h"
#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/store/progress.h"

namespace gridcast::store {
namespace {

/// The three lines take less.
constexpr std::size_t most_progress_bytes = 4096;

/// The first line of a text, which is taken off it.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

}  // namespace

std::string progress_text(const RunProgress& progress) {
  return progress.work + (progress.answer.empty() ? "" : ", ") + progress.answer;
}

std::filesystem::path progress_path(const std::filesystem::path& store) {
  return store.string() + ".progress";
}

void write_progress(const std::filesystem::path& store, const RunProgress& progress) {
  const std::filesystem::path path = progress_path(store);
  const std::filesystem::path made = path.string() + ".new";
  const std::string text = fmt::format("{}\n{}\n{}\n", progress.share ? exact(*progress.share) : "",
                                       progress.work, progress.answer);
  {
    const Descriptor file(create_anew(made));
    write_all(file.get(), made, std::as_bytes(std::span(text)));
  }
  publish_file(made, path, Disk::trust);
}

std::optional<RunProgress> read_progress(const std::filesystem::path& store) {
  const std::filesystem::path path = progress_path(store);
  std::array<char, most_progress_bytes> buffer{};
  std::string_view text;
  try {
    const Descriptor file(open_descriptor(path, O_RDONLY));
    text = {buffer.data(), read_at(file.get(), path, 0, std::as_writable_bytes(std::span(buffer)))};
  } catch (const RunError&) {
    return std::nullopt;
  }
  const std::string_view share = take_line(text);
  RunProgress progress;
  double value = 0.0;
  if (std::from_chars(share.data(), share.data() + share.size(), value).ec == std::errc() &&
      value >= 0.0 && value <= 1.0) {
    progress.share = value;
  }
  progress.work = take_line(text);
  progress.answer = take_line(text);
  return progress.work.empty() ? std::nullopt : std::optional(std::move(progress));
}

}  // namespace gridcast::store
