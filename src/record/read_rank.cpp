#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>

#include "calls.h"
#include "format.h"
#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"
#include "gridcast/record/recording.h"
#include "packed.h"

namespace gridcast::record {
namespace {

/// The operations that can be recorded.
const std::vector<Operation>& known_operations() {
#define GRIDCAST_OPERATION(Name, name, kind, ...) {#Name, Kind::kind},
  static const std::vector<Operation> known{RECORD_CALLS(GRIDCAST_OPERATION)};
#undef GRIDCAST_OPERATION
  return known;
}

/// Reads one file into a RankRecording.
class RankReader {
public:
  explicit RankReader(const std::filesystem::path& file) {
    recording_.file = printable(file.string());
  }

  RankRecording read(const std::filesystem::path& file) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) {
      fail("is no file of a recording", "expected rank-N.gcr");
    }
    std::ifstream stream(file, std::ios::binary);
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    recording_header header{};
    if (!stream || error || !stream.read(reinterpret_cast<char*>(&header), sizeof header) ||
        std::memcmp(header.magic, RECORDING_MAGIC, sizeof header.magic) != 0) {
      fail("is no file of a recording", "expected one that libgridcast-record.so wrote");
    }
    take_header(header, size);
    recording_.log.resize(header.committed - recording_header_bytes);
    stream.seekg(recording_header_bytes);
    if (!stream.read(recording_.log.data(), static_cast<std::streamsize>(recording_.log.size()))) {
      fail("cannot be read to its end", "copy it again");
    }
    recording_.lists.emplace_back();
    recording_.shapes.emplace_back();
    read_log();
    return std::move(recording_);
  }

private:
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    throw InputError(recording_.file, 0, problem, remedy);
  }

  [[noreturn]] void damaged(const std::string& what) const {
    fail(fmt::format("is damaged at byte {}: {}", recording_header_bytes + at_, what),
         "record again");
  }

  void take_header(const recording_header& header, std::uintmax_t size) {
    if (header.version != recording_version) {
      fail(fmt::format("has format {}", header.version),
           fmt::format("this gridcast reads format {}; record again with it",
                       int{recording_version}));
    }
    if (header.header_bytes != recording_header_bytes ||
        header.committed < recording_header_bytes || header.state > recording_aborted ||
        header.latest > 1 || header.thread_level > 3 ||
        (header.flags & ~std::uint32_t{recording_known_flags}) != 0 || header.ranks == 0 ||
        header.ranks > std::uint32_t{std::numeric_limits<std::int32_t>::max()} ||
        header.rank >= header.ranks) {
      fail("has a damaged header", "record again");
    }
    if (header.committed > size) {
      fail(fmt::format("ends after {} of {} bytes", size, header.committed), "copy all of it");
    }
    const recording_clock& last = header.clocks[header.latest];
    const double ticks = static_cast<double>(last.ticks) - static_cast<double>(header.begin.ticks);
    const double seconds = 1e-9 * (static_cast<double>(last.nanoseconds) -
                                   static_cast<double>(header.begin.nanoseconds));
    recording_.tick = seconds / ticks;
    if (!(ticks > 0.0) || !(recording_.tick > 1e-12) || !(recording_.tick < 1e-3)) {
      fail("has clocks that do not run", "record again");
    }
    recording_.duration = seconds;
    recording_.run = header.run;
    recording_.rank = static_cast<std::int32_t>(header.rank);
    recording_.ranks = static_cast<std::int32_t>(header.ranks);
    recording_.state = static_cast<State>(header.state);
    recording_.flags = header.flags;
    recording_.thread_level = static_cast<std::int32_t>(header.thread_level);
  }

  void read_log() {
    std::vector<std::uint32_t> successors(1, 0);
    std::uint32_t previous = 0;
    while (at_ < recording_.log.size()) {
      const std::size_t begin = at_;
      const std::optional<PackedEvent> event = unpack(recording_.log, at_);
      if (!event) {
        damaged("an event is cut");
      }
      std::uint64_t shape = event->shape;
      if (event->expected) {
        shape = successors[previous];
      } else if (shape == 0) {
        take_definition();
        successors.resize(recording_.shapes.size(), 0);
        continue;
      }
      if (shape == 0 || shape >= recording_.shapes.size()) {
        at_ = begin;
        damaged("an event of unknown shape");
      }
      successors[previous] = static_cast<std::uint32_t>(shape);
      previous = static_cast<std::uint32_t>(shape);
      ++recording_.events;
    }
  }

  void take_definition() {
    const std::optional<std::uint64_t> kind = unpack_number(recording_.log, at_);
    const std::optional<std::uint64_t> length = unpack_number(recording_.log, at_);
    if (!kind || !length || *length > recording_.log.size() - at_ ||
        *length > recording_definition_limit) {
      damaged("a definition is cut");
    }
    end_ = at_ + *length;
    switch (*kind) {
      case recording_operation:
        take_operation();
        break;
      case recording_module:
        recording_.modules.push_back({text(), number(), number()});
        break;
      case recording_site:
        take_site();
        break;
      case recording_communicator:
        take_communicator();
        break;
      case recording_datatype:
        take_datatype();
        break;
      case recording_list:
        recording_.lists.push_back(numbers());
        break;
      case recording_shape:
        take_shape();
        break;
      case recording_library:
        recording_.library = text();
        break;
      default:
        damaged(fmt::format("a definition of unknown kind {}", *kind));
    }
    if (at_ != end_) {
      damaged("a definition is longer than what it tells");
    }
  }

  std::int64_t number() {
    const std::optional<std::uint64_t> packed = unpack_number(recording_.log, at_);
    if (!packed || at_ > end_) {
      damaged("a definition is cut");
    }
    return static_cast<std::int64_t>((*packed >> 1U) ^ (~(*packed & 1U) + 1U));
  }

  std::int64_t number(std::int64_t least, std::int64_t most, const char* what) {
    const std::int64_t value = number();
    if (value < least || value > most) {
      damaged(fmt::format("{} {} (expected {} to {})", what, value, least, most));
    }
    return value;
  }

  std::int32_t index(std::int64_t least, std::int64_t most, const char* what) {
    return static_cast<std::int32_t>(number(least, most, what));
  }

  std::string text() {
    const auto length =
        static_cast<std::size_t>(number(0, std::ssize(recording_.log), "a length of text"));
    if (length > end_ - at_) {
      damaged("a definition is cut");
    }
    at_ += length;
    return recording_.log.substr(at_ - length, length);
  }

  std::vector<std::int64_t> numbers() {
    const std::int64_t count =
        number(0, static_cast<std::int64_t>(end_ - at_), "a length of a list");
    std::vector<std::int64_t> values;
    values.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      values.push_back(number());
    }
    return values;
  }

  std::vector<std::int32_t> ranks(std::int64_t count) {
    if (count > static_cast<std::int64_t>(end_ - at_)) {
      damaged("a definition is cut");
    }
    std::vector<std::int32_t> values;
    values.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      values.push_back(index(-2, most_ranks, "a rank"));
    }
    return values;
  }

  void take_operation() {
    const std::string name = text();
    for (const Operation& known : known_operations()) {
      if (known.name == name) {
        recording_.operations.push_back(known);
        return;
      }
    }
    damaged("the unknown operation " + printable(name));
  }

  void take_site() {
    Site site;
    site.module = index(-1, std::ssize(recording_.modules) - 1, "a module");
    site.offset = static_cast<std::uint64_t>(number());
    site.function = text();
    // Recordings before there were callers end here.
    site.caller = at_ < end_ ? index(-1, std::ssize(recording_.sites) - 1, "a site") : -1;
    recording_.sites.push_back(std::move(site));
  }

  void take_communicator() {
    Communicator made;
    made.parent = index(-1, std::ssize(recording_.communicators) - 1, "a communicator");
    made.operation = index(-1, std::ssize(known_operations()) - 1, "an operation");
    made.rank = index(0, most_ranks, "a rank");
    made.size = index(1, most_ranks, "a number of ranks");
    made.members = ranks(number(0, made.size, "a number of members"));
    made.topology = static_cast<Topology>(number(0, recording_inter, "a topology"));
    if (made.topology == Topology::cartesian) {
      const std::int64_t dims = number(0, 16, "a number of dimensions");
      std::int64_t ranks = 1;
      for (std::int64_t i = 0; i < dims; ++i) {
        made.extents.push_back(index(1, made.size, "an extent"));
        made.periodic.push_back(number(0, 1, "a period") == 1);
        ranks = std::min(ranks * made.extents.back(), std::int64_t{most_ranks} + 1);
      }
      if (dims > 0 && ranks != made.size) {
        damaged("extents of a communicator that are not its size");
      }
    } else if (made.topology == Topology::graph) {
      const std::int64_t in = number(0, most_ranks, "a number of neighbours");
      const std::int64_t out = number(0, most_ranks, "a number of neighbours");
      made.sources = ranks(in);
      made.destinations = ranks(out);
    }
    recording_.communicators.push_back(std::move(made));
  }

  void take_datatype() {
    Datatype type;
    type.bytes = number(0, std::numeric_limits<std::int64_t>::max(), "a size");
    type.extent = number();
    type.true_extent = number();
    type.pieces = number(0, std::numeric_limits<std::int64_t>::max(), "a number of pieces");
    type.name = text();
    recording_.datatypes.push_back(std::move(type));
  }

  void take_shape() {
    Shape shape;
    shape.operation = index(0, std::ssize(recording_.operations) - 1, "an operation");
    shape.site = index(-1, std::ssize(recording_.sites) - 1, "a site");
    shape.communicator = index(-1, std::ssize(recording_.communicators) - 1, "a communicator");
    for (std::int32_t& peer : shape.peer) {
      peer = index(anybody, most_ranks, "a partner");
    }
    for (std::int32_t& tag : shape.tag) {
      tag = index(anybody, std::numeric_limits<std::int32_t>::max(), "a tag");
    }
    for (std::int32_t& type : shape.datatype) {
      type = index(-1, std::ssize(recording_.datatypes) - 1, "a datatype");
    }
    for (std::int64_t& bytes : shape.bytes) {
      bytes = number(0, std::numeric_limits<std::int64_t>::max(), "a number of bytes");
    }
    for (std::int32_t& list : shape.list) {
      list = index(0, std::ssize(recording_.lists) - 1, "a list");
    }
    shape.request = index(-1, most_ranks, "a request");
    const bool makes =
        recording_.operations[static_cast<std::size_t>(shape.operation)].kind == Kind::communicator;
    shape.result = index(std::numeric_limits<std::int32_t>::min(),
                         makes ? std::ssize(recording_.communicators) - 1
                               : std::int64_t{std::numeric_limits<std::int32_t>::max()},
                         "a result");
    recording_.shapes.push_back(shape);
  }

  static constexpr std::int64_t most_ranks = std::numeric_limits<std::int32_t>::max();

  RankRecording recording_;
  std::size_t at_ = 0;   ///< in the log
  std::size_t end_ = 0;  ///< of the definition
};

}  // namespace

