#pragma once
/// The state of a run and its calls, one member function each.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "free.h"
#include "model.h"
#include "pipeline.h"
#include "trace_text.h"

namespace gridcast::naive {

/// A communication between its start and its wait.
struct Pending {
  double start = 0;
  std::vector<double> ends;  ///< per processor
  std::vector<double> busy;  ///< per processor: what nothing hides
  Holders starters = 0;      ///< the system that was current at the start
  FreeActs later;            ///< of free processes: what they have time for until the wait
};

/// An abstract machine; unmapped: the tasks run on whatever is current.
struct AbstractMachine {
  std::optional<System> system;
};

struct LoopState {
  Loop loop;
  long portions = 0;  ///< dopl_ calls of the loop in all
  long portions_done = 0;
  std::string old_values, new_values;  ///< groups of across_; empty if none
  bool across = false;
  bool old_values_done = false;
  std::string export_first, import_last;
};

class Run {
public:
  Run(const Trace& trace, Machine machine, const Options& options, bool explain);
  Result result();

private:
  using Handler = void (Run::*)(const Call&);
  static const std::map<std::string, Handler>& handlers();

  void all_calls();
  void explain(const Call& call);

  // run.cpp: rules of time
  [[nodiscard]] double performance(int p) const;
  void user_time(double time);
  void library_time(double time);
  void synchronise(Operation kind);
  void written_time(double time, const std::vector<Written>& written);
  void blocking(Operation kind, const Transfers& transfers);
  void exchange(Operation kind, const Transfers& transfers);
  Pending start(Operation kind, const Transfers& transfers, bool loads = false);
  void begin_collective(Operation kind, double cost);
  void exchange_free(const Transfers& transfers);
  void reduce_free(const std::string& how, const std::vector<int>& members, double bytes,
                   Pending& pending);
  void reduce_by_trees(const std::vector<int>& members, double bytes, Pending& pending);
  void reduce_by_rounds(const std::string& how, double bytes, Pending& pending);
  void wait(Operation kind, const Pending& pending);
  void vary(Operation kind, const std::vector<double>& ends, Holders over);
  void broadcast(double bytes);
  void complete(Operation kind, int p, double end, double busy, double synch_up_to);
  const System& current() const { return systems_open_.back(); }

  // run_objects.cpp
  void ordinary(const Call& call);
  void begin_interval(const Call& call);
  void end_interval(const Call& call);
  void input_output(const Call& call);
  void output(const Call& call);
  void share_memory(const Call& call);
  void begin_statement(const Call& call);
  void end_statement(const Call& call);
  void create_system(const Call& call);
  void reshape_system(const Call& call);
  void get_system(const Call& call);
  void get_machine(const Call& call);
  void map_machine(const Call& call);
  void run_task(const Call& call);
  void stop_task(const Call& call);
  void create_template(const Call& call);
  void divide_blocks(const Call& call);
  void set_weights(const Call& call);
  void set_lengths(const Call& call);
  void distribute(const Call& call);
  void create_array(const Call& call);
  void delete_array(const Call& call);
  void delete_object(const Call& call);
  void align(const Call& call);
  void redistribute(const Call& call);
  void realign(const Call& call);
  [[nodiscard]] System system_of(const Call& call, const System& otherwise) const;
  [[nodiscard]] std::shared_ptr<Array> array_of(const Parameters& in, const std::string& handle,
                                                const std::string& header) const;
  [[nodiscard]] Placed placed_by(const Call& call) const;

  // run_loops.cpp
  void create_loop(const Call& call);
  void map_loop(const Call& call);
  void across(const Call& call);
  void run_loop(const Call& call);
  void end_loop(const Call& call);
  void export_first(const Call& call);
  void import_last(const Call& call);
  void share(const LoopState& state, const Call& call);
  bool pipeline(const LoopState& state, const Call& call);
  void exchange_old_values(const LoopState& state);
  void exchange_in_portions(LoopState& state, bool at_end);
  [[nodiscard]] std::map<int, double> insufficient_shares(const std::vector<Holders>& executes);

  // run_operations.cpp
  void create_reduction(const Call& call);
  void insert_reduction(const Call& call);
  void create_group(const Call& call);
  void start_reduction(const Call& call);
  void wait_reduction(const Call& call);
  void insert_shadow(const Call& call);
  void include_shadow(const Call& call);
  void start_shadow(const Call& call);
  void wait_shadow(const Call& call);
  void send_shadow(const Call& call);
  void copy_arrays(const Call& call);
  void access_element(const Call& call);
  void wait_copy(const Call& call);
  void create_loop_buffer(const Call& call);
  void create_point_buffer(const Call& call);
  void load_buffer(const Call& call);
  void wait_buffer(const Call& call);
  void insert_buffer(const Call& call);
  void load_group(const Call& call);
  void wait_group(const Call& call);
  void load(const Call& call, const std::vector<const Buffer*>& buffers, Pending& pending);
  void add_edges(const Call& call, Edges edges);
  void reduce(double bytes, Pending& pending);

  const Trace& trace_;
  Machine machine_;
  Options options_;
  bool explain_;
  Ledger ledger_;
  FreeRun free_{machine_};
  std::string explanation_;
  std::size_t number_ = 0;  ///< of the call
  bool in_statement_ = false;

  std::vector<System> systems_open_;
  std::map<std::string, System> systems_;
  std::map<std::string, AbstractMachine> machines_;
  std::map<std::string, std::shared_ptr<Template>> templates_;
  std::map<std::string, std::shared_ptr<Array>> arrays_;
  std::map<std::string, LoopState> loops_;
  std::string open_loop_;  ///< the loop created last
  std::optional<Loop> mapped_last_;
  std::map<std::string, double> reductions_, reduction_groups_;  ///< bytes
  std::map<std::string, std::vector<Edges>> shadow_groups_;
  std::map<std::string, Buffer> buffers_;
  std::map<std::string, std::vector<std::string>> buffer_groups_;
  std::map<std::string, Pending> reductions_pending_, shadows_pending_, copies_pending_,
      buffers_pending_, groups_pending_;
};

}  // namespace gridcast::naive
