// GzipCheck: whether what came out of a gzip stream is what went in. libarchive reads the check sum and the length
// behind each member and does not look at them.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace ncclwhy {

// CRC-32 of gzip, of what `crc` is the sum of and `bytes` behind it.
uint32_t Crc32(uint32_t crc, std::string_view bytes);

// Members of a stream are told apart by what is known of them alone: a trailer in front of a member's magic number
// whose length and sum fit what came out.
// One for a stream, in one thread. Costs a CRC of what comes out.
class GzipCheck {
 public:
  // Packed bytes, before what comes out of them.
  void In(std::string_view packed);
  // What came out of the stream, in order.
  // What came out of which member is not told by libarchive.
  void Out(std::string_view bytes);
  // Asked when all has come out.
  // True also where it is not known: too much in the packed bytes looked like a trailer.
  bool Fits() const;

 private:
  struct Trailer {
    uint32_t crc = 0;
    uint32_t size = 0;
  };
  // Eight bytes in front of a member's magic number may be a trailer: sum and length of the member before.
  void FindTrailers(std::string_view packed, uint64_t begins);
  // Begins a new sum where what came out so far fits a trailer that was found.
  void EndMember();

  uint64_t packed_ = 0;  // bytes so far
  uint64_t sought_ = 0;  // up to which of them trailers were looked for
  std::string tail_;     // the last packed bytes
  // Candidates in the order of the packed bytes.
  std::deque<Trailer> trailers_;  // that may end the member whose bytes come out
  bool lost_ = false;             // too many of them
  uint32_t crc_ = 0;
  uint32_t size_ = 0;  // modulo 2^32, as gzip counts
};

}  // namespace ncclwhy
