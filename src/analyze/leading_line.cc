#include "analyze/leading_line.h"

#include <iterator>
#include <string_view>

#include "analyze/word_evidence.h"
#include "base/logger_prefix.h"
#include "base/utf8.h"
#include "kb/loader/decode.h"

namespace ncclwhy {

const EvidenceItem* LeadingItem(const CaseFile& c, const Hypothesis& h) {
  for (const size_t n : h.evidence) {
    const EvidenceItem& item = c.items[n];
    const Role role = item.finding.role;
    const bool degrades = item.rule != nullptr && item.rule->degrades;
    if (role != Role::kRoot && role != Role::kSymptom && !degrades) continue;
    return item.rule != nullptr && item.finding.SpeaksFor(h.cause) > 0 ? &item : nullptr;
  }
  return nullptr;
}

std::string LeadingFinding(const CaseFile& c, const Hypothesis& h) {
  for (const size_t n : h.evidence) {
    const EvidenceItem& item = c.items[n];
    if (item.rule == nullptr || item.finding.role != Role::kRoot) continue;
    std::string title = (c.language == Language::kChinese ? item.rule->title_zh : item.rule->title_en).str();
    if (title.empty() || title.find('%') != std::string::npos) return {};
    for (const std::string_view article : {"a ", "an ", "the ", "two "}) {
      if (title.starts_with(article)) title[0] = static_cast<char>(title[0] - 'a' + 'A');
    }
    return title;
  }
  return {};
}

void TellByRule(const CaseFile& c, const Hypothesis& h, CauseKnowledge* known) {
  const EvidenceItem* item = LeadingItem(c, h);
  if (item == nullptr || item->rule->tells.empty()) return;
  CauseKnowledge told = DecodeCause(item->rule->tells, c.language);
  if (!told.summary.empty()) known->summary = std::move(told.summary);
  if (!told.unproven.empty()) known->unproven = std::move(told.unproven);
  if (!told.mistaken_for.empty()) known->mistaken_for = std::move(told.mistaken_for);
  known->confirm.insert(known->confirm.begin(), std::make_move_iterator(told.confirm.begin()),
                        std::make_move_iterator(told.confirm.end()));
}

std::string ReadByWords(const CaseFile& c, const Hypothesis& h) {
  constexpr size_t kColumns = 90;
  if (h.evidence.empty() || !c.items[h.evidence.front()].name.starts_with(kWordEvidencePrefix)) return {};
  const std::string text(WithoutLoggerPrefix(c.items[h.evidence.front()].finding.text));
  const std::string_view shown = PrefixOfWidth(text, kColumns);
  return "\"" + std::string(shown) + (shown.size() < text.size() ? "\xE2\x80\xA6" : "") + "\"";  // …
}

}  // namespace ncclwhy
