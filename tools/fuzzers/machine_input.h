#pragma once
/// What every machine description must hold to, whatever its text: read or refused with an
/// InputError, and if read, consistent in itself. Shared by fuzz_machine and the tests.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "gridcast/base/error.h"
#include "gridcast/machine/cluster.h"
#include "mutation.h"

namespace gridcast::fuzz {

/// Pieces of both .par formats, and numbers at the limits.
inline constexpr auto machine_words = std::to_array<std::string_view>({"cluster = ",
                                                                       "search = ",
                                                                       "topology = {2, 2};",
                                                                       ".CommType = ",
                                                                       ".TStart = ",
                                                                       ".TByte = ",
                                                                       "ethernet",
                                                                       "transputer",
                                                                       "myrinet (4)",
                                                                       "myrinet(0)",
                                                                       "{",
                                                                       "}",
                                                                       "{4 x a, b}",
                                                                       "=",
                                                                       ";",
                                                                       ".",
                                                                       " x ",
                                                                       ",",
                                                                       "//",
                                                                       "\r\n",
                                                                       "type = network;",
                                                                       "start time = 75;",
                                                                       "send byte time = 0.2;",
                                                                       "power = 2;",
                                                                       "mvs",
                                                                       "node",
                                                                       "core",
                                                                       "0",
                                                                       "-1",
                                                                       "1e-3",
                                                                       "1e400",
                                                                       "2147483647",
                                                                       "2147483648",
                                                                       "99999999999999999999",
                                                                       "1.00;",
                                                                       "a = {2 x a};",
                                                                       "b = 1;"});

/// A damaged copy of one of `corpus` (not empty) with up to three words of the format put in.
inline std::string mutated_machine(std::span<const std::string> corpus, Dice& dice) {
  constexpr std::size_t most_words = 3;
  std::string text = mutated(corpus[dice.below(corpus.size())], dice);
  for (std::size_t words = dice.below(most_words + 1); words > 0; --words) {
    text.insert(dice.below(text.size() + 1), machine_words[dice.below(machine_words.size())]);
  }
  return text;
}

inline void require(bool condition, const char* what) {
  if (!condition) {
    throw std::logic_error(what);
  }
}

/// Checks one text. Returns whether it is a machine; throws std::logic_error if something about it
/// is inconsistent, and lets through every exception that is no InputError.
inline bool check_machine(std::string_view text) {
  constexpr std::int64_t most_expanded = 300;
  try {
    machine::Cluster cluster = machine::Cluster::parse(text, "fuzz.par");
    const machine::Cluster again = machine::Cluster::parse(cluster.text(), "again.par");
    require(again.text() == cluster.text(), "the canonical text is not stable");
    require(again.processors() == cluster.processors(), "the canonical text has other processors");
    require(again.tree_text() == cluster.tree_text(), "the canonical text has another tree");
    const std::int64_t count = std::min(cluster.processors(), most_expanded);
    const machine::ProcessorSystem system = cluster.expand(count);
    require(system.processors() == static_cast<std::size_t>(count), "wrong number of processors");
    for (std::size_t p = 1; p < system.processors(); ++p) {
      require(system.common_network(0, p) < system.networks.size(), "processors without a network");
    }
    // A setting that is refused must leave the cluster as it was.
    const std::string before = cluster.text();
    try {
      cluster.set(text.substr(0, 40));
    } catch (const InputError&) {
      require(cluster.text() == before, "a refused setting changed the cluster");
    }
    return true;
  } catch (const InputError& error) {
    require(!error.problem().empty() && !error.remedy().empty(), "an error without explanation");
    require(std::string_view(error.what()).find('\n') == std::string_view::npos,
            "an error of several lines");
    return false;
  }
}

}  // namespace gridcast::fuzz
