#pragma once
/// What a TOML file may be before it is parsed.

#include <string>
#include <string_view>

namespace gridcast {

/// Throws InputError with the line if keys or values are nested deeper than any file of a user is:
/// the parser and the tables that it makes call themselves once for each level, dotted parts of
/// keys included.
void require_shallow_toml(std::string_view text, const std::string& name);

}  // namespace gridcast
