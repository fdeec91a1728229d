#pragma once
/// Random programs in the language of `trace generate` (docs/programs.md).

#include <string>

#include "random.h"

namespace gridcast::checker {

/// The text of a description: arrays over one or two templates, loops with all that they can bring
/// along, exchanges, copies, redistribution, input and output, repetitions, tasks now and then.
[[nodiscard]] std::string random_description(Random& random, bool rich = false);

/// Arrays that go from one distribution to another and back, loops that reduce between.
[[nodiscard]] std::string random_moves(Random& random);

}  // namespace gridcast::checker
