#include "file_window.h"

#include <algorithm>

namespace gridcast::store {
namespace {

/// Read at once.
constexpr std::size_t window_block = std::size_t{1} << 20U;

}  // namespace

std::span<const std::byte> FileWindow::view(std::uint64_t offset, std::size_t size) {
  if (offset < start_ || size > start_ + filled_ || offset > start_ + filled_ - size) {
    // What a damaged record says of its length may be more than there is.
    const std::uint64_t whole = size_of_file(file_.get(), path_);
    const std::uint64_t left = whole - std::min(offset, whole);
    buffer_.resize(std::max<std::size_t>(std::min<std::uint64_t>(size, left), window_block));
    start_ = offset;
    filled_ = read_at(file_.get(), path_, offset, buffer_);
  }
  const std::size_t skip = std::min<std::size_t>(offset - start_, filled_);
  return std::span(buffer_).subspan(skip, std::min(size, filled_ - skip));
}

std::span<const std::byte> FileWindow::rest(std::uint64_t offset, std::size_t least) {
  if (view(offset, least).empty()) {
    return {};
  }
  const auto skip = static_cast<std::size_t>(offset - start_);
  return std::span(buffer_).subspan(skip, filled_ - skip);
}

}  // namespace gridcast::store
