#include "read/rotated_files.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

// How much of a part is looked at for processes.
constexpr size_t kHeadBytes = 64 << 10;
// A log of more parts is read as it stands: each part is compared with each.
constexpr size_t kParts = 64;
// A name with more digits is no count of rotations (nccl.log.48213: a process).
constexpr size_t kNumberDigits = 3;

// What stands behind the log's own name.
struct Rotation {
  std::string log;   // train.log
  int number = 0;    // of train.log.2; 0: by date
  std::string date;  // digits of the date, and of the time
};

// train.log.2.gz is part 2 of train.log.
std::string_view WithoutPacker(std::string_view path) {
  for (const std::string_view suffix : {".gz", ".xz", ".zst", ".bz2"}) {
    if (path.size() > suffix.size() && path.ends_with(suffix)) return path.substr(0, path.size() - suffix.size());
  }
  return path;
}

// `.2026-11-20`, `-20261120`, `.20261120-101502`, `.2026-11-20_10-15-02`: eight digits, or fourteen.
std::optional<Rotation> ByDate(std::string_view path) {
  size_t begin = path.size();
  std::string digits;
  while (begin > 0) {
    const char c = path[begin - 1];
    if (IsDigit(c)) {
      digits.insert(digits.begin(), c);
    } else if (c != '-' && c != '_') {
      break;
    }
    --begin;
  }
  if ((digits.size() != 8 && digits.size() != 14) || (!digits.starts_with("20") && !digits.starts_with("19")))
    return {};
  // The separator: a dot in front, or a dash that is part of what was taken.
  std::string_view log = path.substr(0, begin);
  if (log.ends_with('.')) {
    log.remove_suffix(1);
  } else if (begin == path.size() || (path[begin] != '-' && path[begin] != '_')) {
    return {};
  }
  return Rotation{std::string(log), 0, digits};
}

// train.log.2 → train.log, 2. `nccl.log.48213` has too many digits, `out.01` is a rank.
std::optional<Rotation> RotationOf(std::string_view path) {
  path = WithoutPacker(path);
  if (std::optional<Rotation> dated = ByDate(path)) return dated;
  const size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view digits = path.substr(dot + 1);
  if (digits.empty() || digits.size() > kNumberDigits || digits[0] == '0') return {};
  if (!std::all_of(digits.begin(), digits.end(), IsDigit)) return {};
  return Rotation{std::string(path.substr(0, dot)), std::stoi(std::string(digits)), {}};
}

// Keeps the first bytes only.
// A log of gigabytes is not read twice to learn whose it is.
class FileHead : public ByteSink {
 public:
  bool Begin(std::string_view) override { return true; }
  void Push(std::string_view chunk) override {
    text_ += chunk.substr(0, kHeadBytes - std::min(text_.size(), kHeadBytes));
  }
  void End() override {}
  bool WantsMore() override { return text_.size() < kHeadBytes; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Host and pid of those whose headers were read.
std::set<std::string> ProcessesOf(const SourceFacts& facts) {
  std::set<std::string> found;
  for (const ProcessFacts& process : facts.processes) {
    if (process.pid >= 0) found.insert(std::string(facts.Str(process.host)) + ":" + std::to_string(process.pid));
  }
  return found;
}

// Of the beginning of a part: enough for the headers of its processes.
std::set<std::string> ProcessesIn(std::string_view text) {
  Parser parser({}, nullptr, nullptr);
  parser.Push(text);
  return ProcessesOf(parser.Finish());
}

bool Share(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& process) { return b.count(process) != 0; });
}

using Processes = std::set<std::string>;

// What the processes of the parts say, the newest last. Logs of ranks share none; where the newest is a log of all
// ranks it shares some with each. A restart puts others into the newer parts of one log.
bool MayBeOneLog(const std::vector<Processes>& all) {
  std::vector<const Processes*> parts;
  for (const Processes& each : all) {
    if (!each.empty()) parts.push_back(&each);
  }
  bool some = parts.size() < 2;
  for (size_t a = 0; a < parts.size(); ++a) {
    for (size_t b = a + 1; b < parts.size(); ++b) {
      if (Share(*parts[a], *parts[b])) {
        some = true;
      } else if (Share(*parts[a], *parts.back()) && Share(*parts[b], *parts.back())) {
        return false;
      }
    }
  }
  return some;
}

