#pragma once
// Descriptions that several tests of this room use.

#include <string>

#include "gridcast/base/error.h"
#include "gridcast/machine/cluster.h"

namespace gridcast::machine::test {

// The example of [Predictor2010 §2.4].
inline const std::string mvs_text = R"(cluster = mvs;
// search optimal processor set   0=off   1=euristik
search=0;

// Cluster properties:
// string = { [int 'x']string [,[int 'x']string]*} | float
// Communication characteristics (mks)

mvs = {512 x mvsP2};
mvs.CommType = myrinet (1);
mvs.TStart = 7;
mvs.TByte = 0.004;

mvsP2 = {2 x mvsP1};
mvsP2.CommType = myrinet (1);
mvsP2.TStart = 1;
mvsP2.TByte = 0.001;

mvsP1 = 1.00;
)";

// The example of [Predictor2000].
inline const std::string text_2000 = R"(// System type = network | transputer
type = network;
// Communication characteristics (mks)
start time = 75;
send byte time = 0.2;
// Comparative processors performance
power = 1.00;
// Topology - optional
topology = {2, 2};
)";

inline Cluster parse(const std::string& text) { return Cluster::parse(text, "test.par"); }

// The InputError of `action`; fails as a missing exception would if there is none.
template <typename Action>
InputError input_error(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error;
  }
  return InputError("no error", "no error");
}

inline const ClusterNode& node(const Cluster& cluster, const std::string& name) {
  for (const ClusterNode& each : cluster.nodes()) {
    if (each.name == name) {
      return each;
    }
  }
  throw InputError("no node " + name, "a node");
}

// Everything but the lines.
inline bool equal(const Cluster& a, const Cluster& b) {
  if (a.nodes().size() != b.nodes().size() || a.root() != b.root() ||
      a.search_mode() != b.search_mode() || a.topology() != b.topology()) {
    return false;
  }
  for (std::size_t i = 0; i < a.nodes().size(); ++i) {
    const ClusterNode& x = a.nodes()[i];
    const ClusterNode& y = b.nodes()[i];
    if (x.name != y.name || x.performance != y.performance || !(x.network == y.network) ||
        x.processors != y.processors || x.levels != y.levels || x.items.size() != y.items.size()) {
      return false;
    }
    for (std::size_t k = 0; k < x.items.size(); ++k) {
      if (x.items[k].count != y.items[k].count || x.items[k].node != y.items[k].node) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace gridcast::machine::test
