/// Processor systems, tasks, templates and arrays of a description.

#include <algorithm>
#include <string>

#include "generator.h"

namespace gridcast::trace {
namespace {

/// LoadWeight and AxisWeightAddr lists of setelw_ and genblk_.
std::string number_text(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text + "0" : text;
}

void check_extents(const Settings& table, const Extents& extents) {
  if (std::any_of(extents.begin(), extents.end(), [](std::int64_t n) { return n < 1; })) {
    table.fail("extents", "an extent is smaller than 1", "expected numbers of elements from 1");
  }
}

}  // namespace

void Generator::declare(const Settings& top) {
  declare_systems(top);
  declare_tasks(top);
  for (const Settings& table : top.tables("template")) {
    declare_template(table);
  }
  for (const Settings& table : top.tables("array")) {
    declare_array(table);
  }
}

std::uint64_t Generator::root_system() {
  if (root_ == 0) {
    root_ = emit_.new_address();
    emit_.call("getps_", Lines().address("AMRef", 0), Lines().address("PSRef", root_));
  }
  return root_;
}

void Generator::declare_systems(const Settings& top) {
  for (const Settings& table : top.tables("processors")) {
    emit_.set_line(table.line());
    const std::string name = table.text("name");
    check_new(table, name);
    std::uint64_t parent = root_system();
    if (table.has("of")) {
      const auto found = systems_.find(table.text("of"));
      if (found == systems_.end()) {
        table.fail("of", "no processors are called '" + table.text("of") + "'",
                   "expected a name declared before");
      }
      parent = found->second.reference;
    }
    const std::uint64_t made = emit_.new_address();
    if (table.has("shape")) {
      const Extents shape = table.wholes("shape");
      if (std::any_of(shape.begin(), shape.end(), [](std::int64_t n) { return n < 1; })) {
        table.fail("shape", "an extent is smaller than 1", "expected numbers from 1");
      }
      emit_.call("psview_",
                 Lines()
                     .address("PSRef", parent)
                     .number("Rank", static_cast<std::int64_t>(shape.size()))
                     .number("StaticSign", 1)
                     .end_line()
                     .list("SizeArray", shape),
                 Lines().address("PSRef", made));
      systems_[name] = {.reference = made, .rank = shape.size()};
      table.finish("name, of, shape or bounds");
      continue;
    }
    const std::vector<std::string> bounds = table.texts("bounds");
    SectionText section;
    for (const std::string& text : bounds) {
      const SectionText one = read_section(table, "bounds", "bounds[" + text + "]");
      section.first.insert(section.first.end(), one.first.begin(), one.first.end());
      section.last.insert(section.last.end(), one.last.begin(), one.last.end());
    }
    emit_.call("crtps_",
               Lines()
                   .address("PSRef", parent)
                   .number("StaticSign", 1)
                   .end_line()
                   .list("InitIndexArray", section.first)
                   .list("LastIndexArray", section.last),
               Lines().address("PSRef", made));
    systems_[name] = {.reference = made, .rank = section.first.size()};
    table.finish("name, of, bounds or shape");
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

std::vector<std::int64_t> Generator::distribution(const Settings& table, std::size_t rank) const {
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
  return axes;
}

void Generator::set_weights(const Settings& table, std::uint64_t target, std::uint64_t system) {
  if (table.has("weights")) {
    Lines lines;
    const auto weights = table.reals("weights");
    lines.address("PSRef", system).address("AMViewRef", target).end_line();
    lines.number("AddrNumber", static_cast<std::int64_t>(weights.size())).end_line();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      lines.number("WeightNumber[" + std::to_string(i) + "]",
                   static_cast<std::int64_t>(weights[i].size()));
      lines.end_line();
      for (std::size_t k = 0; k < weights[i].size(); ++k) {
        lines.text("LoadWeight[" + std::to_string(k) + "] = " + number_text(weights[i][k]) + ";");
      }
      lines.end_line();
    }
    emit_.call("setelw_", lines);
  }
  if (table.has("blocks")) {
    Lines lines;
    const auto blocks = table.reals("blocks");
    lines.address("PSRef", system).address("AMViewRef", target);
    lines.number("AxisCount", static_cast<std::int64_t>(blocks.size())).end_line();
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      for (std::size_t k = 0; k < blocks[i].size(); ++k) {
        lines.text("AxisWeightAddr[" + std::to_string(i) + "][" + std::to_string(k) +
                   "] = " + number_text(blocks[i][k]));
      }
      lines.end_line();
    }
    emit_.call("genblk_", lines);
  }
}

std::uint64_t Generator::distributed_template(const Settings& table, const Extents& extents) {
  const std::vector<std::int64_t> axes = distribution(table, extents.size());
  const std::uint64_t system = system_of(table);
  const std::uint64_t made = emit_.create_template(extents);
  set_weights(table, made, system);
  emit_.distribute(made, extents.size(), system, axes);
  return made;
}

void Generator::declare_template(const Settings& table) {
  emit_.set_line(table.line());
  const std::string name = table.text("name");
  check_new(table, name);
  const Extents extents = table.wholes("extents");
  check_extents(table, extents);
  const std::uint64_t made = table.has("distribute") ? distributed_template(table, extents)
                                                     : emit_.create_template(extents);
  templates_[name] = {.reference = made, .rank = extents.size()};
  table.finish("name, extents, distribute, processors, weights, blocks");
}

void Generator::declare_array(const Settings& table) {
  emit_.set_line(table.line());
  const std::string name = table.text("name");
  check_new(table, name);
  const Extents extents = table.wholes("extents");
  check_extents(table, extents);
  const std::int64_t element_size = table.whole("element", 8);
  if (element_size < 1) {
    table.fail("element", "smaller than 1", "expected the bytes of an element");
  }
  const Extents shadow = widths(table, "shadow", extents.size(), 0);
  const Extents low =
      table.has("shadow_low") ? widths(table, "shadow_low", extents.size(), 0) : shadow;
  const Extents high =
      table.has("shadow_high") ? widths(table, "shadow_high", extents.size(), 0) : shadow;
  if (table.has("distribute")) {
    // As compilers do it: a template of the array's shape, and the array over it.
    const std::uint64_t target = distributed_template(table, extents);
    const Array made{.name = emit_.create_array(extents, element_size, low, high),
                     .rank = extents.size()};
    MappingText identity;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      identity.axes.push_back(static_cast<std::int64_t>(i + 1));
    }
    identity.coefficients.assign(extents.size(), 1);
    identity.constants.assign(extents.size(), 0);
    emit_.align(made.name, {.is_array = false, .reference = target, .header = 0}, identity);
    arrays_[name] = made;
  } else {
    const Array made{.name = emit_.create_array(extents, element_size, low, high),
                     .rank = extents.size()};
    if (table.has("align")) {
      const MappingText mapping = mapping_of_array(table, extents.size());
      emit_.align(made.name, pattern(table, "align", mapping), mapping);
    }
    arrays_[name] = made;
  }
  table.finish(
      "name, extents, element, shadow, shadow_low, shadow_high, distribute with processors, "
      "weights, blocks, or index and align");
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

PatternName Generator::pattern(const Settings& where, std::string_view key,
                               const MappingText& mapping) const {
  PatternName named;
  std::size_t rank = 0;
  if (const auto found = arrays_.find(mapping.object); found != arrays_.end()) {
    named = {.is_array = true,
             .reference = found->second.name.handle,
             .header = found->second.name.header};
    rank = found->second.rank;
  } else if (const auto target = templates_.find(mapping.object); target != templates_.end()) {
    named = {.is_array = false, .reference = target->second.reference, .header = 0};
    rank = target->second.rank;
  } else {
    where.fail(key, "no array or template is called '" + mapping.object + "'",
               "expected the name of an [[array]] or [[template]] declared before");
  }
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
