#include "analyze/analyzer.h"

#include <algorithm>
#include <set>

#include "analyze/before_work.h"
#include "analyze/blame.h"
#include "analyze/completeness.h"
#include "analyze/consequences.h"
#include "analyze/decide.h"
#include "analyze/describe_cause.h"
#include "analyze/ended_peer.h"
#include "analyze/evidence.h"
#include "analyze/explained_absence.h"
#include "analyze/followers.h"
#include "analyze/harmless_lines.h"
#include "analyze/job_story.h"
#include "analyze/job_summary.h"
#include "analyze/last_words.h"
#include "analyze/life_signs.h"
#include "analyze/next_steps.h"
#include "analyze/only_host.h"
#include "analyze/order_of_failure.h"
#include "analyze/other_day.h"
#include "analyze/outcome_report.h"
#include "analyze/rank_causes.h"
#include "analyze/rows_there.h"
#include "analyze/rule_words.h"
#include "analyze/seen_before.h"
#include "analyze/standstill.h"
#include "analyze/strangers.h"
#include "analyze/word_evidence.h"
#include "base/limits.h"
#include "rules/engine/vocabulary.h"

namespace ncclwhy {
namespace {

// Confidence below which the report also says what would decide.
constexpr double kSureEnough = 0.85;

// All ranks of the largest communicator but one complain of somebody who has gone, and none of them left in order.
bool AllButOneComplain(const JobModel& model, const std::vector<EvidenceItem>& items) {
  if (!model.largest.valid()) return false;
  const Communicator& communicator = model.communicators[model.largest.value];
  // Of two ranks each complains of the other.
  if (communicator.nranks < 3 || communicator.destroyed) return false;
  std::set<int32_t> complain;
  for (const EvidenceItem& item : items) {
    const bool echo =
        item.finding.role == Role::kSecondary && !item.finding.causes.empty() && !item.survived && !item.info;
    if (echo && item.finding.rank >= 0) complain.insert(item.finding.rank);
  }
  return static_cast<int64_t>(complain.size()) == communicator.nranks - 1;
}

// `must_agree` is the knowledge's and not the model's: a difference of NCCL_DEBUG harms nobody.
JobComparison Compare(const JobModel& model, const std::vector<SourceDigest>& digests, const KnowledgeBase& kb) {
  JobComparison out{FindRankDifferences(model), FindDoubtfulSettings(model, digests, kb)};
  for (RankDifference& d : out.differences) {
    if (d.kind != "variable") continue;
    const auto known = kb.FindVariable(d.name, Language::kEnglish);
    d.must_agree = known && known->must_agree;
  }
  return out;
}

// `stopped`: rules that could not be asked to their end, a sentence each.
std::vector<Finding> Findings(const JobModel& model, const std::vector<SourceDigest>& digests, const RuleSet& rules,
                              const KnowledgeBase& kb, Timeline& timeline, std::vector<std::string>* problems,
                              std::vector<std::string>* stopped) {
  std::vector<const SourceHits*> hits;
  for (const SourceDigest& d : digests) hits.push_back(&d.hits);
  const auto note = [problems](const Status& status) {
    if (!status.ok()) problems->push_back(status.message());
  };
  const JobComparison comparison = Compare(model, digests, kb);
  // A rule asks for the comparison by SQL, so it is loaded in front of the rules' queries.
  note(timeline.Load(model));
  note(timeline.AddComparison(model, comparison));
  const QueryRunner run = [&](std::string_view sql) { return timeline.Query(sql); };
  const FindingSink publish = [&](const std::vector<Finding>& findings) {
    note(timeline.AddFindings(model, rules, findings));
  };
  return rules.Resolve(model, kb, hits, run, publish, stopped, RowsThere(model, comparison));
}

// Best first, as many as are asked for.
void DescribeCauses(const CaseFile& c, const Ranking& ranking, int top, Report* report) {
  for (const Hypothesis& h : ranking.hypotheses) {
    if (static_cast<int>(report->causes.size()) >= top) break;
    // The first one is told whatever its probability is; of others only those that are no noise.
    if (!report->causes.empty() && h.probability < 0.01) break;
    report->causes.push_back(DescribeCause(c, h));
    const bool failure = report->verdict == Verdict::kFailure;
    if (failure && report->causes.size() > 1) report->causes.back().why_not = WhyNot(c, h, ranking.hypotheses[0]);
  }
}

bool Names(const Ranking& ranking) {
  return !ranking.hypotheses.empty() && ranking.hypotheses[0].probability >= kNameThreshold;
}

// Whether its processes are gone: nobody can look into them any more. PyTorch's watchdog takes its process down.
bool IsOver(const JobModel& model, const OutcomeReading& outcome) {
  if (outcome.outcome != Outcome::kHung && outcome.outcome != Outcome::kUnknown) return true;
  return std::any_of(model.sources.begin(), model.sources.end(), [](const SourceFacts* facts) {
    return std::any_of(facts->events.begin(), facts->events.end(),
                       [](const Event& e) { return e.kind == EventKind::kTorchWatchdog; });
  });
}

// Whether NCCL itself complains anywhere.
bool Warns(const JobModel& model) {
  return std::any_of(model.sources.begin(), model.sources.end(), [](const SourceFacts* facts) {
    return std::any_of(facts->events.begin(), facts->events.end(),
                       [](const Event& e) { return e.level == LogLevel::kWarn; });
  });
}

// Whether the work stops well before what it counts to: 48 steps of 2000.
bool StopsShort(const OutcomeReading& outcome) {
  constexpr double kMostOfIt = 0.9;
  const PulseFacts* pulse = outcome.pulse;
  if (outcome.outcome != Outcome::kUnknown || outcome.wound_up || pulse == nullptr || pulse->total <= 1) return false;
  return static_cast<double>(pulse->last_value) < kMostOfIt * static_cast<double>(pulse->total);
}

// Where the evidence accuses nobody: who is gone, or where alone it shows.
void NameWhom(const CaseFile& c, const std::vector<LifeSign>& signs, const OutcomeReading& outcome,
              const Ranking& ranking, Cause* cause) {
  // The evidence itself has named somebody: what follows are guesses from who is missing.
  if (!cause->culprits.empty()) return;
  std::optional<Culprit> who;
  // Whoever is gone was seen to end, or the others lost the connection to it.
  if (c.kb.TraitsOf(cause->id).gone) {
    who = FirstToEnd(c, signs, outcome);
    if (!who) who = LostPeer(c);
  }
  if (!who) who = OnlyHost(c, ranking.hypotheses[0]);
  if (!who) who = HostOfKernelLog(c, ranking.hypotheses[0]);
  if (!who) return;
  cause->culprits.push_back(std::move(*who));
  TellCause(c, ranking.hypotheses[0], cause);
}

// Nothing failed; something made it slower than it could be.
void NameWhatDegrades(const CaseFile& c, int top, Report* report) {
  const Ranking slows = RankCauses(c, Weighs::kDegradation);
  if (!Names(slows)) return;
  report->verdict = Verdict::kDegraded;
  DescribeCauses(c, slows, top, report);
  for (Cause& cause : report->causes) cause.sure.clear();  // it speaks of a failure
  AddRuleFixes(c, slows, report);
}

}  // namespace

JobModel ModelOf(const std::vector<SourceDigest>& digests) {
  std::vector<const SourceFacts*> facts;
  for (const SourceDigest& d : digests) facts.push_back(&d.facts);
  return BuildJobModel(facts);
}

std::vector<Finding> FindAll(const std::vector<SourceDigest>& digests, const RuleSet& rules, const KnowledgeBase& kb,
                             Timeline& timeline, std::vector<std::string>* problems) {
  const JobModel model = ModelOf(digests);
  // For rule authors: a rule's query that fails is a problem as any other one.
  return Findings(model, digests, rules, kb, timeline, problems, problems);
}

std::vector<Culprit> CulpritsOfRule(const std::vector<SourceDigest>& digests, const RuleSet& rules,
                                    const KnowledgeBase& kb, const std::vector<Finding>& findings,
                                    std::string_view rule) {
  const JobModel model = ModelOf(digests);
  // The evidence as it is before anything is marked: a test of a rule asks what the rule says by itself.
  const std::vector<EvidenceItem> items = CollectEvidence(model, digests, rules, kb, Language::kEnglish, findings);
  const JobEnvironment anywhere;
  Hypothesis hypothesis;
  for (size_t n = 0; n < items.size(); ++n) {
    if (items[n].name == rule) hypothesis.evidence.push_back(n);
  }
  return FindCulprits({model, items, kb, Language::kEnglish, anywhere}, hypothesis);
}

Report Analyze(const JobModel& model, const std::vector<SourceDigest>& digests, const RuleSet& rules,
               const KnowledgeBase& kb, Timeline& timeline, const AnalyzeOptions& options,
               std::vector<std::string> problems) {
  std::vector<std::string> stopped;
  std::vector<Finding> findings = Findings(model, digests, rules, kb, timeline, &problems, &stopped);
  problems.insert(problems.end(), stopped.begin(), stopped.end());
  std::vector<EvidenceItem> items = CollectEvidence(model, digests, rules, kb, options.language, std::move(findings));
  std::vector<Finding> messages;  // behind the query rules: they ask what rules found
  for (const EvidenceItem& item : items) {
    if (!item.finding.message.empty()) messages.push_back(item.finding);
  }
  if (const Status s = timeline.AddFindings(model, rules, messages); !s.ok()) problems.push_back(s.message());
  const std::vector<LifeSign> signs = SignsOfLife(model, items);
  const OutcomeReading outcome = ReadOutcome(model, signs);
  MarkSurvived(model, outcome, items);
  MarkStrangers(model, items);
  MarkBeforeWork(model, kb, outcome, items);
  MarkOtherDays(model, items);
  MarkTornDown(kb, outcome, signs, items);
  MarkConsequences(kb, items);
  MarkExplainedAbsence(model, kb, items);
  // In this order: what survived is no consequence of anything, and what others explain is no evidence for the order in
  // which processes ended.
  MarkWhatFollowed(model, signs, outcome, items);
  MarkSaidOfEndedPeer(model, signs, outcome, items);
  JobEnvironment environment = EnvironmentOf(model, items, kb);
  // "over" and "brief" are words that fixes and sentences of the knowledge ask for.
  if (IsOver(model, outcome)) environment.words.emplace("over");
  if (!CoversAMinute(model)) environment.words.emplace("brief");
  if (const auto still = StoodStill(model, outcome)) {
    environment.values["still"] = DurationInWords(*still, options.language == Language::kChinese);
  }
  // Who told of the failure to the others, for sentences on the lines of other programs.
  if (Warns(model)) environment.values["relay"] = "NCCL";
  const CaseFile context{model, items, kb, options.language, environment};
  Ranking ranking = RankCauses(context);
  // Only where no rule says more than that something broke: words of complaints are the weakest evidence.
  if (std::vector<EvidenceItem> words = WordEvidence(context, outcome, ranking, items); !words.empty()) {
    std::vector<Finding> said;
    for (EvidenceItem& item : words) {
      said.push_back(item.finding);
      items.push_back(std::move(item));
    }
    if (const Status s = timeline.AddFindings(model, rules, said); !s.ok()) problems.push_back(s.message());
    ranking = RankCauses(context);
  }

  Report report;
  report.problems = std::move(problems);
  report.coverage = SummariseCoverage(model);
  const bool failed = ranking.failed || EndedBadly(outcome);
  if (failed && Names(ranking)) {
    report.verdict = Verdict::kFailure;
    DescribeCauses(context, ranking, options.top, &report);
    NameWhom(context, signs, outcome, ranking, &report.causes[0]);
    AddRuleFixes(context, ranking, &report);
  } else if (EndedBadly(outcome) || ranking.failed ||
             // Nobody names a cause and the end is not shown. Complaints of a peer that has gone are a failure only
             // where nothing shows otherwise: an excerpt without NCCL, a job without a communicator, all ranks but one
             // complaining, or work that stopped far from its end.
             (ranking.echoes &&
              (report.coverage.nccl == 0 ||
               (outcome.outcome == Outcome::kUnknown &&
                (!model.largest.valid() || AllButOneComplain(model, items) || StopsShort(outcome)))))) {
    report.verdict = Verdict::kUndetermined;  // an excerpt that only says that somebody else has gone is not healthy
  } else {
    report.verdict = report.coverage.nccl > 0 ? Verdict::kHealthy : Verdict::kNoNccl;
    MarkBesideGoodEnd(outcome, items);
    NameWhatDegrades(context, options.top, &report);
  }
  // What was not read could hold the failure.
  if (!stopped.empty() || LostEvidence(report.coverage)) BarHealthy(&report);
  TellOutcome(context, outcome, ranking, &report);
  const std::vector<Culprit> culprits = report.causes.empty() ? std::vector<Culprit>{} : report.causes[0].culprits;
  report.job = SummariseJob(model, culprits);
  report.job.environment = environment.facts;
  // Consequences need the cause, steps to decide need to know whom it blames.
  if (report.verdict == Verdict::kFailure) {
    const Hypothesis& best = ranking.hypotheses[0];
    report.consequences = Consequences(context, best, &report.job.unlisted);
    TellFollowers(context, best, signs, &report);
    if (report.causes[0].confidence < kSureEnough) report.collect = StepsToDecide(context, best, culprits);
  } else if (report.verdict == Verdict::kUndetermined) {
    report.consequences = FailureLines(context, &report.job.unlisted);
    report.collect = NextSteps(context, report, outcome.outcome == Outcome::kHung);
    // Words that are no evidence are still candidates to be looked at.
    std::vector<Hypothesis> possible = ranking.hypotheses;
    for (Hypothesis& h : PossibleByWords(context, possible)) possible.push_back(std::move(h));
    report.candidates = Candidates(context, possible);
  }
  if (options.incidents != nullptr) {
    report.seen_before = SeenBefore(context, ranking, report, *options.incidents);
    if (report.seen_before.size() > options.seen) report.seen_before.resize(options.seen);
  }
  TellHarmless(context, &report);
  report.decision = Decide(context, report);
  TellStory(context, signs, outcome, &report);
  AddRuleWarnings(context, &report);
  // A paste without a word of NCCL or of work is no job whose end could be asked for.
  const bool calm =
      report.verdict == Verdict::kHealthy || (report.verdict == Verdict::kNoNccl && !report.progress.empty());
  if (calm && report.outcome == Outcome::kUnknown) {
    report.last_words = LastWordsOf(model);
    if (report.collect.empty()) report.collect = HowItEnded(context, report);
  }
  if (report.warnings.size() > limits::kWarnings) {
    report.job.unlisted += static_cast<int64_t>(report.warnings.size() - limits::kWarnings);
    report.warnings.resize(limits::kWarnings);
  }
  if (report.job.unlisted > 0) {
    report.coverage.notes[std::string(InfoOf(Counter::kUnlisted).name)] = static_cast<uint64_t>(report.job.unlisted);
  }
  // Last, so that the timeline has what the report says.
  if (const Status s = timeline.AddReport(report); !s.ok()) report.problems.push_back(s.message());
  return report;
}

}  // namespace ncclwhy
