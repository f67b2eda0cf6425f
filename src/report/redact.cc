#include "report/redact.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text.h"
#include "kb/loader/decode.h"
#include "kb/loader/kb.h"
#include "kb/loader/template.h"
#include "report/known_words.h"
#include "report/redact_text.h"
#include "report/report_texts.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {
namespace {

// 0x6782fe585c992cf7
bool IsHash(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); });
}

void Replace(TextIs is, std::string* text, Redactor* redactor) {
  // Hosts and lines teach names as they are read; sentences are ours and only get them.
  switch (is) {
    case TextIs::kHost:
      return redactor->Host(text);
    case TextIs::kLine:
      return redactor->Line(text);
    case TextIs::kSentence:
      return redactor->Sentence(text);
    case TextIs::kHash:
      return IsHash(*text) ? void() : redactor->Line(text);
    case TextIs::kOwn:
      return;
  }
}

// What the knowledge and the rules say of the report's causes without taking a value: it holds nothing of a log, and a
// command in it is copied as it stands. Of what takes values the words between them stay. `--kb` may say something
// else; that is redacted like any other text.
class OwnTexts {
 public:
  OwnTexts(const Report& report, Language language, Redactor* redactor) : redactor_(redactor) {
    for (const Cause& cause : report.causes) {
      OfCause(cause.id, language);
      for (const Evidence& evidence : cause.evidence) OfRule(evidence.rule, language);
    }
    for (const PossibleCause& cause : report.candidates) OfCause(cause.id, language);
  }
  bool Has(const std::string& text) const { return whole_.contains(text); }

 private:
  void Add(const std::string& text) {
    // A brace is the place of a value: such a text may hold anything.
    if (text.find('{') == std::string::npos) whole_.insert(text);
    size_t begin = 0;
    ForEachPlace(text, [&](const TemplatePlace& place, size_t at) {
      redactor_->Keep(std::string_view(text).substr(begin, at - begin));
      begin = at + place.size;
    });
    redactor_->Keep(std::string_view(text).substr(begin));
  }
  void Add(const CauseKnowledge& cause) {
    Add(cause.title);
    Add(cause.mistaken_for);
    for (const FittingText& summary : cause.summary) Add(summary.text);
    for (const Fix& fix : cause.fixes) Add(fix.text), Add(fix.command);
    for (const Confirm& confirm : cause.confirm) Add(confirm.text), Add(confirm.command);
    for (const Collect& collect : cause.collect) Add(collect.what), Add(collect.command);
  }
  void OfCause(const std::string& id, Language language) {
    if (const auto cause = KnowledgeBase::Embedded().FindCause(id, language)) Add(*cause);
  }
  // A rule that judges a line closer brings fixes of its own.
  void OfRule(const std::string& id, Language language) {
    const RuleList& rules = RuleSet::Embedded().rules();
    if (!rules.Has(id)) return;
    const Rule& rule = rules[rules.LowerBound(id)];
    const bool chinese = language == Language::kChinese;
    Add(std::string(chinese ? rule.fix_zh : rule.fix_en));
    Add(std::string(rule.fix_command));
    if (!rule.tells.empty()) Add(DecodeCause(rule.tells, language));
  }

  Redactor* const redactor_;
  std::set<std::string> whole_;
};

}  // namespace

Report Redact(Report report, Language language, const std::vector<std::string>& hosts) {
  Redactor redactor;
  redactor.WriteHan(language == Language::kChinese);
  // Names first: what is known to be a host is one wherever it stands.
  ForEachText(&report, [&](TextIs is, std::string* text) {
    if (is == TextIs::kHost) redactor.Learn(Private::kHost, *text);
  });
  // Others are unknown words, unless they are words that everybody uses: login, storage.
  for (const std::string& host : hosts) {
    // A known word is only taken for a host where the job has a host of that name.
    if (IsKnownWord(host)) redactor.Learn(Private::kHost, host);
  }
  // Then lines teach the names that only they mark, also to the lines before them and to our own sentences.
  ForEachText(&report, [&](TextIs is, std::string* text) {
    std::string copy = *text;
    if (is != TextIs::kSentence) Replace(is, &copy, &redactor);
  });
  // What is in the knowledge without any value is not touched: `/dev/shm` in a fix is no private path.
  const OwnTexts own(report, language, &redactor);
  ForEachText(&report, [&](TextIs is, std::string* text) {
    if (is != TextIs::kSentence || !own.Has(*text)) Replace(is, text, &redactor);
  });
  // A report that was redacted already keeps its figures.
  for (size_t kind = 0; kind < kPrivateKinds; ++kind) {
    const uint64_t count = redactor.Count(static_cast<Private>(kind));
    if (count > 0) report.coverage.notes["redacted_" + std::string(NameOf(static_cast<Private>(kind)))] = count;
  }
  return report;
}

}  // namespace ncclwhy
