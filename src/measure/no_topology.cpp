// In the place of topology.cpp where hwloc is not there.
#include "gridcast/base/error.h"
#include "gridcast/measure/topology.h"

namespace gridcast::measure {
namespace {

[[noreturn]] void refuse() {
  throw InputError("this gridcast was built without hwloc, which gridcast-measure needs",
                   "build it with hwloc and -DGRIDCAST_WITH_MEASURE=ON");
}

}  // namespace

void require_topology() { refuse(); }
int socket_of_this_process() { refuse(); }
std::vector<int> allowed_processors() { refuse(); }
SocketCores cores_of_socket(std::span<const int> /*allowed*/) { refuse(); }
void bind_thread(int /*processor*/) { refuse(); }

}  // namespace gridcast::measure
