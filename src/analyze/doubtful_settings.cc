#include "analyze/doubtful_settings.h"

#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "base/limits.h"
#include "base/re2_call.h"
#include "base/text.h"
#include "base/version_range.h"

namespace ncclwhy {
namespace {

// NCCL reads it with strtoll, which takes the digits in front and leaves the rest: "22abc" is 22.
bool LooksLikeAnInteger(std::string_view v) {
  if (!v.empty() && (v[0] == '-' || v[0] == '+')) v.remove_prefix(1);
  return !v.empty() && IsDigit(v[0]);
}

// Patterns of kb/env.json speak about the whole value; they were checked when the knowledge was loaded.
bool Matches(const std::string& value, const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  // RE2 fails at its memory limit rather than throwing; InRe2 guards against allocation failures.
  options.set_max_mem(limits::kPatternMemory);
  return InRe2([&] {
    const RE2 re(pattern, options);
    return re.ok() && RE2::FullMatch(value, re);
  });
}

// Each variable with each value is judged once, at the first process that has it.
class Judge {
 public:
  Judge(const JobModel& model, const KnowledgeBase& kb) : kb_(kb) {
    // The oldest NCCL of the job: what it does not read has no effect there.
    for (const Process& p : model.processes) {
      const int32_t version = VersionCode(p.nccl_version);
      if (version > 0) oldest_ = std::min(oldest_, version);
    }
  }

  void Look(std::string_view variable, std::string_view value, ProcessId process, const Place& place) {
    // In the order of processes: the first one with the value has the place that is shown.
    if (!seen_.emplace(variable, value).second) return;
    DoubtfulSetting s;
    s.variable = variable;
    s.value = value;
    s.process = process;
    s.place = place;
    const auto known = kb_.FindVariable(s.variable, Language::kEnglish);
    // Both may be wrong: a variable of another version with a value that no version takes.
    if (const std::string_view problem = ProblemOfName(s, known); !problem.empty()) Add(s, problem);
    if (!known) return;
    if (const std::string_view problem = ProblemOfValue(s.value, *known); !problem.empty()) {
      const auto chinese = kb_.FindVariable(s.variable, Language::kChinese);
      s.values_en = known->values;
      s.values_zh = chinese->values;
      s.text_en = known->degrading_text;
      s.text_zh = chinese->degrading_text;
      Add(std::move(s), problem);
    }
  }

  std::vector<DoubtfulSetting> Take() { return std::move(out_); }

 private:
  void Add(DoubtfulSetting s, std::string_view problem) {
    s.problem = problem;
    out_.push_back(std::move(s));
  }

  // The words are those of DoubtfulSetting::problem; empty: nothing is wrong. Of versions only the oldest NCCL of the
  // job is asked.
  std::string_view ProblemOfName(DoubtfulSetting& s, const std::optional<VariableKnowledge>& known) const {
    if (const auto never = kb_.NeverRead(s.variable, Language::kEnglish)) {
      s.text_en = never->first;
      s.text_zh = kb_.NeverRead(s.variable, Language::kChinese)->first;
      return "never-read";
    }
    if (!s.variable.starts_with("NCCL_")) return {};
    // Variables of other programs are only known where the knowledge lists them.
    if (!known) {
      s.nearest = kb_.NearestVariable(s.variable);
      return s.nearest.empty() ? "" : "unknown";  // else it may belong to a plug-in that we do not know
    }
    s.first = known->first;
    s.last = known->last;
    s.replaced_by = known->replaced_by;
    // A version of another product, or no version was printed.
    if (!known->read_by.empty() || oldest_ == INT32_MAX) return {};
    if (VersionCode(known->first) > oldest_) return "too-new";
    return !known->last.empty() && VersionCode(known->last) < oldest_ ? "too-old" : "";
  }

  // A value that a shell would still expand (`$NICS`) cannot be judged.
  static std::string_view ProblemOfValue(const std::string& value, const VariableKnowledge& known) {
    if (value.empty()) return {};
    // `$NICS` is in scripts and in lines that echo them; NCCL saw what the shell made of it.
    const bool expanded_later = value[0] == '$';
    if (!expanded_later && known.numeric && !LooksLikeAnInteger(value)) return "not-a-number";
    if (!expanded_later && !known.valid.empty() && !Matches(value, known.valid)) return "not-accepted";
    return !known.degrading_when.empty() && Matches(value, known.degrading_when) ? "degrading" : "";
  }

  const KnowledgeBase& kb_;
  int32_t oldest_ = INT32_MAX;  // NCCL of the job
  std::set<std::pair<std::string, std::string>> seen_;
  std::vector<DoubtfulSetting> out_;
};

}  // namespace

std::vector<DoubtfulSetting> FindDoubtfulSettings(const JobModel& model, const std::vector<SourceDigest>& digests,
                                                  const KnowledgeBase& kb) {
  Judge judge(model, kb);
  // First what processes print that they read, then what other lines mention: a command line, a script.
  for (const Process& p : model.processes) {
    for (const auto& [name, entry] : p.environment) judge.Look(name, entry.first, p.id, entry.second);
  }
  for (uint32_t s = 0; s < digests.size(); ++s) {
    const SourceFacts& f = digests[s].facts;
    for (const EnvMention& m : digests[s].mentions) {
      judge.Look(f.Str(m.variable), f.Str(m.value), {}, {SourceId{s}, m.line, m.offset, f.Str(m.text)});
    }
  }
  return judge.Take();
}

}  // namespace ncclwhy
