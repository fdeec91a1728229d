/// Processor systems, tasks, templates and arrays of a description.

#include <algorithm>
#include <numeric>
#include <string>

#include "generator.h"
#include "gridcast/trace/limits.h"

namespace gridcast::trace {
Extents Generator::grid_of(const Settings& top) {
  if (!top.has("grid")) {
    return {};
  }
  Extents grid = top.wholes("grid");
  check_grid(top, grid);
  return grid;
}

void Generator::declare(const Settings& top) {
  root_.extents = grid_of(top);
  if (root_.extents.empty()) {
    root_.extents = {1};
  }
  declare_systems(top);
  declare_tasks(top);
  for (const Settings& table : top.tables("template")) {
    declare_template(table);
  }
  for (const Settings& table : top.tables("array")) {
    declare_array(table);
  }
  declare_domains(top);
  declare_kernels(top);
}

Generator::System Generator::parent_system(const Settings& table) {
  if (table.has("of")) {
    const auto found = systems_.find(table.text("of"));
    if (found == systems_.end()) {
      table.fail("of", "no processors are called '" + table.text("of") + "'",
                 "expected a name declared before");
    }
    return found->second;
  }
  if (root_.reference == 0) {
    root_.reference = emit_.new_address();
    emit_.call("getps_", Lines().address("AMRef", 0), Lines().address("PSRef", root_.reference));
  }
  return root_;
}

Generator::System Generator::reshaped_system(const Settings& table, const System& parent) {
  System made{.reference = emit_.new_address(), .extents = table.wholes("shape")};
  std::int64_t room = most_processors;
  for (const std::int64_t extent : made.extents) {
    room = extent < 1 ? 0 : room / extent;
  }
  if (room < 1 || made.extents.size() > most_grid_dimensions) {
    table.fail("shape", "no shape of processors", "expected up to 4 numbers from 1");
  }
  emit_.call("psview_",
             Lines()
                 .address("PSRef", parent.reference)
                 .number("Rank", static_cast<std::int64_t>(made.extents.size()))
                 .number("StaticSign", 1)
                 .end_line()
                 .list("SizeArray", made.extents),
             Lines().address("PSRef", made.reference));
  return made;
}

Generator::System Generator::part_of_system(const Settings& table, const System& parent) {
  System made{.reference = emit_.new_address(), .extents = parent.extents};
  Extents first(parent.extents.size(), 0);
  Extents last(parent.extents.size(), 0);
  std::size_t given = 0;
  for (const std::string& text : table.texts("bounds")) {
    for (const auto& range : read_section(table, "bounds", "bounds[" + text + "]").ranges) {
      if (given == parent.extents.size()) {
        table.fail("bounds", "more dimensions than the processors have",
                   "expected at most " + std::to_string(parent.extents.size()) +
                       " (the grid says of which processors)");
      }
      const std::int64_t extent = parent.extents[given];
      const IndexRange bound =
          range.value_or(IndexRange{.name = {}, .first = 0, .last = extent - 1});
      if (bound.first < 0 || bound.last < bound.first || bound.last >= extent || bound.step != 1) {
        table.fail("bounds", "\"" + text + "\" is not a part of the processors",
                   "expected FIRST : LAST within 0 : " + std::to_string(extent - 1));
      }
      first[given] = bound.first;
      last[given] = bound.last;
      made.extents[given++] = bound.last - bound.first + 1;
    }
  }
  for (std::size_t i = given; i < parent.extents.size(); ++i) {
    last[i] = parent.extents[i] - 1;
  }
  emit_.call("crtps_",
             Lines()
                 .address("PSRef", parent.reference)
                 .number("StaticSign", 1)
                 .end_line()
                 .list("InitIndexArray", first)
                 .list("LastIndexArray", last),
             Lines().address("PSRef", made.reference));
  return made;
}

void Generator::declare_systems(const Settings& top) {
  for (const Settings& table : top.tables("processors")) {
    emit_.set_line(table.line());
    const std::string name = table.text("name");
    check_new(table, name);
    const System parent = parent_system(table);
    systems_[name] =
        table.has("shape") ? reshaped_system(table, parent) : part_of_system(table, parent);
    table.finish("name, of, shape or bounds");
  }
}

void Generator::declare_tasks(const Settings& top) {
  const std::vector<Settings> tables = top.tables("task");
  if (tables.empty()) {
    return;
  }
  emit_.set_line(tables.front().line());
  task_template_ = emit_.create_template({static_cast<std::int64_t>(tables.size())});
  for (const Settings& table : tables) {
    emit_.set_line(table.line());
    const std::string name = table.text("name");
    check_new(table, name);
    Task task{.number = static_cast<std::int64_t>(tasks_.size()), .machine = emit_.new_address()};
    emit_.call(
        "getamr_",
        Lines().address("AMViewRef", task_template_).end_line().list("IndexArray", {task.number}),
        Lines().address("AMRef", task.machine));
    emit_.call("mapam_", Lines().address("AMRef", task.machine).address("PSRef", system_of(table)));
    if (!table.has("processors")) {
      table.fail("processors", "missing", "expected the name of [[processors]]");
    }
    tasks_[name] = task;
    table.finish("name, processors");
  }
}

std::uint64_t Generator::system_of(const Settings& table) const {
  if (!table.has("processors")) {
    return 0;
  }
  const std::string name = table.text("processors");
  const auto found = systems_.find(name);
  if (found == systems_.end()) {
    table.fail("processors", "no processors are called '" + name + "'",
               "expected the name of [[processors]]");
  }
  return found->second.reference;
}

void Generator::check_new(const Settings& table, const std::string& name) const {
  if (!is_name(name)) {
    table.fail("name", "\"" + name + "\" is no name", "expected letters, digits and underlines");
  }
  if (systems_.contains(name) || templates_.contains(name) || arrays_.contains(name) ||
      tasks_.contains(name)) {
    table.fail("name", "'" + name + "' is declared twice", "expected a name of its own");
  }
}

std::vector<std::int64_t> Generator::distribution(const Settings& table, std::size_t rank) {
  const std::vector<std::string> formats = table.texts("distribute");
  if (formats.size() != rank) {
    table.fail(
        "distribute",
        std::to_string(formats.size()) + " formats for " + std::to_string(rank) + " dimensions",
        "expected \"block\" or \"*\" for each dimension");
  }
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < rank; ++i) {
    if (formats[i] == "block") {
      axes.push_back(static_cast<std::int64_t>(i + 1));
    } else if (formats[i] != "*") {
      table.fail("distribute", "\"" + formats[i] + "\" is no format",
                 "expected \"block\" or \"*\" for each dimension");
    }
  }
  grid_rank_ = std::max(grid_rank_, axes.size());
  if (axes.size() > most_grid_dimensions) {
    table.fail("distribute", std::to_string(axes.size()) + " dimensions in blocks",
               "expected at most " + std::to_string(most_grid_dimensions));
  }
  return axes;
}

