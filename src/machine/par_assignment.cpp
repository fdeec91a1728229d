// Assignments to a description that has already been read (--set).
#include <algorithm>
#include <utility>

#include "cluster_build.h"
#include "gridcast/base/error.h"
#include "par_description.h"
#include "par_tokens.h"

namespace gridcast::machine::par {
namespace {

const std::string no_file;

Definition& known(Description& description, const std::string& name) {
  if (Definition* definition = description.find(name)) {
    return *definition;
  }
  constexpr std::size_t most_names = 8;
  std::string names;
  for (std::size_t i = 0; i < description.definitions.size() && i < most_names; ++i) {
    names += (i == 0 ? "" : ", ") + description.definitions[i].name;
  }
  throw InputError(
      "unknown name " + in_quotes(name),
      "expected one of " + names + (description.definitions.size() > most_names ? ", ..." : ""));
}

void set_comm(const Description& description, Definition& definition, Comm comm) {
  // A cluster that stops copying keeps the costs it had copied.
  if (definition.comm && !definition.comm->copied_from.empty()) {
    const Link before = link_of(description, definition, no_file);
    definition.costs = before.costs;
    definition.segments = before.segments;
  }
  const bool own = comm.copied_from.empty();
  const bool ports = comm.type == NetworkType::ports;
  definition.comm = std::move(comm);
  if (own && !ports) {
    // What only a network of ports has goes with the ports.
    for (const Cost cost : {Cost::send, Cost::receive, Cost::gap}) {
      definition.costs[static_cast<std::size_t>(cost)].reset();
    }
    definition.ports_name.clear();
  }
}

void set_channels(const Description& description, Definition& definition,
                  const Statement& assignment) {
  const Link link = link_of(description, definition, no_file);
  const auto* number = std::get_if<Number>(&assignment.value);
  if (link.type != NetworkType::myrinet || number == nullptr) {
    throw InputError("only a myrinet has a number of channels",
                     "expected NAME.Channels=N for a myrinet or NAME.CommType=myrinet(N)");
  }
  const std::int64_t channels = count(*number, 0, "number of channels", no_file);
  set_comm(description, definition,
           {NetworkType::myrinet, static_cast<std::int32_t>(channels), {}});
}

void set_count(Definition& definition, const Statement& assignment) {
  const auto* number = std::get_if<Number>(&assignment.value);
  if (definition.parts.size() != 1 || number == nullptr) {
    throw InputError("only the count of a cluster with one kind of parts can be set",
                     "expected NAME.Count=N of a cluster like NAME = {4 x node}");
  }
  definition.parts.front().count = count(*number, 0, "count", no_file);
}

/// NAME.Segments={...}, or one cost of one segment: NAME.Segments.4096.TStart=N.
void set_segments(const Description& description, Definition& definition,
                  const Statement& assignment) {
  constexpr std::string_view all = "segments";
  if (assignment.attribute.size() == all.size()) {
    definition.segments = segments(assignment, no_file);
    definition.costs[static_cast<std::size_t>(Cost::start)].reset();
    definition.costs[static_cast<std::size_t>(Cost::byte)].reset();
    return;
  }
  const std::string rest = assignment.attribute.substr(all.size() + 1);
  const std::size_t point = std::min(rest.find('.'), rest.size());
  std::vector<Segment> changed = link_of(description, definition, no_file).segments;
  const auto found = std::ranges::find_if(changed, [&](const Segment& each) {
    return std::to_string(each.bytes) == rest.substr(0, point);
  });
  const CostName name = cost_named(rest.substr(std::min(point + 1, rest.size())));
  const bool start = name.costs == std::vector{Cost::start};
  if (found == changed.end() || (!start && name.costs != std::vector{Cost::byte})) {
    throw InputError(in_quotes(definition.name) + " has no " + in_quotes(assignment.attribute),
                     changed.empty()
                         ? "expected the name of a cluster with Segments"
                         : "expected NAME.Segments.BYTES.TStart=N or TByte=N of one of " +
                               segments_text(changed));
  }
  (start ? found->start_time : found->byte_time) = microseconds(assignment, no_file);
  definition.segments = std::move(changed);
}

void set_attribute(Description& description, Definition& definition, const Statement& assignment) {
  if (set_mark(definition, assignment, no_file)) {
    return;
  }
  if (definition.is_processor() && lowered(assignment.attribute) == "threads") {
    definition.threads = threads(assignment, no_file);
    return;
  }
  if (definition.is_processor()) {
    throw InputError(in_quotes(definition.name) + " is a processor and has no " +
                         in_quotes(assignment.attribute),
                     "expected NAME=PERFORMANCE, NAME.Price=N or NAME.Threads={1 (1), 2 (0.97)}");
  }
  const std::string attribute = lowered(assignment.attribute);
  if (attribute == "commtype") {
    set_comm(description, definition, comm(assignment, no_file));
  } else if (const std::size_t number = library_cost_named(assignment.attribute);
             number < library_cost_count) {
    definition.library[number] = microseconds(assignment, no_file);
    definition.library_line = assignment.line;
  } else if (const CostName name = cost_named(assignment.attribute); !name.costs.empty()) {
    set_costs(definition, name, assignment, no_file);
  } else if (attribute == "allreduce") {
    definition.allreduce = allreduce(assignment, no_file);
    definition.library_line = assignment.line;
  } else if (attribute == "segments" || attribute.starts_with("segments.")) {
    set_segments(description, definition, assignment);
  } else if (attribute == "channels") {
    set_channels(description, definition, assignment);
  } else if (attribute == "count") {
    set_count(definition, assignment);
  } else {
    throw InputError(
        "unknown attribute " + in_quotes(assignment.attribute),
        "expected CommType, TStart, TByte, Segments, EagerLimit, DetachLimit, Price, IsNode, "
        "Channels or Count; of a network of ports TSend, TRecv or TGap (LogGP: L, o, o_s, o_r, g, "
        "G); of the top cluster "
        "TCollective, TLoad, TPortion, TCopy, TArray or Allreduce");
  }
}

}  // namespace

void apply(Description& description, const Statement& assignment) {
  const std::string key = lowered(assignment.key);
  if (!assignment.attribute.empty()) {
    set_attribute(description, known(description, assignment.key), assignment);
  } else if (key == "search") {
    description.search_mode = search_mode(assignment, no_file);
  } else if (key == "cluster") {
    const auto* word = std::get_if<Word>(&assignment.value);
    Definition& top = known(description, word == nullptr ? "" : word->text);
    // The same library runs on the part as on the whole.
    if (Definition* before = description.find(description.top);
        before != nullptr && before != &top && !top.is_processor()) {
      std::swap(top.library, before->library);
      std::swap(top.allreduce, before->allreduce);
      std::swap(top.library_line, before->library_line);
    }
    description.top = top.name;
  } else {
    Definition& definition = known(description, assignment.key);
    if (!definition.is_processor()) {
      throw InputError(in_quotes(definition.name) + " is a cluster and has no performance",
                       "expected NAME.ATTRIBUTE=VALUE");
    }
    definition.performance = performance(assignment, no_file);
  }
}

}  // namespace gridcast::machine::par
