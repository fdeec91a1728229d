/// Groups of shadow edges.

#include <algorithm>
#include <string>

#include "decode.h"

namespace gridcast::trace::decode {
namespace {

// Bits of ShdSignArray: what of a dimension takes part. Deduced from the traces of the compilers:
// an edge of width 1 on the low side only comes with 3, on the high side only with 5, none with 1.
constexpr std::int64_t low_edge = 2;
constexpr std::int64_t high_edge = 4;

void check_widths(const Decoding& d, const Extents& widths) {
  const auto wrong =
      std::find_if(widths.begin(), widths.end(), [](std::int64_t width) { return width < -1; });
  if (wrong != widths.end()) {
    d.place().fail("a shadow edge has the width " + std::to_string(*wrong),
                   "expected widths from 0, or -1 for the array's own");
  }
}

/// Takes out the edges that ShdSignArray excludes (insshd_, incshd_).
void apply_signs(const Decoding& d, InsertShadow& inserted) {
  const Extents signs = d.call.find_list("ShdSignArray");
  for (std::size_t i = 0; i < std::min(signs.size(), inserted.low.size()); ++i) {
    if ((signs[i] & low_edge) == 0) {
      inserted.low[i] = 0;
    }
    if ((signs[i] & high_edge) == 0) {
      inserted.high[i] = 0;
    }
  }
}

/// FullShdSign (all corners or none) or MaxShdCount (up to tuples of so many dimensions).
std::int64_t tuple_limit(const Decoding& d, std::size_t rank) {
  if (const auto count = d.call.find_integer("MaxShdCount")) {
    return std::max<std::int64_t>(1, *count);
  }
  const bool corners = d.call.integer("FullShdSign") != 0;
  return corners ? std::max<std::int64_t>(1, static_cast<std::int64_t>(rank)) : 1;
}

/// Widths of incsh_ and incshd_: Last - Init + 1 or, without Init, Last ([Predictor3.1]).
Extents included_widths(const Extents& init, const Extents& last) {
  Extents widths(init.size());
  for (std::size_t i = 0; i < init.size(); ++i) {
    widths[i] = init[i] == -1 ? last[i] : last[i] - init[i] + 1;
  }
  return widths;
}

Call finished(const Decoding& d, InsertShadow inserted) {
  check_widths(d, inserted.low);
  check_widths(d, inserted.high);
  apply_signs(d, inserted);
  inserted.tuple_limit = tuple_limit(d, inserted.low.size());
  inserted.edge_bytes = d.call.find_integer("EdgeTypeSize").value_or(0);
  if (inserted.edge_bytes < 0) {
    d.place().fail("EdgeTypeSize is " + std::to_string(inserted.edge_bytes),
                   "expected bytes of an element from 1");
  }
  inserted.group = d.need(Kind::shadow_group, "ShadowGroupRef");
  inserted.array = d.need(Kind::array, "ArrayHandlePtr", "ArrayHeader");
  return inserted;
}

template <class Made>
Call named(Decoding& d) {
  return Made{d.need(Kind::shadow_group, "ShadowGroupRef")};
}

}  // namespace

Call create_shadow_group(Decoding& d) {
  return CreateShadowGroup{d.create(Kind::shadow_group, "ShadowGroupRef")};
}

Call insert_shadow(Decoding& d) {
  InsertShadow inserted;
  inserted.low = d.call.list("LowShdWidthArray");
  inserted.high = d.call.list("HiShdWidthArray", inserted.low.size());
  return finished(d, std::move(inserted));
}

Call include_shadow(Decoding& d) {
  const Extents low_init = d.call.list("InitLowShdIndex");
  const std::size_t rank = low_init.size();
  InsertShadow inserted;
  inserted.low = included_widths(low_init, d.call.list("LastLowShdIndex", rank));
  inserted.high =
      included_widths(d.call.list("InitHiShdIndex", rank), d.call.list("LastHiShdIndex", rank));
  return finished(d, std::move(inserted));
}

Call delete_shadow_group(Decoding& d) {
  const Slot slot = d.find(Kind::shadow_group, "ShadowGroupRef");
  if (slot == no_object) {
    return Ordinary{};
  }
  d.objects.remove(Kind::shadow_group, slot);
  return DeleteShadowGroup{slot};
}

Call start_shadow(Decoding& d) { return named<StartShadow>(d); }
Call wait_shadow(Decoding& d) { return named<WaitShadow>(d); }
Call send_shadow(Decoding& d) { return named<SendShadow>(d); }
Call receive_shadow(Decoding& d) { return named<ReceiveShadow>(d); }

}  // namespace gridcast::trace::decode
