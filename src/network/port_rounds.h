#pragma once
/// Messages in rounds over networks of ports, block of processors by block: blocks in the same
/// state that send and receive alike are looked at once.

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "gridcast/base/interruption.h"
#include "gridcast/network/communication.h"
#include "gridcast/network/network_levels.h"
#include "gridcast/network/port_load.h"

namespace gridcast::network {

/// Rounds that start at time 0 on idle networks (docs/model.md §10).
class PortRounds {
public:
  /// Networks of ports above so many processors, which must outlive this. Counts its steps at
  /// `interruption`.
  PortRounds(std::span<const NetworkLevel> levels, std::int64_t processors,
             Interruption& interruption);

  /// One more round, senders ascending. No processor sends or gets more than one message.
  void run(std::span<const Transfer> round);

  /// Per processor: when it is through with all rounds, seconds.
  [[nodiscard]] std::vector<double> ends() const;
  /// Per processor: seconds that sending and receiving keep it from computing; empty if none do.
  [[nodiscard]] std::vector<double> overheads() const;
  /// All ports are free from then on, seconds.
  [[nodiscard]] double busy() const noexcept { return busy_; }

private:
  /// Of a block between two rounds.
  struct State {
    std::vector<double> clocks, overheads;  // per processor
    std::vector<double> ports;              // of each that is in use: its number and what it saves
    bool operator==(const State&) const = default;
  };
  /// A message over the highest network.
  struct Outgoing {
    double ready = 0.0, sent = 0.0, bytes = 0.0;
    auto operator<=>(const Outgoing&) const = default;
  };
  /// Of a block that has sent, and has got what goes no higher than one of these members.
  struct Sent {
    State state;
    std::size_t uses = 0;                 // keys of who receives that begin with it
    std::vector<double> ready;            // per processor: when its message was
    std::vector<std::uint32_t> outgoing;  // into outgoing_
    double least = 0.0;                   // clock
  };
  /// Numbers that say what happens to a block in half a round; the first is its state. Messages
  /// that differ by where they come from alone have one number.
  using Key = std::vector<std::uint32_t>;
  /// Of a key, all of its numbers.
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept;
  };

  /// Of the network that connects them.
  [[nodiscard]] std::size_t level_of(std::uint32_t from, std::uint32_t to) const noexcept;
  /// Of the member of a network of this level that a processor is in, by its number in its block;
  /// the port in is the next.
  [[nodiscard]] std::size_t port_out(std::size_t level, std::uint32_t processor) const noexcept;
  [[nodiscard]] std::uint32_t number_of(double bytes);
  [[nodiscard]] std::uint32_t number_of(const Outgoing& message);
  /// Into the keys of its blocks.
  void note(const Transfer& message);
  /// What passes a port of the block that is looked at.
  PortPassage& passage(std::size_t port);
  /// What passes enters the ports, which have been in use as this says.
  void enter(const std::vector<double>& before);
  /// Which of them are still in use at `own`, or those that messages from elsewhere arrive at, at
  /// `others`. Makes ready for the next block.
  [[nodiscard]] std::vector<double> leave(double own, double others);
  [[nodiscard]] Sent send(const Key& key);
  [[nodiscard]] State receive(const Key& key);
  void receive_all();
  template <class Pick>
  [[nodiscard]] std::vector<double> of_each(const Pick& pick) const;

  std::span<const NetworkLevel> levels_;
  std::uint32_t processors_;
  std::uint32_t block_ = 1;              // processors; of the last block fewer
  std::vector<std::size_t> first_port_;  // of a block, per level
  Interruption* interruption_;
  std::vector<State> states_;
  std::vector<std::uint32_t> state_of_;  // per block
  double earliest_ = 0.0;                // clock of all, as far as known
  double busy_ = 0.0;

  // Of the latest round.
  std::vector<double> bytes_;           // lengths of its messages
  std::vector<Key> sends_;              // per block
  std::vector<std::uint32_t> sent_of_;  // per block
  std::vector<Sent> sent_;
  /// Which message over the highest network a processor gets: block, number of its messages.
  struct Source {
    std::uint32_t block = nobody, message = 0;
  };
  static constexpr std::uint32_t nobody = UINT32_MAX;
  std::vector<Source> source_of_;     // per processor
  std::vector<std::uint32_t> above_;  // per block: messages over the highest network so far
  std::vector<Outgoing> outgoing_;    // that differ
  std::map<Outgoing, std::uint32_t> number_of_outgoing_;

  // Of the block that is looked at.
  std::vector<Port> ports_;            // per level and member: out, in
  std::vector<PortPassage> passages_;  // the same
  std::vector<std::size_t> passed_;    // ports
};

}  // namespace gridcast::network
