// TextMemo: what was found out about texts that come again, letter by letter. In a storm the same few come thousands of
// times:
//   misc/socket.cc:752 -> 6
//   socketProgress: Connection closed by remote peer h100-02<36017>
// What depends on nothing but the text (and its kind) is found out once. Bounded; forgets what was not seen lately.
//
// Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/swar.h"

namespace ncclwhy {

template <typename Value>
class TextMemo {
 public:
  // One text and what is known of it. The text is the memo's own copy.
  // `value` is that of the text that was here before where `known` is false: who finds it out sets all of it.
  struct Entry {
    uint64_t kind = 0;
    bool known = false;  // the value is; who finds it out sets this
    std::string text;
    Value value{};
  };

  // The entry of a text of this kind that was seen at least once before, or null. A text that comes once is never
  // copied: its hash alone is noted, and the entry is made when it comes again. Valid until the next call. An entry
  // with `known` false is new: who asked finds the value out and puts it there. The same kind and text may give null
  // again later, when others took its place.
  // `kind` is the caller's: the same words at level WARN and INFO mean different things. Texts of fewer than kShortest
  // or more than kLongest bytes are never kept.
  //    auto* entry = memo.Find(kind, text);
  //    if (entry == nullptr) return Ask(text);             not worth remembering yet
  //    if (!entry->known) entry->value = Ask(text), entry->known = true;
  //    return entry->value;
  Entry* Find(uint64_t kind, std::string_view text) {
    if (text.size() < kShortest || text.size() > kLongest) return nullptr;
    if (entries_.empty() || (++asked_ > 4 * entries_.size() && entries_.size() < kMost)) Grow();
    if (displaced_ > entries_.size() && entries_.size() < kMostInStorm) Grow();
    const uint64_t hash = HashQuickly(text, kind);
    const size_t number = hash & (places_.size() - 1);
    // Two ways: the one that was not asked for last gives way.
    Place& place = places_[number];
    for (size_t way = 0; way < kWays; ++way) {
      if (place.kept[way] != hash) continue;
      place.older = static_cast<uint8_t>(kWays - 1 - way);
      Entry& e = entries_[kWays * number + way];
      return e.kind == kind && Same(e.text, text) ? &e : nullptr;
    }
    if (place.latest != hash) {
      place.latest = hash;
      return nullptr;
    }
    Entry& e = entries_[kWays * number + place.older];
    if (place.kept[place.older] != 0) ++displaced_;
    place.kept[place.older] = hash;
    place.older = static_cast<uint8_t>(kWays - 1 - place.older);
    e.kind = kind;
    e.known = false;
    e.text.assign(text);
    return &e;
  }

 private:
  // Shorter texts are found out as fast as they are looked up, longer ones do not come again.
  static constexpr size_t kShortest = 4;
  static constexpr size_t kLongest = 1024;
  static constexpr size_t kFirst = 64;  // a job of many ranks has as many small files
  static constexpr size_t kMost = 1024;
  // Where those that come again displace one another: a storm of hundreds of messages, whose hosts are words of theirs.
  static constexpr size_t kMostInStorm = 8192;

  // The hashes are equal already; this is the proof.
  static bool Same(std::string_view a, std::string_view b) {
    if (a.size() != b.size() || a.size() < swar::kLeastSame) return a == b;
    return swar::Same(a.data(), b.data(), a.size());
  }

  // Only where many texts were asked for: a small file stays with kFirst entries.
  void Grow() {
    std::vector<Entry> entries =
        std::exchange(entries_, std::vector<Entry>(entries_.empty() ? kFirst : 4 * entries_.size()));
    const std::vector<Place> places = std::exchange(places_, std::vector<Place>(entries_.size() / kWays));
    asked_ = displaced_ = 0;
    for (size_t i = 0; i < entries.size(); ++i) {
      const uint64_t hash = places[i / kWays].kept[i % kWays];
      if (hash == 0) continue;
      // Those that shared a place have one each now, or share another one: there is room for all.
      Place& place = places_[hash & (places_.size() - 1)];
      const size_t way = place.kept[0] == 0 ? 0 : 1;
      place.kept[way] = hash;
      entries_[kWays * (hash & (places_.size() - 1)) + way] = std::move(entries[i]);
    }
  }

  // Two texts that come in turns have room in one place. All that most texts are compared with.
  static constexpr size_t kWays = 2;
  // Half a cache line for both ways and what was seen last; entries are touched only where a hash fits.
  struct Place {
    uint64_t latest = 0;  // hash of the text that was seen last, of those that are not kept
    std::array<uint64_t, kWays> kept{};
    uint8_t older = 0;  // the way that was not asked for last
  };

  // Copied with the memo: a later segment begins with what is known.
  std::vector<Entry> entries_;  // by place and way
  std::vector<Place> places_;
  // Since the last Grow.
  size_t asked_ = 0;
  size_t displaced_ = 0;
};

}  // namespace ncclwhy
