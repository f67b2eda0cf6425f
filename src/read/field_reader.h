// FieldReader: the visitor of digest_fields.h that reads bytes of which nothing is known. After the first thing that
// cannot be it reads nothing more.
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

#include "read/digest_fields.h"

namespace ncclwhy {

// The last value of an enumeration that a digest holds.
template <typename T>
inline constexpr uint64_t kLast = 0;
template <>
inline constexpr uint64_t kLast<LauncherLabel> = static_cast<uint64_t>(LauncherLabel::kMpirun);
template <>
inline constexpr uint64_t kLast<LogLevel> = static_cast<uint64_t>(LogLevel::kDiag);
template <>
inline constexpr uint64_t kLast<Dialect> = static_cast<uint64_t>(Dialect::kUnknown);
#define X(...) +1  // NOLINT(bugprone-macro-parentheses): a term of a sum
template <>
inline constexpr uint64_t kLast<EventKind> = 0
#include "parser/event_kinds.def"
                                             - 1;
template <>
inline constexpr uint64_t kLast<FieldId> = 0
#include "parser/field_ids.def"
                                           - 1;
#undef X

class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : rest_(bytes) {}

  template <typename... T>
  void operator()(T&... values) {
    (Get(values), ...);
  }
  void Place(uint32_t& line, uint64_t& offset) {
    line = last_line_ = Behind(last_line_);
    offset = last_offset_ = last_offset_ + static_cast<uint64_t>(Signed());
  }
  void Process(uint32_t& process) {
    process = static_cast<uint32_t>(Number(UINT32_MAX)) - 1;
    Ask(process == kNoProcess || process < processes_);
  }
  void Range(uint32_t& begin, uint32_t& count) {
    begin = Behind(next_field_);
    count = static_cast<uint32_t>(Number(UINT32_MAX));
    next_field_ = begin + count;
    Ask(count == 0 || (begin < fields_ && count <= fields_ - begin));
  }
  void Hash(uint64_t& hash) {
    hash = 0;
    if (!Ask(rest_.size() >= 8)) return;
    for (size_t i = 0; i < 8; ++i) hash |= static_cast<uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
    rest_.remove_prefix(8);
  }
  void Hashes(std::vector<uint64_t>& hashes) {
    for (size_t n = Size(); n > 0 && ok_; --n) Hash(hashes.emplace_back());
  }
  // In their order, and each once, so that every number means what it meant.
  void Strings(StringPool& strings) {
    const size_t size = Size();
    Ask(size > 0);
    for (uint32_t id = 1; id < size && ok_; ++id) Ask(strings.Intern(Text()).value == id);
    texts_ = strings.size();
  }
  void Processes(size_t count) { processes_ = count; }
  void FieldCount(size_t count) { fields_ = count; }

  bool Whole() const { return ok_ && rest_.empty(); }

  // True when it holds; else nothing more is read.
  bool Ask(bool holds) {
    ok_ = ok_ && holds;
    if (!ok_) rest_ = {};
    return ok_;
  }

 private:
  uint64_t Number(uint64_t most) {
    uint64_t n = 0;
    for (unsigned shift = 0; Ask(!rest_.empty() && shift < 64); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      n |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) {
        // The shortest form, and no bits beyond the last.
        Ask((byte > 0 || shift == 0) && (shift < 63 || byte == 1) && n <= most);
        break;
      }
    }
    return ok_ ? n : 0;
  }
  int64_t Signed() {
    const uint64_t n = Number(UINT64_MAX);
    return static_cast<int64_t>((n >> 1) ^ (~(n & 1) + 1));
  }
  // So far behind, or before, the one before.
  uint32_t Behind(uint32_t last) {
    const int64_t distance = Signed();
    if (!Ask(distance >= -static_cast<int64_t>(last) && distance <= static_cast<int64_t>(UINT32_MAX - last))) return 0;
    return static_cast<uint32_t>(last + static_cast<uint64_t>(distance));
  }
  // Of a list: every element takes a byte at least.
  size_t Size() { return static_cast<size_t>(Number(rest_.size() + 1)); }
  std::string_view Text() {
    const size_t size = Size();
    if (!Ask(size <= rest_.size())) return {};
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }

  void Get(StringId& id) {
    id.value = static_cast<uint32_t>(Number(UINT32_MAX)) - 1;
    Ask(!id.valid() || id.value < texts_);
  }
  void Get(std::string& text) { text = Text(); }
  void Get(Counters& counters) {
    constexpr auto kCount = static_cast<size_t>(Counter::kCount_);
    Ask(Number(UINT64_MAX) == kCount);
    for (size_t i = 0; i < kCount && ok_; ++i) counters.Add(static_cast<Counter>(i), Number(UINT64_MAX));
  }
  template <typename A, typename B>
  void Get(std::pair<A, B>& pair) {
    Get(pair.first);
    Get(pair.second);
  }
  // Grows with what is read: a length alone reserves little.
  template <typename T>
  void Get(std::vector<T>& list) {
    size_t n = Size();
    list.reserve(std::min(n, kReserved));
    for (; n > 0 && ok_; --n) Get(list.emplace_back());
  }
  template <typename K, typename T>
  void Get(std::map<K, T>& list) {
    size_t n = Size();
    // Messages of the catalogue: a node of a map takes more memory than a few bytes should.
    Ask(n <= kMostKeys);
    for (; n > 0 && ok_; --n) {
      std::pair<K, T> each;
      Get(each);
      Ask(list.empty() || list.rbegin()->first < each.first);
      list.emplace_hint(list.end(), std::move(each));
    }
  }
  template <typename T>
  void Get(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = Number(1) == 1;
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(Number(kLast<T>));
    } else if constexpr (std::is_floating_point_v<T>) {
      uint64_t bits = 0;
      Hash(bits);
      value = std::bit_cast<T>(bits);
      Ask(!std::isnan(value));
    } else if constexpr (std::is_same_v<T, char>) {
      value = static_cast<char>(Number(UINT8_MAX));
    } else if constexpr (std::is_signed_v<T>) {
      const int64_t n = Signed();
      Ask(n >= std::numeric_limits<T>::min() && n <= std::numeric_limits<T>::max());
      value = static_cast<T>(n);
    } else if constexpr (std::is_unsigned_v<T>) {
      value = static_cast<T>(Number(std::numeric_limits<T>::max()));
    } else {
      Fields(*this, value);
    }
  }

  static constexpr size_t kReserved = 1024;
  static constexpr size_t kMostKeys = 1u << 20;

  std::string_view rest_;
  size_t texts_ = 0;
  size_t processes_ = 0;
  size_t fields_ = 0;
  uint32_t last_line_ = 0;
  uint64_t last_offset_ = 0;
  uint32_t next_field_ = 0;
  bool ok_ = true;
};

}  // namespace ncclwhy
