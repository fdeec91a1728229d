#pragma once
/// Internal: the clocks of all processors, by classes (docs/model.md §2). A processor's clock is
/// the time common to all, an offset of its class, and its end in a communication that its class
/// waited for. Clocks that differ within a class for other reasons are listed, one by one, until
/// the next synchronisation.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/figures/characteristics.h"
#include "gridcast/mapping/processor_sums.h"
#include "gridcast/network/communication.h"
#include "gridcast/network/listed_ends.h"
#include "gridcast/rules/ledger.h"
#include "gridcast/rules/transfers.h"

namespace gridcast::model {

using mapping::ProcessorClasses;
using network::ClassEnds;
using network::EndsBelow;
using network::ListedEnds;

/// What processors add to the common time and the offset of their class: nothing (form 0), their
/// ends in a communication, the later of that end and a time of the class, or a list.
class Forms {
public:
  using Id = std::uint32_t;

  void reset();

  /// The form "as `ends` has it"; the same communication always has the same form.
  Id of(const ClassEnds& ends);
  /// The later of `clock`, having paid, and the end, for one class.
  Id later_of(const ClassEnds& ends, std::size_t which, double clock,
              const network::Settled& settled);
  /// A form of one class, and what `ends` costs each of its processors; only if may_pay().
  Id paid(Id form, std::size_t which, const ClassEnds& ends);
  [[nodiscard]] bool may_pay(Id form) const noexcept;
  /// One by one, for all processors. Replaces what this gave before.
  Id list(const ProcessorClasses& classes, std::span<const double> times);
  [[nodiscard]] static bool listed(Id form) noexcept { return form == list_form; }

  /// Not less, where it is not known.
  [[nodiscard]] double least(Id form, std::size_t which) const noexcept;
  [[nodiscard]] bool least_known(Id form) const noexcept { return !forms_[form].pays; }
  [[nodiscard]] double most(Id form, std::size_t which) const;
  /// That or more, without looking at processors.
  [[nodiscard]] double at_most(Id form, std::size_t which) const noexcept;
  /// Over the processors of the class.
  [[nodiscard]] double sum(Id form, std::size_t which) const;
  /// For one processor; not for form 0.
  [[nodiscard]] double end_of(Id form, std::size_t which, const ProcessorClasses::Indices& at,
                              std::int64_t number) const;
  /// ClassEnds::affine().
  [[nodiscard]] bool affine(Id form) const noexcept;
  /// Whether two forms of a class are the same but for so much.
  [[nodiscard]] bool same(Id a, Id b, double slack) const noexcept;
  /// The communication of a form that has its ends as they are; null for others.
  [[nodiscard]] const ClassEnds* ends(Id form) const noexcept;

private:
  static constexpr Id list_form = 1;

  struct Form {
    const ClassEnds* ends = nullptr;
    // Forms of one class: not before `clock` and what is paid; another form and what is paid.
    bool limited = false, pays = false;
    double clock = 0.0, least = 0.0, most = 0.0, sum = 0.0;  // of these
    Id before = 0;
    bool most_known = true;
  };
  [[nodiscard]] bool of_class(const Form& form) const noexcept {
    return form.ends == nullptr || form.limited || form.pays;
  }
  mutable std::vector<Form> forms_;  // what is most is found when asked for
  ListedEnds list_;
};

/// Clocks of the classes at one moment.
struct ClassTimes {
  double common = 0.0;
  double common_busy = 0.0;
  bool level = true;  ///< offsets are 0 and forms none
  std::span<const double> offsets;
  std::span<const double> busy;       ///< computing time per class
  std::span<const double> busy_each;  ///< more of it per processor; empty: none
  std::span<const Forms::Id> forms;
};

/// Sums per interval: those of the ledger, and clocks and computing time by classes.
class ClassLedger : public OpenSums {
public:
  void reset(const Script& script, const ProcessorClasses& classes);
  void begin(std::uint32_t interval, const ClassTimes& times, const Forms& forms);
  void end(const ClassTimes& times, const Forms& forms);
  void finish(const ClassTimes& times, const Forms& forms);

private:
  /// How often a form is in the clocks at the ends of an interval more than at its begins.
  struct FormCount {
    Forms::Id form = 0;
    std::vector<int> times;  // per class
  };
  struct Interval {
    double common = 0.0;
    double common_busy = 0.0;
    bool level = true;
    std::vector<double> offsets, busy;
    std::vector<FormCount> forms;
    std::vector<double> each, busy_each;  // per processor; empty: nothing
  };

  void stamp(Interval& interval, double sign, const ClassTimes& times, const Forms& forms);
  void stamp_form(Interval& interval, std::size_t which, double sign, Forms::Id form,
                  const Forms& forms);
  [[nodiscard]] double idle_and_longest(Interval& interval, const Forms& forms, double& longest);
  [[nodiscard]] double latest_of_several(const Interval& interval, const Forms& forms,
                                         std::size_t which) const;
  [[nodiscard]] double imbalance(const Interval& interval) const;

