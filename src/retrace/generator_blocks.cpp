/// Statements over blocks of a description.

#include <algorithm>
#include <array>
#include <string>

#include "generator.h"
#include "gridcast/trace/limits.h"
#include "words.h"

namespace gridcast::trace {
namespace {

using BlockKind = BlockStatement::Kind;

using CollectiveName = std::pair<std::string_view, Collective>;
constexpr std::array collectives{CollectiveName{"allreduce", Collective::allreduce},
                                 CollectiveName{"broadcast", Collective::broadcast},
                                 CollectiveName{"reduce", Collective::reduce},
                                 CollectiveName{"barrier", Collective::barrier},
                                 CollectiveName{"gather", Collective::gather},
                                 CollectiveName{"scatter", Collective::scatter},
                                 CollectiveName{"allgather", Collective::allgather},
                                 CollectiveName{"alltoall", Collective::alltoall},
                                 CollectiveName{"alltoallv", Collective::alltoallv},
                                 CollectiveName{"scan", Collective::scan}};

using Algorithm = CollectiveAlgorithm;
using AlgorithmName = std::pair<std::string_view, Algorithm>;
constexpr std::array algorithms{AlgorithmName{"auto", Algorithm::automatic},
                                AlgorithmName{"doubling", Algorithm::doubling},
                                AlgorithmName{"tree", Algorithm::tree},
                                AlgorithmName{"linear", Algorithm::linear},
                                AlgorithmName{"rabenseifner", Algorithm::rabenseifner},
                                AlgorithmName{"ring", Algorithm::ring},
                                AlgorithmName{"binomial", Algorithm::binomial},
                                AlgorithmName{"scatter-ring", Algorithm::scatter_ring},
                                AlgorithmName{"dissemination", Algorithm::dissemination},
                                AlgorithmName{"pairwise", Algorithm::pairwise}};

/// Which algorithms an operation has beside auto.
std::vector<Algorithm> algorithms_of(Collective collective) {
  switch (collective) {
    case Collective::allreduce:
      return {Algorithm::doubling, Algorithm::tree, Algorithm::linear, Algorithm::rabenseifner,
              Algorithm::ring};
    case Collective::broadcast:
      return {Algorithm::binomial, Algorithm::scatter_ring};
    case Collective::reduce:
      return {Algorithm::tree, Algorithm::linear};
    case Collective::barrier:
      return {Algorithm::dissemination};
    case Collective::gather:
    case Collective::scatter:
      return {Algorithm::binomial};
    case Collective::allgather:
      return {Algorithm::doubling, Algorithm::ring};
    case Collective::alltoall:
    case Collective::alltoallv:
      return {Algorithm::linear, Algorithm::pairwise};
    case Collective::scan:
      return {Algorithm::doubling};
  }
  return {};
}

bool has_root(Collective collective) {
  return collective == Collective::broadcast || collective == Collective::reduce ||
         collective == Collective::gather || collective == Collective::scatter;
}

}  // namespace

BlockNames Generator::names_of(const BlockStatement& statement, bool partner) const {
  const bool over = statement.domain != BlockStatement::no_domain;
  return {.domain = over ? blocks_.domains[statement.domain].extents.size() : 0,
          .grid = std::max<std::size_t>(grid_rank_, 1),
          .partner = partner};
}

BlockStatement Generator::block_statement(const Settings& statement, BlockKind kind) const {
  BlockStatement made;
  made.kind = kind;
  made.line = statement.line();
  if (statement.has("over")) {
    const std::string name = statement.text("over");
    const auto found = domains_.find(name);
    if (found == domains_.end()) {
      statement.fail("over", "no domain is called '" + name + "'",
                     "expected the name of a [[domain]]");
    }
    made.domain = found->second;
  } else if (kind != BlockKind::repeat && kind != BlockKind::collective &&
             kind != BlockKind::compute) {
    statement.fail("over", "the statement names no domain", "expected the name of a [[domain]]");
  }
  return made;
}

void Generator::run(BlockStatement statement) {
  std::vector<BlockStatement>& known = blocks_.statements;
  const auto [begin, end] = statements_of_line_.equal_range(statement.line);
  const auto same =
      std::find_if(begin, end, [&](const auto& one) { return known[one.second] == statement; });
  const auto number = same == end ? static_cast<std::uint32_t>(known.size()) : same->second;
  if (same == end) {
    statements_of_line_.emplace(statement.line, number);
    known.push_back(std::move(statement));
  }
  emit_.call_lasting(0.0, "statement_", Lines().number("Statement", number), {});
}

void Generator::run_block_compute(const Settings& statement) {
  BlockStatement made = block_statement(statement, BlockKind::compute);
  made.formula = statement.formula("compute", names_of(made));
  run(std::move(made));
  statement.finish("compute, over");
}

void Generator::run_kernel(const Settings& statement) {
  BlockStatement made = block_statement(statement, BlockKind::compute);
  const std::string name = statement.text("kernel");
  const auto found = kernels_.find(name);
  if (found == kernels_.end()) {
    statement.fail("kernel", "no kernel is called '" + name + "'",
                   "expected the name of a [[kernel]]");
  }
  if (made.domain == BlockStatement::no_domain) {
    statement.fail("kernel", "the statement names no domain", "expected over = \"…\"");
  }
  made.table = found->second;
  run(std::move(made));
  statement.finish("kernel, over");
}

NeighbourMessage Generator::neighbour_message(const Settings& entry, std::string_view key,
                                              const BlockStatement& of) const {
  NeighbourMessage made;
  made.offset = entry.wholes(key);
  if (made.offset.size() > std::max<std::size_t>(grid_rank_, 1)) {
    entry.fail(
        key, std::to_string(made.offset.size()) + " offsets",
        "expected one for each of the " + std::to_string(grid_rank_) + " dimensions of the grid");
  }
  if (std::ranges::all_of(made.offset, [](std::int64_t step) { return step == 0; })) {
    entry.fail(key, "the process itself", "expected an offset that is not 0");
  }
  made.offset.resize(most_grid_dimensions, 0);
  made.count = entry.has("count") ? entry.formula("count", names_of(of))
                                  : Formula{{FormulaStep::Kind::number, 0, 1.0}};
  if (key == "to") {
    made.bytes = entry.formula("bytes", names_of(of));
  }
  return made;
}

/// Of messages that are matched one by one the grid must not decide how many there are.
std::int64_t Generator::fixed_count(const Settings& entry) {
  const std::int64_t count = entry.whole("count", 1);
  constexpr std::int64_t most = 1'000'000;
  if (count < 0 || count > most) {
    entry.fail("count", "out of range", "expected a number from 0 to a million");
  }
  return count;
}

void Generator::run_single(const Settings& statement, std::string_view key, BlockKind kind) {
  BlockStatement made = block_statement(statement, kind);
  made.tag = statement.has("tag") ? statement.text("tag") : std::string();
  const bool sends = kind == BlockKind::send;
  for (const Settings& entry : statement.tables(key)) {
    const std::int64_t count = fixed_count(entry);
    made.messages = {neighbour_message(entry, sends ? "to" : "from", made)};
    made.messages.front().count.clear();
    entry.finish(sends ? "to, bytes, count" : "from, count");
    for (std::int64_t i = 0; i < count; ++i) {
      run(made);
    }
  }
}

void Generator::run_send(const Settings& statement) {
  const bool only = statement.flag("only", false);
  const bool blocking = statement.flag("blocking", false);
  const bool starts = statement.has("start");
  if (only ? starts : blocking && starts) {
    statement.fail("start", "what blocks cannot be waited for later",
                   "expected a phase without only and blocking");
  }
  if (only) {
    run_single(statement, "send", BlockKind::send);
    statement.finish("send, over, only, tag, blocking");
    return;
  }
  BlockStatement made = block_statement(statement, starts     ? BlockKind::start
                                                   : blocking ? BlockKind::turns
                                                              : BlockKind::phase);
  if (statement.has("tag")) {
    statement.fail("tag", "a phase matches its own messages", "expected it with only = true");
  }
  for (const Settings& entry : statement.tables("send")) {
    made.messages.push_back(neighbour_message(entry, "to", made));
    entry.finish("to, bytes, count");
  }
  if (starts) {
    const std::uint64_t reference = start(statement, Started::Kind::messages).reference;
    made.operation = operations_.try_emplace(reference, blocks_.operations).first->second;
    blocks_.operations = static_cast<std::uint32_t>(operations_.size());
  }
  run(std::move(made));
  statement.finish("send, over, blocking, only, start");
}

void Generator::run_receive(const Settings& statement) {
  run_single(statement, "receive", BlockKind::receive);
  statement.finish("receive, over, tag");
}

void Generator::wait_for_messages(const Settings& statement, std::uint64_t reference) {
  BlockStatement made;
  made.kind = BlockKind::wait;
  made.line = statement.line();
  made.operation = operations_.at(reference);
  run(std::move(made));
}

void Generator::run_collective(const Settings& statement) {
  BlockStatement made = block_statement(statement, BlockKind::collective);
  made.collective = one_of(statement, "collective", collectives);
  if (statement.has("algorithm")) {
    made.algorithm = one_of(statement, "algorithm", algorithms);
    const std::vector<Algorithm> known = algorithms_of(made.collective);
    if (made.algorithm != Algorithm::automatic &&
        std::ranges::find(known, made.algorithm) == known.end()) {
      std::string words = "auto";
      for (const AlgorithmName& one : algorithms) {
        if (std::ranges::find(known, one.second) != known.end()) {
          words += ", " + std::string(one.first);
        }
      }
      statement.fail("algorithm", statement.text("collective") + " has none of this name",
                     "expected one of " + words);
    }
  }
  if (statement.has("across")) {
    made.across = statement.wholes("across");
    for (const std::int64_t dim : made.across) {
      if (dim < 1 || dim > static_cast<std::int64_t>(most_grid_dimensions) ||
          std::count(made.across.begin(), made.across.end(), dim) > 1) {
        statement.fail(
            "across", "no dimensions of the grid",
            "expected numbers from 1 to " + std::to_string(most_grid_dimensions) + ", each once");
      }
    }
    std::sort(made.across.begin(), made.across.end());
  }
  if (statement.has("root")) {
    made.root = statement.wholes("root");
    const bool negative = std::ranges::any_of(made.root, [](std::int64_t at) { return at < 0; });
    if (!has_root(made.collective) || negative ||
        made.root.size() >
            std::max<std::size_t>(made.across.empty() ? most_grid_dimensions : made.across.size(),
                                  1)) {
      statement.fail("root", "no root of this operation",
                     "expected a coordinate from 0 per dimension of across, for broadcast, reduce, "
                     "gather or scatter");
    }
  }
  if (made.collective != Collective::barrier) {
    made.formula =
        statement.formula("bytes", names_of(made, made.collective == Collective::alltoallv));
  }
  run(std::move(made));
  statement.finish("collective, over, across, bytes, root, algorithm");
}

bool Generator::is_over_blocks(const Settings& statement) const {
  return statement.has("over") ||
         (statement.is_text("compute") && depends_on_grid(statement, "compute"));
}

bool Generator::depends_on_grid(const Settings& statement, std::string_view key) const {
  if (blocks_.domains.empty()) {
    return false;
  }
  const Formula formula = statement.formula(key, names_of(BlockStatement{}));
  return std::ranges::any_of(
      formula, [](const FormulaStep& step) { return step.kind == FormulaStep::Kind::grid; });
}

void Generator::begin_repeat(const Settings& statement) {
  BlockStatement made = block_statement(statement, BlockKind::repeat);
  made.formula = statement.formula("repeat", names_of(made));
  run(std::move(made));
}

void Generator::end_repeat(const Settings& statement) {
  BlockStatement made;
  made.kind = BlockKind::end_repeat;
  made.line = statement.line();
  run(std::move(made));
}

}  // namespace gridcast::trace
