#pragma once
/// Which machine suits a program, which program a machine, and what would help most
/// (docs/analysis.md; [PetriNets], whose own formulas our copy does not have).

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid.h"
#include "gridcast/report/plot.h"
#include "gridcast/rules/options.h"
#include "gridcast/trace/program.h"

namespace gridcast::matching {

/// Figures of a program or of a machine, by name, each in units of its own.
using Measures = std::map<std::string, double>;

/// Of a program on a grid: work and time in the library (seconds on a processor of performance 1),
/// messages and bytes, depth (communications one after another), by kinds of operations.
[[nodiscard]] Measures program_measures(const trace::Program& program, const machine::Grid& grid,
                                        const model::ModelOptions& options);

/// Of a machine: processors, their performance, and per level of its networks the parameters of
/// LogGP (latency, overhead, gap, seconds per byte) and the media (channels or ports).
[[nodiscard]] Measures machine_measures(const machine::Cluster& cluster, std::int64_t processors);

/// How alike two systems are: the mean, over all measures that either has, of the smaller value
/// over the larger (1 if both are 0, 0 if one of them is 0 or missing). From 0 to 1; 1 for a system
/// with itself; symmetric; whatever the units of a measure are.
[[nodiscard]] double similarity(const Measures& a, const Measures& b);

/// The least time for which a resource of the machine is taken by the program.
struct ResourceTime {
  std::string resource;  ///< "processors", "networks of level 0", "latency", ...
  double seconds = 0.0;
  bool ideal = true;  ///< false: not what is needed at least, but counts for the estimate
};

/// A change of one number of the machine and what it brings.
struct Improvement {
  std::string change;  ///< as for --set, in the units of the .par file
  double time = 0.0;   ///< predicted with it, seconds
  double gain = 0.0;   ///< share of the time that it saves
};

/// A program on a machine.
struct Match {
  std::size_t program = 0;
  std::size_t machine = 0;
  machine::Grid grid;
  double estimate = 0.0;  ///< sum of the times of the resources, without any prediction
  double predicted = 0.0;
  std::vector<ResourceTime> resources;  ///< falling, ideal ones first
  double degree = 0.0;  ///< ideal time of the binding resource over the predicted time, 0...1
  std::vector<Improvement> improvements;  ///< by falling gain
};

/// What match_all works with.
struct MatchSettings {
  std::int64_t processors = 0;  ///< 0: as many as the smallest machine has, at most 64
  double factor = 2.0;          ///< by which a number of the machine is improved
};

/// Programs against machines: all pairs ranked, and what is alike.
struct Matching {
  std::vector<std::string> programs;
  std::vector<std::string> machines;
  std::vector<NamedWords> assumed;  ///< of each program
  std::int64_t processors = 1;
  std::vector<Match> matches;  ///< program by program, machine by machine
  std::vector<std::vector<double>> program_similarity;
  std::vector<std::vector<double>> machine_similarity;
  std::vector<Measures> program_measures;
  std::vector<Measures> machine_measures;
  double rank_correlation = 1.0;  ///< Spearman's, of estimates with predictions over all pairs

  [[nodiscard]] const Match& match(std::size_t program, std::size_t machine) const {
    return matches[program * machines.size() + machine];
  }
  /// Machines for a program, by estimated time.
  [[nodiscard]] std::vector<std::size_t> machines_for(std::size_t program) const;
  /// Programs for a machine, by falling degree of matching.
  [[nodiscard]] std::vector<std::size_t> programs_for(std::size_t machine) const;
};

/// A program under its name, with the options of the model that hold for it.
struct NamedProgram {
  std::string name;
  trace::Program program;
  model::ResolvedOptions resolved = {};
};
/// A machine and the name that reports give it.
struct NamedMachine {
  std::string name;
  machine::Cluster cluster;
};

/// Matches every program with every machine, each on the grid of so many processors for which the
/// least time is predicted. Errors as model::compile and model::Predictor.
[[nodiscard]] Matching match_all(const std::vector<NamedProgram>& programs,
                                 const std::vector<NamedMachine>& machines,
                                 const MatchSettings& settings);

/// Spearman's rank correlation; equal values share their ranks. 1 for fewer than two values.
[[nodiscard]] double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

[[nodiscard]] std::string matching_text(const Matching& matching);
/// One JSON object, schema gridcast.match/1 (docs/analysis.md).
void write_matching_json(std::ostream& out, const Matching& matching);
void write_matching_html(std::ostream& out, const Matching& matching);
/// Degrees of all pairs.
[[nodiscard]] report::Plot matching_plot(const Matching& matching);

}  // namespace gridcast::matching
