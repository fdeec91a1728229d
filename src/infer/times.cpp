#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/infer/gaps.h"
#include "gridcast/infer/program.h"

namespace gridcast::infer {
namespace {

using RunRank = std::pair<std::size_t, std::size_t>;
using Seconds = std::map<RunRank, double>;

/// What is below both is not worth a term.
constexpr double minor_share = 0.05;
constexpr double minor_seconds = 1e-6;
/// A process that waited for others resumes with cold caches: in runs of several processes, times
/// below this that do not grow with the block are no computation.
constexpr double resume_seconds = 2e-6;

/// The computation before a statement: its least time on each rank of each run.
struct Piece {
  Statement* statement = nullptr;
  Seconds seconds;
  double share = 0.0;     ///< of all computation in an iteration, at most
  Parity parity{};        ///< of the processes that compute it
  bool periodic = false;  ///< the mean of times that repeat with a period
};

/// The first of the statements in a row up to number `i` that not all processes do; otherwise `i`.
std::size_t first_in_row(const std::vector<Statement>& body, std::size_t i) {
  while (i > 0 && !body[i].parity.all() && !body[i - 1].parity.all()) {
    --i;
  }
  return i;
}

/// The statement before which the time of an instance of statement `i` stands: what a process
/// computes before its first statement of a row, it computes before the row.
std::size_t stands_before(const std::vector<Statement>& body, std::size_t i,
                          const Instance& instance) {
  const std::size_t first = first_in_row(body, i);
  for (std::size_t k = first; k < i; ++k) {
    if (body[k].step->of(instance.run, instance.rank) != nullptr) {
      return i;
    }
  }
  return first;
}

double elements(const std::vector<std::int64_t>& block) {
  return std::accumulate(block.begin(), block.end(), 1.0, std::multiplies<>());
}

/// The statements whose computation a process does before statement `at` of a body: that one, and
/// those before it that the process lacks; first the last one. `around`: those at the end of the
/// body precede those at its begin. What processes alone do is not `common`: it ends no row.
std::vector<std::size_t> covered(const std::vector<Statement>& body,
                                 const std::vector<bool>& common, std::size_t at,
                                 const RunRank& who, bool around) {
  std::vector<std::size_t> found{at};
  const std::size_t steps = around ? body.size() - 1 : at;
  for (std::size_t back = 1; back <= steps && body[at].parity.all(); ++back) {
    const std::size_t i = (at + body.size() - back) % body.size();
    if (!common[i]) {
      continue;
    }
    if (!body[i].parity.all() || body[i].step->of(who.first, who.second) != nullptr) {
      break;
    }
    if (!body[i].step->loop) {
      found.push_back(i);
    }
  }
  return found;
}

/// Collects the pieces of a loop's body; `totals` are sums per iteration of the main loop.
class PieceFinder {
public:
  PieceFinder(const Runs& runs, const Blocks& blocks) : runs_(runs), blocks_(blocks) {}

  std::vector<Piece> find(Statement& main) {
    main_ = main.step;
    (void)take(main, false, {});
    for (Piece& piece : pieces_) {
      for (const auto& [who, seconds] : piece.seconds) {
        const double times = times_of_[piece.statement][who];
        piece.share = std::max(piece.share, times * seconds / std::max(1e-12, totals_[who]));
      }
    }
    return std::move(pieces_);
  }

private:
  /// Returns how much sooner the first iteration of an inner loop begins than the others do:
  /// computation between its iterations, of which the last follows the loop.
  Seconds take(Statement& loop, bool nested, const std::map<RunRank, double>& around) {
    std::map<RunRank, double> times;
    for (const Instance& each : loop.step->instances) {
      const auto outer = around.find({each.run, each.rank});
      times[{each.run, each.rank}] =
          nested ? static_cast<double>(each.count) * (outer == around.end() ? 1.0 : outer->second)
                 : 1.0;
    }
    Seconds ahead;
    std::vector<Seconds> sooner(loop.body.size());  // of the loop before each statement
    std::vector<Piece> pieces(loop.body.size());
    for (std::size_t i = 0; i < loop.body.size(); ++i) {
      Statement& statement = loop.body[i];
      pieces[i].statement = &statement;
      if (first_in_row(loop.body, i) != i) {
        pieces[i].parity = statement.parity;
      }
      if (statement.step->loop) {
        sooner[(i + 1) % loop.body.size()] = take(statement, true, times);
        continue;
      }
      Piece lead{.statement = &loop, .seconds = {}};
      const bool periodic = has_periods(loop, nested, i);
      for (const Instance& each : statement.step->instances) {
        const RunRank who{each.run, each.rank};
        const std::size_t at = stands_before(loop.body, i, each);
        const std::size_t every = turns(loop, nested, at, each);
        const std::size_t begin = first_behind(each);
        const std::vector<double> gaps = gaps_of(each.occurrences, begin, every, false);
        const double seconds = mean_of(gaps, periodic ? period_of(gaps) : 1);
        pieces[at].seconds[who] = seconds;
        pieces[at].periodic = pieces[at].periodic || periodic;
        if (every > 0) {
          const double before = mean_of(gaps_of(each.occurrences, begin, every, true), 1);
          lead.seconds[who] = std::max(0.0, before - seconds);
          ahead[who] = std::max(0.0, seconds - before);
        }
      }
      add(std::move(lead), around);
    }
    share(pieces, loop.body, !nested);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      for (auto& [who, seconds] : pieces[i].seconds) {
        seconds = std::max(0.0, seconds - sooner[i][who]);
      }
      add(std::move(pieces[i]), times);
    }
    return ahead;
  }

