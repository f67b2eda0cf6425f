#include "parser/learned_prefixes.h"

#include <algorithm>
#include <utility>

#include "base/swar.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

constexpr size_t kMostPrefixes = 512;
constexpr size_t kLongestPrefix = 96;

bool CanBePrefix(std::string_view junk) {
  if (junk.size() > kLongestPrefix || scan::Trim(junk).empty()) return false;
  // What does not end like a prefix is a piece of another line; so is a header, and a progress bar.
  if (std::string_view(" :|>]\t").find(junk.back()) == std::string_view::npos) return false;
  if (std::none_of(junk.begin(), junk.end(), [](char c) { return scan::IsAlpha(c); })) return false;
  if (junk.find('%') != std::string_view::npos || scan::Contains(junk, "it/s")) return false;
  for (size_t i = 0; i + 1 < junk.size(); ++i) {
    if (junk[i] == ':' && IsDigit(junk[i + 1])) return false;
  }
  return true;
}

}  // namespace

void LearnedPrefixes::Learn(std::string_view junk) {
  if (believed_.size() >= kMostPrefixes || !CanBePrefix(junk)) return;
  if (std::any_of(believed_.begin(), believed_.end(), [&](const Prefix& known) { return known.text == junk; })) return;
  const auto candidate = std::find(candidates_.begin(), candidates_.end(), junk);
  if (candidate != candidates_.end()) {
    believed_.emplace_back(std::move(*candidate));
    heads_.set(static_cast<unsigned char>(junk[0]));
    candidates_.erase(candidate);
  } else if (candidates_.size() < kMostPrefixes) {
    candidates_.emplace_back(junk);
  }
}

// The first word is the nearest thing to a name: `worker-11 >> `, `[job-1-worker-1, unknown_ip] `, `pod container `
LearnedPrefixes::Prefix::Prefix(std::string learned) : text(std::move(learned)) {
  name_begin = std::min(text.find_first_not_of(" [(<"), text.size());
  name_end = name_begin;
  while (name_end < text.size() && (scan::IsHostChar(text[name_end]) || text[name_end] == '.')) ++name_end;
  for (size_t i = 0; i < text.size() && i < sizeof head; ++i) {
    head |= uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
    head_mask |= uint64_t{0xFF} << (8 * i);
  }
}

bool LearnedPrefixes::Prefix::Begins(std::string_view line, uint64_t line_head) const {
  if (line.size() >= sizeof head && (line_head & head_mask) != head) return false;
  return scan::StartsWith(line, text);
}

bool LearnedPrefixes::TakeOff(std::string_view& text, std::string_view* name) {
  const uint64_t head = text.size() >= sizeof head ? swar::Load(text.data()) : 0;
  if (last_ >= believed_.size() || !believed_[last_].Begins(text, head)) {
    const auto begins = [&](const Prefix& known) { return known.Begins(text, head); };
    const auto known = std::find_if(believed_.begin(), believed_.end(), begins);
    if (known == believed_.end()) return false;
    last_ = static_cast<size_t>(known - believed_.begin());
  }
  const Prefix& known = believed_[last_];
  *name = text.substr(known.name_begin, known.name_end - known.name_begin);
  text.remove_prefix(known.text.size());
  return true;
}

}  // namespace ncclwhy
