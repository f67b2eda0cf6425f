// FieldWriter and FieldReader: structs as bytes. One description of a struct serves both:
//
//   void Fields(auto& v, Is<Weight> auto& x) { v(x.cause, x.log_odds); }
//
// Numbers take seven bits a byte, lists and texts begin with their length. A visitor that knows more than values
// derives from one of them (src/read/digest_coding.h).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/kept_text.h"

namespace ncclwhy {

// Constrains an overload of Fields to one struct, const for the writer and not for the reader.
// Without it a Fields of one struct would be taken for another one that converts to it.
template <typename T, typename Struct>
concept Is = std::is_same_v<std::remove_const_t<T>, Struct>;

// The last value of an enumeration that is read. An enumeration that nobody names here has 0: only its first value is
// read, every other is damage.
// The last values stand beside their users (parser/enum_ends.h, rules/engine/rule_fields.h).
//    template <> inline constexpr uint64_t kLast<LogLevel> = static_cast<uint64_t>(LogLevel::kDiag);
template <typename T>
inline constexpr uint64_t kLast = 0;

// `Visitor` is the class that derives from this one. It is handed to Fields, so that what it adds is found in nested
// structs, too.
// Not thread-safe; a writer makes one text and is used up.
template <typename Visitor>
class BasicFieldWriter {
 public:
  // Values are written one behind the other, in the order of the call, with nothing between them: no names, no types.
  // Readers and writers have to be of one version; who keeps bytes in a file writes that down himself.
  template <typename... T>
  void operator()(const T&... values) {
    (Put(values), ...);
  }
  // Seven bits a byte, the lowest first; the high bit says that more follow. 300 is AC 02.
  // At most ten bytes.
  //    0 → 00   127 → 7F   128 → 80 01   300 → AC 02
  void Number(uint64_t n) {
    for (; n >= 0x80; n >>= 7) out_ += static_cast<char>(n | 0x80);
    out_ += static_cast<char>(n);
  }
  // Zigzag: 0, -1, 1, -2 are 0, 1, 2, 3, so that small negative numbers (a rank of -1) take one byte, not ten.
  //    0 → 00   -1 → 01   1 → 02   -64 → 7F   64 → 80 01
  void Signed(int64_t n) { Number((static_cast<uint64_t>(n) << 1) ^ (n < 0 ? ~uint64_t{0} : 0)); }
  // A number in which every bit counts: always eight bytes, the lowest first, on every machine. Seven bits a byte would
  // mostly make nine or ten of them.
  // Also for check sums and the bits of a double.
  void Hash(uint64_t hash) {
    for (int shift = 0; shift < 64; shift += 8) out_ += static_cast<char>(hash >> shift);
  }
  // Any bytes, also NUL: the length says where it ends.
  void Text(std::string_view text) {
    Number(text.size());
    out_ += text;
  }

  // Leaves the writer empty.
  // All that was written so far.
  std::string Take() { return std::move(out_); }

 private:
  // By overload, for what has a form of its own; all else is a number or a struct with Fields.
  void Put(const std::string& text) { Text(text); }
  void Put(const KeptText& text) { Text(text); }
  template <typename A, typename B>
  void Put(const std::pair<A, B>& pair) {
    Put(pair.first);
    Put(pair.second);
  }
  // Elements one behind the other, with nothing between them.
  template <typename T>
  void Put(const std::vector<T>& list) {
    Number(list.size());
    for (const T& each : list) Put(each);
  }
  // In the order of the map, on which the reader insists.
  template <typename K, typename T>
  void Put(const std::map<K, T>& list) {
    Number(list.size());
    for (const auto& each : list) Put(each);
  }
  // The order of the questions matters: a char is an integer, too.
  template <typename T>
  void Put(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      Number(static_cast<uint64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      // As their bits: what is read back is equal, also -0.
      Hash(std::bit_cast<uint64_t>(value));
    } else if constexpr (std::is_same_v<T, char>) {
      // Whether char is signed depends on the machine; the bytes do not.
      Number(static_cast<unsigned char>(value));
    } else if constexpr (std::is_signed_v<T>) {
      Signed(value);
    } else if constexpr (std::is_unsigned_v<T>) {
      Number(value);
    } else {
      // Found by argument-dependent lookup: Fields stands beside the struct, in whichever room that is.
      Fields(static_cast<Visitor&>(*this), value);
    }
  }

  std::string out_;
};

// Reads bytes of which nothing is known: from another machine, from disk, from whoever sends them. After the first
// thing that cannot be it reads nothing more: everything is then 0 or empty, ok() is false, and who reads need not ask
// before the end. Nothing is thrown but std::bad_alloc, and what is allocated grows with the bytes that are there.
// What is accepted was written by BasicFieldWriter in exactly this form: numbers have one spelling, maps are in order.
// So equal values are equal bytes.
template <typename Visitor>
class BasicFieldReader {
 public:
  // `bytes` are borrowed, and so is what Text returns.
  explicit BasicFieldReader(std::string_view bytes) : rest_(bytes) {}

