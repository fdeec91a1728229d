#include "recovery_record.h"

#include <fcntl.h>

#include <array>
#include <cstring>
#include <utility>

#include "bytes.h"
#include "description_fields.h"
#include "digest.h"
#include "file_window.h"

namespace gridcast::store {
namespace {

constexpr std::array<char, 8> record_mark{'G', 'C', 'R', 'E', 'C', 'R', 'D', '1'};
/// Changes with the layout of the records.
constexpr std::uint32_t record_layout = 2;

struct RecoveryHead {
  std::array<char, 8> mark = record_mark;
  std::uint32_t kind = 0;
  std::uint32_t layout = record_layout;
  std::uint64_t length = 0;  ///< of what follows the head
  std::uint64_t sequence = 0;
  std::uint64_t digest = 0;  ///< of what is before and of what follows

  [[nodiscard]] std::uint64_t expected_digest(std::span<const std::byte> body) const noexcept {
    const auto before = std::as_bytes(std::span(this, 1)).first(offsetof(RecoveryHead, digest));
    return digest64(body, digest64(before));
  }
};
static_assert(sizeof(RecoveryHead) == 40);

std::vector<std::byte> framed(RecordKind kind, std::uint64_t sequence,
                              std::vector<std::byte> body) {
  constexpr std::size_t word = 8;
  body.resize((body.size() + word - 1) / word * word);
  RecoveryHead head;
  head.kind = static_cast<std::uint32_t>(kind);
  head.length = body.size();
  head.sequence = sequence;
  head.digest = head.expected_digest(body);
  std::vector<std::byte> record(sizeof head + body.size());
  std::memcpy(record.data(), &head, sizeof head);
  std::memcpy(record.data() + sizeof head, body.data(), body.size());
  return record;
}

void add_texts(ByteWriter& out, const std::vector<std::string>& texts) {
  out.add(static_cast<std::uint64_t>(texts.size()));
  for (const std::string& text : texts) {
    out.add_text(text);
  }
}

std::vector<std::string> take_texts(ByteReader& in) {
  std::vector<std::string> texts(in.take_count(sizeof(std::uint64_t)));
  for (std::string& text : texts) {
    text = in.take_text();
  }
  return texts;
}

void add_run(ByteWriter& out, const RunDescription& run) {
  for (const TextField& field : text_fields) {
    out.add_text(run.*field.member);
  }
  for (const NumberField& field : number_fields) {
    out.add(run.*field.member);
  }
  add_texts(out, run.traces);
}

RunDescription take_run(ByteReader& in, std::uint32_t layout) {
  RunDescription run;
  for (const TextField& field : text_fields) {
    if (field.since <= layout) {
      run.*field.member = in.take_text();
    }
  }
  for (const NumberField& field : number_fields) {
    run.*field.member = in.take<std::int64_t>();
  }
  run.traces = take_texts(in);
  return run;
}

void add_interval(ByteWriter& out, const model::IntervalInfo& interval) {
  out.add(interval.parent);
  out.add(interval.level);
  out.add(static_cast<std::int32_t>(interval.type));
  out.add(interval.count);
  out.add_text(interval.file);
  out.add(interval.line);
  out.add(static_cast<std::int32_t>(interval.expression.has_value()));
  out.add(interval.expression.value_or(0));
}

model::IntervalInfo take_interval(ByteReader& in) {
  model::IntervalInfo interval;
  interval.parent = in.take<decltype(interval.parent)>();
  interval.level = in.take<decltype(interval.level)>();
  interval.type = static_cast<trace::IntervalType>(in.take<std::int32_t>());
  interval.count = in.take<decltype(interval.count)>();
  interval.file = in.take_text();
  interval.line = in.take<decltype(interval.line)>();
  const bool has_expression = in.take<std::int32_t>() != 0;
  const auto expression = in.take<std::int64_t>();
  if (has_expression) {
    interval.expression = expression;
  }
  return interval;
}

void add_identity(ByteWriter& out, const StoreIdentity& identity) {
  const StoreSetup& setup = identity.setup;
  out.add_text(identity.store_id);
  out.add_text(identity.created);
  add_run(out, setup.description);
  out.add(setup.chunk_rows);
  out.add(static_cast<std::int32_t>(setup.interval_results));
  out.add(static_cast<std::uint64_t>(setup.extra_columns.size()));
  for (const ExtraColumn& extra : setup.extra_columns) {
    out.add_text(extra.name);
    out.add_text(extra.units);
    out.add_text(extra.long_name);
    out.add(static_cast<std::int32_t>(extra.type));
  }
  out.add(static_cast<std::uint64_t>(setup.intervals.size()));
  for (const model::IntervalInfo& interval : setup.intervals) {
    add_interval(out, interval);
  }
  out.add(static_cast<std::uint64_t>(setup.sources.size()));
  for (const RunDescription& source : setup.sources) {
    add_run(out, source);
  }
}

StoreIdentity take_identity(ByteReader& in, std::uint32_t layout) {
  StoreIdentity identity;
  StoreSetup& setup = identity.setup;
  identity.store_id = in.take_text();
  identity.created = in.take_text();
  setup.description = take_run(in, layout);
  setup.chunk_rows = in.take<std::int64_t>();
  setup.interval_results = in.take<std::int32_t>() != 0;
  setup.extra_columns.resize(in.take_count(3 * sizeof(std::uint64_t)));
  for (ExtraColumn& extra : setup.extra_columns) {
    extra.name = in.take_text();
    extra.units = in.take_text();
    extra.long_name = in.take_text();
    extra.type = static_cast<ColumnType>(in.take<std::int32_t>());
  }
  setup.intervals.resize(in.take_count(sizeof(std::uint64_t)));
  for (model::IntervalInfo& interval : setup.intervals) {
    interval = take_interval(in);
  }
  setup.sources.resize(in.take_count(sizeof(std::uint64_t)));
  for (RunDescription& source : setup.sources) {
    source = take_run(in, layout);
  }
  return identity;
}

void add_chunk(ByteWriter& out, const ChunkRecord& chunk) {
  out.add(chunk.first);
  out.add(chunk.count);
  out.add(static_cast<std::uint64_t>(chunk.pieces.size()));
  for (const StoredPiece& piece : chunk.pieces) {
    out.add(piece);
  }
}

ChunkRecord take_chunk(ByteReader& in) {
  ChunkRecord chunk;
  chunk.first = in.take<std::int64_t>();
  chunk.count = in.take<std::int64_t>();
  chunk.pieces.resize(in.take_count(sizeof(StoredPiece)));
  for (StoredPiece& piece : chunk.pieces) {
    piece = in.take<StoredPiece>();
  }
  return chunk;
}

void add_failures(ByteWriter& out, const std::vector<Failure>& failures) {
  out.add(static_cast<std::uint64_t>(failures.size()));
  for (const Failure& failure : failures) {
    out.add(failure.config);
    out.add_text(failure.grid);
    out.add_text(failure.reason);
    out.add(static_cast<std::int32_t>(failure.cause));
  }
}

std::vector<Failure> take_failures(ByteReader& in) {
  std::vector<Failure> failures(in.take_count(sizeof(std::uint64_t)));
  for (Failure& failure : failures) {
    failure.config = in.take<std::int64_t>();
    failure.grid = in.take_text();
    failure.reason = in.take_text();
    failure.cause = static_cast<FailureCause>(in.take<std::int32_t>());
  }
  return failures;
}

std::optional<SummaryRecord> parse_summary(std::span<const std::byte> body, std::uint32_t layout) {
  ByteReader in(body);
  SummaryRecord summary;
  summary.identity = take_identity(in, layout);
  summary.outcome.complete = in.take<std::int32_t>() != 0;
  summary.outcome.finished = in.take_text();
  summary.outcome.candidates = in.take<std::int64_t>();
  summary.outcome.not_bad = in.take<std::int64_t>();
  summary.outcome.epoch = in.take<std::int64_t>();
  summary.rows = in.take<std::int64_t>();
  summary.failures = take_failures(in);
  if (in.take<std::int32_t>() != 0) {
    const auto chosen = in.take<ResultRow>();
    summary.best = Best{chosen, in.take<ResultRow>()};
  }
  summary.chunks.resize(in.take_count(sizeof(std::uint64_t)));
  for (ChunkRecord& chunk : summary.chunks) {
    chunk = take_chunk(in);
  }
  return in.failed() ? std::nullopt : std::optional(std::move(summary));
}

/// A record as it was found.
struct Framed {
  RecoveryHead head;
  std::span<const std::byte> body;
};

std::optional<Framed> unframed(std::span<const std::byte> bytes) {
  Framed found;
  if (bytes.size() < sizeof found.head) {
    return std::nullopt;
  }
  std::memcpy(&found.head, bytes.data(), sizeof found.head);
  if (found.head.mark != record_mark || found.head.layout < 1 ||
      found.head.layout > record_layout || found.head.length > bytes.size() - sizeof found.head) {
    return std::nullopt;
  }
  found.body = bytes.subspan(sizeof found.head, static_cast<std::size_t>(found.head.length));
  return found.head.digest == found.head.expected_digest(found.body) ? std::optional(found)
                                                                     : std::nullopt;
}

/// Collects the records of a file.
class RecordFinder {
public:
  explicit RecordFinder(const std::filesystem::path& path)
      : window_(path, open_descriptor(path, O_RDONLY)), size_(std::filesystem::file_size(path)) {}

