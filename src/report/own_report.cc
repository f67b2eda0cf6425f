#include "report/own_report.h"

#include <array>
#include <initializer_list>

#include "analyze/answer_names.h"
#include "base/escape.h"
#include "report/phrases.h"
#include "report/words.h"

namespace ncclwhy {
namespace {

// All of them: a report of any verdict may be replaced.
constexpr std::array kVerdicts = {Verdict::kFailure, Verdict::kHealthy, Verdict::kUndetermined, Verdict::kNoNccl,
                                  Verdict::kDegraded};
constexpr std::array kOutcomes = {Outcome::kUnknown, Outcome::kSucceeded, Outcome::kFailed, Outcome::kHung,
                                  Outcome::kStopped};

// FAILURE  …, HEALTHY SO FAR  …, ## FAILURE: …
bool IsForPeople(std::string_view head) {
  for (const Language language : {Language::kEnglish, Language::kChinese}) {
    const Words& words = WordsOf(language);
    for (const std::string_view word : {words.failure, words.healthy, words.healthy_so_far, words.unfinished,
                                        words.undetermined, words.no_nccl, words.degraded}) {
      if (head.starts_with(std::string(word) + "  ") || head.starts_with("## " + EscapeMarkdown(word) + ": ")) {
        return true;
      }
    }
  }
  return false;
}

// failed, failure: …
bool IsSummary(std::string_view head) {
  for (const Outcome outcome : kOutcomes) {
    for (const Verdict verdict : kVerdicts) {
      if (head.starts_with(std::string(OutcomeName(outcome)) + ", " + std::string(VerdictName(verdict)) + ": ")) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

bool IsOwnReport(std::string_view head) {
  const auto has = [head](std::string_view text) { return head.find(text) != std::string_view::npos; };
  // The first bytes that RenderTrace writes.
  if (head.starts_with("{\"traceEvents\":[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,")) return true;
  if (head.starts_with("{")) {
    return has("\"schema\": \"ncclwhy.report/1\"") || (has("sarif-2.1.0") && has("\"name\": \"ncclwhy\""));
  }
  if (head.starts_with("<?xml")) return has("<testsuite name=\"ncclwhy\"");
  if (head.starts_with("<!DOCTYPE html>")) return has("<meta name=\"generator\" content=\"ncclwhy\">");
  // A workflow's own output may hold such lines: the title is asked for, too.
  for (const std::string_view level : {"::error ", "::warning ", "::notice "}) {
    if (head.starts_with(level)) return has("title=");
  }
  return IsForPeople(head) || IsSummary(head);
}

}  // namespace ncclwhy