Extents Generator::periodic(const Settings& table, std::size_t rank) {
  if (!table.has("periodic")) {
    return {};
  }
  std::vector<bool> flags = table.flags("periodic");
  if (flags.size() == 1) {
    flags.resize(rank, flags.front());
  }
  if (flags.size() != rank) {
    table.fail(
        "periodic",
        std::to_string(flags.size()) + " truth values for " + std::to_string(rank) + " dimensions",
        "expected true or false for each dimension");
  }
  return {flags.begin(), flags.end()};
}

void Generator::set_weights(const Settings& table, std::uint64_t target, std::uint64_t system) {
  const bool weighted = table.has("weights");
  const bool blocked = table.has("blocks");
  if (weighted && blocked) {
    table.fail("blocks", "there are weights already", "expected weights or blocks");
  }
  if (!weighted && !blocked) {
    return;
  }
  const auto lists = table.reals(weighted ? "weights" : "blocks");
  check_weights(table, weighted ? "weights" : "blocks", lists);
  Lines lines;
  lines.address("PSRef", system).address("AMViewRef", target).end_line();
  lines.number(weighted ? "AddrNumber" : "AxisCount", static_cast<std::int64_t>(lists.size()));
  lines.end_line();
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const std::string dimension = "[" + std::to_string(i) + "]";
    if (weighted) {
      lines.number("WeightNumber" + dimension, static_cast<std::int64_t>(lists[i].size()));
      lines.end_line();
    }
    lines.reals(weighted ? "LoadWeight" : "AxisWeightAddr" + dimension, lists[i]);
  }
  emit_.call(weighted ? "setelw_" : "genblk_", lines);
}

std::uint64_t Generator::distributed_template(const Settings& table, const Extents& extents) {
  const std::vector<std::int64_t> axes = distribution(table, extents.size());
  const std::uint64_t system = system_of(table);
  const std::uint64_t made = emit_.create_template(extents, periodic(table, extents.size()));
  set_weights(table, made, system);
  emit_.distribute(made, extents.size(), system, axes);
  return made;
}

void Generator::declare_template(const Settings& table) {
  emit_.set_line(table.line());
  const std::string name = table.text("name");
  check_new(table, name);
  const Extents extents = table.wholes("extents");
  check_extents(table, extents, 1);
  const std::uint64_t made = table.has("distribute")
                                 ? distributed_template(table, extents)
                                 : emit_.create_template(extents, periodic(table, extents.size()));
  templates_[name] = {.reference = made, .extents = extents};
  table.finish("name, extents, distribute, processors, weights, blocks, periodic");
}

