// DigestEncoder and DigestDecoder: the visitors of digest_fields.h. Beside values (base/field_coding.h) they know
// places, processes and ranges of the source, which are written as distances from the one before and are read within
// what there is.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/counters.h"
#include "base/field_coding.h"
#include "base/string_pool.h"
#include "parser/enum_ends.h"
#include "read/digest_fields.h"

namespace ncclwhy {

// A digest as bytes: `Fields(encoder, digest)`.
class DigestEncoder : public BasicFieldWriter<DigestEncoder> {
 public:
  // Most facts stand a few lines behind the one before: two bytes instead of twelve.
  void Place(uint32_t line, uint64_t offset) {
    Signed(static_cast<int64_t>(line) - static_cast<int64_t>(last_line_));
    Signed(static_cast<int64_t>(offset - last_offset_));
    last_line_ = line;
    last_offset_ = offset;
  }
  // None is 0.
  void Process(uint32_t process) { Number(static_cast<uint32_t>(process + 1)); }
  // Of the fields of an event: nearly always those that follow on the last event's.
  // Then the distance is 0.
  void Range(uint32_t begin, uint32_t count) {
    Signed(static_cast<int64_t>(begin) - static_cast<int64_t>(next_field_));
    Number(count);
    next_field_ = begin + count;
  }
  // Eight bytes each: as numbers of seven bits a byte they would take nine or ten.
  void Hashes(const std::vector<uint64_t>& hashes) {
    Number(hashes.size());
    for (const uint64_t hash : hashes) Hash(hash);
  }
  // But the first: it is empty in every pool.
  void Strings(const StringPool& strings) {
    Number(strings.size());
    for (uint32_t id = 1; id < strings.size(); ++id) Text(strings.View(StringId{id}));
  }
  // An invalid one is 0.
  void String(StringId id) { Number(static_cast<uint32_t>(id.value + 1)); }
  // How many counters there are comes first, so that a digest of another version is refused.
  void Counts(const Counters& counters) {
    Number(static_cast<size_t>(Counter::kCount_));
    for (size_t i = 0; i < static_cast<size_t>(Counter::kCount_); ++i) Number(counters.Get(static_cast<Counter>(i)));
  }
  // Nothing to write: the reader has to know how many there are before it meets their numbers.
  void Processes(size_t) {}
  void FieldCount(size_t) {}

 private:
  uint32_t last_line_ = 0;
  uint64_t last_offset_ = 0;
  uint32_t next_field_ = 0;
};

// The way back, from bytes of which nothing is known: a number that means nothing (a process that is not there, a range
// beyond the fields) ends the reading (Ask), and the file is refused.
class DigestDecoder : public BasicFieldReader<DigestDecoder> {
 public:
  using BasicFieldReader::BasicFieldReader;

  void Place(uint32_t& line, uint64_t& offset) {
    line = last_line_ = Behind(last_line_);
    offset = last_offset_ = last_offset_ + static_cast<uint64_t>(Signed());
  }
  // Below the number of processes that Processes told of; else damage.
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
  void Hashes(std::vector<uint64_t>& hashes) {
    for (size_t n = Size(); n > 0 && ok(); --n) Hash(hashes.emplace_back());
  }
  // In their order, and each once, so that every number means what it meant.
  void Strings(StringPool& strings) {
    const size_t size = Size();
    Ask(size > 0);
    for (uint32_t id = 1; id < size && ok(); ++id) Ask(strings.Intern(Text()).value == id);
    texts_ = strings.size();
  }
  void String(StringId& id) {
    id.value = static_cast<uint32_t>(Number(UINT32_MAX)) - 1;
    Ask(!id.valid() || id.value < texts_);
  }
  void Counts(Counters& counters) {
    constexpr auto kCount = static_cast<size_t>(Counter::kCount_);
    Ask(Number(UINT64_MAX) == kCount);
    for (size_t i = 0; i < kCount && ok(); ++i) counters.Add(static_cast<Counter>(i), Number(UINT64_MAX));
  }
  void Processes(size_t count) { processes_ = count; }
  void FieldCount(size_t count) { fields_ = count; }

 private:
  // So far behind, or before, the one before.
  uint32_t Behind(uint32_t last) {
    const int64_t distance = Signed();
    if (!Ask(distance >= -static_cast<int64_t>(last) && distance <= static_cast<int64_t>(UINT32_MAX - last))) return 0;
    return static_cast<uint32_t>(last + static_cast<uint64_t>(distance));
  }

  // What numbers of texts, processes and fields must stay below.
  size_t texts_ = 0;
  size_t processes_ = 0;
  size_t fields_ = 0;
  uint32_t last_line_ = 0;
  uint64_t last_offset_ = 0;
  uint32_t next_field_ = 0;
};

}  // namespace ncclwhy
