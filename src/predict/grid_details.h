#pragma once
/// Internal: communications, written parts and pipelines of a script on one grid, processor by
/// processor, for what predictions by classes cannot tell from the class alone. Nothing is worked
/// out before it is asked for.

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "gridcast/network/networks.h"
#include "gridcast/rules/grid_mapping.h"
#include "gridcast/rules/pipeline.h"
#include "gridcast/rules/transfers.h"

namespace gridcast::model {

class GridDetails {
public:
  /// `interruption`: where long work counts its steps.
  GridDetails(const Script& script, const machine::Cluster& cluster, const ModelOptions& options,
              Interruption& interruption);

  /// From now on about this grid.
  void reset(const machine::Grid& grid);

  /// A communication of the script, or what processor 0 hands to all.
  struct Source {
    CommunicationId communication = none;
    double bytes = 0.0;  ///< if it is a broadcast
    bool operator==(const Source&) const = default;
  };

  /// What is returned here and below is valid until another communication is asked about.
  const network::Communication& transfers(Source source);
  /// End of each processor if the networks are idle, from the start on.
  std::span<const double> idle_ends(CommunicationId communication);
  /// What a communication costs each processor that cannot be hidden; empty if nothing.
  std::span<const double> overheads(Source source);
  const WrittenShares& written(CommunicationId communication);
  /// The part of a loop's portion that each processor executes.
  void shares(PlacementId placement, PortionId portion, std::vector<double>& result);
  Pipeline& pipeline();
  GridMapping& mapping();
  /// The networks of the run; who uses them knows what they have carried.
  network::Networks& networks();
  const machine::ProcessorSystem& system();

private:
  void prepare();

  struct Known {
    bool transfers_ready = false;
    bool ends_ready = false;
    bool written_ready = false;
    Transfers transfers;
    std::vector<double> ends;
    WrittenShares written;
  };
  /// Forgets other communications if with these new numbers of this one too many are kept.
  void make_room(Known& latest, std::size_t numbers);

  const Script* script_;
  const machine::Cluster* cluster_;
  Interruption* interruption_;
  machine::Grid grid_;
  bool prepared_ = false;
  machine::ProcessorSystem system_;
  GridMapping mapping_;
  TransferBuilder builder_;
  Pipeline pipeline_;
  std::vector<network::Networks> networks_;  // of the run, and one for times on idle networks
  std::vector<Known> known_;
  std::size_t kept_ = 0;  // numbers in them
  std::map<double, Transfers> broadcasts_;
  std::vector<double> overheads_;
};

}  // namespace gridcast::model
