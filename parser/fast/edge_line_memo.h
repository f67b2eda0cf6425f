// EdgeLineMemo: edges by what their lines say behind the channel, letter by letter.
//   Channel 00/0 : 55[7] -> 23[7] [receive] via NET/Socket/0
// A process goes through its edges in much the same order for every channel, so a line is compared with those that
// followed the latest one of its process before; nothing of it is parsed. Bounded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/swar.h"

namespace ncclwhy {

// A job of 512 ranks prints a line for each channel, edge and end, millions of them, of which all but the channel's
// number was said before. What the memo counts is added to the edge later (TakeCounts): a line writes little more than
// a counter.
// Not thread-safe; a segment of a source has its own, which begins empty.
class EdgeLineMemo {
 public:
  // Counts a line of `process` if its edge is known from `text`, which is all that stands behind the channel.
  //    Channel 01/0 : 55[7] -> 23[7] [receive] via NET/Socket/0
  //                   ^ from here on
  // False where it is not known, or too short or long; the line is then parsed, and Keep is told.
  bool Count(uint32_t process, std::string_view text) {
    if (process >= latest_.size() || latest_[process] == IndexTable::kEmpty || !Fits(text)) return false;
    for (const uint32_t edge : entries_[latest_[process]].next) {
      if (edge == IndexTable::kEmpty) continue;
      if (!entries_[edge].Is(text)) continue;
      Turn(process, edge);
      return true;
    }
    return false;
  }

  // The same for a whole line, with what may stand behind its newline. How long it is without that, or 0: not counted.
  size_t CountLine(uint32_t process, std::string_view text);
  // What is said of an edge: `0[0] -> 1[1] via P2P/CUMEM` of `Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM`; or nothing.
  static std::string_view BehindChannel(std::string_view body);
  // Whether no edge was noted.
  bool empty() const { return entries_.empty(); }

  // Notes the text of an edge. Edges of a source are numbered one after the other, whosever they are.
  // `edge`: its number among the edges of the facts. The edge of the line before learns that this one may follow it.
  void Keep(uint32_t process, std::string_view text, uint32_t edge) {
    if (edge >= kMost || process >= kMost || !Fits(text)) return;
    if (edge >= entries_.size()) entries_.resize(edge + size_t{1});
    if (process >= latest_.size()) latest_.resize(process + size_t{1}, IndexTable::kEmpty);
    Entry& e = entries_[edge];
    e.size = static_cast<uint32_t>(text.size());
    std::memcpy(e.text.data(), text.data(), text.size());
    if (latest_[process] != IndexTable::kEmpty) {
      std::array<uint32_t, kFollowers>& next = entries_[latest_[process]].next;
      size_t at = 0;  // of this edge, or of the one that gives way
      while (at + 1 < kFollowers && next[at] != edge) ++at;
      for (; at > 0; --at) next[at] = next[at - 1];
      next[0] = edge;
    }
    latest_[process] = edge;
  }

  // Calls visit(edge, lines) for the edges of which lines were counted, and counts anew.
  // Before facts are joined or finished; may be called again.
  template <typename Visitor>
  void TakeCounts(Visitor visit) {
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].lines > 0) visit(static_cast<uint32_t>(i), entries_[i].lines);
      entries_[i].lines = 0;
    }
  }

 private:
  // Nearly every edge is followed by one and the same; a second one has room where a channel ends in another order.
  static constexpr size_t kFollowers = 2;
  static constexpr uint32_t kMost = 65536;  // edges, and processes
  // With sizes and followers this makes two cache lines. Texts are some forty bytes.
  static constexpr size_t kMostText = 112;

  // Two cache lines.
  // By edge, so the memo costs 128 bytes for each edge of a source, and 8 MiB at most.
  struct alignas(64) Entry {
    uint32_t size = 0;
    uint32_t lines = 0;
    // The edges whose lines came behind one of this edge; the latest that was a surprise comes first.
    std::array<uint32_t, kFollowers> next{IndexTable::kEmpty, IndexTable::kEmpty};
    std::array<char, kMostText> text{};

    // Fits() was asked before: Same needs kLeastSame bytes.
    bool Is(std::string_view other) const {
      return size == other.size() && swar::Same(text.data(), other.data(), other.size());
    }
  };

  // Counts a line of `edge`, which is the latest one of `process` then.
  void Turn(uint32_t process, uint32_t edge) {
    Entry& e = entries_[edge];
    latest_[process] = edge;
    ++e.lines;
    // Until the next line of this process there are some of others, enough to fetch what it is compared with.
    Fetch(e.next[0]);
  }

  // Shorter ones are no edges; longer ones name a plug-in with a long name, and are parsed.
  static bool Fits(std::string_view text) { return text.size() >= swar::kLeastSame && text.size() <= kMostText; }

  // A hint to the processor. Without it each line of a large job waits for memory.
  void Fetch(uint32_t edge) const {
#if defined(__GNUC__)
    if (edge == IndexTable::kEmpty) return;
    __builtin_prefetch(&entries_[edge]);
    __builtin_prefetch(entries_[edge].text.data() + 64);
#else
    (void)edge;
#endif
  }

  // May have gaps: an edge whose text does not fit is never compared.
  std::vector<Entry> entries_;  // by edge
  // kEmpty before the first one.
  std::vector<uint32_t> latest_;  // by process: the edge of its latest line
};

}  // namespace ncclwhy
