#pragma once
/// The one table of what is said about an interval: stores, CSV, JSON and pages read it, so a new
/// characteristic is a member of `Characteristics` and a line here.

#include <array>
#include <cstdint>
#include <span>

#include "gridcast/figures/characteristics.h"

namespace gridcast::model {

/// Where a figure stands in the account of the processors' time.
enum class FigureGroup : std::uint8_t {
  head,             ///< of the run as a whole
  total,            ///< what the rest is parts of
  productive,       ///< all productive time
  productive_part,  ///< a part of it
  lost,             ///< all lost time
  lost_part,        ///< a part of it
  lost_detail,      ///< a part of a part
  potential,        ///< overlaps with the parts: what better balance or hiding could bring
};

/// One characteristic of an interval.
struct Figure {
  const char* name;     ///< in JSON and as a column
  const char* unit;     ///< "s" or "1"
  const char* title;    ///< of its row on pages
  const char* anchor;   ///< of its cell on pages ([Predictor2010 app. 2])
  const char* meaning;  ///< one phrase for people
  FigureGroup group;
  double Characteristics::*value;
};

/// All of them in the order of JSON and pages (stores have the execution time first); the times of
/// operations follow by kind.
[[nodiscard]] std::span<const Figure> figures() noexcept;

/// One figure of each kind of operation.
struct OperationFigure {
  const char* name;     ///< in JSON; a column is KIND_NAME
  const char* meaning;  ///< one phrase for people
  double OperationTimes::*value;
};

inline constexpr std::array<OperationFigure, 3> operation_figures{{
    {"communication", "time of communication", &OperationTimes::communication},
    {"synch", "waiting before it began", &OperationTimes::synch},
    {"overlap", "hidden by computation", &OperationTimes::overlap},
}};

}  // namespace gridcast::model
