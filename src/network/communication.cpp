#include "gridcast/network/communication.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gridcast::network {

std::span<const Transfer> Communication::round(std::size_t index) const noexcept {
  const std::size_t begin = rounds[index];
  const std::size_t end = index + 1 < rounds.size() ? rounds[index + 1] : transfers.size();
  return std::span(transfers).subspan(begin, end - begin);
}

std::span<const Transfer> Communication::phase(std::size_t index) const noexcept {
  const std::size_t begin = index == 0 ? 0 : later_phases[index - 1];
  const std::size_t end = index < later_phases.size() ? later_phases[index] : transfers.size();
  return std::span(transfers).subspan(begin, end - begin);
}

namespace {

bool before(const Transfer& a, const Transfer& b) {
  return std::pair(a.from, a.to) < std::pair(b.from, b.to);
}

/// Many transfers, in few passes over them: by sender first, then those of each.
void sort_many(std::vector<Transfer>& transfers, std::size_t senders, Interruption* interruption) {
  std::vector<std::size_t> next(senders + 1, 0);
  for (const Transfer& transfer : transfers) {
    ++next[transfer.from + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<Transfer> sorted(transfers.size());
  for (const Transfer& transfer : transfers) {
    sorted[next[transfer.from]++] = transfer;
    if (interruption != nullptr) {
      interruption->count();
    }
  }
  auto begin = sorted.begin();
  for (std::size_t sender = 0; sender < senders; ++sender) {
    const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(next[sender]);
    if (!std::is_sorted(begin, end, before)) {
      std::stable_sort(begin, end, before);
    }
    begin = end;
  }
  transfers.swap(sorted);
}

void sort(std::vector<Transfer>& transfers, Interruption* interruption) {
  std::size_t senders = 0;
  for (const Transfer& transfer : transfers) {
    senders = std::max(senders, std::size_t{transfer.from} + 1);
  }
  if (transfers.size() < senders) {
    std::stable_sort(transfers.begin(), transfers.end(), before);
  } else {
    sort_many(transfers, senders, interruption);
  }
}

}  // namespace

void normalize(std::vector<Transfer>& transfers, Interruption* interruption) {
  std::erase_if(transfers, [](const Transfer& t) { return t.from == t.to || !(t.bytes > 0.0); });
  if (!std::is_sorted(transfers.begin(), transfers.end(), before)) {
    sort(transfers, interruption);
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