  FoundRecords all() {
    const auto* const mark = reinterpret_cast<const std::byte*>(record_mark.data());
    for (std::uint64_t offset = 0;;) {
      const auto rest = window_.rest(offset, sizeof(RecoveryHead));
      if (rest.size() < sizeof(RecoveryHead)) {
        break;
      }
      const auto found = std::search(rest.begin(), rest.end(), mark, mark + record_mark.size());
      offset += static_cast<std::uint64_t>(found - rest.begin());
      if (found == rest.end()) {
        offset -= record_mark.size() - 1;
        continue;
      }
      take(offset);
      ++offset;
    }
    if (records_.summary) {
      records_.identity = records_.summary->identity;
      for (const ChunkRecord& chunk : records_.summary->chunks) {
        note(chunk);
      }
    }
    return std::move(records_);
  }

private:
  void take(std::uint64_t offset) {
    RecoveryHead head;
    const auto bytes = window_.view(offset, sizeof head);
    if (bytes.size() < sizeof head) {
      return;
    }
    std::memcpy(&head, bytes.data(), sizeof head);
    if (head.length > size_ - offset) {
      return;
    }
    const auto found =
        unframed(window_.view(offset, sizeof head + static_cast<std::size_t>(head.length)));
    if (!found) {
      return;
    }
    ByteReader in(found->body);
    if (found->head.kind == static_cast<std::uint32_t>(RecordKind::description)) {
      records_.identity = take_identity(in, found->head.layout);
    } else if (found->head.kind == static_cast<std::uint32_t>(RecordKind::chunk)) {
      note(take_chunk(in));
    } else if (!records_.summary || found->head.sequence > sequence_) {
      records_.summary = parse_summary(found->body, found->head.layout);
      sequence_ = found->head.sequence;
    }
  }

