#include "gridcast/store/stored_options.h"

#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "gridcast/base/json_writer.h"
#include "gridcast/base/words.h"

namespace gridcast::store {
namespace {

using nlohmann::json;

json parsed(std::string_view text) { return json::parse(text, nullptr, false); }

void take(const json& value, std::string& text) {
  if (value.is_string()) {
    text = value.get<std::string>();
  }
}
void take(const json& value, double& number) {
  if (value.is_number()) {
    number = value.get<double>();
  }
}
void take(const json& value, std::int64_t& number) {
  if (value.is_number_integer()) {
    number = value.get<std::int64_t>();
  }
}
template <class Number>
void take(const json& value, std::optional<Number>& number) {
  if (value.is_number()) {
    take(value, number.emplace());
  }
}
void take(const json& value, std::optional<std::vector<std::int64_t>>& numbers) {
  if (value.is_array()) {
    numbers.emplace();
    for (const json& each : value) {
      take(each, numbers->emplace_back());
    }
  }
}

}  // namespace

std::string StoredOptions::word(std::string_view option) const {
  for (auto& [name, word] : split_words(model)) {
    if (name == option) {
      return std::move(word);
    }
  }
  return {};
}

std::string StoredOptions::json() const {
  std::ostringstream out;
  JsonWriter writer(out);
  writer.begin_object(Layout::compact);
  writer.member("model", model);
  writer.member("heuristic", heuristic);
  writer.member("grid", grid);
  writer.member("max_processors", max_processors);
  writer.member("min_efficiency", min_efficiency);
  writer.member("best", best);
  writer.member("reference", reference);
  writer.member("blocks", balanced ? "balanced" : "ceil");
  // What nobody asked for does not stand there: stores of earlier versions stay valid.
  if (within) {
    writer.member("within", *within);
  }
  if (!conditions.empty()) {
    writer.member("conditions", conditions);
  }
  if (excluded) {
    writer.key("excluded");
    writer.begin_object(Layout::line);
    writer.member("min-block", *excluded);
    writer.end_object();
  }
  if (threads != "1") {
    writer.member("threads", threads);
  }
  if (spread > 0.0) {
    writer.member("spread", spread);
  }
  if (margin) {
    writer.member("margin", *margin);
  }
  writer.end_object();
  return std::move(out).str();
}

StoredOptions StoredOptions::read(std::string_view text) {
  StoredOptions options;
  const nlohmann::json stored = parsed(text);
  if (!stored.is_object()) {
    return options;
  }
  const auto find = [&stored](const char* name, auto& value) {
    if (const auto found = stored.find(name); found != stored.end()) {
      take(*found, value);
    }
  };
  std::string blocks;
  find("model", options.model);
  find("kind", options.kind);
  find("heuristic", options.heuristic);
  find("grid", options.grid);
  find("max_processors", options.max_processors);
  find("min_efficiency", options.min_efficiency);
  find("best", options.best);
  find("reference", options.reference);
  find("blocks", blocks);
  find("within", options.within);
  find("conditions", options.conditions);
  find("threads", options.threads);
  find("spread", options.spread);
  find("margin", options.margin);
  options.balanced = blocks == "balanced";
  if (const auto found = stored.find("excluded"); found != stored.end() && found->is_object()) {
    if (const auto count = found->find("min-block"); count != found->end()) {
      take(*count, options.excluded);
    }
  }
  return options;
}

bool same_options(std::string_view a, std::string_view b) {
  if (a == b) {
    return true;
  }
  const json first = parsed(a);
  return !first.is_discarded() && first == parsed(b);
}

}  // namespace gridcast::store
