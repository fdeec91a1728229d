// Shadow edges against the model of single elements, and the closed forms of Jacobi programs
// (docs/model.md §5; [Predictor2010 §4.2, §4.4]; [Forecasting §2.2]).

#include <numeric>

#include "elements.h"
#include "gridcast/compile/compile.h"

namespace gridcast::model::test {
namespace {

/// Elements of array 0 per processor, and their box.
struct Part {
  std::vector<Index> elements;
  Index lo, hi;  // inclusive
};

std::vector<Part> parts_of(const Elements& elements) {
  std::vector<Part> parts(elements.processors());
  for (const Index& element : indices(elements.extents(0))) {
    for (const std::uint32_t p : elements.holders(0, element)) {
      Part& part = parts[p];
      if (part.elements.empty()) {
        part.lo = part.hi = element;
      }
      for (std::size_t d = 0; d < element.size(); ++d) {
        part.lo[d] = std::min(part.lo[d], element[d]);
        part.hi[d] = std::max(part.hi[d], element[d]);
      }
      part.elements.push_back(element);
    }
  }
  return parts;
}

Index coordinates(const machine::Grid& grid, std::uint32_t number) {
  Index at(static_cast<std::size_t>(grid.rank()));
  for (int j = grid.rank(); j-- > 0;) {
    at[static_cast<std::size_t>(j)] = number % static_cast<std::uint32_t>(grid.extent(j));
    number /= static_cast<std::uint32_t>(grid.extent(j));
  }
  return at;
}

}  // namespace

TEST_CASE("edges and corners that neighbours need, element by element") {
  Random random(41);
  std::size_t with_transfers = 0;
  for (int round = 0; round < 2000; ++round) {
    Run run;
    Elements elements(run, random_grid(random));
    const Index extents = random_extents(random, 1 + random() % 3, 7);
    Elements::Target target{extents, {}, {}};
    for (int j = 0; j < elements.grid().rank(); ++j) {
      target.axes.push_back(j < static_cast<int>(extents.size()) && random() % 5 != 0 ? j + 1 : 0);
    }
    elements.target(0, target);
    // The array over the template, some dimensions backwards.
    trace::AlignmentRule rule = Run::identity(extents.size(), 0);
    for (std::size_t d = 0; d < extents.size(); ++d) {
      if (random() % 3 == 0) {
        rule.coefficients[d] = -1;
        rule.constants[d] = extents[d] - 1;
      }
    }
    Index low;
    Index high;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      low.push_back(up_to(random, 2));
      high.push_back(up_to(random, 2));
    }
    elements.array(0, {extents, rule}, 8, low, high);
    const std::int64_t limit = 1 + up_to(random, 2);
    run(trace::CreateShadowGroup{0});
    const Index own(extents.size(), -1);
    const bool given = random() % 2 == 0;  // -1: the widths of the array
    run(trace::InsertShadow{0, 0, given ? low : own, given ? high : own, limit});
    run(trace::StartShadow{0});
    const std::vector<Part> parts = parts_of(elements);
    Bytes bytes;
    for (std::uint32_t from = 0; from < parts.size(); ++from) {
      for (std::uint32_t to = 0; to < parts.size(); ++to) {
        if (from == to || parts[from].elements.empty() || parts[to].elements.empty()) {
          continue;
        }
        const Index a = coordinates(elements.grid(), from);
        const Index b = coordinates(elements.grid(), to);
        std::int64_t moved = 0;
        bool neighbours = true;
        std::vector<bool> along(extents.size(), false);
        for (std::size_t j = 0; j < a.size(); ++j) {
          if (a[j] != b[j]) {
            ++moved;
            neighbours = neighbours && std::abs(a[j] - b[j]) == 1 && target.axes[j] > 0;
            if (target.axes[j] > 0) {
              along[static_cast<std::size_t>(target.axes[j] - 1)] = true;
            }
          }
        }
        if (!neighbours || moved > limit) {
          continue;
        }
        double count = 0.0;
        for (const Index& element : parts[from].elements) {
          bool wanted = true;
          for (std::size_t d = 0; d < element.size(); ++d) {
            if (along[d]) {
              // In the low shadow of `to`, or in its high one.
              const std::int64_t below = parts[to].lo[d] - element[d];
              const std::int64_t above = element[d] - parts[to].hi[d];
              wanted =
                  wanted && ((below > 0 && below <= low[d]) || (above > 0 && above <= high[d]));
            }
          }
          count += wanted ? 1.0 : 0.0;
        }
        if (count > 0.0) {
          bytes[{from, to}] = 8.0 * count;
        }
      }
    }
    CAPTURE(round, elements.grid().text(), extents, limit);
    CHECK(build_last(run, elements.grid()).bytes == bytes);
    with_transfers += bytes.empty() ? 0U : 1U;
  }
  CHECK(with_transfers > 300);
}

