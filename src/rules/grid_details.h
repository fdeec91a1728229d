#pragma once
/// A script on one grid, processor by processor: for the reference engine, and for what
/// predictions by classes cannot tell from the class alone. Nothing is worked out before it is
/// asked for.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "gridcast/network/networks.h"
#include "gridcast/rules/grid_mapping.h"
#include "gridcast/rules/pipeline.h"
#include "gridcast/rules/transfers.h"

namespace gridcast::model {

/// How a time is shared: what each processor of the grid has of a second.
struct Share {
  bool any = false;           ///< false: nobody has a part, rule 1 applies
  std::vector<double> parts;  ///< over the performance
  std::vector<double> once;   ///< each over the number of those that do the same as well
  double sum = 0.0;
  double once_sum = 0.0;

  void sum_up(std::span<const std::uint32_t> processors);
};

/// What the grid makes of a communication.
struct GridCommunication {
  bool built = false, timed = false;  ///< worked out so far
  Transfers transfers;
  network::Profile idle;         ///< on idle networks; no ends if everybody is through at once
  std::optional<Share> written;  ///< of local copying: what each processor writes
};

/// Blocks, transfers and idle times of a script's descriptions on one grid, each worked out when it
/// is first asked for.
class GridDetails {
public:
  /// `interruption`: where long work counts its steps.
  GridDetails(const Script& script, const machine::Cluster& cluster, const ModelOptions& options,
              Interruption& interruption);

  /// The processors of the machine, for grids up to this one at least.
  const machine::ProcessorSystem& expand(const machine::Grid& grid);
  /// From now on the coordinates of grids are on the machine's processors in this order; empty: in
  /// theirs.
  void displace(std::vector<std::uint32_t> order);
  /// Whether that is another machine than the one in order.
  [[nodiscard]] bool displaced() const noexcept { return !order_.empty(); }

  /// From now on about this grid.
  void reset(const machine::Grid& grid);

  /// A communication of the script, or what processor 0 hands to all of a view.
  struct Source {
    CommunicationId communication = none;
    double bytes = 0.0;  ///< if it is a broadcast
    ViewId view = root_view;
    bool operator==(const Source&) const = default;
  };
  using Known = std::shared_ptr<GridCommunication>;

  /// What is returned here and below is valid until another communication or loop is asked about,
  /// or as long as somebody holds it. Observers know a communication by its address.
  const Known& built(const Source& source);
  const Known& timed(const Source& source);
  const network::Communication& transfers(const Source& source) {
    return built(source)->transfers.communication;
  }
  const Share& written(CommunicationId communication);
  /// How a loop, or a portion of it, is shared by the processors of a view.
  const Share& share(PlacementId placement, PortionId portion, ViewId view);
  /// What each processor computes by a statement over blocks, of a second; kept for the grid.
  const Share& work(StatementId statement);
  Pipeline& pipeline();
  GridMapping& mapping();
  /// Whether block lengths of genblk_ had to be interpolated for what was asked.
  [[nodiscard]] bool interpolated_lengths() const noexcept {
    return prepared_ && mapping_.interpolated_lengths();
  }
  /// The networks of the run; who uses them knows what they have carried.
  network::Networks& networks();
  [[nodiscard]] const machine::ProcessorSystem& system();

private:
  void prepare();
  Known& slot(const Source& source);
  [[nodiscard]] Share work_out(PlacementId placement, PortionId portion, ViewId view);
  /// Forgets what nobody holds if with these new numbers of the latest too many are kept.
  void make_room(std::size_t numbers, const Known& latest);

  const Script* script_;
  const machine::Cluster* cluster_;
  Interruption* interruption_;
  machine::Grid grid_;
  bool prepared_ = false;
  machine::ProcessorSystem system_;
  std::vector<std::uint32_t> order_;  // of the processors of a grid; empty: as the machine's
  machine::ProcessorSystem displaced_;
  GridMapping mapping_;
  TransferBuilder builder_;
  Pipeline pipeline_;
  std::vector<network::Networks> networks_;  // of the run, and one for times on idle networks
  std::vector<Known> known_;
  std::map<std::pair<ViewId, double>, Known> broadcasts_;
  std::map<std::tuple<ViewId, PlacementId, PortionId>, Share> shares_;
  std::map<StatementId, Share> works_;
  std::size_t kept_ = 0;  // numbers in them but works_
};

}  // namespace gridcast::model
