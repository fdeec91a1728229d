#include "gridcast/infer/messages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"

namespace gridcast::infer {
namespace {

/// Sizes of messages that follow no law exactly, as of particles, are described within this.
constexpr double scatter_tolerance = 0.05;

/// Messages of an instance in one sense, with mean bytes over its occurrences.
struct InstanceMessages {
  std::vector<Message> messages;
  std::vector<double> bytes;
};

InstanceMessages messages_of(const Runs& runs, const Instance& instance, bool incoming) {
  InstanceMessages result;
  std::map<std::int32_t, double> times;
  for (const Occurrence& each : instance.occurrences) {
    times[each.item] += 1.0;
  }
  const auto count = static_cast<double>(instance.occurrences.size());
  const Item& first = runs.item(instance.run, instance.rank, instance.occurrences.front());
  const auto rank = static_cast<std::int32_t>(instance.rank);
  for (std::size_t i = 0; i < first.messages.size(); ++i) {
    // What a process sends to itself but around a ring is a copy.
    const bool copied = first.messages[i].partner == rank &&
                        runs.coordinates[instance.run].offsets(rank, rank).size() == 1;
    if (first.messages[i].incoming == incoming && !copied) {
      double bytes = 0.0;
      for (const auto& [item, often] : times) {
        bytes += often / count *
                 static_cast<double>(runs.items[instance.run][instance.rank]
                                         .items[static_cast<std::size_t>(item)]
                                         .messages[i]
                                         .bytes);
      }
      result.messages.push_back(first.messages[i]);
      result.bytes.push_back(bytes);
    }
  }
  return result;
}

/// Gives the messages of instances to slots.
class SlotFinder {
public:
  SlotFinder(const Runs& runs, const Step& step, bool incoming)
      : runs_(runs), step_(step), incoming_(incoming) {}

  std::vector<Slot> find() {
    find_common();
    for (const bool sure : {true, false}) {
      for (const Instance& instance : step_.instances) {
        take(instance, sure);
      }
    }
    return in_order();
  }

private:
  using Call = std::pair<std::int32_t, std::int32_t>;  ///< place and tag

  /// Offsets from a process to the partner of its message.
  [[nodiscard]] std::vector<Offset> offsets_of(const Instance& instance,
                                               const Message& message) const {
    return runs_.coordinates[instance.run].offsets(static_cast<std::int32_t>(instance.rank),
                                                   message.partner);
  }

  /// A place and tag that a process uses once has one direction in all runs: one on a ring of two
  /// processes in one run may be on a longer one in another.
  void find_common() {
    std::set<Call> repeated;
    for (const Instance& instance : step_.instances) {
      std::set<Call> seen;
      for (const Message& message : messages_of(runs_, instance, incoming_).messages) {
        const Call call{message.place, message.tag};
        if (message.partner < 0 || !seen.insert(call).second) {
          repeated.insert(call);
          continue;
        }
        const std::vector<Offset> offsets = offsets_of(instance, message);
        std::vector<Offset>& common = common_.try_emplace(call, offsets).first->second;
        std::erase_if(common, [&](const Offset& each) {
          return std::find(offsets.begin(), offsets.end(), each) == offsets.end();
        });
      }
    }
    std::erase_if(common_, [&](const auto& each) {
      return each.second.empty() || repeated.contains(each.first);
    });
  }

  /// The slot of each message, by their numbers.
  using Taken = std::map<std::size_t, std::size_t>;

  void take(const Instance& instance, bool sure) {
    const InstanceMessages all = messages_of(runs_, instance, incoming_);
    Taken& taken = taken_[{instance.run, instance.rank}];
    for (std::size_t i = 0; i < all.messages.size(); ++i) {
      const Message& message = all.messages[i];
      if (message.partner < 0) {
        throw InputError(places_text(runs_, step_), 0, "receives from anybody",
                         "descriptions name the sender of a receive that stands alone");
      }
      const auto common = common_.find({message.place, message.tag});
      const std::vector<Offset> offsets =
          common == common_.end() ? offsets_of(instance, message) : common->second;
      // One message to a partner goes the shortest way, if there is one.
      const auto to_partner =
          std::count_if(all.messages.begin(), all.messages.end(),
                        [&](const Message& other) { return other.partner == message.partner; });
      const bool clear =
          offsets.size() == 1 || (to_partner == 1 && distance(offsets[0]) < distance(offsets[1]));
      if (clear != sure) {
        continue;
      }
      const std::size_t number = slot_for(message, offsets, taken);
      Slot& slot = slots_[number];
      slot.sure = slot.sure || sure;
      slot.calls.emplace(message.place, message.tag);
      slot.samples.push_back({instance.run, instance.rank, all.bytes[i]});
      taken.emplace(i, number);
    }
  }

