/// Stores, journals and locks. The first byte says what the rest is: a journal as it lies there;
/// bodies of journal records or of records of /recovery, which get right digests, so that what is
/// behind the digests is tried too; a store as it lies there; the text of a lock.

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "../../src/store/digest.h"
#include "../../src/store/journal_format.h"
#include "../../src/store/lock_owner.h"
#include "fuzz.h"
#include "gridcast/store/journal.h"
#include "gridcast/store/repair.h"

namespace {

using namespace gridcast;
using namespace gridcast::store;

/// The store of every input; nothing else is in its folder.
const std::filesystem::path& scratch() {
  static const std::filesystem::path path = fuzz::scratch_file("stores") / "s.h5";
  return path;
}

void write_scratch(const std::string& bytes) {
  std::filesystem::remove_all(scratch().parent_path());
  std::filesystem::create_directory(scratch().parent_path());
  fuzz::write_file(scratch(), bytes);
}

template <class Value>
void add(std::string& bytes, const Value& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// The pieces of an input: each begins with its length in two bytes.
std::vector<std::string> pieces_of_input(std::string_view rest) {
  std::vector<std::string> pieces;
  while (rest.size() >= 2) {
    std::uint16_t length = 0;
    std::memcpy(&length, rest.data(), sizeof length);
    rest.remove_prefix(sizeof length);
    pieces.emplace_back(rest.substr(0, length));
    rest.remove_prefix(std::min<std::size_t>(length, rest.size()));
  }
  return pieces;
}

const JournalHeader fuzzed_header{std::string(32, 'a'), 3, 1, 1, 2};

std::string journal_of(const std::vector<std::string>& bodies) {
  constexpr std::uint64_t salt = 0x1234567890abcdefULL;
  std::string bytes;
  add(bytes, JournalPreamble{raw_header(fuzzed_header, salt),
                             {raw_progress({2, 1}, 0, salt), raw_progress({3, 2}, 1, salt)}});
  std::uint64_t chain = salt;
  std::uint64_t sequence = 0;
  for (const std::string& body : bodies) {
    RecordHead head{salt, sequence++, chain, body.size(), 0};
    head.digest = digest_of(head, std::as_bytes(std::span(body)));
    chain = head.digest;
    add(bytes, head);
    bytes += body;
  }
  return bytes;
}

/// Descriptions of /recovery: mark, length, digest.
std::string records_of(const std::vector<std::string>& bodies) {
  std::string bytes;
  for (const std::string& text : bodies) {
    std::string head = "GCRECRD3";
    add(head, static_cast<std::uint64_t>(text.size()));
    add(head, digest64(std::as_bytes(std::span(text))));
    bytes += head + text;
  }
  return bytes;
}

void read_journal() {
  std::optional<JournalReader> reader = JournalReader::salvage(scratch(), fuzzed_header);
  std::int64_t last = -1;
  while (const auto record = reader->next()) {
    if (reader->header_valid() && record->number <= last) {
      std::abort();
    }
    last = record->number;
  }
}

/// Whatever is repaired must be sound.
void inspect_and_repair() {
  const Inspection found = inspect_store(scratch());
  const Repair repair = repair_store(scratch());
  if (repair.done == found.sound || !inspect_store(scratch()).sound) {
    std::abort();
  }
}

/// What is understood of a lock must be the same when it is written and read again.
void read_lock(const std::string& text) {
  const LockOwner owner = parse_lock_text(text);
  const std::string written = lock_text(owner);
  if (lock_text(parse_lock_text(written)) != written ||
      described(owner).find('\n') != std::string::npos) {
    std::abort();
  }
}

}  // namespace

namespace gridcast::fuzz {

const bool of_lines = false;

bool use_input(const std::string& input) {
  return accepted(input, [](const std::string& text) {
    constexpr int kinds = 5;
    const int kind = text.empty() ? 0 : static_cast<unsigned char>(text[0]) % kinds;
    const std::string rest = text.substr(std::min<std::size_t>(1, text.size()));
    switch (kind) {
      case 0:
        write_scratch(rest);
        return read_journal();
      case 1:
        write_scratch(journal_of(pieces_of_input(rest)));
        return read_journal();
      case 2:
        write_scratch(records_of(pieces_of_input(rest)));
        return inspect_and_repair();
      case 3:
        write_scratch(rest);
        return inspect_and_repair();
      default:
        return read_lock(rest);
    }
  });
}

}  // namespace gridcast::fuzz
