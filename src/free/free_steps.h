#pragma once
/// Internal: what processes that run free do, one step after the other (docs/model.md §10): the
/// same steps for all, of which each has its own part.

#include <cstdint>
#include <deque>
#include <vector>

#include "gridcast/rules/grid_details.h"
#include "gridcast/rules/script.h"
#include "schedule.h"

namespace gridcast::model {

/// Iterations before a leap by which it goes.
inline constexpr std::size_t leap_iterations = 2;

/// A step of all processes.
struct FreeStep {
  enum class Kind : std::uint8_t {
    work,      ///< call and ret by rule 1, for those with a part of `share`
    share,     ///< call is a loop that is shared
    copying,   ///< call is local copying that is shared
    io,        ///< call: processor 0 in an I/O function
    pay,       ///< call: the run-time library, for those with a part of `share`
    post,      ///< a communication starts: what it does until it waits
    complete,  ///< the rest of the one that started in step `partner`
    run,       ///< all of it
    take,      ///< messages that are sent in step `partner`
    begin,     ///< of interval `number`
    end,       ///< of interval `number`
    half,      ///< the last simulated iterations of loop `number` begin
    jump,      ///< they end; what is left out takes `call` times as long as they did
    leap,      ///< of a bound: `call` iterations are simulated, `ret` left out
  };
  Kind kind = Kind::work;
  Operation operation = Operation::io;
  bool pipelined = false;      ///< for an across_ loop
  const Op* op = nullptr;      ///< of the script, which it belongs to
  std::uint32_t interval = 0;  ///< the innermost open one
  std::uint32_t number = 0;    ///< schedule, interval or loop, by kind
  std::uint32_t partner = 0;   ///< a step; of a leap: the iterations that stand for those left out
  const Share* share = nullptr;  ///< also of what is computed in a schedule
  double call = 0.0, ret = 0.0;  ///< seconds
};

/// A program of free processes on one grid.
struct FreeProgram {
  std::size_t processes = 1;
  std::vector<FreeStep> steps;
  std::deque<FreeSchedule> schedules;
  std::deque<Share> shares;  ///< that the steps point to
  std::uint32_t loops = 0;   ///< most loops inside one another of which iterations are left out

  void clear() {
    steps.clear();
    schedules.clear();
    shares.clear();
    loops = 0;
  }
};

}  // namespace gridcast::model
