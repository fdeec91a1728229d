#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numbers>
#include <sstream>

#include "gridcast/base/error.h"
#include "gridcast/design/design.h"
#include "gridcast/design/factors.h"
#include "gridcast/design/plackett_burman.h"
#include "process.h"
#include "tables.h"

using namespace gridcast::design;
using gridcast::InputError;
using gridcast::design::Design;
using gridcast::design::DesignKind;
using gridcast::design::Factor;
using gridcast::design::RealRange;
using gridcast::design::test::data_file;
using gridcast::design::test::MadeTable;
using support::ScratchDirectory;

namespace {

Question ask(const std::string& response) {
  Question question;
  question.response = response;
  return question;
}

std::map<std::string, Effect> by_name(const Effects& effects) {
  std::map<std::string, Effect> result;
  for (const Effect& effect : effects.effects) {
    result[effect.factor] = effect;
  }
  return result;
}

/// Ishigami's function: a published test of such indices.
double ishigami(double x, double y, double z) {
  return std::sin(x) + 7.0 * std::sin(y) * std::sin(y) + 0.1 * std::pow(z, 4) * std::sin(x);
}

Design ishigami_design(std::int64_t bases, std::uint64_t seed = 0) {
  const RealRange range{-std::numbers::pi, std::numbers::pi, false, {}};
  return Design({Factor{"x", range}, Factor{"y", range}, Factor{"z", range}},
                {DesignKind::saltelli, bases, seed, false});
}

std::vector<double> ishigami_row(const Design& design, std::size_t run) {
  std::vector<double> row = design.run(static_cast<std::int64_t>(run));
  row.push_back(ishigami(row[0], row[1], row[2]));
  return row;
}

const std::vector<std::string> ishigami_columns{"x", "y", "z", "f"};

/// The exact values: Sudret 2008.
constexpr double exact_first[] = {0.3139, 0.4424, 0.0};
constexpr double exact_total[] = {0.5576, 0.4424, 0.2437};

}  // namespace

TEST_CASE("the cast fatigue experiment gives its published effects") {
  const auto table = open_table(data_file("cast_fatigue.csv"));
  const Factors factors = analyse_factors(*table, ask("lifetime"), FactorMethod::automatic, {});
  REQUIRE(factors.effects);
  auto effects = by_name(*factors.effects);
  const std::map<std::string, double> published{{"A", 0.3258},  {"B", 0.2938}, {"C", -0.2458},
                                                {"D", -0.5162}, {"E", 0.1498}, {"F", 0.9152},
                                                {"G", 0.1832}};
  double sum = 0.0;
  for (const auto& [name, effect] : published) {
    CHECK(effects.at(name).effect == Approx(effect).margin(5.1e-5));
    sum += std::abs(effect);
  }
  CHECK(factors.effects->balanced);
  CHECK(factors.effects->two_levels);
  // F and D are above the mean share of 1/7.
  CHECK(factors.effects->key_factors() == std::vector<std::string>{"F", "D"});
  CHECK(effects.at("F").influence == Approx(0.9152 / sum).epsilon(1e-3));
  CHECK(effects.at("D").cumulative == Approx((0.9152 + 0.5162) / sum).epsilon(1e-3));
  CHECK(effects.at("A").rank == 3);
  CHECK(effects.at("E").rank == 7);
  CHECK(effects.at("E").cumulative == Approx(1.0));
}

TEST_CASE("columns that number rows or are other responses are no factors") {
  const auto design = gridcast::design::plackett_burman(8);
  const MadeTable table({"run", "a", "b", "y", "z"}, 8, [&](std::size_t run) {
    const double a = design.at(run, 0);
    const double b = design.at(run, 1);
    return std::vector<double>{static_cast<double>(run + 1), a, b, 3.0 * a + b,
                               a - 2.0 * b + 0.1 * a * b};
  });
  const Factors factors = analyse_factors(table, ask("y"), FactorMethod::automatic, {});
  CHECK(factors.question.factors == std::vector<std::string>{"a", "b"});
  CHECK(factors.question.left_out == std::vector<std::string>{"run", "z"});
  CHECK(by_name(*factors.effects).at("a").effect == Approx(6.0));
  Question named = ask("y");
  named.factors = {"run"};
  CHECK(complete_question(table, named).factors == std::vector<std::string>{"run"});
}

