#pragma once
/// What a .par file says, checked statement by statement but not yet put together: names are still
/// names, and costs are still in microseconds. Both formats end here.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid.h"
#include "par_statements.h"

namespace gridcast::machine::par {

/// CommType: a network of its own, or the one of another cluster.
struct Comm {
  NetworkType type = NetworkType::ethernet;
  std::int32_t channels = 1;
  std::string copied_from;  ///< name of the other cluster; empty: none
};

/// `COUNT x NAME` in a composite.
struct Part {
  std::int64_t count = 1;
  std::string name;
  std::size_t line = 0;
};

/// What a message costs on a network, and up to which length it is passed eagerly.
enum class Cost : std::uint8_t { start, byte, send, receive, gap, eager, detach };
inline constexpr std::size_t cost_count = 7;

/// The costs of a network that are given, in the order of Cost: microseconds, `byte` per byte;
/// limits in bytes.
using Costs = std::array<std::optional<double>, cost_count>;

/// Costs that an attribute of a cluster stands for, in the spelling of .par files.
struct CostName {
  std::vector<Cost> costs;  ///< empty: the attribute is none of a cost
  bool loggp = false;       ///< a name of LogGP: L, o, o_s, o_r, g, G
};
CostName cost_named(std::string_view attribute);

/// TStart, TByte, TSend, TRecv, TGap, EagerLimit or DetachLimit.
std::string_view name_of(Cost cost);

/// Costs of the run-time library: TCollective, TLoad, TPortion, TCopy (per byte), TArray. In
/// microseconds.
inline constexpr std::size_t library_cost_count = 5;
using LibraryCostList = std::array<std::optional<double>, library_cost_count>;
/// The number of the cost that an attribute names; library_cost_count if none.
std::size_t library_cost_named(std::string_view attribute);
std::string_view library_cost_name(std::size_t number);

/// One processor (performance) or composite (parts).
struct Definition {
  std::string name;
  std::size_t line = 0;
  std::optional<double> performance;
  std::vector<Part> parts;
  std::optional<Comm> comm;
  std::size_t comm_line = 0;
  Costs costs;
  std::vector<Segment> segments;  ///< in microseconds; empty: none given
  std::size_t segments_line = 0;
  LibraryCostList library;
  AllreduceTable allreduce;      ///< of the run-time library, too
  std::size_t library_line = 0;  ///< of the first of those costs
  std::string ports_name;        ///< first attribute that only a network of ports can have, if any
  std::size_t ports_line = 0;    ///< where it is

  std::optional<double> price;            ///< of one per hour
  bool is_node = false;                   ///< IsNode = yes
  std::size_t mark_line = 0;              ///< of IsNode or Price, which make it a node
  std::vector<ThreadEfficiency> threads;  ///< of a processor, ascending; empty: none given

  [[nodiscard]] bool is_processor() const noexcept { return performance.has_value(); }
};

/// A whole file.
struct Description {
  std::string top;
  std::size_t top_line = 0;
  int search_mode = 0;
  std::optional<Grid> topology;
  std::size_t topology_line = 0;
  std::vector<Definition> definitions;  ///< in order of the file

  /// The definition of `name` in any case, if there is one.
  [[nodiscard]] Definition* find(std::string_view name);
};

/// Reads a file of either format. Throws InputError with `file` and line.
Description describe(std::string_view text, const std::string& file);

/// Puts `statements` of the 2000 format together ([Predictor2000]). Throws InputError.
Description describe_2000(std::span<const Statement> statements, const std::string& file);

/// True if this statement occurs only in the 2000 format.
bool is_of_2000(const Statement& statement);

/// Gives a definition the costs that a statement names. Throws InputError with `file` and the line.
void set_costs(Definition& definition, const CostName& name, const Statement& statement,
               const std::string& file);

/// Reads Price or IsNode, which any description may have, into a definition; false if the statement
/// is another one. Throws InputError with `file` and the line.
bool set_mark(Definition& definition, const Statement& statement, const std::string& file);

/// Costs of the run-time library, in seconds.
LibraryCosts library_costs(const Definition& top);

/// The description in the 2010 format; reading it back gives the same description, lines aside.
std::string canonical_text(const Description& description);

/// Applies one assignment of Cluster::set(). Throws InputError.
void apply(Description& description, const Statement& assignment);

/// The description as processes of `threads` threads see it (Cluster::with_threads). Throws
/// InputError.
Description with_threads(Description description, std::int32_t threads, const std::string& file);

/// "{0 (0.4, 0.0002), 4096 (4.3, 0.0001)}".
std::string segments_text(const std::vector<Segment>& segments);

/// "auto", "mpich", "openmpi" or "{64 2048 doubling}".
std::string allreduce_text(const AllreduceTable& table);

/// "{1 (1), 4 (0.9)}".
std::string threads_text(const std::vector<ThreadEfficiency>& threads);

/// The values of statements, with their limits. All throw InputError with `file` and the line.
/// @{
double performance(const Statement& statement, const std::string& file);
double microseconds(const Statement& statement, const std::string& file);
double bytes(const Statement& statement, const std::string& file);
double price(const Statement& statement, const std::string& file);
std::vector<ThreadEfficiency> threads(const Statement& statement, const std::string& file);
std::vector<Segment> segments(const Statement& statement, const std::string& file);
AllreduceTable allreduce(const Statement& statement, const std::string& file);
bool yes_or_no(const Statement& statement, const std::string& file);
Comm comm(const Statement& statement, const std::string& file);
std::int64_t count(const Number& number, std::size_t line, const std::string& what,
                   const std::string& file);
int search_mode(const Statement& statement, const std::string& file);
Grid topology(const Statement& statement, const std::string& file);
/// @}

/// "ethernet", "transputer", "myrinet (4)" or "ports".
std::string comm_text(NetworkType type, std::int32_t channels);

}  // namespace gridcast::machine::par