RankRecording read_rank(const std::filesystem::path& file) { return RankReader(file).read(file); }

EventReader::EventReader(const RankRecording& recording)
    : recording_(recording), successors_(recording.shapes.size(), 0) {}

bool EventReader::next(Event& event) {
  while (at_ < recording_.log.size()) {
    const std::optional<PackedEvent> packed = unpack(recording_.log, at_);
    if (!packed->expected && packed->shape == 0) {
      static_cast<void>(unpack_number(recording_.log, at_));
      at_ += *unpack_number(recording_.log, at_);
      continue;
    }
    event.shape =
        packed->expected ? successors_[previous_] : static_cast<std::uint32_t>(packed->shape);
    event.gap = recording_.tick * static_cast<double>(packed->gap);
    event.duration = recording_.tick * static_cast<double>(packed->duration);
    successors_[previous_] = event.shape;
    previous_ = event.shape;
    return true;
  }
  return false;
}

std::vector<std::string> warnings(const RankRecording& recording) {
  std::vector<std::string> lines;
  if (recording.state == State::running) {
    lines.emplace_back("ended without MPI_Finalize");
  } else if (recording.state == State::aborted) {
    lines.emplace_back("called MPI_Abort");
  }
  const std::array<std::pair<std::uint32_t, const char*>, 5> known{{
      {recording_threads,
       "several threads called MPI: times between calls are not those of one thread"},
      {recording_tables, "has more different calls than the tables hold: some are told in part"},
      {recording_limit, "reached the largest size of a file: later calls are missing"},
      {recording_disk, "had no room on the disk: later calls are missing"},
      {recording_one_sided, "uses one-sided communication, which is not described"},
  }};
  for (const auto& [flag, line] : known) {
    if ((recording.flags & flag) != 0) {
      lines.emplace_back(line);
    }
  }
  return lines;
}

}  // namespace gridcast::record
