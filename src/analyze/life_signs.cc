#include "analyze/life_signs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analyze/template_values.h"
#include "base/numbers.h"

namespace ncclwhy {
namespace {

// What ends the job is said by several: the scheduler, each node's daemon, and once more in the middle of a task's
// line. The last of them is where the job ends.
void JoinEndingsOfJob(const std::vector<EvidenceItem>& items, std::vector<LifeSign>* signs) {
  std::map<std::pair<const Rule*, SourceId>, uint32_t> last;
  const auto each = [&](const auto& of_job) {
    for (const EvidenceItem& item : items) {
      if (item.sign < 0) continue;
      LifeSign& s = (*signs)[static_cast<size_t>(item.sign)];
      if (s.life == Life::kEnding && s.of == SignOf::kJob && s.source.valid()) of_job(s, last[{item.rule, s.source}]);
    }
  };
  each([](const LifeSign& s, uint32_t& line) { line = std::max({line, s.line, s.last_line}); });
  each([](LifeSign& s, const uint32_t& line) { s.last_line = line; });
}

// What a mail says of the job's end in front of its output ended it behind that:
//   TERM_RUNLIMIT: job killed after reaching LSF run time limit.      The output (if any) follows:
void MovePrefaces(const JobModel& model, std::vector<LifeSign>* signs) {
  std::map<SourceId, uint32_t> prefaces;
  for (const LifeSign& s : *signs) {
    if (s.life == Life::kPreface && s.source.valid()) prefaces[s.source] = s.line;
  }
  if (prefaces.empty()) return;
  for (LifeSign& s : *signs) {
    const auto preface = prefaces.find(s.source);
    if (preface == prefaces.end() || s.life != Life::kEnding || s.line >= preface->second) continue;
    s.last_line = static_cast<uint32_t>(model.sources[s.source.value]->counters.Get(Counter::kLines));
  }
}

}  // namespace

std::string NoteOfSign(const EvidenceItem& item) {
  return ExpandWhole(item.note, FindingValues(item.finding)).value_or("");
}

std::vector<LifeSign> SignsOfLife(const JobModel& model, std::vector<EvidenceItem>& items) {
  std::vector<LifeSign> signs;
  for (EvidenceItem& item : items) {
    if (item.rule == nullptr || item.rule->sign.life == Life::kNone) continue;
    const Finding& f = item.finding;
    const Sign& said = item.rule->sign;
    LifeSign s;
    s.life = said.life;
    s.how = said.how;
    s.of = said.of;
    s.late = said.late;
    s.suite = said.suite;
    s.source = f.source;
    s.line = f.line;
    s.last_line = f.last_line;
    s.offset = f.offset;
    s.process = f.process;
    s.text = f.text;
    s.time = f.time;
    const std::string_view rank = f.Field("culprit_rank");
    s.rank = ParseInt<int32_t>(rank.empty() ? f.Field("rank") : rank).value_or(-1);
    s.pid = ParseInt<int64_t>(f.Field("pid")).value_or(-1);
    const std::string_view host = f.Field("culprit_host");
    s.host = std::string(host.empty() ? f.Field("host") : host);
    s.job = std::string(f.Field("job_id"));
    s.code = ParseInt<int32_t>(f.Field("exit_code")).value_or(-1);
    s.signal = std::string(f.Field("signal"));
    s.note = NoteOfSign(item);
    item.sign = static_cast<int32_t>(signs.size());
    signs.push_back(std::move(s));
  }
  JoinEndingsOfJob(items, &signs);
  MovePrefaces(model, &signs);
  return signs;
}

}  // namespace ncclwhy
