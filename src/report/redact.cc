#include "report/redact.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text.h"
#include "kb/loader/kb.h"
#include "report/known_words.h"
#include "report/redact_text.h"
#include "report/report_texts.h"

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
    case TextIs::kLine:
      return redactor->Line(text);
    case TextIs::kSentence:
      return redactor->Text(text);
    case TextIs::kHash:
      return IsHash(*text) ? void() : redactor->Line(text);
    case TextIs::kOwn:
      return;
  }
}

// What the knowledge says of the report's causes without taking a value: it holds nothing of a log, and a command in it
// is copied as it stands. `--kb` may say something else; that is redacted like any other text.
std::set<std::string> OwnTexts(const Report& report, Language language) {
  std::set<std::string> out;
  const auto add = [&](const std::string& text) {
    // A brace is the place of a value: such a text may hold anything.
    if (text.find('{') == std::string::npos) out.insert(text);
  };
  const auto add_all = [&](const std::string& id) {
    const auto cause = KnowledgeBase::Embedded().FindCause(id, language);
    if (!cause) return;
    add(cause->title);
    add(cause->mistaken_for);
    for (const Fix& fix : cause->fixes) add(fix.text), add(fix.command);
    for (const Confirm& confirm : cause->confirm) add(confirm.text), add(confirm.command);
    for (const Collect& collect : cause->collect) add(collect.what), add(collect.command);
  };
  for (const Cause& cause : report.causes) add_all(cause.id);
  for (const PossibleCause& cause : report.candidates) add_all(cause.id);
  return out;
}

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
  const std::set<std::string> own = OwnTexts(report, language);
  ForEachText(&report, [&](TextIs is, std::string* text) {
    if (is != TextIs::kSentence || !own.contains(*text)) Replace(is, text, &redactor);
  });
  // A report that was redacted already keeps its figures.
  for (size_t kind = 0; kind < kPrivateKinds; ++kind) {
    const uint64_t count = redactor.Count(static_cast<Private>(kind));
    if (count > 0) report.coverage.notes["redacted_" + std::string(NameOf(static_cast<Private>(kind)))] = count;
  }
  return report;
}

}  // namespace ncclwhy