  // Reads what the writer's call with the same list of fields wrote. Members that come behind damage are 0 or empty, so
  // nothing is left undefined.
  template <typename... T>
  void operator()(T&... values) {
    (Get(values), ...);
  }
  // A number of at most `most`; a greater one is damage, and 0.
  // `most` is what the caller can use: the size of a table less one, an enumeration's last value.
  uint64_t Number(uint64_t most) {
    if (!rest_.empty() && static_cast<unsigned char>(rest_.front()) < 0x80) {  // as most are
      const auto small = static_cast<uint64_t>(static_cast<unsigned char>(rest_.front()));
      rest_.remove_prefix(1);
      return Ask(small <= most) ? small : 0;
    }
    uint64_t n = 0;
    for (unsigned shift = 0; Ask(!rest_.empty() && shift < 64); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      n |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) {
        // The shortest form, and no bits beyond the last.
        // 80 00 is a longer spelling of 00, and refused: equal values have to be equal bytes.
        Ask((byte > 0 || shift == 0) && (shift < 63 || byte == 1) && n <= most);
        break;
      }
    }
    return ok_ ? n : 0;
  }
  // The inverse of the writer's zigzag.
  int64_t Signed() {
    const uint64_t n = Number(UINT64_MAX);
    return static_cast<int64_t>((n >> 1) ^ (~(n & 1) + 1));
  }
  // 0 where fewer than eight bytes are left.
  void Hash(uint64_t& hash) {
    hash = 0;
    if (!Ask(rest_.size() >= 8)) return;
    for (size_t i = 0; i < 8; ++i) hash |= static_cast<uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
    rest_.remove_prefix(8);
  }
  // Of a list: every element takes a byte at least, so one that claims more than is left is damage, whatever comes. No
  // list can make a loop of 2^60 turns out of ten bytes.
  size_t Size() { return static_cast<size_t>(Number(rest_.size() + 1)); }
  // A view into the bytes that are read; it lives as long as they do.
  std::string_view Text() {
    const size_t size = Size();
    if (!Ask(size <= rest_.size())) return {};
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }

  // All was read, and all could be.
  // To be asked in the end: bytes that nobody read are damage as well.
  bool AtEnd() const { return ok_ && rest_.empty(); }
  bool ok() const { return ok_; }

  // True when it holds; else nothing more is read. For checks between fields, too: an index below the size of a list.
  bool Ask(bool holds) {
    ok_ = ok_ && holds;
    if (!ok_) rest_ = {};
    return ok_;
  }

 private:
  void Get(std::string& text) { text = Text(); }
  // Borrows: for bytes that are constants of the program.
  void Get(KeptText& text) { text = KeptText::Borrowed(Text()); }
  template <typename A, typename B>
  void Get(std::pair<A, B>& pair) {
    Get(pair.first);
    Get(pair.second);
  }
  // Grows with what is read: a length alone reserves little. An element may be some hundred bytes in memory and one in
  // the file.
  // A list that claims a million elements and has ten fails at the eleventh.
  template <typename T>
  void Get(std::vector<T>& list) {
    size_t n = Size();
    list.reserve(std::min(n, kReserved));
    for (; n > 0 && ok_; --n) Get(list.emplace_back());
  }
  template <typename K, typename T>
  void Get(std::map<K, T>& list) {
    size_t n = Size();
    // A node of a map takes more memory than a few bytes should.
    Ask(n <= kMostKeys);
    for (; n > 0 && ok_; --n) {
      // Keys ascend strictly, as the writer's do; two equal ones would be dropped in silence.
      std::pair<K, T> each;
      Get(each);
      Ask(list.empty() || list.rbegin()->first < each.first);
      list.emplace_hint(list.end(), std::move(each));
    }
  }
  template <typename T>
  void Get(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      // 2 is no truth value: damage.
      value = Number(1) == 1;
    } else if constexpr (std::is_enum_v<T>) {
      // Checked against kLast: a value that the enumeration does not have would be undefined behaviour later, in a
      // switch.
      value = static_cast<T>(Number(kLast<T>));
    } else if constexpr (std::is_floating_point_v<T>) {
      uint64_t bits = 0;
      Hash(bits);
      value = std::bit_cast<T>(bits);
      // A number that is none is equal to nothing, itself included: it breaks sorting and "the same report".
      Ask(!std::isnan(value));
    } else if constexpr (std::is_same_v<T, char>) {
      value = static_cast<char>(Number(UINT8_MAX));
    } else if constexpr (std::is_signed_v<T>) {
      // A value that a narrower type cannot hold is damage, not cut.
      const int64_t n = Signed();
      Ask(n >= std::numeric_limits<T>::min() && n <= std::numeric_limits<T>::max());
      value = static_cast<T>(n);
    } else if constexpr (std::is_unsigned_v<T>) {
      value = static_cast<T>(Number(std::numeric_limits<T>::max()));
    } else {
      Fields(static_cast<Visitor&>(*this), value);
    }
  }

  // Elements that are reserved at a length's word, and keys of one map.
  // Most lists are shorter; longer ones grow as any vector does.
  static constexpr size_t kReserved = 1024;
  static constexpr size_t kMostKeys = 1u << 20;

  // What is still to be read; empty for good once ok_ is false.
  std::string_view rest_;
  bool ok_ = true;
};

// Visitors that know values alone: a Head, a Rule.
class FieldWriter : public BasicFieldWriter<FieldWriter> {};
class FieldReader : public BasicFieldReader<FieldReader> {
 public:
  using BasicFieldReader::BasicFieldReader;
};

}  // namespace ncclwhy
