#include "analyze/telling_lines.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ncclwhy {
namespace {

// Of a failure whose cause is named, and of one that has none.
constexpr size_t kNamed = 8;
constexpr size_t kUnnamed = 32;
// Events of one kind that are worth a look in one source: thousands of ranks say the same.
constexpr size_t kOfSource = 4;

bool Complains(const Event& event) {
  switch (event.kind) {
    case EventKind::kPythonException:
    case EventKind::kTorchError:
    case EventKind::kTorchLastError:
    case EventKind::kWarning:
      return true;
    case EventKind::kUnrecognised:
      return event.level == LogLevel::kWarn;
    default:
      return false;
  }
}

class Lines {
 public:
  explicit Lines(size_t most) : most_(most) {}
  bool full() const { return lines_.size() >= most_; }
  void Add(std::string_view text) {
    if (!full() && !text.empty() && seen_.emplace(text).second) lines_.emplace_back(text);
  }
  std::vector<std::string> Take() { return std::move(lines_); }

 private:
  const size_t most_;
  std::vector<std::string> lines_;
  std::set<std::string, std::less<>> seen_;
};

void AddNamed(const Report& report, Lines* lines) {
  for (const Evidence& e : report.causes.front().evidence) lines->Add(e.text);
  for (const Consequence& c : report.consequences) lines->Add(c.text);
  for (const OutcomeEvidence& e : report.outcome_evidence) lines->Add(e.text);
}

using Place = std::pair<uint32_t, uint32_t>;  // source, line

void AddAlarms(const std::vector<EvidenceItem>& items, Lines* lines) {
  std::set<Place> echoes;  // of somebody else's failure: the same in every job
  for (const EvidenceItem& item : items) {
    const Finding& f = item.finding;
    if (f.role == Role::kSecondary || f.role == Role::kBenign) echoes.emplace(f.source.value, f.line);
  }
  for (const Role role : {Role::kRoot, Role::kSymptom}) {
    for (const EvidenceItem& item : items) {
      const Finding& f = item.finding;
      const bool alarm = f.role == role && !item.survived && f.line > 0;
      if (alarm && !echoes.contains({f.source.value, f.line})) lines->Add(f.text);
    }
  }
}

void AddUnjudged(const JobModel& model, const std::vector<EvidenceItem>& items, Lines* lines) {
  std::set<Place> judged;
  for (const EvidenceItem& item : items) {
    if (!item.finding.causes.empty() || item.finding.role == Role::kBenign || item.finding.role == Role::kSecondary) {
      judged.emplace(item.finding.source.value, item.finding.line);
    }
  }
  for (uint32_t s = 0; s < model.sources.size() && !lines->full(); ++s) {
    const SourceFacts& source = *model.sources[s];
    size_t taken = 0;
    for (auto event = source.events.rbegin(); event != source.events.rend() && taken < kOfSource; ++event) {
      if (!Complains(*event) || judged.contains({s, event->line})) continue;
      lines->Add(source.Str(event->text));
      ++taken;
    }
    for (size_t p = 0; p < std::min(source.processes.size(), kOfSource); ++p) {
      const LineRef& last = source.processes[p].last;
      if (!judged.contains({s, last.line})) lines->Add(source.Str(last.text));
    }
  }
}

}  // namespace

TellingLines TellingLinesOf(const JobModel& model, const std::vector<EvidenceItem>& items, const Report& report) {
  const bool named = report.verdict == Verdict::kFailure;
  Lines judged(named ? kNamed : kUnnamed);
  Lines unjudged(kUnnamed);
  if (named) {
    AddNamed(report, &judged);
  } else {
    AddAlarms(items, &judged);
    AddUnjudged(model, items, &unjudged);
  }
  return {judged.Take(), unjudged.Take()};
}

}  // namespace ncclwhy