  /// Before the first iteration of an inner loop stands what precedes the loop: of an instance that
  /// it stands before, the iterations of the loop; 0 of others.
  static std::size_t turns(const Statement& loop, bool nested, std::size_t at,
                           const Instance& each) {
    const Instance* const own = loop.step->of(each.run, each.rank);
    return nested && at == 0 && own != nullptr && own->count > 1
               ? static_cast<std::size_t>(own->count)
               : 0;
  }

  /// The number of the first occurrence behind the first iteration of the main loop, which begins
  /// with what precedes the loop and finds caches cold; 0 if there is no other.
  [[nodiscard]] std::size_t first_behind(const Instance& each) const {
    const Instance* const main = main_->of(each.run, each.rank);
    const auto iterations = main == nullptr ? 1 : static_cast<std::size_t>(main->count);
    const std::size_t all = each.occurrences.size();
    return iterations > 1 && all % iterations == 0 ? all / iterations : 0;
  }

  /// True if gaps before statement i have periods in all runs on one process.
  [[nodiscard]] bool has_periods(const Statement& loop, bool nested, std::size_t i) const {
    bool any = false;
    for (const Instance& each : loop.body[i].step->instances) {
      if (runs_.items[each.run].size() != 1) {
        continue;
      }
      any = true;
      const std::size_t every = turns(loop, nested, stands_before(loop.body, i, each), each);
      if (period_of(gaps_of(each.occurrences, first_behind(each), every, false)) == 1) {
        return false;
      }
    }
    return any;
  }

  /// What a process computes before a statement and before those that it lacks, as on one process
  /// that sends nothing, is shared among them like the time per element of processes that have
  /// them.
  void share(std::vector<Piece>& pieces, const std::vector<Statement>& body, bool around) const {
    std::vector<bool> common;
    common.reserve(body.size());
    for (const Statement& each : body) {
      common.push_back(std::ranges::any_of(each.step->instances, [this](const Instance& one) {
        return runs_.items[one.run].size() > 1;
      }));
    }
    std::vector<double> per_element(pieces.size());
    std::vector<bool> is_shown(pieces.size());  // by processes that have it alone
    std::map<std::pair<std::size_t, RunRank>, std::vector<std::size_t>> shared;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      double sum = 0.0;
      double alone = 0.0;
      for (const auto& [who, seconds] : pieces[i].seconds) {
        std::vector<std::size_t> all = covered(body, common, i, who, around);
        if (all.size() > 1) {
          shared[{i, who}] = std::move(all);
        } else {
          sum += seconds;
          alone += std::max(1.0, elements(blocks_.of(who.first, who.second)));
          per_element[i] = std::max(per_element[i], seconds);
        }
      }
      is_shown[i] = alone > 0.0;
      per_element[i] = per_element[i] < resume_seconds ? 0.0 : sum / alone;
    }
    for (const auto& [gap, all] : shared) {
      const auto& [at, who] = gap;
      double whole = 0.0;
      for (const std::size_t i : all) {
        whole += per_element[i];
      }
      if (whole > 0.0 && (is_shown[at] || !common[at])) {
        const double seconds = std::exchange(pieces[at].seconds[who], 0.0);
        for (const std::size_t i : all) {
          pieces[i].seconds[who] += seconds * per_element[i] / whole;
        }
      }
    }
  }

  void add(Piece piece, const std::map<RunRank, double>& times) {
    if (piece.seconds.empty()) {
      return;
    }
    for (const auto& [who, seconds] : piece.seconds) {
      const auto found = times.find(who);
      const double often = found == times.end() ? 1.0 : found->second;
      times_of_[piece.statement][who] = often;
      totals_[who] += often * seconds;
    }
    pieces_.push_back(std::move(piece));
  }

  const Runs& runs_;
  const Blocks& blocks_;
  const Step* main_ = nullptr;
  std::vector<Piece> pieces_;
  std::map<const Statement*, std::map<RunRank, double>> times_of_;
  Seconds totals_;
};