void Generator::declare_array(const Settings& table) {
  emit_.set_line(table.line());
  const std::string name = table.text("name");
  check_new(table, name);
  const Extents extents = table.wholes("extents");
  const std::int64_t element_size = table.whole("element", 8);
  if (element_size < 1 || element_size > largest_coefficient) {
    table.fail("element", "no size of an element", "expected bytes from 1 to a million");
  }
  check_extents(table, extents, element_size);
  const Extents shadow = widths(table, "shadow", extents.size(), 0);
  const Extents low =
      table.has("shadow_low") ? widths(table, "shadow_low", extents.size(), 0) : shadow;
  const Extents high =
      table.has("shadow_high") ? widths(table, "shadow_high", extents.size(), 0) : shadow;
  check_shadow(table, extents, low, high);
  Array made{.name = {}, .extents = extents, .element_size = element_size, .over = {}};
  made.over.scale.assign(extents.size(), 0);
  made.over.offset.assign(extents.size(), 0);
  if (table.has("distribute")) {
    // As compilers do it: a template of the array's shape, and the array over it.
    const std::uint64_t target = distributed_template(table, extents);
    made.name = emit_.create_array(extents, element_size, low, high);
    MappingText identity;
    identity.axes.resize(extents.size());
    std::iota(identity.axes.begin(), identity.axes.end(), 1);
    identity.coefficients.assign(extents.size(), 1);
    identity.constants.assign(extents.size(), 0);
    emit_.align(made.name, {.is_array = false, .reference = target, .header = 0}, identity);
    made.over.target_rank = extents.size();
    made.over.scale.assign(extents.size(), 1);
  } else {
    made.name = emit_.create_array(extents, element_size, low, high);
    if (table.has("align")) {
      const MappingText mapping = mapping_of_array(table, extents.size());
      const Pattern over = pattern(table, "align", mapping);
      made.over = compose(table, "align", mapping, over.over, extents.size());
      emit_.align(made.name, over.name, mapping);
    }
  }
  arrays_[name] = made;
  table.finish(
      "name, extents, element, shadow, shadow_low, shadow_high, distribute with processors, "
      "weights, blocks, periodic, or index and align");
}

MappingText Generator::mapping_of_array(const Settings& where, std::size_t rank) const {
  const std::vector<std::string> indices = where.texts("index");
  if (indices.size() != rank) {
    where.fail("index", "not one name per dimension of the array",
               "expected " + std::to_string(rank) + " names");
  }
  for (const std::string& index : indices) {
    if (!is_name(index) || names_.contains(index)) {
      where.fail("index", "'" + index + "' is no name or taken", "expected names of their own");
    }
  }
  return read_mapping(where, "align", where.text("align"), indices);
}

const Generator::Array& Generator::array(const Settings& where, std::string_view key,
                                         const std::string& name) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) {
    where.fail(key, "no array is called '" + name + "'", "expected the name of an [[array]]");
  }
  return found->second;
}

Generator::Pattern Generator::pattern(const Settings& where, std::string_view key,
                                      const MappingText& mapping) const {
  Pattern named;
  if (const auto found = arrays_.find(mapping.object); found != arrays_.end()) {
    const Array& over = found->second;
    named = {{.is_array = true, .reference = over.name.handle, .header = over.name.header},
             over.extents,
             over.over};
  } else if (const auto target = templates_.find(mapping.object); target != templates_.end()) {
    const std::size_t rank = target->second.extents.size();
    named = {{.is_array = false, .reference = target->second.reference, .header = 0},
             target->second.extents,
             {.target_rank = rank, .scale = Extents(rank, 1), .offset = Extents(rank, 0)}};
  } else {
    where.fail(key, "no array or template is called '" + mapping.object + "'",
               "expected the name of an [[array]] or [[template]] declared before");
  }
  const std::size_t rank = named.over.scale.size();
  if (rank != mapping.axes.size()) {
    where.fail(key,
               mapping.object + " has " + std::to_string(rank) + " dimensions, not " +
                   std::to_string(mapping.axes.size()),
               "expected an entry for each dimension");
  }
  return named;
}

Extents Generator::widths(const Settings& where, std::string_view key, std::size_t rank,
                          std::int64_t otherwise) const {
  if (!where.has(key)) {
    return Extents(rank, otherwise);
  }
  Extents given = where.wholes(key);
  if (given.size() == 1) {
    given.resize(rank, given.front());
  }
  if (given.size() != rank ||
      std::any_of(given.begin(), given.end(), [](std::int64_t width) { return width < 0; })) {
    where.fail(key, "not a width from 0 for each of " + std::to_string(rank) + " dimensions",
               "expected one number, or a list");
  }
  return given;
}

}  // namespace gridcast::trace
