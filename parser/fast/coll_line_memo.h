// CollLineMemo: what COLL lines say that differ in nothing but their opCount and their buffers, letter by letter.
//   AllReduce: opCount 1f sendbuff 0x7f32 recvbuff 0x7f32 count 65536 datatype 7 op 0 root 0 comm 0x55 … stream 0xf0
//   |---- front -----|   |---------- buffers -----------||---------------------- tail ----------------------------|
// And lines about collectives that have no opCount:
//   ncclAllReduce(7f32,7f32,65536,7,0,0,0x55,0xf0)      AllReduce: 65536 Bytes -> Algo RING proto SIMPLE …
// A job does the same collectives step after step, so of these there are few, and comparing is cheaper than parsing.
// Bounded; forgets what was not seen lately.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/swar.h"
#include "parser/extract/coll_buffers.h"
#include "parser/facts_builder.h"
#include "parser/scan.h"

namespace ncclwhy {

struct CollLine {
  bool issued = true;  // false: it only says how
  FactsBuilder::FoldedCollective folded;
};

class CollLineMemo {
 public:
  // How many bytes of a line behind its header Recall may look at.
  static constexpr size_t kReach = 256;

  // A COLL line behind its header, in parts.
  struct Parts {
    std::string_view front;
    std::string_view buffers;  // with the words in front of them
    std::string_view tail;
  };

  // For a later segment of the source: the same lines, of streams that it does not know yet.
  CollLineMemo ForSegment() const {
    CollLineMemo out = *this;
    for (Entry& e : out.entries_) e.said.folded.stream = IndexTable::kEmpty;
    return out;
  }

  // False: `body` is no such line.
  static bool Split(std::string_view body, Parts* parts, uint64_t* op_count) {
    scan::Cursor c(body);
    size_t name = 0;
    while (name < body.size() && name < kMostFront && scan::IsAlpha(body[name])) ++name;
    c.Skip(name);
    if (!c.Literal(": opCount ")) return false;
    const auto at = [&] { return static_cast<size_t>(c.position() - body.data()); };
    parts->front = body.substr(0, at());
    if (!c.Hex(op_count)) return false;
    const size_t buffers = at();
    if (!SkipCollBuffers(c)) return false;
    parts->buffers = body.substr(buffers, at() - buffers);
    parts->tail = c.Rest();
    return true;
  }

  // What was kept for a line of `process` with this front and tail, or null.
  const CollLine* Find(uint32_t process, const Parts& line) {
    if (entries_.empty() || !Fits(line) || process == kNoProcess) return nullptr;
    const uint32_t slot = SlotIn(process, line);
    if (slot == kNowhere) return nullptr;
    Follow(LatestOf(process), slot);
    return &entries_[slot].said;
  }

  void Keep(uint32_t process, const Parts& line, const CollLine& said) {
    if (!Fits(line) || process == kNoProcess) return;
    if (entries_.empty() || (++missed_ > 4 * entries_.size() && entries_.size() < kMost)) Grow();
    uint32_t slot = SlotIn(process, line);
    if (slot == kNowhere) slot = Clear(SlotOf(process, line));
    if (slot == kNowhere) return;
    Entry& e = entries_[slot];
    e.process = process;
    e.counted = true;
    e.front_size = static_cast<uint32_t>(line.front.size());
    e.tail_size = static_cast<uint32_t>(line.tail.size());
    std::memcpy(e.front.data(), line.front.data(), line.front.size());
    e.SetRest(line.buffers.data(), line.buffers.size() + line.tail.size());
    e.said = said;
    Follow(LatestOf(process), slot);
  }

  // The same for a line without an opCount, all of it.
  void KeepWhole(uint32_t process, std::string_view line, const CollLine& said) {
    const auto plain = [](char c) { return c >= ' ' && c <= '~'; };
    if (line.size() < kLeastWhole || line.size() > kWholeFront + kMostRest || process == kNoProcess) return;
    if (entries_.empty() || (++missed_ > 4 * entries_.size() && entries_.size() < kMost)) Grow();
    const auto is = [&](const Entry& e) {
      return e.process == process && !e.counted && e.said.folded.from_call == said.folded.from_call &&
             kWholeFront + e.rest_size == line.size() && e.IsFront(line.data()) &&
             swar::Same(e.rest.data(), line.data() + kWholeFront, e.rest_size);
    };
    uint32_t slot = static_cast<uint32_t>(HashQuickly(line, process) & (entries_.size() - 1));
    if (is(entries_[slot ^ 1])) slot ^= 1;
    if (!is(entries_[slot])) {
      if (!std::all_of(line.begin(), line.end(), plain)) return;
      slot = Clear(slot);
      if (slot == kNowhere) return;
    }
    Entry& e = entries_[slot];
    e.process = process;
    e.front_size = kWholeFront;
    std::memcpy(e.front.data(), line.data(), kWholeFront);
    e.SetRest(line.data() + kWholeFront, line.size() - kWholeFront);
    e.said = said;
    Follow(LatestOf(process), slot);
  }