/// Times of runs on one process, if they have blocks of several volumes, else of all runs.
std::vector<TimeSample> samples_of(const Runs& runs, const Piece& piece, const Blocks& blocks,
                                   const std::vector<const Statement*>& loops, bool alone) {
  std::vector<TimeSample> samples;
  for (const auto& [who, seconds] : piece.seconds) {
    if (!alone || runs.items[who.first].size() == 1) {
      TimeSample sample{.block = blocks.of(who.first, who.second), .seconds = seconds};
      for (const Statement* const loop : loops) {
        const Instance* const turns = loop->step->of(who.first, who.second);
        sample.portions *= turns != nullptr ? static_cast<double>(turns->count) : 1.0;
      }
      if (std::find(sample.block.begin(), sample.block.end(), 0) == sample.block.end()) {
        samples.push_back(std::move(sample));
      }
    }
  }
  return samples;
}

/// The least time of the blocks with the most elements.
double seconds_of_largest(const std::vector<TimeSample>& samples) {
  std::pair<double, double> largest{0.0, 0.0};
  for (const TimeSample& sample : samples) {
    largest = std::max(largest, {elements(sample.block), -sample.seconds});
  }
  return -largest.second;
}

void leave_out(Program& program, double seconds) {
  program.left_out_seconds += seconds;
  program.pieces_left_out += seconds > 0.0 ? 1 : 0;
}

Computation constant_computation(const Piece& piece) {
  double seconds = 0.0;
  for (const auto& [who, each] : piece.seconds) {
    seconds = std::max(seconds, each);
  }
  Computation result;
  result.expression = fmt::format("{:.4g}", seconds);
  result.remark = "of one size of blocks";
  return result;
}

/// Around each statement, the loops that compute a block in portions.
using Loops = std::map<const Statement*, std::vector<const Statement*>>;

void find_loops(const std::vector<Statement>& statements,
                const std::vector<const Statement*>& around, Loops& loops) {
  for (const Statement& each : statements) {
    loops[&each] = around;
    std::vector<const Statement*> inside = around;
    if (!each.portions.empty()) {
      inside.push_back(&each);
    }
    find_loops(each.body, inside, loops);
  }
}

void fit_piece(const Runs& runs, const Blocks& blocks, const Loops& around, Program& program,
               const Piece& piece) {
  const std::vector<const Statement*>& loops = around.at(piece.statement);
  std::string portions;
  for (const Statement* const loop : loops) {
    portions += (portions.empty() ? "" : "/") + loop->portions;
  }
  double most = 0.0;
  for (const auto& [who, seconds] : piece.seconds) {
    most = std::max(most, seconds);
  }
  const bool minor = piece.share < minor_share;
  if (most < call_seconds || (minor && most < minor_seconds)) {
    leave_out(program, most);
    return;
  }
  for (const bool alone : {true, false}) {
    const std::vector<TimeSample> samples = samples_of(runs, piece, blocks, loops, alone);
    if (samples.empty()) {
      continue;
    }
    const double largest = seconds_of_largest(samples);
    if (largest < call_seconds ||
        (!alone && largest < resume_seconds && !follows_volume(samples))) {
      leave_out(program, largest);
      return;
    }
    piece.statement->before = fit_computation(samples, minor || !piece.parity.all(), portions);
    if (piece.statement->before) {
      const auto remark = [&](const char* text) {
        std::string& all = piece.statement->before->remark;
        all += (all.empty() ? "" : "; ") + std::string(text);
      };
      if (piece.periodic) {
        remark("the mean of times that repeat with a period");
      }
      if (!alone) {
        remark("from runs of several processes");
      }
      return;
    }
  }
  if (!minor) {
    throw InputError(
        places_text(runs, *piece.statement->step), 0,
        fmt::format("the computation before it, {}, is known for blocks of one volume only",
                    seconds_text(most)),
        "record runs on one process with other --extents, too: time per element and constant "
        "cannot be told apart");
  }
  piece.statement->before = constant_computation(piece);
}

/// Of others than the processes of the parity it takes no time.
void limit_to_parity(const Piece& piece) {
  if (std::optional<Computation>& before = piece.statement->before; before && !piece.parity.all()) {
    before->expression = fmt::format("{}*({})", piece.parity.expression(), before->expression);
  }
}

}  // namespace

void find_times(const Runs& runs, Program& program) {
  const Blocks blocks(runs, program.rule);
  std::set<std::vector<std::int64_t>> sizes;
  for (std::size_t run = 0; run < runs.items.size(); ++run) {
    if (runs.items[run].size() == 1) {
      sizes.insert(runs.extents[run]);
    }
  }
  program.time_runs = sizes.size();
  Loops loops;
  find_loops(program.statements, {}, loops);
  for (Statement& statement : program.statements) {
    if (statement.step->loop) {
      for (const Piece& piece : PieceFinder(runs, blocks).find(statement)) {
        fit_piece(runs, blocks, loops, program, piece);
        limit_to_parity(piece);
      }
    }
  }
}

}  // namespace gridcast::infer
