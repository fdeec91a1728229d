#pragma once
/// The bounds that mode 4 needs, made from the model.

#include "gridcast/rules/options.h"
#include "gridcast/search/strategy.h"
#include "inputs.h"

namespace gridcast::sweep {

/// Fills in the bounds of `options`; they share `inputs`, which must outlive them.
void add_bounds(search::StrategyOptions& options, const Inputs& inputs,
                const model::ModelOptions& model_options);

}  // namespace gridcast::sweep
