#pragma once
/// Internal: simulation of one pipelined loop on one grid (docs/model.md §6; [Predictor2010 §4.6],
/// [Forecasting §2.2]).

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "gridcast/network/networks.h"
#include "gridcast/rules/grid_mapping.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/pipeline_formulas.h"
#include "gridcast/rules/portions.h"
#include "gridcast/rules/shape_table.h"

namespace gridcast::model {

/// Portions simulated beyond those that fill the line, and once more as many: the difference of the
/// two simulations is what a portion of the steady state takes. Alternating patterns on a shared
/// channel even out over this many.
inline constexpr std::size_t steady_portions = 32;

/// Throws InputError if so many portions on so many processors are too many to simulate.
void require_few_portions(double portions, std::size_t processors);

/// What the loop did to each processor of its view (local numbers); 0 for those without iterations.
struct PipelineTimes {
  std::vector<double> finish;   ///< clock after the last portion
  std::vector<double> waiting;  ///< for edges, in all
  std::vector<double> overlap;  ///< of edges with computation
  std::vector<double> fill;     ///< the part of waiting before the first portion
};

/// Simulates pipelined loops on the grid of a mapping, one after the other.
class Pipeline {
public:
  explicit Pipeline(GridMapping& mapping) : mapping_(&mapping) {}

  /// Prepares the loop that takes `call` seconds on the tracing machine. Returns false if it runs
  /// without dependences between processors (each computes its share).
  bool prepare(const PipelineSpec& spec, double call);

  [[nodiscard]] const PipelineShape& shape() const noexcept { return shape_; }

  /// Quantised points of the first portion if the loop is cut into so many.
  [[nodiscard]] double first_portion(std::int64_t quanta) {
    portions_.cut(quantised_, quanta);
    return portions_.size(0);
  }

  /// What the shape of its portions makes of the time that a processor computes (local number).
  [[nodiscard]] double relative(std::size_t local) const noexcept { return relative_[local]; }

  /// Extents of the first portion of a processor (local number) if the loop is cut into so many;
  /// empty if it computes nothing or shapes do not count.
  [[nodiscard]] std::vector<std::int64_t> first_block(std::size_t local, std::int64_t quanta);

  /// Simulates it from the given clocks (root numbers) with the number of portions that the library
  /// chooses (or the best tried, in exhaustive mode).
  void run(PipelineMode mode, std::span<const double> clocks, network::Networks& networks,
           PipelineTimes& times);

  /// The same with this number of portions.
  void run_cut(std::int64_t quanta, PipelineMode mode, std::span<const double> clocks,
               network::Networks& networks, PipelineTimes& times);

private:
  /// One pipelined dimension of the processor system.
  struct Line {
    int view_dim = -1;
    std::int64_t stride = 1;  // to the next coordinate, local numbers
    bool ascending = true;
    std::vector<std::pair<double, std::int64_t>> widths;  // element size and width per array
    std::size_t loop_dim = 0;
  };
  /// What a processor sends to the next one of a line after each portion.
  struct Edge {
    bool exists = false;
    std::size_t to = 0;                // local number
    double bytes_per_quantised = 0.0;  // times the portion's quantised points
    double send_time = 0.0;            // what it costs its sender
  };
  /// An edge that is ready, or the end of a portion without edges.
  struct Event {
    double time = 0.0;
    std::size_t processor = 0;
    std::size_t line = 0;
    bool operator>(const Event& other) const noexcept {
      return time != other.time ? time > other.time : processor > other.processor;
    }
  };

