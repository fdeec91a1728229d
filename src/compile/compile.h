#pragma once
/// From the calls of a program to the operations that a prediction walks (docs/model.md §2).

#include <cstdint>
#include <string>
#include <vector>

#include "gridcast/compile/loop_shapes.h"
#include "gridcast/rules/script.h"
#include "gridcast/trace/program.h"

namespace gridcast::model {

/// A compiled program and what the compiler has to say about it.
struct Compiled {
  Script script;
  std::vector<std::string> warnings;
};

/// How far operations are folded.
enum class Detail : std::uint8_t {
  folded,  ///< ordinary calls between two others are one operation
  places,  ///< those of one line of the source are, and each operation knows its line
};

/// Compiles a program. Throws InputError (trace file and line) for calls that make no sense: a wait
/// without a start, an object used before it exists, ranks that do not fit.
/// With `shapes` the time of loops that they know depends on the shape of blocks.
[[nodiscard]] Compiled compile(const trace::Program& program, Detail detail = Detail::folded,
                               const LoopShapes* shapes = nullptr);

}  // namespace gridcast::model
