// Bounds of boxes for random programs whose arrays leave processors without elements, are
// replicated over such templates, move and are read from afar.

#include "boxes.h"

namespace gridcast::model::test {
namespace {

double some_seconds(Random& random) { return 1e-6 * static_cast<double>(random() % 2000); }

}  // namespace

void random_program(Random& random, Elements& elements, Run& run) {
  random_arrays(random, elements);
  const auto target = std::get<trace::CreateTemplate>(run.program().calls.front()).extents;
  run(trace::CreateShadowGroup{0});
  for (const Slot array : {0U, 1U}) {
    const std::size_t rank = elements.extents(array).size();
    run(trace::InsertShadow{0, array, Index(rank, 1), Index(rank, 1), 1 + up_to(random, 1)});
  }
  run(trace::CreateReductionGroup{0})(trace::CreateReduction{0, 8, 1, 0});
  run(trace::InsertReduction{0, 0});
  const auto whole = [&](Slot array) {
    return trace::Section{array, Index(elements.extents(array).size(), -1), {}, {}};
  };
  for (int step = 0; step < 12; ++step) {
    const double time = some_seconds(random);
    const Slot pattern = static_cast<Slot>(random() % 2);
    switch (random() % 7) {
      case 0: {
        const Index box = random_extents(random, 1 + random() % 2, 6);
        const trace::AlignmentRule rule =
            random_rule(random, trace::PatternKind::array, pattern, elements.extents(pattern), box);
        Index last = box;
        for (std::int64_t& index : last) {
          --index;
        }
        run(trace::CreateLoop{0, static_cast<std::int64_t>(box.size())});
        run(trace::MapLoop{0, rule, Index(box.size(), 0), last, Index(box.size(), 1)});
        run(trace::RunLoop{0, false, {}}, time)(trace::EndLoop{0});
        break;
      }
      case 1:
        run(trace::StartShadow{0}, time, time)(trace::Ordinary{}, time)(trace::WaitShadow{0});
        break;
      case 2:
        run(trace::StartReduction{0}, time)(trace::WaitReduction{0});
        break;
      case 3:
        run(trace::CopyArrays{whole(pattern), {}, trace::no_object}, 0.0, time);
        break;
      case 4:
        run(trace::CreatePointBuffer{0, pattern, trace::no_object, {0}});
        run(trace::LoadBuffer{0}, 0.0, time)(trace::WaitBuffer{0}, time);
        break;
      case 5:
        run(
            trace::Realign{
                0, random_rule(random, trace::PatternKind::target, 0, target, elements.extents(0)),
                false},
            0.0, time);
        break;
      default:
        run(trace::Redistribute{0, trace::no_object, trace::no_object,
                                random_axes(random, target.size(), elements.grid()),
                                random() % 4 == 0},
            0.0, time);
    }
  }
}

TEST_CASE("bounds of boxes: random programs with processors that stay empty") {
  Random random(31);
  const std::vector<machine::Cluster> machines = bounded_kinds({free_of_charge()});
  const double closeness = mean_closeness(400, [&](int round) {
    Run run;
    Elements elements(run, random_grid(random));
    random_program(random, elements, run);
    const Compiled compiled = compile(run.program());
    return look_at_machines(compiled, machines, options_of_round(round), elements.grid().rank(), 60,
                            3, random);
  });
  CHECK(closeness > 0.5);  // it bounds something
}

TEST_CASE("bounds of boxes hold for the best placement of each grid") {
  Random random(37);
  const std::vector<machine::Cluster> machines{two_level(), three_level(), heterogeneous(),
                                               port_nodes()};
  ModelOptions options;
  options.placement = machine::Placement::parse("search");
  const double closeness = mean_closeness(120, [&](int) {
    Run run;
    Elements elements(run, random_grid(random));
    random_program(random, elements, run);
    const Compiled compiled = compile(run.program());
    return look_at_machines(compiled, machines, options, elements.grid().rank(), 40, 1, random);
  });
  CHECK(closeness > 0.4);
}

}  // namespace gridcast::model::test
