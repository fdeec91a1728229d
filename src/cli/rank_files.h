#pragma once
/// --rankfile F: the files that put the ranks of the best grid where the prediction has them.

#include <CLI/CLI.hpp>
#include <string>

#include "places.h"
#include "stored_search.h"

namespace gridcast::cli {

/// --rankfile F.
void add_rankfile(CLI::App& command, std::string& file);

/// F and F.sh, if F was given.
Places& claim_rank_files(Places& places, const std::string& file);

/// Writes both for the best grid, if the job of the answer has their name.
void write_rank_files(const StoredSearch& search);

}  // namespace gridcast::cli
