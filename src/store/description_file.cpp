#include "description_file.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "description_fields.h"
#include "gridcast/base/error.h"

namespace gridcast::store {
namespace {

/// Stands for "no expression"; readers see it by the attribute _FillValue.
constexpr std::int64_t no_value = std::numeric_limits<std::int64_t>::min();

constexpr std::array<const char*, 4> type_names{"main", "user", "seq", "par"};

hdf5::Layout one_dimension(std::size_t size) {
  return {{size}, {std::max<hsize_t>(size, 1)}, {true}};
}

trace::IntervalType type_named(const std::string& name) {
  // One that is not known is the one after the last, which validation.h refuses.
  return static_cast<trace::IntervalType>(std::find(type_names.begin(), type_names.end(), name) -
                                          type_names.begin());
}

/// A number of the tree as the program has it.
std::int32_t narrowed(const hdf5::Location& group, std::int64_t value) {
  if (value < -1 || value >= std::numeric_limits<std::int32_t>::max()) {
    throw RunError(*group.file(), "has an impossible number in its tree of intervals",
                   "restore it from a copy");
  }
  return static_cast<std::int32_t>(value);
}

/// File names of a source in one string of a column.
std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text.append(text.empty() ? "" : "\n").append(line);
  }
  return text;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// All values of one column of a table kept as structs.
template <typename Element, typename Value>
std::vector<Value> column_of(const std::vector<Element>& elements, Value Element::*member) {
  std::vector<Value> values;
  values.reserve(elements.size());
  for (const Element& element : elements) {
    values.push_back(element.*member);
  }
  return values;
}

}  // namespace

void create_strings(const hdf5::Location& group, const std::string& name,
                    const std::vector<std::string>& values, const hdf5::Dataset* scale) {
  const hdf5::Dataset dataset =
      hdf5::create_dataset(group, name, hdf5::Type::string, one_dimension(values.size()));
  hdf5::write_strings(dataset, values);
  if (scale != nullptr) {
    hdf5::attach_scale(dataset, *scale, 0);
  }
}

hdf5::Dataset create_integers(const hdf5::Location& group, const std::string& name,
                              const std::vector<std::int64_t>& values, const hdf5::Dataset* scale) {
  hdf5::Dataset dataset =
      hdf5::create_dataset(group, name, hdf5::Type::int64, one_dimension(values.size()));
  if (!values.empty()) {
    hdf5::write(dataset, hdf5::Type::int64, std::array<hsize_t, 1>{0},
                std::array<hsize_t, 1>{values.size()}, values.data());
  }
  if (scale != nullptr) {
    hdf5::attach_scale(dataset, *scale, 0);
  }
  return dataset;
}

hdf5::Dataset create_scale(const hdf5::Location& group, const std::string& name, std::size_t size,
                           std::int64_t first) {
  std::vector<std::int64_t> values(size);
  std::iota(values.begin(), values.end(), first);
  hdf5::Dataset scale = create_integers(group, name, values, nullptr);
  hdf5::make_scale(scale, name);
  return scale;
}

std::vector<std::string> read_strings(const hdf5::Location& group, const std::string& name) {
  return hdf5::read_strings(hdf5::open_dataset(group, name, 0));
}

std::vector<std::int64_t> read_integers(const hdf5::Location& group, const std::string& name) {
  const hdf5::Dataset dataset = hdf5::open_dataset(group, name, 0);
  const std::vector<hsize_t> count = hdf5::shape(dataset);
  std::vector<std::int64_t> values(static_cast<std::size_t>(count.at(0)));
  if (!values.empty()) {
    hdf5::read(dataset, hdf5::Type::int64, std::array<hsize_t, 1>{0}, count, values.data());
  }
  return values;
}

void require_length(const hdf5::Location& group, std::size_t expected,
                    std::initializer_list<std::size_t> lengths) {
  if (std::ranges::any_of(lengths, [=](std::size_t length) { return length != expected; })) {
    throw RunError(*group.file(), "columns of a table have different lengths",
                   "the file is damaged; restore it from a copy");
  }
}

void write_description(const hdf5::File& file, const RunDescription& description) {
  for (const TextField& field : text_fields) {
    hdf5::write_attribute(file, field.name, description.*field.member);
  }
  for (const NumberField& field : number_fields) {
    hdf5::write_attribute(file, field.name, description.*field.member);
  }
  hdf5::write_attribute(file, "traces", std::span<const std::string>(description.traces));
}

RunDescription read_description(const hdf5::File& file) {
  RunDescription description;
  for (const TextField& field : text_fields) {
    if (field.since == 1 || hdf5::has_attribute(file, field.name)) {
      description.*field.member = hdf5::read_string_attribute(file, field.name);
    }
  }
  for (const NumberField& field : number_fields) {
    description.*field.member = hdf5::read_integer_attribute(file, field.name);
  }
  description.traces = hdf5::read_strings_attribute(file, "traces");
  return description;
}

