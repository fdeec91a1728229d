#include "gridcast/base/words.h"

#include <algorithm>

namespace gridcast {

std::string words_text(const NamedWords& words) {
  std::string text;
  for (const auto& [name, word] : words) {
    text.append(text.empty() ? "" : " ").append(name).append("=").append(word);
  }
  return text;
}

NamedWords split_words(std::string_view text) {
  NamedWords words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    if (!part.empty()) {
      const std::size_t sign = std::min(part.find('='), part.size());
      words.emplace_back(part.substr(0, sign), part.substr(std::min(sign + 1, part.size())));
    }
    begin = end + 1;
  }
  return words;
}

}  // namespace gridcast
