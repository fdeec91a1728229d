/// Redistributions, array copies and remote-access buffers.

#include <algorithm>

#include "bound_transfers.h"

namespace gridcast::model {

using machine::NetworkType;
using mapping::AxisRule;
using mapping::IndexRange;
using mapping::StridedRange;

namespace {

bool is_whole(const StridedRange& range, std::int64_t extent) {
  return range.first == 0 && range.step == 1 && range.count == extent;
}

}  // namespace

// --- what is needed does not depend on the reader
// --------------------------------------------------------

bool BoundTransfers::sources(const GridBlocks& from, std::span<const StridedRange> need,
                             Sources& result) {
  result.uncut = 1.0;
  for (int dim = 0; dim < from.rank(); ++dim) {
    if (from.grid_dimension(dim) < 0) {
      result.uncut *= static_cast<double>(need[static_cast<std::size_t>(dim)].count);
    }
  }
  for (int j = 0; j < shape().rank; ++j) {
    const auto index = static_cast<std::size_t>(j);
    const StepFunction& sizes = from.sizes(j);
    if (!from.cuts(j)) {
      if (shape().extents[index] > 1) {
        return false;  // several processors hold the same: who sends depends on the reader
      }
      result.elements[index] = &sizes;
      result.present[index] = &indicator(sizes);
      continue;
    }
    const auto dim = static_cast<std::size_t>(from.dimension(j));
    const StridedRange& range = need[dim];
    if (is_whole(range, from.extent(from.dimension(j)))) {
      result.elements[index] = &sizes;
    } else {
      // Coordinates in the order of their elements; the ones that overlap follow each other.
      const std::int64_t extent = sizes.extent();
      const auto nth = [&](std::int64_t k) { return from.ascending(j) ? k : extent - 1 - k; };
      const IndexRange hull = range.hull();
      std::int64_t low = 0;
      for (std::int64_t high = extent; low < high;) {
        const std::int64_t middle = (low + high) / 2;
        const bool before = from.range(j, nth(middle)).hi <= hull.lo;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
      }
      std::int64_t end = low;
      while (end < extent && from.range(j, nth(end)).lo < hull.hi) {
        ++end;
      }
      StepFunction& elements = streams_.function();
      elements.clear(extent);
      elements.append(0, 0.0);
      const std::int64_t begin_at = from.ascending(j) ? low : extent - end;
      const std::int64_t end_at = from.ascending(j) ? end : extent - low;
      elements.clear(extent);
      if (begin_at > 0) {
        elements.append(0, 0.0);
      }
      for (std::int64_t q = begin_at; q < end_at; ++q) {
        elements.append(q, static_cast<double>(range.positions_in(from.range(j, q)).size()));
      }
      if (end_at < extent) {
        elements.append(end_at, 0.0);
      }
      result.elements[index] = &elements;
    }
    result.present[index] = &indicator(*result.elements[index]);
  }
  return true;
}

void BoundTransfers::spread(const GridBlocks& from, std::span<const StridedRange> need,
                            double element_size, const Factors& readers, BoundTimes& result) {
  Sources held;
  if (!from.product() || from.fully_replicated() || !sources(from, need, held)) {
    return;
  }
  const ProductForm present(shape(), 1.0, held.present);
  const ProductForm elements(shape(), held.uncut * element_size, held.elements);
  if (!(elements.total() > 0.0)) {
    return;
  }
  if (present.total() > 1.0) {
    exchange(held, element_size, readers, result);
    return;
  }
  GridShape::Coordinates at{};
  for (std::size_t j = 0; j < static_cast<std::size_t>(shape().rank); ++j) {
    at[j] = held.present[j]->first_positive();
  }
  part_.reset(candidates_.size());
  fan(shape().number(at), readers, elements.total(), nullptr, part_);
  run_fan(shape().number(at), nullptr, readers, elements.total(), part_);
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    result.raise(i, part_.own[i], part_.own_shared[i]);
  }
  result.raise_last(part_.last, part_.last_shared);
}

