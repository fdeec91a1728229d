/// Who writes how much in a call that copies: the shares of its return time (docs/model.md §2.3).

#include <algorithm>
#include <array>

#include "gridcast/rules/transfers.h"

namespace gridcast::model {

using mapping::AxisRule;
using mapping::IndexRange;
using mapping::Layout;

void TransferBuilder::add_written(const mapping::ProcessorView& view, WrittenShares& result) {
  double sum = 0.0;  // of those that are written equally often: whole numbers, so exact
  double so_often = 1.0;
  for (std::size_t local = 0; local < view.size(); ++local) {
    if (!(counts_[local] > 0.0)) {
      continue;
    }
    const std::uint32_t p = view.processors()[local];
    const double copies = copies_[local];
    if (copies != so_often) {
      result.elements += sum / so_often;
      so_often = copies;
      sum = 0.0;
    }
    sum += counts_[local];
    result.share[p] += counts_[local];
    result.duplicate[p] += counts_[local] * ((copies - 1.0) / copies);
    result.once[p] += counts_[local] / copies;
  }
  result.elements += sum / so_often;
}

void TransferBuilder::written_copy(const CopyPart& part, ViewId view_id, WrittenShares& result) {
  if (part.to == none) {  // a buffer in every processor's memory
    const mapping::ProcessorView& view = mapping_->view(view_id);
    double elements = 0.0;
    copy_needs(part, {}, needs_, elements);
    counts_.assign(view.size(), elements);
    copies_.assign(view.size(), static_cast<double>(view.size()));
    add_written(view, result);
    return;
  }
  const Layout& to = mapping_->layout(part.to);
  counts_.assign(to.view().size(), 0.0);
  copies_.assign(to.view().size(), to.copies());
  for_each_holder(to, [&](const Holder& holder) {
    double elements = 0.0;
    counts_[holder.local] = copy_needs(part, holder.block, needs_, elements) ? elements : 0.0;
  });
  add_written(to.view(), result);
}

void TransferBuilder::written_remote(const RemotePart& part, WrittenShares& result) {
  const auto elements_of = [&](std::span<const IndexRange> iterations) {
    double elements = 1.0;
    if (!remote_needs(part, iterations, needs_)) {
      return 0.0;
    }
    for (const mapping::StridedRange& need : needs_) {
      elements *= static_cast<double>(need.count);
    }
    return elements;
  };
  if (part.reader == none) {
    const mapping::ProcessorView& view = mapping_->view(part.view);
    counts_.assign(view.size(), elements_of({}));
    copies_.assign(view.size(), static_cast<double>(view.size()));
    add_written(view, result);
    return;
  }
  // Processors that differ only in dimensions on which the need does not depend read the same; the
  // needs of all others have nothing in common.
  const Layout& reader = mapping_->layout(part.reader);
  const mapping::ProcessorView& view = reader.view();
  std::array<bool, machine::max_grid_rank> depends{};
  for (const AxisRule& rule : mapping_->script().rules(part.needs)) {
    for (int j = 0; j < view.rank(); ++j) {
      depends[static_cast<std::size_t>(j)] |=
          rule.kind == AxisRule::Kind::linear && rule.dim == reader.split_dimension(j);
    }
  }
  counts_.assign(view.size(), 0.0);
  std::vector<std::size_t> group(view.size(), 0);
  std::vector<double> group_size(view.size(), 0.0);
  for_each_holder(reader, [&](const Holder& holder) {
    std::int64_t key = 0;
    for (int j = 0; j < view.rank(); ++j) {
      const auto index = static_cast<std::size_t>(j);
      key = key * view.extent(j) + (depends[index] ? holder.at[index] : 0);
    }
    group[holder.local] = static_cast<std::size_t>(key);
    group_size[group[holder.local]] += 1.0;
    counts_[holder.local] = elements_of(holder.block);
  });
  copies_.assign(view.size(), 1.0);
  for (std::size_t local = 0; local < view.size(); ++local) {
    copies_[local] = group_size[group[local]];
  }
  add_written(view, result);
}

void TransferBuilder::written(const CommunicationSpec& spec, WrittenShares& result) {
  const Script& script = mapping_->script();
  const auto& tables = script.tables();
  for (std::vector<double>* figures : {&result.share, &result.duplicate, &result.once}) {
    figures->assign(mapping_->processors(), 0.0);
  }
  result.elements = 0.0;
  for (const std::uint32_t id : script.part_ids(spec.parts)) {
    if (spec.kind == CommunicationSpec::Kind::move) {
      const Layout& to = mapping_->layout(tables.move_parts[id].to);
      to.counts(counts_);
      copies_.assign(counts_.size(), to.copies());
      add_written(to.view(), result);
    } else if (spec.kind == CommunicationSpec::Kind::copy) {
      written_copy(tables.copy_parts[id], spec.view, result);
    } else if (spec.kind == CommunicationSpec::Kind::remote) {
      written_remote(tables.remote_parts[id], result);
    }
  }
  result.any = result.elements > 0.0;
  for (std::vector<double>* figures : {&result.share, &result.duplicate, &result.once}) {
    for (std::size_t p = 0; result.any && p < figures->size(); ++p) {
      (*figures)[p] /= result.elements;
    }
  }
}

}  // namespace gridcast::model