  void collect_lines(const PipelineSpec& spec);
  void collect_shape();
  /// Networks that edges go over; returns the seconds per byte of the slowest.
  double collect_networks();
  using Block = std::array<mapping::IndexRange, mapping::max_rank>;
  void collect_edges(const PipelineSpec& spec);
  [[nodiscard]] double cut_size(const Block& block) const;
  void note_work(std::size_t local, const Block& block);
  [[nodiscard]] std::int64_t behind(const Line& line, std::size_t local,
                                    std::int64_t coordinate) const;
  void note_edge(std::size_t line_number, std::size_t local, std::size_t to, const Block& block);
  /// What the shape of the first portion makes of the time of an iteration.
  void shape_blocks();
  [[nodiscard]] std::vector<std::int64_t> portion_extents(std::size_t local) const;
  /// Simulates a pipeline of the first count - 1 portions and the last; returns their quantised
  /// points.
  double simulate_first(std::size_t count, std::span<const double> clocks,
                        network::Networks& networks, PipelineTimes& times);
  void simulate_portions(bool steady, std::span<const double> clocks, network::Networks& networks,
                         PipelineTimes& times);
  void simulate_from_origin(bool steady, network::Networks& networks, PipelineTimes& times);
  void simulate(std::span<const double> clocks, network::Networks& networks);
  void begin_portion(std::size_t p, std::span<const double> clocks);
  /// When the edges of a portion have been received, by a processor that is free at that time.
  [[nodiscard]] double received(std::size_t p, std::size_t cell, double free) const;
  /// The first line from `line` on along which a processor sends, lines_.size() if none.
  [[nodiscard]] std::size_t next_edge(std::size_t p, std::size_t line) const noexcept;
  /// Sends the edges of a portion that are ready; true if those were the last.
  bool send_edges(const Event& event, std::span<const double> clocks, network::Networks& networks);
  void note_arrival(const Event& event, const Edge& edge, double arrival,
                    std::span<const double> clocks);
  [[nodiscard]] static bool later_sender(const Event& a, const Event& b) noexcept {
    return a.processor != b.processor ? a.processor > b.processor : a.line > b.line;
  }
  void push(const Event& event);
  /// The next portion that ends.
  std::optional<Event> pop();
  double send(std::size_t from, std::size_t line, double bytes, double ready,
              network::Networks& networks);

  GridMapping* mapping_;
  const mapping::Layout* loop_ = nullptr;
  double call_ = 0.0;
  std::vector<Line> lines_;
  std::vector<std::int64_t> quantised_;     // extents of the quantised dimensions, outermost first
  std::vector<double> iteration_time_;      // per local number: its block at one quantised point
  std::vector<std::uint8_t> runs_;          // per local number: has iterations here
  std::vector<Edge> edges_;                 // lines_.size() per local number
  std::vector<std::uint8_t> predecessors_;  // per local number
  std::vector<double> receive_times_;       // lines_.size() per local number: of incoming edges
  std::vector<double> send_costs_;          // per local number: of the edges of one portion
  ShapeFactor factor_;
  std::vector<double> relative_;  // per local number: time of an iteration in blocks of its shape
  std::vector<std::array<std::int64_t, mapping::max_rank>> blocks_;  // per local number
  PipelineShape shape_;
  std::size_t depth_ = 0;  // steps from the first to the last processor of a line
  Portions portions_;
  std::vector<double> sizes_;  // quantised points of the portions that are simulated

  // A simulation: values per portion * processors + local number.
  std::vector<double> begin_, end_, waited_, overlapped_;
  std::vector<double> arrival_;  // of the edges that the portion needs: lines_.size() values each
  std::vector<double> longest_begin_, longest_end_;  // its longest edge
  std::vector<std::uint8_t> missing_;                // edges still to come
  std::vector<std::size_t> next_, finished_;         // portions begun and ended, per local number
  std::vector<double> link_free_;  // grid of links: end of the pair's previous edge
  std::vector<Event> queue_;       // edges that get ready, the earliest first
  std::vector<Event> ready_;       // those that are ready now, the lowest sender first
  double now_ = 0.0;
  double origin_ = 0.0;         // of the times of a simulation
  std::vector<double> starts_;  // clocks from there
  PipelineTimes shorter_;       // the shorter of two simulations
};

}  // namespace gridcast::model
