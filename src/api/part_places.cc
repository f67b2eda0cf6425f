#include "api/part_places.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

namespace ncclwhy {
namespace {

class Parts {
 public:
  explicit Parts(const std::vector<SourceDigest>& digests) {
    for (const SourceDigest& digest : digests) {
      if (!digest.parts.empty()) parts_.emplace(digest.facts.name, &digest.parts);
    }
  }

  bool empty() const { return parts_.empty(); }

  // From here on the line is that of the part's file.
  void Place(std::string* file, uint64_t* line) const {
    const SourcePart* const part = Of(*file, *line);
    if (part == nullptr) return;
    *file = part->name;
    *line = LineIn(*part, *line);
  }

  void Place(Evidence* evidence) const {
    const SourcePart* const part = Of(evidence->file, evidence->line);
    if (part == nullptr) return;
    std::vector<ContextLine> context;
    // Lines of other parts belong to another file, or stand elsewhere.
    for (ContextLine& near : evidence->context) {
      if (Of(evidence->file, near.line) != part) continue;
      context.push_back({LineIn(*part, near.line), std::move(near.text)});
    }
    evidence->context = std::move(context);
    Place(&evidence->file, &evidence->line);
  }

  // An attempt that reaches from one part into another is in several files.
  void Place(Attempt* attempt) const {
    const SourcePart* const last = Of(attempt->file, attempt->last_line);
    if (last != Of(attempt->file, attempt->first_line)) {
      attempt->file.clear();
      attempt->first_line = attempt->last_line = 0;
      return;
    }
    std::string file = attempt->file;
    Place(&file, &attempt->last_line);
    Place(&attempt->file, &attempt->first_line);
  }

 private:
  static uint64_t LineIn(const SourcePart& part, uint64_t line) {
    const uint64_t behind = line - part.first_line;
    return part.backwards ? part.line - behind : part.line + behind;
  }

  // Null: the file is no part of anything, or the line is not known.
  const SourcePart* Of(std::string_view file, uint64_t line) const {
    const auto it = parts_.find(file);
    if (it == parts_.end() || line == 0) return nullptr;
    const auto behind = std::upper_bound(it->second->begin(), it->second->end(), line,
                                         [](uint64_t wanted, const SourcePart& p) { return wanted < p.first_line; });
    return behind == it->second->begin() ? nullptr : &*std::prev(behind);
  }

  std::map<std::string_view, const std::vector<SourcePart>*> parts_;
};

}  // namespace

void NameParts(const std::vector<SourceDigest>& digests, Report* report) {
  const Parts parts(digests);
  if (parts.empty()) return;
  for (OutcomeEvidence& e : report->outcome_evidence) parts.Place(&e.file, &e.line);
  for (Attempt& attempt : report->attempts) parts.Place(&attempt);
  for (Cause& cause : report->causes) {
    for (Evidence& e : cause.evidence) parts.Place(&e);
  }
  for (Warning& warning : report->warnings) {
    for (Evidence& e : warning.evidence) parts.Place(&e);
  }
  for (TimelineStep& step : report->timeline) parts.Place(&step.file, &step.line);
  for (Consequence& consequence : report->consequences) parts.Place(&consequence.file, &consequence.line);
  for (HarmlessLine& item : report->harmless) parts.Place(&item.file, &item.line);
  for (LastWord& word : report->last_words) parts.Place(&word.file, &word.line);
  // Facts of the environment and ranks have places, too: all that a reader could open.
  for (EnvironmentFact& fact : report->job.environment) parts.Place(&fact.file, &fact.line);
  for (ReportCommunicator& communicator : report->job.communicators) {
    for (ReportRank& rank : communicator.ranks) parts.Place(&rank.file, &rank.last_line);
  }
}

// The digests stay as they are: other reports of them count in the whole.
}  // namespace ncclwhy
