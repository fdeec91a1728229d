#include "gridcast/rules/transfers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "transfer_kinds.h"

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

/// A processor that needs elements of an array.
struct Reader {
  const Layout* from = nullptr;  // null: it has a buffer with them
  std::uint32_t processor = 0;
  std::size_t group = 0;  // those that need the same have the same
  double elements = 0.0;
  double element_size = 0.0;
};

/// Those that need something by a redistribution, a copy or the loading of a buffer.
class Readers {
public:
  explicit Readers(GridMapping& mapping) : mapping_(&mapping) {}

  /// Calls f(reader) for each of a part of the communication.
  template <class F>
  void for_each(const CommunicationSpec& spec, std::uint32_t part, F&& f) {
    const auto& tables = script().tables();
    if (spec.kind == CommunicationSpec::Kind::move || spec.kind == CommunicationSpec::Kind::copy) {
      const CopyPart& copied = tables.copy_parts[part];
      for_each_of(copied, copied.from, copied.to, spec.view, all_dimensions, f);
    } else if (spec.kind == CommunicationSpec::Kind::remote) {
      const RemotePart& loaded = tables.remote_parts[part];
      std::uint32_t named = 0;
      for (const AxisRule& rule : script().rules(loaded.needs)) {
        named |= rule.kind == AxisRule::Kind::linear ? 1U << static_cast<unsigned>(rule.dim) : 0;
      }
      for_each_of(loaded, loaded.array, loaded.reader, loaded.view, named, f);
    }
  }

  /// What the latest one needs, per dimension of the source.
  [[nodiscard]] std::span<const StridedRange> needs() const noexcept { return needs_; }

private:
  [[nodiscard]] const Script& script() const noexcept { return mapping_->script(); }

  static constexpr std::uint32_t all_dimensions = ~std::uint32_t{0};

  /// `dims`: one bit for each dimension of what reads on whose part it depends what is needed.
  template <class Part, class F>
  void for_each_of(const Part& part, PlacementId from, PlacementId reader, ViewId view,
                   std::uint32_t dims, F&& f) {
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
    const Layout& layout = mapping_->layout(reader);
    mapping_->for_each_holder(layout, [&](const Holder& holder) {
      auto at = holder.at;
      for (int j = 0; j < layout.view().rank(); ++j) {
        const int dim = layout.split_dimension(j);
        const bool depends = dim >= 0 && (dims >> static_cast<unsigned>(dim) & 1U) != 0;
        at[static_cast<std::size_t>(j)] *= depends ? 1 : 0;
      }
      read.processor = holder.processor();
      read.group = number_of(layout.view(), at);
      read.elements = find_needs(part, holder.block());
      if (read.elements > 0.0) {
        f(std::as_const(read));
      }
    });
  }

  /// Puts what the holder of a block needs into needs_, per dimension of the source; without a
  /// block what all need. Returns how many elements it writes.
  double find_needs(const CopyPart& part, std::span<const IndexRange> block) {
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
    const std::span<const std::int64_t> target = script().ints(part.to_section);
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
    const std::span<const std::int64_t> source = script().ints(part.from_section);
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

  double find_needs(const RemotePart& part, std::span<const IndexRange> iterations) {
    const std::span<const std::int64_t> extents =
        script().ints(script().tables().placements[part.array].extents);
    const std::span<const AxisRule> rules = script().rules(part.needs);
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

  GridMapping* mapping_;
  std::vector<StridedRange> needs_;
};

}  // namespace

void TransferBuilder::build(const CommunicationSpec& spec, Transfers& result) {
  using Kind = CommunicationSpec::Kind;
  result.communication.clear();
  result.fixed_time.reset();
  if (mapping_->processors() == 1) {
    return;
  }
  if (spec.kind == Kind::reduction) {
    add_reduction(*mapping_, spec, result);
    return;  // two ordered phases already
  }
  if (spec.statement != none) {
    add_statement(*mapping_, spec, result);
    return;
  }
  const Script& script = mapping_->script();
  const Layout* const later =
      spec.kind == Kind::old_values ? &mapping_->layout(spec.placement) : nullptr;
  std::vector<network::Transfer>& transfers = result.communication.transfers;
  Readers readers(*mapping_);
  for (const std::uint32_t part : script.part_ids(spec.parts)) {
    if (spec.kind == Kind::shadow || spec.kind == Kind::old_values) {
      add_edges(*mapping_, script.tables().shadow_parts[part], later, result.communication);
      continue;
    }
    readers.for_each(spec, part, [&](const Reader& reader) {
      if (reader.from != nullptr) {
        gather(*mapping_, *reader.from, reader.processor, readers.needs(), reader.element_size,
               transfers);
      }
    });
  }
  network::normalize(transfers, mapping_->interruption());
  if (spec.kind == Kind::move || spec.kind == Kind::copy || spec.kind == Kind::remote) {
    pack_all(result.communication);
  }
}

/// What is moved or copied is packed and unpacked, contiguous or not (docs/model.md §2.16).
void TransferBuilder::pack_all(network::Communication& communication) {
  const double copy = mapping_->system().library.copy;
  if (!(copy > 0.0) || communication.empty()) {
    return;
  }
  communication.packing.assign(mapping_->processors(), 0.0);
  communication.unpacking.assign(mapping_->processors(), 0.0);
  for (const network::Transfer& transfer : communication.transfers) {
    communication.packing[transfer.from] += transfer.bytes * copy;
    communication.unpacking[transfer.to] += transfer.bytes * copy;
  }
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

void TransferBuilder::written(const CommunicationSpec& spec, WrittenShares& result) {
  result.share.assign(mapping_->processors(), 0.0);
  result.once.assign(mapping_->processors(), 0.0);
  double elements = 0.0;  // in all, each counted once
  Readers readers(*mapping_);
  std::vector<Reader> writers;
  std::vector<double> copies;  // how many write the same, per group
  for (const std::uint32_t part : mapping_->script().part_ids(spec.parts)) {
    writers.clear();
    copies.assign(mapping_->processors(), 0.0);
    readers.for_each(spec, part, [&](const Reader& writer) {
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
