#include "job/attempt_files.h"

#include <algorithm>
#include <climits>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "base/limits.h"
#include "base/numbers.h"
#include "base/text.h"
#include "job/silence.h"
#include "job/source_names.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

constexpr int kPrevious = -1;
constexpr size_t kMostDigits = 4;  // more is a date or an id
// Seconds that two attempts may seem to overlap: on one host, and on two with clocks of their own.
constexpr double kSameClock = 60;
constexpr double kOtherClock = 3600;

int NumberOf(std::string_view digits) { return ParseInt<int>(digits).value_or(INT_MAX); }

std::string_view Digits(std::string_view text) { return text.substr(0, scan::DigitsAt(text, 0)); }

// pod.txt or pod-current.txt beside pod-previous.txt.
bool IsNextOf(std::string_view name, std::string_view previous) {
  for (const std::string_view word : {"previous", "prev"}) {
    const size_t at = previous.rfind(word);
    if (at == std::string_view::npos) continue;
    const std::string_view before = previous.substr(0, at), behind = previous.substr(at + word.size());
    for (const std::string_view now : {"current", "now", "latest"}) {
      if (name == std::string(before) + std::string(now) + std::string(behind)) return true;
    }
    const bool joined = !before.empty() && (before.back() == '-' || before.back() == '_' || before.back() == '.');
    return joined && name == std::string(before.substr(0, before.size() - 1)) + std::string(behind);
  }
  return false;
}

class AttemptReader {
 public:
  AttemptReader(const JobModel& model, const std::vector<std::vector<Mark>>& marks) : model_(model), marks_(marks) {}

  std::vector<JobPart> Read() {
    const uint32_t count = static_cast<uint32_t>(model_.sources.size());
    if (count < 2) return {};
    const size_t common = CommonFolder();
    for (uint32_t s = 0; s < count; ++s) {
      // Where all of them lie says nothing: retry-3/attempt_1/…
      const std::optional<int> number = AttemptInName(std::string_view(model_.sources[s]->name).substr(common));
      if (number && Lives(s)) named_[*number].push_back(s);
    }
    if (named_.empty()) FindRequeued();
    if (named_.empty() || named_.size() > limits::kJobsApart || !InOrder()) return {};
    std::vector<JobPart> parts;
    std::set<uint32_t> before;
    for (const auto& [number, sources] : named_) {
      if (number == named_.rbegin()->first && !OthersGoOn()) break;  // the last one
      JobPart& part = parts.emplace_back();
      for (const uint32_t s : sources) {
        part.spans.push_back({SourceId{s}});
        before.insert(s);
      }
      part.name = model_.sources[sources.front()]->name;
    }
    if (parts.empty()) return {};
    JobPart& last = parts.emplace_back();
    for (uint32_t s = 0; s < count; ++s) {
      if (!before.contains(s)) last.spans.push_back({SourceId{s}});
    }
    return parts;
  }

 private:
  size_t CommonFolder() const {
    const std::string_view first = model_.sources[0]->name;
    size_t same = first.size();
    for (const SourceFacts* source : model_.sources) {
      const std::string_view name = source->name;
      const auto differ = std::mismatch(
          first.begin(), first.begin() + static_cast<ptrdiff_t>(std::min(same, name.size())), name.begin());
      same = static_cast<size_t>(differ.first - first.begin());
    }
    const size_t slash = first.substr(0, same).find_last_of("/:");
    return slash == std::string_view::npos ? 0 : slash + 1;
  }

  // A file of a rank or of the whole job, and not a table of the scheduler's.
  bool Lives(uint32_t s) const {
    const SourceFacts& facts = *model_.sources[s];
    return !marks_[s].empty() || !facts.pulses.empty() || facts.counters.Get(Counter::kNccl) > 0;
  }
  bool Works(uint32_t s) const {
    const SourceFacts& facts = *model_.sources[s];
    return !facts.pulses.empty() || facts.counters.Get(Counter::kNccl) > 0;
  }

  bool IsNamed(uint32_t s) const {
    return std::any_of(named_.begin(), named_.end(), [s](const auto& of) {
      return std::find(of.second.begin(), of.second.end(), s) != of.second.end();
    });
  }

  // Whether no attempt works on long behind the beginning of the one that its number comes before.
  bool InOrder() const {
    for (auto it = named_.begin(); it != named_.end() && std::next(it) != named_.end(); ++it) {
      for (const uint32_t earlier : it->second) {
        for (const uint32_t later : std::next(it)->second) {
          if (Overlap(earlier, later, kOtherClock)) return false;
        }
      }
    }
    return true;
  }

  // Whether `earlier` works for more than so many seconds behind the beginning of `later`.
  bool Overlap(uint32_t earlier, uint32_t later, double most) const {
    const auto behind = TimeBetween(FirstBeat(later), LastBeat(earlier));
    return behind && *behind > most;
  }
  std::string_view FirstBeat(uint32_t s) const {
    const SourceFacts& facts = *model_.sources[s];
    for (const PulseFacts& p : facts.pulses) {
      if (p.first_time.valid()) return facts.Str(p.first_time);
    }
    return {};
  }
  std::string_view LastBeat(uint32_t s) const {
    const PulseFacts* latest = LastStampedPulse(*model_.sources[s]);
    return latest == nullptr ? std::string_view() : model_.sources[s]->Str(latest->last_time);
  }

