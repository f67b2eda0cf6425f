#include "analyze/message_rules.h"

#include <fmt/format.h>

#include "base/text.h"
#include "kb/loader/format_code.h"

namespace ncclwhy {
namespace {

constexpr size_t kWords = 40;  // bytes of them in an id

uint32_t Hash(std::string_view text) {
  uint32_t h = 2166136261u;  // FNV-1a
  for (const char c : text) h = (h ^ static_cast<uint8_t>(c)) * 16777619u;
  return h;
}

// The levels of lines that a message stands in: text without a header has none.
std::vector<LogLevel> LevelsOf(std::string_view level) {
  for (const LogLevel l :
       {LogLevel::kWarn, LogLevel::kInfo, LogLevel::kVersion, LogLevel::kAbort, LogLevel::kTrace, LogLevel::kCall}) {
    if (LevelName(l) == level) return {l};
  }
  return {};
}

}  // namespace

std::string MessageRuleId(const MessageKnowledge& message) {
  std::string words;
  bool gap = false;
  for (size_t i = 0; i < message.format.size() && words.size() < kWords; ++i) {
    char c = message.format[i];
    if (c == '%' && i + 1 < message.format.size()) {  // "%s" is no word
      while (i + 1 < message.format.size() && !IsAlpha(message.format[i])) ++i;
      gap = true;
      continue;
    }
    if (!IsAlnum(c)) {
      gap = true;
      continue;
    }
    if (gap && !words.empty()) words += '-';
    gap = false;
    words += IsUpper(c) ? static_cast<char>(c + ('a' - 'A')) : c;
  }
  const uint32_t hash = Hash(message.level + "\n" + message.product + "\n" + message.format);
  return fmt::format("{}{}{}{:05x}", kMessageRulePrefix, words, words.empty() ? "" : "-", hash >> 12);
}

Role RoleOf(MessageMeaning meaning) {
  switch (meaning) {
    case MessageMeaning::kRoot:
      return Role::kRoot;
    case MessageMeaning::kSymptom:
      return Role::kSymptom;
    case MessageMeaning::kSecondary:
      return Role::kSecondary;
    case MessageMeaning::kBenign:
      return Role::kBenign;
    default:
      return Role::kContext;
  }
}

std::vector<Weight> WeightsOf(const MessageKnowledge& message) {
  std::vector<Weight> weights;
  for (const auto& [cause, weight] : message.causes) weights.push_back({cause, weight * kCatalogueTrust});
  return weights;
}

Rule RuleOfMessage(const KnowledgeBase& kb, int message) {
  const MessageKnowledge english = kb.Message(message, {}, Language::kEnglish);
  Rule rule;
  rule.id = MessageRuleId(english);
  rule.family = "message";
  rule.file = fmt::format("kb/messages/{}/rule.json", rule.id);
  rule.role = RoleOf(english.meaning);
  rule.causes = WeightsOf(english);
  rule.title_en = rule.title_zh = english.format;
  rule.note_en = english.note;
  rule.note_zh = kb.Message(message, {}, Language::kChinese).note;
  LinePattern pattern;
  std::string longest;
  const CompiledFormat compiled = CompileFormat(english.format);
  // Of its literal pieces the longest: what a line has to hold before it is compared.
  ForEachLiteral(compiled.code, [&](std::string_view piece) {
    if (piece.size() > longest.size()) longest = piece;
  });
  if (!longest.empty()) pattern.literals.push_back(longest);
  pattern.levels = LevelsOf(english.level);
  rule.patterns.push_back(std::move(pattern));
  return rule;
}

}  // namespace ncclwhy
