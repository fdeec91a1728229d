/// Waits of processors for communications, by classes (docs/model.md §2).

#include <algorithm>
#include <cmath>

#include "class_clocks.h"

namespace gridcast::model {

void ClassClocks::take(std::size_t which, Forms::Id form, double start) {
  form_[which] = form;
  offset_[which] = start - common_;
  level_ = false;
}

ClassClocks::Verdict ClassClocks::verdict(std::size_t which, const ClassEnds& ends,
                                          double start) const {
  const Forms::Id form = form_[which];
  const double offset = common_ + offset_[which] - start;
  const double own = ends.overhead(which);
  const double earliest = offset + forms_.least(form, which);
  const double latest = offset + forms_.at_most(form, which);
  const bool listed = ends.overheads_listed(which);
  const bool same = form != 0 && forms_.ends(form) == &ends;
  const bool waits = latest <= ends.waits_until(which) || (same && offset + own <= 0.0);
  const bool late_known = earliest >= 0.0 || latest <= 0.0 || forms_.ends(form) != nullptr;
  if (waits && late_known) {
    return Verdict::waits;
  }
  if (listed && !same && ends.over_ports() != nullptr && earliest >= ends.passes_from(which) &&
      forms_.may_pay(form)) {
    return Verdict::pays;
  }
  if (!listed && (same ? offset + own >= 0.0 : earliest >= ends.passes_from(which))) {
    return Verdict::passes;
  }
  return form == 0 && ends.settles(which) ? Verdict::splits : Verdict::unknown;
}

void ClassClocks::pass(std::size_t which, const ClassEnds& ends, Waited& waited) {
  const bool each = verdicts_[which] == Verdict::pays;
  const double own = each ? ends.paid_by(which) : classes_->members()[which] * ends.overhead(which);
  // Who is through before having paid has nothing to hide.
  waited.overlap = std::max(
      ends.sum(which) - own + (each ? 0.0 : ends.short_of(which, ends.overhead(which))), 0.0);
  waited.waiting = own;
  if (each) {
    form_[which] = forms_.paid(form_[which], which, ends);
  } else if (own > 0.0) {
    offset_[which] += ends.overhead(which);
    level_ = false;
  }
}

Waited ClassClocks::wait_of(std::size_t which, const ClassEnds& ends, double start) {
  const Forms::Id form = form_[which];
  const double members = classes_->members()[which];
  const double offset = common_ + offset_[which] - start;
  Waited waited;
  if (verdicts_[which] == Verdict::passes || verdicts_[which] == Verdict::pays) {
    pass(which, ends, waited);
  } else if (verdicts_[which] == Verdict::splits) {
    const network::Settled settled = ends.settle(which, offset);
    const double later = members - settled.count;
    const double unpaid = ends.overheads_listed(which)
                              ? 0.0
                              : ends.short_of(which, ends.overhead(which) + std::min(offset, 0.0));
    waited.overlap = settled.sum - settled.paid + unpaid + later * std::max(offset, 0.0);
    waited.waiting = settled.paid + std::max(ends.sum(which) - settled.sum - later * offset, 0.0);
    waited.late = members * std::max(-offset, 0.0);
    take(which, forms_.later_of(ends, which, offset, settled), start);
  } else {
    const double clocks = members * offset + forms_.sum(form, which);
    if (offset + forms_.most(form, which) <= 0.0) {
      waited.late = -clocks;
    } else if (offset + forms_.least(form, which) < 0.0) {
      const EndsBelow before = forms_.ends(form)->below(which, -offset);
      waited.late = std::max(-before.sum - before.count * offset, 0.0);
    }
    waited.overlap = std::max(clocks + waited.late, 0.0);
    waited.waiting = std::max(ends.sum(which) - clocks, 0.0);
    take(which, forms_.of(ends), start);
  }
  return waited;
}

Waited ClassClocks::wait_of_each(const ClassEnds& ends, double start, bool without_first) {
  list(listed_);
  Waited waited;
  for (std::size_t c = without_first ? 1 : 0; c < offset_.size(); ++c) {
    classes_->for_each_member(c, [&](const ProcessorClasses::Indices& at, std::int64_t number) {
      double& clock = listed_[static_cast<std::size_t>(number)];
      const double end = start + ends.end_of(c, at, number);
      const double own = ends.overhead_of(c, number);
      waited.overlap += std::max(std::min(clock, end - own) - start, 0.0);
      if (const double raise = std::max(end - clock, own); raise > 0.0) {
        waited.waiting += raise;
        waited.late += std::max(start - clock, 0.0);
        clock = std::max(clock + own, end);
      }
    });
  }
  set(listed_);
  return waited;
}

Waited ClassClocks::wait_of_all(const ClassEnds& ends, double start, bool without_first) {
  bool told = !ends.once();
  verdicts_.resize(offset_.size());
  for (std::size_t c = 0; c < offset_.size() && told; ++c) {
    verdicts_[c] = verdict(c, ends, start);
    told = verdicts_[c] != Verdict::unknown;
  }
  if (!told) {
    return wait_of_each(ends, start, without_first);
  }
  Waited all;
  for (std::size_t c = without_first ? 1 : 0; c < offset_.size(); ++c) {
    const Waited waited = wait_of(c, ends, start);
    all.overlap += waited.overlap;
    all.waiting += waited.waiting;
    all.late += waited.late;
  }
  return all;
}

void ClassClocks::wait(const ClassEnds& ends, double start, Operation operation) {
  if (ends.silent()) {
    return;
  }
  const std::span<const double> members = classes_->members();
  bool all_wait = !ends.once();
  double clocks = 0.0;  // after the start
  double later = 0.0;   // of those after it
  for (std::size_t c = 0; c < members.size() && all_wait; ++c) {
    const double clock = common_ + offset_[c] - start;
    all_wait = form_[c] == 0 && clock <= ends.waits_until(c);
    clocks += members[c] * clock;
    later += members[c] * std::max(clock, 0.0);
  }
  Waited waited;
  if (all_wait) {  // as most often; nothing has to be known of single classes
    waited.overlap = later;
    waited.waiting = std::max(ends.total() - clocks, 0.0);
    go_to(ends, start);
  } else {
    waited = wait_of_all(ends, start, false);
  }
  ledger_.here().wait(operation, waited.waiting, waited.overlap,
                      std::max(count_ * ends.last() - ends.total(), 0.0));
}

void ClassClocks::exchange(const ClassEnds& ends, std::span<const network::Transfer> transfers,
                           double start, Operation operation, bool pipelined) {
  if (ends.silent()) {
    return;
  }
  const auto count = static_cast<std::size_t>(classes_->processors());
  std::vector<double> until(count);
  std::vector<double> own(count);
  for (std::size_t c = 0; c < offset_.size(); ++c) {
    classes_->for_each_member(c, [&](const ProcessorClasses::Indices& at, std::int64_t number) {
      until[static_cast<std::size_t>(number)] = start + ends.end_of(c, at, number);
      own[static_cast<std::size_t>(number)] = ends.overhead_of(c, number);
    });
  }
  list(listed_);
  double waiting = 0.0;
  const auto raise = [&](std::size_t p) {
    waiting += std::max(until[p] - listed_[p], own[p]);
    listed_[p] = std::max(until[p], listed_[p] + own[p]);
    own[p] = 0.0;  // paid, and there is nothing left to wait for
  };
  for (const network::Transfer& transfer : transfers) {
    raise(transfer.from);
    raise(transfer.to);
  }
  set(listed_);
  transferred(ends, waiting, operation, pipelined);
}

void ClassClocks::exchange(const ClassEnds& ends, std::span<const std::uint8_t> takes_part,
                           double start, Operation operation, bool pipelined) {
  double waiting = 0.0;
  if (level_) {  // those that do not take part are through at the start
    waiting = ends.total();
    go_to(ends, start);
  } else {
    const Forms::Id form = forms_.of(ends);
    for (std::size_t c = 0; c < offset_.size(); ++c) {
      if (takes_part[c] != 0) {
        const double ahead = start - common_ - offset_[c];
        const double before = form_[c] == 0 ? 0.0 : forms_.sum(form_[c], c);
        waiting += ends.sum(c) + classes_->members()[c] * ahead - before;
        take(c, form, start);
      }
    }
  }
  transferred(ends, std::max(waiting, 0.0), operation, pipelined);
}

void ClassClocks::transferred(const ClassEnds& ends, double waiting, Operation operation,
                              bool pipelined) {
  ledger_.here().communication(operation, waiting, pipelined);
  ledger_.here().variation(operation, std::max(count_ * ends.last() - ends.total(), 0.0));
}

void ClassClocks::broadcast(const ClassEnds& ends, double start) {
  if (ends.silent()) {
    return;
  }
  // Processor 0, class 0, does not wait for its sends, but prepares them.
  Waited waited = wait_of_all(ends, start, true);
  if (const double sends = ends.overhead_of(0, 0); sends > 0.0) {
    offset_.front() += sends;
    waited.waiting += sends;
    level_ = false;
  }
  ledger_.here().broadcast(waited.waiting, waited.late);
}

void ClassClocks::keep(Snapshot& snapshot, double base) const {
  snapshot.forms = form_;
  snapshot.offsets = offset_;
  for (double& offset : snapshot.offsets) {
    offset += common_ - base;
  }
}

bool ClassClocks::same(const Snapshot& snapshot, double base) const noexcept {
  const double slack = 1e-15 * common_;
  bool same = snapshot.offsets.size() == offset_.size();
  for (std::size_t c = 0; c < offset_.size() && same; ++c) {
    same = !Forms::listed(form_[c]) && forms_.same(snapshot.forms[c], form_[c], slack) &&
           std::abs(snapshot.offsets[c] - (offset_[c] + (common_ - base))) <= slack;
  }
  return same;
}

void ClassClocks::go_to(const ClassEnds& ends, double start) {
  std::fill(form_.begin(), form_.end(), forms_.of(ends));
  std::fill(offset_.begin(), offset_.end(), start - common_);
  level_ = false;
}

void ClassClocks::pipeline(double call, const ClassShare& share, double waiting, double overlap) {
  // What is not waiting is computing: each processor's share of the loop.
  add_busy(call, share);
  ledger_.here().pipeline(waiting, overlap);
  ledger_.here().loop(call * share.sum, call * share.once);
}

void ClassClocks::variation() {
  const std::span<const double> members = classes_->members();
  const double ahead = latest() - common_;
  double sum = 0.0;
  for (std::size_t c = 0; c < members.size(); ++c) {
    sum += members[c] * (ahead - offset_[c]) - (form_[c] == 0 ? 0.0 : forms_.sum(form_[c], c));
  }
  ledger_.here().variation(Operation::shadow, std::max(sum, 0.0));
}

std::span<IntervalSums> ClassClocks::finish() {
  ledger_.finish(times(), forms_);
  return ledger_.sums();
}

}  // namespace gridcast::model
