#include "assumed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gridcast/predict/prediction.h"
#include "json_text.h"

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

std::string assumed_json(const std::vector<NamedWords>& assumed) {
  std::vector<std::string> objects;
  for (const NamedWords& list : assumed) {
    std::vector<std::string> members;
    for (const auto& [name, word] : list) {
      members.push_back(json_string(name) + ":" + json_string(word));
    }
    objects.push_back(fmt::format("{{{}}}", fmt::join(members, ",")));
  }
  return objects.empty()       ? "null"
         : objects.size() == 1 ? objects.front()
                               : fmt::format("[{}]", fmt::join(objects, ","));
}

std::vector<std::string> assumed_texts(const std::vector<NamedWords>& assumed,
                                       const std::vector<std::string>& programs) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < assumed.size(); ++i) {
    const std::string what = model::assumed_text(assumed[i]);
    if (!what.empty()) {
      const std::string program =
          assumed.size() > 1 && i < programs.size() ? " (" + programs[i] + ")" : "";
      texts.push_back(what + program);
    }
  }
  return texts;
}

std::string assumed_lines(const std::vector<NamedWords>& assumed,
                          const std::vector<std::string>& programs, std::string_view label,
                          int width) {
  std::string text;
  for (const std::string& each : assumed_texts(assumed, programs)) {
    text += fmt::format("{:<{}}{}\n", label, width, each);
  }
  return text;
}

}  // namespace gridcast::cli
