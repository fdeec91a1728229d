#include "seal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "digest.h"
#include "files.h"
#include "gridcast/base/error.h"

namespace gridcast::store {
namespace {

constexpr std::array<char, 8> seal_magic{'G', 'C', 'S', 'E', 'A', 'L', '0', '1'};
constexpr std::array<unsigned char, 8> hdf5_signature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

struct RawSeal {
  std::array<char, 8> magic{};
  std::uint64_t covered = 0;  ///< bytes before the seal
  DigestStream::Digest digest{};
  std::int64_t rows = 0;         ///< of the store; 0 also if not told
  std::uint64_t own_digest = 0;  ///< of everything before it

  [[nodiscard]] std::uint64_t expected_digest() const noexcept {
    return digest64(std::as_bytes(std::span(this, 1)).first(offsetof(RawSeal, own_digest)));
  }
};
static_assert(sizeof(RawSeal) == 48);

DigestStream::Digest digest_of_file(int descriptor, const std::filesystem::path& path,
                                    std::uint64_t size) {
  constexpr std::size_t block = std::size_t{1} << 20U;
  std::vector<std::byte> buffer(block);
  DigestStream digest;
  for (std::uint64_t offset = 0; offset < size;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(block, size - offset));
    const std::size_t count = read_at(descriptor, path, offset, std::span(buffer).first(wanted));
    if (count == 0) {
      break;
    }
    digest.add(std::span(buffer).first(count));
    offset += count;
  }
  return digest.value();
}

/// What lies where the seal of a file of `size` bytes is.
RawSeal seal_of(int descriptor, const std::filesystem::path& path, std::uint64_t size) {
  RawSeal seal;
  if (size >= sizeof seal) {
    read_at(descriptor, path, size - sizeof seal, std::as_writable_bytes(std::span(&seal, 1)));
  }
  return seal;
}

}  // namespace

std::int64_t sealed_rows(const std::filesystem::path& path) {
  const Descriptor file(open_descriptor(path, O_RDONLY));
  const RawSeal seal = seal_of(file.get(), path, size_of_file(file.get(), path));
  const bool whole = seal.magic == seal_magic && seal.own_digest == seal.expected_digest();
  return whole ? std::max<std::int64_t>(seal.rows, 0) : 0;
}

SealState examine_seal(const std::filesystem::path& path) {
  const Descriptor file(open_descriptor(path, O_RDONLY));
  const std::uint64_t size = size_of_file(file.get(), path);
  const RawSeal seal = seal_of(file.get(), path, size);
  const bool has_magic = seal.magic == seal_magic;
  if (has_magic && seal.own_digest == seal.expected_digest() &&
      seal.covered == size - sizeof seal) {
    return digest_of_file(file.get(), path, seal.covered) == seal.digest ? SealState::whole
                                                                         : SealState::broken;
  }
  if (has_magic) {
    return SealState::broken;
  }
  std::array<unsigned char, 8> begin{};
  read_at(file.get(), path, 0, std::as_writable_bytes(std::span(begin)));
  return begin == hdf5_signature ? SealState::absent : SealState::foreign;
}

void require_seal(const std::filesystem::path& path) {
  const std::string remedy = "save what is readable with: gridcast store repair " + path.string();
  switch (examine_seal(path)) {
    case SealState::whole:
      return;
    case SealState::foreign:
      throw InputError(path.string(), 0, "is not an HDF5 file", "expected a store of gridcast");
    case SealState::absent:
      throw RunError(path.string(),
                     "is not a store of gridcast as it was written: it has no seal, because it was "
                     "cut, or changed by another program, or is another kind of HDF5 file",
                     remedy);
    case SealState::broken:
      break;
  }
  throw RunError(path.string(), "is damaged: its bytes are not those that were written", remedy);
}

void add_seal(const std::filesystem::path& path, std::int64_t rows) {
  const Descriptor file(open_descriptor(path, O_RDWR));
  RawSeal seal;
  seal.magic = seal_magic;
  seal.rows = rows;
  seal.covered = size_of_file(file.get(), path);
  seal.digest = digest_of_file(file.get(), path, seal.covered);
  seal.own_digest = seal.expected_digest();
  write_at(file.get(), path, seal.covered, std::as_bytes(std::span(&seal, 1)));
}

void remove_seal(const std::filesystem::path& path) {
  const Descriptor file(open_descriptor(path, O_RDWR));
  const std::uint64_t size = size_of_file(file.get(), path);
  if (size < sizeof(RawSeal) ||
      ::ftruncate(file.get(), static_cast<off_t>(size - sizeof(RawSeal))) != 0) {
    throw RunError(path.string(), "cannot shorten the file: " + reason_of(errno), "try again");
  }
}

}  // namespace gridcast::store
