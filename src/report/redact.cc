#include "report/redact.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/re2_call.h"

namespace ncclwhy {
namespace {

enum Kind { kHost, kIp, kGuid, kUser, kPath, kToken, kUrl, kKinds };
constexpr std::array<std::string_view, kKinds> kNames = {"host", "ip", "guid", "user", "path", "token", "url"};

// The text to replace is group 1. Tried in this order: what an earlier pattern replaced, no later one sees.
struct Pattern {
  Kind kind;
  const char* regex;
};
constexpr Pattern kPatterns[] = {
    // Secrets: well-known shapes, then anything behind a telling name.
    {kToken, R"(\b((?:hf|ghp|gho|ghs|ghr|glpat|sk|xox[bap])[_-][A-Za-z0-9_-]{12,}))"},
    {kToken, R"(\b((?:AKIA|ASIA)[A-Z0-9]{12,}))"},
    {kToken, R"(\b(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)?))"},
    {kToken, R"((?i)\bbearer\s+([A-Za-z0-9._~+/=-]{8,}))"},
    {kToken,
     R"((?i)(?:token|secret|passwd|password|api_?key|access_?key|credential)[A-Za-z0-9_]*["']?\s*[=:]\s*["']?([^\s"',;]{4,}))"},
    {kUrl, R"(\b([a-z][a-z0-9+.-]*://[^\s"'<>]+))"},
    // user@host, /home/user, user=name
    {kUser, R"(\b([A-Za-z_][A-Za-z0-9._-]*)@[A-Za-z0-9])"},
    {kUser, R"((?:/home/|/Users/|/scratch/|/lustre/home/)([A-Za-z0-9._-]+))"},
    {kUser, R"((?i)\b(?:user(?:name)?|logname)=["']?([A-Za-z_][A-Za-z0-9._-]{2,}))"},
    // A GID or IPv6 address, a MAC or InfiniBand GUID, NCCL's hexadecimal pair.
    {kGuid, R"((?i)\bguid\s*[=:]?\s*((?:0x)?[0-9a-f]{8,16})\b)"},
    {kGuid, R"(\(([0-9A-Fa-f]{1,16}/[0-9A-Fa-f]{6,16})\))"},
    {kGuid, R"(\b([0-9A-Fa-f]{4}:[0-9A-Fa-f]{4}:[0-9A-Fa-f]{4}:[0-9A-Fa-f]{4})(?:[^0-9A-Fa-f:]|$))"},
    {kGuid, R"(\b((?:[0-9A-Fa-f]{2}:){5,7}[0-9A-Fa-f]{2})\b)"},
    {kIp, R"((?:^|[^0-9A-Za-z:.])((?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}))"},
    {kIp, R"((?:^|[^0-9A-Za-z:.])((?:[0-9A-Fa-f]{1,4}:){1,6}:(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4})*)?)"
          R"((?:%[A-Za-z0-9]+)?)(?:[^0-9A-Za-z:]|$))"},
    {kIp, R"((?:^|[^0-9.])((?:[0-9]{1,3}\.){3}[0-9]{1,3})(?:[^0-9.]|\.?$|\.[^0-9]))"},
    // NCCL's header, and names that say of themselves that they are host names. A name needs a letter: the header's
    // pattern would take the time 12:34:56 otherwise.
    {kHost, R"(^\s*(?:\[[^\]]*\]\s*)*((?:[0-9]+[._-]?)*[A-Za-z][A-Za-z0-9._-]*):[0-9]+:[0-9]+ )"},
    {kHost, R"(\b([A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*\.(?:internal|local|localdomain|cluster|svc|lan|corp|)"
            R"(intra|com|net|org|edu|io|cn|de))\b)"},
    {kHost, R"((?i)\b(?:host(?:name)?|node(?:name)?|nodelist)=["']?([A-Za-z][A-Za-z0-9._-]{2,}))"},
    {kHost, R"((?i)\b(?:host(?:name)?|node(?:name)?):\s*["']?([A-Za-z][A-Za-z._-]*[0-9][A-Za-z0-9._-]*))"},
    {kPath, R"((?:^|[\s"'=:,(\[<])(/[^\s"'<>:,;)\]/][^\s"'<>:,;)\]]*))"},
};

bool IsWordByte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool IsKept(Kind kind, std::string_view text) {
  if (kind == kIp) return text == "127.0.0.1" || text == "0.0.0.0" || text == "::" || text == "::1";
  if (kind == kHost) return text == "localhost" || text.starts_with("lib");
  if (kind != kPath) return false;
  constexpr std::string_view kSystem[] = {"/dev",   "/sys", "/proc", "/usr", "/lib",
                                          "/lib64", "/etc", "/tmp",  "/run", "/opt"};
  return std::any_of(std::begin(kSystem), std::end(kSystem), [&](std::string_view root) {
    return text == "/" || text == root || (text.starts_with(root) && text[root.size()] == '/');
  });
}

const std::vector<std::pair<Kind, std::unique_ptr<RE2>>>& Compiled() {
  static const auto* patterns = [] {
    RE2::Options options(RE2::Quiet);
    options.set_max_mem(limits::kPatternMemory);
    auto out = std::make_unique<std::vector<std::pair<Kind, std::unique_ptr<RE2>>>>();
    for (const Pattern& pattern : kPatterns) {
      out->emplace_back(pattern.kind, InRe2([&] { return std::make_unique<RE2>(pattern.regex, options); }));
    }
    return out.release();
  }();
  return *patterns;
}

class Redactor {
 public:
  // A value that is known to be of a kind.
  void Learn(Kind kind, const std::string& text) {
    const bool name = text.size() > 1 && text.find_first_not_of("0123456789") != std::string::npos;
    if (name && !IsKept(kind, text)) Alias(kind, text);
  }

  // Text that holds values of a log.
  void Text(std::string* text) {
    Known(text);
    for (const auto& [kind, pattern] : Compiled()) Apply(kind, *pattern, text);
    Known(text);  // learned just now
  }

  // Replaces what is known, and nothing else.
  void Known(std::string* text) const {
    if (text->empty()) return;
    for (const auto& [length, names] : by_length_) {
      for (const auto& [name, alias] : names) Replace(name, alias, text);
    }
  }

 private:
  std::string Alias(Kind kind, const std::string& text) {
    auto& names = by_length_[text.size()];
    const auto it = names.find(text);
    if (it != names.end()) return it->second;
    std::string alias = std::string(kNames[kind]) + "-" + std::to_string(++counts_[kind]);
    if (kind == kPath) alias = "/" + alias;
    if (kind == kUrl) alias = "https://" + alias;
    return names[text] = alias;
  }

  void Apply(Kind kind, const RE2& pattern, std::string* text) {
    size_t at = 0;
    re2::StringPiece groups[2];
    const auto match = [&] { return pattern.Match(*text, at, text->size(), RE2::UNANCHORED, groups, 2); };
    while (at <= text->size() && InRe2(match)) {
      const size_t begin = static_cast<size_t>(groups[1].data() - text->data());
      const std::string found(groups[1].data(), groups[1].size());
      if (found.empty() || IsKept(kind, found) || IsAlias(found)) {
        at = begin + std::max<size_t>(found.size(), 1);
        continue;
      }
      const std::string alias = Alias(kind, found);
      text->replace(begin, found.size(), alias);
      at = begin + alias.size();
    }
  }

  // host-3, /path-1/…, https://url-2: made by us.
  static bool IsAlias(std::string_view text) {
    if (text.starts_with("https://")) text.remove_prefix(8);
    if (text.starts_with('/')) text.remove_prefix(1);
    return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) {
      return text.size() > name.size() + 1 && text.starts_with(name) && text[name.size()] == '-' &&
             std::all_of(text.begin() + static_cast<ptrdiff_t>(name.size()) + 1, text.end(),
                         [](char c) { return c >= '0' && c <= '9'; });
    });
  }

  static void Replace(const std::string& name, const std::string& alias, std::string* text) {
    for (size_t at = text->find(name); at != std::string::npos; at = text->find(name, at)) {
      const bool begins = at == 0 || !IsWordByte(name.front()) || !IsWordByte((*text)[at - 1]);
      const size_t end = at + name.size();
      const bool ends = end == text->size() || !IsWordByte(name.back()) || !IsWordByte((*text)[end]);
      if (begins && ends) {
        text->replace(at, name.size(), alias);
        at += alias.size();
      } else {
        at = end;
      }
    }
  }

  // Longest first, so that gpu-10 is not taken for gpu-1.
  std::map<size_t, std::map<std::string, std::string>, std::greater<>> by_length_;
  std::array<int, kKinds> counts_{};
};

void RedactEvidence(std::vector<Evidence>* evidence, Redactor* redactor) {
  for (Evidence& item : *evidence) {
    redactor->Text(&item.file);
    redactor->Text(&item.text);
    redactor->Text(&item.note);
    for (ContextLine& near : item.context) redactor->Text(&near.text);
  }
}

void RedactCulprits(std::vector<Culprit>* culprits, Redactor* redactor) {
  for (Culprit& culprit : *culprits) {
    redactor->Known(&culprit.host);
    redactor->Text(&culprit.why);
  }
}

// What became of the job, in all its parts.
void RedactOutcome(Report* report, Redactor* redactor) {
  for (OutcomeEvidence& item : report->outcome_evidence) {
    redactor->Text(&item.file);
    redactor->Text(&item.text);
    redactor->Text(&item.note);
  }
  redactor->Text(&report->progress);
  for (Attempt& attempt : report->attempts) {
    redactor->Text(&attempt.file);
    redactor->Text(&attempt.sentence);
  }
  for (JobAnswer& job : report->jobs) {
    redactor->Text(&job.name);
    redactor->Text(&job.title);
    RedactCulprits(&job.culprits, redactor);
    for (std::string& file : job.files) redactor->Text(&file);
  }
  for (TimelineStep& step : report->timeline) {
    redactor->Known(&step.host);
    redactor->Text(&step.what);
    redactor->Text(&step.file);
    redactor->Text(&step.text);
  }
  for (EnvironmentFact& fact : report->job.environment) {
    redactor->Text(&fact.value);
    redactor->Text(&fact.file);
  }
  for (PossibleCause& candidate : report->candidates) {
    redactor->Text(&candidate.title);
    redactor->Text(&candidate.tells);
    redactor->Known(&candidate.command);
  }
  if (!report->decision) return;
  for (std::string& host : report->decision->hosts) redactor->Known(&host);
  for (std::string& device : report->decision->devices) redactor->Text(&device);
  redactor->Text(&report->decision->why);
  redactor->Known(&report->decision->command);
}

}  // namespace

Report Redact(Report report) {
  Redactor redactor;
  // Names first: what is known to be a host is one wherever it stands.
  for (const Cause& cause : report.causes) {
    for (const Culprit& culprit : cause.culprits) redactor.Learn(kHost, culprit.host);
  }
  for (const ReportCommunicator& comm : report.job.communicators) {
    for (const ReportRank& rank : comm.ranks) redactor.Learn(kHost, rank.host);
  }
  for (const JobAnswer& job : report.jobs) {
    for (const Culprit& culprit : job.culprits) redactor.Learn(kHost, culprit.host);
  }
  for (const TimelineStep& step : report.timeline) redactor.Learn(kHost, step.host);
  if (report.decision) {
    for (const std::string& host : report.decision->hosts) redactor.Learn(kHost, host);
  }
  // Then the lines of logs, which teach the names that only they hold.
  for (Cause& cause : report.causes) RedactEvidence(&cause.evidence, &redactor);
  for (Consequence& item : report.consequences) {
    redactor.Text(&item.file);
    redactor.Text(&item.text);
  }
  for (Warning& item : report.warnings) {
    RedactEvidence(&item.evidence, &redactor);
    redactor.Text(&item.text);
  }
  for (ReportCommunicator& comm : report.job.communicators) {
    for (ReportRank& rank : comm.ranks) {
      redactor.Known(&rank.host);
      redactor.Text(&rank.file);
      redactor.Text(&rank.last_text);
    }
  }
  for (std::string& problem : report.problems) redactor.Text(&problem);
  RedactOutcome(&report, &redactor);
  // Last the knowledge's texts: the values in them came from the lines above.
  for (Cause& cause : report.causes) {
    redactor.Text(&cause.summary);
    RedactCulprits(&cause.culprits, &redactor);
    for (std::vector<Fix>* fixes : {&cause.fixes, &cause.fixes_elsewhere}) {
      for (Fix& fix : *fixes) {
        redactor.Known(&fix.text);
        redactor.Known(&fix.command);
      }
    }
    redactor.Text(&cause.sure);
    for (Confirm& confirm : cause.confirm) {
      redactor.Known(&confirm.text);
      redactor.Known(&confirm.command);
    }
    redactor.Known(&cause.why_not);
    redactor.Known(&cause.mistaken_for);
  }
  for (Collect& item : report.collect) {
    redactor.Known(&item.what);
    redactor.Known(&item.command);
  }
  return report;
}

}  // namespace ncclwhy
