#include "gridcast/rules/transfers.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gridcast::model {

using mapping::AxisRule;
using mapping::IndexRange;
using mapping::Layout;
using mapping::StridedRange;

namespace {

/// The same elements in ascending order.
StridedRange ascending(const StridedRange& range) {
  return range.step > 0
             ? range
             : StridedRange{range.first + range.step * (range.count - 1), -range.step, range.count};
}

/// The section of an array along a dimension.
StridedRange section(std::span<const std::int64_t> bounds, std::size_t dim) {
  return {bounds[3 * dim], bounds[3 * dim + 1], bounds[3 * dim + 2]};
}

/// Whether what a processor needs depends on what it has of a dimension of the loop that reads.
bool depends_on(const Script& script, const RemotePart& part, int dim) {
  const auto rules = script.rules(part.needs);
  return std::any_of(rules.begin(), rules.end(), [dim](const AxisRule& rule) {
    return rule.kind == AxisRule::Kind::linear && rule.dim == dim;
  });
}
template <class Part>
bool depends_on(const Script& /*script*/, const Part& /*part*/, int /*dim*/) {
  return true;
}

}  // namespace

void TransferBuilder::build(const CommunicationSpec& spec, Transfers& result) {
  result.communication.clear();
  result.fixed_time.reset();
  communication_ = &result.communication;
  out_ = &result.communication.transfers;
  const Script& script = mapping_->script();
  if (mapping_->processors() == 1) {
    return;
  }
  const std::span<const std::uint32_t> parts = script.part_ids(spec.parts);
  switch (spec.kind) {
    case CommunicationSpec::Kind::nothing:
      break;
    case CommunicationSpec::Kind::shadow:
    case CommunicationSpec::Kind::old_values:
      later_ = spec.kind == CommunicationSpec::Kind::old_values ? &mapping_->layout(spec.placement)
                                                                : nullptr;
      for (const std::uint32_t part : parts) {
        shadow(script.tables().shadow_parts[part]);
      }
      break;
    case CommunicationSpec::Kind::reduction:
      reduction(spec, result);
      return;  // two ordered phases already
    case CommunicationSpec::Kind::move:
    case CommunicationSpec::Kind::copy:
    case CommunicationSpec::Kind::remote:
      for (const std::uint32_t part : parts) {
        for_each_reader(spec, part, [this](const Reader& reader) {
          if (reader.from != nullptr) {
            gather(*reader.from, reader.processor, reader.element_size);
          }
        });
      }
      break;
  }
  network::normalize(*out_, mapping_->interruption());
}

void TransferBuilder::broadcast(ViewId view, double bytes, Transfers& result) {
  result.communication.clear();
  result.fixed_time.reset();
  for (const std::uint32_t p : mapping_->view(view).processors()) {
    if (p != 0 && bytes > 0.0) {
      result.communication.transfers.push_back({0, p, bytes});
    }
  }
}

// --- redistribution, copies, buffers
// -------------------------------------------------------------------

template <class F>
void TransferBuilder::for_each_reader(const CommunicationSpec& spec, std::uint32_t part, F&& f) {
  const auto& tables = mapping_->script().tables();
  if (spec.kind == CommunicationSpec::Kind::move || spec.kind == CommunicationSpec::Kind::copy) {
    const CopyPart& copied = tables.copy_parts[part];
    for_each_reader_of(copied, copied.from, copied.to, spec.view, f);
  } else if (spec.kind == CommunicationSpec::Kind::remote) {
    const RemotePart& loaded = tables.remote_parts[part];
    for_each_reader_of(loaded, loaded.array, loaded.reader, loaded.view, f);
  }
}

template <class Part, class F>
void TransferBuilder::for_each_reader_of(const Part& part, PlacementId from, PlacementId reader,
                                         ViewId view, F&& f) {
  Reader read;
  read.from = from == none ? nullptr : &mapping_->layout(from);
  read.element_size = static_cast<double>(part.element_size);
  if (reader == none) {
    read.elements = find_needs(part, {});
    for (const std::uint32_t processor : mapping_->view(view).processors()) {
      read.processor = processor;
      if (read.elements > 0.0) {
        f(std::as_const(read));
      }
    }
    return;
  }
  // What a processor needs depends on its coordinates in these dimensions.
  const mapping::Layout& layout = mapping_->layout(reader);
  std::array<bool, machine::max_grid_rank> depends{};
  for (int j = 0; j < layout.view().rank(); ++j) {
    depends[static_cast<std::size_t>(j)] =
        layout.split_dimension(j) >= 0 &&
        depends_on(mapping_->script(), part, layout.split_dimension(j));
  }
  mapping_->for_each_holder(layout, [&](const Holder& holder) {
    auto at = holder.at;
    for (std::size_t j = 0; j < at.size(); ++j) {
      at[j] = depends[j] ? at[j] : 0;
    }
    read.processor = holder.processor();
    read.group = number_of(layout.view(), at);
    read.elements = find_needs(part, holder.block());
    if (read.elements > 0.0) {
      f(std::as_const(read));
    }
  });
}

