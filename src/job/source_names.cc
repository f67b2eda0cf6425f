#include "job/source_names.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"

namespace ncclwhy {
namespace {

std::string_view DigitsAt(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && IsDigit(text[end])) ++end;
  return text.substr(at, end - at);
}

// Runs of at least `least` digits become #.
std::string Masked(std::string_view text, size_t least) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const std::string_view digits = DigitsAt(text, i);
    if (digits.size() >= least) {
      out += '#';
    } else {
      out += digits;
    }
    i += digits.size();
    if (digits.empty()) out += text[i++];
  }
  return out;
}

// "job-3", "run_12", "tests"; not "truncated", not "runtime".
bool SaysJob(std::string_view part) {
  for (const std::string_view word : {"job", "run", "exp", "experiment", "trial", "slurm", "test", "case"}) {
    for (size_t at = part.find(word); at != std::string_view::npos; at = part.find(word, at + 1)) {
      // Plural: runs/, jobs/.
      size_t end = at + word.size();
      if (end < part.size() && part[end] == 's') ++end;
      if ((at == 0 || !IsAlpha(part[at - 1])) && (end == part.size() || !IsAlpha(part[end]))) return true;
    }
  }
  return false;
}

// "logs/run17/" of logs/run17/node-0/ and logs/run17/node-1/: where they lie says nothing of what they are.
size_t CommonFolders(const std::set<std::string_view>& folders) {
  const std::string_view a = *folders.begin(), b = *folders.rbegin();
  size_t same = 0;
  for (size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i) {
    // Only whole folders: run1 and run2 share no folder `run`.
    if (a[i] == '/' || a[i] == ':') same = i + 1;
  }
  return same;
}

// Whether folders call themselves jobs: run1/ and run2/, runs/1/ and runs/2/; not run1/node0/ and run1/node1/.
bool SayJobs(const std::set<std::string_view>& folders) {
  const size_t common = CommonFolders(folders);
  const std::string_view above = BaseName(folders.begin()->substr(0, common > 0 ? common - 1 : 0));
  const bool numbered = SaysJob(above) && std::none_of(above.begin(), above.end(), IsDigit);
  return std::all_of(folders.begin(), folders.end(), [&](std::string_view folder) {
    const std::string_view own = folder.substr(common);
    return SaysJob(own) || (numbered && std::none_of(own.begin(), own.end(), IsAlpha));
  });
}

}  // namespace

std::string_view BaseName(std::string_view name) {
  const size_t slash = name.find_last_of("/:");
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

std::string_view JobIdInName(std::string_view name) {
  const std::string_view base = BaseName(name);
  for (const std::string_view word : {"slurm", "job", ".o", ".e"}) {
    for (size_t at = base.find(word); at != std::string_view::npos; at = base.find(word, at + 1)) {
      size_t begin = at + word.size();
      if (word[0] != '.' && begin < base.size() && (base[begin] == '-' || base[begin] == '_')) ++begin;
      const std::string_view digits = DigitsAt(base, begin);
      // At least three digits; behind .o and .e of PBS nothing else may stand.
      if (digits.size() >= 3 && (word[0] != '.' || begin + digits.size() == base.size())) return digits;
    }
  }
  return {};
}

std::string NamePattern(std::string_view name, size_t least) { return Masked(name, least); }

bool NameHolds(std::string_view name, std::string_view host) {
  if (host.size() < 2) return false;
  for (size_t at = name.find(host); at != std::string_view::npos; at = name.find(host, at + 1)) {
    const size_t end = at + host.size();
    if ((at == 0 || !IsAlnum(name[at - 1])) && (end == name.size() || !IsAlnum(name[end]))) return true;
  }
  return false;
}

size_t CommonBeginning(std::string_view a, std::string_view b) {
  const std::string_view base = BaseName(a), other = BaseName(b);
  // In one folder only.
  if (a.substr(0, a.size() - base.size()) != b.substr(0, b.size() - other.size())) return 0;
  size_t same = 0;
  while (same < base.size() && same < other.size() && base[same] == other[same]) ++same;
  // Back to the end of a word: alpha-job and alpha-jupiter share `alpha-`.
  while (same > 0 && IsAlnum(base[same - 1])) --same;
  return same;
}

FolderView FoldersOf(const JobModel& model) {
  FolderView view;
  std::map<std::string_view, std::set<std::string_view>> ids;  // folder -> ids in names there
  for (const SourceFacts* source : model.sources) {
    const std::string_view name = source->name;
    const std::string_view folder = name.substr(0, name.size() - BaseName(name).size());
    view.of.emplace_back(folder);
    if (const std::string_view id = JobIdInName(name); !id.empty()) ids[folder].insert(id);
  }
  // stacks/ beside the logs of a job is a part of it.
  const std::set<std::string> all(view.of.begin(), view.of.end());
  for (std::string& folder : view.of) {
    // The highest folder that has a log of its own takes in those below it.
    const auto above = std::find_if(
        all.begin(), all.end(), [&](const std::string& other) { return !other.empty() && folder.starts_with(other); });
    if (above != all.end()) folder = *above;
  }
  std::set<std::string_view> folders;
  std::set<std::string> masked;
  for (const auto& folder : view.of) {
    if (folders.insert(folder).second) masked.insert(Masked(folder, 1));
  }
  // Alike but for numbers, and not called jobs: node0/ and node1/ are parts.
  view.side_by_side = folders.size() > 1 && (masked.size() > 1 || SayJobs(folders));
  view.side_by_side = view.side_by_side && !folders.contains("");
  const bool one = folders.size() == 1;
  for (size_t s = 0; s < view.of.size(); ++s) {
    const std::string_view name = model.sources[s]->name;
    const auto it = ids.find(name.substr(0, name.size() - BaseName(name).size()));
    if (it == ids.end() || it->second.size() < 2) continue;
    // Ids in names: slurm-123.out and slurm-124.out lie in one folder and are two jobs.
    view.of[s] += "#" + std::string(JobIdInName(name));
    view.side_by_side = view.side_by_side || one;
  }
  return view;
}

}  // namespace ncclwhy
