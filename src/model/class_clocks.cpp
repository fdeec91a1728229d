#include "class_clocks.h"

#include <algorithm>

#include "gridcast/network/networks.h"

namespace gridcast::model {

// --- forms
// ----------------------------------------------------------------------------------------------

void Forms::reset(const ProcessorClasses&) { forms_.assign(1, Form{}); }

Forms::Id Forms::of(const ClassEnds& ends) {
  for (std::size_t i = 1; i < forms_.size(); ++i) {
    if (forms_[i].ends == &ends && !forms_[i].limited) {
      return static_cast<Id>(i);
    }
  }
  forms_.push_back({&ends, false, 0.0, 0.0, 0.0});
  return static_cast<Id>(forms_.size() - 1);
}

Forms::Id Forms::later_of(const ClassEnds& ends, std::size_t which, double limit,
                          const EndsBelow& below) {
  forms_.push_back(
      {&ends, true, limit, ends.most(which), ends.sum(which) - below.sum + below.count * limit});
  return static_cast<Id>(forms_.size() - 1);
}

double Forms::least(Id form, std::size_t which) const noexcept {
  const Form& known = forms_[form];
  return known.ends == nullptr || known.limited ? known.least : known.ends->least(which);
}

double Forms::most(Id form, std::size_t which) const noexcept {
  const Form& known = forms_[form];
  return known.ends == nullptr || known.limited ? known.most : known.ends->most(which);
}

double Forms::sum(Id form, std::size_t which) const {
  const Form& known = forms_[form];
  return known.ends == nullptr || known.limited ? known.sum : known.ends->sum(which);
}

double Forms::end_of(Id form, std::size_t which, const ProcessorClasses::Indices& at,
                     std::int64_t number) const {
  const Form& known = forms_[form];
  const double end = known.ends->end_of(which, at, number);
  return known.limited ? std::max(known.least, end) : end;
}

bool Forms::affine(Id form) const noexcept {
  return !forms_[form].limited && forms_[form].ends->affine();
}

const ClassEnds* Forms::ends(Id form) const noexcept {
  return forms_[form].limited ? nullptr : forms_[form].ends;
}

// --- clocks
// ----------------------------------------------------------------------------------------------

void ClassClocks::reset(const Script& script, const ProcessorClasses& classes, double inverse) {
  classes_ = &classes;
  inverse_ = inverse;
  count_ = static_cast<double>(classes.processors());
  common_ = 0.0;
  common_busy_ = 0.0;
  busy_.assign(classes.size(), 0.0);
  offset_.assign(classes.size(), 0.0);
  form_.assign(classes.size(), 0);
  level_ = true;
  networks_busy_until_ = 0.0;
  forms_.reset(classes);
  ledger_.reset(script, classes);
}

ClassLedger::Clocks ClassClocks::clocks() const noexcept {
  return {common_, common_busy_, level_, offset_, busy_, form_};
}

double ClassClocks::latest() const noexcept {
  if (level_) {
    return common_;
  }
  double most = 0.0;
  for (std::size_t c = 0; c < offset_.size(); ++c) {
    most = std::max(most, offset_[c] + forms_.most(form_[c], c));
  }
  return common_ + most;
}

void ClassClocks::level_at(double common) {
  common_ = common;
  if (!level_) {
    std::fill(offset_.begin(), offset_.end(), 0.0);
    std::fill(form_.begin(), form_.end(), 0);
    level_ = true;
  }
}

void ClassClocks::work(double call, double ret) {
  common_ += (call + ret) * inverse_;
  common_busy_ += (call + ret) * inverse_;
  const double cpu = call * inverse_ * count_;
  const double sys = ret * inverse_ * count_;
  const double idle_part = (count_ - 1.0) / count_;
  ledger_.add(Field::cpu, cpu);
  ledger_.add(Field::sys, sys);
  ledger_.add(Field::insufficient_usr, cpu * idle_part);
  ledger_.add(Field::insufficient_sys, sys * idle_part);
}

void ClassClocks::io_work(double call) {
  const double time = call * inverse_;
  offset_.front() += time;  // processor 0 is a class of its own
  level_ = false;
  ledger_.add(Field::io, time);
}

void ClassClocks::share(double call, std::span<const double> fraction, double sum,
                        double duplicated) {
  level_ = false;
  for (std::size_t c = 0; c < fraction.size(); ++c) {
    const double time = call * fraction[c];
    offset_[c] += time;
    busy_[c] += time;
  }
  ledger_.add(Field::cpu, call * sum);
  ledger_.add(Field::insufficient_usr, call * duplicated);
}

double ClassClocks::synchronize(Operation operation) {
  const double latest = this->latest();
  if (level_) {
    return latest;
  }
  const std::span<const double> members = classes_->members();
  const double ahead = latest - common_;
  const bool alike = std::all_of(form_.begin(), form_.end(),
                                 [&](Forms::Id form) { return form == form_.front(); });
  double raised = 0.0;
  for (std::size_t c = 0; c < members.size(); ++c) {
    raised += members[c] * (ahead - offset_[c]);
    if (!alike && form_[c] != 0) {
      raised -= forms_.sum(form_[c], c);
    }
  }
  if (alike && form_.front() != 0) {
    const ClassEnds* const ends = forms_.ends(form_.front());
    raised -= ends != nullptr ? ends->total() : forms_.sum(form_.front(), 0);
  }
  raised = std::max(raised, 0.0);
  ledger_.add(Field::synchronization, raised);
  ledger_.add(of(Field::synch, operation), raised);
  ledger_.add(of(Field::communication, operation), raised);
  level_at(latest);
  return latest;
}

void ClassClocks::launch(const ClassEnds& ends, double start) {
  if (ends.silent() || !ends.occupies()) {
    return;
  }
  if (start < networks_busy_until_ * (1.0 - network::relative_slack)) {
    throw NotByClasses("communications that overlap on a network");
  }
  networks_busy_until_ = std::max(networks_busy_until_, start + ends.last());
}

void ClassClocks::take(std::size_t which, const ClassEnds& ends, double start) {
  form_[which] = forms_.of(ends);
  offset_[which] = start - common_;
  level_ = false;
}

ClassClocks::Waited ClassClocks::wait_of(std::size_t which, const ClassEnds& ends, double start) {
  if (form_[which] != 0) {
    return wait_of_form(which, ends, start);
  }
  const double members = classes_->members()[which];
  const double clock = common_ + offset_[which] - start;
  Waited waited;
  if (clock <= ends.least(which)) {
    waited.overlap = members * std::max(clock, 0.0);
    waited.waiting = std::max(ends.sum(which) - members * clock, 0.0);
    waited.late = members * std::max(-clock, 0.0);
    take(which, ends, start);
  } else if (clock >= ends.most(which)) {
    waited.overlap = ends.sum(which);
  } else {
    const EndsBelow below = ends.below(which, clock);
    const double later = members - below.count;
    waited.overlap = below.sum + later * clock;
    waited.waiting = std::max(ends.sum(which) - below.sum - later * clock, 0.0);
    form_[which] = forms_.later_of(ends, which, clock, below);
    offset_[which] = start - common_;
  }
  return waited;
}

ClassClocks::Waited ClassClocks::wait_of_form(std::size_t which, const ClassEnds& ends,
                                              double start) {
  const Forms::Id form = form_[which];
  const double members = classes_->members()[which];
  const double offset = common_ + offset_[which] - start;
  const double earliest = offset + forms_.least(form, which);
  const double latest = offset + forms_.most(form, which);
  const bool same = forms_.ends(form) == &ends;
  Waited waited;
  if (same ? offset >= 0.0 : earliest >= ends.most(which)) {
    waited.overlap = ends.sum(which);
    return waited;
  }
  if (!same && latest > ends.least(which)) {
    throw NotByClasses("waits for two communications");
  }
  const double clocks = members * offset + forms_.sum(form, which);
  if (earliest < 0.0 && latest > 0.0) {
    throw NotByClasses("a wait that some have not begun computing before");
  }
  waited.overlap = std::max(clocks, 0.0);
  waited.waiting = std::max(ends.sum(which) - clocks, 0.0);
  waited.late = std::max(-clocks, 0.0);
  take(which, ends, start);
  return waited;
}

void ClassClocks::wait(const ClassEnds& ends, double start, Operation operation) {
  if (ends.silent()) {
    return;
  }
  const std::span<const double> members = classes_->members();
  double overlap = 0.0;
  double waiting = 0.0;
  bool all_wait = true;
  for (std::size_t c = 0; c < members.size() && all_wait; ++c) {
    all_wait = form_[c] == 0 && common_ + offset_[c] - start <= ends.least(c);
  }
  if (all_wait) {
    double clocks = 0.0;
    for (std::size_t c = 0; c < members.size(); ++c) {
      const double clock = common_ + offset_[c] - start;
      overlap += members[c] * std::max(clock, 0.0);
      clocks += members[c] * clock;
      take(c, ends, start);
    }
    waiting = std::max(ends.total() - clocks, 0.0);
  } else {
    for (std::size_t c = 0; c < members.size(); ++c) {
      const Waited waited = wait_of(c, ends, start);
      overlap += waited.overlap;
      waiting += waited.waiting;
    }
  }
  ledger_.add(of(Field::overlap, operation), overlap);
  ledger_.add(of(Field::communication, operation), waiting);
  ledger_.add(Field::time_variation, std::max(count_ * ends.last() - ends.total(), 0.0));
}

void ClassClocks::transfer(const ClassEnds& ends, double start, Operation operation) {
  if (ends.silent()) {
    return;
  }
  for (std::size_t c = 0; c < offset_.size(); ++c) {
    take(c, ends, start);
  }
  ledger_.add(of(Field::communication, operation), ends.total());
  ledger_.add(Field::time_variation, std::max(count_ * ends.last() - ends.total(), 0.0));
}

void ClassClocks::broadcast(const ClassEnds& ends) {
  if (ends.silent()) {
    return;
  }
  // Processor 0, class 0, does not wait for its sends.
  const double start = common_ + offset_.front() + forms_.most(form_.front(), 0);
  launch(ends, start);
  double raised = 0.0;
  double late = 0.0;
  for (std::size_t c = 1; c < offset_.size(); ++c) {
    const Waited waited = wait_of(c, ends, start);
    raised += waited.waiting;
    late += waited.late;
  }
  ledger_.add(of(Field::communication, Operation::io), raised);
  ledger_.add(of(Field::synch, Operation::io), late);
  ledger_.add(Field::synchronization, late);
}

void ClassClocks::finish(std::vector<Characteristics>& results) {
  ledger_.finish(clocks(), forms_, results);
}

}  // namespace gridcast::model
