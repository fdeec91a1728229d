#include <algorithm>
#include <string>

#include "files.h"
#include "gridcast/base/error.h"
#include "gridcast/store/run_columns.h"
#include "result_file.h"
#include "validation.h"
#include "whole_columns.h"

namespace gridcast::store {
namespace {

constexpr const char* proof_group = "proof";
constexpr std::size_t proof_overhead = std::size_t{1} << 16U;
constexpr hsize_t corner_size = machine::max_grid_rank;

using machine::GridBox;
using search::OpenBox;

template <class Of>
void write_corners(const hdf5::Group& group, const char* name, const std::vector<OpenBox>& boxes,
                   Of&& of) {
  std::vector<std::int32_t> values;
  values.reserve(boxes.size() * corner_size);
  for (const OpenBox& open : boxes) {
    const GridBox::Corner& corner = of(open.box);
    values.insert(values.end(), corner.begin(), corner.end());
  }
  write_whole(group, name, values, corner_size);
}

GridBox::Corner corner_of(const std::vector<std::int32_t>& values, std::size_t box) {
  GridBox::Corner corner;
  std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(box * corner_size), corner_size,
              corner.begin());
  return corner;
}

}  // namespace

void ResultFile::write_proof(const Proof& proof) {
  reserve_space(path_, proof.boxes.size() * sizeof(OpenBox) + proof_overhead);
  if (hdf5::exists(file_, proof_group)) {
    hdf5::remove(file_, proof_group);
  }
  const hdf5::Group group = hdf5::create_group(file_, proof_group);
  hdf5::write_attribute(group, "max_processors", proof.max_processors);
  hdf5::write_attribute(group, "excluded", proof.excluded);
  write_corners(
      group, "first", proof.boxes, [](const GridBox& box) -> auto& { return box.first(); });
  write_corners(
      group, "last", proof.boxes, [](const GridBox& box) -> auto& { return box.last(); });
  if (has_threads(setup_)) {
    std::vector<std::int32_t> threads;
    std::ranges::transform(proof.boxes, std::back_inserter(threads),
                           [](const OpenBox& open) { return open.box.threads(); });
    hdf5::write_attribute(write_whole(group, "threads", threads), "long_name",
                          "Threads of each process of its grids");
  }
  std::vector<double> bounds;
  std::ranges::transform(proof.boxes, std::back_inserter(bounds), &OpenBox::bound);
  hdf5::write_attribute(write_whole(group, "bound", bounds), "long_name",
                        "No open grid of the box is better than this by the objective");
}

std::optional<Proof> ResultFile::proof() const {
  if (!hdf5::exists(file_, proof_group)) {
    return std::nullopt;
  }
  const hdf5::Group group = hdf5::open_group(file_, proof_group);
  const auto column = [&](const char* name, hsize_t count, hsize_t width) {
    return read_whole<std::int32_t>(group, "/proof", name, count, width);
  };
  Proof proof;
  proof.max_processors = hdf5::read_integer_attribute(group, "max_processors");
  proof.excluded = hdf5::read_integer_attribute(group, "excluded");
  const auto bounds = read_whole<double>(group, "/proof", "bound", std::nullopt);
  const std::vector<std::int32_t> first = column("first", bounds.size(), corner_size);
  const std::vector<std::int32_t> last = column("last", bounds.size(), corner_size);
  const std::vector<std::int32_t> threads = has_threads(setup_)
                                                ? column("threads", bounds.size(), 1)
                                                : std::vector<std::int32_t>(bounds.size(), 1);
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    proof.boxes.push_back({{corner_of(first, i), corner_of(last, i), threads[i]}, bounds[i]});
  }
  require_no_trouble(path_, trouble_with(proof));
  return proof;
}

}  // namespace gridcast::store