TEST_CASE("arrays of one group add up into one message per pair") {
  Run run;
  run.target({8, 8}).array(0, {8, 8}, 8, {1, 1}, {1, 1}).array(1, {8, 8}, 4, {1, 1}, {2, 2});
  run(trace::CreateShadowGroup{0});
  run(trace::InsertShadow{0, 0, {-1, -1}, {-1, -1}, 1});
  run(trace::InsertShadow{0, 1, {-1, -1}, {-1, -1}, 1});
  run(trace::StartShadow{0});
  // 2x2 processors hold 4x4. To the right and down goes the low shadow: 4*8 + 4*4 = 48 bytes; to
  // the left and up the high one: 4*8 + 2*4*4 = 64.
  const Bytes expected{{{0, 1}, 48.0}, {{0, 2}, 48.0}, {{1, 0}, 64.0}, {{1, 3}, 48.0},
                       {{2, 0}, 64.0}, {{2, 3}, 48.0}, {{3, 1}, 64.0}, {{3, 2}, 64.0}};
  CHECK(build_last(run, grid("2x2")).bytes == expected);
}

TEST_CASE("a bus takes the sum over all edges") {
  // A 2-D Jacobi exchange of an n x n array of doubles on P1 x P2: (P1-1) rows and (P2-1) columns
  // are cut, and P2 (P1) messages of n/P2 (n/P1) elements cross each of them both ways.
  const double start = 75e-6;
  const double byte = 0.2e-6;
  for (const auto& [p1, p2] : {std::pair{2, 2}, {4, 4}, {1, 8}, {5, 2}}) {
    const double n = 400.0;
    Run run;
    run.target({400, 400}).array(0, {400, 400}, 8, {1, 1}, {1, 1});
    run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {-1, -1}, {-1, -1}, 1});
    run(trace::StartShadow{0})(trace::WaitShadow{0});
    const double messages = 2.0 * ((p1 - 1) * p2 + (p2 - 1) * p1);
    const double sent = 2.0 * ((p1 - 1) * n + (p2 - 1) * n) * 8.0;
    const Prediction result =
        run.predict(flat("ethernet", 75.0, 0.2), std::to_string(p1) + "x" + std::to_string(p2));
    CHECK(close(result.intervals[0].sums.execution_time, messages * start + sent * byte, 1e-9));
  }
}

TEST_CASE("reductions on a bus and on a flat grid of links") {
  // A loop of 10x10 iterations on 4x3 processors: blocks of 3 rows and 4 columns, so 4 and 3
  // coordinates have iterations; on 6x2, blocks of 2 and 5 rows: 5 and 2.
  struct Case {
    const char* grid;
    double members, processors, distance, corner;
  };
  const Case cases[] = {{"4x3", 12, 12, 2 + 1, 0}, {"6x2", 10, 12, 2 + 1, 1}, {"7", 5, 7, 2, 2}};
  for (const Case& c : cases) {
    Run run;
    run.target({10, 10}).loop(0, {10, 10});
    run(trace::CreateReductionGroup{0})(trace::CreateReduction{0, 8, 3, 4});
    run(trace::InsertReduction{0, 0})(trace::StartReduction{0})(trace::WaitReduction{0});
    const double bytes = 3.0 * (8.0 + 4.0);
    CAPTURE(c.grid);
    const Prediction bus = run.predict(flat("ethernet", 75.0, 0.2), c.grid);
    CHECK(close(bus.intervals[0].sums.execution_time,
                (75e-6 + 0.2e-6 * bytes) * (c.members + c.processors - 2.0), 1e-9));
    const Prediction links = run.predict(flat("transputer", 9.0, 0.0125), c.grid);
    CHECK(close(links.intervals[0].sums.operations[1].communication,
                c.processors * (9e-6 + 0.0125e-6 * bytes) * (2.0 * c.distance + c.corner), 1e-9));
  }
}

