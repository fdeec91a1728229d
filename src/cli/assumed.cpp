#include "assumed.h"

#include <fmt/format.h>

#include <algorithm>

#include "gridcast/predict/assumed.h"

namespace gridcast::cli {

std::vector<NamedWords> stored_assumptions(std::string_view text) {
  std::vector<NamedWords> lists;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lists.push_back(split_words(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return lists;
}

std::string assumed_lines(const std::vector<NamedWords>& assumed,
                          const std::vector<std::string>& programs, std::string_view label,
                          int width) {
  std::string text;
  for (const std::string& each : model::assumed_texts(assumed, programs)) {
    text += fmt::format("{:<{}}{}\n", label, width, each);
  }
  return text;
}

}  // namespace gridcast::cli
