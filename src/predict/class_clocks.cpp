#include "class_clocks.h"

#include <algorithm>
#include <cmath>

namespace gridcast::model {

// --- forms
// ----------------------------------------------------------------------------------------------

void Forms::reset() { forms_.assign(list_form + 1, Form{}); }

Forms::Id Forms::of(const ClassEnds& ends) {
  for (std::size_t i = forms_.size(); i-- > list_form + 1;) {  // most often one of the latest
    if (forms_[i].ends == &ends && !of_class(forms_[i])) {
      return static_cast<Id>(i);
    }
  }
  forms_.push_back({&ends});
  return static_cast<Id>(forms_.size() - 1);
}

Forms::Id Forms::later_of(const ClassEnds& ends, std::size_t which, double clock,
                          const network::Settled& settled) {
  forms_.push_back({&ends, true, false, clock, settled.least, settled.most,
                    ends.sum(which) - settled.sum + settled.count * clock + settled.paid});
  return static_cast<Id>(forms_.size() - 1);
}

bool Forms::may_pay(Id form) const noexcept {
  const Form& known = forms_[form];
  return form > list_form && !known.pays && known.ends->ascend_around() >= 0;
}

Forms::Id Forms::paid(Id form, std::size_t which, const ClassEnds& ends) {
  Form pays{&ends, false, true};
  pays.before = form;
  pays.least = least(form, which);
  pays.most = at_most(form, which) + ends.overhead(which);
  pays.sum = sum(form, which) + ends.paid_by(which);
  pays.most_known = false;
  forms_.push_back(pays);
  return static_cast<Id>(forms_.size() - 1);
}

Forms::Id Forms::list(const ProcessorClasses& classes, std::span<const double> times) {
  list_.assign(classes, times, true);
  forms_[list_form].ends = &list_;
  return list_form;
}

double Forms::least(Id form, std::size_t which) const noexcept {
  const Form& known = forms_[form];
  return of_class(known) ? known.least : known.ends->least(which);
}

double Forms::at_most(Id form, std::size_t which) const noexcept {
  const Form& known = forms_[form];
  return of_class(known) ? known.most : known.ends->most(which);
}

double Forms::most(Id form, std::size_t which) const {
  if (Form& known = forms_[form]; !known.most_known) {
    known.most_known = true;
    known.most = known.ends->most_paid(
        which, forms_[known.before].ends->ascend_around(),
        [&](std::int64_t number) { return end_of(known.before, which, {}, number); });
  }
  return at_most(form, which);
}

double Forms::sum(Id form, std::size_t which) const {
  const Form& known = forms_[form];
  return of_class(known) ? known.sum : known.ends->sum(which);
}

double Forms::end_of(Id form, std::size_t which, const ProcessorClasses::Indices& at,
                     std::int64_t number) const {
  const Form& known = forms_[form];
  if (known.pays) {
    return end_of(known.before, which, at, number) + known.ends->overhead_of(which, number);
  }
  const double end = known.ends->end_of(which, at, number);
  return known.limited ? std::max(known.clock + known.ends->overhead_of(which, number), end) : end;
}

bool Forms::affine(Id form) const noexcept {
  return !of_class(forms_[form]) && forms_[form].ends->affine();
}

bool Forms::same(Id a, Id b, double slack) const noexcept {
  const Form& x = forms_[a];
  const Form& y = forms_[b];
  return a == b || (x.pays && y.pays && x.ends == y.ends && same(x.before, y.before, slack)) ||
         (x.limited && y.limited && x.ends == y.ends && std::abs(x.clock - y.clock) <= slack);
}

const ClassEnds* Forms::ends(Id form) const noexcept {
  return of_class(forms_[form]) ? nullptr : forms_[form].ends;
}

// --- clocks
// ----------------------------------------------------------------------------------------------

void ClassClocks::reset(const Script& script, const ProcessorClasses& classes, double inverse,
                        bool split) {
  classes_ = &classes;
  inverse_ = inverse;
  count_ = static_cast<double>(classes.processors());
  common_ = 0.0;
  common_busy_ = 0.0;
  busy_each_.clear();
  split_ = split;
  enter_classes();
  if (split_) {
    whole_.assign_whole(classes);
    busy_before_.reset(classes);
  }
  ledger_.reset(script, split_ ? whole_ : classes);
}

void ClassClocks::leave_classes() { busy_before_.add(*classes_, busy_); }

void ClassClocks::enter_classes() {
  busy_.assign(classes_->size(), 0.0);
  offset_.assign(classes_->size(), 0.0);
  form_.assign(classes_->size(), 0);
  level_ = true;
  forms_.reset();
}

ClassTimes ClassClocks::times() {
  if (!split_) {
    return {common_, common_busy_, level_, offset_, busy_, busy_each_, form_};
  }
  if (!level_) {
    list(listed_);
    set(listed_);
  }
  whole_form_.front() = form_.front();
  busy_all_ = busy_each_;
  busy_all_.resize(static_cast<std::size_t>(classes_->processors()), 0.0);
  busy_before_.add(*classes_, busy_);
  std::fill(busy_.begin(), busy_.end(), 0.0);
  busy_before_.list(busy_all_);
  static constexpr std::array<double, 1> nothing{};
  return {common_, common_busy_, level_, nothing, nothing, busy_all_, whole_form_};
}

double ClassClocks::latest() const {
  if (level_) {
    return common_;
  }
  double most = -HUGE_VAL;
  for (std::size_t c = offset_.size(); c-- > 0;) {  // the last one is late most often
    if (offset_[c] + forms_.at_most(form_[c], c) > most) {
      most = std::max(most, offset_[c] + forms_.most(form_[c], c));
    }
  }
  return common_ + most;
}

double ClassClocks::earliest() const noexcept {
  double least = offset_.front() + forms_.least(form_.front(), 0);
  for (std::size_t c = 1; c < offset_.size(); ++c) {
    least = std::min(least, offset_[c] + forms_.least(form_[c], c));
  }
  return common_ + least;
}

double ClassClocks::first() const {
  return common_ + offset_.front() + forms_.most(form_.front(), 0);
}

void ClassClocks::level_at(double common) {
  common_ = common;
  if (!level_) {
    std::fill(offset_.begin(), offset_.end(), 0.0);
    std::fill(form_.begin(), form_.end(), 0);
    level_ = true;
  }
}

void ClassClocks::list(std::vector<double>& clocks) const {
  clocks.resize(static_cast<std::size_t>(classes_->processors()));
  for (std::size_t c = 0; c < offset_.size(); ++c) {
    const double clock = common_ + offset_[c];
    const Forms::Id form = form_[c];
    classes_->for_each_member(c, [&](const ProcessorClasses::Indices& at, std::int64_t number) {
      clocks[static_cast<std::size_t>(number)] =
          form == 0 ? clock : clock + forms_.end_of(form, c, at, number);
    });
  }
}

bool ClassClocks::list_classes(std::vector<double>& clocks) const {
  clocks.resize(offset_.size());
  bool equal = true;
  for (std::size_t c = 0; c < offset_.size() && equal; ++c) {
    const double least = forms_.least(form_[c], c);
    equal = least == forms_.most(form_[c], c);
    clocks[c] = offset_[c] - offset_.front() + least;
  }
  return equal;
}

void ClassClocks::set(std::vector<double>& clocks) {
  for (double& clock : clocks) {
    clock -= common_;
  }
  const Forms::Id form = forms_.list(*classes_, clocks);
  std::fill(form_.begin(), form_.end(), form);
  std::fill(offset_.begin(), offset_.end(), 0.0);
  level_ = false;
}

void ClassClocks::keep(Moment& moment) const {
  moment.base = base();
  moment.common_busy = common_busy_;
  moment.busy = busy_;
  moment.here = ledger_.here();
  keep(moment.clocks, moment.base);
}

bool ClassClocks::repeat(const Moment& moment, double times) {
  if (!busy_each_.empty() || !same(moment.clocks, base())) {
    return false;
  }
  common_ += times * (base() - moment.base);
  common_busy_ += times * (common_busy_ - moment.common_busy);
  for (std::size_t c = 0; c < busy_.size(); ++c) {
    busy_[c] += times * (busy_[c] - moment.busy[c]);
  }
  IntervalSums once = ledger_.here();
  add(once, moment.here, -1.0);
  add(ledger_.here(), once, times);
  return true;
}

void ClassClocks::work(double call, double ret) {
  common_ += (call + ret) * inverse_;
  common_busy_ += (call + ret) * inverse_;
  ledger_.here().work(call * inverse_ * count_, ret * inverse_ * count_, count_);
}

void ClassClocks::io_work(double call) {
  const double time = call * inverse_;
  offset_.front() += time;
  level_ = false;
  ledger_.here().times.io_time += time;
}

void ClassClocks::add_busy(double seconds, const ClassShare& share) {
  if (share.listed) {
    busy_each_.resize(static_cast<std::size_t>(classes_->processors()), 0.0);
  }
  std::vector<double>& busy = share.listed ? busy_each_ : busy_;
  for (std::size_t i = 0; i < busy.size(); ++i) {
    busy[i] += seconds * share.fraction[i];
  }
}

void ClassClocks::add_share(double seconds, const ClassShare& share) {
  if (seconds == 0.0) {
    return;
  }
  add_busy(seconds, share);
  if (share.listed) {
    list(listed_);
  }
  std::vector<double>& clocks = share.listed ? listed_ : offset_;
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    clocks[i] += seconds * share.fraction[i];
  }
  level_ = false;
  if (share.listed) {
    set(listed_);
  }
}

