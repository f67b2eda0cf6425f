#include "analyze/known_bugs.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <optional>

#include "base/limits.h"
#include "base/re2_call.h"
#include "base/version_range.h"
#include "rules/engine/lint.h"

namespace ncclwhy {
namespace {

// A log that repeats its WARNs for ever is not searched for ever.
constexpr size_t kLinesSearched = 4096;
constexpr double kBugLogOdds = 2.5;   // the bug is the cause
constexpr double kHintLogOdds = 1.0;  // the bug is one way to get the cause

struct Candidate {
  BugKnowledge bug;
  std::string literal;             // in every line that tells; empty = unknown
  std::unique_ptr<RE2> tell_tale;  // compiled when a line has the literal
  VersionRange versions;

  bool Tells(const std::string& line) {
    if (line.find(literal) == std::string::npos) return false;
    if (tell_tale == nullptr) {
      RE2::Options options;
      options.set_log_errors(false);
      options.set_max_mem(limits::kPatternMemory);
      tell_tale = InRe2([&] { return std::make_unique<RE2>(bug.tell_tale, options); });
    }
    return tell_tale->ok() && InRe2([&] { return RE2::PartialMatch(line, *tell_tale); });
  }
};

std::vector<Candidate> Candidates(const KnowledgeBase& kb, Language language) {
  std::vector<Candidate> list;
  for (BugKnowledge& bug : kb.BugsWithTellTale(language)) {
    Candidate c;
    if (bug.product == "nccl") c.versions = ParseVersionRange(bug.affected).value_or(VersionRange());
    const bool flags = bug.tell_tale.find("(?") != std::string::npos;  // such as (?i)
    if (!flags) c.literal = RequiredLiteral(bug.tell_tale);
    c.bug = std::move(bug);
    list.push_back(std::move(c));
  }
  return list;
}

// NCCL's version is the only one that its log tells for sure.
bool VersionFits(const Candidate& c, const JobModel& model, ProcessId process) {
  if (c.bug.product != "nccl") return true;
  std::string_view text = process.valid() ? model.processes[process.value].nccl_version : std::string_view();
  for (size_t i = 0; text.empty() && i < model.processes.size(); ++i) text = model.processes[i].nccl_version;
  const int32_t version = VersionCode(text);
  return version > 0 && c.versions.Contains(version);
}

}  // namespace

std::vector<BugMatch> MatchKnownBugs(const JobModel& model, const KnowledgeBase& kb, Language language) {
  std::optional<std::vector<Candidate>> candidates;  // made when there is a line to ask about
  std::vector<BugMatch> matches;
  size_t searched = 0;
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    const SourceFacts& facts = *model.sources[s];
    for (const Event& e : facts.events) {
      if (e.level != LogLevel::kWarn && e.kind != EventKind::kTorchError && e.kind != EventKind::kTorch &&
          e.kind != EventKind::kGdr) {
        continue;
      }
      if (++searched > kLinesSearched) return matches;
      if (!candidates) candidates = Candidates(kb, language);
      const std::string line =
          fmt::format("{}:{} NCCL {} {}", facts.Str(e.nccl_file), e.nccl_line, LevelName(e.level), facts.Str(e.text));
      const ProcessId process = model.ProcessOf(SourceId{s}, e.process, e.launcher_rank);
      for (auto it = candidates->begin(); it != candidates->end();) {
        if (!it->Tells(line) || !VersionFits(*it, model, process)) {
          ++it;
          continue;
        }
        matches.push_back({std::move(it->bug), SourceId{s}, e.line, std::string(facts.Str(e.text)), process});
        it = candidates->erase(it);
      }
    }
  }
  return matches;
}

void AddBugEvidence(const JobModel& model, const std::vector<BugMatch>& bugs, std::vector<EvidenceItem>& items) {
  for (const BugMatch& match : bugs) {
    const bool itself = match.bug.cause == "version.known-bug";
    EvidenceItem item;
    item.name = "bug:" + match.bug.id;
    item.note = match.bug.title;
    item.finding.role = itself ? Role::kSymptom : Role::kContext;
    item.finding.causes = {{match.bug.cause, itself ? kBugLogOdds : kHintLogOdds}};
    item.finding.source = match.source;
    item.finding.line = match.line;
    item.finding.text = match.text;
    item.finding.process = match.process;
    item.finding.rank = model.RankOf(match.process);
    if (match.process.valid()) item.finding.host = std::string(model.processes[match.process.value].host);
    items.push_back(std::move(item));
  }
}

void AddUpgrades(const std::vector<BugMatch>& bugs, Language language, std::vector<Cause>& causes) {
  const bool zh = language == Language::kChinese;
  for (const BugMatch& match : bugs) {
    for (Cause& cause : causes) {
      if (cause.id != match.bug.cause) continue;
      Fix fix;
      fix.environment = "any";
      fix.text = match.bug.fixed_in.empty() ? match.bug.text
                                            : (zh ? fmt::format("将 {} 升级到 {} 或更新版本：{}", match.bug.product,
                                                                match.bug.fixed_in, match.bug.title)
                                                  : fmt::format("Upgrade {} to {} or newer: {}", match.bug.product,
                                                                match.bug.fixed_in, match.bug.title));
      cause.fixes.insert(cause.fixes.begin(), std::move(fix));
      for (const std::string& reference : match.bug.references) cause.references.push_back(reference);
    }
  }
}

}  // namespace ncclwhy
