#include "call_pool.h"

#include <bit>
#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

namespace gridcast::trace {
namespace {

class Hasher {
public:
  void add(std::uint64_t value) noexcept {
    state_ = (state_ ^ value) * 0x9e3779b97f4a7c15ULL;
    state_ ^= state_ >> 29U;
  }

  template <class T>
  requires std::integral<T> || std::is_enum_v<T>
  void add_field(T value) noexcept { add(static_cast<std::uint64_t>(value)); }
  void add_field(double value) noexcept {
    add(value == 0.0 ? 0 : std::bit_cast<std::uint64_t>(value));  // 0 and -0 are equal
  }
  template <class T>
  void add_field(const std::vector<T>& values) {
    add(values.size());
    for (const T& value : values) {
      add_field(value);
    }
  }
  template <class T>
  void add_field(const std::optional<T>& value) {
    add(value ? 1 : 0);
    if (value) {
      add_field(*value);
    }
  }
  template <class T>
  requires std::is_aggregate_v<T>
  void add_field(const T& value);

  [[nodiscard]] std::size_t result() const noexcept { return static_cast<std::size_t>(state_); }

private:
  std::uint64_t state_ = 0x243f6a8885a308d3ULL;
};

/// Stands for any field when the fields of a struct are counted.
struct AnyField {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor): that is its purpose
};

template <class T, std::size_t... I>
consteval bool has_fields(std::index_sequence<I...> /*count*/) {
  return requires { T{(static_cast<void>(I), AnyField{})...}; };
}

template <class T, std::size_t Limit = 8>
consteval std::size_t field_count() {
  if constexpr (std::is_empty_v<T> || Limit == 0) {
    return 0;
  } else if constexpr (has_fields<T>(std::make_index_sequence<Limit>{})) {
    return Limit;
  } else {
    return field_count<T, Limit - 1>();
  }
}

// std::optional takes an AnyField in two ways, so it cannot be counted.
template <>
consteval std::size_t field_count<BeginInterval>() {
  return 2;
}
template <>
consteval std::size_t field_count<RunLoop>() {
  return 3;
}

template <class T>
requires std::is_aggregate_v<T>
void Hasher::add_field(const T& value) {
  const auto add_all = [this](const auto&... fields) { (this->add_field(fields), ...); };
  constexpr std::size_t count = field_count<T>();
  static_assert(count <= 6 && (count > 0 || std::is_empty_v<T>));
  if constexpr (count == 1) {
    const auto& [a] = value;
    add_all(a);
  } else if constexpr (count == 2) {
    const auto& [a, b] = value;
    add_all(a, b);
  } else if constexpr (count == 3) {
    const auto& [a, b, c] = value;
    add_all(a, b, c);
  } else if constexpr (count == 4) {
    const auto& [a, b, c, d] = value;
    add_all(a, b, c, d);
  } else if constexpr (count == 5) {
    const auto& [a, b, c, d, e] = value;
    add_all(a, b, c, d, e);
  } else if constexpr (count == 6) {
    const auto& [a, b, c, d, e, f] = value;
    add_all(a, b, c, d, e, f);
  }
}

}  // namespace

std::size_t hash_of(const Call& call) {
  Hasher hasher;
  hasher.add(call.index());
  std::visit([&](const auto& kind) { hasher.add_field(kind); }, call);
  return hasher.result();
}

CallPool::CallPool() : indices_(64, Hash{this}, Equal{this}) {}

std::uint32_t CallPool::index_of(Call&& call) {
  const std::size_t hash = hash_of(call);
  const auto found = indices_.find(Probe{call, hash});
  if (found != indices_.end()) {
    return *found;
  }
  const auto index = static_cast<std::uint32_t>(calls_.size());
  calls_.push_back(std::move(call));
  hashes_.push_back(hash);
  indices_.insert(index);
  return index;
}

std::vector<Call> CallPool::take() {
  indices_.clear();
  hashes_.clear();
  return std::exchange(calls_, {});
}

}  // namespace gridcast::trace