  /// A slot that the instance has not taken: of the same call, of the same direction, a new one.
  std::size_t slot_for(const Message& message, const std::vector<Offset>& offsets,
                       const Taken& taken) {
    for (const bool same_call : {true, false}) {
      for (std::size_t i = 0; i < slots_.size(); ++i) {
        const bool free = std::none_of(taken.begin(), taken.end(),
                                       [i](const auto& each) { return each.second == i; });
        const bool fits =
            std::find(offsets.begin(), offsets.end(), slots_[i].offset) != offsets.end();
        if (free && fits &&
            (!same_call || slots_[i].calls.contains({message.place, message.tag}))) {
          return i;
        }
      }
    }
    const auto is_new = [&](const Offset& offset) {
      return std::none_of(slots_.begin(), slots_.end(),
                          [&](const Slot& slot) { return slot.offset == offset; });
    };
    const auto chosen = std::find_if(offsets.begin(), offsets.end(), is_new);
    slots_.emplace_back().offset = chosen == offsets.end() ? offsets.front() : *chosen;
    return slots_.size() - 1;
  }

  /// [a][b]: how many ranks have a message of slot a before one of slot b.
  [[nodiscard]] std::vector<std::vector<int>> precedences() const {
    std::vector<std::vector<int>> before(slots_.size(), std::vector<int>(slots_.size()));
    for (const auto& [who, taken] : taken_) {
      for (auto one = taken.begin(); one != taken.end(); ++one) {
        for (auto other = std::next(one); other != taken.end(); ++other) {
          ++before[one->second][other->second];
        }
      }
    }
    return before;
  }

  /// The slots in the order of the program, which no single rank may show.
  std::vector<Slot> in_order() {
    const std::vector<std::vector<int>> before = precedences();
    std::vector<std::size_t> left(slots_.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    std::vector<Slot> ordered;
    while (!left.empty()) {
      auto next = std::find_if(left.begin(), left.end(), [&](std::size_t a) {
        return std::none_of(left.begin(), left.end(),
                            [&](std::size_t b) { return before[b][a] > before[a][b]; });
      });
      next = next == left.end() ? left.begin() : next;
      ordered.push_back(std::move(slots_[*next]));
      left.erase(next);
    }
    return ordered;
  }

  const Runs& runs_;
  const Step& step_;
  bool incoming_;
  std::map<Call, std::vector<Offset>> common_;  ///< directions that all messages of a call admit
  std::vector<Slot> slots_;
  std::map<std::pair<std::size_t, std::size_t>, Taken> taken_;
};

bool is_empty(const std::vector<std::int64_t>& block) {
  return std::find(block.begin(), block.end(), 0) != block.end();
}

/// What a rank sends by a slot.
struct Expected {
  std::int32_t partner = 0;
  double bytes = 0.0;
  bool scatters = false;
};

/// What a rank sends by the slots, in their order.
std::vector<Expected> predicted(const Runs& runs, std::size_t run, std::int32_t rank,
                                const std::vector<Slot>& slots, const Blocks& blocks) {
  std::vector<Expected> all;
  const std::vector<std::int64_t> own = blocks.of(run, static_cast<std::size_t>(rank));
  for (const Slot& slot : slots) {
    const std::int32_t partner = runs.coordinates[run].neighbour(rank, slot.offset);
    if (partner >= 0 && !is_empty(own) &&
        !is_empty(blocks.of(run, static_cast<std::size_t>(partner)))) {
      const double bytes = slot.law.value(own);
      if (bytes > 0.0) {
        all.push_back({partner, bytes, slot.law.residual > 0.0});
      }
    }
  }
  return all;
}

/// Takes a predicted message like the recorded one out of the list; false if there is none.
bool take_like(std::vector<Expected>& expected, std::int32_t partner, double bytes) {
  const auto found = std::find_if(expected.begin(), expected.end(), [&](const Expected& each) {
    return each.partner == partner &&
           std::abs(each.bytes - bytes) <= (each.scatters ? 2.0 * scatter_tolerance * bytes : 0.0);
  });
  if (found == expected.end()) {
    return false;
  }
  expected.erase(found);
  return true;
}

/// Verifies one rank.
class RankCheck {
public:
  RankCheck(const Runs& runs, const Step& step, std::size_t run, std::int32_t rank)
      : runs_(runs), step_(step), run_(run), rank_(rank) {}

