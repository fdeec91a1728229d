/// Times before the items of made-up loops.

#include <catch2/catch.hpp>
#include <functional>

#include "gridcast/infer/program.h"

namespace gridcast::infer::test {
namespace {

/// A loop with one item, run for each size.
class OneItem {
public:
  /// `gap`: seconds before the item in an iteration. `processes`: along the first dimension.
  OneItem(const std::vector<std::vector<std::int64_t>>& sizes, std::size_t iterations,
          const std::function<double(double volume, std::size_t iteration)>& gap,
          std::int32_t processes = 1) {
    loop_.loop = true;
    loop_.body.emplace_back();
    for (std::size_t run = 0; run < sizes.size(); ++run) {
      const std::vector<std::int64_t>& size = sizes[run];
      runs_.extents.push_back(size);
      std::vector<Offset> of_rank;
      for (std::int32_t rank = 0; rank < processes; ++rank) {
        of_rank.push_back({rank, 0});
      }
      runs_.coordinates.emplace_back(std::vector<std::int32_t>{processes, 1},
                                     std::vector<bool>{false, false}, of_rank);
      runs_.items.emplace_back(of_rank.size());
      for (std::size_t rank = 0; rank < of_rank.size(); ++rank) {
        Instance item{.run = run, .rank = rank, .count = 0, .occurrences = {}};
        for (std::size_t i = 0; i < iterations; ++i) {
          item.occurrences.push_back(
              {.item = 0, .gap = gap(double(size[0] * size[1]) / processes, i)});
        }
        loop_.body.front().instances.push_back(item);
        loop_.instances.push_back({.run = run,
                                   .rank = rank,
                                   .count = static_cast<std::int64_t>(iterations),
                                   .occurrences = {}});
      }
    }
    program_.statements.push_back(
        {.step = &loop_, .body = {Statement{.step = &loop_.body.front()}}});
    find_times(runs_, program_);
  }
  OneItem(const OneItem&) = delete;
  OneItem& operator=(const OneItem&) = delete;