void BoundTransfers::exchange(const Sources& from, double element_size, const Factors& readers,
                              BoundTimes& result) {
  // Every reader gets a message from every source but itself.
  const BoundMachine& machine = mapping_->machine();
  const machine::Network& network = machine.network(mapping_->top());
  const double scale = from.uncut * element_size;
  Factors both_present{};
  Factors both_elements{};
  for (std::size_t j = 0; j < static_cast<std::size_t>(shape().rank); ++j) {
    for (const bool elements : {false, true}) {
      const StepFunction& a = elements ? *from.elements[j] : *from.present[j];
      const StepFunction& b = *readers[j];
      StepFunction& product = streams_.function();
      product.clear(a.extent());
      std::vector<std::int64_t> places;
      for (const StepFunction* function : {&a, &b}) {
        for (const StepFunction::Run& run : function->runs()) {
          places.push_back(run.begin);
        }
      }
      std::sort(places.begin(), places.end());
      places.erase(std::unique(places.begin(), places.end()), places.end());
      for (const std::int64_t at : places) {
        product.append(at, a.value(at) * b.value(at));
      }
      (elements ? both_elements : both_present)[j] = &product;
    }
  }
  const ProductForm reader(shape(), 1.0, readers);
  const ProductForm source(shape(), 1.0, from.present);
  const ProductForm bytes(shape(), scale, from.elements);
  const ProductForm both(shape(), 1.0, both_present);
  const ProductForm both_bytes(shape(), scale, both_elements);
  double messages = reader.total() * source.total() - both.total();
  double volume = reader.total() * bytes.total() - both_bytes.total();
  for (const std::uint32_t below : machine.part(mapping_->top()).networks) {
    // Both ends under the same network: not through the one above.
    const BoundMachine::Part& part = machine.part(below);
    const auto sum = [&](const ProductForm& form) {
      return form.prefix(part.end) - form.prefix(part.begin);
    };
    if (part.begin >= shape().processors) {
      break;
    }
    messages -= sum(reader) * sum(source) - sum(both);
    volume -= sum(reader) * sum(bytes) - sum(both_bytes);
  }
  if (!(messages > 0.5)) {
    return;
  }
  const double longest = network.start_time + bytes.most() * network.byte_time;
  if (network.type == NetworkType::transputer) {
    result.raise_last(network.start_time, network.start_time);
    return;
  }
  const double all = (messages * network.start_time + volume * network.byte_time) /
                     static_cast<double>(network.channels);
  result.raise_last(all, all);
  if (!machine.part(mapping_->top()).networks.empty()) {
    return;
  }
  // One network for all: the last message to a candidate comes from the last source that is not
  // itself.
  GridShape::Coordinates at{};
  for (std::size_t j = 0; j < static_cast<std::size_t>(shape().rank); ++j) {
    at[j] = from.present[j]->last_positive();
  }
  const std::int64_t last = shape().number(at);
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const std::int64_t p = candidates_[i];
    if (p == last || !(reader.at(p) > 0.0)) {
      continue;
    }
    const double length = network.start_time + bytes.at(last) * network.byte_time;
    const double earlier_messages = reader.total() * source.prefix(last) - both.prefix(last);
    const double earlier_bytes = reader.total() * bytes.prefix(last) - both_bytes.prefix(last);
    const double own = reader.prefix(p) - (last < p ? reader.at(last) : 0.0);
    const double before =
        earlier_messages * network.start_time + earlier_bytes * network.byte_time + own * length;
    result.raise(i, begin_behind(before, longest, network.channels) + length, length);
  }
}

// --- kinds
// -----------------------------------------------------------------------------------------------

