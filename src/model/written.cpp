/// Who writes how much in a call that copies: the shares of its return time (MODEL.md §2.3).

#include <algorithm>
#include <array>

#include "transfers.h"

namespace gridcast::model {

using mapping::AxisRule;
using mapping::IndexRange;
using mapping::Layout;

void TransferBuilder::add_written(const mapping::ProcessorView& view,
                                  std::span<const double> elements, double copies,
                                  WrittenShares& result, double& total, double distinct) {
  total += distinct;
  const double duplicated = copies > 1.0 ? (copies - 1.0) / copies : 0.0;
  for (std::size_t local = 0; local < view.size(); ++local) {
    const std::uint32_t p = view.processors()[local];
    result.share[p] += elements[local];
    result.duplicate[p] += elements[local] * duplicated;
  }
}

void TransferBuilder::written(const CommunicationSpec& spec, WrittenShares& result) {
  const Script& script = mapping_->script();
  const auto& tables = script.tables();
  result.share.assign(mapping_->processors(), 0.0);
  result.duplicate.assign(mapping_->processors(), 0.0);
  double total = 0.0;
  std::array<std::int64_t, machine::max_grid_rank> at{};
  std::array<IndexRange, mapping::max_rank> block;
  for (const std::uint32_t id : script.part_ids(spec.parts)) {
    if (spec.kind == CommunicationSpec::Kind::move) {
      const Layout& to = mapping_->layout(tables.move_parts[id].to);
      to.counts(counts_);
      add_written(to.view(), counts_, to.copies(), result, total, to.elements());
    } else if (spec.kind == CommunicationSpec::Kind::copy) {
      const CopyPart& part = tables.copy_parts[id];
      const Layout* to = part.to == none ? nullptr : &mapping_->layout(part.to);
      const mapping::ProcessorView& view = to == nullptr ? mapping_->view(spec.view) : to->view();
      const std::span<const std::int64_t> section =
          script.ints(to == nullptr ? part.from_section : part.to_section);
      double distinct = 1.0;
      for (std::size_t i = 2; i < section.size(); i += 3) {
        distinct *= static_cast<double>(section[i]);
      }
      counts_.assign(view.size(), distinct);
      for (std::size_t local = 0; to != nullptr && local < view.size(); ++local) {
        to->coordinates(local, at);
        double elements = 0.0;
        const bool writes = to->block(at, block) && copy_needs(part, block, needs_, elements);
        counts_[local] = writes ? elements : 0.0;
      }
      const double copies = to == nullptr ? static_cast<double>(view.size()) : to->copies();
      add_written(view, counts_, copies, result, total, distinct);
    } else if (spec.kind == CommunicationSpec::Kind::remote) {
      const RemotePart& part = tables.remote_parts[id];
      const Layout* reader = part.reader == none ? nullptr : &mapping_->layout(part.reader);
      const mapping::ProcessorView& view =
          reader == nullptr ? mapping_->view(part.view) : reader->view();
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
      counts_.assign(view.size(), 0.0);
      double readers = 0.0;
      for (std::size_t local = 0; local < view.size(); ++local) {
        bool reads = true;
        if (reader != nullptr) {
          reader->coordinates(local, at);
          reads = reader->block(at, block);
        }
        if (reads) {
          counts_[local] = reader == nullptr ? elements_of({}) : elements_of(block);
          readers += 1.0;
        }
      }
      if (reader != nullptr) {
        for (int dim = 0; dim < reader->rank(); ++dim) {
          block[static_cast<std::size_t>(dim)] = {0, reader->extent(dim)};
        }
      }
      const double distinct = reader == nullptr ? elements_of({}) : elements_of(block);
      // Processors that differ only in dimensions on which the need does not depend read the same.
      double groups = 1.0;
      for (int j = 0; reader != nullptr && j < view.rank(); ++j) {
        const int cut = reader->split_dimension(j);
        const auto rules = script.rules(part.needs);
        const bool depends =
            cut >= 0 && std::any_of(rules.begin(), rules.end(), [&](const AxisRule& r) {
              return r.kind == AxisRule::Kind::linear && r.dim == cut;
            });
        double used = 0.0;
        for (std::int64_t q = 0; depends && q < view.extent(j); ++q) {
          used += reader->range(j, q).empty() ? 0.0 : 1.0;
        }
        groups *= std::max(used, 1.0);
      }
      add_written(view, counts_, readers / groups, result, total, distinct);
    }
  }
  result.any = total > 0.0;
  for (std::size_t p = 0; result.any && p < result.share.size(); ++p) {
    result.share[p] /= total;
    result.duplicate[p] /= total;
  }
  result.any = result.any && std::any_of(result.share.begin(), result.share.end(),
                                         [](double share) { return share > 0.0; });
}

}  // namespace gridcast::model
