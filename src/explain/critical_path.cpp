#include "gridcast/explain/critical_path.h"

#include <algorithm>
#include <map>

#include "activities.h"
#include "gridcast/base/readable.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/rules/observer.h"
#include "transfer_parts.h"

namespace gridcast::model {
namespace {

/// Pieces that are kept of all processes together.
constexpr std::size_t most_pieces = 4'000'000;

/// By which share sums of times differ that are meant to be the same: far more than rounding.
constexpr double rounding = 1e-11;

/// Ends a recording that would be too long.
struct TooManyPieces {};

/// A stretch of the time of a process; it begins where the one before it ends.
struct Piece {
  double end = 0.0;    // seconds
  double begin = 0.0;  // of a message: when both processes were there
  network::Transfer message;
  std::uint32_t place = none;
  Activity activity = Activity::program;
  PathKind kind = PathKind::work;  // latency: a message
  bool goes_on = false;            // the other process decided when the message began
};

struct PathKey {
  std::uint32_t place = none;
  Activity activity = Activity::program;
  PathKind kind = PathKind::work;
  std::uint32_t network = none;  // description of its cluster
  auto operator<=>(const PathKey&) const = default;
};

/// Keeps what each free process did.
class PathRecorder final : public Observer {
public:
  [[nodiscard]] const std::vector<std::vector<Piece>>& pieces() const noexcept { return pieces_; }
  [[nodiscard]] const std::vector<double>& clocks() const noexcept { return clocks_; }
  [[nodiscard]] const machine::ProcessorSystem& system() const noexcept { return *system_; }

  void started(const machine::ProcessorSystem& system, const machine::Grid& grid) override {
    system_ = &system;
    pieces_.assign(static_cast<std::size_t>(grid.processors()), {});
    clocks_.assign(pieces_.size(), 0.0);
  }
  void operation(const Op& op) override {
    place_ = op.place;
    activity_ = activity_of(op);
  }
  void worked(std::size_t processor, Work work, double seconds, double) override {
    add(processor, activity_of(work, activity_), PathKind::work, seconds);
  }
  void paid(std::size_t processor, double seconds) override {
    add(processor, activity_, PathKind::overhead, seconds);
  }
  void waited(std::size_t processor, std::size_t, double seconds) override {
    clocks_[processor] += seconds;
  }
  void delivered(std::size_t processor, double seconds, const Delivery& delivery) override {
    double& clock = clocks_[processor];
    clock += seconds;
    if (pieces_[processor].empty() ? clock > 0.0 : clock > pieces_[processor].back().end) {
      clock = delivery.end;
      keep(processor, {delivery.end, delivery.begin, delivery.message, place_, activity_,
                       PathKind::latency, delivery.other >= delivery.begin});
    }
  }
  // What follows does not happen to free processes.
  void met(std::span<const std::uint32_t>, std::size_t) override {}
  void transferred(std::size_t, double, const Transfers&, double) override {}
  void pipelined(std::size_t, double, double) override {}
  void finished(std::span<const double>) override {}

private:
  void add(std::size_t processor, Activity activity, PathKind kind, double seconds) {
    if (!(seconds > 0.0)) {
      return;
    }
    double& clock = clocks_[processor];
    clock += seconds;
    std::vector<Piece>& own = pieces_[processor];
    if (!own.empty() && own.back().kind == kind && own.back().place == place_ &&
        own.back().activity == activity) {
      own.back().end = clock;
      return;
    }
    keep(processor, {clock, 0.0, {}, place_, activity, kind, false});
  }
  void keep(std::size_t processor, const Piece& piece) {
    if (++kept_ > most_pieces) {
      throw TooManyPieces{};
    }
    pieces_[processor].push_back(piece);
  }

  const machine::ProcessorSystem* system_ = nullptr;
  std::vector<std::vector<Piece>> pieces_;  // per process
  std::vector<double> clocks_;
  std::size_t kept_ = 0;
  std::uint32_t place_ = none;
  Activity activity_ = Activity::program;
};

/// Goes back from the end of the last process.
class PathWalk {
public:
  PathWalk(const PathRecorder& run, const machine::Grid& grid) : run_(&run), grid_(grid) {
    const std::vector<double>& clocks = run.clocks();
    process_ = static_cast<std::size_t>(std::ranges::max_element(clocks) - clocks.begin());
    last_ = process_;
    time_ = clocks[process_];
    index_ = pieces().size();
    std::size_t steps = 0;
    for (const std::vector<Piece>& own : run.pieces()) {
      steps += own.size();
    }
    // No piece is passed twice but where messages take no time.
    for (; index_ > 0 && steps > 0; --steps) {
      step();
    }
  }