double TransferBuilder::find_needs(const CopyPart& part, std::span<const IndexRange> block) {
  if (part.from_section.count + part.to_section.count == 0) {
    needs_.clear();
    double elements = 1.0;
    for (const IndexRange& range : block) {
      needs_.push_back({range.lo, 1, range.size()});
      elements *= static_cast<double>(range.size());
    }
    return elements;
  }
  // Positions of the written section that this block holds, dimension by dimension.
  const std::span<const std::int64_t> target = mapping_->script().ints(part.to_section);
  std::array<IndexRange, mapping::max_rank> positions;
  std::size_t longer = 0;
  double elements = 1.0;
  for (std::size_t dim = 0; dim < block.size(); ++dim) {
    const StridedRange written = section(target, dim);
    IndexRange held = ascending(written).positions_in(block[dim]);
    if (written.step < 0) {
      held = {written.count - held.hi, written.count - held.lo};
    }
    elements *= static_cast<double>(held.size());
    if (written.count != 1) {
      positions[longer++] = held;
    }
  }
  const std::span<const std::int64_t> source = mapping_->script().ints(part.from_section);
  std::size_t next = 0;
  needs_.clear();
  for (std::size_t dim = 0; 3 * dim < source.size(); ++dim) {
    const StridedRange read = section(source, dim);
    const bool whole = block.empty() || read.count == 1;
    needs_.push_back(ascending(read.part(whole ? IndexRange{0, read.count} : positions[next++])));
    elements *= block.empty() ? static_cast<double>(read.count) : 1.0;
  }
  return elements;
}

double TransferBuilder::find_needs(const RemotePart& part, std::span<const IndexRange> iterations) {
  const Script& script = mapping_->script();
  const std::span<const std::int64_t> extents =
      script.ints(script.tables().placements[part.array].extents);
  const std::span<const AxisRule> rules = script.rules(part.needs);
  needs_.clear();
  double elements = 1.0;
  for (std::size_t dim = 0; dim < rules.size(); ++dim) {
    const AxisRule& rule = rules[dim];
    StridedRange need{0, 1, extents[dim]};
    if (rule.kind == AxisRule::Kind::constant) {
      need = {rule.constant, 1, 1};
    } else if (rule.kind == AxisRule::Kind::linear && !iterations.empty()) {
      const IndexRange own = iterations[static_cast<std::size_t>(rule.dim)];
      need = ascending({rule.coefficient * own.lo + rule.constant, rule.coefficient, own.size()});
    }
    needs_.push_back(need.part(need.positions_in({0, extents[dim]})));
    elements *= static_cast<double>(needs_.back().count);
  }
  return elements;
}

// --- who writes how much of what is fetched
// -------------------------------------------------------------------

void TransferBuilder::written(const CommunicationSpec& spec, WrittenShares& result) {
  result.share.assign(mapping_->processors(), 0.0);
  result.once.assign(mapping_->processors(), 0.0);
  double elements = 0.0;  // in all, each counted once
  std::vector<Reader> writers;
  std::vector<double> copies;  // how many write the same, per group
  for (const std::uint32_t part : mapping_->script().part_ids(spec.parts)) {
    writers.clear();
    copies.assign(mapping_->processors(), 0.0);
    for_each_reader(spec, part, [&](const Reader& writer) {
      writers.push_back(writer);
      copies[writer.group] += 1.0;
    });
    double sum = 0.0;  // of those that are written equally often: whole numbers, so exact
    double so_often = 1.0;
    for (const Reader& writer : writers) {
      const double often = copies[writer.group];
      if (often != so_often) {
        elements += sum / so_often;
        so_often = often;
        sum = 0.0;
      }
      sum += writer.elements;
      result.share[writer.processor] += writer.elements;
      result.once[writer.processor] += writer.elements / often;
    }
    elements += sum / so_often;
  }
  result.any = elements > 0.0;
  for (std::vector<double>* const figures : {&result.share, &result.once}) {
    for (double& figure : *figures) {
      figure /= result.any ? elements : 1.0;
    }
  }
}

}  // namespace gridcast::model
