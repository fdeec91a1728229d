#include "gridcast/rules/repeats.h"

#include <algorithm>
#include <span>

#include "gridcast/rules/block_values.h"

namespace gridcast::model {
namespace {

/// Writes out operations from `at` on, to the end of the innermost repeat; returns where that is.
std::size_t write_out(GridMapping& mapping, std::span<const Op> ops, std::size_t at,
                      std::vector<Op>& result) {
  for (; at < ops.size() && ops[at].kind != Op::Kind::end_repeat; ++at) {
    if (ops[at].kind != Op::Kind::repeat) {
      result.push_back(ops[at]);
      continue;
    }
    const StatementSpec& statement = mapping.script().tables().statements[ops[at].statement()];
    BlockValues values(mapping, statement);
    values.at(0);
    const std::int64_t count = values.count(statement.formula);
    std::vector<Op> once;
    const std::size_t end = write_out(mapping, ops, at + 1, once);
    if (static_cast<double>(once.size()) * static_cast<double>(count) +
            static_cast<double>(result.size()) >
        static_cast<double>(most_unrolled)) {
      throw values.error("so many passes that nobody can wait for them",
                         "expected at most 4000000 operations");
    }
    for (std::int64_t i = 0; i < count; ++i) {
      result.insert(result.end(), once.begin(), once.end());
    }
    at = end;
  }
  return at;
}

}  // namespace

bool has_repeats(const Script& script) {
  return std::ranges::any_of(script.tables().ops,
                             [](const Op& op) { return op.kind == Op::Kind::repeat; });
}

std::vector<Op> unrolled(GridMapping& mapping) {
  std::vector<Op> result;
  write_out(mapping, mapping.script().tables().ops, 0, result);
  return result;
}

}  // namespace gridcast::model
