#pragma once
/// The library: programs and machines are read, predicted and searched, stores are read
/// (docs/install.md, "Library"). Errors are std::runtime_error with a text of one line. The names
/// stand in the inline namespace v1.

#include "gridcast/grid.h"
#include "gridcast/machine.h"
#include "gridcast/prediction.h"
#include "gridcast/program.h"
#include "gridcast/search.h"
#include "gridcast/store.h"