  [[nodiscard]] const std::optional<Computation>& before() const {
    return program_.statements.front().body.front().before;
  }
  [[nodiscard]] const Program& program() const { return program_; }

private:
  Runs runs_;
  Step loop_;
  Program program_;
};

const std::vector<std::vector<std::int64_t>> sizes{{240, 240}, {120, 240}, {60, 120}, {180, 60}};

/// Runs of these sizes on one process, without items.
Runs runs_alone() {
  Runs runs;
  for (const std::vector<std::int64_t>& size : sizes) {
    runs.extents.push_back(size);
    runs.coordinates.emplace_back(std::vector<std::int32_t>{1, 1}, std::vector<bool>{false, false},
                                  std::vector<Offset>{{0, 0}});
  }
  runs.items.resize(sizes.size());
  return runs;
}

}  // namespace

TEST_CASE("Times: what precedes a loop is none of its iterations", "[times]") {
  // The loop begins sooner after what comes before it than its iterations follow each other.
  const OneItem found(sizes, 4, [](double volume, std::size_t iteration) {
    return iteration == 0 ? 3e-6 : 2e-9 * volume;
  });
  REQUIRE(found.before());
  CHECK(found.before()->expression == "2e-09*b1*b2");
  const OneItem once(sizes, 1, [](double volume, std::size_t) { return 2e-9 * volume; });
  REQUIRE(once.before());
  CHECK(once.before()->expression == "2e-09*b1*b2");
}

TEST_CASE("Times: what a program computes every fifth time counts a fifth", "[times]") {
  const auto gap = [](double volume, std::size_t iteration) {
    return (iteration % 5 == 3 ? 2e-8 : 2e-9) * volume;
  };
  const OneItem found(sizes, 16, gap);
  REQUIRE(found.before());
  CHECK(found.before()->expression == "5.6e-09*b1*b2");  // (4 * 2 + 20) / 5
  CHECK(found.before()->remark == "the mean of times that repeat with a period");
  // Twice is no period, and neither is what one run alone shows.
  const OneItem twice(sizes, 11, gap);
  CHECK(twice.before()->expression == "2e-09*b1*b2");
  const OneItem alone(sizes, 16, [&gap](double volume, std::size_t iteration) {
    return volume == 240.0 * 240.0 ? gap(volume, iteration) : 2e-9 * volume;
  });
  CHECK(alone.before()->expression == "2e-09*b1*b2");
  CHECK(alone.before()->remark.empty());
}

TEST_CASE("Times: the first iteration tells none of its statements' times", "[times]") {
  // An initial step: the second item comes at once.
  Runs runs = runs_alone();
  Step main;
  main.loop = true;
  main.body.resize(2);
  for (std::size_t run = 0; run < sizes.size(); ++run) {
    runs.items[run].resize(1);
    const double computing = 2e-9 * double(sizes[run][0] * sizes[run][1]);
    main.instances.push_back({.run = run, .rank = 0, .count = 3, .occurrences = {}});
    for (std::size_t item = 0; item < 2; ++item) {
      main.body[item].instances.push_back({.run = run,
                                           .rank = 0,
                                           .count = 0,
                                           .occurrences = {{.item = 0, .gap = 1e-7},
                                                           {.item = 0, .gap = computing},
                                                           {.item = 0, .gap = 1.01 * computing}}});
    }
  }
  Program program;
  program.statements.push_back(
      {.step = &main,
       .body = {Statement{.step = main.body.data()}, Statement{.step = &main.body[1]}}});
  find_times(runs, program);
  for (const Statement& each : program.statements.front().body) {
    REQUIRE(each.before);
    CHECK(each.before->expression == "2e-09*b1*b2");
  }
}

TEST_CASE("Times: from one call to the next is no computing", "[times]") {
  const OneItem found(sizes, 4, [](double volume, std::size_t) {
    return volume == 120.0 * 240.0 ? 9e-7 : 6e-8;  // another program had the processor
  });
  CHECK_FALSE(found.before());
  CHECK(found.program().pieces_left_out == 1);
  CHECK(found.program().left_out_seconds == 6e-8);
}

TEST_CASE("Times: a process that resumes after others computes nothing", "[times]") {
  const auto found = [](const std::function<double(double volume)>& seconds, int processes) {
    return OneItem(
        sizes, 4, [&](double volume, std::size_t) { return seconds(volume); }, processes);
  };
  // As a loaded machine measured it: 0.76, 1.08, 0.88, 0.95 us whatever the block.
  const auto resumes = [](double volume) {
    return volume == 28800.0   ? 7.6e-7
           : volume == 14400.0 ? 1.08e-6
           : volume == 3600.0  ? 8.8e-7
                               : 9.5e-7;
  };
  const auto computes = [](double volume) { return 5e-11 * volume; };  // 1.4 us at most
  CHECK_FALSE(found(resumes, 2).before());
  CHECK(found(resumes, 2).program().pieces_left_out == 1);
  CHECK(found(computes, 2).before()->expression == "5e-11*b1*b2");
  // On one process nothing else had the caches.
  CHECK(found([](double) { return 1e-6; }, 1).before()->expression == "1e-06");
  // Longer than a process takes to resume: a constant.
  CHECK(found([](double) { return 4e-6; }, 2).before()->expression == "4e-06");
}

TEST_CASE("Times: what processes compute before they part stands before them all", "[times]") {
  Runs runs;
  Step loop;
  loop.loop = true;
  loop.body.resize(3);  // the even rank; the odd rank; the odd rank again
  for (std::size_t run = 0; run < sizes.size(); ++run) {
    runs.extents.push_back(sizes[run]);
    runs.coordinates.emplace_back(std::vector<std::int32_t>{2, 1}, std::vector<bool>{false, false},
                                  std::vector<Offset>{{0, 0}, {1, 0}});
    runs.items.emplace_back(2);
    const double volume = double(sizes[run][0] * sizes[run][1]) / 2.0;
    const auto add = [&](Step& step, std::size_t rank, double seconds) {
      const std::vector<Occurrence> occurrences(4, {.item = 0, .gap = seconds});
      step.instances.push_back({.run = run, .rank = rank, .count = 4, .occurrences = occurrences});
    };
    add(loop.body[0], 0, 2e-9 * volume);
    add(loop.body[1], 1, 2e-9 * volume);
    add(loop.body[2], 1, 3e-9 * volume);
    add(loop, 0, 0.0);
    add(loop, 1, 0.0);
  }
  Program program;
  program.statements.push_back({.step = &loop});
  for (std::size_t i = 0; i < 3; ++i) {
    program.statements.front().body.push_back(
        {.step = &loop.body[i], .parity = {.dimensions = {0}, .odd = i > 0}});
  }
  find_times(runs, program);
  const std::vector<Statement>& body = program.statements.front().body;
  REQUIRE(body[0].before);
  CHECK(body[0].before->expression == "2e-09*b1*b2");
  CHECK_FALSE(body[1].before);
  REQUIRE(body[2].before);
  CHECK(body[2].before->expression == "(2*floor(q1/2) < q1)*(3e-09*b1*b2)");
}

TEST_CASE("Times: what one process computes at once is shared among statements that it lacks",
          "[times]") {
  // Two processes compute before a message and, or not, before a reduction; one has the reduction
  // only.
  const double after = GENERATE(3e-9, 0.0);
  Runs runs;
  Step loop;
  loop.loop = true;
  loop.body.resize(2);
  for (std::size_t run = 0; run < sizes.size() + 1; ++run) {
    const std::size_t ranks = run < sizes.size() ? 1 : 2;
    runs.extents.push_back(run < sizes.size() ? sizes[run] : sizes[0]);
    runs.items.emplace_back(ranks);
    std::vector<Offset> coordinates{{0, 0}, {1, 0}};
    coordinates.resize(ranks);
    runs.coordinates.emplace_back(std::vector<std::int32_t>{static_cast<std::int32_t>(ranks), 1},
                                  std::vector<bool>{false, false}, coordinates);
    const double volume =
        double(runs.extents.back()[0] * runs.extents.back()[1]) / static_cast<double>(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const auto add = [&](Step& step, double seconds) {
        const std::vector<Occurrence> occurrences(4, {.item = 0, .gap = seconds});
        step.instances.push_back(
            {.run = run, .rank = rank, .count = 4, .occurrences = occurrences});
      };
      add(loop, 0.0);
      if (ranks == 2) {
        add(loop.body[0], 1e-9 * volume);
      }
      add(loop.body[1], (ranks == 2 ? after : 1e-9 + after) * volume);
    }
  }
  Program program;
  program.statements.push_back({.step = &loop});
  for (Step& step : loop.body) {
    program.statements.front().body.push_back({.step = &step});
  }
  find_times(runs, program);
  const std::vector<Statement>& body = program.statements.front().body;
  REQUIRE(body[0].before);
  CHECK(body[0].before->expression == "1e-09*b1*b2");
  REQUIRE(body[1].before.has_value() == (after > 0.0));
  CHECK((after == 0.0 || body[1].before->expression == "3e-09*b1*b2"));
}

TEST_CASE("Times: of an inner loop, computation between iterations and after the last", "[times]") {
  // (exchange, computing) ten times, then a reduction at once, over and over.
  Runs runs = runs_alone();
  Step main;
  main.loop = true;
  main.body.resize(2);
  main.body[0].loop = true;
  main.body[0].body.resize(1);
  for (std::size_t run = 0; run < sizes.size(); ++run) {
    const double computing = 2e-9 * double(sizes[run][0] * sizes[run][1]);
    RankItems rank;
    rank.items = {{.kind = ItemKind::exchange}, {.kind = ItemKind::collective}};
    for (int step = 0; step < 40; ++step) {
      rank.sequence.push_back({.item = 0, .gap = step % 10 == 0 ? 1e-7 : computing});
      if (step % 10 == 9) {
        rank.sequence.push_back({.item = 1, .gap = computing});
      }
    }
    const std::vector<Node> nodes = fold(rank);
    REQUIRE(nodes.size() == 1);
    REQUIRE((nodes[0].count == 4 && nodes[0].body.size() == 2 && nodes[0].body[0].count == 10));
    const auto add = [run](Step& step, std::int64_t count, std::vector<Occurrence> occurrences) {
      step.instances.push_back(
          {.run = run, .rank = 0, .count = count, .occurrences = std::move(occurrences)});
    };
    const Node& inner = nodes[0].body[0];
    CHECK(inner.body[0].occurrences[10].gap == 1e-7);  // in the order of the program
    add(main, 4, {});
    add(main.body[0], 10, {});
    add(main.body[0].body[0], 0, inner.body[0].occurrences);
    add(main.body[1], 0, nodes[0].body[1].occurrences);
    runs.items[run].push_back(std::move(rank));
  }
  Program program;
  program.statements.push_back(
      {.step = &main,
       .body = {
           Statement{.step = main.body.data(), .body = {Statement{.step = &main.body[0].body[0]}}},
           Statement{.step = &main.body[1]}}});
  find_times(runs, program);
  const std::vector<Statement>& body = program.statements.front().body;
  CHECK_FALSE(body[0].before);
  REQUIRE(body[0].body[0].before);
  CHECK(body[0].body[0].before->expression == "2e-09*b1*b2");
  CHECK_FALSE(body[1].before);  // ten times in all
}

}  // namespace gridcast::infer::test