void BoundTransfers::remote(const RemotePart& part, BoundTimes& result) {
  const GridBlocks* from = mapping_->blocks(part.array);
  const GridBlocks* reader = part.reader == none ? nullptr : mapping_->blocks(part.reader);
  if (from == nullptr || part.view != 0 || (part.reader != none && reader == nullptr)) {
    return;
  }
  Factors readers = everybody();
  GridBlocks::Block iterations;
  std::span<const IndexRange> block;
  if (reader != nullptr) {
    if (!reader->product() || !reader->anywhere()) {
      return;
    }
    for (const AxisRule& rule : mapping_->script().rules(part.needs)) {
      if (rule.kind == AxisRule::Kind::linear && reader->grid_dimension(rule.dim) >= 0) {
        return;  // each reader needs something else
      }
    }
    GridShape::Coordinates at{};
    for (int j = 0; j < shape().rank; ++j) {
      readers[static_cast<std::size_t>(j)] = &indicator(reader->sizes(j));
      at[static_cast<std::size_t>(j)] = reader->sizes(j).first_positive();
    }
    reader->block(at, iterations);
    block = {iterations.data(), static_cast<std::size_t>(reader->rank())};
  }
  if (needs_->remote_needs(part, block, need_)) {
    spread(*from, need_, static_cast<double>(part.element_size), readers, result);
  }
}

void BoundTransfers::copy(const CopyPart& part, BoundTimes& result) {
  if (part.from == none) {
    return;
  }
  const GridBlocks* from = mapping_->blocks(part.from);
  if (from == nullptr) {
    return;
  }
  Factors readers = everybody();
  GridBlocks::Block block;
  std::span<const IndexRange> written;
  if (part.to != none) {
    const GridBlocks* to = mapping_->blocks(part.to);
    if (to == nullptr || !to->product() || !to->anywhere()) {
      return;
    }
    GridShape::Coordinates at{};
    for (int j = 0; j < shape().rank; ++j) {
      const auto index = static_cast<std::size_t>(j);
      const StepFunction& sizes = to->sizes(j);
      at[index] = sizes.first_positive();
      readers[index] = &indicator(sizes);
      if (!to->cuts(j)) {
        continue;
      }
      // One written element along a cut dimension: one coordinate writes it.
      const auto section = mapping_->script().ints(part.to_section);
      const auto dim = static_cast<std::size_t>(to->dimension(j)) * 3;
      if (section[dim + 2] != 1) {
        return;
      }
      at[index] = -1;
      for (std::int64_t q = 0; q < sizes.extent() && at[index] < 0; ++q) {
        const IndexRange range = to->range(j, q);
        at[index] = range.lo <= section[dim] && section[dim] < range.hi ? q : -1;
      }
      if (at[index] < 0) {
        return;
      }
      readers[index] = &only_at(sizes.extent(), at[index]);
    }
    to->block(at, block);
    written = {block.data(), static_cast<std::size_t>(to->rank())};
  }
  double elements = 0.0;
  if (needs_->copy_needs(part, written, need_, elements)) {
    spread(*from, need_, static_cast<double>(part.element_size), readers, result);
  }
}

