// SHA-256 (FIPS 180-4), for fingerprints and content security policies; not for secrets.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ncclwhy {

// As the standard writes it, the first byte first.
using Sha256Digest = std::array<uint8_t, 32>;

// Of the whole text at once: it is copied, with its padding. Nothing here hashes more than some megabytes.
// Thread-safe; throws nothing but std::bad_alloc.
Sha256Digest Sha256(std::string_view data);
// 64 lower-case digits; and with `=` at the end, as Content-Security-Policy wants it.
std::string Sha256Hex(std::string_view data);
// 44 characters.
std::string Sha256Base64(std::string_view data);

}  // namespace ncclwhy
