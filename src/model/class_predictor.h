#pragma once
/// Internal: predicts by classes of equal processors; its cost depends on how many classes there
/// are, not on how many processors.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "class_clocks.h"
#include "class_mapping.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/model/options.h"

namespace gridcast::model {

class ClassPredictor {
public:
  ClassPredictor(const Script& script, const machine::Cluster& cluster,
                 const ModelOptions& options);

  /// Results per interval, as Predictor::evaluate gives them; null if this grid cannot be told by
  /// classes, then reason() says why. `system` has at least as many processors as the grid.
  const std::vector<Characteristics>* evaluate(const machine::Grid& grid);

  /// Why the last evaluate() gave nothing.
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

private:
  struct Share {
    bool ready = false;
    bool any = false;
    std::vector<double> fraction;
    double sum = 0.0;
    double duplicated = 0.0;
  };
  /// A communication on this grid, and the memory of each way to find its ends.
  struct Timed {
    bool ready = false;
    const ClassEnds* ends = nullptr;
    ClassExchange exchange;
    FanEnds fan;
    LinkEnds links;
    BusEnds bus;
    ListedEnds listed;
  };
  struct Pending {
    const ClassEnds* ends = nullptr;
    double start = 0.0;
  };

  void prepare(const machine::Grid& grid);
  void step(const Op& op);
  const Share& share_of(std::uint32_t placement);
  const ClassEnds& ends_of(std::uint32_t communication);
  const ClassEnds& broadcast_ends(double bytes);
  void time_exchange(Timed& timed, const CommunicationSpec& spec);
  void time_fan(Timed& timed, const Fan& fan, const ClassLayout* loop);
  const machine::ProcessorSystem& system();

  const Script* script_;
  const machine::Cluster* cluster_;
  const char* unsupported_ = nullptr;
  bool flat_ = false;             // one network connects all processors
  machine::Network network_;      // that one
  std::int64_t alike_ = 0;        // processors before the first of another performance
  double inverse_ = 1.0;
  ClassMapping mapping_;
  ClassClocks clocks_;
  machine::ProcessorSystem system_;
  std::vector<std::unique_ptr<Timed>> timed_;
  std::map<double, std::unique_ptr<Timed>> broadcasts_;
  std::vector<Pending> pending_;
  std::vector<Share> shares_;
  std::vector<Characteristics> results_;
  std::string reason_;
};

}  // namespace gridcast::model
