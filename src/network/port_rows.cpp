#include "port_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gridcast/network/message_time.h"

namespace gridcast::network {

// --- exchanges
// ----------------------------------------------------------------------------------------------

void PortExchange::work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                            std::span<const NetworkLevel> levels, double copy_time,
                            PortNodes& nodes) {
  nodes.reset(classes, exchange, levels, copy_time);
  nodes_ = &nodes;
  begin(classes, nodes.costly());
  const std::int64_t size = nodes.size();
  const std::int64_t row = row_length();
  patterns_.assign(static_cast<std::size_t>((classes.processors() + size - 1) / size),
                   Interner::unknown);
  // A processor has to do with those of its node, with their neighbours and the nodes of these.
  std::int64_t reach = 2 * size;
  for (int dim = along(); dim < classes.rank(); ++dim) {
    reach += classes.stride(dim);
  }
  const std::int64_t margin = (reach + row - 1) / row;
  const std::int64_t period = size / std::gcd(size, row);
  const std::span<const std::int64_t> starts = classes.starts(along());
  for (std::size_t run = 0; run + 1 < starts.size(); ++run) {
    const std::int64_t count = starts[run + 1] - starts[run];
    if (count - 2 * margin < 2 * period) {
      add_rows(count, count);
    } else {
      add_rows(margin, margin);
      add_rows(count - 2 * margin, period);
      add_rows(margin, margin);
    }
  }
  finish();
}

void PortExchange::add_rows(std::int64_t count, std::int64_t kept) {
  add_band(count, kept);
  for (std::int64_t i = 0; i < kept && count > kept; ++i) {
    const std::span<double> none = steps(last_band(), i);
    std::fill(none.begin(), none.end(), 0.0);
  }
  fill(last_band());
}

void PortExchange::fill(const Band& band) {
  const std::int64_t size = nodes_->size();
  const std::int64_t row = row_length();
  const std::int64_t first = band.first * row;
  const std::int64_t end = first + band.period * row;
  double* const ends = this->row(band, 0).data();
  double* const overheads = this->overheads(band, 0).data();
  PortNodes::Times times;
  bool known = false;
  for (std::int64_t node = first / size * size; node < end; node += size) {
    const bool same = known && inside(node);
    if (!same) {
      times = times_of(node / size);
    }
    known = inside(node);
    const std::int64_t from = std::max(first, node);
    const std::int64_t until = std::min(end, node + size);
    const auto copy = [&](std::span<const double> values, double* to) {
      std::copy(values.begin() + (from - node), values.begin() + (until - node),
                to + (from - first));
    };
    copy(times.ends, ends);
    if (!times.overheads.empty()) {
      copy(times.overheads, overheads);
    }
  }
}

bool PortExchange::inside(std::int64_t first) const noexcept {
  const std::int64_t size = nodes_->size();
  const int last = classes().rank() - 1;
  const std::int64_t x = first % classes().extent(last);
  if (along() == last) {
    return false;
  }
  const std::size_t run = classes().run_of(last, x);
  const std::span<const std::int64_t> starts = classes().starts(last);
  return x - 2 * size >= starts[run] && x + 2 * size <= starts[run + 1];
}

std::uint32_t PortExchange::pattern_of(std::int64_t node) {
  if (node < 0 || node >= static_cast<std::int64_t>(patterns_.size())) {
    return Interner::unknown;
  }
  std::uint32_t& known = patterns_[static_cast<std::size_t>(node)];
  if (known != Interner::unknown) {
    return known;
  }
  const std::int64_t row = row_length();
  const std::int64_t first = node * nodes_->size();
  const std::int64_t end = std::min(first + nodes_->size(), classes().processors());
  const std::span<const std::int64_t> starts = classes().starts(along());
  std::int64_t y = first / row;
  std::size_t run = classes().run_of(along(), y);
  auto segment = std::upper_bound(segments().begin(), segments().end(), first % row,
                                  [](std::int64_t x, const Segment& each) { return x < each.end; });
  parts_.clear();
  for (std::int64_t p = first; p < end;) {
    // Rows of one class are looked at together.
    const bool whole = segments().size() == 1;
    p = std::min(end, whole ? starts[run + 1] * row : y * row + segment->end);
    const std::uint32_t kind = nodes_->kind_of(first_class(run) + segment->which);
    if (parts_.empty() || parts_.back().kind != kind) {
      parts_.push_back({p - first, kind});
    }
    parts_.back().end = p - first;
    if (!whole && ++segment != segments().end()) {
      continue;
    }
    segment = segments().begin();
    y = whole ? starts[run + 1] : y + 1;
    run += y == starts[run + 1] ? 1 : 0;
  }
  known = nodes_->pattern(parts_);
  return known;
}

PortNodes::Times PortExchange::times_of(std::int64_t node) {
  sources_.clear();
  for (const std::int64_t source : nodes_->sources()) {
    sources_.push_back(pattern_of(node + source));
  }
  return nodes_->times(pattern_of(node), sources_);
}