void BoundTransfers::move(const MovePart& part, BoundTimes& result) {
  const GridBlocks* from = mapping_->blocks(part.from);
  const GridBlocks* to = mapping_->blocks(part.to);
  if (from == nullptr || to == nullptr || !from->product() || !to->product() ||
      !mapping_->machine().flat()) {
    return;
  }
  // Elements that their new holder did not hold: all new ones without at most those that are in
  // both blocks.
  Factors after{};
  Factors stays{};
  double uncut = 1.0;
  for (int dim = 0; dim < to->rank(); ++dim) {
    if (to->grid_dimension(dim) < 0 && from->grid_dimension(dim) < 0) {
      uncut *= static_cast<double>(to->extent(dim));
    }
  }
  for (int j = 0; j < shape().rank; ++j) {
    const auto index = static_cast<std::size_t>(j);
    after[index] = &to->sizes(j);
    StepFunction& kept = streams_.function();
    const std::int64_t extent = to->sizes(j).extent();
    kept.clear(extent);
    for (std::int64_t q = 0; q < extent; ++q) {
      double factor = 1.0;
      if (to->active(j)) {
        factor = to->sizes(j).value(q);
      }
      if (from->cuts(j)) {
        const int dim = from->dimension(j);
        if (to->dimension(j) == dim) {
          factor = static_cast<double>(intersect(to->range(j, q), from->range(j, q)).size());
        } else if (to->grid_dimension(dim) < 0) {
          factor *= from->sizes(j).value(q);
        }
      }
      kept.append(q, factor);
    }
    stays[index] = &kept;
  }
  const double all = ProductForm(shape(), to->uncut(), after).total();
  const double kept = ProductForm(shape(), uncut, stays).total();
  const double moved = (all - kept) * static_cast<double>(part.element_size);
  if (!(moved > 0.0) || !(from->elements() > 0.0)) {
    return;
  }
  const machine::Network& network = mapping_->machine().network(0);
  const double time = network.type == NetworkType::transputer
                          ? network.start_time
                          : (network.start_time + moved * network.byte_time) /
                                static_cast<double>(network.channels);
  result.raise_last(time, time);
}

double BoundTransfers::written(std::uint32_t communication, std::size_t candidate) {
  const Script& script = mapping_->script();
  const auto& tables = script.tables();
  const CommunicationSpec& spec = tables.communications[communication];
  const GridShape::Coordinates at = shape().coordinates(candidates_[candidate]);
  GridBlocks::Block block;
  double total = 0.0;
  double own = 0.0;
  const auto elements_of = [&](const RemotePart& part, std::span<const IndexRange> iterations) {
    if (!needs_->remote_needs(part, iterations, need_)) {
      return 0.0;
    }
    double product = 1.0;
    for (const StridedRange& range : need_) {
      product *= static_cast<double>(range.count);
    }
    return product;
  };
  for (const std::uint32_t id : script.part_ids(spec.parts)) {
    if (spec.kind == CommunicationSpec::Kind::move) {
      const GridBlocks* to = mapping_->blocks(tables.move_parts[id].to);
      if (to == nullptr) {
        return 0.0;
      }
      total += to->elements();
      own += to->count(at);
    } else if (spec.kind == CommunicationSpec::Kind::copy) {
      const CopyPart& part = tables.copy_parts[id];
      const GridBlocks* to = part.to == none ? nullptr : mapping_->blocks(part.to);
      if ((part.to != none && to == nullptr) || spec.view != 0) {
        return 0.0;
      }
      const auto section = script.ints(to == nullptr ? part.from_section : part.to_section);
      double distinct = 1.0;
      for (std::size_t i = 2; i < section.size(); i += 3) {
        distinct *= static_cast<double>(section[i]);
      }
      total += distinct;
      double elements = distinct;
      if (to != nullptr &&
          !(to->block(at, block) &&
            needs_->copy_needs(part, {block.data(), static_cast<std::size_t>(to->rank())}, need_,
                               elements))) {
        elements = 0.0;
      }
      own += elements;
    } else if (spec.kind == CommunicationSpec::Kind::remote) {
      const RemotePart& part = tables.remote_parts[id];
      const GridBlocks* reader = part.reader == none ? nullptr : mapping_->blocks(part.reader);
      if ((part.reader != none && reader == nullptr) || part.view != 0) {
        return 0.0;
      }
      if (reader == nullptr) {
        const double elements = elements_of(part, {});
        total += elements;
        own += elements;
        continue;
      }
      const auto rank = static_cast<std::size_t>(reader->rank());
      if (reader->block(at, block)) {
        own += elements_of(part, {block.data(), rank});
      }
      for (std::size_t dim = 0; dim < rank; ++dim) {
        block[dim] = {0, reader->extent(static_cast<int>(dim))};
      }
      total += elements_of(part, {block.data(), rank});
    }
  }
  return total > 0.0 ? own / total : 1.0;
}

}  // namespace gridcast::model
