#include "gridcast/rules/script.h"

#include <cstring>
#include <type_traits>

#include "gridcast/base/contract.h"

namespace gridcast::model {
namespace {

constexpr std::size_t alignment = 8;

std::size_t aligned(std::size_t size) { return (size + alignment - 1) / alignment * alignment; }

}  // namespace

Script::Script(const Builder& tables, const ScriptHeader& header) {
  auto bytes = std::make_shared<std::vector<std::byte>>();
  const auto append = [&](const void* data, std::size_t size) {
    const std::size_t at = bytes->size();
    bytes->resize(at + aligned(size));
    if (size > 0) {
      std::memcpy(bytes->data() + at, data, size);
    }
  };
  append(&header, sizeof header);
  Builder::for_each(
      [&](const auto& table) {
        using Row = typename std::remove_cvref_t<decltype(table)>::value_type;
        static_assert(std::is_trivially_copyable_v<Row> && alignof(Row) <= alignment);
        const std::uint64_t count = table.size();
        append(&count, sizeof count);
        append(table.data(), count * sizeof(Row));
      },
      tables);
  bytes_ = *bytes;
  owned_ = std::move(bytes);
  attach_tables();
}

Script Script::attach(std::span<const std::byte> bytes) {
  Script script;
  script.bytes_ = bytes;
  script.attach_tables();
  return script;
}

Script::Builder Script::builder() const {
  Builder copy;
  Builder::for_each([](auto& to, const auto& from) { to.assign(from.begin(), from.end()); }, copy,
                    tables_);
  return copy;
}

void Script::attach_tables() {
  const std::byte* at = bytes_.data();
  std::memcpy(&header_, at, sizeof header_);
  at += aligned(sizeof header_);
  Tables::for_each(
      [&](auto& table) {
        using Row = typename std::remove_cvref_t<decltype(table)>::value_type;
        std::uint64_t count = 0;
        std::memcpy(&count, at, sizeof count);
        at += alignment;
        // The rows were copied here byte by byte from an array of the same type.
        table = {reinterpret_cast<const Row*>(at), static_cast<std::size_t>(count)};
        at += aligned(count * sizeof(Row));
      },
      tables_);
  expects(at == bytes_.data() + bytes_.size(), "a packed script is read to its end");
}

}  // namespace gridcast::model
