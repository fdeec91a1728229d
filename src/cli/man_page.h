#pragma once
/// Manual pages, made from the definition of the command line.

#include <string>

#include "definition.h"

namespace gridcast::cli {

/// The name of a command's page: "gridcast", "gridcast-trace-info".
[[nodiscard]] std::string page_name(const Command& command);

/// The page in the language of man(7), section 1. `all`: every command, for what belongs together.
[[nodiscard]] std::string man_page(const Command& command, const std::vector<Command>& all,
                                   const std::string& version);

}  // namespace gridcast::cli