TEST_CASE("a foldover keeps interactions of two factors out of main effects") {
  const auto plain = gridcast::design::plackett_burman(12);
  const auto folded = gridcast::design::foldover(plain);
  const auto effect_of_b = [](const gridcast::design::TwoLevelDesign& design) {
    const MadeTable table({"a", "b", "c", "d", "y"}, design.runs(), [&](std::size_t run) {
      std::vector<double> row;
      for (std::size_t i = 0; i < 4; ++i) {
        row.push_back(design.at(run, i));
      }
      row.push_back(10.0 + 3.0 * row[0] + 0.5 * row[1] + 2.0 * row[2] * row[3]);
      return row;
    });
    return by_name(main_effects(table, complete_question(table, ask("y"))));
  };
  CHECK(effect_of_b(folded).at("a").effect == Approx(6.0));
  CHECK(effect_of_b(folded).at("b").effect == Approx(1.0));
  CHECK(effect_of_b(plain).at("b").effect != Approx(1.0).margin(0.1));
}

TEST_CASE("effects of a design with missing runs are those of a fit") {
  // Two factors in three of four runs: y = 1 + 2a - 5b exactly.
  const MadeTable table({"a", "b", "y"}, 3, [](std::size_t run) {
    const double a = run == 0 ? -1.0 : 1.0;
    const double b = run == 1 ? 4.0 : 2.0;
    return std::vector<double>{a, b, 1.0 + 2.0 * a - 5.0 * b};
  });
  const Effects effects = main_effects(table, complete_question(table, ask("y")));
  CHECK_FALSE(effects.balanced);
  CHECK(by_name(effects).at("a").effect == Approx(4.0));
  CHECK(by_name(effects).at("b").effect == Approx(-10.0));
  CHECK(effects.determination == Approx(1.0));
}

TEST_CASE("cases are experiments of their own, ranks and influences are put together") {
  const auto design = gridcast::design::plackett_burman(8);
  const MadeTable table({"p1", "a", "b", "y"}, 24, [&](std::size_t row) {
    const double p = static_cast<double>(row / 8);
    const double a = design.at(row % 8, 0);
    const double b = design.at(row % 8, 1);
    // In the first case a matters more, in the others b.
    return std::vector<double>{p, a, b, (p == 0 ? 9.0 * a + b : a + 3.0 * b) * (p + 1.0)};
  });
  Question question = ask("y");
  question.cases = {"p1"};
  const Effects effects = main_effects(table, complete_question(table, question));
  REQUIRE(effects.cases.size() == 3);
  CHECK(effects.effects.front().factor == "b");
  CHECK(effects.effects.front().influence == Approx((0.1 + 0.75 + 0.75) / 3.0));
  CHECK(effects.effects.front().rank_sum == 4);
  CHECK(by_name(effects).at("a").rank_sum == 5);
  CHECK(by_name(effects).at("a").effect == Approx((18.0 + 4.0 + 6.0) / 3.0));
}

TEST_CASE("factors that cannot be told apart are refused") {
  const MadeTable table({"a", "b", "y"}, 4, [](std::size_t run) {
    const double a = run % 2 == 0 ? 0.0 : 1.0;
    return std::vector<double>{a, 2.0 * a, a};
  });
  CHECK_THROWS_AS(main_effects(table, complete_question(table, ask("y"))), InputError);
  CHECK_THROWS_AS(complete_question(table, ask("z")), InputError);
  CHECK_THROWS_AS(complete_question(table, {}), InputError);
}

TEST_CASE("the components of standardised USArrests have the published eigenvalues") {
  const auto table = open_table(data_file("usarrests.csv"));
  const Components components = principal_components(*table, table->columns());
  REQUIRE(components.eigenvalues.size() == 4);
  CHECK(components.observations == 50);
  const double published[] = {2.4802, 0.9898, 0.3566, 0.1734};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(components.eigenvalues[i] == Approx(published[i]).margin(5.1e-5));
  }
  // Loadings of the first component (James et al. 2013, table 10.1).
  CHECK(components.loadings[0][0] == Approx(0.5359).margin(5.1e-5));
  CHECK(components.loadings[0][2] == Approx(0.2782).margin(5.1e-5));
  CHECK(components.cumulative[1] == Approx(0.8675).margin(5.1e-5));
  CHECK(components.cumulative[3] == Approx(1.0));
}

