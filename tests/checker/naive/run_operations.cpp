// Reductions, shadow edges, copies, remote access.

#include <algorithm>

#include "run.h"

namespace gridcast::naive {

void Run::create_group(const Call& call) {
  ordinary(call);
  if (call.name == "crtrg_") {
    reduction_groups_[call.out.text("RedGroupRef")] = 0.0;
  } else if (call.name == "crtshg_") {
    shadow_groups_[call.out.text("ShadowGroupRef")].clear();
  } else {
    buffer_groups_[call.out.text("RegularAccessGroupRef")].clear();
  }
}

void Run::create_reduction(const Call& call) {
  ordinary(call);
  const std::vector<double> sizes{0, 4, 8, 4, 8, 8, 16};
  const double element = sizes.at(static_cast<std::size_t>(call.in.number("RedArrayType")));
  const auto extra = static_cast<double>(call.in.number("LocElmLength"));
  reductions_[call.out.text("RedRef")] =
      (element + extra) * static_cast<double>(call.in.number("RedArrayLength"));
}

void Run::insert_reduction(const Call& call) {
  ordinary(call);
  reduction_groups_.at(call.in.text("RedGroupRef")) += reductions_.at(call.in.text("RedRef"));
}

void Run::start_reduction(const Call& call) {
  user_time(call.call_time);
  const std::string group = call.in.text("RedGroupRef");
  Pending pending = start(reduction, {});
  reduce(reduction_groups_.at(group), pending);
  reductions_pending_[group] = pending;
  library_time(call.ret_time);
}

void Run::wait_reduction(const Call& call) {
  user_time(call.call_time);
  const std::string group = call.in.text("RedGroupRef");
  wait(reduction, reductions_pending_.at(group));
  reductions_pending_.erase(group);
  library_time(call.ret_time);
}

void Run::add_edges(const Call& call, Edges edges) {
  ordinary(call);
  edges.array = array_of(call.in, "ArrayHandlePtr", "ArrayHeader");
  edges.first_contiguous = options_.first_contiguous;
  edges.element_bytes = call.in.has("EdgeTypeSize")
                            ? static_cast<double>(call.in.number("EdgeTypeSize"))
                            : edges.array->element_size;
  const std::vector<long> signs = call.in.list("ShdSignArray");
  for (std::size_t d = 0; d < edges.low.size(); ++d) {
    edges.low[d] = edges.low[d] == -1 ? edges.array->low.at(d) : edges.low[d];
    edges.high[d] = edges.high[d] == -1 ? edges.array->high.at(d) : edges.high[d];
    if (d < signs.size()) {
      edges.low[d] = (signs[d] & 2) != 0 ? edges.low[d] : 0;
      edges.high[d] = (signs[d] & 4) != 0 ? edges.high[d] : 0;
    }
  }
  const long all = static_cast<long>(edges.low.size());
  edges.tuple_limit = call.in.has("MaxShdCount") ? std::max(1L, call.in.number("MaxShdCount"))
                      : call.in.number("FullShdSign") != 0 ? all
                                                           : 1;
  shadow_groups_.at(call.in.text("ShadowGroupRef")).push_back(edges);
}

void Run::insert_shadow(const Call& call) {
  Edges edges;
  edges.low = call.in.list("LowShdWidthArray");
  edges.high = call.in.list("HiShdWidthArray");
  add_edges(call, edges);
}

void Run::include_shadow(const Call& call) {
  const auto widths = [&](const std::string& side) {
    const std::vector<long> first = call.in.list("Init" + side + "ShdIndex");
    const std::vector<long> last = call.in.list("Last" + side + "ShdIndex");
    Index result;
    for (std::size_t d = 0; d < first.size(); ++d) {
      result.push_back(first[d] == -1 ? last[d] : last[d] - first[d] + 1);
    }
    return result;
  };
  Edges edges;
  edges.low = widths("Low");
  edges.high = widths("Hi");
  add_edges(call, edges);
}

void Run::start_shadow(const Call& call) {
  user_time(call.call_time);
  const std::string group = call.in.text("ShadowGroupRef");
  shadows_pending_[group] = start(shadow, edges_of(shadow_groups_.at(group), current()));
  library_time(call.ret_time);
}

void Run::wait_shadow(const Call& call) {
  user_time(call.call_time);
  const std::string group = call.in.text("ShadowGroupRef");
  wait(shadow, shadows_pending_.at(group));
  shadows_pending_.erase(group);
  library_time(call.ret_time);
}

void Run::send_shadow(const Call& call) {
  user_time(call.call_time);
  const std::string group = call.in.text("ShadowGroupRef");
  // Without synchronisation. Where nothing is sent at all nobody waits.
  const double begin = ledger_.latest(current().all());
  const Transfers transfers =
      call.name == "sendsh_" ? edges_of(shadow_groups_.at(group), current()) : Transfers{};
  Pending& pending = shadows_pending_[group];
  if (options_.free) {
    pending = {};
    FreeActs before;
    free_.exchange(transfers, before, pending.later);
    free_.append(before);
  } else {
    pending = {begin,
               carry(machine_, transfers, begin),
               busy(machine_, transfers),
               transfers.empty() ? Holders{0} : current().all(),
               {}};
  }
  library_time(call.ret_time);
}

namespace {

Section single(const std::shared_ptr<Array>& array, const Index& index) {
  Section section;
  section.array = array;
  section.first = index;
  section.last = index;
  section.step = Index(index.size(), 1);
  return section;
}

}  // namespace

void Run::access_element(const Call& call) {
  user_time(call.call_time);
  const auto index = [&](const std::string& own) {
    const std::vector<long> list = call.in.list(own);
    return list.empty() ? call.in.list("IndexArray") : list;
  };
  const Section from =
      single(array_of(call.in, "FromArrayHandlePtr", "FromArrayHeader"), index("FromIndexArray"));
  const Section to =
      single(array_of(call.in, "ToArrayHandlePtr", "ToArrayHeader"), index("ToIndexArray"));
  exchange(remote, copy_of(machine_, from, to, current()).transfers);
  library_time(call.ret_time);
}

void Run::copy_arrays(const Call& call) {
  user_time(call.call_time);
  Section from;
  from.array = array_of(call.in, "FromArrayHandlePtr", "FromArrayHeader");
  from.first = call.in.list("FromInitIndexArray");
  from.last = call.in.list("FromLastIndexArray");
  from.step = call.in.list("FromStepArray");
  Section to;
  to.array = array_of(call.in, "ToArrayHandlePtr", "ToArrayHeader");
  to.first = call.in.list("ToInitIndexArray");
  to.last = call.in.list("ToLastIndexArray");
  to.step = call.in.list("ToStepArray");
  const Copy copy = copy_of(machine_, from, to, current());
  if (call.name == "arrcpy_") {
    begin_collective(remote, machine_.collective);
    blocking(remote, copy.transfers);
  } else {
    copies_pending_[call.in.text("CopyFlagPtr")] = start(remote, copy.transfers);
  }
  written_time(call.ret_time, {copy.written});
}

void Run::wait_copy(const Call& call) {
  user_time(call.call_time);
  const std::string flag = call.in.text("CopyFlagPtr");
  wait(remote, copies_pending_.at(flag));
  copies_pending_.erase(flag);
  library_time(call.ret_time);
}

void Run::create_loop_buffer(const Call& call) {
  ordinary(call);
  const Rule rule{call.in.list("AxisArray"), call.in.list("CoeffArray"),
                  call.in.list("ConstArray")};
  buffers_[call.in.text("BufferHeader")] =
      loop_buffer(machine_, array_of(call.in, "RemArrayHandlePtr", "RemArrayHeader"),
                  loops_.at(call.in.text("LoopRef")).loop, rule, current());
}

void Run::create_point_buffer(const Call& call) {
  ordinary(call);
  buffers_[call.in.text("BufferHeader")] =
      point_buffer(machine_, array_of(call.in, "RemArrayHandlePtr", "RemArrayHeader"),
                   call.in.list("CoordArray"), system_of(call, current()));
}

void Run::load(const Call& call, const std::vector<const Buffer*>& buffers, Pending& pending) {
  user_time(call.call_time);
  Transfers transfers;
  std::vector<Written> written;
  for (const Buffer* buffer : buffers) {
    naive::load(machine_, *buffer, current(), transfers);
    written.push_back({buffer->needs});
  }
  pending = start(remote, transfers, true);
  written_time(call.ret_time, written);
}

void Run::load_buffer(const Call& call) {
  const std::string name = call.in.text("BufferHeader");
  load(call, {&buffers_.at(name)}, buffers_pending_[name]);
}

void Run::wait_buffer(const Call& call) {
  user_time(call.call_time);
  const std::string name = call.in.text("BufferHeader");
  wait(remote, buffers_pending_.at(name));
  buffers_pending_.erase(name);
  library_time(call.ret_time);
}

void Run::insert_buffer(const Call& call) {
  ordinary(call);
  buffer_groups_.at(call.in.text("RegularAccessGroupRef")).push_back(call.in.text("BufferHeader"));
}

void Run::load_group(const Call& call) {
  const std::string name = call.in.text("RegularAccessGroupRef");
  std::vector<const Buffer*> buffers;
  for (const std::string& member : buffer_groups_.at(name)) {
    buffers.push_back(&buffers_.at(member));
  }
  load(call, buffers, groups_pending_[name]);
}

void Run::wait_group(const Call& call) {
  user_time(call.call_time);
  const std::string name = call.in.text("RegularAccessGroupRef");
  wait(remote, groups_pending_.at(name));
  groups_pending_.erase(name);
  library_time(call.ret_time);
}

}  // namespace gridcast::naive
