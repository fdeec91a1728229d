#pragma once
/// Internal: predicts by classes of equal processors; its cost depends on how many classes there
/// are, not on how many processors, where exchanges and reductions have a closed form.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "class_clocks.h"
#include "class_cycles.h"
#include "class_mapping.h"
#include "class_pipeline.h"
#include "gridcast/base/interruption.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/network/class_networks.h"
#include "gridcast/rules/grid_details.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/reduction_choice.h"

namespace gridcast::model {

class ClassPredictor {
public:
  /// What it is given must outlive it.
  ClassPredictor(const Script& script, const machine::Cluster& cluster, const ModelOptions& options,
                 GridDetails& details, Interruption& interruption);

  /// Gives the sums of each interval, valid until the next call. Returns an empty string, or the
  /// reason why this grid cannot be told by classes.
  const char* evaluate(const machine::Grid& grid, std::span<IntervalSums>& sums);

  // The clocks that walk() asks for, one per class.
  void work(double call, double ret) { clocks_.work(call, ret); }
  void io_work(double seconds) { clocks_.io_work(seconds); }
  void broadcast(double bytes);
  bool share(double seconds, PlacementId placement, PortionId portion);
  bool copied(CommunicationId communication, double ret);
  bool pipeline(PipelineId pipeline, double seconds);
  void block_work(StatementId /*statement*/) {}  // ClassMapping::unsupported() names these scripts
  void vary() { clocks_.variation(); }
  /// Another stretch of the script may begin here.
  double synchronize(Operation operation, bool pipelined);
  void pay(double seconds, Operation operation, bool pipelined) {
    clocks_.pay(seconds, operation, pipelined);
  }
  [[nodiscard]] double latest() const { return clocks_.latest(); }
  void start(CommunicationId communication, std::uint32_t token, double start);
  void wait(std::uint32_t token, Operation operation);
  void transfer(CommunicationId communication, double start, Operation operation, bool pipelined);
  void begin_interval(IntervalId interval) { clocks_.begin_interval(interval); }
  void end_interval() { clocks_.end_interval(); }
  // There is one processor system: ClassMapping::unsupported() names scripts with others.
  void enter(ViewId /*view*/) {}
  void leave(ViewId /*view*/) {}
  [[nodiscard]] machine::LibraryCosts library() const {
    return options_.counted(cluster_->library());
  }
  [[nodiscard]] std::size_t members() const noexcept {
    return static_cast<std::size_t>(mapping_.classes().processors());
  }

private:
  /// A communication on this grid.
  struct Timed {
    std::uint64_t epoch = 0;  // of the classes it is about
    ClassEnds* ends = nullptr;
    bool gapless = true;  ///< from its start on channels are taken without gaps
    GridDetails::Source source;
    network::ClassExchange exchange;         // if it is one
    std::vector<std::uint8_t> participants;  // of it, if asked for
    network::ClassCommunication times;
    ClassShare written;  // who writes how much

    explicit Timed(network::ClassNetworks& networks) : times(networks) {}
  };
  /// An asynchronous operation under way.
  struct Pending {
    const ClassEnds* ends = nullptr;
    double start = 0.0;
    ListedEnds own;  ///< if it had to wait for others on a network
  };

  void prepare();
  [[nodiscard]] std::span<IntervalSums> run();
  void go_on();
  /// A cycle begins: goes on to its end if each repetition adds what the one before it added.
  void leave_out(const Cycle& cycle);
  /// What is about classes that are no more: with hundreds of communications their lists fill the
  /// memory.
  void forget_ends();
  /// By kinds of processors; false if the networks are not known well enough for that.
  bool pipeline_by_kinds(PipelineId pipeline, double seconds, const ClassShare& share);
  void pipeline_by_processors(PipelineId pipeline, double seconds, const ClassShare& share);
  [[nodiscard]] PipelineMachine pipeline_machine();
  /// What the networks carry that a pipelined loop finds; false if not known.
  bool carried_now(PipelineCarried& carried) const;
  const ClassShare& share_of(PlacementId placement, PortionId portion);
  void work_out(ClassShare& share, PlacementId placement) const;
  static void list(ClassShare& share, const Share& of_processors);