void ClassClocks::share(double call, const ClassShare& share) {
  add_share(call, share);
  ledger_.here().loop(call * share.sum, call * share.once);
}

void ClassClocks::copied(double ret, const ClassShare& share) {
  add_share(ret, share);
  ledger_.here().copying(ret * share.sum, ret * share.once);
}

double ClassClocks::synchronize(Operation operation, bool pipelined) {
  const double latest = this->latest();
  if (level_) {
    return latest;
  }
  const std::span<const double> members = classes_->members();
  const double ahead = latest - common_;
  const bool alike = std::all_of(form_.begin(), form_.end(),
                                 [&](Forms::Id form) { return form == form_.front(); });
  const ClassEnds* const common = alike ? forms_.ends(form_.front()) : nullptr;
  double raised = common != nullptr ? -common->total() : 0.0;
  for (std::size_t c = 0; c < members.size(); ++c) {
    raised += members[c] * (ahead - offset_[c]);
    if (common == nullptr && form_[c] != 0) {
      raised -= forms_.sum(form_[c], c);
    }
  }
  ledger_.here().barrier(operation, std::max(raised, 0.0), pipelined);
  level_at(latest);
  return latest;
}

void ClassClocks::pay(double seconds, Operation operation, bool pipelined) {
  common_ += seconds;
  ledger_.here().communication(operation, seconds * count_, pipelined);
}

}  // namespace gridcast::model
