#pragma once
/// Which entry of which table of a script.

#include <compare>
#include <cstdint>

namespace gridcast::model {

/// No entry of any table.
struct None {
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator std::uint32_t() const noexcept { return 0xffffffffU; }
};
inline constexpr None none{};

/// Which entry of the table of these descriptions, if any. What is about one table takes no id of
/// another, nor a bare number.
template <class Spec>
class Id {
public:
  constexpr Id() noexcept = default;
  constexpr explicit Id(std::uint32_t number) noexcept : number_(number) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Id(None /*none*/) noexcept {}
  template <class Other>
  explicit Id(Id<Other>) = delete;
  /// To look into the table.
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator std::uint32_t() const noexcept { return number_; }
  friend constexpr auto operator<=>(Id, Id) noexcept = default;

private:
  std::uint32_t number_ = none;
};

struct ViewSpec;
struct TargetSpec;
struct PlacementSpec;
struct CommunicationSpec;
struct PipelineSpec;
struct PortionSpec;
struct ShapeSpec;
struct HoldingSpec;
struct IntervalSpec;
struct PlaceSpec;
using ViewId = Id<ViewSpec>;
using TargetId = Id<TargetSpec>;
using PlacementId = Id<PlacementSpec>;
using CommunicationId = Id<CommunicationSpec>;
using PipelineId = Id<PipelineSpec>;
using PortionId = Id<PortionSpec>;
using ShapeId = Id<ShapeSpec>;
using HoldingId = Id<HoldingSpec>;
using IntervalId = Id<IntervalSpec>;
using PlaceId = Id<PlaceSpec>;

/// The processor system of the whole grid.
inline constexpr ViewId root_view{0};

}  // namespace gridcast::model
