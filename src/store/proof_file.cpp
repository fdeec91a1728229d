#include <algorithm>
#include <string>

#include "files.h"
#include "gridcast/base/error.h"
#include "gridcast/store/run_columns.h"
#include "result_file.h"
#include "validation.h"

namespace gridcast::store {
namespace {

constexpr const char* proof_group = "proof";
constexpr hsize_t proof_dimensions = machine::max_grid_rank;
constexpr hsize_t boxes_per_chunk = 4096;
constexpr std::size_t proof_overhead = std::size_t{1} << 16U;

using Corner = std::array<std::int32_t, machine::max_grid_rank>;

void write_corners(const hdf5::Group& group, const char* name, const std::vector<OpenBox>& boxes,
                   Corner OpenBox::*corner) {
  std::vector<std::int32_t> values;
  values.reserve(boxes.size() * proof_dimensions);
  for (const OpenBox& box : boxes) {
    values.insert(values.end(), (box.*corner).begin(), (box.*corner).end());
  }
  const hdf5::Dataset dataset = hdf5::create_dataset(
      group, name, hdf5::Type::int32,
      {{boxes.size(), proof_dimensions},
       {std::clamp<hsize_t>(boxes.size(), 1, boxes_per_chunk), proof_dimensions},
       {true, false}});
  if (!boxes.empty()) {
    hdf5::write(dataset, hdf5::Type::int32, std::array<hsize_t, 2>{0, 0},
                std::array<hsize_t, 2>{boxes.size(), proof_dimensions}, values.data());
  }
}

void read_corners(const hdf5::Group& group, const char* name, std::vector<OpenBox>& boxes,
                  Corner OpenBox::*corner) {
  const hdf5::Dataset dataset = hdf5::open_dataset(group, name, 0);
  const std::vector<hsize_t> shape = hdf5::shape(dataset);
  if (shape != std::vector<hsize_t>{boxes.size(), proof_dimensions}) {
    throw RunError(*group.file(), std::string("/proof/") + name + " has another length than bound",
                   "delete the group /proof, or use store repair");
  }
  std::vector<std::int32_t> values(boxes.size() * proof_dimensions);
  if (!boxes.empty()) {
    hdf5::read(dataset, hdf5::Type::int32, std::array<hsize_t, 2>{0, 0},
               std::array<hsize_t, 2>{boxes.size(), proof_dimensions}, values.data());
  }
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i * proof_dimensions),
                proof_dimensions, (boxes[i].*corner).begin());
  }
}

void write_threads(const hdf5::Group& group, const std::vector<OpenBox>& boxes) {
  const hsize_t count = boxes.size();
  std::vector<std::int32_t> threads(count);
  std::ranges::transform(boxes, threads.begin(), &OpenBox::threads);
  const hdf5::Dataset dataset =
      hdf5::create_dataset(group, "threads", hdf5::Type::int32,
                           {{count}, {std::clamp<hsize_t>(count, 1, boxes_per_chunk)}, {true}});
  hdf5::write_attribute(dataset, "long_name", "Threads of each process of its grids");
  if (count > 0) {
    hdf5::write(dataset, hdf5::Type::int32, std::array<hsize_t, 1>{0},
                std::array<hsize_t, 1>{count}, threads.data());
  }
}

void read_threads(const hdf5::Group& group, std::vector<OpenBox>& boxes) {
  const hdf5::Dataset dataset = hdf5::open_dataset(group, "threads", 0);
  if (hdf5::shape(dataset) != std::vector<hsize_t>{boxes.size()}) {
    throw RunError(*group.file(), "/proof/threads has another length than bound",
                   "delete the group /proof, or use store repair");
  }
  std::vector<std::int32_t> threads(boxes.size());
  if (!boxes.empty()) {
    hdf5::read(dataset, hdf5::Type::int32, std::array<hsize_t, 1>{0},
               std::array<hsize_t, 1>{boxes.size()}, threads.data());
  }
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    boxes[i].threads = threads[i];
  }
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
  write_corners(group, "first", proof.boxes, &OpenBox::first);
  write_corners(group, "last", proof.boxes, &OpenBox::last);
  const hsize_t count = proof.boxes.size();
  if (has_threads(setup_)) {
    write_threads(group, proof.boxes);
  }
  std::vector<double> bounds(count);
  std::ranges::transform(proof.boxes, bounds.begin(), &OpenBox::bound);
  const hdf5::Dataset dataset =
      hdf5::create_dataset(group, "bound", hdf5::Type::float64,
                           {{count}, {std::clamp<hsize_t>(count, 1, boxes_per_chunk)}, {true}});
  hdf5::write_attribute(dataset, "long_name",
                        "No open grid of the box is better than this by the objective");
  if (count > 0) {
    hdf5::write(dataset, hdf5::Type::float64, std::array<hsize_t, 1>{0},
                std::array<hsize_t, 1>{count}, bounds.data());
  }
}

std::optional<Proof> ResultFile::proof() const {
  if (!hdf5::exists(file_, proof_group)) {
    return std::nullopt;
  }
  const hdf5::Group group = hdf5::open_group(file_, proof_group);
  Proof proof;
  proof.max_processors = hdf5::read_integer_attribute(group, "max_processors");
  proof.excluded = hdf5::read_integer_attribute(group, "excluded");
  const hdf5::Dataset dataset = hdf5::open_dataset(group, "bound", 0);
  std::vector<double> bounds(hdf5::shape(dataset).front());
  if (!bounds.empty()) {
    hdf5::read(dataset, hdf5::Type::float64, std::array<hsize_t, 1>{0},
               std::array<hsize_t, 1>{bounds.size()}, bounds.data());
  }
  proof.boxes.resize(bounds.size());
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    proof.boxes[i].bound = bounds[i];
  }
  read_corners(group, "first", proof.boxes, &OpenBox::first);
  read_corners(group, "last", proof.boxes, &OpenBox::last);
  if (has_threads(setup_)) {
    read_threads(group, proof.boxes);
  }
  require_no_trouble(path_, trouble_with(proof));
  return proof;
}

}  // namespace gridcast::store
