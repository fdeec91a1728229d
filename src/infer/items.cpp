#include "gridcast/infer/items.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "gridcast/base/error.h"
#include "gridcast/infer/operations.h"

namespace gridcast::infer {
namespace {

using record::Kind;
using record::Shape;

class ItemReader {
public:
  ItemReader(const record::RankRecording& rank, const record::SitePlaces& sites, Places& places)
      : rank_(rank) {
    for (std::size_t i = 0; i < rank.sites.size(); ++i) {
      place_of_.push_back(places.number(sites.of(rank, static_cast<std::int32_t>(i))));
    }
    unknown_ = places.number("unknown");
    texts_ = &places.texts;
  }

  RankItems read() {
    record::EventReader events(rank_);
    for (record::Event event; events.next(event);) {
      gap_ += event.gap;
      take(rank_.shapes[event.shape]);
    }
    close_group();
    return std::move(result_);
  }

private:
  /// Where an open request leads.
  struct Request {
    std::int32_t group = -1;  ///< -1: not of a phase
    bool incoming = false;
  };
  /// Nonblocking messages from the first post to the last.
  struct Group {
    Item start;
    double gap = 0.0;
    std::int32_t incoming = 0;  ///< posted receives
    bool waited = false;
    bool posting = true;
  };

  [[noreturn]] void refuse(const Shape& shape, const std::string& problem,
                           const std::string& remedy) const {
    throw InputError((*texts_)[static_cast<std::size_t>(place(shape))], 0,
                     fmt::format("MPI_{} of rank {} {}", name(shape), rank_.rank, problem), remedy);
  }

  [[nodiscard]] const std::string& name(const Shape& shape) const {
    return rank_.operations[static_cast<std::size_t>(shape.operation)].name;
  }

  [[nodiscard]] std::int32_t place(const Shape& shape) const {
    return shape.site < 0 ? unknown_ : place_of_[static_cast<std::size_t>(shape.site)];
  }

  void take(const Shape& shape) {
    switch (rank_.operations[static_cast<std::size_t>(shape.operation)].kind) {
      case Kind::send:
      case Kind::receive:
        take_message(shape);
        break;
      case Kind::exchange:
        take_exchange(shape);
        break;
      case Kind::start:
        for (const std::int64_t request : requests(shape, 0)) {
          const auto begun = persistent_.find(static_cast<std::int32_t>(request));
          if (begun == persistent_.end()) {
            refuse(shape, "starts a request whose making is not recorded", "record again");
          }
          post(begun->second, begun->first, place(shape));
        }
        break;
      case Kind::complete:
        take_completion(shape);
        break;
      case Kind::collective:
        take_collective(shape);
        break;
      case Kind::neighbours:
        take_neighbours(shape);
        break;
      case Kind::probe:
        if (name(shape).find("Ip") == 0 || name(shape).find("Im") == 0) {
          count_poll(shape);
        }
        break;
      case Kind::one_sided:
        refuse(shape, "communicates one-sided", "descriptions have messages and collectives");
      default:
        break;
    }
  }

  /// The requests of a call: its own, or those of a list.
  [[nodiscard]] std::vector<std::int64_t> requests(const Shape& shape, std::size_t which) const {
    if (shape.list[which] != 0) {
      return rank_.lists[static_cast<std::size_t>(shape.list[which])];
    }
    return shape.request >= 0 ? std::vector<std::int64_t>{shape.request}
                              : std::vector<std::int64_t>{};
  }

  [[nodiscard]] std::int32_t world_rank(const Shape& shape, std::int32_t peer) const {
    if (peer < 0) {
      return peer;
    }
    const auto& members = rank_.communicators[static_cast<std::size_t>(shape.communicator)].members;
    if (static_cast<std::size_t>(peer) >= members.size()) {
      refuse(shape, "has a partner outside of the recorded communicator", "record fewer ranks");
    }
    return members[static_cast<std::size_t>(peer)];
  }

  [[nodiscard]] Message message_of(const Shape& shape, std::size_t side, bool incoming) const {
    return {.partner = world_rank(shape, shape.peer[side]),
            .bytes = shape.bytes[side],
            .tag = shape.tag[side],
            .place = place(shape),
            .incoming = incoming};
  }