void write_intervals(const hdf5::File& file, const std::vector<model::IntervalInfo>& intervals) {
  const hdf5::Group group = hdf5::create_group(file, "intervals");
  const hdf5::Dataset scale = create_scale(group, "interval", intervals.size(), 1);
  std::vector<std::int64_t> ids(intervals.size());
  std::iota(ids.begin(), ids.end(), std::int64_t{1});
  std::vector<std::int64_t> parents;
  std::vector<std::int64_t> levels;
  std::vector<std::int64_t> expressions;
  std::vector<std::string> types;
  for (const model::IntervalInfo& interval : intervals) {
    parents.push_back(interval.parent + 1);
    levels.push_back(interval.level);
    expressions.push_back(interval.expression.value_or(no_value));
    types.emplace_back(type_names[static_cast<std::size_t>(interval.type)]);
  }
  create_integers(group, "id", ids, &scale);
  create_integers(group, "parent", parents, &scale);
  create_integers(group, "level", levels, &scale);
  create_strings(group, "type", types, &scale);
  create_integers(group, "count", column_of(intervals, &model::IntervalInfo::count), &scale);
  create_strings(group, "file", column_of(intervals, &model::IntervalInfo::file), &scale);
  create_integers(group, "line", column_of(intervals, &model::IntervalInfo::line), &scale);
  const hdf5::Dataset expression = create_integers(group, "expression", expressions, &scale);
  hdf5::write_attribute(expression, "_FillValue", no_value);
}

std::vector<model::IntervalInfo> read_intervals(const hdf5::File& file) {
  const hdf5::Group group = hdf5::open_group(file, "intervals");
  const std::vector<std::int64_t> parents = read_integers(group, "parent");
  const std::vector<std::int64_t> levels = read_integers(group, "level");
  const std::vector<std::int64_t> counts = read_integers(group, "count");
  const std::vector<std::int64_t> lines = read_integers(group, "line");
  const std::vector<std::int64_t> expressions = read_integers(group, "expression");
  const std::vector<std::string> types = read_strings(group, "type");
  const std::vector<std::string> files = read_strings(group, "file");
  require_length(
      group, parents.size(),
      {levels.size(), counts.size(), lines.size(), expressions.size(), types.size(), files.size()});
  std::vector<model::IntervalInfo> intervals(parents.size());
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    model::IntervalInfo& interval = intervals[i];
    interval.parent = narrowed(group, parents[i]) - 1;
    interval.level = narrowed(group, levels[i]);
    interval.type = type_named(types[i]);
    interval.count = counts[i];
    interval.file = files[i];
    interval.line = lines[i];
    if (expressions[i] != no_value) {
      interval.expression = expressions[i];
    }
  }
  return intervals;
}

void write_sources(const hdf5::File& file, const std::vector<RunDescription>& sources) {
  if (sources.empty()) {
    return;
  }
  const hdf5::Group group = hdf5::create_group(file, "sources");
  const hdf5::Dataset scale = create_scale(group, "source", sources.size(), 0);
  for (const TextField& field : text_fields) {
    create_strings(group, field.name, column_of(sources, field.member), &scale);
  }
  for (const NumberField& field : number_fields) {
    create_integers(group, field.name, column_of(sources, field.member), &scale);
  }
  std::vector<std::string> traces;
  traces.reserve(sources.size());
  for (const RunDescription& source : sources) {
    traces.push_back(joined(source.traces));
  }
  create_strings(group, "traces", traces, &scale);
}

std::vector<RunDescription> read_sources(const hdf5::File& file) {
  if (!hdf5::exists(file, "sources")) {
    return {};
  }
  const hdf5::Group group = hdf5::open_group(file, "sources");
  const std::vector<std::string> traces = read_strings(group, "traces");
  std::vector<RunDescription> sources(traces.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    sources[i].traces = split(traces[i]);
  }
  for (const TextField& field : text_fields) {
    if (field.since > 1 && !hdf5::exists(group, field.name)) {
      continue;
    }
    const std::vector<std::string> values = read_strings(group, field.name);
    require_length(group, sources.size(), {values.size()});
    for (std::size_t i = 0; i < sources.size(); ++i) {
      sources[i].*field.member = values[i];
    }
  }
  for (const NumberField& field : number_fields) {
    const std::vector<std::int64_t> values = read_integers(group, field.name);
    require_length(group, sources.size(), {values.size()});
    for (std::size_t i = 0; i < sources.size(); ++i) {
      sources[i].*field.member = values[i];
    }
  }
  return sources;
}

}  // namespace gridcast::store