  /// False if messages that take no time lead in a circle.
  [[nodiscard]] bool complete() const noexcept { return index_ == 0; }
  [[nodiscard]] std::size_t last() const noexcept { return last_; }
  [[nodiscard]] std::int64_t messages() const noexcept { return messages_; }
  /// Seconds by key and process.
  [[nodiscard]] const std::map<PathKey, std::map<std::size_t, double>>& parts() const noexcept {
    return parts_;
  }

private:
  [[nodiscard]] const std::vector<Piece>& pieces() const { return run_->pieces()[process_]; }

  void step() {
    const Piece& piece = pieces()[index_ - 1];
    if (piece.kind == PathKind::latency && piece.begin < time_) {
      pass(piece);
      return;
    }
    const double begin = index_ > 1 ? pieces()[index_ - 2].end : 0.0;
    if (piece.kind != PathKind::latency) {
      add(piece, piece.kind, none, std::min(time_, piece.end) - begin);
    }
    time_ = std::min(time_, begin);
    --index_;
  }

  /// Over a message to when it began, and to who was there last.
  void pass(const Piece& piece) {
    const double seconds = std::max(std::min(time_, piece.end) - piece.begin, 0.0);
    const TransferParts parts = parts_of(piece.message, run_->system(), grid_);
    const auto network = static_cast<std::uint32_t>(run_->system().nodes[parts.network]);
    const MessageParts each = divided(parts, seconds, piece.end - piece.begin);
    add(piece, PathKind::contention, network, each.contention);
    add(piece, PathKind::bandwidth, network, each.bandwidth);
    add(piece, PathKind::latency, network, each.latency);
    ++messages_;
    time_ = std::min(time_, piece.begin);
    if (piece.goes_on) {
      process_ = piece.message.from == process_ ? piece.message.to : piece.message.from;
    }
    const std::vector<Piece>& own = pieces();
    // Clocks are sums: the piece that ends now may end a rounding earlier.
    const double now = time_ * (1.0 - rounding);
    const auto covering = std::ranges::lower_bound(own, now, {}, &Piece::end);
    index_ = std::min(static_cast<std::size_t>(covering - own.begin()) + 1, own.size());
    index_ = time_ > 0.0 ? index_ : 0;
  }

  void add(const Piece& piece, PathKind kind, std::uint32_t network, double seconds) {
    if (seconds > 0.0) {
      parts_[{piece.place, piece.activity, kind, network}][process_] += seconds;
    }
  }

  const PathRecorder* run_;
  machine::Grid grid_;
  std::size_t process_ = 0, last_ = 0;
  double time_ = 0.0;
  std::size_t index_ = 0;  // pieces of the process up to the time
  std::int64_t messages_ = 0;
  std::map<PathKey, std::map<std::size_t, double>> parts_;
};

PathPart part_of(const Script& script, const machine::Cluster& cluster, const PathKey& key,
                 const std::map<std::size_t, double>& seconds) {
  PathPart part;
  const auto& tables = script.tables();
  if (key.place != none) {
    part.file = script.text(tables.places[key.place].file);
    part.line = tables.places[key.place].line;
  } else {
    part.file = script.text(tables.intervals.front().file);
    part.line = tables.intervals.front().line;
  }
  part.activity = key.activity;
  part.kind = key.kind;
  part.network = key.network == none ? "" : cluster.nodes()[key.network].name;
  double most = 0.0;
  for (const auto& [process, own] : seconds) {
    part.seconds += own;
    if (own > most) {
      most = own;
      part.process = static_cast<std::int64_t>(process);
    }
  }
  return part;
}

}  // namespace

CriticalPath critical_path(const Script& places, const machine::Cluster& cluster,
                           const machine::Grid& grid, const ModelOptions& options,
                           double most_steps) {
  CriticalPath path;
  const double operations = static_cast<double>(places.tables().ops.size());
  ModelOptions all = options;
  all.iterations = 0;
  PathRecorder run;
  Predictor predictor(places, cluster, all);  // which the walk asks about its processors
  try {
    if (operations * static_cast<double>(grid.processors()) > most_steps) {
      throw TooManyPieces{};
    }
    predictor.observe(grid, run);
  } catch (const TooManyPieces&) {
    path.omitted = "what " + counted(grid.processors(), "process") +
                   " do is more than is kept (try fewer iterations)";
    return path;
  }
  const PathWalk walk(run, grid);
  if (!walk.complete()) {
    path.omitted = "messages that take no time lead in a circle";
    return path;
  }
  path.last_process = static_cast<std::int64_t>(walk.last());
  path.execution_time = run.clocks()[walk.last()];
  path.messages = walk.messages();
  for (const auto& [key, seconds] : walk.parts()) {
    path.parts.push_back(part_of(places, cluster, key, seconds));
  }
  std::ranges::stable_sort(path.parts, std::ranges::greater{}, &PathPart::seconds);
  return path;
}

}  // namespace gridcast::model
