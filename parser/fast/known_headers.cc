#include "parser/fast/known_headers.h"

#include <algorithm>
#include <cstring>

#include "parser/scan.h"

namespace ncclwhy {
namespace {

// Where the first blank of a header may stand: host of up to 64, pid and tid of up to 10 digits.
constexpr size_t kLeastBlank = 8;
constexpr size_t kMostBlank = 96;
constexpr size_t kMost = 16384;  // no job has as many threads in one file
// Threads that the hash cannot tell apart (containers, all with pid 1). More are parsed line by line.
constexpr size_t kMostAlike = 16;

}  // namespace

size_t FirstBlank(std::string_view text) { return text.substr(0, kMostBlank).find(' '); }

// At most three for a thread, the longest first, so that the first that fits is the right one.
void KnownHeaders::Thread::AddTail(std::string_view text, const KnownHeader& header) {
  if (tail_count == kTails || text.empty() || text.size() > tails[0].bytes.size()) return;
  size_t at = tail_count++;
  for (; at > 0 && tails[at - 1].size < text.size(); --at) tails[at] = tails[at - 1];
  tails[at] = {};
  std::memcpy(tails[at].bytes.data(), text.data(), text.size());
  tails[at].size = static_cast<uint32_t>(text.size());
  tails[at].header = header;
}

KnownHeaders::Thread* KnownHeaders::FindByHash(std::string_view text) {
  const size_t blank = FirstBlank(text);
  if (blank == std::string_view::npos || blank < kLeastBlank) return nullptr;
  const uint32_t index =
      by_hash_.Find(Thread::HashOf(text.data(), blank), [&](uint32_t i) { return threads_[i].Begins(text); });
  if (index == IndexTable::kEmpty) return nullptr;
  return Turn(index);
}

// A header is learned from a line that was parsed. What is not plain ASCII, or too long, is parsed each time.
void KnownHeaders::Add(std::string_view text, const KnownHeader& header) {
  const size_t blank = FirstBlank(text);
  if (blank == std::string_view::npos || blank < kLeastBlank || blank + 1 > Thread::kLongest) return;
  if (blank + 1 >= header.size || text[header.size - 1] != ' ') return;
  if (!scan::IsAlnum(text[0])) return;  // a launcher's prefix may begin like that
  // Who takes lines by their known bytes does not look for others.
  const std::string_view bytes = text.substr(0, header.size);
  if (!std::all_of(bytes.begin(), bytes.end(), [](char c) { return c >= ' ' && c <= '~'; })) return;
  const std::string_view tail = text.substr(blank + 1, header.size - blank - 1);
  if (Thread* const known = FindThread(text); known != nullptr) {
    const KnownHeader* const found = Find(text);
    if (found == nullptr || found->size < header.size) known->AddTail(tail, header);
    return;
  }
  if (threads_.size() >= kMost) return;
  const uint64_t hash = Thread::HashOf(text.data(), blank);
  size_t alike = 0;
  by_hash_.Find(hash, [&](uint32_t i) {
    alike += threads_[i].hash() == hash ? 1 : 0;
    return false;
  });
  if (alike >= kMostAlike) return;
  const auto index = static_cast<uint32_t>(threads_.size());
  Thread& thread = threads_.emplace_back();
  std::memcpy(thread.bytes.data(), text.data(), blank + 1);
  thread.size = static_cast<uint32_t>(blank + 1);
  thread.next = index;
  thread.AddTail(tail, header);
  by_hash_.Add(hash, index, [&](uint32_t i) { return threads_[i].hash(); });
}

}  // namespace ncclwhy
