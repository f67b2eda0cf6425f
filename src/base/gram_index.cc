#include "base/gram_index.h"

#include <algorithm>

namespace ncclwhy {
namespace {

// Words of lines that programs print all the time, whatever they do. Their grams are the last ones to be taken.
constexpr std::string_view kUsual[] = {
    " DEBUG: INFO: WARNING: ERROR: [DEBUG] [INFO] [WARNING] [ERROR] level=info msg= message name logger logging.py",
    " rank: Rank epoch: Epoch iter: iteration step: steps loss: loss= grad_norm: grad_norm= learning_rate: lr: skipped",
    " time: elapsed seconds tokens samples throughput tokens/s samples/s it/s] memory allocated global_step= batch",
    " size batch_size=",
    " /usr/lib/python3/site-packages/ dist-packages/torch/utils/ line, in warnings.warn(UserWarning: File self",
    " NCCL INFO Channel : -> via NET/ P2P/ [send] [receive] opCount sendbuff recvbuff count datatype op root comm",
    " stream",
    " 00000000 11111111 20000000 0x7f000000 0.00000 100%|##########| 000/000 [00:00<00:00, 2000-00-00 00:00:00,000",
};
constexpr uint32_t kUsualCost = 1000;

}  // namespace

// The last one first, so that each bit moves to its place as those in front of it come.
uint64_t GramIndex::Hits(const char* p, size_t steps) const {
  const uint32_t* const longs = longs_.filter.data();
  const uint32_t* const shorts = shorts_.filter.data();
  uint64_t hits = 0;
  for (const char* at = p + kLongStep * steps; at != p;) {
    at -= kLongStep;
    const uint64_t word = LoadWord(at);
    const uint64_t hit = LongBit(longs, word) | ShortBit(shorts, word) | ShortBit(shorts, word >> (8 * kShortStep));
    hits = 2 * hits + (hit & 1);
  }
  return hits;
}

void GramIndexBuilder::Count(std::string_view text, size_t size, uint32_t cost, Frequency* frequency) {
  for (size_t at = 0; at + size <= text.size(); ++at) {
    (*frequency)[GramIndex::LoadTail(text.substr(at, size))] += cost;
  }
}

// The rarest `step` grams in a row.
GramIndexBuilder::Window GramIndexBuilder::RarestOf(const Text& text, size_t size, size_t step,
                                                    const Frequency& frequency) {
  Window best;
  for (const std::string_view piece : text.pieces) {
    for (size_t begin = 0; begin + step + size - 1 <= std::min<size_t>(piece.size(), UINT16_MAX); ++begin) {
      uint64_t cost = 0;
      for (size_t i = 0; i < step; ++i) cost += frequency.at(GramIndex::LoadTail(piece.substr(begin + i, size)));
      if (cost < best.cost) best = {piece, begin, cost};
    }
  }
  return best;
}

// `most`: bytes of an entry that are compared.
void GramIndexBuilder::File(uint32_t text, const Window& window, size_t step, size_t most,
                            std::vector<GramEntry>* entries) {
  for (size_t i = 0; i < step; ++i) {
    const std::string_view bytes = window.piece.substr(window.begin + i, most);
    entries->push_back({GramIndex::LoadTail(bytes), text, static_cast<uint16_t>(window.begin + i),
                        static_cast<uint16_t>(64 - 8 * bytes.size())});
  }
}

// Entries are sorted by the same bits that choose their slot, so those of one slot lie side by side, and slots need to
// hold nothing but where each begins. Counted one place further on, the counts become the beginnings when they are
// summed up.
template <typename Mix>
GramTableStorage GramIndexBuilder::MakeTable(std::vector<GramEntry> entries, Mix mix, int filter_bits) {
  const size_t slots = std::bit_ceil(std::max<size_t>(entries.size(), 2));
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const GramEntry& a, const GramEntry& b) { return mix(a.bytes) < mix(b.bytes); });
  GramTableStorage out;
  out.filter.assign(size_t{1} << (filter_bits - 5), 0);
  out.slots.assign(slots + 1, 0);
  for (const GramEntry& e : entries) {
    const auto mixed = mix(e.bytes);
    const auto bit = static_cast<uint64_t>(mixed) >> (8 * static_cast<int>(sizeof mixed) - filter_bits);
    out.filter[bit >> 5] |= 1u << (bit & 31);
    ++out.slots[GramIndex::SlotOf(mixed, slots) + 1];
  }
  for (size_t s = 1; s < out.slots.size(); ++s) out.slots[s] += out.slots[s - 1];
  out.entries = std::move(entries);
  return out;
}

bool GramIndexBuilder::Add(uint32_t text, std::span<const std::string_view> pieces) {
  Text added{text, {}};
  for (const std::string_view piece : pieces) {
    if (piece.size() >= GramIndex::kLeast && piece.find('\0') == std::string_view::npos) added.pieces.push_back(piece);
  }
  if (added.pieces.empty()) return false;
  for (const std::string_view piece : added.pieces) {
    Count(piece, GramIndex::kLong, 1, &longs_);
    Count(piece, GramIndex::kShort, 1, &shorts_);
  }
  texts_.push_back(std::move(added));
  return true;
}

GramIndexStorage GramIndexBuilder::Build() const {
  Frequency longs = longs_;
  Frequency shorts = shorts_;
  for (const std::string_view line : kUsual) {
    Count(line, GramIndex::kLong, kUsualCost, &longs);
    Count(line, GramIndex::kShort, kUsualCost, &shorts);
  }
  std::vector<GramEntry> long_entries;
  std::vector<GramEntry> short_entries;
  for (const Text& text : texts_) {
    const Window window = RarestOf(text, GramIndex::kLong, GramIndex::kLongStep, longs);
    if (window.cost < UINT64_MAX) {
      File(text.number, window, GramIndex::kLongStep, GramIndex::kWord, &long_entries);
    } else {
      // The second of two places has only so many bytes behind it in the word that was read.
      File(text.number, RarestOf(text, GramIndex::kShort, GramIndex::kShortStep, shorts), GramIndex::kShortStep,
           GramIndex::kWord - GramIndex::kShortStep, &short_entries);
    }
  }
  return {MakeTable(std::move(long_entries), GramIndex::LongMix, GramIndex::kLongFilter),
          MakeTable(std::move(short_entries), GramIndex::ShortMix, GramIndex::kShortFilter)};
}

}  // namespace ncclwhy
