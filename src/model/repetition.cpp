#include "repetition.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace gridcast::model {
namespace {

/// Periods tried per position: the distances to the next occurrences of the same operation.
constexpr std::size_t tried_periods = 16;

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
  std::size_t count = 1;
  for (std::size_t at = begin + period; at + period <= marks.size(); at += period) {
    if (!std::equal(marks.begin() + static_cast<std::ptrdiff_t>(begin),
                    marks.begin() + static_cast<std::ptrdiff_t>(begin + period),
                    marks.begin() + static_cast<std::ptrdiff_t>(at))) {
      break;
    }
    ++count;
  }
  return count;
}

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<Op> median_iteration(std::span<const Op> ops, const Repetition& repetition) {
  const auto first = ops.subspan(repetition.begin, repetition.period);
  std::vector<Op> median(first.begin(), first.end());
  std::vector<double> calls(repetition.count);
  std::vector<double> rets(repetition.count);
  for (std::size_t i = 0; i < repetition.period; ++i) {
    for (std::size_t k = 0; k < repetition.count; ++k) {
      const Op& op = ops[repetition.begin + k * repetition.period + i];
      calls[k] = op.call;
      rets[k] = op.ret;
    }
    median[i].call = median_of(calls);
    median[i].ret = median_of(rets);
  }
  return median;
}

}  // namespace

std::vector<Repetition> find_repetitions(std::span<const Op> ops) {
  const std::vector<std::size_t> marks = signatures(ops);
  std::vector<std::vector<std::size_t>> positions;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (marks[i] >= positions.size()) {
      positions.resize(marks[i] + 1);
    }
    positions[marks[i]].push_back(i);
  }
  std::vector<Repetition> result;
  for (std::size_t begin = 0; begin < ops.size();) {
    Repetition best;
    const std::vector<std::size_t>& same = positions[marks[begin]];
    auto next = std::upper_bound(same.begin(), same.end(), begin);
    for (std::size_t tries = 0; tries < tried_periods && next != same.end(); ++tries, ++next) {
      const std::size_t period = *next - begin;
      const std::size_t count = iterations(marks, begin, period);
      if (count >= 3 &&
          (count - 2) * period > (best.count < 3 ? 0 : (best.count - 2) * best.period) &&
          closed(ops.subspan(begin, period))) {
        best = {begin, period, count, {}};
      }
    }
    if (best.count < 3) {
      ++begin;
      continue;
    }
    best.median = median_iteration(ops, best);
    begin = best.end();
    result.push_back(std::move(best));
  }
  return result;
}

}  // namespace gridcast::model
