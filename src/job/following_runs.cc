#include "job/following_runs.h"

#include <algorithm>
#include <unordered_map>

namespace ncclwhy {
namespace {

// Beats. What is printed at an ending can grow, too: frames, ranks of a table. A kind of line that began anew is work.
constexpr uint64_t kStartsAnew = 3;
constexpr uint64_t kWorks = 8;
constexpr uint64_t kSpeaks = 3;  // lines of a process that only a label names

class RunReader {
 public:
  RunReader(const SourceFacts& facts, const std::vector<Mark>& marks, bool attempts)
      : facts_(facts), marks_(marks), attempts_(attempts) {
    FindBeginners();
    FindDepartures();
  }

  std::vector<uint32_t> Read() {
    std::vector<uint32_t> out;
    End end;
    const auto close = [&](uint32_t line) {
      // A line of 0: no run has ended yet.
      if (end.line != 0 && Begins(end, line)) out.push_back(end.line);
    };
    const auto worked = [&](const Mark& m, uint32_t line) {
      // A program's own first words stand behind what its launcher had to complain of; that is no run.
      const bool by_itself = m.life == Life::kLaunch && !m.of_job;
      return Worked(out.empty() ? 1 : out.back(), line, by_itself);
    };
    for (const Mark& m : marks_) {
      // Launchers tell an end in several lines: only the first border counts.
      const bool nothing_since = end.line != 0 && NextWork(end.line) > m.line;
      if (m.life == Life::kRestart) {
        // Attempts are told apart at each restart, jobs never.
        if (attempts_ && NextWork(m.line) != UINT32_MAX) out.push_back(m.line + 1);
        if (attempts_ || nothing_since) end = {};
      } else if (m.life == Life::kLaunch ||
                 (m.life == Life::kEnding && (m.of_job || (nothing_since && end.told == Told::kByLauncher)))) {
        // A launch ends what was before it; an ending of the job ends what the launch began.
        if (!nothing_since) close(m.line);
        const bool stopped = m.how == Ending::kStopped || (nothing_since && end.stopped);
        if (worked(m, m.line)) end = {m.life == Life::kLaunch ? m.line : m.line + 1, Told::kByLauncher, stopped};
      } else if (m.life == Life::kEnding && !m.bad() && (end.line == 0 || end.told == Told::kByItself)) {
        if (worked(m, m.line)) end = {LastEcho(m.line) + 1, Told::kByItself};
      }
    }
    close(UINT32_MAX);
    // What NCCL shows of departures is asked behind the words of launchers and programs.
    for (const uint32_t line : departures_) {
      if (Begins({line, Told::kByNccl}, UINT32_MAX)) out.push_back(line);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

 private:
  // Who told that a run is over.
  enum class Told : uint8_t {
    kByLauncher,  // or the scheduler, or by another launch
    kByNccl,      // every process destroyed its communicators, or aborted one, and speaks no more
    kByItself,    // `done training in 5.8 seconds`: a program can say so and go on
  };
  struct End {
    uint32_t line = 0;  // the first one behind it
    Told told = Told::kByLauncher;
    bool stopped = false;  // from outside: nobody tries again by himself
  };

  // Who says more than that something failed. Ranks that only complain when their launcher has given up, as with
  // NCCL_DEBUG=WARN, were there before:
  //   slurmstepd: error: *** STEP 204417.0 … CANCELLED …      node2:592761:593572 [4] net_ib.cc:1984 NCCL WARN NET/IB: …
  void FindBeginners() {
    begins_.assign(facts_.processes.size(), false);
    for (const Event& e : facts_.events) {
      const bool trouble = e.level == LogLevel::kWarn || e.level == LogLevel::kAbort || e.level == LogLevel::kNone ||
                           e.kind == EventKind::kResultTrace || e.kind == EventKind::kCommAbort ||
                           e.kind == EventKind::kCommDestroy;
      if (!trouble && e.process < begins_.size()) begins_[e.process] = true;
    }
  }

  // Where all that NCCL knows have left.
  void FindDepartures() {
    std::vector<uint32_t> left(facts_.processes.size());
    // A process that has left is only gone when it speaks no more: see `last` below.
    for (const Event& e : facts_.events) {
      const bool leaves = e.kind == EventKind::kCommDestroy || e.kind == EventKind::kCommAbort;
      if (leaves && e.process < left.size()) left[e.process] = e.line;
    }
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < left.size(); ++i) {
      // Streams have no departure of their own.
      if (facts_.processes[i].pid >= 0 && !facts_.processes[i].by_stream) order.push_back(i);
    }
    const auto first = [&](uint32_t i) { return facts_.processes[i].first.line; };
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return first(a) < first(b); });
    uint32_t last = 0;
    for (size_t n = 0; n < order.size(); ++n) {
      // Somebody never left: from there on nobody knows where a run ends.
      if (left[order[n]] == 0) return;
      last = std::max(last, facts_.processes[order[n]].last.line);
      if (n + 1 == order.size() || first(order[n + 1]) > last) departures_.push_back(last + 1);
    }
  }

