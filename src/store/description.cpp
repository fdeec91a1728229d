#include "gridcast/store/description.h"

#include <algorithm>

#include "gridcast/base/error.h"
#include "gridcast/store/stored_options.h"

namespace gridcast::store {
namespace {

constexpr const char* remedy = "repeat the options of the first run, or use another --store";

/// Values longer than this, or with line breaks, are not quoted in a message.
constexpr std::size_t longest_quoted = 80;

/// The line around a position; of a long one the part that begins shortly before it.
std::string line_of(const std::string& text, std::size_t position) {
  constexpr std::size_t before = longest_quoted / 2;
  const std::size_t begin = position == 0 ? 0 : text.rfind('\n', position - 1) + 1;
  const std::size_t first = position - begin > before ? position - before : begin;
  const std::string rest = text.substr(first, text.find_first_of("\r\n", first) - first);
  return (first > begin ? "..." : "") + rest.substr(0, longest_quoted) +
         (rest.size() > longest_quoted ? "..." : "");
}

/// "'a' in the store, 'b' now", for texts of many lines the first line that differs.
std::string difference(const std::string& stored, const std::string& given) {
  const auto quotable = [](const std::string& text) {
    return text.size() <= longest_quoted && text.find('\n') == std::string::npos;
  };
  if (quotable(stored) && quotable(given)) {
    return "'" + stored + "' in the store, '" + given + "' now";
  }
  const auto [at, other] = std::mismatch(stored.begin(), stored.end(), given.begin(), given.end());
  const auto position = static_cast<std::size_t>(at - stored.begin());
  const auto line = 1 + std::count(stored.begin(), at, '\n');
  return "first in line " + std::to_string(line) + ": '" + line_of(stored, position) +
         "' in the store, '" + line_of(given, position) + "' now";
}

}  // namespace

const char* name(FailureCause cause) noexcept {
  switch (cause) {
    case FailureCause::memory:
      return "memory";
    case FailureCause::lost:
      return "lost";
    case FailureCause::prediction:
      break;
  }
  return "prediction";
}

void require_same_run(const std::string& file, const RunDescription& stored,
                      const RunDescription& given) {
  const auto require = [&](const char* what, const std::string& before, const std::string& now,
                           bool same) {
    if (!same) {
      throw InputError(file, 0,
                       "results of this run cannot join those of the store: " + std::string(what) +
                           " differs, " + difference(before, now),
                       remedy);
    }
  };
  const auto require_equal = [&](const char* what, const std::string& before,
                                 const std::string& now) {
    require(what, before, now, before == now);
  };
  require_equal("trace_sha256", stored.trace_sha256, given.trace_sha256);
  require_equal("machine", stored.machine, given.machine);
  require_equal("mode", std::to_string(stored.mode), std::to_string(given.mode));
  require_equal("objective", stored.objective, given.objective);
  // The version has a digest of the options, which says less than they do.
  require("options", stored.options, given.options, same_options(stored.options, given.options));
  require_equal("model_version", stored.model_version, given.model_version);
}

}  // namespace gridcast::store