  /// Returns the messages that the rank sent.
  std::int64_t sent(const std::vector<Slot>& slots, const Blocks& blocks,
                    const Parity& parity) const {
    std::vector<Expected> expected;
    if (parity.has(runs_.coordinates[run_].of(rank_))) {
      expected = predicted(runs_, run_, rank_, slots, blocks);
    }
    const Instance* instance = step_.of(run_, static_cast<std::size_t>(rank_));
    std::int64_t count = 0;
    if (instance != nullptr) {
      const InstanceMessages all = messages_of(runs_, *instance, step_.kind == ItemKind::receive);
      for (std::size_t i = 0; i < all.messages.size(); ++i) {
        const double bytes = step_.kind == ItemKind::receive ? 1.0 : all.bytes[i];
        if (bytes > 0.0 && !take_like(expected, all.messages[i].partner, bytes)) {
          refuse(fmt::format("{} {} to {}, which no law of neighbours explains",
                             step_.kind == ItemKind::receive ? "receives from" : "sends",
                             bytes_text(bytes), place_of(all.messages[i].partner)));
        }
        count += bytes > 0.0 ? 1 : 0;
      }
    }
    for (const Expected& each : expected) {
      // Some programs leave out messages to themselves.
      if (each.partner != rank_) {
        refuse(fmt::format("sends nothing to {}, as others do", place_of(each.partner)));
      }
    }
    return step_.kind == ItemKind::receive ? 0 : count;
  }

  void received(const std::vector<Slot>& slots, const Blocks& blocks) const {
    std::vector<Slot> turned = slots;
    for (Slot& slot : turned) {
      for (std::int32_t& step : slot.offset) {
        step = -step;
      }
      slot.law = constant_law(1.0);
    }
    std::vector<Expected> expected = predicted(runs_, run_, rank_, turned, blocks);
    std::erase_if(expected, [this](const Expected& each) { return each.partner == rank_; });
    const Instance* instance = step_.of(run_, static_cast<std::size_t>(rank_));
    std::size_t received = 0;
    if (instance != nullptr) {
      for (const Message& each : messages_of(runs_, *instance, true).messages) {
        received += each.partner != rank_ ? 1U : 0U;
      }
    }
    if (received != expected.size()) {
      refuse(fmt::format("receives {} at once where {} are sent to it",
                         counted(static_cast<std::int64_t>(received), "message"), expected.size()));
    }
  }

private:
  [[nodiscard]] std::string place_of(std::int32_t rank) const {
    return rank < 0 ? "anybody" : offset_text(runs_.coordinates[run_].of(rank));
  }

  [[noreturn]] void refuse(const std::string& problem) const {
    throw InputError(places_text(runs_, step_), 0,
                     fmt::format("in {} process {} {}", runs_.name(run_), place_of(rank_), problem),
                     "expected processes that all send to the same neighbours; runs of one program "
                     "with the --extents that they had");
  }

  const Runs& runs_;
  const Step& step_;
  std::size_t run_;
  std::int32_t rank_;
};

}  // namespace

std::vector<Slot> find_slots(const Runs& runs, const Step& step, bool incoming) {
  return SlotFinder(runs, step, incoming).find();
}

bool find_laws(std::vector<Slot>& slots, const Blocks& blocks) {
  for (Slot& slot : slots) {
    // What is sent along a dimension rarely depends on the block's length in it: others first.
    std::vector<std::size_t> order;
    const std::vector<std::int64_t> any = blocks.of(slot.samples.front().run, 0);
    for (const bool along : {false, true}) {
      for (std::size_t d = 0; d < any.size(); ++d) {
        if ((d < slot.offset.size() && slot.offset[d] != 0) == along) {
          order.push_back(d);
        }
      }
    }
    Samples samples;
    for (const std::size_t d : order) {
      samples.names.push_back(fmt::format("b{}", d + 1));
    }
    for (const Slot::Sample& sample : slot.samples) {
      const std::vector<std::int64_t> block = blocks.of(sample.run, sample.rank);
      samples.variables.emplace_back();
      for (const std::size_t d : order) {
        samples.variables.back().push_back(block[d]);
      }
      samples.bytes.push_back(sample.bytes);
    }
    std::optional<Law> law = find_law(samples);
    if (!law) {
      law = find_law(samples, scatter_tolerance);
    }
    if (!law) {
      return false;
    }
    // From now on in terms of the block itself.
    for (auto& term : law->terms) {
      for (std::size_t& variable : term) {
        variable = order[variable];
      }
    }
    std::vector<double> added(order.size(), 0.0);
    for (std::size_t i = 0; i < order.size(); ++i) {
      added[order[i]] = law->added[i];
    }
    law->added = std::move(added);
    for (std::size_t& variable : law->used) {
      variable = order[variable];
    }
    slot.law = std::move(*law);
  }
  return true;
}

std::int64_t verify_messages(const Runs& runs, const Step& step, const std::vector<Slot>& slots,
                             const Blocks& blocks, const Parity& parity) {
  std::int64_t messages = 0;
  for (std::size_t run = 0; run < runs.items.size(); ++run) {
    for (std::size_t rank = 0; rank < runs.items[run].size(); ++rank) {
      const RankCheck check(runs, step, run, static_cast<std::int32_t>(rank));
      messages += check.sent(slots, blocks, parity);
      if (step.kind == ItemKind::start || step.kind == ItemKind::exchange) {
        check.received(slots, blocks);
      }
    }
  }
  return messages;
}

}  // namespace gridcast::infer
