#pragma once
/// Walks the traces of several processes together and writes what they say in common.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "address_book.h"
#include "block_holders.h"
#include "gridcast/retrace/merge.h"
#include "raw_trace.h"
#include "waiting.h"

namespace gridcast::trace {

class MergeSequence {
public:
  /// `traces` (one per process, in order) must outlive the object.
  MergeSequence(const std::vector<RawTrace>& traces, TraceWriter& writer);

  /// Writes all merged calls.
  MergeResult run();

private:
  /// The place of one process in its trace.
  struct Member {
    const RawTrace* trace;
    BlockHolder blocks;
    AddressBook addresses;
    std::size_t at = 0;
    /// After a task that the process did not run: its calls still carry this line, while processes
    /// that ran it have moved on to the line after its block.
    std::optional<Place> stale;
  };
  using Group = std::vector<std::size_t>;  ///< indices into members_

  /// The same call of several processes; for dopl_ several calls of each.
  struct Part {
    std::size_t member = 0;
    std::vector<std::size_t> records;
  };
  struct Merged {
    std::vector<Part> parts;
    double call_time = 0.0;
    double ret_time = 0.0;
    double waiting = 0.0;  ///< left out of the mean return time, seconds
  };

  void merge_until_stop(const Group& group, std::size_t depth);
  void merge_call(const Group& group);
  void merge_task(const Group& group, std::size_t depth);
  void merge_loop_run(const Group& group);

  [[nodiscard]] bool at_end(std::size_t member, std::size_t depth) const;
  /// True if all have left the program: what follows are calls of the library itself, which process
  /// 0 makes more of (it collects what the others have written); those are no part of the merge.
  [[nodiscard]] bool past_exit(const Group& group) const;
  [[nodiscard]] bool make_the_same_call(const Group& group) const;
  void write_exit(std::size_t member);
  void require_all_at_end(const Group& group, std::size_t depth) const;
  void require_same_call(const Group& group) const;
  [[nodiscard]] bool is_stale(std::size_t member) const;
  [[nodiscard]] std::size_t leader_of(const Group& group) const;
  [[nodiscard]] std::vector<std::size_t> portions_of(std::size_t member) const;
  [[nodiscard]] std::vector<Merged> sort_portions(const std::vector<Part>& runs) const;
  /// True if the library exchanges edges while the current loop runs.
  [[nodiscard]] bool loop_waits() const { return pipelined_ || export_first_ || import_last_; }
  void add_loop_times(Merged& portion) const;
  void advance(std::size_t member);
  void write(const Merged& merged, std::size_t place_member, const std::string* result);
  std::string translated(std::size_t member, std::size_t record, bool result);

  std::vector<Member> members_;
  LeastReturns least_;
  TraceWriter& writer_;
  bool translates_ = false;  ///< some process skips a task: addresses have to be translated
  bool exit_written_ = false;
  bool pipelined_ = false;  ///< across_ was called for the next loop
  bool export_first_ = false, import_last_ = false;
  MergeResult result_;
};

}  // namespace gridcast::trace
