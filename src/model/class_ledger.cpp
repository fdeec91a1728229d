#include <algorithm>
#include <cmath>

#include "class_clocks.h"

namespace gridcast::model {

void ClassLedger::reset(const Script& script, const ProcessorClasses& classes) {
  script_ = &script;
  classes_ = &classes;
  intervals_.resize(script.tables().intervals.size());
  for (Interval& interval : intervals_) {
    interval.sums = FieldSums{};
    interval.common = 0.0;
    interval.common_busy = 0.0;
    interval.level = true;
    interval.offsets.assign(classes.size(), 0.0);
    interval.busy.assign(classes.size(), 0.0);
    interval.forms.clear();
  }
  open_.assign(1, 0);
  current_ = intervals_.front().sums.data();
}

void ClassLedger::stamp(Interval& interval, double sign, const Clocks& clocks) {
  interval.common += sign * clocks.common;
  interval.common_busy += sign * clocks.common_busy;
  for (std::size_t c = 0; c < interval.busy.size(); ++c) {
    interval.busy[c] += sign * clocks.busy[c];
  }
  if (clocks.level) {
    return;
  }
  interval.level = false;
  for (std::size_t c = 0; c < interval.offsets.size(); ++c) {
    interval.offsets[c] += sign * clocks.offsets[c];
    const Forms::Id form = clocks.forms[c];
    if (form == 0) {
      continue;
    }
    auto place = std::find_if(interval.forms.begin(), interval.forms.end(),
                              [&](const FormCount& count) { return count.form == form; });
    if (place == interval.forms.end()) {
      interval.forms.push_back({form, std::vector<int>(interval.offsets.size(), 0)});
      place = interval.forms.end() - 1;
    }
    place->times[c] += sign > 0.0 ? 1 : -1;
  }
}

void ClassLedger::begin(std::uint32_t interval, const Clocks& clocks) {
  stamp(intervals_[interval], -1.0, clocks);
  open_.push_back(interval);
  current_ = intervals_[interval].sums.data();
}

void ClassLedger::end(const Clocks& clocks) {
  stamp(intervals_[open_.back()], 1.0, clocks);
  open_.pop_back();
  current_ = intervals_[open_.back()].sums.data();
}

double ClassLedger::latest_of_several(const Interval& interval, const Forms& forms,
                                      std::size_t which) const {
  bool affine = true;
  for (const FormCount& count : interval.forms) {
    affine = affine && (count.times[which] == 0 || forms.affine(count.form));
  }
  double latest = -HUGE_VAL;
  const auto look = [&](const ProcessorClasses::Indices& at, std::int64_t number) {
    double sum = 0.0;
    for (const FormCount& count : interval.forms) {
      if (count.times[which] != 0) {
        sum += count.times[which] * forms.end_of(count.form, which, at, number);
      }
    }
    latest = std::max(latest, sum);
  };
  if (affine) {
    classes_->for_each_corner(which, look);
  } else {
    classes_->for_each_member(which, look);
  }
  return latest;
}

double ClassLedger::idle_and_longest(Interval& interval, const Forms& forms, double& longest) {
  std::erase_if(interval.forms, [](const FormCount& count) {
    return std::all_of(count.times.begin(), count.times.end(), [](int n) { return n == 0; });
  });
  if (interval.level) {
    longest = interval.common;
    return 0.0;
  }
  const std::span<const double> members = classes_->members();
  longest_.assign(interval.offsets.begin(), interval.offsets.end());
  double idle = 0.0;
  for (std::size_t c = 0; c < members.size(); ++c) {
    int varying = 0;
    for (const FormCount& count : interval.forms) {
      const int times = count.times[c];
      if (times == 0) {
        continue;
      }
      const double least = forms.least(count.form, c);
      const double most = forms.most(count.form, c);
      varying += least < most ? 1 : 0;
      longest_[c] += times * (times > 0 ? most : least);
    }
    if (varying > 1) {
      longest_[c] = interval.offsets[c] + latest_of_several(interval, forms, c);
    }
  }
  const double most = *std::max_element(longest_.begin(), longest_.end());
  longest = interval.common + most;
  for (std::size_t c = 0; c < members.size(); ++c) {
    idle += members[c] * (most - interval.offsets[c]);
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
  const double most = *std::max_element(interval.busy.begin(), interval.busy.end());
  double sum = 0.0;
  for (std::size_t c = 0; c < members.size(); ++c) {
    sum += members[c] * (most - interval.busy[c]);
  }
  return sum;
}

void ClassLedger::finish(const Clocks& clocks, const Forms& forms,
                         std::vector<Characteristics>& results) {
  stamp(intervals_.front(), 1.0, clocks);
  const auto specs = script_->tables().intervals;
  for (std::size_t i = specs.size(); i-- > 1;) {
    FieldSums& parent = intervals_[static_cast<std::size_t>(specs[i].parent)].sums;
    for (std::size_t field = 0; field < field_count; ++field) {
      parent[field] += intervals_[i].sums[field];
    }
  }
  results.resize(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    double longest = 0.0;
    const double idle = idle_and_longest(intervals_[i], forms, longest);
    results[i] = characteristics(intervals_[i].sums, longest, idle, imbalance(intervals_[i]),
                                 static_cast<double>(classes_->processors()), specs[i]);
  }
}

}  // namespace gridcast::model
