// FieldWriter: the visitor of digest_fields.h that writes.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "read/digest_fields.h"

namespace ncclwhy {

class FieldWriter {
 public:
  template <typename... T>
  void operator()(const T&... values) {
    (Put(values), ...);
  }
  void Place(uint32_t line, uint64_t offset) {
    Signed(static_cast<int64_t>(line) - static_cast<int64_t>(last_line_));
    Signed(static_cast<int64_t>(offset - last_offset_));
    last_line_ = line;
    last_offset_ = offset;
  }
  void Process(uint32_t process) { Number(static_cast<uint32_t>(process + 1)); }
  void Range(uint32_t begin, uint32_t count) {
    Signed(static_cast<int64_t>(begin) - static_cast<int64_t>(next_field_));
    Number(count);
    next_field_ = begin + count;
  }
  void Hash(uint64_t hash) {
    for (int shift = 0; shift < 64; shift += 8) out_ += static_cast<char>(hash >> shift);
  }
  void Hashes(const std::vector<uint64_t>& hashes) {
    Number(hashes.size());
    for (const uint64_t hash : hashes) Hash(hash);
  }
  void Strings(const StringPool& strings) {
    Number(strings.size());
    for (uint32_t id = 1; id < strings.size(); ++id) Text(strings.View(StringId{id}));
  }
  void Processes(size_t) {}
  void FieldCount(size_t) {}

  std::string Take() { return std::move(out_); }

 private:
  void Number(uint64_t n) {
    for (; n >= 0x80; n >>= 7) out_ += static_cast<char>(n | 0x80);
    out_ += static_cast<char>(n);
  }
  void Signed(int64_t n) { Number((static_cast<uint64_t>(n) << 1) ^ (n < 0 ? ~uint64_t{0} : 0)); }
  void Text(std::string_view text) {
    Number(text.size());
    out_ += text;
  }

  void Put(StringId id) { Number(static_cast<uint32_t>(id.value + 1)); }
  void Put(const std::string& text) { Text(text); }
  void Put(const Counters& counters) {
    Number(static_cast<size_t>(Counter::kCount_));
    for (size_t i = 0; i < static_cast<size_t>(Counter::kCount_); ++i) Number(counters.Get(static_cast<Counter>(i)));
  }
  template <typename A, typename B>
  void Put(const std::pair<A, B>& pair) {
    Put(pair.first);
    Put(pair.second);
  }
  template <typename T>
  void Put(const std::vector<T>& list) {
    Number(list.size());
    for (const T& each : list) Put(each);
  }
  template <typename K, typename T>
  void Put(const std::map<K, T>& list) {
    Number(list.size());
    for (const auto& each : list) Put(each);
  }
  template <typename T>
  void Put(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      Number(static_cast<uint64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      Hash(std::bit_cast<uint64_t>(value));
    } else if constexpr (std::is_same_v<T, char>) {
      Number(static_cast<unsigned char>(value));
    } else if constexpr (std::is_signed_v<T>) {
      Signed(value);
    } else if constexpr (std::is_unsigned_v<T>) {
      Number(value);
    } else {
      Fields(*this, value);
    }
  }

  std::string out_;
  uint32_t last_line_ = 0;
  uint64_t last_offset_ = 0;
  uint32_t next_field_ = 0;
};

}  // namespace ncclwhy
