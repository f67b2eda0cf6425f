#include "api/minimize.h"

#include <algorithm>
#include <set>

#include "report/phrases.h"
#include "report/redact_text.h"

namespace ncclwhy {
namespace {

struct Line {
  size_t log;
  std::string text;
};
using Lines = std::vector<Line>;

// Of 1. Fewer lines support a cause less, and a shorter log is worth that.
constexpr double kLessSure = 0.1;

// What must stay: the verdict, the first cause, and who is blamed.
struct Answer {
  Verdict verdict = Verdict::kNoNccl;
  std::string cause;
  std::set<std::pair<int32_t, std::string>> culprits;
  double confidence = 0;
  // A little less sure is what fewer lines are.
  bool IsKeptBy(const Answer& other) const {
    return verdict == other.verdict && cause == other.cause && culprits == other.culprits &&
           other.confidence >= confidence - kLessSure;
  }
};

// Delta debugging with an analysis as the test: what is far from the answer goes first, then whole logs, then halves,
// quarters … of the lines that are left, down to single ones.
class Minimizer {
 public:
  Minimizer(const std::vector<LogLines>& logs, const MinimizeOptions& options)
      : logs_(logs), options_(options), tries_(options.tries) {
    // Every try is compared with the answer of the names as logged; the log itself is redacted once.
    options_.analyzer.redact = false;
    options_.analyzer.database.clear();
    options_.analyzer.progress = {};
    for (const LogLines& log : logs) names_.push_back(log.name);
  }

  // The redacted log is minimised, not the minimised one redacted: an alias could be what the answer hangs on.
  Result<MinimizedLog> Run() {
    MinimizedLog out;
    Lines all;
    for (size_t i = 0; i < logs_.size(); ++i) {
      for (const std::string& text : logs_[i].lines) all.push_back({i, text});
    }
    out.lines_before = all.size();
    // The analysis of the whole is no try: without its answer there is nothing to keep.
    Result<Report> whole = Analysed(all);
    if (!whole.ok()) return whole.status();
    wanted_ = AnswerIn(whole.value());
    Lines lines = NearPlaces(whole.value(), all);
    if (options_.redact) {
      Redact(whole.value(), &lines);
      if (!Keeps(lines)) {
        return Status::InvalidArgument("without its names the log has another answer; --keep-names leaves them in it");
      }
    }
    InOneLog(&lines);
    // A log that nothing hangs on goes whole, in one try instead of one for each of its lines.
    for (size_t i = 0; i < names_.size(); ++i) {
      RemoveIf(&lines, [i](const Line& line) { return line.log == i; });
    }
    // Down to chunks of one line, so what is left cannot lose any line by itself as long as tries are left.
    for (size_t chunk = std::max<size_t>(lines.size() / 2, 1); chunk > 0; chunk /= 2) RemoveChunks(&lines, chunk);
    // Once more: the report must be that of the lines that are given, not of a try before.
    Result<Report> report = Analysed(lines);
    if (!report.ok()) return report.status();
    out.report = std::move(report.value());
    out.lines = lines.size();
    for (size_t i = 0; i < names_.size(); ++i) {
      LogLines log{names_[i], {}};
      for (const Line& line : lines) {
        if (line.log == i) log.lines.push_back(line.text);
      }
      if (!log.lines.empty()) out.logs.push_back(std::move(log));
    }
    return out;
  }

 private:
  // A new analyzer each time: nothing of a try is left in the next.
  Result<Report> Analysed(const Lines& lines) const {
    Result<std::unique_ptr<Analyzer>> analyzer = Analyzer::Create(options_.analyzer);
    if (!analyzer.ok()) return analyzer.status();
    for (size_t i = 0; i < names_.size(); ++i) {
      std::string text;
      for (const Line& line : lines) {
        if (line.log == i) text += line.text + "\n";
      }
      if (text.empty()) continue;
      if (Status s = analyzer.value()->Begin(names_[i]); !s.ok()) return s;
      if (Status s = analyzer.value()->Push(text); !s.ok()) return s;
      if (Status s = analyzer.value()->EndSource(); !s.ok()) return s;
    }
    return analyzer.value()->Finish();
  }

  static Answer AnswerIn(const Report& report) {
    Answer out;
    out.verdict = report.verdict;
    if (const Cause* cause = NamedCause(report)) {
      out.cause = cause->id;
      out.confidence = cause->confidence;
      for (const Culprit& culprit : cause->culprits) out.culprits.emplace(culprit.rank, culprit.host);
    }
    return out;
  }

  // Counts a try; without any left nothing is kept any more, so that the log stays as it is.
  bool Keeps(const Lines& lines) {
    if (tries_-- <= 0) return false;
    const Result<Report> report = Analysed(lines);
    return report.ok() && wanted_.IsKeptBy(AnswerIn(report.value()));
  }

