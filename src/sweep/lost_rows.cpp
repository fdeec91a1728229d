#include "lost_rows.h"

#include <spdlog/spdlog.h>

namespace gridcast::sweep {

void warn_of_lost_rows(const store::StoreWriter& writer, const std::filesystem::path& store) {
  if (writer.lost_rows() > 0) {
    spdlog::warn(
        "{}: {} rows were not yet on disk and are evaluated again (the journal is kept as "
        "{}.journal.damaged)",
        store.string(), writer.lost_rows(), store.string());
  }
}

}  // namespace gridcast::sweep
