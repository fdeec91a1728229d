#include "embedded_data.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace gridcast::report {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> script_escapes{{
    {"<", "\\u003c"},
    {">", "\\u003e"},
    {"&", "\\u0026"},
    {"\xE2\x80\xA8", "\\u2028"},
    {"\xE2\x80\xA9", "\\u2029"},
}};

std::string escaped_for_script(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    std::string_view sequence = text.substr(0, 1);
    std::string_view written = sequence;
    for (const auto& [character, escape] : script_escapes) {
      if (text.starts_with(character)) {
        sequence = character;
        written = escape;
      }
    }
    result += written;
    text.remove_prefix(sequence.size());
  }
  return result;
}

}  // namespace

std::string data_element(std::string_view id, DataKind kind, std::string_view text) {
  return fmt::format("<script type=\"{}\" id=\"{}\">{}</script>\n",
                     kind == DataKind::json ? "application/json" : "text/plain", id,
                     escaped_for_script(text));
}

}  // namespace gridcast::report
