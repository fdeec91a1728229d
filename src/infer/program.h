#pragma once
/// A program as a description says it: its steps with laws of messages and times.

#include <optional>
#include <string>
#include <vector>

#include "gridcast/infer/collectives.h"
#include "gridcast/infer/computation.h"

namespace gridcast::infer {

/// What the main loop repeats, as descriptions say it.
inline constexpr const char* main_repeat = "\"iterations\"";

/// A step with what it is about.
struct Statement {
  const Step* step = nullptr;
  std::vector<Statement> body{};  ///< of a loop
  std::string repeat{};           ///< of a loop: iterations, an expression
  std::string portions{};         ///< the same, if it is a part of an extent that is not cut
  std::vector<Slot> slots{};      ///< messages sent; of a receive: received
  Parity parity{};                ///< of the processes that do it: of a send or receive alone
  Collective collective{};
  std::optional<Computation> before{};  ///< computation before it
  bool left_out = false;                ///< beside the main loop, and follows no law
};

/// The program.
struct Program {
  std::vector<Statement> statements;
  const Step* main = nullptr;  ///< the loop whose iterations are the program's
  Rule rule = Rule::balanced;
  std::vector<Rule> ties;         ///< other rules that explain as much
  std::int64_t messages = 0;      ///< recorded per iteration of all runs and ranks: all explained
  double residual = 0.0;          ///< of their bytes, the largest relative error; 0: exact
  Offset reach{};                 ///< the farthest that they go along each dimension
  std::int64_t iterations = 1;    ///< of the main loop, in the run with the most
  bool same_iterations = true;    ///< in all runs
  double left_out_seconds = 0.0;  ///< computation per iteration that is not worth a term
  std::size_t pieces_left_out = 0;
  std::size_t time_runs = 0;  ///< runs of one process that times are taken from; 0: of all runs
};

/// Of the parity of a statement, who sends the message of a slot: "even q1"; empty: all do.
[[nodiscard]] std::string sender_text(const Statement& statement, const Slot& slot);

/// Finds the laws. The steps must outlive the program. Throws InputError: something follows none.
[[nodiscard]] Program find_program(const Runs& runs, const std::vector<Step>& steps);

/// The text of the description.
[[nodiscard]] std::string description_text(const Runs& runs, const Program& program);

/// Fits the time before each statement of the loops. Throws InputError if the runs cannot tell it.
void find_times(const Runs& runs, Program& program);

}  // namespace gridcast::infer
