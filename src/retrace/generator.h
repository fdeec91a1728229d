#pragma once
/// Runs a program description: each statement as the calls that a compiled program would make.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "call_emitter.h"
#include "gridcast/trace/statements.h"
#include "mapping_text.h"
#include "settings.h"

namespace gridcast::trace {

class Generator {
public:
  /// `names` are the parameters; indices of loops come and go in it. All must outlive the object.
  Generator(CallEmitter& emitter, Names& names) : emit_(emitter), names_(names) {}

  /// The processor grid of the description, empty if it has none.
  static Extents grid_of(const Settings& top);

  /// [[processors]], [[task]], [[template]], [[array]] of the top table.
  void declare(const Settings& top);
  /// [[do]] of a table, in order.
  void run(const Settings& block);
  /// Computation that no call follows.
  void flush();
  /// What calls of statement_ name.
  [[nodiscard]] BlockProgram& blocks() noexcept { return blocks_; }

private:
  struct System {
    std::uint64_t reference = 0;
    Extents extents;  ///< in the grid of the description
  };
  struct Template {
    std::uint64_t reference = 0;
    Extents extents;
  };
  /// How the dimensions of an array lie over its template: position = scale * index + offset.
  struct Composition {
    std::size_t target_rank = 0;  ///< 0: not laid over a template
    Extents scale, offset;
  };
  struct Array {
    ArrayName name;
    Extents extents;
    std::int64_t element_size = 8;
    Composition over;
    [[nodiscard]] std::size_t rank() const { return extents.size(); }
  };
  /// What something is laid over.
  struct Pattern {
    PatternName name;
    Extents extents;
    Composition over;  ///< of the pattern's own dimensions
  };
  struct Task {
    std::int64_t number = 0;
    std::uint64_t machine = 0;
  };
  /// A started operation that a later `wait` names.
  struct Started {
    enum class Kind : std::uint8_t { exchange, copy, messages };
    Kind kind = Kind::exchange;
    std::uint64_t reference = 0;
    bool running = false;
  };

  // generator_objects.cpp
  void declare_systems(const Settings& top);
  System parent_system(const Settings& table);
  System reshaped_system(const Settings& table, const System& parent);
  System part_of_system(const Settings& table, const System& parent);
  void declare_tasks(const Settings& top);
  void declare_template(const Settings& table);
  void declare_array(const Settings& table);
  std::uint64_t distributed_template(const Settings& table, const Extents& extents);
  void set_weights(const Settings& table, std::uint64_t target, std::uint64_t system);
  std::vector<std::int64_t> distribution(const Settings& table, std::size_t rank);
  /// 1 for each dimension whose ends are neighbours; empty if nothing is said.
  static Extents periodic(const Settings& table, std::size_t rank);
  [[nodiscard]] std::uint64_t system_of(const Settings& table) const;
  void check_new(const Settings& table, const std::string& name) const;
  [[nodiscard]] const Array& array(const Settings& where, std::string_view key,
                                   const std::string& name) const;
  [[nodiscard]] Pattern pattern(const Settings& where, std::string_view key,
                                const MappingText& mapping) const;
  [[nodiscard]] MappingText mapping_of_array(const Settings& where, std::size_t rank) const;

  // generator_checks.cpp: what a reader or the model would refuse
  static void check_grid(const Settings& where, const Extents& grid);
  /// Edges that are wider than the array.
  static void check_shadow(const Settings& where, const Extents& extents, const Extents& low,
                           const Extents& high);
  /// Iterations whose element of the pattern does not exist.
  static void check_inside(const Settings& where, const MappingText& mapping,
                           const Extents& extents, const std::vector<IndexRange>& ranges);
  static void check_extents(const Settings& where, const Extents& extents,
                            std::int64_t element_size);
  static void check_weights(const Settings& where, std::string_view key,
                            const std::vector<std::vector<double>>& lists);
  /// The mapping of `rank` dimensions over a pattern, composed with the pattern's own.
  static Composition compose(const Settings& where, std::string_view key,
                             const MappingText& mapping, const Composition& pattern,
                             std::size_t rank);
  /// Positions of the iterations of a loop.
  static void check_loop(const Settings& where, std::string_view key, const Composition& over,
                         const std::vector<IndexRange>& ranges);
  static void check_remote(const Settings& where, const MappingText& mapping,
                           const std::vector<IndexRange>& ranges);
  struct Section {
    Extents first, last, step;  ///< as the library has them: -1 for a whole dimension
    Extents counts;             ///< elements of the dimensions with more than one (or none)
  };
  static Section section(const Settings& where, std::string_view key, const SectionText& text,
                         const Extents& extents);

