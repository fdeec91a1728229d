// Allreduce: the algorithms of a machine by the number of processes and bytes.
#include <algorithm>
#include <bit>
#include <string>
#include <variant>

#include "gridcast/base/error.h"
#include "gridcast/machine/allreduce.h"
#include "par_description.h"
#include "par_tokens.h"

namespace gridcast::machine {
namespace {

using Rule = AllreduceTable::Rule;

constexpr double most_doubled = 2048.0;               // bytes
constexpr std::int64_t most = std::int64_t{1} << 53;  // processes and bytes

// Where Open MPI 4.1 to 5.0 changes its algorithm. A ring of fewer values than processes is its
// doubling, and a reduction followed by a broadcast counts as trees.
constexpr std::array<AllreduceTable::Row, 22> openmpi_rows{{
    {3, 4095, ReductionKind::doubling},        {3, 8191, ReductionKind::ring},
    {3, 16383, ReductionKind::doubling},       {3, 262143, ReductionKind::ring},
    {3, most, ReductionKind::rabenseifner},    {15, 8191, ReductionKind::doubling},
    {15, most, ReductionKind::rabenseifner},   {31, 4095, ReductionKind::doubling},
    {31, most, ReductionKind::rabenseifner},   {63, 127, ReductionKind::doubling},
    {63, most, ReductionKind::rabenseifner},   {127, 262143, ReductionKind::doubling},
    {127, most, ReductionKind::rabenseifner},  {255, 131071, ReductionKind::tree},
    {255, 262143, ReductionKind::doubling},    {255, most, ReductionKind::rabenseifner},
    {511, 4095, ReductionKind::tree},          {511, most, ReductionKind::rabenseifner},
    {most, 2047, ReductionKind::tree},         {4095, 16383, ReductionKind::doubling},
    {4095, most, ReductionKind::rabenseifner}, {most, 32767, ReductionKind::doubling},
}};

struct RuleWord {
  std::string_view text;
  Rule value;
};
constexpr std::array rule_words{RuleWord{"auto", Rule::usual}, RuleWord{"mpich", Rule::mpich},
                                RuleWord{"openmpi", Rule::openmpi}};

[[noreturn]] void wrong_table(const std::string& file, std::size_t line, const std::string& what) {
  throw InputError(file, line, what,
                   "expected auto, mpich, openmpi, or up to how many processes and bytes which "
                   "algorithm, as {64 2048 doubling, 1024 10000000 ring}");
}

AllreduceTable::Row row(const par::ListEntry& entry, const std::string& subject,
                        const std::string& file) {
  const auto limit = [&](const par::Number& number) {
    const auto found = par::integer(number.text);
    if (!found || *found < 1 || *found > most) {
      wrong_table(file, entry.line,
                  par::in_quotes(subject) + " has the limit " + par::in_quotes(number.text));
    }
    return *found;
  };
  if (!entry.number || entry.arguments.size() != 1 || entry.name.empty()) {
    wrong_table(file, entry.line, par::in_quotes(subject) + " has an entry of another form");
  }
  const auto found = std::ranges::find(reduction_words, lowered(entry.name), &ReductionWord::text);
  if (found == reduction_words.end() || found->value == ReductionKind::automatic) {
    wrong_table(file, entry.line,
                par::in_quotes(subject) + " names the algorithm " + par::in_quotes(entry.name));
  }
  return {limit(*entry.number), limit(entry.arguments.front()), found->value};
}

}  // namespace

std::span<const AllreduceTable::Row> AllreduceTable::lines() const noexcept {
  return rule == Rule::openmpi ? std::span<const Row>(openmpi_rows) : rows;
}

ReductionKind AllreduceTable::choose(double bytes, double processes) const noexcept {
  const double values = bytes / reduced_value;
  const double paired =  // processes that exchange parts
      static_cast<double>(std::bit_floor(static_cast<std::uint64_t>(processes)));
  const std::span<const Row> all = lines();
  const auto row = std::ranges::find_if(all, [&](const Row& each) {
    return processes <= static_cast<double>(each.processes) &&
           bytes <= static_cast<double>(each.bytes);
  });
  if (rule == Rule::openmpi && (row == all.end() || row->kind == ReductionKind::rabenseifner)) {
    // Where some have no value, one gathers all.
    return values < paired ? ReductionKind::linear : ReductionKind::rabenseifner;
  }
  if (row != all.end()) {
    return row->kind;
  }
  return bytes <= most_doubled || values < (rule == Rule::mpich ? paired : processes)
             ? ReductionKind::doubling
             : ReductionKind::rabenseifner;
}

namespace par {

AllreduceTable allreduce(const Statement& statement, const std::string& file) {
  AllreduceTable table;
  if (const auto* word = std::get_if<Word>(&statement.value)) {
    const auto found = std::ranges::find(rule_words, lowered(word->text), &RuleWord::text);
    if (found != rule_words.end()) {
      table.rule = found->value;
      return table;
    }
    wrong_table(file, statement.value_line,
                in_quotes(statement.subject()) + " is " + in_quotes(word->text));
  }
  const auto* list = std::get_if<List>(&statement.value);
  if (list == nullptr) {
    wrong_table(file, statement.value_line, in_quotes(statement.subject()) + " is no table");
  }
  for (const ListEntry& entry : list->entries) {
    table.rows.push_back(row(entry, statement.subject(), file));
  }
  return table;
}

std::string allreduce_text(const AllreduceTable& table) {
  if (table.rows.empty()) {
    return std::string(std::ranges::find(rule_words, table.rule, &RuleWord::value)->text);
  }
  std::string result;
  for (const AllreduceTable::Row& each : table.rows) {
    result +=
        (result.empty() ? "{" : ", ") + std::to_string(each.processes) + " " +
        std::to_string(each.bytes) + " " +
        std::string(std::ranges::find(reduction_words, each.kind, &ReductionWord::value)->text);
  }
  return result + "}";
}

}  // namespace par
}  // namespace gridcast::machine
