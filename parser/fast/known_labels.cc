#include "parser/fast/known_labels.h"

#include <algorithm>
#include <cstring>

namespace ncclwhy {
namespace {

constexpr size_t kMostLabels = 16384;  // as of threads with headers

// The views of `outer`, which point into `from`, point to the same bytes of `to`. That of the time is the line's.
void MoveViews(const char* from, const char* to, OuterPrefix* outer) {
  for (std::string_view* view : {&outer->host, &outer->pod, &outer->stream}) {
    if (!view->empty()) *view = {to + (view->data() - from), view->size()};
  }
  outer->time = {};
}

}  // namespace

KnownLabels::KnownLabels(const KnownLabels& other)
    : labels_(other.labels_), offsets_(other.offsets_), offset_count_(other.offset_count_), by_key_(other.by_key_) {
  for (size_t i = 0; i < labels_.size(); ++i) {
    MoveViews(other.labels_[i].text.data(), labels_[i].text.data(), &labels_[i].outer);
  }
}

void KnownLabels::Add(std::string_view line, size_t size, const OuterPrefix& outer) {
  const std::string_view text = line.substr(0, size);
  if (size == 0 || size > kLongest || line.size() < kReach || labels_.size() >= kMostLabels) return;
  if (!std::all_of(text.begin(), text.end(), [](char c) { return (c >= ' ' && c <= '~') || c == '\t'; })) return;
  Label label;
  label.size = static_cast<uint32_t>(size);
  if (!outer.time.empty()) {
    // Of a clock, not a number: `1764579611.198400` may be a value.
    if (outer.time.find(':') == std::string_view::npos) return;
    label.time_begin = static_cast<uint32_t>(outer.time.data() - line.data());
    label.time_end = label.time_begin + static_cast<uint32_t>(outer.time.size());
    if (label.time_end > size) return;
  }
  std::memcpy(label.text.data(), text.data(), size);
  for (size_t i = 0; i < size; ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (digit && i >= label.time_begin && i < label.time_end) continue;
    label.others[i / sizeof(uint64_t)] |= uint64_t{0xFF} << (8 * (i % sizeof(uint64_t)));
  }
  if (std::find(offsets_.begin(), offsets_.begin() + offset_count_, label.time_end) ==
      offsets_.begin() + offset_count_) {
    if (offset_count_ == offsets_.size()) return;
    offsets_[offset_count_++] = label.time_end;
  }
  label.hash = HashOf(line.data(), label.time_end);
  const auto same = [&](uint32_t i) { return labels_[i].time_end == label.time_end && labels_[i].Begins(line.data()); };
  if (by_key_.Find(label.hash, same) != IndexTable::kEmpty) return;
  label.outer = outer;
  labels_.push_back(label);
  MoveViews(line.data(), labels_.back().text.data(), &labels_.back().outer);
  by_key_.Add(label.hash, static_cast<uint32_t>(labels_.size() - 1), [&](uint32_t i) { return labels_[i].hash; });
}

void KnownLabels::Clear() {
  labels_.clear();
  offset_count_ = 0;
  by_key_ = {};
}

}  // namespace ncclwhy