  // Where names tell of one attempt only, whether what says nothing of attempts is the next one: kubectl-logs.txt
  // beside kubectl-logs-previous.txt, a file that begins by saying that the job was started anew, or one beside such an
  // end.
  bool OthersGoOn() const {
    if (named_.size() > 1) return false;
    const auto& [number, sources] = *named_.begin();
    for (uint32_t s = 0; s < model_.sources.size(); ++s) {
      if (IsNamed(s) || !Lives(s)) continue;
      if (number == kPrevious) {
        for (const uint32_t earlier : sources) {
          if (IsNextOf(model_.sources[s]->name, model_.sources[earlier]->name)) return !Overlap(earlier, s, kSameClock);
        }
        continue;
      }
      const auto requeued = [&](uint32_t earlier) { return EndsRequeued(earlier); };
      if (Works(s) && (BeginsAnew(s) || std::any_of(sources.begin(), sources.end(), requeued))) return true;
    }
    return false;
  }

  // Its first word of a life is that of another attempt, behind which work begins:
  //   resumption: run restarted on healthy nodes, attempt 1
  bool BeginsAnew(uint32_t s) const {
    for (const Mark& m : marks_[s]) {
      if (m.life == Life::kNone || m.life == Life::kLaunch) continue;
      return m.life == Life::kRestart && WorkBehind(s, 0) == WorkBehind(s, m.line);
    }
    return false;
  }

  uint64_t WorkBehind(uint32_t s, uint32_t line) const {
    uint64_t most = 0;
    for (const PulseFacts& p : model_.sources[s]->pulses) most = std::max(most, p.beats.After(line));
    return most;
  }

  // Ends with the word that the job was put into the queue again, and works no more.
  bool EndsRequeued(uint32_t s) const {
    const auto restart =
        std::find_if(marks_[s].rbegin(), marks_[s].rend(), [](const Mark& m) { return m.life == Life::kRestart; });
    return restart != marks_[s].rend() && WorkBehind(s, restart->line) == 0;
  }

  // slurm-33910.0.out, slurm-33910.1.out: names that differ in numbers, of which all but the last end requeued.
  void FindRequeued() {
    std::map<std::string, std::vector<uint32_t>> alike;
    for (uint32_t s = 0; s < model_.sources.size(); ++s) {
      if (Lives(s)) alike[NamePattern(model_.sources[s]->name, 1)].push_back(s);
    }
    for (auto& [pattern, sources] : alike) {
      if (sources.size() < 2) continue;
      std::sort(sources.begin(), sources.end(), [&](uint32_t a, uint32_t b) { return Numbers(a) < Numbers(b); });
      const bool requeued =
          std::all_of(sources.begin(), sources.end() - 1, [&](uint32_t s) { return EndsRequeued(s); });
      if (!requeued || !Works(sources.back()) || EndsRequeued(sources.back())) continue;
      int number = 0;
      for (const uint32_t s : sources) named_[number++].push_back(s);
    }
  }

  std::vector<int> Numbers(uint32_t s) const {
    std::vector<int> out;
    const std::string_view name = model_.sources[s]->name;
    for (size_t i = 0; i < name.size();) {
      const std::string_view digits = Digits(name.substr(i));
      if (!digits.empty()) out.push_back(NumberOf(digits));
      i += std::max<size_t>(digits.size(), 1);
    }
    return out;
  }

  const JobModel& model_;
  const std::vector<std::vector<Mark>>& marks_;
  std::map<int, std::vector<uint32_t>> named_;  // attempt -> sources
};

}  // namespace

std::optional<int> AttemptInName(std::string_view name) {
  std::optional<int> found;
  for (size_t at = 0; at < name.size(); ++at) {
    if (!IsAlpha(name[at]) || (at > 0 && IsAlpha(name[at - 1]))) continue;
    size_t end = at;
    while (end < name.size() && IsAlpha(name[end])) ++end;
    const std::string_view word = name.substr(at, end - at);
    if (word == "previous" || word == "prev") return kPrevious;
    for (const std::string_view known : {"attempt", "restart", "requeue"}) {
      if (word != known) continue;
      if (end < name.size() && std::string_view("_-.=").find(name[end]) != std::string_view::npos) ++end;
      const std::string_view digits = Digits(name.substr(std::min(end, name.size())));
      if (!digits.empty() && digits.size() <= kMostDigits) found = NumberOf(digits);
    }
  }
  return found;
}

std::vector<JobPart> AttemptFiles(const JobModel& model, const std::vector<std::vector<Mark>>& marks) {
  return AttemptReader(model, marks).Read();
}

}  // namespace ncclwhy
