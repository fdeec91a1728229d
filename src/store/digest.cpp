#include "digest.h"

#include <xxhash.h>

#include <new>

namespace gridcast::store {

std::uint64_t digest64(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

struct DigestStream::State {
  XXH3_state_t* hash = nullptr;
};

DigestStream::DigestStream() : state_(std::make_unique<State>()) {
  state_->hash = XXH3_createState();
  if (state_->hash == nullptr || XXH3_128bits_reset(state_->hash) != XXH_OK) {
    throw std::bad_alloc();
  }
}

DigestStream::~DigestStream() { XXH3_freeState(state_->hash); }

void DigestStream::add(std::span<const std::byte> bytes) noexcept {
  static_cast<void>(XXH3_128bits_update(state_->hash, bytes.data(), bytes.size()));
}

DigestStream::Digest DigestStream::value() const noexcept {
  const XXH128_hash_t result = XXH3_128bits_digest(state_->hash);
  return {result.low64, result.high64};
}

}  // namespace gridcast::store
