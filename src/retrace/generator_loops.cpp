/// Parallel loops of a description with all that belongs to them: reductions, pipelines, remote
/// access, overlapped exchanges.

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "generator.h"
#include "gridcast/trace/limits.h"

namespace gridcast::trace {
namespace {

/// [Predictor3.1], docs/model.md §2.15.
std::int64_t type_number(const Settings& where, const std::string& type) {
  constexpr std::array<std::string_view, 6> types = {"int",    "long",    "float",
                                                     "double", "complex", "double_complex"};
  const auto found = std::find(types.begin(), types.end(), type);
  if (found == types.end()) {
    where.fail("type", "\"" + type + "\" is no type",
               "expected int, long, float, double, complex or double_complex");
  }
  return found - types.begin() + 1;
}

std::int64_t operation_number(const Settings& where, const std::string& operation) {
  constexpr std::array<std::string_view, 6> operations = {"sum", "product", "max",
                                                          "min", "and",     "or"};
  const auto found = std::find(operations.begin(), operations.end(), operation);
  if (found == operations.end()) {
    where.fail("operation", "\"" + operation + "\" is no reduction",
               "expected sum, product, max, min, and, or");
  }
  return found - operations.begin() + 1;
}

}  // namespace

void Generator::fill_shadow_group(const Settings& statement, std::string_view key,
                                  std::uint64_t group) {
  const bool corners = statement.flag("corners", false);
  emit_.create_shadow_group(group);
  for (const auto& [word, part] : statement.entries(key)) {
    const std::string name = part ? part->text("array") : word;
    const Array& exchanged = array(part ? *part : statement, part ? "array" : key, name);
    const Extents low = widths(statement, "low", exchanged.rank(), -1);
    const Extents high = widths(statement, "high", exchanged.rank(), -1);
    const std::vector<FaceBytes> faces =
        part ? face_bytes(*part, exchanged, corners) : std::vector<FaceBytes>{FaceBytes{}};
    for (const FaceBytes& face : faces) {
      emit_.insert_shadow(group, exchanged.name, face.kept(low, face.low),
                          face.kept(high, face.high), corners, face.bytes);
    }
    if (part) {
      part->finish("array, bytes");
    }
  }
}

/// `bytes`: one number for all faces, or [low, high] for each dimension. Faces that send alike are
/// one entry of the group.
std::vector<Generator::FaceBytes> Generator::face_bytes(const Settings& part, const Array& array,
                                                        bool corners) {
  if (!part.has("bytes")) {
    return {FaceBytes{}};
  }
  const auto checked = [&](double bytes, std::int64_t least) {
    const std::int64_t whole = part.whole_of("bytes", bytes);
    if (whole < least || whole > array.element_size) {
      part.fail("bytes", std::to_string(whole) + " bytes of an element",
                "expected at most the " + std::to_string(array.element_size) +
                    " bytes of an element of the array");
    }
    return whole;
  };
  if (!part.is_list("bytes")) {
    return {FaceBytes{.bytes = checked(part.real("bytes"), 1), .low = {}, .high = {}}};
  }
  if (corners) {
    part.fail("bytes", "numbers per face of an exchange with corners",
              "expected one number for faces and corners");
  }
  const std::vector<std::vector<double>> sides = part.reals("bytes");
  if (sides.size() != array.rank()) {
    part.fail("bytes",
              std::to_string(sides.size()) + " entries for " + std::to_string(array.rank()) +
                  " dimensions",
              "expected [low, high] for each dimension");
  }
  std::map<std::int64_t, FaceBytes> by_bytes;
  const auto add = [&](double bytes, std::size_t dim, std::vector<bool> FaceBytes::*side) {
    const std::int64_t whole = checked(bytes, 0);
    if (whole == 0) {
      return;  // nothing travels there
    }
    FaceBytes& face = by_bytes[whole];
    face.bytes = whole;
    face.low.resize(array.rank());
    face.high.resize(array.rank());
    (face.*side)[dim] = true;
  };
  for (std::size_t dim = 0; dim < sides.size(); ++dim) {
    if (sides[dim].size() != 2) {
      part.fail("bytes", "an entry of " + std::to_string(sides[dim].size()) + " numbers",
                "expected [low, high] for each dimension");
    }
    add(sides[dim][0], dim, &FaceBytes::low);
    add(sides[dim][1], dim, &FaceBytes::high);
  }
  std::vector<FaceBytes> faces;
  faces.reserve(by_bytes.size());
  for (const auto& [bytes, face] : by_bytes) {
    faces.push_back(face);
  }
  return faces;
}

Extents Generator::FaceBytes::kept(Extents widths, const std::vector<bool>& sides) const {
  for (std::size_t dim = 0; dim < sides.size(); ++dim) {
    widths[dim] = sides[dim] ? widths[dim] : 0;
  }
  return widths;
}

std::uint64_t Generator::reduction_group(const Settings& statement, std::uint64_t loop) {
  const std::vector<Settings> reductions = statement.tables("reduce");
  if (reductions.empty()) {
    return 0;
  }
  const std::uint64_t group = emit_.new_address();
  emit_.call("crtrg_", Lines().number("StaticSign", 1).number("DelRedSign", 1),
             Lines().address("RedGroupRef", group));
  for (const Settings& reduction : reductions) {
    const std::int64_t operation = operation_number(reduction, reduction.text("operation"));
    const std::int64_t type = type_number(
        reduction, reduction.has("type") ? reduction.text("type") : std::string("double"));
    const std::int64_t count = reduction.whole("count", 1);
    const std::int64_t extra = reduction.whole("extra", 0);
    if (count < 1 || extra < 0 || extra > largest_coefficient) {
      reduction.fail(count < 1 ? "count" : "extra", "out of range",
                     "expected count from 1, extra (bytes per element) from 0 to a million");
    }
    reduction.finish("operation, type, count, extra");
    const std::uint64_t made = emit_.new_address();
    emit_.call("crtred_",
               Lines()
                   .number("RedFuncNumb", operation)
                   .number("RedArrayType", type)
                   .number("RedArrayLength", count)
                   .number("LocElmLength", extra)
                   .number("StaticSign", 1),
               Lines().address("RedRef", made));
    emit_.call("insred_", Lines()
                              .address("RedGroupRef", group)
                              .address("RedRef", made)
                              .address("LoopRef", loop)
                              .number("RenewSign", 1));
  }
  return group;
}

void Generator::load_remote(const Settings& statement, std::uint64_t loop,
                            const std::vector<IndexRange>& ranges) {
  if (!statement.has("remote")) {
    return;
  }
  std::vector<std::string> indices;
  indices.reserve(ranges.size());
  for (const IndexRange& range : ranges) {
    indices.push_back(range.name);
  }
  emit_.call("begbl_");
  for (const std::string& text : statement.texts("remote")) {
    const MappingText mapping = read_mapping(statement, "remote", text, indices);
    const Array& read = array(statement, "remote", mapping.object);
    if (read.rank() != mapping.axes.size()) {
      statement.fail("remote", "\"" + text + "\" has not an entry for each dimension",
                     "expected " + std::to_string(read.rank()) + " entries");
    }
    check_remote(statement, mapping, ranges);
    const std::uint64_t header = emit_.new_address();
    const std::uint64_t handle = emit_.new_address();
    emit_.call("crtrbl_",
               Lines()
                   .address("RemArrayHeader", read.name.header)
                   .address("RemArrayHandlePtr", read.name.handle)
                   .address("BufferHeader", header)
                   .number("StaticSign", 0)
                   .address("LoopRef", loop)
                   .end_line()
                   .list("AxisArray", mapping.axes)
                   .list("CoeffArray", mapping.coefficients)
                   .list("ConstArray", mapping.constants),
               Lines().address("BufferHandlePtr", handle).number("IsLocal", 1));
    const Lines buffer = Lines().address("BufferHeader", header).address("BufferHandlePtr", handle);
    emit_.call("loadrb_", Lines(buffer).number("RenewSign", 1));
    emit_.call("waitrb_", buffer);
  }
}

/// The widths of the values that a sweep has just computed lie behind its direction, those that it
/// still needs from before ahead of it (docs/model.md §6).
std::vector<std::uint64_t> Generator::pipeline(const Settings& statement,
                                               const MappingText& mapping,
                                               const std::vector<IndexRange>& ranges) {
  const std::vector<Settings> arrays = statement.tables("across");
  if (arrays.empty()) {
    return {};
  }
  const bool has_old =
      std::any_of(arrays.begin(), arrays.end(), [](const Settings& one) { return one.has("old"); });
  std::int64_t portions = 0;
  const std::uint64_t old_group = has_old ? emit_.new_address() : 0;
  const std::uint64_t new_group = emit_.new_address();
  if (has_old) {
    emit_.create_shadow_group(old_group);
  }
  emit_.create_shadow_group(new_group);
  for (const Settings& one : arrays) {
    const Array& swept = array(one, "array", one.text("array"));
    Extents new_low = widths(one, "new", swept.rank(), 0);
    Extents old_high = widths(one, "old", swept.rank(), 0);
    Extents new_high(swept.rank(), 0);
    Extents old_low(swept.rank(), 0);
    for (std::size_t i = 0; i < std::min(swept.rank(), mapping.axes.size()); ++i) {
      const auto axis = static_cast<std::size_t>(std::max<std::int64_t>(0, mapping.axes[i]));
      if (axis > 0 && mapping.coefficients[i] * ranges[axis - 1].step < 0) {
        std::swap(new_low[i], new_high[i]);
        std::swap(old_low[i], old_high[i]);
      }
    }
    if (has_old) {
      emit_.insert_shadow(old_group, swept.name, old_low, old_high, false);
    }
    emit_.insert_shadow(new_group, swept.name, new_low, new_high, false);
    if (one.has("pipeline")) {
      const std::int64_t given = one.whole("pipeline");
      if (given < 1 || given > largest_coefficient || (portions > 0 && given != portions)) {
        one.fail("pipeline", "no number of portions of the loop",
                 "expected one number from 1 to a million");
      }
      portions = given;
    }
    one.finish("array, new, old, pipeline");
  }
  Lines lines;
  lines.number("AcrossType", 0)
      .address("OldShadowGroupRef", old_group)
      .address("NewShadowGroupRef", new_group)
      .text("PipeLinePar=0.000000;");
  if (portions > 0) {
    lines.number("QDim", portions);
  }
  emit_.call("across_", lines.end_line().number("CondPipeLine", 0).number("ErrPipeLine", 0));
  return has_old ? std::vector{old_group, new_group} : std::vector{new_group};
}

void Generator::run_portions(const Settings& statement, std::uint64_t loop,
                             const std::vector<IndexRange>& ranges) {
  const std::int64_t portions = statement.whole("portions", 1);
  const double time = statement.not_negative("time");
  constexpr std::int64_t most = 1'000'000;
  if (portions < 1 || portions > most) {
    statement.fail("portions", "out of range", "expected a number from 1 to a million");
  }
  auto iterations = 1.0;
  for (const IndexRange& range : ranges) {
    iterations *= static_cast<double>(range.count());
  }
  const Lines parameters = Lines().address("LoopRef", loop);
  for (std::int64_t k = 0; k <= portions; ++k) {
    if (k > 0) {
      emit_.compute(iterations * time / static_cast<double>(portions));
    }
    emit_.call("dopl_", parameters, Lines().number("DoPL", k < portions ? 1 : 0));
  }
}

void Generator::run_loop(const Settings& statement) {
  std::vector<IndexRange> ranges;
  std::vector<std::string> indices;
  for (const std::string& text : statement.texts("loop")) {
    ranges.push_back(read_range(statement, "loop", text));
    if (std::find(indices.begin(), indices.end(), ranges.back().name) != indices.end()) {
      statement.fail("loop", "the index '" + ranges.back().name + "' is there twice",
                     "expected names of their own");
    }
    indices.push_back(ranges.back().name);
  }
  const MappingText mapping = read_mapping(statement, "on", statement.text("on"), indices);
  const Pattern over = pattern(statement, "on", mapping);
  check_loop(statement, "on", compose(statement, "on", mapping, over.over, ranges.size()), ranges);
  check_inside(statement, mapping, over.extents, ranges);

  const std::uint64_t loop = emit_.new_address();
  emit_.call("crtpl_", Lines().number("Rank", static_cast<std::int64_t>(ranges.size())),
             Lines().address("LoopRef", loop));
  std::vector<std::uint64_t> groups;  // to delete after the loop
  if (statement.has("export_first") && statement.has("import_last") &&
      statement.text("start") == statement.text("import_last")) {
    statement.fail("import_last", "it is this loop that starts '" + statement.text("start") + "'",
                   "expected an exchange that was started before");
  }
  if (statement.has("export_first")) {
    const std::uint64_t group = start(statement, Started::Kind::exchange).reference;
    fill_shadow_group(statement, "export_first", group);
    emit_.call("exfrst_", Lines().address("LoopRef", loop).address("ShadowGroupRef", group));
  }
  if (statement.has("import_last")) {
    groups.push_back(finish_started(statement, "import_last", Started::Kind::exchange).reference);
    emit_.call("imlast_", Lines().address("LoopRef", loop).address("ShadowGroupRef", groups[0]));
  }
  emit_.map_loop(loop, over.name, mapping, ranges);
  const std::uint64_t reductions = reduction_group(statement, loop);
  const std::vector<std::uint64_t> swept = pipeline(statement, mapping, ranges);
  groups.insert(groups.end(), swept.begin(), swept.end());
  load_remote(statement, loop, ranges);
  run_portions(statement, loop, ranges);
  if (reductions != 0) {
    const Lines group = Lines().address("RedGroupRef", reductions);
    emit_.call("strtrd_", group);
    emit_.call("waitrd_", group);
    emit_.call("delrg_", group);
  }
  if (statement.has("remote")) {
    emit_.call("endbl_");
  }
  emit_.call("endpl_", Lines().address("LoopRef", loop));
  for (const std::uint64_t group : groups) {
    emit_.call("delshg_", Lines().address("ShadowGroupRef", group));
  }
  statement.finish(
      "loop, on, time, portions, reduce, across, remote, export_first with start, "
      "import_last, low, high, corners");
}

}  // namespace gridcast::trace
