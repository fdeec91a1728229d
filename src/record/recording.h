#pragma once
/// A recording: the MPI calls that the ranks of one run made, with their times
/// (docs/recordings.md). What is here was validated: every number refers to something that exists.

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gridcast/machine/grid.h"

namespace gridcast::record {

/// What an operation of MPI is for.
enum class Kind : std::uint8_t {
  send,
  receive,
  exchange,  ///< Sendrecv
  probe,
  start,     ///< of persistent requests
  complete,  ///< Wait, Test and their relatives
  release,   ///< of requests, communicators, datatypes
  collective,
  neighbours,    ///< neighbour collectives
  communicator,  ///< makes one
  one_sided,
  other
};

/// An operation of MPI that was called.
struct Operation {
  std::string name;  ///< without "MPI_"
  Kind kind = Kind::other;
};

/// A file of machine code: the program or a shared library.
struct Module {
  std::string path;
  std::int64_t size = -1;      ///< bytes; -1: not known
  std::int64_t modified = -1;  ///< nanoseconds since 1970; -1: not known
};

/// A place that calls MPI.
struct Site {
  std::int32_t module = -1;  ///< -1: not known
  std::uint64_t offset = 0;  ///< address within the module as its symbols have it
  std::string function;      ///< the nearest exported symbol before it; may be empty
  std::int32_t caller =
      -1;  ///< of a library's: the site where the program called it; -1: not known
};

/// How the ranks of a communicator are arranged.
enum class Topology : std::uint8_t { flat, cartesian, graph, inter };

/// A communicator, as the rank of the recording sees it.
struct Communicator {
  std::int32_t parent = -1;     ///< the one that it was made from; -1: not known, or the world
  std::int32_t operation = -1;  ///< that made it
  std::int32_t rank = 0;        ///< of this rank within it
  std::int32_t size = 1;        ///< ranks
  std::vector<std::int32_t> members;  ///< their ranks in the world, -1: not in it; the first 4096
  Topology topology = Topology::flat;
  std::vector<std::int32_t> extents;       ///< of a Cartesian one
  std::vector<bool> periodic;              ///< per dimension
  std::vector<std::int32_t> sources;       ///< of a graph: who sends to this rank
  std::vector<std::int32_t> destinations;  ///< of a graph: whom this rank sends to
};

/// A datatype.
struct Datatype {
  std::int64_t bytes = 0;        ///< of data
  std::int64_t extent = 0;       ///< from one element to the next
  std::int64_t true_extent = 0;  ///< from the first byte of data to the last
  std::int64_t pieces = 0;       ///< of memory without gaps; 0: not known
  std::string name;              ///< may be empty
};

/// Instead of a partner or a tag: none (also MPI_PROC_NULL), any.
inline constexpr std::int32_t nobody = -1;
inline constexpr std::int32_t anybody = -2;  ///< a wildcard

/// What all calls with equal arguments at one site share. Arrays: [0] is what is sent, or all there
/// is; [1] what is received by calls that do both.
struct Shape {
  std::int32_t operation = 0;
  std::int32_t site = -1;                    ///< -1: not known
  std::int32_t communicator = -1;            ///< -1: the call has none
  std::array<std::int32_t, 2> peer{-1, -1};  ///< rank in the communicator, the root of a collective
  std::array<std::int32_t, 2> tag{-1, -1};
  std::array<std::int32_t, 2> datatype{-1, -1};  ///< -1: none
  std::array<std::int64_t, 2> bytes{0, 0};       ///< per partner as in the arguments; sums of lists
  std::array<std::int32_t, 2> list{
      0, 0};  ///< lists by number, 0: none. Bytes per partner; of calls on several
              ///< requests: [0] all of them, [1] those that Waitany or the like ended
  std::int32_t request = -1;  ///< that is opened, started or completed; -1: none
  std::int32_t result = 0;    ///< Test: 1 if complete; Waitsome: how many; makers of communicators:
                              ///< what they made, -1: nothing
};

/// A call.
struct Event {
  std::uint32_t shape = 0;  ///< index into RankRecording::shapes
  double gap =
      0.0;  ///< seconds since the call before returned, without the recorder's own; within 0.4 %
  double duration = 0.0;  ///< seconds; within 0.8 %
};

/// How a rank ended.
enum class State : std::uint8_t { running, finished, aborted };

/// The recording of one rank.
struct RankRecording {
  std::string file;
  std::uint64_t run = 0;  ///< the same number in all files of a run
  std::int32_t rank = 0;
  std::int32_t ranks = 1;
  State state = State::running;   ///< running: it was killed, or runs
  std::uint32_t flags = 0;        ///< see warnings()
  std::int32_t thread_level = 0;  ///< 0 single, 1 funneled, 2 serialized, 3 multiple
  double tick = 0.0;              ///< seconds
  double duration = 0.0;          ///< seconds from MPI_Init to the last known moment
  std::uint64_t events = 0;       ///< number of calls
  std::string library;            ///< what the MPI library says it is
  std::vector<Operation> operations;
  std::vector<Module> modules;
  std::vector<Site> sites;
  std::vector<Communicator> communicators;  ///< 0: the world
  std::vector<Datatype> datatypes;
  std::vector<std::vector<std::int64_t>> lists;  ///< 0: empty
  std::vector<Shape> shapes;
  std::string log;  ///< the packed events; EventReader unpacks them
};

/// What must be known before the recording is believed: one line each.
[[nodiscard]] std::vector<std::string> warnings(const RankRecording& recording);

/// Reads and validates the file of a rank. Throws InputError.
[[nodiscard]] RankRecording read_rank(const std::filesystem::path& file);

/// The events of a rank one after the other.
class EventReader {
public:
  /// The recording must outlive the reader.
  explicit EventReader(const RankRecording& recording);

  /// False at the end.
  bool next(Event& event);

private:
  const RankRecording& recording_;
  std::size_t at_ = 0;
  std::uint32_t previous_ = 0;
  std::vector<std::uint32_t> successors_;
};

/// What is known of a run as a whole: the file recording.toml beside the ranks' files.
struct Manifest {
  std::uint64_t run = 0;
  machine::Grid grid;
  std::vector<std::int64_t> extents;  ///< of the problem; empty: not told
  std::vector<std::string> command;   ///< as given by the user
  std::optional<int> exit_code;       ///< none: the run was not seen to end
};

/// The text of recording.toml.
[[nodiscard]] std::string manifest_text(const Manifest& manifest);

/// Reads it; `name` stands for the file in messages. Throws InputError.
[[nodiscard]] Manifest parse_manifest(std::string_view text, const std::string& name);

/// A run: all ranks.
struct Recording {
  std::filesystem::path folder;
  Manifest manifest;
  std::vector<RankRecording> ranks;
};

/// Reads a folder. Throws InputError: no recording, files missing, damaged or of different runs, a
/// number of ranks that is not that of the grid.
[[nodiscard]] Recording read_recording(const std::filesystem::path& folder);

/// True if the run ended well: its exit code is 0 or not known, and all ranks ended MPI.
[[nodiscard]] bool is_complete(const Recording& recording);

/// Throws InputError if the program made Cartesian communicators of all its ranks and none has the
/// shape of the grid that the user told. Returns whether one has: false if there are none.
bool verify_grid(const Recording& recording);

}  // namespace gridcast::record
