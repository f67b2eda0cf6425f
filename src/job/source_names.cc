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

bool SaysJob(std::string_view folder) {
  for (const std::string_view word : {"job", "run", "exp", "trial", "slurm", "test", "case"}) {
    if (folder.find(word) != std::string_view::npos) return true;
  }
  return false;
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
      if (digits.size() >= 3 && (word[0] != '.' || begin + digits.size() == base.size())) return digits;
    }
  }
  return {};
}

std::string NamePattern(std::string_view name) { return Masked(name, 2); }

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
  if (a.substr(0, a.size() - base.size()) != b.substr(0, b.size() - other.size())) return 0;
  size_t same = 0;
  while (same < base.size() && same < other.size() && base[same] == other[same]) ++same;
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
    const auto above = std::find_if(
        all.begin(), all.end(), [&](const std::string& other) { return !other.empty() && folder.starts_with(other); });
    if (above != all.end()) folder = *above;
  }
  std::set<std::string_view> folders;
  std::set<std::string> masked;
  bool says_job = true;
  for (const auto& folder : view.of) {
    if (!folders.insert(folder).second) continue;
    masked.insert(Masked(folder, 1));
    says_job = says_job && SaysJob(folder);
  }
  view.side_by_side = folders.size() > 1 && (masked.size() > 1 || says_job);
  view.side_by_side = view.side_by_side && !folders.contains("");
  const bool one = folders.size() == 1;
  for (size_t s = 0; s < view.of.size(); ++s) {
    const std::string_view name = model.sources[s]->name;
    const auto it = ids.find(name.substr(0, name.size() - BaseName(name).size()));
    if (it == ids.end() || it->second.size() < 2) continue;
    view.of[s] += "#" + std::string(JobIdInName(name));
    view.side_by_side = view.side_by_side || one;
  }
  return view;
}

}  // namespace ncclwhy
