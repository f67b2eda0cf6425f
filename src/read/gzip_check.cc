#include "read/gzip_check.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace ncclwhy {
namespace {

constexpr size_t kTrailer = 8;
// A member's magic number, its method and its flags.
constexpr std::string_view kGzipMagic("\x1F\x8B\x08", 3);
constexpr size_t kGzipHead = kGzipMagic.size() + 1;
// Behind the last trailer may stand padding or a line of somebody's.
constexpr size_t kTail = 4096;
constexpr size_t kLineBehind = 120;
constexpr size_t kMostTrailers = 4096;
// Packed data that look like a trailer and a magic number are rare.
constexpr size_t kNext = 8;

// Eight tables, so that eight bytes take one step ("slicing by eight").
constexpr auto kTables = [] {
  std::array<std::array<uint32_t, 256>, 8> t{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1) != 0 ? 0xEDB88320u : 0u);
    t[0][i] = c;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t i = 0; i < 256; ++i) t[k][i] = (t[k - 1][i] >> 8) ^ t[0][t[k - 1][i] & 0xFF];
  }
  return t;
}();

uint32_t Little(const char* p) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<uint8_t>(p[i]);
  return value;
}

}  // namespace

uint32_t Crc32(uint32_t crc, std::string_view bytes) {
  uint32_t c = ~crc;
  const char* p = bytes.data();
  size_t n = bytes.size();
  for (; n >= 8; n -= 8, p += 8) {
    const uint32_t a = c ^ Little(p);
    const uint32_t b = Little(p + 4);
    c = kTables[7][a & 0xFF] ^ kTables[6][a >> 8 & 0xFF] ^ kTables[5][a >> 16 & 0xFF] ^ kTables[4][a >> 24] ^
        kTables[3][b & 0xFF] ^ kTables[2][b >> 8 & 0xFF] ^ kTables[1][b >> 16 & 0xFF] ^ kTables[0][b >> 24];
  }
  for (; n > 0; --n, ++p) c = kTables[0][(c ^ static_cast<uint8_t>(*p)) & 0xFF] ^ (c >> 8);
  return ~c;
}

void GzipCheck::In(std::string_view packed) {
  if (packed.empty()) return;
  // What may stand across the border, then the rest.
  constexpr size_t kAcross = kTrailer + kGzipHead - 1;
  std::string border = tail_.substr(tail_.size() > kAcross ? tail_.size() - kAcross : 0);
  border += packed.substr(0, kAcross);
  FindTrailers(border, packed_ - std::min<uint64_t>(tail_.size(), kAcross));
  FindTrailers(packed, packed_);
  packed_ += packed.size();
  const bool zeros = std::all_of(packed.begin(), packed.end(), [](char c) { return c == '\0'; });
  // Padding does not push the trailer out of what is kept.
  if (zeros && tail_.ends_with(std::string_view("\0\0\0\0\0\0\0\0", 8))) return;
  tail_ += packed.size() > kTail ? packed.substr(packed.size() - kTail) : packed;
  if (tail_.size() > kTail) tail_.erase(0, tail_.size() - kTail);
}

void GzipCheck::FindTrailers(std::string_view packed, uint64_t begins) {
  for (size_t at = packed.find(kGzipMagic, kTrailer); at != std::string_view::npos;
       at = packed.find(kGzipMagic, at + 1)) {
    if (at + kGzipHead > packed.size() || (static_cast<uint8_t>(packed[at + kGzipMagic.size()]) & 0xE0) != 0) continue;
    if (begins + at < sought_) continue;
    sought_ = begins + at + 1;
    const char* const p = packed.data() + at - kTrailer;
    const Trailer trailer{Little(p), Little(p + 4)};
    if (trailer.size == 0) continue;  // an empty member changes nothing
    if (trailers_.size() >= kMostTrailers) {
      lost_ = true;
      return;
    }
    trailers_.push_back(trailer);
  }
}

void GzipCheck::Out(std::string_view bytes) {
  while (!bytes.empty()) {
    EndMember();  // its trailer may have come in only now
    // Up to the next place at which a member may end.
    auto step = static_cast<uint32_t>(std::min<size_t>(bytes.size(), 1u << 30));
    // A sum is only known at the end of a piece: so pieces end where one of the next trailers says.
    for (size_t i = 0; i < std::min(trailers_.size(), kNext); ++i) {
      const uint32_t left = trailers_[i].size - size_;
      if (left > 0 && left < step) step = left;
    }
    crc_ = Crc32(crc_, bytes.substr(0, step));
    size_ += step;
    bytes.remove_prefix(step);
  }
  EndMember();
}

void GzipCheck::EndMember() {
  const auto end = trailers_.begin() + static_cast<std::ptrdiff_t>(std::min(trailers_.size(), kNext));
  const auto own =
      std::find_if(trailers_.begin(), end, [&](const Trailer& t) { return t.size == size_ && t.crc == crc_; });
  if (own == end) return;
  trailers_.erase(trailers_.begin(), own + 1);  // those in front of it were none
  crc_ = 0;
  size_ = 0;
}

bool GzipCheck::Fits() const {
  if (lost_) return true;  // not known
  // The last trailer has no magic number behind it, so it is looked for at every place of the end.
  for (size_t at = 0; at + kTrailer <= tail_.size(); ++at) {
    if (Little(tail_.data() + at) != crc_ || Little(tail_.data() + at + 4) != size_) continue;
    std::string_view behind = std::string_view(tail_).substr(at + kTrailer);
    behind = behind.substr(0, behind.find_last_not_of('\0') + 1);
    // An empty member, or a line; what is more is something that was not unpacked.
    if (behind.substr(0, kGzipMagic.size()) == kGzipMagic || behind.size() <= kLineBehind) return true;
  }
  return false;
}

}  // namespace ncclwhy
