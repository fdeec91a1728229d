#include "gridcast/predict/assumed.h"

#include "gridcast/base/json_writer.h"
#include "gridcast/predict/prediction.h"
#include "gridcast/rules/options.h"

namespace gridcast::model {

std::string assumed_text(const NamedWords& assumed) {
  NamedWords shown;
  for (const auto& [name, word] : assumed) {
    if (depends_on_input(name)) {
      shown.emplace_back(name, word);
    }
  }
  return words_text(shown);
}

NamedWords without_conditions(NamedWords assumed) {
  std::erase_if(assumed, [](const auto& option) { return option.first == "min-block"; });
  return assumed;
}

void write_assumed(JsonWriter& json, const std::vector<NamedWords>& assumed) {
  if (assumed.empty()) {
    json.null();
    return;
  }
  if (assumed.size() > 1) {
    json.begin_array(Layout::lines);
  }
  for (const NamedWords& list : assumed) {
    json.begin_object(Layout::line);
    for (const auto& [name, word] : list) {
      json.key(name);
      json.string(word);
    }
    json.end_object();
  }
  if (assumed.size() > 1) {
    json.end_array();
  }
}

std::vector<std::string> assumed_texts(const std::vector<NamedWords>& assumed,
                                       const std::vector<std::string>& programs) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < assumed.size(); ++i) {
    const std::string what = assumed_text(assumed[i]);
    if (!what.empty()) {
      const bool named = assumed.size() > 1 && i < programs.size();
      texts.push_back(what + (named ? " (" + programs[i] + ")" : ""));
    }
  }
  return texts;
}

}  // namespace gridcast::model
