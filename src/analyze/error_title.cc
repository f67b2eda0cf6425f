#include "analyze/error_title.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "analyze/leading_line.h"
#include "analyze/own_frame.h"
#include "analyze/place_evidence.h"
#include "analyze/template_values.h"
#include "base/logger_prefix.h"
#include "base/utf8.h"

namespace ncclwhy {
namespace {

// What an exception of C++ says, which stands in a line of its own behind its type.
//   terminate called after throwing an instance of 'std::out_of_range'
//     what():  vector::_M_range_check: __n (which is 8) >= this->size() (which is 8)
std::string_view WhatBehind(const CaseFile& c, const Finding& f) {
  constexpr uint32_t kNear = 3;
  for (const EvidenceItem& item : c.items) {
    const Finding& said = item.finding;
    // An abort prints its words in the next lines; further down another process may stand.
    const bool near = said.source == f.source && said.line > f.line && said.line <= f.line + kNear;
    if (!near || item.rule == nullptr || item.rule->sign.how != Ending::kAbort) continue;
    const auto text = said.fields.find("text");
    if (text != said.fields.end() && !said.fields.contains("exception")) return text->second;
  }
  return {};
}

// What a program said itself at its end, where nothing was raised: "license server did not answer, rank 1".
//   ERROR: rank 1: license server did not answer
std::string ComplaintTitle(std::string_view line, const std::vector<Culprit>& culprits) {
  constexpr size_t kTextColumns = 80;
  std::string_view text = WithoutLoggerPrefix(line);
  const std::string whose = culprits.empty() ? std::string() : "rank " + std::to_string(culprits.front().rank);
  if (!whose.empty() && text.starts_with(whose + ": ")) text.remove_prefix(whose.size() + 2);
  const std::string_view shown = PrefixOfWidth(text, kTextColumns);
  std::string title = std::string(shown) + (shown.size() < text.size() ? "\xE2\x80\xA6" : "");  // …
  const bool says = culprits.size() != 1 || culprits.front().rank < 0 || title.find(whose) != std::string::npos;
  return says ? title : title + ", " + whose;
}

}  // namespace

std::string ErrorTitle(const CaseFile& c, const Hypothesis& h, const std::vector<Culprit>& culprits) {
  constexpr size_t kTextColumns = 60;
  for (const size_t n : h.evidence) {
    const Finding& f = c.items[n].finding;
    const auto field = [&](std::string_view name) {
      const auto at = f.fields.find(std::string(name));
      return at == f.fields.end() ? std::string_view() : WithoutQuotes(at->second);
    };
    std::string_view name = field("exception");
    if (name.empty() && !field("complaint").empty()) return ComplaintTitle(field("complaint"), culprits);
    // A launcher's name for what became of a process, whose own exception stands elsewhere.
    if (name.empty() || name.ends_with("ChildFailedError")) continue;
    // The name without its packages: `torch.OutOfMemoryError` is an OutOfMemoryError to everybody.
    std::string title(name.substr(name.rfind('.') + 1));
    std::string_view text = field("text");
    if (text.empty()) text = WhatBehind(c, f);
    if (!text.empty()) {
      const std::string_view shown = PrefixOfWidth(text, kTextColumns);
      title += ": " + std::string(shown) + (shown.size() < text.size() ? "\xE2\x80\xA6" : "");  // …
    }
    const int32_t rank =
        culprits.empty() || OneOfSeveral(c.kb.TraitsOf(h.cause), culprits) ? -1 : culprits.front().rank;
    const std::string whose = "rank " + std::to_string(rank);
    const bool said = title.find(whose) != std::string::npos;  // "RuntimeError: rank 3: loss is nan"
    // A line that says another rank must not get the culprit's.
    if (rank >= 0 && !said && (f.rank < 0 || f.rank == rank)) title += ", " + whose;
    const Event* event = EventAt(c.model, f.source, f.line, EventKind::kPythonException);
    if (event == nullptr) {  // train.cc:195 of an assertion
      const std::string_view path = field("path");
      return path.find(':') == std::string_view::npos ? title
                                                      : title + ", " + std::string(path.substr(path.rfind('/') + 1));
    }
    if (const std::string frame = OwnFrame(c, f); !frame.empty()) title += ", " + frame;
    return title;
  }
  return {};
}

std::vector<int32_t> RaisedByAll(const CaseFile& c, const Hypothesis& h) {
  std::vector<int32_t> ranks;
  std::string_view first;
  for (const size_t n : h.evidence) {
    const EvidenceItem& item = c.items[n];
    const Finding& f = item.finding;
    if (f.Field("exception").empty() || item.consequence || item.survived) continue;
    if (first.empty()) first = f.text;
    const int32_t rank = c.model.RankOf(f.process);
    if (rank >= 0 && f.text == first) ranks.push_back(rank);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks.size() > 1 ? ranks : std::vector<int32_t>();
}

bool AreAllRanks(const JobModel& model, const std::vector<int32_t>& ranks) {
  std::set<int32_t> known;
  std::set<std::string_view> hosts;
  for (const Process& p : model.processes) {
    if (const int32_t rank = model.RankOf(p.id); rank >= 0) known.insert(rank);
    if (!p.host.empty()) hosts.insert(p.host);
  }
  return !ranks.empty() && hosts.size() > 1 && ranks.size() == known.size();
}

}  // namespace ncclwhy