  void note(const ChunkRecord& chunk) {
    // No store has so many rows: the numbers are damaged, and sums of them would not fit.
    constexpr std::int64_t most_rows = std::int64_t{1} << 48;
    if (chunk.first < 0 || chunk.first > most_rows || chunk.count < 0 || chunk.count > most_rows) {
      return;
    }
    ChunkRecord& known = records_.chunks[chunk.first];
    if (chunk.count > known.count) {
      known = chunk;
    }
  }

  FileWindow window_;
  std::uint64_t size_;
  FoundRecords records_;
  std::uint64_t sequence_ = 0;
};

}  // namespace

std::vector<std::byte> description_record(const StoreIdentity& identity) {
  ByteWriter out;
  add_identity(out, identity);
  return framed(RecordKind::description, 0, out.bytes());
}

std::vector<std::byte> chunk_record(const ChunkRecord& chunk) {
  ByteWriter out;
  add_chunk(out, chunk);
  return framed(RecordKind::chunk, 0, out.bytes());
}

std::vector<std::byte> summary_record(const SummaryRecord& summary, std::uint64_t sequence) {
  ByteWriter out;
  add_identity(out, summary.identity);
  out.add(static_cast<std::int32_t>(summary.outcome.complete));
  out.add_text(summary.outcome.finished);
  out.add(summary.outcome.candidates);
  out.add(summary.outcome.not_bad);
  out.add(summary.outcome.epoch);
  out.add(summary.rows);
  add_failures(out, summary.failures);
  out.add(static_cast<std::int32_t>(summary.best.has_value()));
  if (summary.best) {
    out.add(summary.best->chosen);
    out.add(summary.best->unconstrained);
  }
  out.add(static_cast<std::uint64_t>(summary.chunks.size()));
  for (const ChunkRecord& chunk : summary.chunks) {
    add_chunk(out, chunk);
  }
  return framed(RecordKind::summary, sequence, out.bytes());
}

std::size_t chunk_record_bytes(std::size_t pieces) noexcept {
  return sizeof(RecoveryHead) + 3 * sizeof(std::uint64_t) + pieces * sizeof(StoredPiece);
}

FoundRecords find_records(const std::filesystem::path& path) { return RecordFinder(path).all(); }

std::optional<ChunkRecord> parse_chunk_record(std::span<const std::byte> record) {
  const std::optional<Framed> found = unframed(record);
  if (!found || found->head.kind != static_cast<std::uint32_t>(RecordKind::chunk)) {
    return std::nullopt;
  }
  ByteReader in(found->body);
  return take_chunk(in);
}

}  // namespace gridcast::store
