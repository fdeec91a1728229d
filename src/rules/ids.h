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

using ViewId = Id<struct ViewSpec>;
using TargetId = Id<struct TargetSpec>;
using PlacementId = Id<struct PlacementSpec>;
using CommunicationId = Id<struct CommunicationSpec>;
using PipelineId = Id<struct PipelineSpec>;
using PortionId = Id<struct PortionSpec>;
using ShapeId = Id<struct ShapeSpec>;
using HoldingId = Id<struct HoldingSpec>;
using IntervalId = Id<struct IntervalSpec>;
using PlaceId = Id<struct PlaceSpec>;
using DomainId = Id<struct DomainSpec>;
using StatementId = Id<struct StatementSpec>;

/// The processor system of the whole grid.
inline constexpr ViewId root_view{0};

}  // namespace gridcast::model
