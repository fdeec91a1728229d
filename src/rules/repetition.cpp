#include "gridcast/rules/repetition.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace gridcast::model {
namespace {

/// Periods tried per position: the distances to the next occurrences of the same operation.
constexpr std::size_t tried_periods = 48;

/// Numbers for operations that are alike but for their times.
std::vector<std::size_t> signatures(std::span<const Op> ops) {
  using Key = std::tuple<Op::Kind, Operation, std::uint32_t, std::uint32_t, double>;
  std::map<Key, std::size_t> known;
  std::vector<std::size_t> result;
  result.reserve(ops.size());
  for (const Op& op : ops) {
    // The bytes of a broadcast stand where other operations have their time.
    const double bytes = op.kind == Op::Kind::broadcast ? op.call : 0.0;
    result.push_back(known.try_emplace(Key{op.kind, op.operation, op.a, op.b, bytes}, known.size())
                         .first->second);
  }
  return result;
}

/// Whether an iteration leaves intervals, processor systems and asynchronous operations as it found
/// them.
bool closed(std::span<const Op> iteration) {
  std::ptrdiff_t intervals = 0;
  std::ptrdiff_t views = 0;
  std::set<std::uint32_t> pending;
  for (const Op& op : iteration) {
    switch (op.kind) {
      case Op::Kind::begin_interval:
        ++intervals;
        break;
      case Op::Kind::end_interval:
        --intervals;
        break;
      case Op::Kind::enter_view:
        ++views;
        break;
      case Op::Kind::leave_view:
        --views;
        break;
      case Op::Kind::start:
      case Op::Kind::send:
        pending.insert(op.b);
        break;
      case Op::Kind::wait:
        if (pending.erase(op.b) == 0) {
          return false;
        }
        break;
      default:
        break;
    }
    if (intervals < 0 || views < 0) {
      return false;
    }
  }
  return intervals == 0 && views == 0 && pending.empty();
}

std::size_t iterations(std::span<const std::size_t> marks, std::size_t begin, std::size_t period) {
  // As far as everything is what it is one period later.
  const auto from = marks.subspan(begin);
  const auto later = from.subspan(period);
  const auto differs = std::mismatch(later.begin(), later.end(), from.begin()).first;
  return static_cast<std::size_t>(differs - later.begin()) / period + 1;
}

/// Roughly how many of `count` iterations can be left out, whatever their times.
double expected_gain(std::size_t count) {
  const auto all = static_cast<double>(count);
  const double sampled = 17.0;
  return count >= least_sampled_iterations ? all - sampled : std::max(all - 2.0, 0.0) / 4.0;
}

double expected_gain(const Repetition& loop) {
  return expected_gain(loop.count) * static_cast<double>(loop.period);
}

class Finder {
public:
  explicit Finder(std::span<const Op> ops) : ops_(ops), marks_(signatures(ops)) {
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      if (marks_[i] >= positions_.size()) {
        positions_.resize(marks_[i] + 1);
      }
      positions_[marks_[i]].push_back(i);
    }
  }

  /// Loops of the operations [begin, end), relative to `begin`.
  [[nodiscard]] std::vector<Repetition> find(std::size_t begin, std::size_t end) const {
    std::vector<Repetition> result;
    for (std::size_t at = begin; at < end;) {
      Repetition best = best_at(at, end);
      if (best.count < 3) {
        ++at;
        continue;
      }
      best.nested = find(at, at + best.period);
      double nested = 0.0;
      for (const Repetition& loop : best.nested) {
        nested += static_cast<double>(best.count) * expected_gain(loop);
      }
      best.nested_pays = nested > expected_gain(best);
      best.begin -= begin;
      at += best.period * best.count;
      result.push_back(std::move(best));
    }
    return result;
  }

private:
  [[nodiscard]] Repetition best_at(std::size_t begin, std::size_t end) const {
    Repetition best;
    const auto marks = std::span(marks_).first(end);
    const std::vector<std::size_t>& same = positions_[marks_[begin]];
    auto next = std::upper_bound(same.begin(), same.end(), begin);
    for (std::size_t tries = 0; tries < tried_periods && next != same.end(); ++tries, ++next) {
      Repetition loop;
      loop.begin = begin;
      loop.period = *next - begin;
      if (begin + 3 * loop.period > end) {
        break;
      }
      loop.count = iterations(marks, begin, loop.period);
      if (loop.count >= 3 && expected_gain(loop) > expected_gain(best) &&
          closed(ops_.subspan(begin, loop.period))) {
        best = std::move(loop);
      }
    }
    return best;
  }

  std::span<const Op> ops_;
  std::vector<std::size_t> marks_;
  std::vector<std::vector<std::size_t>> positions_;
};

}  // namespace

std::vector<Repetition> find_repetitions(std::span<const Op> ops) {
  return Finder(ops).find(0, ops.size());
}

Simulated simulated_of(const Repetition& loop, std::int64_t iterations) {
  const auto asked = static_cast<std::size_t>(iterations);
  const std::size_t count = std::min(loop.count, asked);
  if (count == loop.count) {
    return {count, 0, 0.0};
  }
  const std::size_t last = asked / 2;
  return {count, last, static_cast<double>(loop.count - count) / static_cast<double>(last)};
}

}  // namespace gridcast::model
