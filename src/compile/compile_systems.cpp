/// Processor systems and tasks.

#include <algorithm>
#include <numeric>

#include "compiler.h"

namespace gridcast::model {

void Compiler::add_system(trace::Slot slot, const ViewSpec& spec, std::vector<std::int64_t> shape) {
  ViewSpec traced = spec;
  traced.traced = build_.ints(traced_shapes_[spec.parent]);
  systems_[slot] = build_.view(traced);
  if (systems_[slot] >= traced_shapes_.size()) {
    traced_shapes_.push_back(std::move(shape));
  }
}

void Compiler::after(const trace::CreateSystem& call) {
  const ViewId parent = view_of(call.parent, current_view());
  const std::vector<std::int64_t>& traced = traced_shapes_[parent];
  std::vector<std::int64_t> shape;
  for (std::size_t dim = 0; dim < std::max(traced.size(), call.first.size()); ++dim) {
    const std::int64_t extent = dim < traced.size() ? traced[dim] : 1;
    const std::int64_t lo = dim < call.first.size() ? call.first[dim] : 0;
    const std::int64_t hi = dim < call.last.size() ? call.last[dim] : extent - 1;
    if (lo < 0 || hi < lo || hi >= extent) {
      throw error("bounds " + std::to_string(lo) + "..." + std::to_string(hi) +
                      " of a processor system are outside its parent",
                  "expected bounds within 0..." + std::to_string(extent - 1));
    }
    shape.push_back(hi - lo + 1);
  }
  add_system(call.result,
             {.kind = ViewSpec::Kind::part,
              .parent = parent,
              .first = build_.ints(call.first),
              .last = build_.ints(call.last)},
             std::move(shape));
}

void Compiler::after(const trace::ReshapeSystem& call) {
  check_rank(call.extents.size(), "a processor system", machine::max_grid_rank);
  for (const std::int64_t extent : call.extents) {
    if (extent > (std::int64_t{1} << 31)) {
      throw error("extent " + std::to_string(extent) + " of a processor system",
                  "expected at most 2^31 processors");
    }
  }
  add_system(call.result,
             {.kind = ViewSpec::Kind::reshaped,
              .parent = view_of(call.parent, current_view()),
              .first = build_.ints(call.extents)},
             call.extents);
}

ViewId Compiler::view_of_machine(trace::Slot slot) const {
  const bool mapped = slot != trace::no_object && machines_[slot] != none &&
                      machine_views_[machines_[slot]] != none;
  return mapped ? machine_views_[machines_[slot]] : current_view();
}

void Compiler::after(const trace::GetMachineElement& call) {
  // The first call makes the element; later ones (C-DVM has one before every runam_) find it with
  // the system that it was mapped on.
  const auto [at, is_new] =
      elements_.try_emplace(std::pair(target_number(call.parent, "getamr_"), call.index),
                            static_cast<std::uint32_t>(machine_views_.size()));
  if (is_new) {
    machine_views_.push_back(none);
  }
  machines_[call.result] = at->second;
}

void Compiler::after(const trace::MapMachine& call) {
  const ViewId view = view_of(call.system, current_view());
  if (machines_[call.machine] == none) {
    throw error("mapam_ of an unknown abstract machine", "expected the result of getamr_");
  }
  machine_views_[machines_[call.machine]] = view;
  const std::vector<std::int64_t>& shape = traced_shapes_[0];
  const bool one_process =
      std::all_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent == 1; });
  if (one_process && view != 0) {
    warn_once(
        "the trace is of a run on one process: its tasks take the whole processor system in turn "
        "(record it with a virtual processor system, UserPS, to see them side by side)");
  }
}

void Compiler::after(const trace::RunTask& call) {
  if (!call.runs) {
    return;
  }
  view_stack_.push_back({machines_[call.machine], view_of_machine(call.machine)});
  push({.kind = Op::Kind::enter_view, .a = current_view()});
}

void Compiler::after(const trace::StopTask&) {
  if (view_stack_.size() == 1) {
    throw error("stopam_ ends a task that was not started",
                "expected a runam_ with Run=1 before it");
  }
  const ViewId left = current_view();
  view_stack_.pop_back();
  push({.kind = Op::Kind::leave_view, .a = left, .b = current_view()});
}

}  // namespace gridcast::model
