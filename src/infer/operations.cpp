#include "gridcast/infer/operations.h"

#include <map>

namespace gridcast::infer {

std::string collective_word(const std::string& name) {
  static const std::map<std::string, std::string> words{
      {"Allreduce", "allreduce"},  {"Bcast", "broadcast"},   {"Reduce", "reduce"},
      {"Barrier", "barrier"},      {"Gather", "gather"},     {"Gatherv", "gather"},
      {"Scatter", "scatter"},      {"Scatterv", "scatter"},  {"Allgather", "allgather"},
      {"Allgatherv", "allgather"}, {"Alltoall", "alltoall"}, {"Alltoallv", "alltoallv"},
      {"Alltoallw", "alltoallv"},  {"Scan", "scan"},         {"Exscan", "scan"}};
  std::string form = name;
  if (form.size() > 1 && form[0] == 'I' && form[1] >= 'a' && form[1] <= 'z') {
    form.erase(0, 1);
    form[0] = static_cast<char>(form[0] - 'a' + 'A');
  }
  const auto found = words.find(form);
  return found == words.end() ? std::string() : found->second;
}

std::vector<std::int32_t> neighbour_partners(const record::Communicator& on) {
  if (on.topology == record::Topology::graph) {
    return on.destinations;
  }
  std::vector<std::int32_t> partners;
  std::int32_t stride = on.size;
  std::int32_t rest = on.rank;
  for (std::size_t d = 0; d < on.extents.size(); ++d) {
    const std::int32_t extent = on.extents[d];
    stride /= extent;
    const std::int32_t at = rest / stride;
    rest %= stride;
    for (const std::int32_t step : {-1, 1}) {
      const bool inside = at + step >= 0 && at + step < extent;
      partners.push_back(inside || on.periodic[d]
                             ? on.rank + ((at + step + extent) % extent - at) * stride
                             : record::nobody);
    }
  }
  return partners;
}

}  // namespace gridcast::infer
