#include "report/phrases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/rank_list.h"
#include "base/text.h"
#include "report/gathered_culprits.h"
#include "report/outcome_sentence.h"
#include "report/stamp_text.h"

namespace ncclwhy {

const Cause* NamedCause(const Report& report) {
  // Causes of another verdict were only weighed.
  const bool names = report.verdict == Verdict::kFailure || report.verdict == Verdict::kDegraded;
  return names && !report.causes.empty() ? &report.causes.front() : nullptr;
}

// In the order of the enumeration.
std::string_view VerdictWord(Verdict verdict, const Words& words) {
  constexpr std::string_view Words::*kWords[] = {&Words::failure, &Words::healthy, &Words::undetermined,
                                                 &Words::no_nccl, &Words::degraded};
  return words.*kWords[static_cast<size_t>(verdict)];
}

std::string_view VerdictSentence(Verdict verdict, const Words& words) {
  constexpr std::string_view Words::*kSentences[] = {&Words::failure_sentence, &Words::healthy_sentence,
                                                     &Words::undetermined_sentence, &Words::no_nccl_sentence,
                                                     &Words::degraded_sentence};
  return words.*kSentences[static_cast<size_t>(verdict)];
}

std::string Headline(const Report& report, const Words& words) {
  if (const Cause* cause = NamedCause(report)) return cause->title;
  const bool nothing = report.verdict == Verdict::kNoNccl && report.coverage.lines == 0;
  // Three ways of nothing: no source, an empty one, one without a line of NCCL.
  if (nothing && report.coverage.sources == 0) return std::string(words.nothing_read_sentence);
  if (nothing && report.coverage.bytes == 0) return std::string(words.empty_sentence);
  // Nothing speaks of a failure: what was not read, or lost, could (analyze/completeness.h).
  // Words for what was not read, in front of a report's own headline.
  const bool ended_well = report.outcome == Outcome::kSucceeded || report.outcome == Outcome::kUnknown;
  if (report.verdict == Verdict::kUndetermined && ended_well && report.consequences.empty() && report.causes.empty()) {
    return std::string(words.incomplete_sentence);
  }
  if (!report.headline.empty()) return report.headline;
  if (report.verdict == Verdict::kHealthy && report.outcome == Outcome::kUnknown && report.coverage.lines > 0) {
    return Counted(words.excerpt_sentence, report.coverage.lines);
  }
  return std::string(VerdictSentence(report.verdict, words));
}

int Percent(double confidence) {
  if (!(confidence > 0)) return 0;
  // Never 100 %, and never 0 % of something that is listed.
  return static_cast<int>(std::clamp(std::lround(confidence * 100), 1L, 99L));
}

std::string Filled(std::string_view frame, std::string_view value) { return fmt::format(fmt::runtime(frame), value); }

std::string Counted(std::string_view forms, uint64_t n) { return fmt::format(fmt::runtime(Plural(forms, n)), n); }

// In the order in which one looks for somebody: rank, host, process, GPU, NIC.
// rank 3 on gpu-a17, pid 4242, GPU 3, mlx5_2
std::string CulpritName(const Culprit& culprit, const Words& words) {
  std::string out;
  const auto add = [&](const std::string& part) {
    if (!out.empty()) out += words.clause_separator;
    out += part;
  };
  if (culprit.rank >= 0) add(Filled(words.rank, std::to_string(culprit.rank)));
  if (!culprit.host.empty()) {
    // English reads "rank 3 on gpu-a17": no comma in front of the host.
    const std::string host = Filled(words.on_host, culprit.host);
    if (!out.empty() && words.code == "en") {
      out += " " + host;
    } else {
      // A host alone needs no "on".
      add(culprit.rank < 0 && words.code == "en" ? culprit.host : host);
    }
  }
  if (culprit.pid >= 0) add(Filled(words.pid, std::to_string(culprit.pid)));
  if (culprit.gpu >= 0) add(Filled(words.gpu, std::to_string(culprit.gpu)));
  if (!culprit.device.empty()) add(culprit.device);
  return out;
}

std::string CulpritSentence(const Culprit& culprit, const Words& words) {
  const std::string name = CulpritName(culprit, words);
  if (culprit.why.empty()) return name;
  return name.empty() ? culprit.why : name + std::string(words.why_separator) + culprit.why;
}

std::string RanksNamed(const std::vector<int32_t>& ranks, const Words& words) {
  return Filled(Plural(words.ranks_named, ranks.size()), RankRanges(ranks));
}

// `confidence` is calibrated, so that "likely" means what people mean by it.
std::string_view SureWord(double confidence, const Words& words) {
  // The borders of the words are those that readers of forecasts know.
  if (confidence >= 0.95) return words.nearly_certain;
  if (confidence >= 0.85) return words.very_likely;
  return confidence >= 0.6 ? words.likely : words.possible;
}

namespace {

// "2. failed: shm.too-small: what happened then"; what is not known is left out.
std::string AttemptLine(size_t number, const Attempt& attempt, const Words& words) {
  std::string out = fmt::format("{}.", number);
  if (attempt.outcome != Outcome::kUnknown) out += " " + std::string(OutcomeWord(attempt.outcome, words));
  for (const std::string* part : {&attempt.cause, &attempt.sentence}) {
    if (!part->empty()) out += std::string(words.why_separator) + *part;
  }
  return out;
}

}  // namespace

std::vector<std::string> AttemptLines(const Report& report, const Words& words) {
  // The first and the last seven: how it began and how it went on being tried.
  constexpr size_t kShown = 8;
  const size_t count = report.attempts.size();
  const size_t left_out = count > kShown ? count - kShown : 0;
  std::vector<std::string> out;
  for (size_t i = 0; i < count; ++i) {
    if (i == 1 && left_out > 0) {
      out.push_back(Counted(words.more_items, left_out));
      i += left_out;
    }
    out.push_back(AttemptLine(i + 1, report.attempts[i], words));
  }
  return out;
}

namespace {

// The first beginning of a character at or behind `at`.
size_t Utf8Boundary(std::string_view text, size_t at) {
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  return at;
}

}  // namespace

std::string JobLine(size_t number, const JobAnswer& job, const Words& words) {
  // Of long names the end tells more: lines of a file, the number of a run.
  constexpr size_t kName = 44;
  const size_t cut = job.name.size() > kName ? Utf8Boundary(job.name, job.name.size() - kName) : 0;
  const std::string name = (cut > 0 ? "…" : "") + job.name.substr(cut);
  std::string out =
      fmt::format("{}. ", number) + Filled(words.label, name) + std::string(VerdictWord(job.verdict, words));
  if (job.outcome != Outcome::kUnknown) {
    // Verdict and outcome both: a job may have been stopped while it was slow.
    out += std::string(words.clause_separator) + std::string(OutcomeWord(job.outcome, words));
  }
  if (!job.title.empty()) out += std::string(words.why_separator) + job.title;
  if (!job.cause.empty()) out += fmt::format(" ({})", job.cause);
  if (!job.culprits.empty()) {
    out += std::string(words.clause_separator) + CulpritName(Gathered(job.culprits, words).front(), words);
  }
  return out;
}

// Time as the log prints it, who, what.
std::string StepLine(const TimelineStep& step, const Words& words) {
  Culprit who;
  who.rank = step.rank;
  who.host = step.host;
  std::string name = CulpritName(who, words);
  if (name.empty() && !step.ranks.empty()) {
    name = RanksNamed(step.ranks, words);
    if (name.size() > 48 || step.what.starts_with(name)) name.clear();  // of few, and said once
  }
  std::string out = step.time.empty() ? "" : StampText(step.time) + " ";
  out += (name.empty() ? "" : Filled(words.label, name)) + step.what;
  // "ranks 0-2: …" says how often.
  if (step.count > 1 && (name.empty() || step.ranks.size() != step.count))
    out += fmt::format(" ({})", Filled(words.times, std::to_string(step.count)));
  return out;
}

std::string SeenSentence(const SeenIncident& incident, const Words& words) {
  std::string_view title = incident.title;
  for (const std::string_view stop : {".", "。"}) {
    if (title.ends_with(stop)) title.remove_suffix(stop.size());
  }
  return fmt::format("{} ({}){}{}", title, incident.cause, words.why_separator, incident.solved);
}

// A file without a line is one that is spoken of as a whole.
std::string FileLine(std::string_view file, uint64_t line) {
  if (file.empty()) return {};
  return line == 0 ? std::string(file) : fmt::format("{}:{}", file, line);
}

std::string Aside(std::string_view place) {
  if (place.empty()) return {};
  const size_t close = place.find(')');
  // A source in brackets, `(output that is not on the disk):12`, needs no second pair.
  if (place.front() != '(' || close == std::string_view::npos) return fmt::format(" ({})", place);
  return fmt::format(" ({}{})", place.substr(1, close - 1), place.substr(close + 1));
}

std::string WarningSentence(const Warning& warning) {
  if (warning.evidence.empty() || warning.evidence.front().file.empty()) return warning.text;
  return fmt::format("{} ({})", warning.text, FileLine(warning.evidence.front().file, warning.evidence.front().line));
}

std::string_view RoleWord(std::string_view role, const Words& words) {
  if (role == "direct") return words.direct;
  if (role == "supporting") return words.supporting;
  if (role == "contradicting") return words.contradicting;
  if (role == "absent") return words.absent;
  return role;
}

namespace {

// torch.cuda.set_device(local_rank)      model = DDP(model, …)      if dist.get_rank() == 0: save()
// Of a shell's commands none has a parenthesis in its first word.
bool IsProgramText(std::string_view command) {
  const std::string_view first = command.substr(0, command.find(' '));
  const size_t open = first.find('(');
  const bool call = open != std::string_view::npos && open > 0 && first[open - 1] != '$';
  const size_t paren = command.find('(');
  const bool assigned = command.substr(std::min(first.size(), command.size())).starts_with(" = ");
  return call || (paren != std::string_view::npos && (assigned || command.starts_with("if ")));
}

}  // namespace

std::string Prompt(std::string_view host, std::string_view command) {
  return IsProgramText(command) ? std::string() : std::string(host) + "$ ";
}

std::string StepText(std::string_view text, std::string_view host, const Words& words) {
  // A text that names the host says where already.
  if (host.empty() || text.find(host) != std::string_view::npos) return std::string(text);
  return std::string(text) + (words.code == "en" ? " " : "") + Filled(words.run_on, host);
}

std::string FixLabel(const Fix& fix, const Words& words) {
  const bool general = fix.environment.empty() || fix.environment == "any" || fix.environment == "code";
  return general ? std::string() : Filled(words.label, fix.environment);
}

// Everything that is known, separated by commas; what is not known or zero is left out.
std::string JobSentence(const Job& job, const Words& words) {
  std::string out;
  const auto add = [&](const std::string& part) {
    if (!out.empty()) out += words.list_separator;
    out += part;
  };
  if (!job.nccl_versions.empty()) {
    add(Filled(words.nccl_version, fmt::format("{}", fmt::join(job.nccl_versions, " / "))));
  }
  if (job.hosts > 0) add(Counted(words.hosts, static_cast<uint64_t>(job.hosts)));
  if (job.processes > 0) add(Counted(words.processes, static_cast<uint64_t>(job.processes)));
  if (!job.communicators.empty()) {
    // Communicators beyond the report's limit count as well.
    const size_t count = job.communicators.size() + static_cast<size_t>(job.unlisted_communicators);
    const ReportCommunicator& largest = job.communicators.front();
    add(fmt::format(fmt::runtime(Plural(words.communicators_of, count)), count, largest.nranks, largest.ranks_seen));
  }
  for (const auto& [transport, count] : job.transports) {
    if (count > 0) add(fmt::format("{} {}", transport, count));
  }
  return out;
}

namespace {

// Of the ranks that the answer speaks of.
int64_t HighestRank(const Report& report) {
  int64_t highest = -1;
  for (const TimelineStep& step : report.timeline) {
    for (const int32_t rank : step.ranks) highest = std::max<int64_t>(highest, rank);
  }
  for (const Cause& cause : report.causes) {
    for (const Culprit& culprit : cause.culprits) highest = std::max<int64_t>(highest, culprit.rank);
  }
  return highest;
}

}  // namespace

std::string ShortJobSentence(const Report& report, const Words& words) {
  const Job& job = report.job;
  std::string out;
  const auto add = [&](const std::string& part) {
    out += (out.empty() ? "" : std::string(words.list_separator)) + part;
  };
  if (!job.nccl_versions.empty()) {
    add(Filled(words.nccl_version, fmt::format("{}", fmt::join(job.nccl_versions, " / "))));
  }
  if (job.hosts > 0) add(Counted(words.hosts, static_cast<uint64_t>(job.hosts)));
  if (!job.communicators.empty() && job.communicators.front().nranks > 0) {
    const ReportCommunicator& largest = job.communicators.front();
    const auto nranks = static_cast<uint64_t>(largest.nranks);
    add(largest.ranks_seen == largest.nranks ? Counted(words.all_ranks, nranks)
                                             : fmt::format(fmt::runtime(words.of_ranks), largest.ranks_seen, nranks));
    // Processes are only as many as are told apart: a rank beyond their number shows that some are not.
  } else if (job.processes > std::max<int64_t>(HighestRank(report), 0)) {  // else some are not told apart
    add(Counted(words.processes, static_cast<uint64_t>(job.processes)));
  }
  return out;
}

std::string CoverageSentence(const Coverage& c, const Words& words) {
  // A flight recorder alone has no lines to classify.
  if (c.lines == 0 && c.bytes > 0) return ReadSentence(c, words);
  const std::string read = Counted(words.coverage_lines, c.lines) + Counted(words.coverage_sources, c.sources);
  if (c.nccl == 0 && c.damaged == 0 && c.lines > 0) return read + std::string(words.coverage_none);
  return read +
         fmt::format(fmt::runtime(words.coverage_classes), c.nccl, c.recognised, c.unrecognised, c.foreign, c.damaged);
}

std::string ReadSentence(const Coverage& c, const Words& words) {
  // Dumps and other records have no lines.
  if (c.lines == 0 && c.bytes > 0) return Counted(words.bytes_read, c.bytes) + Counted(words.of_sources, c.sources);
  return Counted(words.lines_read, c.lines) + Counted(words.of_sources, c.sources);
}

// Three capitals or more between signs that part words: PID of `kill -USR1 PID`. USR1 and NCCL_DEBUG are none.
bool HasPlaceholder(std::string_view command) {
  const auto capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto apart = [](char c) { return std::string_view(" /:;@<>,").find(c) != std::string_view::npos; };
  for (size_t at = 0; at < command.size(); ++at) {
    if (!capital(command[at])) continue;
    size_t end = at;
    while (end < command.size() && (capital(command[end]) || (command[end] >= '0' && command[end] <= '9'))) ++end;
    const bool begins = at == 0 || apart(command[at - 1]);
    // Three capitals at least: `IB` and `UP` are words of commands.
    if (end - at > 2 && begins && (end == command.size() || apart(command[end]))) return true;
    at = end;
  }
  return command.find("/path/to") != std::string_view::npos || command.find("./app") != std::string_view::npos;
}

}  // namespace ncclwhy