  Timed& timed(CommunicationId communication);
  Timed& timed_broadcast(double bytes);
  void find_ends(Timed& timed);
  /// Puts the ends of others away if there are too many of them.
  void make_room_beside(Timed& latest);
  /// The ends on idle networks; null if each message has to be followed, as time_each() does.
  ClassEnds* time(const Timed& timed, network::ClassCommunication& times);
  [[nodiscard]] ReductionKind reduction_of(const CommunicationSpec& spec) const {
    return model::reduction_of(options_, cluster_->allreduce(), spec.bytes,
                               static_cast<double>(members()));
  }
  ClassEnds* time_reduction(const CommunicationSpec& spec, network::ClassCommunication& times);
  /// A communication on idle networks.
  struct EndsOfEach {
    std::vector<double> ends, overheads;  ///< per processor
    double busy = 0.0;                    ///< networks are free from then on
  };
  ClassEnds* time_each(Timed& timed);
  /// Of a reduction in_rounds(), once per number of processors.
  const EndsOfEach& time_rounds(const Timed& timed);
  /// True of a reduction in rounds among all: grids of as many processors have the same.
  [[nodiscard]] bool in_rounds(CommunicationId id) const;
  const ClassShare& written(CommunicationId communication);
  void written_by(CommunicationId communication, ClassShare& share) const;

  /// Starts a communication; `pending` says when its processors are through.
  void launch(Timed& timed, double start, Pending& pending);
  struct Occasion;
  /// When the processors are through with a communication that starts while the networks carry
  /// others.
  const ClassEnds& among_others(Timed& timed, double start, Pending& pending);
  /// The same where it comes behind the one before it; null if what the networks carry is not known
  /// well enough for that.
  const ClassEnds* ends_behind(Timed& timed, double start, network::ClassCommunication& times);
  /// The same where its messages look for gaps between those of others.
  void look_for_gaps(const Timed& timed, double start, bool once, ListedEnds& ends);
  /// The networks as they are now, after everything that they still carry.
  network::Networks& live_networks();
  /// Whether that is about this one, started behind the same others.
  [[nodiscard]] bool same_occasion(const Occasion& known, const Timed& timed, double start) const;
  void keep_occasion(Occasion& occasion, const Timed& timed, double start) const;

  const Script* script_;
  const machine::Cluster* cluster_;
  ModelOptions options_;
  const char* unsupported_ = nullptr;
  std::int64_t alike_ = 0;  // processors before the first of another performance
  double inverse_ = 1.0;
  ClassMapping mapping_;
  ClassClocks clocks_;
  Interruption& interruption_;
  GridDetails& details_;
  network::ClassNetworks networks_;
  std::vector<std::unique_ptr<Timed>> timed_;
  std::map<double, std::unique_ptr<Timed>> broadcasts_;
  std::vector<Timed*> listed_;  // whose ends take memory, the oldest first
  std::vector<Pending> pending_;
  std::size_t at_ = 0;  // the operation of the script
  std::vector<Cycle> cycles_;
  ClassClocks::Moment moment_;  // when the latest cycle began
  bool kept_ = false;           // and networks were free
  std::size_t stretch_ = 0;
  std::uint64_t epoch_ = 0;  // of classes; each one about one grid and stretch
  Pending blocking_;
  std::map<std::pair<PlacementId, PortionId>, ClassShare> shares_;
  PipelineTimes pipeline_times_;
  std::vector<ClassPipeline> pipelines_;  // all of the script
  std::size_t kept_clocks_ = 0;           // in what is known of them
  bool by_kinds_ = true;                  // pipelined loops, in this attempt
  bool unseen_ = false;  // one ran since the networks were free, they do not know of its edges
  bool again_ = false;   // they ought to have known
  std::vector<double> each_;
  std::size_t in_rounds_of_ = 0;            // processors
  std::map<double, EndsOfEach> in_rounds_;  // reductions in rounds among them, by bytes

  // What the networks carry: they are free from `busy_until_` on; `launched_` is what was started
  // since they were last known to be free, of which `replayed_` are on the networks of details_.
  struct Launched {
    GridDetails::Source source;
    double start = 0.0;
    const ClassEnds* ends = nullptr;
  };
  double busy_until_ = 0.0;
  std::vector<Launched> launched_;
  std::size_t replayed_ = 0;
  bool live_ = false;
  bool told_ = true;          // the last one of launched_ says what they carry after it was started
  bool all_launched_ = true;  // nothing but launched_ is on them, all of it about today's classes
  /// A communication among others that were started so much earlier: iterations repeat it.
  struct Occasion {
    std::vector<GridDetails::Source> sources;  ///< the others, then its own; empty: not to be known
    std::vector<double> later;                 ///< each of them, than the first
    network::ClassCommunication times;
    const ClassEnds* ends = nullptr;
    bool told = false;  ///< see told_, afterwards

    explicit Occasion(network::ClassNetworks& networks) : times(networks) {}
  };
  std::vector<std::unique_ptr<Occasion>> occasions_;  // memory for the next grid
  std::size_t occasions_used_ = 0, lists_used_ = 0;   // all, and those with a list of ends
};

}  // namespace gridcast::model
