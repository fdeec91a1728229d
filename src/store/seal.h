#pragma once
/// The seal of a store: 48 bytes behind the end of the HDF5 file with a digest of all that is
/// before them. HDF5 ignores what follows its own end, so every reader opens a sealed file. Nothing
/// in a file is parsed before its seal has been found whole.

#include <cstdint>
#include <filesystem>

namespace gridcast::store {

enum class SealState : std::uint8_t {
  whole,   ///< every byte is the one that was written
  broken,  ///< bytes were changed, lost or added
  absent,  ///< an HDF5 file without a seal: no store, cut, or changed by another program
  foreign  ///< not even that
};

/// Reads the whole file. Throws RunError if it cannot be read.
[[nodiscard]] SealState examine_seal(const std::filesystem::path& path);

/// Throws InputError if the file is no HDF5 file, RunError if it is not as it was written.
void require_seal(const std::filesystem::path& path);

/// Rows of the store by a seal that is whole itself, whatever the file is; 0 if there is none or it
/// does not say. Throws RunError if the file cannot be read.
[[nodiscard]] std::int64_t sealed_rows(const std::filesystem::path& path);

/// Adds the seal to a finished HDF5 file with `rows` rows. Throws RunError.
void add_seal(const std::filesystem::path& path, std::int64_t rows);

/// Takes the seal off a file that has one, so that HDF5 can go on writing.
void remove_seal(const std::filesystem::path& path);

}  // namespace gridcast::store
