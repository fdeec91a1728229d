#pragma once
/// The objects that exist at a point of the trace: references (addresses) to slots.
///
/// The run-time library frees what was created without StaticSign when the block of the program
/// ends in which it was created (begbl_/endbl_, crtpl_/endpl_; visible in traces with nested
/// calls), so addresses come back without a call that deletes. Such objects become *expired*: their
/// slots may be used again, but until that happens their references still name them.

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "gridcast/trace/calls.h"
#include "gridcast/trace/program.h"

namespace gridcast::trace {

enum class Kind : std::uint8_t {
  system,
  machine,
  target,
  array,
  loop,
  reduction_group,
  reduction,
  shadow_group,
  buffer,
  buffer_group,
  copy_flag
};
inline constexpr std::size_t kind_count = 11;

/// "processor system", "array", …: for messages.
[[nodiscard]] std::string_view name_of(Kind kind) noexcept;

/// An address of the traced run (its digits folded to 64 bits); 0 is no object.
using Reference = std::uint64_t;

class Objects {
public:
  /// How an object is named: by the library's reference (unique among all kinds at any time), by
  /// the address of the header variable in the program (arrays, buffers, copy flags), or by both.
  struct Names {
    Reference reference = 0;
    Reference header = 0;
  };

  /// A new object; one that exists under the same name is replaced (same kind: same slot).
  /// `fixed` objects (StaticSign) outlive the block in which they are created.
  Slot create(Kind kind, Names names, bool fixed = true);

  /// The object's slot or no_object.
  [[nodiscard]] Slot find(Kind kind, Names names);

  /// Whatever kind of object the reference names.
  [[nodiscard]] std::optional<std::pair<Kind, Slot>> find_any(Reference reference) const;

  void erase(Kind kind, Slot slot);

  /// Erases what the program deletes, and remembers its names.
  void remove(Kind kind, Slot slot);
  /// True if the reference names what was removed, and nothing since then.
  [[nodiscard]] bool was_removed(Reference reference) const;

  /// Makes a group delete its members when it is deleted (DelRedSign, DelBufSign).
  void owns_members(Kind group_kind, Slot group);
  void add_member(Kind group_kind, Slot group, Kind member_kind, Slot member);

  /// begbl_ and endbl_, crtpl_ and endpl_. Closing also closes what is still open inside.
  void open_block();
  void close_block();
  void open_loop(Slot loop);
  void close_loop(Slot loop);

  /// Objects per kind that existed at most at a time.
  [[nodiscard]] SlotCounts counts() const;

private:
  struct Handle {
    Kind kind{};
    Slot slot = no_object;
    std::uint32_t generation = 0;
  };
  struct Object {
    Names names;
    std::uint32_t generation = 0;  ///< tells an object from a later one in the same slot
    bool live = false;
    bool expired = false;
    bool owns_members = false;
    std::vector<Handle> members;
  };
  struct Block {
    Slot loop = no_object;  ///< no_object: begbl_
    std::vector<Handle> created;
  };
  struct Store {
    std::vector<Object> objects;
    std::set<Slot> free;
    std::unordered_map<Reference, Slot> by_header;
  };

  Store& store(Kind kind) { return stores_[static_cast<std::size_t>(kind)]; }
  Object& object(Kind kind, Slot slot) { return store(kind).objects[slot]; }
  Slot allocate(Kind kind);
  void forget_names(Kind kind, Slot slot);
  void expire(const Handle& handle);
  bool is_current(const Handle& handle);
  void close_blocks_to(Slot loop);
  void close_last_block();
  void erase_members(const std::vector<Handle>& members);

  std::array<Store, kind_count> stores_;
  std::unordered_map<Reference, std::pair<Kind, Slot>> by_reference_;
  std::vector<Block> blocks_;
  std::unordered_set<Reference> removed_;
};

}  // namespace gridcast::trace