  void take_message(const Shape& shape) {
    const bool incoming =
        rank_.operations[static_cast<std::size_t>(shape.operation)].kind == Kind::receive;
    const Message message = message_of(shape, 0, incoming);
    const std::string& called = name(shape);
    if (called.find("_init") != std::string::npos) {
      persistent_[shape.request] = message;
    } else if (shape.request >= 0 || called[0] == 'I') {
      post(message, shape.request, place(shape));
    } else if (!groups_.empty() && groups_.back().posting) {
      // A blocking call between posts and their wait is part of the phase.
      Group& group = groups_.back();
      add_message(group, message, place(shape));
    } else {
      Item item{.kind = incoming ? ItemKind::receive : ItemKind::send};
      item.places.insert(place(shape));
      add(item, message);
      append(item, take_gap());
    }
  }

  void take_exchange(const Shape& shape) {
    close_group();
    Item item{.kind = ItemKind::exchange};
    item.places.insert(place(shape));
    for (const std::size_t side : {0U, 1U}) {
      add(item, message_of(shape, side, side == 1));
    }
    append(item, take_gap());
  }

  static void add(Item& item, const Message& message) {
    (message.partner == record::nobody ? item.absent : item.messages).push_back(message);
  }

  void add_message(Group& group, const Message& message, std::int32_t at) {
    group.gap += take_gap();
    group.start.places.insert(at);
    add(group.start, message);
  }

  void post(const Message& message, std::int32_t request, std::int32_t at) {
    if (groups_.empty() || !groups_.back().posting) {
      groups_.emplace_back();
    }
    add_message(groups_.back(), message, at);
    if (request >= 0) {
      open_[request] = {.group = static_cast<std::int32_t>(groups_.size()) - 1,
                        .incoming = message.incoming};
      groups_.back().incoming += message.incoming ? 1 : 0;
    }
  }

  /// No more posts belong to the group that was begun last.
  void close_group() {
    if (!groups_.empty() && groups_.back().posting) {
      Group& group = groups_.back();
      group.posting = false;
      if (!group.start.messages.empty()) {
        require_waited(*group.start.places.begin());
        last_phase_ = groups_.size() - 1;
      }
      append(group.start, group.gap);
    }
  }

  /// A wait in a description is for the messages that were posted last.
  void require_waited(std::int32_t at) const {
    if (last_phase_ && !groups_[*last_phase_].waited) {
      throw InputError(
          (*texts_)[static_cast<std::size_t>(at)], 0,
          fmt::format("rank {} posts messages while others that it posted before, with "
                      "other calls between, are not complete",
                      rank_.rank),
          "expected phases of nonblocking messages that end one after the other");
    }
  }

  void count_poll(const Shape& shape) {
    constexpr int most_polls = 8;
    if (++polls_[place(shape)] > most_polls) {
      refuse(shape, "polls: it was called again and again before anything was complete",
             "descriptions have no loops that wait for what may come; use a blocking call");
    }
  }

  void take_completion(const Shape& shape) {
    const std::string& called = name(shape);
    const bool test = called.find("Test") == 0;
    const bool some =
        called.find("any") != std::string::npos || called.find("some") != std::string::npos;
    const std::vector<std::int64_t> ended = requests(shape, some ? 1 : 0);
    if (test && shape.result == 0) {
      if (!ended.empty() || !requests(shape, 0).empty()) {
        count_poll(shape);
      }
      return;
    }
    bool phase = false;
    bool waits = false;
    std::int32_t group_number = -1;
    for (const std::int64_t request : ended) {
      const auto found = open_.find(static_cast<std::int32_t>(request));
      if (found == open_.end()) {
        continue;
      }
      phase = true;
      if (found->second.group >= 0) {
        Group& group = groups_[static_cast<std::size_t>(found->second.group)];
        group_number = found->second.group;
        waits = waits || found->second.incoming || group.incoming == 0;
      }
      open_.erase(found);
    }
    if (phase && group_number < 0) {
      return;  // of a nonblocking collective, which was taken where it began
    }
    if (!phase) {
      if (test || some || !requests(shape, 0).empty()) {
        return;
      }
      group_number = post_nothing(shape);  // a process without neighbours is at this place, too
      waits = true;
    }
    wait_for(group_number, waits, place(shape));
  }

  std::int32_t post_nothing(const Shape& shape) {
    close_group();
    // One wait after the other ends a phase; each Waitall ends one of its own.
    if (name(shape) != "Wait" || groups_.empty() || !groups_.back().waited ||
        !groups_.back().start.places.contains(place(shape))) {
      groups_.emplace_back().gap = take_gap();
      groups_.back().start.places.insert(place(shape));
    }
    return static_cast<std::int32_t>(groups_.size()) - 1;
  }

