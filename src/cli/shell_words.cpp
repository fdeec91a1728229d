#include "shell_words.h"

#include <wordexp.h>

#include <memory>
#include <string_view>

#include "gridcast/base/error.h"

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

std::vector<std::string> shell_split(const std::string& option, const std::string& line) {
  wordexp_t words{};
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody sets variables
  const int failure = wordexp(line.c_str(), &words, WRDE_NOCMD | WRDE_UNDEF);
  const std::unique_ptr<wordexp_t, decltype(&wordfree)> owned(&words, wordfree);
  if (failure != 0 || words.we_wordc == 0) {
    throw InputError(option + " '" + line + "'",
                     failure == WRDE_BADVAL ? "expected variables that are set"
                                            : "expected one program with its words, quoted as for "
                                              "a shell; a script for more than that");
  }
  return {words.we_wordv, words.we_wordv + words.we_wordc};
}

}  // namespace gridcast::cli