TEST_CASE("the indices of Ishigami's function are within their bootstrap intervals") {
  const std::int64_t bases = GENERATE(1024, 8192);
  const Design design = ishigami_design(bases);
  const MadeTable table(ishigami_columns, static_cast<std::size_t>(design.runs()),
                        [&](std::size_t run) { return ishigami_row(design, run); });
  const Factors factors = analyse_factors(table, ask("f"), FactorMethod::automatic, {});
  REQUIRE(factors.indices.size() == 1);
  CHECK(factors.indices[0].bases == bases);
  CHECK(factors.indices[0].mean == Approx(3.5).epsilon(0.02));
  CHECK(factors.indices[0].variance == Approx(13.8446).epsilon(0.03));
  for (std::size_t i = 0; i < 3; ++i) {
    const SobolIndex& index = factors.indices[0].indices[i];
    CHECK(index.first.low <= exact_first[i] + 5e-5);
    CHECK(index.first.high >= exact_first[i] - 5e-5);
    CHECK(index.total.low <= exact_total[i] + 5e-5);
    CHECK(index.total.high >= exact_total[i] - 5e-5);
    CHECK(index.first.value == Approx(exact_first[i]).margin(bases > 2000 ? 0.01 : 0.05));
    CHECK(index.total.value == Approx(exact_total[i]).margin(bases > 2000 ? 0.01 : 0.05));
    CHECK(index.first.high - index.first.low < 8.0 / std::sqrt(static_cast<double>(bases)));
    CHECK(index.first.high - index.first.low > 0.3 / std::sqrt(static_cast<double>(bases)));
  }
}

TEST_CASE("bootstrap intervals hold the true value about as often as they say") {
  // A linear function of independent factors has S = ST = c² / sum of c²: here 0.2 and 0.8.
  const Factor x{"x", RealRange{0.0, 1.0, false, {}}};
  const Factor y{"y", RealRange{0.0, 1.0, false, {}}};
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Design random(
        {Factor{"a", x.range}, Factor{"b", y.range}, Factor{"c", x.range}, Factor{"d", y.range}},
        {DesignKind::random, 200, seed, false});
    SobolEstimator estimator(2, 400, seed);
    for (std::int64_t base = 0; base < 200; ++base) {
      const std::vector<double> p = random.run(base);
      const auto f = [](double u, double v) { return u + 2.0 * v; };
      const std::vector<double> results{f(p[0], p[1]), f(p[2], p[1]), f(p[0], p[3]), f(p[2], p[3])};
      estimator.add(base, results);
    }
    const Estimate total = estimator.indices()[0].total;
    held += total.low <= 0.2 && 0.2 <= total.high ? 1 : 0;
  }
  CHECK(held >= 85);
}

TEST_CASE("Saltelli designs of other tools are recognised by their values") {
  const Design design = ishigami_design(64, 3);
  constexpr std::size_t k = 3;
  const auto point = [&](std::size_t base, std::size_t mixture) {
    return ishigami_row(design, base * (k + 2) + mixture);
  };
  SECTION("matrix by matrix: A, B, mixtures") {
    const MadeTable table(ishigami_columns, 64 * (k + 2), [&](std::size_t row) {
      const std::size_t matrix = row / 64;
      return point(row % 64, matrix == 0 ? 0 : matrix == 1 ? k + 1 : matrix - 1);
    });
    const auto layout = saltelli_layout(table, complete_question(table, ask("f")));
    REQUIRE(layout);
    CHECK(layout->order == SaltelliLayout::Order::by_matrix);
    CHECK(layout->bases == 64);
  }
  SECTION("with second order: mixtures both ways") {
    const MadeTable table(ishigami_columns, 64 * (2 * k + 2), [&](std::size_t row) {
      const std::size_t base = row / (2 * k + 2);
      const std::size_t within = row % (2 * k + 2);
      if (within <= k) {
        return point(base, within);
      }
      std::vector<double> mixed = point(base, k + 1);
      if (within <= 2 * k) {
        mixed[within - k - 1] = point(base, 0)[within - k - 1];
        mixed[3] = ishigami(mixed[0], mixed[1], mixed[2]);
      }
      return mixed;
    });
    const auto layout = saltelli_layout(table, complete_question(table, ask("f")));
    REQUIRE(layout);
    CHECK(layout->both_ways);
    CHECK(layout->bases == 64);
    const auto indices = sobol_indices(table, complete_question(table, ask("f")), {});
    const MadeTable one_way(ishigami_columns, 64 * (k + 2),
                            [&](std::size_t row) { return ishigami_row(design, row); });
    const auto same = sobol_indices(one_way, complete_question(one_way, ask("f")), {});
    CHECK(indices[0].indices[0].total.value == same[0].indices[0].total.value);
    CHECK(indices[0].indices[2].first.low == same[0].indices[2].first.low);
  }
  SECTION("one changed value is noticed") {
    const std::size_t wrong = GENERATE(0U, 1U, 17U, 64U * 5U - 1U);
    const MadeTable table(ishigami_columns, 64 * (k + 2), [&](std::size_t row) {
      std::vector<double> values = ishigami_row(design, row);
      values[1] += row == wrong ? 1e-9 : 0.0;
      return values;
    });
    CHECK_FALSE(saltelli_layout(table, complete_question(table, ask("f"))));
  }
}

