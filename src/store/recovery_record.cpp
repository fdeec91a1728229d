#include "recovery_record.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "bytes.h"
#include "description_fields.h"
#include "digest.h"
#include "file_window.h"

namespace gridcast::store {
namespace {

/// Before the bytes of a description; the last character changes with their layout.
struct RecoveryHead {
  std::array<char, 8> mark{'G', 'C', 'R', 'E', 'C', 'R', 'D', '3'};
  std::uint64_t length = 0;  ///< of what follows the head
  std::uint64_t digest = 0;  ///< of that
};
static_assert(sizeof(RecoveryHead) == 24);

// One function per type for both directions: Archive is ByteWriter or ByteReader.

template <typename Archive, typename Run>
void archive_run(Archive& archive, Run& run) {
  for (const TextField& field : text_fields) {
    archive.text(run.*field.member);
  }
  for (const NumberField& field : number_fields) {
    archive.value(run.*field.member);
  }
  archive.list(run.traces, [&](auto& trace) { archive.text(trace); });
}

template <typename Archive, typename Interval>
void archive_interval(Archive& archive, Interval& interval) {
  archive.value(interval.parent);
  archive.value(interval.level);
  archive.value(interval.type);
  archive.value(interval.count);
  archive.text(interval.file);
  archive.value(interval.line);
  std::vector<std::int64_t> expression;
  if (interval.expression) {
    expression.push_back(*interval.expression);
  }
  archive.list(expression, [&](auto& value) { archive.value(value); });
  if constexpr (!std::is_const_v<Interval>) {
    if (!expression.empty()) {
      interval.expression = expression.front();
    }
  }
}

template <typename Archive, typename Identity>
void archive_identity(Archive& archive, Identity& identity) {
  auto& setup = identity.setup;
  archive.text(identity.store_id);
  archive.text(identity.created);
  archive_run(archive, setup.description);
  archive.value(setup.chunk_rows);
  archive.value(setup.interval_results);
  archive.list(setup.extra_columns, [&](auto& extra) {
    archive.text(extra.name);
    archive.text(extra.units);
    archive.text(extra.long_name);
    archive.value(extra.type);
  });
  archive.list(setup.intervals, [&](auto& interval) { archive_interval(archive, interval); });
  archive.list(setup.sources, [&](auto& source) { archive_run(archive, source); });
}

/// The identity in the record at `offset`; empty if no whole record lies there.
std::optional<StoreIdentity> identity_at(FileWindow& window, std::uint64_t offset) {
  RecoveryHead head;
  const auto bytes = window.view(offset, sizeof head);
  if (bytes.size() < sizeof head) {
    return std::nullopt;
  }
  std::memcpy(&head, bytes.data(), sizeof head);
  const auto body = window.view(offset + sizeof head, static_cast<std::size_t>(head.length));
  if (body.size() < head.length || head.digest != digest64(body)) {
    return std::nullopt;
  }
  ByteReader in(body);
  StoreIdentity identity;
  archive_identity(in, identity);
  return in.failed() ? std::nullopt : std::optional(std::move(identity));
}

}  // namespace

std::vector<std::byte> description_record(const StoreIdentity& identity) {
  constexpr std::size_t word = 8;
  ByteWriter out;
  archive_identity(out, identity);
  std::vector<std::byte> body = out.bytes();
  body.resize((body.size() + word - 1) / word * word);
  RecoveryHead head;
  head.length = body.size();
  head.digest = digest64(body);
  const auto bytes = std::as_bytes(std::span(&head, 1));
  body.insert(body.begin(), bytes.begin(), bytes.end());
  return body;
}

std::optional<StoreIdentity> find_description(const std::filesystem::path& path) {
  FileWindow window(path, open_descriptor(path, O_RDONLY));
  const RecoveryHead head;
  const auto mark = std::as_bytes(std::span(head.mark));
  for (std::uint64_t offset = 0;; ++offset) {
    for (auto rest = window.rest(offset, sizeof head);; rest = window.rest(offset, sizeof head)) {
      if (rest.size() < sizeof head) {
        return std::nullopt;
      }
      const auto found = std::search(rest.begin(), rest.end(), mark.begin(), mark.end());
      offset += static_cast<std::uint64_t>(found - rest.begin());
      if (found != rest.end()) {
        break;
      }
      offset -= mark.size() - 1;
    }
    if (std::optional<StoreIdentity> identity = identity_at(window, offset)) {
      return identity;
    }
  }
}

std::uint64_t row_digest(std::int64_t number, ResultRow row, std::span<const double> extras,
                         std::span<const model::Characteristics> intervals) noexcept {
  row.run = 0;  // its columns stand for it
  std::uint64_t digest = digest64(std::as_bytes(std::span(&number, 1)));
  for (const auto bytes :
       {std::as_bytes(std::span(&row, 1)), std::as_bytes(extras), std::as_bytes(intervals)}) {
    digest = digest64(bytes, digest);
  }
  return digest;
}

}  // namespace gridcast::store