// --- fans
// ----------------------------------------------------------------------------------------------

namespace {

/// Messages to one receiver that arrive in equal steps.
struct Arrivals {
  double first = 0.0, step = 0.0, receiving = 0.0;
  std::int64_t count = 0;
};

/// When a receiver that takes them one after the other has the last.
double received(std::vector<Arrivals>& arrivals) {
  double done = 0.0;
  while (arrivals.size() > 1) {
    const auto next =
        std::min_element(arrivals.begin(), arrivals.end(),
                         [](const Arrivals& a, const Arrivals& b) { return a.first < b.first; });
    done = std::max(done, next->first) + next->receiving;
    next->first += next->step;
    if (--next->count == 0) {
      arrivals.erase(next);
    }
  }
  for (const Arrivals& rest : arrivals) {
    const auto count = static_cast<double>(rest.count);
    const double last = rest.first + (count - 1.0) * rest.step;
    done = std::max({done + count * rest.receiving, rest.first + count * rest.receiving,
                     last + rest.receiving});
  }
  return done;
}

}  // namespace

void PortFan::work_out(const ProcessorClasses& classes, const Fan& fan,
                       std::span<const NetworkLevel> levels, std::span<const std::int64_t> speaking,
                       std::span<const std::uint8_t> speaks) {
  if (!fan.any || classes.processors() == 1) {
    silent_ = true;
    return;
  }
  begin(classes, std::any_of(levels.begin(), levels.end(), [](const NetworkLevel& level) {
          return level.network.send_time > 0.0 || level.network.receive_time > 0.0;
        }));
  levels_ = levels;
  speaks_ = speaks;
  gather(fan.bytes, speaking);
  hand_out(fan);
  add_rows();
  finish();
}

/// Those under one network send at the same times, so the root's port there is taken without gaps.
void PortFan::gather(double bytes, std::span<const std::int64_t> speaking) {
  std::vector<Arrivals> arrivals;
  gathered_ = {};
  for (std::size_t level = 0; level < speaking.size(); ++level) {
    const machine::Network& network = levels_[level].network;
    const double length = port_time(network, bytes);
    if (speaking[level] > 0) {
      arrivals.push_back({network.send_time + network.start_time + length, length,
                          network.receive_time, speaking[level]});
      gathered_.overhead += static_cast<double>(speaking[level]) * network.receive_time;
    }
  }
  gathered_.until = received(arrivals);
}

void PortFan::hand_out(const Fan& fan) {
  borders_.assign(levels_, fan.root, classes().processors(), [](std::int64_t p) { return p; });
  const FanSender sender = port_pieces(levels_, fan.bytes, borders_, pieces_);
  FanPiece root{fan.root, fan.root + 1, sender.until};
  root.overhead = sender.overhead + gathered_.overhead;
  root.level = levels_.size();
  pieces_.insert(std::find_if(pieces_.begin(), pieces_.end(),
                              [&root](const FanPiece& piece) { return piece.lo > root.lo; }),
                 root);
  for (FanPiece& piece : pieces_) {
    piece.base += gathered_.until;
  }
}

void PortFan::add_rows() {
  const std::span<const std::int64_t> starts = classes().starts(along());
  const std::int64_t row = row_length();
  auto piece = pieces_.begin();
  for (std::size_t run = 0; run + 1 < starts.size(); ++run) {
    for (std::int64_t y = starts[run]; y < starts[run + 1];) {
      for (; piece->hi <= y * row; ++piece) {
      }
      const std::int64_t until = std::min(starts[run + 1], piece->hi / row);
      const std::int64_t count = std::max<std::int64_t>(until - y, 1);
      add_band(count, 1);
      fill(y);
      const std::span<double> steps = this->steps(last_band(), 0);
      std::fill(steps.begin(), steps.end(),
                count > 1 ? piece->length * static_cast<double>(row) : 0.0);
      y += count;
    }
  }
}

void PortFan::fill(std::int64_t y) {
  const std::int64_t first = y * row_length();
  const std::span<double> ends = row(last_band(), 0);
  const std::span<double> overheads = this->overheads(last_band(), 0);
  auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), first,
                                [](std::int64_t p, const FanPiece& each) { return p < each.hi; });
  for (const Segment& segment : segments()) {
    const bool speaks =
        !speaks_.empty() && speaks_[first_class(last_band().run) + segment.which] != 0;
    for (std::int64_t x = segment.begin; x < segment.end;) {
      for (; piece->hi <= first + x; ++piece) {
      }
      const std::int64_t until = std::min(segment.end, piece->hi - first);
      const bool sends = speaks && piece->level < levels_.size();
      const double own = piece->overhead + (sends ? levels_[piece->level].network.send_time : 0.0);
      for (; x < until; ++x) {
        const auto at = static_cast<std::size_t>(x);
        ends[at] = piece->end(first + x);
        if (!overheads.empty()) {
          overheads[at] = own;
        }
      }
    }
  }
}

}  // namespace gridcast::network
