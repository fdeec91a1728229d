#include "gridcast/network/communication.h"

#include <algorithm>
#include <utility>

namespace gridcast::network {

std::span<const Transfer> Communication::phase(std::size_t index) const noexcept {
  const std::size_t begin = index == 0 ? 0 : later_phases[index - 1];
  const std::size_t end = index < later_phases.size() ? later_phases[index] : transfers.size();
  return std::span(transfers).subspan(begin, end - begin);
}

void normalize(std::vector<Transfer>& transfers) {
  std::erase_if(transfers, [](const Transfer& t) { return t.from == t.to || !(t.bytes > 0.0); });
  const auto before = [](const Transfer& a, const Transfer& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  };
  if (!std::is_sorted(transfers.begin(), transfers.end(), before)) {
    std::stable_sort(transfers.begin(), transfers.end(), before);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    if (kept > 0 && transfers[kept - 1].from == transfers[i].from &&
        transfers[kept - 1].to == transfers[i].to) {
      transfers[kept - 1].bytes += transfers[i].bytes;
    } else {
      transfers[kept++] = transfers[i];
    }
  }
  transfers.resize(kept);
}

}  // namespace gridcast::network
