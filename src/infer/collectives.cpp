#include "gridcast/infer/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "gridcast/base/error.h"

namespace gridcast::infer {
namespace {

const Item& first_item(const Runs& runs, const Instance& instance) {
  return runs.item(instance.run, instance.rank, instance.occurrences.front());
}

/// The dimensions in which the coordinates of a group differ.
std::set<std::size_t> spanned(const Coordinates& at, const std::vector<std::int32_t>& group) {
  std::set<std::size_t> found;
  for (const std::int32_t member : group) {
    for (std::size_t d = 0; member >= 0 && d < at.grid().size(); ++d) {
      if (at.of(member)[d] != at.of(group.front())[d]) {
        found.insert(d);
      }
    }
  }
  return found;
}

[[noreturn]] void refuse_group(const Runs& runs, const Step& step, const std::string& problem) {
  throw InputError(places_text(runs, step), 0, problem,
                   "descriptions have collectives over all processes that differ in some "
                   "dimensions of the grid, with one root");
}

/// The law of samples whose first variables are preferred; false if there is none.
bool take_law(Collective& collective, const Samples& samples) {
  const std::optional<Law> law = find_law(samples);
  if (law) {
    collective.bytes = law->text;
  }
  return law.has_value();
}

std::vector<std::string> numbered_names(char letter, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t d = 1; d <= count; ++d) {
    names.push_back(fmt::format("{}{}", letter, d));
  }
  return names;
}

/// A block that a transposition makes: of an extent over a dimension of the grid, at this process's
/// coordinate or at its partner's.
struct Cut {
  std::size_t extent = 0;
  std::size_t dimension = 0;
  bool partner = false;

  [[nodiscard]] std::string name() const {
    return fmt::format("block(n{}, p{}, {}{})", extent + 1, dimension + 1, partner ? 't' : 'q',
                       dimension + 1);
  }
};

/// The cuts beside that of the own block.
std::vector<Cut> other_cuts(std::size_t extents, std::size_t dimensions,
                            const std::vector<std::size_t>& partners) {
  std::vector<Cut> cuts;
  for (std::size_t c = 0; c < dimensions; ++c) {
    const bool partner = std::find(partners.begin(), partners.end(), c) != partners.end();
    for (std::size_t k = 0; k < extents; ++k) {
      if (partner) {
        cuts.push_back({k, c, true});
      }
      if (k != c) {
        cuts.push_back({k, c, false});
      }
    }
  }
  return cuts;
}

/// All processes of all groups take part, and move as much in all iterations.
void require_regular(const Runs& runs, const Step& step, const std::set<std::size_t>& across) {
  for (std::size_t run = 0; run < runs.items.size(); ++run) {
    const std::vector<std::int32_t>& grid = runs.coordinates[run].grid();
    const bool together =
        std::any_of(across.begin(), across.end(), [&](std::size_t d) { return grid[d] > 1; });
    for (std::size_t rank = 0; rank < runs.items[run].size(); ++rank) {
      const Instance* instance = step.of(run, rank);
      if (instance == nullptr) {
        if (together) {
          refuse_group(
              runs, step,
              fmt::format("in {} rank {} takes no part where others do", runs.name(run), rank));
        }
        continue;
      }
      const Item& first = first_item(runs, *instance);
      for (const Occurrence& each : instance->occurrences) {
        const Item& item = runs.item(run, rank, each);
        if (item.bytes != first.bytes || item.shares != first.shares) {
          refuse_group(runs, step,
                       fmt::format("in {} rank {} moves other amounts in other iterations",
                                   runs.name(run), rank));
        }
      }
    }
  }
}

}  // namespace

Collective collective_of(const Runs& runs, const Step& step) {
  const std::size_t dimensions = runs.coordinates.front().grid().size();
  std::set<std::size_t> across;
  std::set<std::size_t> whole;  // dimensions of one process in all runs are told apart by none
  for (std::size_t d = 0; d < dimensions; ++d) {
    whole.insert(d);
  }
  for (const Instance& instance : step.instances) {
    across.merge(spanned(runs.coordinates[instance.run], first_item(runs, instance).group));
    for (std::size_t d = 0; d < dimensions; ++d) {
      if (runs.coordinates[instance.run].grid()[d] > 1) {
        whole.erase(d);
      }
    }
  }
  Collective result;
  bool rooted = false;
  for (const Instance& instance : step.instances) {
    const Coordinates& at = runs.coordinates[instance.run];
    const Item& item = first_item(runs, instance);
    std::size_t expected = 1;
    for (const std::size_t d : across) {
      expected *= static_cast<std::size_t>(at.grid()[d]);
    }
    if (item.group.size() != expected) {
      refuse_group(runs, step,
                   fmt::format("in {} {} processes take part, no line or plane of the grid",
                               runs.name(instance.run), item.group.size()));
    }
    if (item.root >= 0) {
      std::vector<std::int32_t> root;
      root.reserve(across.size());
      for (const std::size_t d : across) {
        root.push_back(at.of(item.root)[d]);
      }
      if (rooted && root != result.root) {
        refuse_group(runs, step, "the root is not the same in all runs and processes");
      }
      result.root = root;
      rooted = true;
    }
  }
  require_regular(runs, step, across);
  whole.merge(std::set<std::size_t>(across));
  if (whole.size() < dimensions) {
    result.across.assign(across.begin(), across.end());
    result.alone = across.empty();
  }
  if (std::all_of(result.root.begin(), result.root.end(), [](auto at) { return at == 0; })) {
    result.root.clear();
  }
  return result;
}

bool find_bytes(Collective& collective, const Runs& runs, const Step& step, const Blocks& blocks) {
  const std::size_t extents = runs.extents.front().size();
  std::vector<std::size_t> all(runs.coordinates.front().grid().size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::size_t> partners;
  if (step.operation == "alltoallv") {
    partners = collective.across.empty() ? all : collective.across;
  }
  const std::vector<Cut> cuts = other_cuts(extents, all.size(), partners);
  Samples by_block{.names = numbered_names('b', extents), .variables = {}, .bytes = {}};
  for (const Cut& cut : cuts) {
    by_block.names.push_back(cut.name());
  }
  Samples by_extent{.names = numbered_names('n', extents), .variables = {}, .bytes = {}};
  const auto add = [&](const Instance& instance, std::int32_t partner, std::int64_t bytes) {
    const Coordinates& at = runs.coordinates[instance.run];
    std::vector<std::int64_t> values = blocks.of(instance.run, instance.rank);
    for (const Cut& cut : cuts) {
      const auto who = cut.partner ? partner : static_cast<std::int32_t>(instance.rank);
      values.push_back(
          blocks.length(instance.run, cut.extent, cut.dimension, at.of(who)[cut.dimension]));
    }
    by_block.variables.push_back(std::move(values));
    by_extent.variables.push_back(runs.extents[instance.run]);
    by_block.bytes.push_back(static_cast<double>(bytes));
    by_extent.bytes.push_back(static_cast<double>(bytes));
  };
  for (const Instance& instance : step.instances) {
    const Item& item = first_item(runs, instance);
    const auto rank = static_cast<std::int32_t>(instance.rank);
    for (std::size_t i = 0; i < item.shares.size(); ++i) {
      add(instance, item.group[i], item.shares[i]);
    }
    // What the root gives to itself in place counts as nothing.
    if (item.shares.empty() && !(item.bytes == 0 && item.root == rank)) {
      add(instance, rank, item.bytes);
    }
  }
  return by_block.bytes.empty() || take_law(collective, by_block) ||
         take_law(collective, by_extent);
}

}  // namespace gridcast::infer
