#pragma once
/// What was assumed of programs, in answers (docs/programs.md, "What is assumed"): options of the
/// model that nobody gave.

#include <string>
#include <vector>

#include "gridcast/base/words.h"

namespace gridcast {
class JsonWriter;
}

namespace gridcast::model {

/// The same of a command that predicts each grid that it is told: without --min-block, a condition
/// of searches.
[[nodiscard]] NamedWords without_conditions(NamedWords assumed);

/// Writes the value of "assumed": an object; a list of objects of several programs; null of none.
void write_assumed(JsonWriter& json, const std::vector<NamedWords>& assumed);

/// What of it depends on the kind of input, a text per list (assumed_text()). Of several lists each
/// names its program.
[[nodiscard]] std::vector<std::string> assumed_texts(const std::vector<NamedWords>& assumed,
                                                     const std::vector<std::string>& programs);

}  // namespace gridcast::model