  // Whether what stands before `end` is a run, not only what a script does before one (`+ srun … drop_caches`): steady
  // work, a process, or something that began (its launcher's labels, its first words) and came to an end or to grief.
  bool Worked(uint32_t since, uint32_t end, bool needs_ending) const {
    const auto steady = [&](const PulseFacts& p) {
      return p.beats.After(since - 1) >= p.beats.After(end - 1) + kWorks;
    };
    const auto speaks = [&](const ProcessFacts& p) { return p.first.line < end && p.last.line >= since; };
    const auto marked = [&](const auto& is) {
      return std::any_of(marks_.begin(), marks_.end(),
                         [&](const Mark& m) { return m.line >= since && m.line < end && is(m); });
    };
    bool begun = NextWork(since) < end;
    for (const ProcessFacts& p : facts_.processes) {
      // Whom a label of MPI's layer names with a line or two of warnings has not worked:
      //   [1652750680.418832] [node07:53260:0]  parser.c:1906 UCX  WARN  unused env variable: UCX_IB_ENABLE_CUDA_AFFINITY
      const auto number = static_cast<size_t>(&p - facts_.processes.data());
      const bool in_passing = p.lines < kSpeaks && p.warns == 0 && !begins_[number];
      // What only came through the stream in which it speaks later may be the shell's in front of it: `$ uname -r`.
      if (p.pid >= 0 && !p.by_stream && !in_passing && speaks(p)) return true;
      begun = begun || (p.launcher_rank >= 0 && speaks(p));
    }
    if (std::any_of(facts_.pulses.begin(), facts_.pulses.end(), steady)) return true;
    const bool ended = marked([](const Mark& m) { return m.life == Life::kEnding; });
    if (begun) return ended || (!needs_ending && marked([](const Mark& m) { return m.life == Life::kNone; }));
    const bool launched = marked([](const Mark& m) { return m.life == Life::kLaunch && !m.of_job; });
    return (launched && ended) || DiedEarly(since, end);
  }

  // Workers that died while they began: their own last words, and their launcher's.
  //   ModuleNotFoundError: No module named 'apex'      train.py FAILED … rank : 4 (local_rank: 4) … exitcode : 1
  bool DiedEarly(uint32_t since, uint32_t end) const {
    uint32_t own = UINT32_MAX;
    size_t told = 0;  // behind them, as one line can be both; a launcher has several to say, a parent of a helper one
    for (const Mark& m : marks_) {
      if (m.line < since || m.line > end || !m.bad()) continue;
      if (m.of_job) {
        told += m.line > own ? 1 : 0;
      } else {
        own = std::min(own, m.line);
      }
    }
    return told > 1 && NextWork(since) >= end;
  }

