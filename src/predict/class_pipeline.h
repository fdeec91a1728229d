#pragma once
/// Internal: simulation of a pipelined loop on equal processors of the root grid, on one network or
/// in a tree of equal ones (docs/model.md §6). What does not depend on the loop's time is worked
/// out once per grid: a processor's block is a product over the dimensions, so processors are of
/// few kinds.

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "class_mapping.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/network/edge_networks.h"
#include "gridcast/network/rowed_ends.h"
#include "gridcast/rules/pipeline_formulas.h"
#include "gridcast/rules/portions.h"
#include "portion_events.h"

namespace gridcast::model {

using network::NetworkLevel;
using network::RowedEnds;
using network::RowShape;

/// What a pipelined loop runs on.
struct PipelineMachine {
  machine::Network network;  ///< the one that connects all
  std::span<const NetworkLevel>
      levels;                 ///< those of a tree, the lowest first; empty: only that one
  double inverse = 1.0;       ///< processors take 1/inverse of the tracing machine's speed
  double portion_cost = 0.0;  ///< TPortion
  Interruption* interruption = nullptr;  ///< where portions are counted
};

/// What the networks carry when a pipelined loop starts.
struct PipelineCarried {
  std::vector<double> channels;  ///< one network of channels: when those are free again
  const network::ClassExchange* exchange =
      nullptr;              ///< tree or ports: an exchange that started on idle ones
  double start = 0.0;       ///< when it did
  bool waited_for = false;  ///< by all that it concerns
};

/// What a pipelined loop did to the processors.
struct ClassPipelineTimes {
  std::vector<double> finish;  ///< clock of each processor after the last portion
  double waiting = 0.0;        ///< Σ, for edges
  double overlap = 0.0;        ///< Σ, of edges with computation
  double busy_until = 0.0;     ///< the network is free from then on
};

class ClassPipeline {
public:
  /// Looks at the loop on the grid of `mapping`, whose levels outlive this. Returns false if it
  /// runs without dependences between processors.
  bool prepare(const ClassMapping& mapping, const PipelineSpec& spec,
               const PipelineMachine& machine);

  /// The loop takes `call` seconds from now on: chooses its portions. Clocks, the times of what the
  /// networks carry and the results are counted from `origin`.
  void begin(double call, double origin);

  /// Runs the loop from the given clocks. `steady`: portions of the steady state are extrapolated.
  void run(bool steady, std::span<const double> clocks, const PipelineCarried& carried,
           ClassPipelineTimes& times);

  /// The same by rows of processors, if the clocks of a class are equal: `starts` per class, and
  /// `finish` in place of those of `times`. False if the loop or the networks are not made for
  /// that.
  bool run_rows(std::span<const double> starts, const PipelineCarried& carried, RowedEnds& finish,
                ClassPipelineTimes& times);

private:
  struct Line {  // one pipelined dimension of the grid
    int dim = -1;
    bool ascending = true;
    std::int64_t step = 1;  // of processor numbers: receiver - sender of an edge
    std::vector<std::pair<double, std::int64_t>> widths;  // element size and width per array
  };
  /// Processors with equal blocks and neighbours.
  struct Kind {
    double cut = 0.0;          ///< iterations per quantised point
    std::uint32_t length = 0;  ///< different ones, numbered
    std::uint32_t predecessors = 0;
    std::uint32_t first_line = 0;  ///< along which it sends; the number of lines if it does not
    double send_cost = 0.0;        ///< of the edges of a portion
    bool runs = false;
    std::array<double, machine::max_grid_rank> bytes{};  ///< of an edge, per quantised point
    std::array<bool, machine::max_grid_rank> sends{};    ///< per line
  };
  /// A portion of one processor.
  struct Cell {
    double begin = 0.0, end = 0.0;
    double arrival = -HUGE_VAL;                     // of the last edge that it needs
    double longest_begin = 0.0, longest_end = 0.0;  // its longest edge
    std::uint32_t missing = 0;                      // edges still to come
  };
  struct Progress {  // of a processor
    std::uint32_t begun = 0, ended = 0;
    std::uint32_t line = 0;  // along which it sends next
    double free = 0.0;       // from then on: its last portion and what sending it costs
    double waiting = 0.0, overlap = 0.0;
  };

