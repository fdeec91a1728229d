#include "shell_words.h"

#include <string_view>

namespace gridcast::cli {

std::string shell_line(std::span<const std::string> words) {
  constexpr std::string_view harmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";
  std::string line;
  for (const std::string& word : words) {
    line += line.empty() ? "" : " ";
    if (!word.empty() && word.find_first_not_of(harmless) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char character : word) {
      line += character == '\'' ? std::string("'\\''") : std::string(1, character);
    }
    line += '\'';
  }
  return line;
}

}  // namespace gridcast::cli