  const ProcessorClasses* classes_ = nullptr;
  std::vector<Interval> intervals_;
  std::vector<double> longest_;
};

/// How a loop's time is shared: a processor of each class, or each processor, has `fraction` of it.
struct ClassShare {
  std::uint64_t epoch = 0;       ///< of the classes it is about
  bool any = false;              ///< false: nobody has iterations, all do the work (rule 1)
  bool listed = false;           ///< fractions of processors, not of classes
  std::vector<double> fraction;  ///< over the performance
  double sum = 0.0;              ///< over all processors
  double once = 0.0;             ///< each part over the number of those that compute it
};

/// What waiting adds to the sums, seconds over all processors.
struct Waited {
  double overlap = 0.0;
  double waiting = 0.0;
  double late = 0.0;  ///< the part of waiting that was before the start
};

/// The rules of docs/model.md §2 on classes.
class ClassClocks {
public:
  /// `split`: classes change while the script runs.
  void reset(const Script& script, const ProcessorClasses& classes, double inverse, bool split);
  /// Other classes, all clocks being equal: before and after `classes` is about them.
  void leave_classes();
  void enter_classes();

  void work(double call, double ret);
  void io_work(double call);
  void share(double call, const ClassShare& share);
  /// Return time that is local copying.
  void copied(double ret, const ClassShare& share);
  void begin_interval(std::uint32_t interval) { ledger_.begin(interval, times(), forms_); }
  void end_interval() { ledger_.end(times(), forms_); }
  /// Raises all clocks to the latest, which it returns. `pipelined`: for an across_ loop.
  double synchronize(Operation operation, bool pipelined);
  /// Every processor spends these seconds on a communication.
  void pay(double seconds, Operation operation, bool pipelined);
  [[nodiscard]] double latest() const;
  /// No clock is earlier.
  [[nodiscard]] double earliest() const noexcept;
  /// The clock of processor 0, which is a class of its own.
  [[nodiscard]] double first() const;
  void wait(const ClassEnds& ends, double start, Operation operation);
  /// Whether all clocks are equal.
  [[nodiscard]] bool level() const noexcept { return level_; }
  /// Blocking, from the latest clock on: raises those that send or receive.
  void exchange(const ClassEnds& ends, std::span<const network::Transfer> transfers, double start,
                Operation operation, bool pipelined);
  /// The same if all clocks are equal, or whole classes take part or do not.
  void exchange(const ClassEnds& ends, std::span<const std::uint8_t> takes_part, double start,
                Operation operation, bool pipelined);
  void broadcast(const ClassEnds& ends, double start);
  /// What a pipelined loop adds up, whose end the clocks have reached: Σ of waiting and overlap.
  void pipeline(double call, const ClassShare& share, double waiting, double overlap);
  /// Sets all clocks.
  void go_to(const ClassEnds& ends, double start);
  void set(std::vector<double>& clocks);
  /// Differences of the clocks now (rule 6).
  void variation();
  /// All clocks, one by one.
  void list(std::vector<double>& clocks) const;
  /// The clock of each class, after base(); false if those of a class differ.
  bool list_classes(std::vector<double>& clocks) const;
  /// How the clocks differ, after some time.
  struct Snapshot {
    std::vector<Forms::Id> forms;
    std::vector<double> offsets;
  };
  [[nodiscard]] double base() const noexcept { return common_ + offset_.front(); }
  void keep(Snapshot& snapshot, double base) const;
  /// Whether the clocks differ as they did then, but for rounding; never if they are listed.
  [[nodiscard]] bool same(const Snapshot& snapshot, double base) const noexcept;
  /// Clocks and sums at one moment.
  struct Moment {
    Snapshot clocks;
    double base = 0.0, common_busy = 0.0;
    std::vector<double> busy;
    IntervalSums here;
  };
  void keep(Moment& moment) const;
  /// Does so often what was done since then, if the clocks differ as they did; false if not.
  bool repeat(const Moment& moment, double times);
  /// Of the intervals, at the end.
  [[nodiscard]] std::span<IntervalSums> finish();

private:
  [[nodiscard]] ClassTimes times();
  /// Computing time, without and with that of the clocks.
  void add_busy(double seconds, const ClassShare& share);
  void add_share(double seconds, const ClassShare& share);
  void level_at(double common);
  /// What a blocking communication adds up.
  void transferred(const ClassEnds& ends, double waiting, Operation operation, bool pipelined);

  /// Whether all processors of a class come too late to wait, or all wait, or those wait whose ends
  /// are later than the time that all have; unknown: it cannot be told without looking at each.
  enum class Verdict : std::uint8_t { unknown, passes, pays, waits, splits };
  [[nodiscard]] Verdict verdict(std::size_t which, const ClassEnds& ends, double start) const;
  Waited wait_of(std::size_t which, const ClassEnds& ends, double start);
  Waited wait_of_each(const ClassEnds& ends, double start, bool without_first);
  Waited wait_of_all(const ClassEnds& ends, double start, bool without_first);
  void take(std::size_t which, Forms::Id form, double start);
  /// A class that was late enough: it pays only what cannot be hidden.
  void pass(std::size_t which, const ClassEnds& ends, Waited& waited);

  const ProcessorClasses* classes_ = nullptr;
  double inverse_ = 1.0;
  double count_ = 1.0;
  double common_ = 0.0;
  double common_busy_ = 0.0;
  bool level_ = true;
  std::vector<double> offset_, busy_, busy_each_;
  std::vector<Forms::Id> form_;
  Forms forms_;
  ClassLedger ledger_;
  std::vector<double> listed_;
  std::vector<Verdict> verdicts_;  // on the wait under way

  // If classes change: figures of intervals are about one class of all processors.
  bool split_ = false;
  ProcessorClasses whole_;
  mapping::ProcessorSums busy_before_;  // in classes that are no more
  std::vector<double> busy_all_;
  std::array<Forms::Id, 1> whole_form_{};
};

}  // namespace gridcast::model
