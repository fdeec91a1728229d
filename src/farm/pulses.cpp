#include "pulses.h"

#include <algorithm>
#include <boost/mpi/exception.hpp>
#include <boost/mpi/status.hpp>

#include "gridcast/farm/idle.h"
#include "messages.h"

namespace gridcast::sweep {

Pulses::Pulses(const boost::mpi::communicator& world, const std::map<int, ProcessIdentity>& others)
    : world_(world) {
  const ProcessIdentity self = this_process();
  for (const auto& [rank, process] : others) {
    others_[rank] = {seconds_now(), ProcessWatch(process, self)};
  }
}

void Pulses::send(Pulse pulse) {
  for (const auto& [rank, other] : others_) {
    Sent& sent = sent_[rank];
    try {
      if (!sent.request.active() || sent.request.test()) {
        sent.value = static_cast<int>(pulse);
        sent.request = world_.isend(rank, tag_pulse, &sent.value, 1);
      }
    } catch (const boost::mpi::exception&) {
      // It is gone: its silence will tell.
    }
  }
}

void Pulses::take(double now, const std::function<void(Pulse)>& heard) {
  try {
    while (const auto status = world_.iprobe(boost::mpi::any_source, tag_pulse)) {
      int value = 0;
      world_.recv(status->source(), tag_pulse, &value, 1);
      if (const auto other = others_.find(status->source()); other != others_.end()) {
        other->second.heard = now;
        heard(static_cast<Pulse>(value));
      }
    }
  } catch (const boost::mpi::exception&) {
    // As above.
  }
}

bool Pulses::settled() {
  return std::ranges::all_of(sent_, [](auto& each) {
    try {
      boost::mpi::request& request = each.second.request;
      return !request.active() || request.test().has_value();
    } catch (const boost::mpi::exception&) {
      return true;
    }
  });
}

std::optional<int> Pulses::find_silent(double time) const {
  const auto found =
      std::ranges::find_if(others_, [time](const auto& each) { return each.second.heard < time; });
  return found == others_.end() ? std::nullopt : std::optional(found->first);
}

ProcessWatch Pulses::process_of(int rank) const {
  const auto found = others_.find(rank);
  return found == others_.end() ? ProcessWatch() : found->second.process;
}

std::optional<int> Pulses::find_gone() const {
  const auto found =
      std::ranges::find_if(others_, [](const auto& each) { return each.second.process.is_gone(); });
  return found == others_.end() ? std::nullopt : std::optional(found->first);
}

void Pulses::excuse(double seconds) {
  for (auto& [rank, other] : others_) {
    other.heard += seconds;
  }
}

}  // namespace gridcast::sweep