TEST_CASE("one representative of those that hold the same iterations contributes") {
  // The second dimension of the grid replicates the loop: 4 representatives, 12 receivers.
  Run run;
  run(trace::CreateTemplate{0, {8}})(trace::Distribute{0, trace::no_object, {1}});
  run.loop(0, {8});
  run(trace::CreateReductionGroup{0})(trace::CreateReduction{0, 8, 1, 0});
  run(trace::InsertReduction{0, 0})(trace::StartReduction{0});
  const Built built = build_last(run, grid("4x3"));
  CHECK(built.transfers == 3 + 11);
  CHECK(built.bytes.at({3, 0}) == 8.0);
  CHECK(built.bytes.at({6, 0}) == 8.0);
  CHECK_FALSE(built.bytes.contains({4, 0}));
  // A loop that nobody splits costs nothing.
  Run replicated;
  replicated(trace::CreateTemplate{0, {8}})(trace::Distribute{0, trace::no_object, {0}});
  replicated.loop(0, {8});
  replicated(trace::CreateReductionGroup{0})(trace::CreateReduction{0, 8, 1, 0});
  replicated(trace::InsertReduction{0, 0})(trace::StartReduction{0});
  CHECK(build_last(replicated, grid("4x3")).transfers == 0);
}

TEST_CASE("a loop without iterations reduces for nothing") {
  for (const char* type : {"ethernet", "transputer"}) {
    Run run;
    run.target({8})(trace::CreateLoop{0, 1});
    run(trace::MapLoop{0, Run::identity(1, 0), {5}, {4}, {1}});
    run(trace::CreateReductionGroup{0})(trace::CreateReduction{0, 8, 1, 0});
    run(trace::InsertReduction{0, 0})(trace::StartReduction{0})(trace::WaitReduction{0});
    CHECK(run.predict(flat(type, 9.0, 0.0125), "4").intervals[0].sums.execution_time == 0.0);
  }
}

TEST_CASE("an exchange that sends nothing is not waited for") {
  // recvsh_ makes ready only: nobody waits for processor 0, which computes, with figures of single
  // processors or without.
  Run run;
  run.target({8}).array(0, {8}, 8, {1}, {1})(trace::CreateLoop{0, 1});
  run(trace::MapLoop{0, Run::identity(1, 0), {0}, {0}, {1}});
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {-1}, {-1}, 1});
  run(trace::RunLoop{0, false, {}}, 1.0)(trace::ReceiveShadow{0})(trace::WaitShadow{0});
  const Prediction result = run.predict(flat("ethernet", 9.0, 0.0125), "4");
  CHECK(result.intervals[0].sums.communication == 0.0);
  CHECK(result.intervals[0].per_processor[3].execution_time == 0.0);
  const machine::Cluster cluster = flat("ethernet", 9.0, 0.0125);
  CHECK(
      Predictor(compile(run.program()).script, cluster).evaluate(grid("4")).front().communication ==
      0.0);
}

TEST_CASE("weighted blocks are whole multiples of a divisor") {
  // 20 elements, the first half three times as heavy, on two processors: half of the weight is
  // 20 of 40, so the first 6 elements; rounded down to a multiple of 4. Lengths of three processors
  // on two: 7.5 to 8 elements, 6 with a divisor of 3; lengths of two are taken as they are.
  const auto first_block = [](std::int64_t divisor, const trace::Call& weights) {
    Run run;
    run(trace::CreateTemplate{0, {20}})(trace::DivideBlocks{0, {divisor}})(weights);
    run(trace::Distribute{0, trace::no_object, {1}}).loop(0, {20});
    run(trace::RunLoop{0, false, {}}, 20.0);
    return run.predict(free_of_charge(), "2").intervals[0].per_processor[0].cpu_time;
  };
  const trace::SetWeights heavy{.target = 0, .weights = {{3.0, 1.0}}};
  CHECK(close(first_block(1, heavy), 6.0));
  CHECK(close(first_block(4, heavy), 4.0));
  const trace::SetBlockLengths three{.target = 0, .lengths = {{5.0, 5.0, 10.0}}};
  CHECK(close(first_block(1, three), 8.0));
  CHECK(close(first_block(3, three), 6.0));
  const trace::SetBlockLengths two{.target = 0, .lengths = {{7.0, 13.0}}};
  CHECK(close(first_block(3, two), 7.0));
}

TEST_CASE("the largest block decides how long a loop computes") {
  // 10 x 10 iterations on 4x3: largest block 3 x 4 of 100; on 7: 2 rows.
  Run run;
  run.target({10, 10}).loop(0, {10, 10});
  run(trace::RunLoop{0, false, {}}, 5.0)(trace::EndLoop{0});
  CHECK(
      close(run.predict(free_of_charge(), "4x3").intervals[0].sums.execution_time, 5.0 * 12 / 100));
  CHECK(close(run.predict(free_of_charge(), "7").intervals[0].sums.execution_time, 5.0 * 20 / 100));
}

}  // namespace gridcast::model::test
