#include "objects.h"

#include <algorithm>

namespace gridcast::trace {

std::string_view name_of(Kind kind) noexcept {
  constexpr std::array<std::string_view, kind_count> names = {
      "processor system", "abstract machine", "template",           "array",
      "parallel loop",    "reduction group",  "reduction variable", "shadow group",
      "buffer",           "buffer group",     "copy flag"};
  return names[static_cast<std::size_t>(kind)];
}

Slot Objects::allocate(Kind kind) {
  Store& kept = store(kind);
  if (kept.free.empty()) {
    kept.objects.emplace_back();
    return static_cast<Slot>(kept.objects.size() - 1);
  }
  const Slot slot = *kept.free.begin();
  forget_names(kind, slot);  // those of an expired object
  kept.free.erase(kept.free.begin());
  return slot;
}

void Objects::forget_names(Kind kind, Slot slot) {
  Object& target = object(kind, slot);
  const auto same = by_reference_.find(target.names.reference);
  if (same != by_reference_.end() && same->second == std::pair(kind, slot)) {
    by_reference_.erase(same);
  }
  auto& headers = store(kind).by_header;
  const auto header = headers.find(target.names.header);
  if (header != headers.end() && header->second == slot) {
    headers.erase(header);
  }
  target.names = {};
}

Slot Objects::create(Kind kind, Names names, bool fixed) {
  Slot slot = no_object;
  const auto take_over = [&](Kind old_kind, Slot old_slot) {
    const bool replaces =
        old_kind == kind && slot == no_object && !object(old_kind, old_slot).expired;
    if (replaces) {
      slot = old_slot;
      forget_names(kind, slot);
    } else if (!(old_kind == kind && old_slot == slot)) {
      erase(old_kind, old_slot);
    }
  };
  if (names.header != 0) {
    const auto& headers = store(kind).by_header;
    if (const auto found = headers.find(names.header); found != headers.end()) {
      take_over(kind, found->second);
    }
  }
  if (const auto found = by_reference_.find(names.reference);
      names.reference != 0 && found != by_reference_.end()) {
    const auto [old_kind, old_slot] = found->second;
    take_over(old_kind, old_slot);
  }
  if (slot == no_object) {
    slot = allocate(kind);
  }
  removed_.erase(names.reference);
  removed_.erase(names.header);
  Object& made = object(kind, slot);
  made = Object{.names = names, .generation = made.generation + 1, .live = true, .members = {}};
  if (names.reference != 0) {
    by_reference_[names.reference] = {kind, slot};
  }
  if (names.header != 0) {
    store(kind).by_header[names.header] = slot;
  }
  if (!fixed && !blocks_.empty()) {
    blocks_.back().created.push_back({kind, slot, made.generation});
  }
  return slot;
}

Slot Objects::find(Kind kind, Names names) {
  Slot slot = no_object;
  const auto by_reference = by_reference_.find(names.reference);
  if (names.reference != 0 && by_reference != by_reference_.end() &&
      by_reference->second.first == kind) {
    slot = by_reference->second.second;
  } else if (names.header != 0) {
    const auto& headers = store(kind).by_header;
    const auto by_header = headers.find(names.header);
    slot = by_header == headers.end() ? no_object : by_header->second;
  }
  if (slot != no_object && object(kind, slot).expired) {
    object(kind, slot).expired = false;  // still in use: it was not freed after all
    store(kind).free.erase(slot);
  }
  return slot;
}

std::optional<std::pair<Kind, Slot>> Objects::find_any(Reference reference) const {
  const auto found = by_reference_.find(reference);
  return reference == 0 || found == by_reference_.end() ? std::nullopt
                                                        : std::optional(found->second);
}

void Objects::erase(Kind kind, Slot slot) {
  forget_names(kind, slot);
  Object& gone = object(kind, slot);
  gone.live = false;
  gone.expired = false;
  ++gone.generation;
  store(kind).free.insert(slot);
  const std::vector<Handle> members = std::move(gone.members);
  gone.members.clear();
  if (gone.owns_members) {
    erase_members(members);
  }
}

void Objects::remove(Kind kind, Slot slot) {
  const Names names = object(kind, slot).names;
  erase(kind, slot);
  for (const Reference name : {names.reference, names.header}) {
    if (name != 0) {
      removed_.insert(name);
    }
  }
}

bool Objects::was_removed(Reference reference) const {
  return removed_.contains(reference) && !by_reference_.contains(reference);
}

void Objects::erase_members(const std::vector<Handle>& members) {
  for (const Handle& member : members) {
    if (is_current(member)) {
      erase(member.kind, member.slot);
    }
  }
}

void Objects::expire(const Handle& handle) {
  if (!is_current(handle)) {
    return;
  }
  Object& old = object(handle.kind, handle.slot);
  old.expired = true;
  store(handle.kind).free.insert(handle.slot);
  if (old.owns_members) {
    for (const Handle& member : old.members) {
      expire(member);
    }
  }
}

bool Objects::is_current(const Handle& handle) {
  const Object& found = object(handle.kind, handle.slot);
  return found.live && !found.expired && found.generation == handle.generation;
}

void Objects::owns_members(Kind group_kind, Slot group) {
  object(group_kind, group).owns_members = true;
}

void Objects::add_member(Kind group_kind, Slot group, Kind member_kind, Slot member) {
  auto& members = object(group_kind, group).members;
  const std::uint32_t generation = object(member_kind, member).generation;
  const bool known = std::any_of(members.begin(), members.end(), [&](const Handle& handle) {
    return handle.slot == member && handle.generation == generation;
  });
  if (!known) {
    members.push_back({member_kind, member, generation});
  }
}

void Objects::open_block() { blocks_.emplace_back(); }

void Objects::open_loop(Slot loop) { blocks_.push_back({.loop = loop, .created = {}}); }

void Objects::close_last_block() {
  const std::vector<Handle> created = std::move(blocks_.back().created);
  blocks_.pop_back();
  for (const Handle& handle : created) {
    expire(handle);
  }
}

void Objects::close_blocks_to(Slot loop) {
  const auto opened = std::find_if(blocks_.rbegin(), blocks_.rend(),
                                   [&](const Block& block) { return block.loop == loop; });
  if (opened == blocks_.rend()) {
    return;
  }
  const auto keep = static_cast<std::size_t>(blocks_.rend() - opened) - 1;
  while (blocks_.size() > keep) {
    close_last_block();
  }
}

void Objects::close_block() { close_blocks_to(no_object); }

void Objects::close_loop(Slot loop) { close_blocks_to(loop); }

SlotCounts Objects::counts() const {
  const auto size = [&](Kind kind) {
    return static_cast<Slot>(stores_[static_cast<std::size_t>(kind)].objects.size());
  };
  return {.systems = size(Kind::system),
          .machines = size(Kind::machine),
          .targets = size(Kind::target),
          .arrays = size(Kind::array),
          .loops = size(Kind::loop),
          .reduction_groups = size(Kind::reduction_group),
          .reductions = size(Kind::reduction),
          .shadow_groups = size(Kind::shadow_group),
          .buffers = size(Kind::buffer),
          .buffer_groups = size(Kind::buffer_group),
          .copy_flags = size(Kind::copy_flag)};
}

}  // namespace gridcast::trace