  // The lines that the report names with ever more of those around them, until they have the answer.
  Lines NearPlaces(const Report& report, const Lines& all) {
    std::set<std::pair<std::string, uint64_t>> places;
    const auto add = [&](const auto& items) {
      for (const auto& item : items) places.emplace(item.file, item.line);
    };
    if (!report.causes.empty()) add(report.causes.front().evidence);
    add(report.outcome_evidence);
    add(report.consequences);
    add(report.timeline);
    struct Reach {
      size_t around, head, tail;
    };
    // Lines around, and lines at the head and tail of each log: versions and ranks are told at the head, the end at the
    // tail.
    for (const Reach& reach : {Reach{1, 0, 0}, Reach{4, 40, 4}, Reach{40, 300, 40}}) {
      Lines some;
      for (size_t i = 0, at = 0; i < logs_.size(); at += logs_[i].lines.size(), ++i) {
        const size_t n = logs_[i].lines.size();
        std::vector<bool> kept(n);
        const auto keep = [&](size_t first, size_t end) {
          for (size_t k = first; k < std::min(end, n); ++k) kept[k] = true;
        };
        keep(0, reach.head);
        keep(n - std::min(n, reach.tail), n);
        for (auto it = places.lower_bound({logs_[i].name, 1}); it != places.end() && it->first == logs_[i].name; ++it) {
          const size_t line = static_cast<size_t>(it->second) - 1;
          keep(line - std::min(line, reach.around), line + reach.around + 1);
        }
        for (size_t k = 0; k < n; ++k) {
          if (kept[k]) some.push_back(all[at + k]);
        }
      }
      if (some.size() < all.size() && Keeps(some)) return some;
    }
    return all;
  }

  // The same aliases in all lines and names; whom the answer blames gets its alias, too.
  void Redact(const Report& report, Lines* lines) {
    Redactor redactor;
    const auto learn = [&](const std::string& host) {
      if (!host.empty()) redactor.Learn(Private::kHost, host);
    };
    for (const Cause& cause : report.causes) {
      for (const Culprit& culprit : cause.culprits) learn(culprit.host);
    }
    for (const ReportCommunicator& comm : report.job.communicators) {
      for (const ReportRank& rank : comm.ranks) learn(rank.host);
    }
    for (Line& line : *lines) redactor.Text(&line.text);
    for (std::string& name : names_) redactor.Text(&name);
    std::set<std::pair<int32_t, std::string>> culprits;
    // The names in the answer change with those in the log, else no try would have the answer again.
    for (auto [rank, host] : wanted_.culprits) {
      redactor.Host(&host);
      culprits.emplace(rank, host);
    }
    wanted_.culprits = std::move(culprits);
  }

  // A reader has one file less to look at.
  void InOneLog(Lines* lines) {
    if (names_.size() < 2) return;
    Lines one = *lines;
    // In one file the order across logs is that of the list; only a cause that does not hang on who wrote what survives
    // it.
    for (Line& line : one) line.log = 0;
    if (Keeps(one)) *lines = std::move(one);
  }

  // Leaves out what `leave` says, if the answer stays.
  template <typename Leave>
  void RemoveIf(Lines* lines, Leave leave) {
    Lines rest;
    std::copy_if(lines->begin(), lines->end(), std::back_inserter(rest), [&](const Line& l) { return !leave(l); });
    if (!rest.empty() && rest.size() < lines->size() && Keeps(rest)) *lines = std::move(rest);
  }

  // A chunk that goes is followed by the next at the same place.
  void RemoveChunks(Lines* lines, size_t chunk) {
    for (size_t at = 0; at < lines->size() && tries_ > 0;) {
      const size_t end = std::min(at + chunk, lines->size());
      Lines rest(lines->begin(), lines->begin() + static_cast<std::ptrdiff_t>(at));
      rest.insert(rest.end(), lines->begin() + static_cast<std::ptrdiff_t>(end), lines->end());
      // At the same place now stands the next chunk, so `at` stays.
      if (!rest.empty() && Keeps(rest)) {
        *lines = std::move(rest);
      } else {
        at = end;
      }
    }
  }

  const std::vector<LogLines>& logs_;
  MinimizeOptions options_;
  int tries_;
  std::vector<std::string> names_;
  Answer wanted_;
};

}  // namespace

// Line ends of either kind; the last line may lack one.
LogLines SplitLog(std::string name, std::string_view text) {
  LogLines log{std::move(name), {}};
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    log.lines.emplace_back(text.substr(0, end));
    if (!log.lines.back().empty() && log.lines.back().back() == '\r') log.lines.back().pop_back();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return log;
}

Result<MinimizedLog> Minimize(const std::vector<LogLines>& logs, const MinimizeOptions& options) {
  return Minimizer(logs, options).Run();
}

}  // namespace ncclwhy