// Which of `paths` are parts of one log by their names, the oldest first, the log itself last.
std::vector<std::vector<size_t>> GroupsOf(const std::vector<std::string>& paths) {
  std::map<std::string, std::vector<std::pair<Rotation, size_t>>> logs;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (std::optional<Rotation> rotation = RotationOf(paths[i])) {
      logs[rotation->log].emplace_back(std::move(*rotation), i);
    }
  }
  std::vector<std::vector<size_t>> groups;
  if (logs.empty()) return groups;
  for (size_t i = 0; i < paths.size(); ++i) {
    const auto it = logs.find(paths[i]);
    if (it == logs.end()) continue;
    std::vector<std::pair<Rotation, size_t>>& parts = it->second;
    // The oldest first.
    std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
      return a.first.number != b.first.number ? a.first.number > b.first.number : a.first.date < b.first.date;
    });
    // A gap in the numbers: a part is missing, or these are not parts at all.
    const bool dated = parts.front().first.number == 0;
    bool whole = true;
    for (size_t n = 0; n < parts.size(); ++n) {
      const Rotation& part = parts[n].first;
      whole = whole && (dated ? part.number == 0 && (n == 0 || part.date != parts[n - 1].first.date)
                              : part.number == static_cast<int>(parts.size() - n));
    }
    if (!whole || parts.size() >= kParts) continue;
    std::vector<size_t>& group = groups.emplace_back();
    for (const auto& [rotation, number] : parts) group.push_back(number);
    group.push_back(i);
    logs.erase(it);  // a name that stands twice is joined once
  }
  return groups;
}

}  // namespace

void JoinRotated(std::vector<SourceSpec>* specs) {
  std::vector<std::string> paths;
  for (const SourceSpec& spec : *specs) paths.push_back(spec.path);
  std::vector<bool> joined(specs->size());
  for (const std::vector<size_t>& group : GroupsOf(paths)) {
    std::vector<Processes> processes;
    bool readable = true;
    for (const size_t number : group) {
      FileHead head;
      readable = readable && (ReadSource((*specs)[number], head).ok() || !head.text().empty());
      processes.push_back(ProcessesIn(head.text()));
    }
    if (!readable || !MayBeOneLog(processes)) continue;
    for (size_t n = 0; n + 1 < group.size(); ++n) {
      (*specs)[group.back()].earlier.push_back((*specs)[group[n]].path);
      joined[group[n]] = true;
    }
  }
  size_t next = 0;
  for (size_t i = 0; i < specs->size(); ++i) {
    if (joined[i]) continue;
    if (next != i) (*specs)[next] = std::move((*specs)[i]);
    ++next;
  }
  specs->resize(next);
}

std::vector<std::vector<size_t>> RotatedMembers(const std::vector<SourceDigest>& digests) {
  std::vector<std::string> names;
  for (const SourceDigest& digest : digests)
    names.push_back(digest.carrier.empty() ? digest.facts.name : std::string());
  std::vector<std::vector<size_t>> out;
  size_t members = 0;
  for (std::vector<size_t>& group : GroupsOf(names)) {
    std::vector<Processes> processes;
    for (const size_t number : group) processes.push_back(ProcessesOf(digests[number].facts));
    // Two archives may each have a train.log.1: whose it is, nobody knows.
    const bool once = std::all_of(group.begin(), group.end(), [&](size_t number) {
      return std::count(names.begin(), names.end(), names[number]) == 1;
    });
    if (!once || !MayBeOneLog(processes) || members + group.size() > kParts) continue;
    members += group.size();
    out.push_back(std::move(group));
  }
  return out;
}

void TellPartsApart(const std::vector<SourceDigest>& digests, std::vector<std::string>* problems) {
  const bool any = std::any_of(digests.begin(), digests.end(), [](const auto& d) { return !d.carrier.empty(); });
  if (!any) return;
  std::vector<std::string> names;
  std::map<std::string_view, size_t> times;
  for (const SourceDigest& digest : digests) {
    names.push_back(digest.facts.name);
    ++times[digest.facts.name];
  }
  for (const std::vector<size_t>& group : GroupsOf(names)) {
    std::vector<Processes> processes;
    bool apart = false, once = true;
    for (const size_t number : group) {
      processes.push_back(ProcessesOf(digests[number].facts));
      apart = apart || digests[number].carrier != digests[group.front()].carrier;
      once = once && times[names[number]] == 1;
    }
    if (!apart || !once || !MayBeOneLog(processes)) continue;
    problems->push_back(names[group.back()] + ": its parts (" + names[group.front()] + (group.size() > 2 ? ", …" : "") +
                        ") were digested apart, and are read as logs of their own: "
                        "make one digest of all of them");
  }
}

bool PartSink::Begin(std::string_view name) {
  if (!begun_) wanted_ = sink_.Begin(name);
  begun_ = true;
  return wanted_;
}

void PartSink::Push(std::string_view chunk) {
  lines_ += static_cast<uint64_t>(std::count(chunk.begin(), chunk.end(), '\n'));
  sink_.Push(chunk);
}

void PartSink::Finish() {
  if (wanted_) sink_.End();
}

}  // namespace ncclwhy
