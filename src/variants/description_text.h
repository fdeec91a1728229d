#pragma once
/// Program descriptions as TOML tables: what variants change about them.

#include <toml++/toml.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gridcast::variants {

/// Seconds of operations, by their names.
using Costs = std::map<std::string, double, std::less<>>;

/// What a variant changes; complaints name its file and line.
struct Changes {
  std::string file;
  std::size_t line = 0;
  std::set<std::string> features;                 ///< what `when` and `unless` ask for
  std::map<std::string, toml::table> arrays;      ///< keys of arrays and templates, by name
  std::map<std::string, toml::table> statements;  ///< keys of statements, by label
  Costs costs;
  std::string folder;  ///< where traces are looked for
};

/// Applies the changes: keys replaced, statements left out, counted operations and traces turned
/// into times. Throws InputError for names that the description does not have.
void apply(const Changes& changes, toml::table& description);

/// A branch as the description has it.
struct FoundBranch {
  std::string name;
  std::vector<double> probabilities;
};

/// The branches of a description with changes applied. Throws InputError for probabilities that are
/// none.
[[nodiscard]] std::vector<FoundBranch> branches_of(const toml::table& description,
                                                   const std::string& file, std::size_t line);

/// How statements are written out.
struct Expansion {
  std::map<std::string, std::size_t> choice;  ///< case of each branch
  bool marked = false;                        ///< every statement as an interval
  std::string counted;                        ///< a branch that only marks its execution
  std::map<std::int64_t, std::string>* places = nullptr;  ///< of the marks
};

/// The expression of the interval that stands for the counted branch.
inline constexpr std::int64_t counted_mark = 1'999'999'999;

/// The description without what only variants know: branches resolved, labels taken out.
[[nodiscard]] std::string expanded(const toml::table& description, const Expansion& expansion);

}  // namespace gridcast::variants
