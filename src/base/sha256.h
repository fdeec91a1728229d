#pragma once
/// SHA-256 of a stream of bytes (OpenSSL's libcrypto, which uses the processor's instructions for
/// it).

#include <memory>
#include <span>
#include <string>

struct evp_md_ctx_st;

namespace gridcast {

/// Digest of the bytes given so far; one object per file.
class Sha256 {
public:
  /// Throws RunError if the library has no SHA-256.
  Sha256();

  void update(std::span<const char> bytes);

  /// The digest as 64 hexadecimal digits. Call once, at the end.
  [[nodiscard]] std::string hex();

private:
  /// Frees a context of OpenSSL.
  struct Free {
    void operator()(evp_md_ctx_st* context) const noexcept;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace gridcast
