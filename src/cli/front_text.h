#pragma once
/// The front of a search, the fewest processors and nodes that are good enough, for people and
/// programs (docs/search.md, "The front").

#include <span>
#include <string>
#include <vector>

#include "gridcast/base/json_writer.h"
#include "gridcast/search/front.h"

namespace gridcast::cli {

/// Reads --front: percentages such as "0,5,10%", or "none". Shares, ascending. Throws InputError.
[[nodiscard]] std::vector<double> parse_front(const std::string& text);

/// Lines for the terminal, one per share; empty for no front. `heuristic`: of mode 1.
[[nodiscard]] std::string front_text(std::span<const search::FrontEntry> front, bool heuristic);

/// A list of objects (docs/json.md).
void put_front(JsonWriter& json, std::span<const search::FrontEntry> front);

}  // namespace gridcast::cli
