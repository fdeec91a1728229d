#include "gridcast/base/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "gridcast/base/error.h"

namespace gridcast {
namespace {

void require(bool ok) {
  if (!ok) {
    throw RunError("libcrypto", "SHA-256 failed", "check the OpenSSL installation");
  }
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const noexcept { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  require(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
}

void Sha256::update(std::span<const char> bytes) {
  require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  require(EVP_DigestFinal_ex(context_.get(), digest.data(), &length) == 1);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * std::size_t{length});
  for (unsigned i = 0; i < length; ++i) {
    text.push_back(digits[digest[i] >> 4U]);
    text.push_back(digits[digest[i] & 15U]);
  }
  return text;
}

}  // namespace gridcast
