#pragma once
/// Internal: communications listed as a prediction lists them and run on networks of their own, for
/// the second, dearer bound (docs/search.md, "Second bound").

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "bound_machine.h"
#include "bound_run.h"
#include "gridcast/network/networks.h"
#include "gridcast/rules/grid_mapping.h"
#include "gridcast/rules/transfers.h"

namespace gridcast::model {

class BoundLists {
public:
  BoundLists(const Script& script, const ModelOptions& options, BoundMachine& machine);

  /// Forgets everything; from now on about `grid`, which the machine covers.
  void reset(const machine::Grid& grid);

  [[nodiscard]] GridMapping& mapping() noexcept { return mapping_; }
  [[nodiscard]] TransferBuilder& builder() noexcept { return builder_; }
  [[nodiscard]] network::Networks& networks() noexcept { return networks_.front(); }

  /// A communication on idle networks: its transfers, and per processor of the root grid the end of
  /// its last transfer, seconds after the start. No ends if nothing is transferred.
  struct Listed {
    bool ready = false;
    bool built = false;
    Transfers transfers;
    std::vector<double> ends;
  };
  const Transfers& transfers(std::uint32_t communication);
  const Listed& listed(std::uint32_t communication);

  /// Ends of `second`, seconds after the start of `first`, if `first` has one phase and found idle
  /// networks and `second` started `delay` seconds later or more; 0 for who takes no part. No ends
  /// if one of them is none that networks carry. Valid until reset().
  std::span<const double> behind(std::uint32_t first, std::uint32_t second, double delay);

  /// Calls `f` with the ends of a few communications and pairs that were run since reset().
  template <class F>
  void for_each_run(F&& f) const {
    std::size_t count = 0;
    for (const Pair& pair : pairs_) {
      if (!pair.ends.empty() && count++ < few) {
        f(std::span<const double>(pair.ends));
      }
    }
    for (const Listed& listed : listed_) {
      if (listed.ready && !listed.ends.empty() && count++ < few) {
        f(std::span<const double>(listed.ends));
      }
    }
  }

  /// Runs a communication from time 0 on idle networks: `ends` gets the end of the last transfer of
  /// each processor, 0 for those without.
  void run_idle(const network::Communication& communication, std::span<double> ends);

private:
  static constexpr std::size_t few = 16;

  struct Pair {
    std::uint32_t first = 0, second = 0;
    double delay = 0.0;
    std::vector<double> ends;
  };

  const Script* script_;
  const BoundMachine* machine_;
  GridMapping mapping_;
  TransferBuilder builder_;
  std::vector<network::Networks> networks_;  // one, made anew when the machine grows
  std::size_t known_processors_ = 0;
  std::vector<std::vector<double>> free_;  // per network: when its channels are free, as a heap
  std::vector<std::uint32_t> used_;        // networks with such a heap
  std::vector<Listed> listed_;
  std::deque<Pair> pairs_;
  std::vector<double> ends_;
};

}  // namespace gridcast::model
