#pragma once
/// The functions of the run-time library by name (docs/functions.md and those met in the traces).

#include <string_view>

#include "decode.h"

namespace gridcast::trace {

/// How calls of a function are read.
struct FunctionKind {
  Decoder decoder = nullptr;      ///< none: Ordinary
  bool needs_parameters = false;  ///< the decoder looks at the informational lines
  bool known = false;             ///< a version of the library has it
};

[[nodiscard]] FunctionKind function_kind(std::string_view name);

}  // namespace gridcast::trace
