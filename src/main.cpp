#include <malloc.h>

#include "gridcast/cli/app.h"

namespace {

/// Predictions for tens of thousands of processors take long rows and give them back, thousands of
/// times a second. The C library would return each to the operating system at once and fetch it
/// again page by page: more than half of a search's time on such grids. It may keep them instead.
void keep_freed_memory() {
  constexpr int longest_row = 32 << 20;    // bytes: the most that M_MMAP_THRESHOLD takes
  constexpr int kept_at_most = 256 << 20;  // bytes at the end of the heap
  mallopt(M_MMAP_THRESHOLD, longest_row);
  mallopt(M_TRIM_THRESHOLD, kept_at_most);
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  return gridcast::cli::run_gridcast(argc, argv);
}