  // generator_statements.cpp
  void run_statement(const Settings& statement);
  void take_place(const Settings& statement);
  void run_repeat(const Settings& statement);
  static void require_few_calls(const Settings& statement, double least);
  void run_interval(const Settings& statement);
  void begin_interval(const Settings& statement, const std::string& type);
  void end_interval(const std::string& type, std::uint32_t line);
  void run_compute(const Settings& statement);
  void run_task(const Settings& statement);
  void run_exchange(const Settings& statement);
  void run_wait(const Settings& statement);
  void run_copy(const Settings& statement);
  void run_redistribute(const Settings& statement);
  void run_realign(const Settings& statement);
  void run_io(const Settings& statement);
  /// The operation that `start` of a statement names, now running.
  const Started& start(const Settings& statement, Started::Kind kind);
  /// The running operation that `key` names, running no more.
  const Started& finish_started(const Settings& statement, std::string_view key,
                                std::optional<Started::Kind> kind);

  // generator_loops.cpp
  void run_loop(const Settings& statement);
  /// Faces of an array and what of an element an exchange sends over them.
  struct FaceBytes {
    std::int64_t bytes = 0;       ///< 0: all of the element
    std::vector<bool> low, high;  ///< per dimension; empty: all faces
    /// The widths, 0 where a side is not among the faces.
    [[nodiscard]] Extents kept(Extents widths, const std::vector<bool>& sides) const;
  };
  static std::vector<FaceBytes> face_bytes(const Settings& part, const Array& array, bool corners);
  void fill_shadow_group(const Settings& statement, std::string_view key, std::uint64_t group);
  std::uint64_t reduction_group(const Settings& statement, std::uint64_t loop);
  void load_remote(const Settings& statement, std::uint64_t loop,
                   const std::vector<IndexRange>& ranges);
  std::vector<std::uint64_t> pipeline(const Settings& statement, const MappingText& mapping,
                                      const std::vector<IndexRange>& ranges);
  void run_portions(const Settings& statement, std::uint64_t loop,
                    const std::vector<IndexRange>& ranges);
  Extents widths(const Settings& where, std::string_view key, std::size_t rank,
                 std::int64_t otherwise) const;

  // generator_blocks.cpp
  void declare_domains(const Settings& top);
  void declare_domain(const Settings& table);
  void declare_kernels(const Settings& top);
  /// What expressions of a statement may name.
  [[nodiscard]] BlockNames names_of(const BlockStatement& statement, bool partner = false) const;
  /// One with its line and domain.
  [[nodiscard]] BlockStatement block_statement(const Settings& statement,
                                               BlockStatement::Kind kind) const;
  void run(BlockStatement statement);
  /// Whether `compute` is what a process does with its block.
  [[nodiscard]] bool is_over_blocks(const Settings& statement) const;
  [[nodiscard]] bool depends_on_grid(const Settings& statement, std::string_view key) const;
  void run_block_compute(const Settings& statement);
  void run_kernel(const Settings& statement);
  void run_send(const Settings& statement);
  void run_receive(const Settings& statement);
  void run_single(const Settings& statement, std::string_view key, BlockStatement::Kind kind);
  void run_collective(const Settings& statement);
  void wait_for_messages(const Settings& statement, std::uint64_t reference);
  void begin_repeat(const Settings& statement);
  void end_repeat(const Settings& statement);
  [[nodiscard]] NeighbourMessage neighbour_message(const Settings& entry, std::string_view key,
                                                   const BlockStatement& of) const;
  static std::int64_t fixed_count(const Settings& entry);

  CallEmitter& emit_;
  Names& names_;
  double passes_ = 1.0;  ///< of the block that runs, by the repetitions around it
  std::int64_t passes_run_ = 0;
  System root_;
  std::uint64_t task_template_ = 0;
  std::map<std::string, System> systems_;
  std::map<std::string, Template> templates_;
  std::map<std::string, Array> arrays_;
  std::map<std::string, Task> tasks_;
  std::map<std::string, Started> started_;
  std::size_t grid_rank_ = 0;  ///< most dimensions of the grid that a domain or array uses
  BlockProgram blocks_;
  std::map<std::string, std::uint32_t> domains_;
  std::map<std::string, std::vector<double>> kernels_;  ///< points and seconds
  std::map<std::uint64_t, std::uint32_t> operations_;   ///< numbers of started phases
  std::multimap<std::uint32_t, std::uint32_t> statements_of_line_;
};

}  // namespace gridcast::trace
