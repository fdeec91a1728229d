// Pipelined loops by classes of equal processors against the same processor by processor: every
// characteristic of every interval, on programs, machines, grids and options drawn at random.

#include <algorithm>

#include "described.h"
#include "draw.h"
#include "fixture.h"
#include "gridcast/compile/compile.h"
#include "same_figures.h"

namespace gridcast::model::test {
namespace {

class PipelineDraw : public Drawing {
public:
  using Drawing::Drawing;

  /// A sweep or two over an array of `rank` dimensions, some of them not distributed.
  std::string program(int rank) {
    std::vector<int> extents;
    std::string distribute, shape;
    for (int dim = 0; dim < rank; ++dim) {
      const bool long_one = dim + 1 == rank && one_in(3);
      extents.push_back(long_one ? between(100, 400) : between(4, 40));
      distribute += std::string(dim > 0 ? ", " : "") + (one_in(4) ? "\"*\"" : "\"block\"");
      shape += (dim > 0 ? ", " : "") + std::to_string(extents.back());
    }
    const int shadow = between(1, 2);
    std::string text =
        "[[array]]\nname = \"A\"\nextents = [" + shape + "]\nelement = " + (one_in(2) ? "8" : "4") +
        "\nshadow = " + std::to_string(shadow) + "\ndistribute = [" + distribute +
        "]\n\n[[do]]\nrepeat = " + std::to_string(between(1, 3)) + "\ninterval = \"sequential\"\n";
    for (int sweep = between(1, 2); sweep > 0; --sweep) {
      text += loop(extents, shadow);
    }
    return text;
  }

  /// Equal processors under one network or in a tree of up to three levels.
  machine::Cluster cluster() {
    const int levels = between(1, 4);
    const bool tree = levels > 1;
    std::string text = "cluster = c; p = " + std::string(one_in(4) ? "1.7" : "1") + "; ";
    text += tree ? "c = {600 x n}; n = {" + std::to_string(between(2, 9)) + " x " +
                       (levels == 4 ? "m}; m = {2 x p}; " : "p}; ")
                 : "c = {600 x p}; ";
    text += network("c", tree);
    text += tree ? network("n", true) : "";
    text += levels == 4 ? network("m", true) : "";
    text += one_in(4) ? "c.TPortion = 3; " : "";
    return machine::Cluster::parse(text, "drawn.par");
  }

  machine::Grid grid(int rank) {
    std::vector<std::int64_t> extents;
    std::int64_t product = 1;
    for (int dim = between(1, rank); dim > 0; --dim) {
      const std::int64_t extent = one_in(3) ? between(1, 30) : between(1, 8);
      extents.push_back(product * extent > 400 ? 1 : extent);
      product *= extents.back();
    }
    return machine::Grid(extents);
  }

  ModelOptions options() {
    ModelOptions options;
    options.block_rule = one_in(4) ? mapping::BlockRule::balanced : mapping::BlockRule::ceil;
    options.pipeline = one_in(3) ? PipelineMode::full : PipelineMode::steady;
    return options;
  }

private:
  std::string loop(const std::vector<int>& extents, int shadow) {
    std::string ranges, index, back, ahead;
    const bool old_values = !one_in(3);
    for (std::size_t dim = 0; dim < extents.size(); ++dim) {
      const std::string comma = dim > 0 ? ", " : "";
      const int low = between(0, 1);
      const int high = extents[dim] - 1 - between(0, 1);
      const std::string name(1, static_cast<char>('i' + static_cast<int>(dim)));
      ranges += comma + "\"" + name + " = " +
                (one_in(3) ? std::to_string(high) + " : " + std::to_string(low) + " : -1"
                           : std::to_string(low) + " : " + std::to_string(high)) +
                "\"";
      index += comma + name;
      back += comma + std::to_string(between(0, shadow));
      ahead += comma + std::to_string(old_values ? between(0, shadow) : 0);
    }
    // Powers of two make ties exact.
    const std::string time = one_in(3)
                                 ? "1.9073486328125e-6"
                                 : std::to_string(between(1, 900)) + (one_in(2) ? "e-8" : "e-7");
    return "\n  [[do.do]]\n  loop = [" + ranges + "]\n  on = \"A[" + index +
           "]\"\n  time = " + time + "\n  across = [{ array = \"A\", new = [" + back +
           "], old = [" + ahead + "] }]\n" +
           (one_in(2) ? "  reduce = [{ operation = \"max\" }]\n" : "");
  }

  std::string network(const std::string& name, bool channels) {
    const int kind = between(0, channels ? 2 : 5);
    const std::string type = kind == 0   ? "ethernet"
                             : kind <= 2 ? "myrinet (" + std::to_string(between(1, 9)) + ")"
                             : kind == 3 ? "transputer"
                                         : "ports";
    std::string text = name + ".CommType = " + type + "; " + name + ".TStart = " +
                       (one_in(5)   ? "0"
                        : one_in(2) ? "8"
                                    : std::to_string(between(1, 60))) +
                       "; " + name + ".TByte = " +
                       (one_in(5)   ? "0"
                        : one_in(2) ? "0.015625"
                                    : "0." + std::to_string(between(100, 199))) +
                       "; ";
    return text + (type == "ports" ? costs_of_ports(name) : std::string());
  }
};

}  // namespace

TEST_CASE("pipelined loops by classes, in trees and on ports too, end as processor by processor") {
  std::size_t by_classes = 0;
  std::size_t with_edges = 0;
  for (unsigned seed = 1; seed <= 500; ++seed) {
    PipelineDraw draw(seed);
    const int rank = draw.between(1, 3);
    const std::string text = draw.program(rank);
    const Compiled compiled = compile(described(text));
    const machine::Cluster cluster = draw.cluster();
    const machine::Grid on = draw.grid(rank);
    ModelOptions options = draw.options();
    CAPTURE(seed, text, cluster.text(), on.text(), options.text());
    Predictor fast(compiled.script, cluster, options);
    options.engine = EngineKind::reference;
    Predictor reference(compiled.script, cluster, options);
    const std::span<const Characteristics> results = fast.evaluate(on);
    if (fast.fallback().empty()) {
      ++by_classes;
      require_same(results, reference.evaluate(on), on);
      with_edges += results.front().operations[2].communication > 0.0 ? 1U : 0U;
    }
  }
  CAPTURE(by_classes, with_edges);
  CHECK(by_classes > 450);
  CHECK(with_edges > 250);
}

}  // namespace gridcast::model::test
