#include "waiting.h"

#include <algorithm>
#include <array>
#include <limits>
#include <variant>

namespace gridcast::trace {

ReturnTime return_time_of(std::string_view function) {
  const auto among = [&](const auto& names) {
    return std::find(names.begin(), names.end(), function) != names.end();
  };
  // Reductions, edges, barriers: a serial run does next to nothing in them.
  constexpr auto waiting = std::to_array<std::string_view>(
      {"strtrd_", "waitrd_", "strtsh_", "waitsh_", "recvsh_", "sendsh_", "recvla_", "sendsa_",
       "across_", "strtac_", "waitac_", "bsynch_", "tsynch_", "mps_Barrier", "mps_Bcast",
       "rtl_BroadCast", "rtl_Waitrequest"});
  // Copies and buffers; what one process gives to all; communicators, which all make together.
  constexpr auto transfer = std::to_array<std::string_view>(
      {"redis_", "realn_", "arrcpy_", "aarrcp_", "waitcp_", "loadrb_", "waitrb_", "loadbg_",
       "waitbg_", "loadib_", "waitib_", "loadig_", "waitig_", "srmem_", "rwelm_", "copelm_",
       "elmcpy_", "mapam_"});
  return among(waiting)    ? ReturnTime::waiting
         : among(transfer) ? ReturnTime::transfer
                           : ReturnTime::work;
}

LeastReturns::LeastReturns(const std::vector<RawTrace>& traces) : place_of_(traces.size()) {
  std::map<Key, std::uint32_t> places;
  for (std::size_t t = 0; t < traces.size(); ++t) {
    const RawTrace& trace = traces[t];
    std::map<std::pair<std::uint32_t, bool>, std::uint32_t> own;
    bool in_loop = false;  // after a dopl_ of the same loop
    for (std::size_t i = 0; i < trace.size(); ++i) {
      const auto* run = std::get_if<RunLoop>(&trace.call(i));
      const bool later = in_loop && run != nullptr;
      in_loop = run != nullptr && run->continues;
      const auto [entry, is_new] = own.try_emplace({trace.record(i).place, later}, 0);
      if (is_new) {
        const Key key{trace.function(i), trace.file(i), trace.place(i).line, later};
        entry->second =
            places.try_emplace(key, static_cast<std::uint32_t>(places.size())).first->second;
        least_.resize(places.size(), std::numeric_limits<double>::infinity());
      }
      double& least = least_[entry->second];
      least = std::min(least, trace.record(i).ret_time);
      place_of_[t].push_back(entry->second);
    }
  }
}

double LeastReturns::without_waiting(double smallest, double least) {
  constexpr double resolution = 1e-6;
  return std::max(least, std::min(smallest, resolution));
}

double LeastReturns::at(std::size_t trace, std::size_t record) const {
  return least_[place_of_[trace][record]];
}

}  // namespace gridcast::trace