TEST_CASE("runs of a data set may come in any order, and missing ones drop their base point") {
  const Design design = ishigami_design(256);
  const auto rows = static_cast<std::size_t>(design.runs());
  const auto make = [&](std::size_t number, std::size_t missing) {
    return [&design, number, missing, rows](std::size_t row) {
      const std::size_t run = (row * number) % rows == missing ? rows : (row * number) % rows;
      std::vector<double> values =
          run == rows ? std::vector<double>(4, 0.0) : ishigami_row(design, run);
      values.push_back(static_cast<double>(run));
      return values;
    };
  };
  std::vector<std::string> columns = ishigami_columns;
  columns.push_back("variant");
  const auto indices = [&](std::size_t step, std::size_t missing) {
    MadeTable table(columns, rows, make(step, missing));
    Question question{"f", {"x", "y", "z"}, {}, "variant", "saltelli", {}};
    return sobol_indices(table, question, {});
  };
  const auto in_order = indices(1, rows);
  const auto shuffled = indices(7, rows);
  CHECK(in_order[0].bases == 256);
  CHECK(in_order[0].indices[1].total.value == shuffled[0].indices[1].total.value);
  CHECK(in_order[0].indices[1].first.high == shuffled[0].indices[1].first.high);
  const auto missing = indices(1, 42);
  CHECK(missing[0].bases == 255);
  CHECK(missing[0].dropped == 2);  // that of the missing run, and the one that took its place
}

TEST_CASE("a CSV file says what is wrong with it and where") {
  const auto message = [](const std::string& text) {
    const ScratchDirectory scratch;
    try {
      const auto table = open_table(scratch.file("wrong.csv", text));
      static_cast<void>(table->read(std::vector<std::size_t>{0}, [](std::span<const double>) {}));
      static_cast<void>(table->column("missing"));
    } catch (const InputError& error) {
      return std::to_string(error.line()) + ": " + error.problem();
    }
    return std::string("accepted");
  };
  CHECK(message("") != "accepted");
  CHECK(message("a,b\n").starts_with("1: has no runs"));
  CHECK(message("a,b\n1,2\n3\n").starts_with("3: has 1 cells"));
  CHECK(message("a,b\n1,2\n\n# c\nx,2\n").starts_with("5: 'x' in the column 'a'"));
  CHECK(message("a,b\n1,2\nnan,2\n").starts_with("3: 'nan'"));
  CHECK(message("a,a\n1,2\n").starts_with("1: the column 'a' is there twice"));
  CHECK(message("a\n\"1\n").starts_with("2: a quotation mark"));
  CHECK(message("a;b\n1;2\n").starts_with("0: there is no column 'missing'"));
}

TEST_CASE("pages and JSON of factors hold the figures") {
  const auto table = open_table(data_file("cast_fatigue.csv"));
  const Factors factors = analyse_factors(*table, ask("lifetime"), FactorMethod::effects, {});
  std::ostringstream json;
  write_factors_json(json, factors);
  CHECK(json.str().find("\"schema\": \"gridcast.factors/1\"") != std::string::npos);
  CHECK(json.str().find("\"key_factors\": [\"F\", \"D\"]") != std::string::npos);
  std::ostringstream html;
  write_factors_html(html, factors);
  CHECK(html.str().find("class=\"eb\"") != std::string::npos);
  CHECK(factors_text(factors).find("-0.51617") != std::string::npos);
}
