// Memory of the fullest processor (docs/model.md, "Memory"): closed forms, and a model of single
// elements.

#include "elements.h"
#include "gridcast/rules/memory.h"

namespace gridcast::model::test {
namespace {

double peak(const Run& run, const std::string& on, const machine::Cluster& cluster = two_level(),
            const ModelOptions& options = {}) {
  const Compiled compiled = compile(run.program());
  return MemoryModel(compiled.script, cluster, options).peak(grid(on));
}

/// What a processor keeps of an array: its block in a box, with edges inside the array.
double held(const Elements& elements, Slot array, std::uint32_t processor, std::int64_t low,
            std::int64_t high) {
  const Index& extents = elements.extents(array);
  Index first(extents.size(), 1 << 20);
  Index last(extents.size(), -1);
  for (const Index& element : indices(extents)) {
    if (elements.holders(array, element).contains(processor)) {
      for (std::size_t dim = 0; dim < extents.size(); ++dim) {
        first[dim] = std::min(first[dim], element[dim]);
        last[dim] = std::max(last[dim], element[dim]);
      }
    }
  }
  double size = 1.0;
  for (std::size_t dim = 0; dim < extents.size(); ++dim) {
    if (last[dim] < 0) {
      return 0.0;
    }
    size *= static_cast<double>(std::min(extents[dim], last[dim] + 1 + high) -
                                std::max<std::int64_t>(0, first[dim] - low));
  }
  return size;
}

}  // namespace

TEST_CASE("blocks with edges, closed form") {
  Run run;
  run.target({1000, 600});
  run.array(0, {1000, 600}, 8, {1, 1}, {1, 1}).array(1, {1000, 600}, 4);
  // An inner block of 250 x 200 with an edge on every side, and one without edges.
  CHECK(peak(run, "4x3") == 8.0 * 252 * 202 + 4.0 * 250 * 200);
  // Two coordinates: each block has one edge per dimension. One: none.
  CHECK(peak(run, "2x2") == 8.0 * 501 * 301 + 4.0 * 500 * 300);
  CHECK(peak(run, "1x1") == 12.0 * 1000 * 600);
  CHECK(peak(run, "1") == 12.0 * 1000 * 600);
  CHECK(peak(run, "1x3") == 8.0 * 1000 * 202 + 4.0 * 1000 * 200);
  // Blocks of 143; the seventh has 142. A third dimension holds copies.
  CHECK(peak(run, "7x1x5") == 8.0 * 145 * 600 + 4.0 * 143 * 600);
}

TEST_CASE("memory of what is there at the same time") {
  Run run;
  run.target({100});
  run.array(0, {100}, 8);
  run(trace::DeleteArray{0});
  run.array(1, {100}, 4);
  CHECK(peak(run, "4") == 8.0 * 25);
  run.array(2, {100}, 8);
  CHECK(peak(run, "4") == 12.0 * 25);
  // An array that is never aligned is everywhere.
  run(trace::CreateArray{3, {10}, 2, {}, {}});
  CHECK(peak(run, "4") == 12.0 * 25 + 20.0);
  // While a template is distributed anew its arrays are there twice.
  run(trace::Redistribute{0, trace::no_object, trace::no_object, {0}, false});
  CHECK(peak(run, "4") == 12.0 * 25 + 20.0 + 12.0 * 100);
}

TEST_CASE("buffers of remote accesses") {
  Run run;
  run.target({100, 60});
  run.array(0, {100, 60}, 8).array(1, {100, 60}, 8);
  run.loop(0, {100, 60});
  const double arrays = 2 * 8.0 * 25 * 20;
  // B[i, 7]: an element per iteration of i. B[*, j]: whole columns.
  run(trace::CreateRemoteBuffer{0, 1, 0, {1, 0}, {1, 0}, {0, 7}});
  CHECK(peak(run, "4x3") == arrays + 8.0 * 25);
  run(trace::CreateRemoteBuffer{1, 1, 0, {-1, 2}, {0, 1}, {0, 0}});
  CHECK(peak(run, "4x3") == arrays + 8.0 * 25 + 8.0 * 100 * 20);
  run(trace::DeleteBuffer{1});
  run(trace::CreatePointBuffer{2, 1, trace::no_object, {5, -1}});
  CHECK(peak(run, "4x3") == arrays + 8.0 * 25 + 8.0 * 100 * 20);
  CHECK(peak(run, "100x1") == 2 * 8.0 * 60 + 8.0 + 8.0 * 100 * 60);
}

TEST_CASE("memory element by element, also on unequal processors and in parts of the grid") {
  Random random(5);
  for (int round = 0; round < 400; ++round) {
    Run run;
    Elements elements(run, random_grid(random));
    random_arrays(random, elements);
    CAPTURE(round, elements.grid().text());
    double most = 0.0;
    for (std::uint32_t p = 0; p < elements.processors(); ++p) {
      most = std::max(most, 4.0 * held(elements, 0, p, 0, 0) + 8.0 * held(elements, 1, p, 0, 0));
    }
    const Compiled compiled = compile(run.program());
    const machine::Cluster cluster = two_level();
    MemoryModel model(compiled.script, cluster, {});
    CHECK(model.peak(elements.grid()) == most);
    CHECK(model.peak(elements.grid()) == most);  // from memory
    std::vector<std::int64_t> upper(elements.grid().extents().begin(),
                                    elements.grid().extents().end());
    CHECK(model.least(upper) <= most);
  }
}

TEST_CASE("unequal processors have unequal blocks") {
  // Processors of weights 1 and 3 share 80 elements: 20 and 60.
  const auto cluster = machine::Cluster::parse(
      "cluster = c; c = {1 x p, 1 x q}; c.CommType = ethernet; c.TStart = 1; c.TByte = 1;"
      "p = 1; q = 3;",
      "unequal.par");
  Run run;
  run.target({80});
  run.array(0, {80}, 8);
  CHECK(peak(run, "2", cluster) == 8.0 * 60);
  ModelOptions equal;
  equal.processor_weights = false;
  CHECK(peak(run, "2", cluster, equal) == 8.0 * 40);
}

TEST_CASE("tasks have their arrays on their own processors") {
  Run run({4});
  run(trace::CreateSystem{0, trace::no_object, {0}, {1}});
  run(trace::CreateSystem{1, trace::no_object, {2}, {3}});
  run.target({100}, 0, 0).target({300}, 1, 1);
  run.array(0, {100}, 8, {}, {}, 0).array(1, {300}, 8, {}, {}, 1);
  CHECK(peak(run, "4") == 8.0 * 150);
  CHECK(peak(run, "8") == 8.0 * 75);
}

}  // namespace gridcast::model::test
