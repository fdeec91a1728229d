#pragma once
/// Internal: the clocks of all processors, by classes (MODEL.md §2). A processor's clock is the time
/// common to all, an offset of its class, and its end in a communication that its class waited for.

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "class_ends.h"
#include "gridcast/model/characteristics.h"
#include "ledger.h"

namespace gridcast::model {

/// This grid cannot be told by classes; `what()` names the reason.
class NotByClasses : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// What processors add to the end of an operation: one time for all of a class (form 0), their ends
/// in a communication, or the later of that end and a time of the class.
class Forms {
public:
  using Id = std::uint32_t;

  void reset(const ProcessorClasses& classes);

  /// The form "as `ends` has it"; the same communication always has the same form.
  Id of(const ClassEnds& ends);
  /// The later of `limit` and the end, for one class.
  Id later_of(const ClassEnds& ends, std::size_t which, double limit, const EndsBelow& below);

  [[nodiscard]] double least(Id form, std::size_t which) const noexcept;
  [[nodiscard]] double most(Id form, std::size_t which) const noexcept;
  /// Over the processors of the class.
  [[nodiscard]] double sum(Id form, std::size_t which) const;
  /// For one processor; not for form 0.
  [[nodiscard]] double end_of(Id form, std::size_t which, const ProcessorClasses::Indices& at,
                              std::int64_t number) const;
  /// ClassEnds::affine().
  [[nodiscard]] bool affine(Id form) const noexcept;
  /// The communication of a form that has its ends as they are; null for others.
  [[nodiscard]] const ClassEnds* ends(Id form) const noexcept;

private:
  struct Form {
    const ClassEnds* ends = nullptr;
    bool limited = false;                       // not before `least`: a form of one class
    double least = 0.0, most = 0.0, sum = 0.0;  // of such a form
  };
  std::vector<Form> forms_;
};

/// Sums per interval: those of the ledger, and clocks and computing time by classes.
class ClassLedger {
public:
  void reset(const Script& script, const ProcessorClasses& classes);
  void add(Field field, double seconds) noexcept {
    current_[static_cast<std::size_t>(field)] += seconds;
  }

  /// Clocks of the classes as they are now.
  struct Clocks {
    double common = 0.0;
    double common_busy = 0.0;
    bool level = true;  ///< offsets are 0 and forms none
    std::span<const double> offsets;
    std::span<const double> busy;
    std::span<const Forms::Id> forms;
  };
  void begin(std::uint32_t interval, const Clocks& clocks);
  void end(const Clocks& clocks);
  void finish(const Clocks& clocks, const Forms& forms, std::vector<Characteristics>& results);

private:
  /// How often a form is in the clocks at the ends of an interval more than at its begins.
  struct FormCount {
    Forms::Id form = 0;
    std::vector<int> times;  // per class
  };
  struct Interval {
    FieldSums sums{};
    double common = 0.0;
    double common_busy = 0.0;
    bool level = true;
    std::vector<double> offsets, busy;
    std::vector<FormCount> forms;
  };
  void stamp(Interval& interval, double sign, const Clocks& clocks);
  [[nodiscard]] double idle_and_longest(Interval& interval, const Forms& forms, double& longest);
  /// The latest of the sums of several forms over the processors of a class.
  [[nodiscard]] double latest_of_several(const Interval& interval, const Forms& forms,
                                         std::size_t which) const;
  [[nodiscard]] double imbalance(const Interval& interval) const;

  const Script* script_ = nullptr;
  const ProcessorClasses* classes_ = nullptr;
  std::vector<Interval> intervals_;
  double* current_ = nullptr;
  std::vector<std::uint32_t> open_;
  std::vector<double> longest_;
};

/// The rules of MODEL.md §2 on classes. Throws NotByClasses where they do not suffice.
class ClassClocks {
public:
  void reset(const Script& script, const ProcessorClasses& classes, double inverse);

  void work(double call, double ret);
  void io_work(double call);
  /// Loop time, of which a processor of each class has `fraction`, and `duplicated` of that is
  /// computed by others as well.
  void share(double call, std::span<const double> fraction, double sum, double duplicated);
  void begin_interval(std::uint32_t interval) { ledger_.begin(interval, clocks()); }
  void end_interval() { ledger_.end(clocks()); }
  /// Raises all clocks to the latest, which it returns.
  double synchronize(Operation operation);
  /// A communication starts on networks that must be free by then.
  void launch(const ClassEnds& ends, double start);
  void wait(const ClassEnds& ends, double start, Operation operation);
  /// Blocking, after a synchronisation.
  void transfer(const ClassEnds& ends, double start, Operation operation);
  void broadcast(const ClassEnds& ends);
  void finish(std::vector<Characteristics>& results);

private:
  [[nodiscard]] ClassLedger::Clocks clocks() const noexcept;
  [[nodiscard]] double latest() const noexcept;
  void level_at(double common);

  /// Waits of one class: what it adds to overlap and waiting.
  struct Waited {
    double overlap = 0.0;
    double waiting = 0.0;
    double late = 0.0;  ///< the part of waiting before the start
    double least_raise = 0.0;
  };
  Waited wait_of(std::size_t which, const ClassEnds& ends, double start);
  Waited wait_of_form(std::size_t which, const ClassEnds& ends, double start);
  Waited wait_partly(std::size_t which, const ClassEnds& ends, double start, double clock);
  void take(std::size_t which, const ClassEnds& ends, double start);

  const ProcessorClasses* classes_ = nullptr;
  double inverse_ = 1.0;
  double count_ = 1.0;
  double common_ = 0.0;
  double common_busy_ = 0.0;
  bool level_ = true;
  std::vector<double> offset_, busy_;
  std::vector<Forms::Id> form_;
  Forms forms_;
  ClassLedger ledger_;
  double networks_busy_until_ = 0.0;
};

}  // namespace gridcast::model