  // What `text`, of which kReach bytes can be read, begins with if it is a line that followed the latest one of
  // `process` before; null when it is none of those. Where the line ends is for the caller to see.
  [[gnu::always_inline]] const CollLine* Recall(uint32_t process, bool from_call, const char* text, uint64_t* op_count,
                                                size_t* size) {
    if (process >= latest_.size()) return nullptr;
    uint32_t& latest = latest_[process];
    // Two: steps repeat, but now and then something stands between them.
    const auto [usual, other] = entries_[latest].next;
    // Told without a branch, which would be guessed wrong whenever the other one comes.
    const uint64_t differs = swar::Load(entries_[usual].front.data()) ^ swar::Load(text);
    const uint32_t swap = differs != 0 ? usual ^ other : 0;
    for (const uint32_t slot : {usual ^ swap, other ^ swap}) {
      Entry& e = entries_[slot];
      if (e.process != process || e.said.folded.from_call != from_call || !e.Begins(text, op_count, size)) continue;
      latest = slot;
      e.helped = 3;
      return &e.said;
    }
    return nullptr;
  }

 private:
  static constexpr size_t kLeastFront = 13;  // Put: opCount
  static constexpr size_t kMostFront = 24;   // ReduceScatter: opCount
  static constexpr uint32_t kWholeFront = 8;
  static constexpr size_t kLeastWhole = kWholeFront + swar::kLeastSame;
  static constexpr uint32_t kNowhere = UINT32_MAX;
  static constexpr size_t kLeastTail = 48;
  static constexpr size_t kMostTail = 120;
  static constexpr std::string_view kSend = " sendbuff 0x";
  static constexpr std::string_view kReceive = " recvbuff 0x";
  static constexpr size_t kMostDigits = 16;
  static constexpr std::string_view kAdd = " acc ";  // of RCCL, with a pointer or `(nil)`
  static constexpr std::string_view kNil = "(nil)";
  static constexpr size_t kMostRest = kSend.size() + kReceive.size() + kAdd.size() + 2 + 3 * kMostDigits + kMostTail;
  static constexpr size_t kFirst = 8;  // a job of many ranks has as many small files
  static constexpr size_t kMost = 2048;
  static constexpr size_t kCountAt = 7;  // behind ` count `
  static_assert(kMostFront + kMostDigits + kMostRest <= kReach);

  struct alignas(64) Entry {
    uint32_t process = kNoProcess;
    uint32_t front_size = 0;
    uint32_t rest_size = 0;
    uint32_t tail_size = 0;
    bool counted = false;            // there is an opCount between front and rest
    uint32_t helped = 0;             // it stays for so many others
    std::array<uint32_t, 2> next{};  // the entries that were found behind this one, the latest first
    std::array<char, kMostFront> front;
    std::array<char, kMostRest> rest;  // the latest buffers, and the tail
    CollLine said;

