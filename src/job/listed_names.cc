#include "job/listed_names.h"

#include <set>

#include "base/text.h"

namespace ncclwhy {
namespace {

constexpr size_t kLeast = 6;      // letters: shorter ids stand in many rows
constexpr size_t kTables = 4000;  // rows: more of them are no table that somebody put beside the logs

bool IsPart(char c) { return IsAlnum(c) || c == ':' || c == '.' || c == '-' || c == '_'; }

bool HoldsWord(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !IsPart(text[at - 1])) && (end == text.size() || !IsPart(text[end]))) return true;
  }
  return false;
}

// Without what stands around it: `|`, `(10.1.40.7)`
std::string_view Bare(std::string_view word) {
  while (!word.empty() && !IsAlnum(word.front())) word.remove_prefix(1);
  while (!word.empty() && !IsAlnum(word.back())) word.remove_suffix(1);
  return word;
}

}  // namespace

std::string HostListedWith(const JobModel& model, std::string_view name) {
  if (name.size() < kLeast) return {};
  size_t rows = 0;
  for (const SourceFacts* facts : model.sources) rows += facts->rows.size();
  if (rows > kTables) return {};
  std::set<std::string_view> hosts;
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    const SourceFacts& facts = *model.sources[s];
    for (const SideRow& row : facts.rows) {
      const std::string_view text = facts.Str(row.text);
      if (!HoldsWord(text, name)) continue;
      std::set<std::string_view> here;
      for (const std::string_view word : SplitWords(text)) {
        const std::string_view bare = Bare(word);
        if (bare.empty() || bare == name) continue;
        if (const std::string_view host = model.ResolveAddress(bare).host; !host.empty()) here.insert(host);
      }
      if (here.empty()) {
        if (const std::string_view host = model.HostAt(SourceId{s}, row.line); !host.empty()) here.insert(host);
      }
      hosts.insert(here.begin(), here.end());
    }
  }
  return hosts.size() == 1 ? std::string(*hosts.begin()) : std::string();
}

}  // namespace ncclwhy
