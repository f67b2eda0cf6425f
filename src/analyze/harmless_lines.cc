#include "analyze/harmless_lines.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "base/text.h"

namespace ncclwhy {
namespace {

// Words at which a reader stops.
constexpr std::array<std::string_view, 20> kAlarming = {
    "fail",          "error",     "could not", "cannot",    "unable",     "refused",      "denied",
    "not found",     "no device", "timed out", "abort",     "invalid",    "closed",       "missing",
    "out of memory", "killed",    "exception", "traceback", "unexpected", "reset by peer"};

bool SoundsBad(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = IsUpper(c) ? static_cast<char>(c | 0x20) : c;
  return std::any_of(kAlarming.begin(), kAlarming.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

// What stands right in front of the failure belongs to it, wherever else it is said.
constexpr uint32_t kBefore = 8;
std::set<std::string> SaidBefore(const CaseFile& c, const std::set<std::pair<std::string, uint64_t>>& failure) {
  std::set<std::string> said;
  for (const EvidenceItem& item : c.items) {
    const Finding& f = item.finding;
    if (!f.source.valid() || f.line == 0) continue;
    const auto next = failure.upper_bound({c.model.sources[f.source.value]->name, f.line});
    const bool close = next != failure.end() && next->first == c.model.sources[f.source.value]->name &&
                       next->second - f.line <= kBefore;
    if (close) said.insert(f.text);
  }
  return said;
}

// An alarm behind which the job went on. That somebody ended, if only an earlier attempt, is never called harmless.
bool GotOver(const EvidenceItem& item) {
  const Role role = item.finding.role;
  const bool alarm = role == Role::kRoot || role == Role::kSymptom || role == Role::kSecondary;
  const Life life = item.rule != nullptr ? item.rule->sign.life : Life::kNone;
  return (alarm || life == Life::kStumble) && item.survived && life != Life::kEnding;
}

// "NET/IB : No device found." is none of the harmless lines where ib.no-device is the answer.
bool IsOfTheCause(const EvidenceItem& item, const Report& report) {
  if (report.causes.empty()) return false;
  const std::string& id = report.causes.front().id;
  const std::string family = id.substr(0, id.find('.'));
  std::string upper = family;
  for (char& c : upper) c = IsLower(c) ? static_cast<char>(c & ~0x20) : c;
  const std::string_view text = item.finding.text;
  const auto word = [&](size_t at) {
    const size_t end = at + upper.size();
    return (at == 0 || !IsAlnum(text[at - 1])) && (end == text.size() || !IsAlnum(text[end]));
  };
  bool named = text.find("lib" + family) != std::string_view::npos;
  for (size_t at = text.find(upper); !named && at != std::string_view::npos; at = text.find(upper, at + 1)) {
    named = word(at);
  }
  return named || (item.rule != nullptr && item.rule->family == family);
}

// The lower, the sooner a reader stops at it.
int Calm(const EvidenceItem& item) {
  if (item.finding.role == Role::kBenign) return item.info ? 2 : 1;
  return 0;
}

}  // namespace

std::vector<HarmlessLine> HarmlessLines(const CaseFile& c, const Report& report) {
  std::set<std::pair<std::string, uint64_t>> quoted;
  for (const Cause& cause : report.causes) {
    for (const Evidence& e : cause.evidence) quoted.emplace(e.file, e.line);
  }
  std::set<std::pair<std::string, uint64_t>> failure;
  if (!report.causes.empty()) {
    for (const Evidence& e : report.causes.front().evidence) failure.emplace(e.file, e.line);
  }
  const std::set<std::string> before = SaidBefore(c, failure);
  for (const Consequence& item : report.consequences) quoted.emplace(item.file, item.line);
  std::vector<const EvidenceItem*> items;
  for (const EvidenceItem& item : c.items) {
    const Role role = item.finding.role;
    const bool harmless = (role == Role::kBenign || GotOver(item)) && !IsOfTheCause(item, report);
    if (!harmless || item.finding.line == 0 || before.contains(item.finding.text)) continue;
    if (SoundsBad(item.finding.text)) items.push_back(&item);
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const EvidenceItem* a, const EvidenceItem* b) { return Calm(*a) < Calm(*b); });
  std::vector<HarmlessLine> out;
  std::map<std::string, size_t> by_kind;
  std::set<std::pair<uint32_t, uint32_t>> told;  // several rules may speak of one line
  for (const EvidenceItem* item : items) {
    const Finding& f = item->finding;
    if (!told.emplace(f.source.value, f.line).second) continue;
    const auto [it, fresh] = by_kind.try_emplace(item->rule != nullptr ? item->name : item->note, out.size());
    if (!fresh) {
      if (it->second < out.size()) out[it->second].count += 1 + f.repeats;
      continue;
    }
    Evidence e = ItemEvidence(c, *item, "supporting");
    if (out.size() >= limits::kHarmlessLines || quoted.count({e.file, e.line}) > 0) {
      it->second = SIZE_MAX;
      continue;
    }
    const bool got_over = GotOver(*item);
    const bool stumble = got_over && item->rule != nullptr && item->rule->sign.life == Life::kStumble;
    if (got_over && !stumble) {
      e.note = c.language == Language::kChinese ? "此后作业仍在继续" : "the job went on behind it";
    }
    out.push_back({std::move(e.file), e.line, std::move(e.text), std::move(e.note), 1 + f.repeats, got_over});
  }
  return out;
}

}  // namespace ncclwhy