  void wait_for(std::int32_t number, bool waits, std::int32_t at) {
    Group& group = groups_[static_cast<std::size_t>(number)];
    if (group.posting) {
      group.start.places.insert(at);
    }
    const double gap = take_gap();
    close_group();
    if (waits && !group.waited) {
      group.waited = true;
      append(
          {.kind = ItemKind::wait, .places = group.start.places, .messages = group.start.messages},
          gap);
    } else {
      gap_ = gap;
    }
  }

  void take_collective(const Shape& shape) {
    close_group();
    const std::string word = collective_word(name(shape));
    if (word.empty()) {
      refuse(shape, "has no statement in descriptions",
             "expected allreduce, broadcast, reduce, barrier, gather, scatter, allgather, "
             "alltoall(v), scan");
    }
    Item item{.kind = ItemKind::collective};
    item.operation = word;
    item.places.insert(place(shape));
    item.group = rank_.communicators[static_cast<std::size_t>(shape.communicator)].members;
    item.root = world_rank(shape, shape.peer[0]);
    const bool each_own = item.operation == "alltoallv";
    // In place, one of the two sides says nothing.
    item.bytes = name(shape).back() == 'v' ? shape.bytes[item.operation == "scatter" ? 1 : 0]
                                           : std::max(shape.bytes[0], shape.bytes[1]);
    if (each_own) {
      item.shares = rank_.lists[static_cast<std::size_t>(shape.list[0])];
      item.bytes = 0;
      if (item.shares.size() != item.group.size()) {
        refuse(shape, "does not say what it sends to whom", "record fewer ranks");
      }
    }
    append(item, take_gap());
    if (shape.request >= 0) {
      open_[shape.request] = {};
    }
  }

  void take_neighbours(const Shape& shape) {
    close_group();
    const record::Communicator& on =
        rank_.communicators[static_cast<std::size_t>(shape.communicator)];
    const std::vector<std::int32_t> partners = neighbour_partners(on);
    const std::vector<std::int64_t>& each = rank_.lists[static_cast<std::size_t>(shape.list[0])];
    groups_.emplace_back();
    groups_.back().start.places.insert(place(shape));
    groups_.back().gap = take_gap();
    for (const bool incoming : {true, false}) {
      for (std::size_t i = 0; i < partners.size(); ++i) {
        if (partners[i] >= 0) {
          groups_.back().start.messages.push_back(
              {.partner = world_rank(shape, partners[i]),
               .bytes = i < each.size() ? each[i] : shape.bytes[0],
               .tag = 0,
               .place = place(shape),
               .incoming = incoming});
        }
      }
    }
    const auto number = static_cast<std::int32_t>(groups_.size()) - 1;
    if (shape.request >= 0) {
      open_[shape.request] = {.group = number, .incoming = true};
    } else {
      wait_for(number, true, place(shape));
    }
  }

  [[nodiscard]] double take_gap() { return std::exchange(gap_, 0.0); }

  void append(const Item& item, double gap) {
    const auto [entry, added] =
        known_.try_emplace(item, static_cast<std::int32_t>(result_.items.size()));
    if (added) {
      result_.items.push_back(item);
    }
    result_.sequence.push_back({entry->second, gap});
  }

  const record::RankRecording& rank_;
  const std::vector<std::string>* texts_ = nullptr;
  std::vector<std::int32_t> place_of_;  ///< by site
  std::int32_t unknown_ = 0;
  std::map<std::int32_t, Message> persistent_;  ///< by request
  std::map<std::int32_t, Request> open_;        ///< by request
  std::vector<Group> groups_;
  std::optional<std::size_t> last_phase_;  ///< the last group with messages that is posted
  std::map<std::int32_t, int> polls_;      ///< unsuccessful tests by place
  std::map<Item, std::int32_t> known_;
  double gap_ = 0.0;  ///< seconds since the last item
  RankItems result_;
};

}  // namespace

std::int32_t Places::number(const std::string& text) {
  const std::string name = text.substr(text.rfind('/', text.find(record::through)) + 1);
  const auto found = std::find(texts.begin(), texts.end(), name);
  if (found == texts.end()) {
    texts.push_back(name);
    return static_cast<std::int32_t>(texts.size()) - 1;
  }
  return static_cast<std::int32_t>(found - texts.begin());
}

RankItems read_items(const record::RankRecording& rank, const record::SitePlaces& sites,
                     Places& places) {
  constexpr std::uint64_t most_events = 4'000'000;
  if (rank.events > most_events) {
    throw InputError(rank.file, 0, fmt::format("{} calls", rank.events),
                     "record a few iterations only: a description needs no more");
  }
  return ItemReader(rank, sites, places).read();
}

}  // namespace gridcast::infer