    bool Is(uint32_t whose, const Parts& line) const {
      return process == whose && counted && front_size == line.front.size() && tail_size == line.tail.size() &&
             IsFront(line.front.data()) && IsTail(line.tail.data());
    }
    // Eight bytes and more: words that overlap.
    bool IsFront(const char* text) const {
      const auto differ = [&](size_t at) { return swar::Load(front.data() + at) ^ swar::Load(text + at); };
      return (differ(0) | differ(front_size - 8) | (front_size > 16 ? differ(8) : 0)) == 0;
    }
    bool IsTail(const char* text) const { return swar::Same(rest.data() + rest_size - tail_size, text, tail_size); }
    void SetRest(const char* text, size_t size) {
      rest_size = static_cast<uint32_t>(size);
      std::memcpy(rest.data(), text, size);
    }
    // Whether `text` begins with such a line.
    [[gnu::always_inline]] bool Begins(const char* text, uint64_t* op_count, size_t* size) {
      if (!IsFront(text)) return false;
      const char* const count = text + front_size;
      if (!counted) {
        *size = front_size + rest_size;
        return swar::Same(rest.data(), count, rest_size);
      }
      const size_t digits = swar::Guess(swar::HexDigits(count));
      if (digits == 0 || (!swar::Same(rest.data(), count + digits, rest_size) && !TakeBuffers(count + digits))) {
        return false;
      }
      *op_count = swar::Hexadecimal(count, digits);
      *size = front_size + digits + rest_size;
      return true;
    }
    // The rest of such a line, but for other buffers.
    [[gnu::noinline]] bool TakeBuffers(const char* text) {
      const auto is = [](const char* at, std::string_view word) {
        return std::memcmp(at, word.data(), word.size()) == 0;
      };
      const char* const send = text + kSend.size();
      const size_t send_digits = swar::HexDigits(send);
      const char* const receive = send + send_digits + kReceive.size();
      const size_t receive_digits = swar::HexDigits(receive);
      const char* end = receive + receive_digits;
      if (is(end, kAdd)) {
        end += kAdd.size();
        const size_t digits = is(end, "0x") ? swar::HexDigits(end + 2) : 0;
        if (digits == 0 && !is(end, kNil)) return false;
        end += digits == 0 ? kNil.size() : 2 + digits;
      }
      if (send_digits == 0 || receive_digits == 0 || !is(text, kSend) || !is(send + send_digits, kReceive) ||
          !IsTail(end)) {
        return false;
      }
      SetRest(text, static_cast<size_t>(end - text) + tail_size);
      return true;
    }
  };

  static bool Fits(const Parts& line) {
    return line.front.size() >= kLeastFront && line.front.size() <= kMostFront && line.tail.size() >= kLeastTail &&
           line.tail.size() <= kMostTail && line.buffers.size() + line.tail.size() <= kMostRest;
  }

  // Whose line it is, what it does, the numbers in front of the pointer, the end of the pointer and what follows that.
  uint32_t SlotOf(uint32_t process, const Parts& line) const {
    constexpr uint64_t kOdd = 0x9e3779b97f4a7c15ull;
    const char* const begin = line.tail.data();
    const char* const end = begin + line.tail.size();
    uint64_t h = swar::Load(line.front.data()) ^ process * kOdd;
    for (size_t i = 0; i < 4; ++i) h = (h ^ swar::Load(begin + kCountAt + 8 * i)) * kOdd;
    h ^= swar::Load(end - 32) ^ std::rotl(swar::Load(end - 24), 32);
    return static_cast<uint32_t>(Mix64(h) & (entries_.size() - 1));
  }

  // Where such a line is kept, or kNowhere.
  uint32_t SlotIn(uint32_t process, const Parts& line) const {
    const uint32_t slot = SlotOf(process, line);
    if (entries_[slot].Is(process, line)) return slot;
    return entries_[slot ^ 1].Is(process, line) ? slot ^ 1 : kNowhere;
  }

  // Makes room in this slot or its neighbour, whichever helped less; kNowhere when both have helped lately.
  uint32_t Clear(uint32_t slot) {
    if (entries_[slot].helped > entries_[slot ^ 1].helped) slot ^= 1;
    Entry& e = entries_[slot];
    if (e.helped > 0) {
      --e.helped;
      return kNowhere;
    }
    e = {};
    return slot;
  }

  // The entry of the latest line of `process`.
  uint32_t& LatestOf(uint32_t process) {
    if (process >= latest_.size()) latest_.resize(process + size_t{1});
    return latest_[process];
  }

  void Follow(uint32_t& latest, uint32_t slot) {
    std::array<uint32_t, 2>& next = entries_[latest].next;
    if (next[0] != slot) next = {slot, next[0]};
    latest = slot;
  }

  void Grow() {
    entries_.assign(entries_.empty() ? kFirst : entries_.size() * 4, {});
    std::fill(latest_.begin(), latest_.end(), 0);
    missed_ = 0;
  }

  std::vector<Entry> entries_;
  std::vector<uint32_t> latest_;  // by process
  size_t missed_ = 0;
};

}  // namespace ncclwhy
