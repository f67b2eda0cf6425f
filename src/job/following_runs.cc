#include "job/following_runs.h"

#include <algorithm>

namespace ncclwhy {
namespace {

// Beats. What is printed at an ending can grow, too: frames, ranks of a table. A kind of line that began anew is work.
constexpr uint64_t kWorksAnew = 3;
constexpr uint64_t kWorks = 8;

class Reader {
 public:
  Reader(const SourceFacts& facts, const std::vector<Mark>& marks, bool attempts)
      : facts_(facts), marks_(marks), attempts_(attempts) {}

  std::vector<uint32_t> Read() {
    std::vector<uint32_t> out;
    uint32_t over = 0;
    const auto close = [&](uint32_t line) {
      if (over != 0 && Begins(over, line)) out.push_back(over);
    };
    const auto worked = [&](uint32_t line) { return Worked(out.empty() ? 1 : out.back(), line); };
    for (const Mark& m : marks_) {
      const bool nothing_since = over != 0 && NextWork(over) > m.line;
      if (m.life == Life::kRestart) {
        if (attempts_ && NextWork(m.line) != UINT32_MAX) out.push_back(m.line + 1);
        if (attempts_ || nothing_since) over = 0;
      } else if (m.life == Life::kLaunch || (m.life == Life::kEnding && (m.of_job || nothing_since))) {
        if (!nothing_since) close(m.line);
        if (worked(m.line)) over = m.life == Life::kLaunch ? m.line : m.line + 1;
      }
    }
    close(UINT32_MAX);
    return out;
  }

 private:
  // Whether what stands before `end` is a run, not only what a script does before one (`+ srun … drop_caches`): steady
  // work, a process, or something that began (its launcher's labels, its first words) and came to an end or to grief.
  bool Worked(uint32_t since, uint32_t end) const {
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
      if (p.pid >= 0 && speaks(p)) return true;
      begun = begun || (p.launcher_rank >= 0 && speaks(p));
    }
    if (std::any_of(facts_.pulses.begin(), facts_.pulses.end(), steady)) return true;
    if (begun) return marked([](const Mark& m) { return m.life == Life::kEnding || m.life == Life::kNone; });
    return marked([](const Mark& m) { return m.life == Life::kLaunch && !m.of_job; }) &&
           marked([](const Mark& m) { return m.life == Life::kEnding; });
  }

  // Whether work begins at `line`, from the start, and goes on before `end`.
  bool Begins(uint32_t line, uint32_t end) const {
    if (NextWork(line) >= end) return false;
    for (const ProcessFacts& p : facts_.processes) {
      if (p.pid >= 0 && p.first.line < line && p.last.line >= line) return false;
    }
    bool works = false;
    for (const PulseFacts& p : facts_.pulses) {
      const uint64_t behind = p.beats.After(line - 1);
      const bool anew = std::any_of(p.peaks.begin(), p.peaks.end(), [&](const PulsePeak& peak) {
        return peak.line < line && p.beats.After(peak.line) <= behind + p.beats.every;
      });
      if (p.beats.first < line && behind > 0 && !anew) return false;
      works = works || behind >= (anew ? kWorksAnew : kWorks);
    }
    return works || std::any_of(facts_.processes.begin(), facts_.processes.end(),
                                [&](const ProcessFacts& p) { return p.pid >= 0 && p.first.line >= line; });
  }

  // The first line of work, or of a process, from `line` on.
  uint32_t NextWork(uint32_t line) const {
    uint32_t next = UINT32_MAX;
    for (const PulseFacts& p : facts_.pulses) {
      const auto it = std::lower_bound(p.beats.lines.begin(), p.beats.lines.end(), line);
      if (it != p.beats.lines.end()) next = std::min(next, *it);
      if (p.beats.last >= line) next = std::min(next, p.beats.last);
    }
    for (const ProcessFacts& p : facts_.processes) {
      if (p.pid >= 0 && p.first.line >= line) next = std::min(next, p.first.line);
    }
    return next;
  }

  const SourceFacts& facts_;
  const std::vector<Mark>& marks_;
  const bool attempts_;
};

}  // namespace

std::vector<uint32_t> FollowingRuns(const SourceFacts& facts, const std::vector<Mark>& marks, bool attempts) {
  return marks.empty() ? std::vector<uint32_t>() : Reader(facts, marks, attempts).Read();
}

}  // namespace ncclwhy
