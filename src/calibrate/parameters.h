#pragma once
/// Which numbers of a machine can be fitted, and a machine with other values of them.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gridcast/calibrate/fit.h"
#include "gridcast/machine/cluster.h"

namespace gridcast::calibrate {

/// Name of the cost of an event line of the traces; no number of the machine, but fitted with them.
inline constexpr const char* trace_cost_name = "trace-cost";

/// A number in the units of the .par file.
struct Parameter {
  std::string name;  ///< as for Cluster::set(): "mvs.TStart"
  double value = 0.0;
  double lower = 0.0;
  double upper = 0.0;
  double scale = 1.0;
  bool integer = false;
  bool performance = false;  ///< times go with its inverse, which is what is fitted

  /// The number that is fitted, stated if the value is above 0: the value, or 1 / value of a
  /// performance.
  [[nodiscard]] Number number() const;
  /// Back from what is fitted.
  [[nodiscard]] double in_file(double fitted) const noexcept {
    return performance ? 1.0 / fitted : fitted;
  }
};

/// A wish of the user: a name, maybe with bounds ("mvs.TStart=0.5:20").
struct Wish {
  std::string name;
  std::optional<double> lower;
  std::optional<double> upper;

  /// Throws InputError.
  [[nodiscard]] static Wish parse(const std::string& text);
};

/// The numbers of a machine: without wishes all that its file names (performance of processors,
/// TStart and the like of networks, channels of a myrinet); else those that are wished for, 0 where
/// the file names them not. Throws InputError for a wish that the machine has no number for.
/// `processors`: of the greatest grid that was measured, which bounds the channels worth trying.
[[nodiscard]] std::vector<Parameter> parameters_of(const machine::Cluster& cluster,
                                                   std::span<const Wish> wishes,
                                                   std::int64_t processors);

/// The machine with these values, in the units of the file.
[[nodiscard]] machine::Cluster with_values(machine::Cluster cluster,
                                           std::span<const Parameter> parameters,
                                           std::span<const double> values);

/// Text of the machine that `predict` reads, with a comment before the statement of each number:
/// comments[i] belongs to parameters[i]. `head` is a comment of several lines.
[[nodiscard]] std::string commented_text(const machine::Cluster& cluster,
                                         std::span<const Parameter> parameters,
                                         std::span<const std::string> comments,
                                         const std::string& head);

}  // namespace gridcast::calibrate
