#include <algorithm>
#include <cmath>

#include "class_clocks.h"

namespace gridcast::model {
namespace {

/// More forms than this in the clocks of an interval's ends are added up processor by processor.
constexpr std::size_t many_forms = 64;

bool balanced(std::span<const int> times) {
  return std::all_of(times.begin(), times.end(), [](int n) { return n == 0; });
}

}  // namespace

void ClassLedger::reset(const Script& script, const ProcessorClasses& classes) {
  reset_sums(script);
  classes_ = &classes;
  intervals_.resize(script.tables().intervals.size());
  for (Interval& interval : intervals_) {
    interval.common = 0.0;
    interval.common_busy = 0.0;
    interval.level = true;
    interval.offsets.assign(classes.size(), 0.0);
    interval.busy.assign(classes.size(), 0.0);
    interval.forms.clear();
    interval.each.clear();
    interval.busy_each.clear();
  }
}

void ClassLedger::stamp_form(Interval& interval, std::size_t which, double sign, Forms::Id form,
                             const Forms& forms) {
  auto place = std::find_if(interval.forms.begin(), interval.forms.end(),
                            [&](const FormCount& count) { return count.form == form; });
  if (place == interval.forms.end() && interval.forms.size() >= many_forms) {
    std::erase_if(interval.forms, [](const FormCount& count) { return balanced(count.times); });
    place = interval.forms.end();
  }
  if (Forms::listed(form) ||
      (place == interval.forms.end() && interval.forms.size() >= many_forms)) {
    interval.each.resize(static_cast<std::size_t>(classes_->processors()), 0.0);
    classes_->for_each_member(which, [&](const ProcessorClasses::Indices& at, std::int64_t number) {
      interval.each[static_cast<std::size_t>(number)] +=
          sign * forms.end_of(form, which, at, number);
    });
    return;
  }
  if (place == interval.forms.end()) {
    interval.forms.push_back({form, std::vector<int>(interval.offsets.size(), 0)});
    place = interval.forms.end() - 1;
  }
  place->times[which] += sign > 0.0 ? 1 : -1;
}

void ClassLedger::stamp(Interval& interval, double sign, const ClassTimes& times,
                        const Forms& forms) {
  interval.common += sign * times.common;
  interval.common_busy += sign * times.common_busy;
  for (std::size_t c = 0; c < interval.busy.size(); ++c) {
    interval.busy[c] += sign * times.busy[c];
  }
  if (!times.busy_each.empty()) {
    interval.busy_each.resize(times.busy_each.size(), 0.0);
    for (std::size_t p = 0; p < times.busy_each.size(); ++p) {
      interval.busy_each[p] += sign * times.busy_each[p];
    }
  }
  if (times.level) {
    return;
  }
  interval.level = false;
  for (std::size_t c = 0; c < interval.offsets.size(); ++c) {
    interval.offsets[c] += sign * times.offsets[c];
    if (times.forms[c] != 0) {
      stamp_form(interval, c, sign, times.forms[c], forms);
    }
  }
}

void ClassLedger::begin(std::uint32_t interval, const ClassTimes& times, const Forms& forms) {
  stamp(intervals_[interval], -1.0, times, forms);
  open_.push_back(interval);
}

void ClassLedger::end(const ClassTimes& times, const Forms& forms) {
  stamp(intervals_[open_.back()], 1.0, times, forms);
  open_.pop_back();
}

double ClassLedger::latest_of_several(const Interval& interval, const Forms& forms,
                                      std::size_t which) const {
  bool affine = interval.each.empty();
  for (const FormCount& count : interval.forms) {
    affine = affine && (count.times[which] == 0 || forms.affine(count.form));
  }
  const auto for_each = [&](auto&& look) {
    affine ? classes_->for_each_corner(which, look) : classes_->for_each_member(which, look);
  };
  std::vector<double> sums;
  for_each([&](const ProcessorClasses::Indices&, std::int64_t number) {
    sums.push_back(interval.each.empty() ? 0.0 : interval.each[static_cast<std::size_t>(number)]);
  });
  for (const FormCount& count : interval.forms) {  // one after the other: each may be made anew
    const int times = count.times[which];
    if (times == 0) {
      continue;
    }
    auto sum = sums.begin();
    for_each([&](const ProcessorClasses::Indices& at, std::int64_t number) {
      *sum++ += times * forms.end_of(count.form, which, at, number);
    });
  }
  return *std::max_element(sums.begin(), sums.end());
}

double ClassLedger::idle_and_longest(Interval& interval, const Forms& forms, double& longest) {
  std::erase_if(interval.forms, [](const FormCount& count) { return balanced(count.times); });
  if (interval.level) {
    longest = interval.common;
    return 0.0;
  }
  const std::span<const double> members = classes_->members();
  longest_.assign(interval.offsets.begin(), interval.offsets.end());
  for (std::size_t c = 0; c < members.size(); ++c) {
    int varying = interval.each.empty() ? 0 : 2;
    for (const FormCount& count : interval.forms) {
      const int times = count.times[c];
      if (times == 0) {
        continue;
      }
      const double least = forms.least(count.form, c);
      const double most = forms.most(count.form, c);
      varying += least < most ? 1 : 0;
      varying += times < 0 && !forms.least_known(count.form) ? 2 : 0;
      longest_[c] += times * (times > 0 ? most : least);
    }
    if (varying > 1) {
      longest_[c] = interval.offsets[c] + latest_of_several(interval, forms, c);
    }
  }
  const double most = *std::max_element(longest_.begin(), longest_.end());
  longest = interval.common + most;
  double idle = 0.0;
  for (std::size_t c = 0; c < members.size(); ++c) {
    idle += members[c] * (most - interval.offsets[c]);
  }
  for (const double each : interval.each) {
    idle -= each;
  }
  for (const FormCount& count : interval.forms) {
    const ClassEnds* const ends = forms.ends(count.form);
    const bool alike = std::all_of(count.times.begin(), count.times.end(),
                                   [&](int n) { return n == count.times.front(); });
    if (ends != nullptr && alike) {
      idle -= count.times.front() * ends->total();
      continue;
    }
    for (std::size_t c = 0; c < members.size(); ++c) {
      idle -= count.times[c] == 0 ? 0.0 : count.times[c] * forms.sum(count.form, c);
    }
  }
  return std::max(idle, 0.0);
}

double ClassLedger::imbalance(const Interval& interval) const {
  const std::span<const double> members = classes_->members();
  double most = -HUGE_VAL;
  double sum = 0.0;
  for (std::size_t c = 0; c < members.size(); ++c) {
    if (interval.busy_each.empty()) {
      most = std::max(most, interval.busy[c]);
      continue;
    }
    classes_->for_each_member(c, [&](const ProcessorClasses::Indices&, std::int64_t number) {
      most =
          std::max(most, interval.busy[c] + interval.busy_each[static_cast<std::size_t>(number)]);
    });
  }
  for (std::size_t c = 0; c < members.size(); ++c) {
    sum += members[c] * (most - interval.busy[c]);
  }
  for (const double each : interval.busy_each) {
    sum -= each;
  }
  return std::max(sum, 0.0);
}

void ClassLedger::finish(const ClassTimes& times, const Forms& forms) {
  stamp(intervals_.front(), 1.0, times, forms);
  add_nested();
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    ProcessorTimes& all = sums_[i].times;
    all.idle = idle_and_longest(intervals_[i], forms, all.execution_time);
    all.load_imbalance = imbalance(intervals_[i]);
  }
}

}  // namespace gridcast::model