  // Whether work begins behind the end of a run, from the start, and goes on before `last`.
  bool Begins(const End& end, uint32_t last) const {
    const uint32_t line = end.line;
    if (NextWork(line) >= last) return false;
    bool somebody = false;  // a process that spoke first behind it
    for (size_t i = 0; i < facts_.processes.size(); ++i) {
      const ProcessFacts& p = facts_.processes[i];
      if (p.pid < 0 || p.by_stream) continue;
      // Who speaks before and behind is one run.
      if (p.last.line >= line && FirstLineOf(p) < line) return false;
      somebody = somebody || (p.first.line >= line && begins_[i]);
    }
    bool works = false;
    bool again = false;  // lines as before
    uint64_t most = 0;
    uint32_t first_of_most = 0;
    for (const PulseFacts& p : facts_.pulses) {
      const uint64_t behind = p.beats.After(line - 1);
      const bool anew = std::any_of(p.peaks.begin(), p.peaks.end(), [&](const PulsePeak& peak) {
        return !peak.carried && peak.line < line && p.beats.After(peak.line) <= behind + p.beats.every;
      });
      // A pulse that goes on as before: the work was not over.
      if (p.beats.first < line && behind > 0 && !anew) return false;
      again = again || (p.beats.first < line && behind > 0);
      if (behind > most) {
        most = behind;
        first_of_most = p.beats.first;
      }
      // Where a launcher told the end, three beats and a word at the end are a run: a benchmark of a few seconds.
      const bool told = end.told == Told::kByLauncher && p.beats.first >= line && Finishes(p.beats.first, last);
      works = works || behind >= (anew || told ? kStartsAnew : kWorks);
    }
    // The same program that died before its work, and begins again, is another try.
    if (!somebody && !end.stopped && again && first_of_most >= line) return false;
    return somebody || (works && end.told != Told::kByItself);
  }

  // Of a process, with what came through its launcher's stream before it spoke NCCL:
  //   [1,1]<stderr>:[node1:40001] Error: coll_hcoll_module.c …      [1,1]<stdout>:node1:40001:40001 [1] NCCL INFO …
  uint32_t FirstLineOf(const ProcessFacts& process) const {
    uint32_t first = process.first.line;
    for (const ProcessFacts& p : facts_.processes) {
      const bool own = p.launcher_rank >= 0 && p.pid == process.pid && p.host == process.host;
      if (own && p.first.line > 0) first = std::min(first, p.first.line);
    }
    return first;
  }

  // The last line of work that others still had to tell when one said that it is done.
  uint32_t LastEcho(uint32_t line) const {
    uint32_t last = line;
    for (const PulseFacts& p : facts_.pulses) {
      // Ranks that lag behind say the same a moment later.
      if (p.beats.first < line && p.beats.After(line) < kStartsAnew) last = std::max(last, p.beats.last);
    }
    return last;
  }

  // Whether somebody says before `end` that it came to its end: then a few beats are work.
  bool Finishes(uint32_t line, uint32_t end) const {
    return std::any_of(marks_.begin(), marks_.end(), [&](const Mark& m) {
      return m.line >= line && m.line < end && m.life == Life::kEnding && !m.bad();
    });
  }

  // The first line of work, or of a process that begins, from `line` on.
  // Asked for the same line by one mark after the other.
  uint32_t NextWork(uint32_t line) const {
    const auto [known, fresh] = next_work_.try_emplace(line, UINT32_MAX);
    uint32_t& next = known->second;
    if (!fresh) return next;
    for (const PulseFacts& p : facts_.pulses) {
      const auto it = std::lower_bound(p.beats.lines.begin(), p.beats.lines.end(), line);
      if (it != p.beats.lines.end()) next = std::min(next, *it);
      if (p.beats.last >= line) next = std::min(next, p.beats.last);
    }
    for (size_t i = 0; i < facts_.processes.size(); ++i) {
      const ProcessFacts& p = facts_.processes[i];
      if (p.pid >= 0 && p.first.line >= line && begins_[i]) next = std::min(next, p.first.line);
    }
    return next;
  }

  const SourceFacts& facts_;
  const std::vector<Mark>& marks_;
  const bool attempts_;
  std::vector<bool> begins_;          // by process
  std::vector<uint32_t> departures_;  // the first lines behind them
  mutable std::unordered_map<uint32_t, uint32_t> next_work_;
};

}  // namespace

std::vector<uint32_t> FollowingRuns(const SourceFacts& facts, const std::vector<Mark>& marks, bool attempts) {
  return RunReader(facts, marks, attempts).Read();
}

}  // namespace ncclwhy