  /// Rows of processors, one after the other.
  struct Row {
    std::size_t run = 0, run_before = 0;  // of the dimension that rows follow each other in
    bool has_before = false;              // not the first one
    std::vector<double> ends, before;     // per cell: of portions, here and in the row before
    std::vector<double> rates, arrived, finish;  // from row to row; the last edge; with sending
  };
  /// An edge of a cell of a row, by the end of its sender.
  struct Incoming {
    double end = 0.0, rate = 0.0;
    const Kind* from = nullptr;
    std::uint32_t line = 0;
  };
  struct Message {
    double ready = 0.0, arrival = 0.0, length = 0.0;
    std::uint32_t line = 0;
    bool sent = false;  // not empty
  };

  void collect_lines(const ClassMapping& mapping, const PipelineSpec& spec);
  void collect_shape(const ClassMapping& mapping, const ClassLayout& loop);
  /// Networks that edges go over; returns the seconds per byte of the slowest.
  double collect_networks(const ProcessorClasses& classes);
  void collect_kinds(const ClassMapping& mapping, const ClassLayout& loop);
  [[nodiscard]] Kind kind_of(const ClassMapping& mapping, const ClassLayout& loop,
                             std::size_t which) const;
  void lay_out();

  /// Simulates a pipeline of the first count - 1 portions and the last; returns their quantised
  /// points.
  double simulate_first(std::size_t count, std::span<const double> clocks,
                        const PipelineCarried& carried, ClassPipelineTimes& times);
  /// Sends what the networks carry when the loop starts.
  template <class Medium>
  void carry(const PipelineCarried& carried, Medium& medium) const;
  [[nodiscard]] double portion_time(const Kind& kind) const noexcept {
    return time_per_iteration_ * kind.cut * sizes_.front();
  }
  void shape_rows();
  [[nodiscard]] bool rows_known(std::span<const double> starts,
                                const PipelineCarried& carried) const;
  std::uint32_t edges_to(const Row& row, std::size_t cell,
                         std::array<Incoming, machine::max_grid_rank>& edges) const;
  [[nodiscard]] Message message_of(const Incoming& edge) const;
  /// When these edges have been received and a portion can begin; `last`: no arrival is later.
  double received_of(std::span<const Incoming> edges, double free, double& last);
  void compute_row(std::span<const double> starts, Row& row);
  bool repeats(Row& row);
  void add_rows(std::span<const double> starts, std::int64_t count, Row& row, RowedEnds& finish,
                ClassPipelineTimes& times);
  template <class Medium>
  void simulate(std::span<const double> clocks, Medium& medium);
  template <class Medium>
  void send_edges(std::uint32_t p, double now, Medium& medium);
  void note_arrival(std::uint32_t to, std::size_t line, std::uint32_t portion, double ready,
                    double arrival);
  void begin_portion(std::uint32_t p);
  /// When the edges of a portion have been received, by a processor that is free at that time.
  [[nodiscard]] double received(std::uint32_t p, std::uint32_t portion, double free);
  [[nodiscard]] std::uint32_t next_line(const Kind& kind, std::uint32_t line) const noexcept;

  PipelineShape shape_;
  PipelineMachine machine_;
  double elements_ = 1.0;
  std::vector<Line> lines_;
  std::vector<std::int64_t> quantised_;
  std::size_t depth_ = 0;  // steps from the first to the last processor of a line
  std::vector<Kind> kinds_;
  std::vector<double> cuts_;  // different values of Kind::cut
  const ProcessorClasses* classes_ = nullptr;
  std::vector<std::uint32_t> kind_of_;  // per processor; empty: not yet laid out
  RowShape rows_;
  std::uint32_t along_ = 0;           // the line that rows follow each other in
  std::vector<std::uint32_t> order_;  // of the cells of a row; empty: these are not yet known
  Row row_;
  network::Channel port_;
  std::vector<Message> messages_;  // of the cell looked at
  Portions portions_;
  std::vector<double> sizes_;  // quantised points of the portions that are simulated
  double time_per_iteration_ = 0.0;
  double origin_ = 0.0;

  std::vector<Cell> cells_;       // portion * processors + processor
  std::vector<double> arrivals_;  // ports: of each edge that a cell needs, lines_.size() per cell
  std::vector<Progress> progress_;
  PortionEvents events_;
  network::EdgeMemory edges_;
  std::vector<Progress> shorter_;  // of the shorter of two simulations
};

}  // namespace gridcast::model
