#include "analyze/environment_check.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyze/place_evidence.h"
#include "base/limits.h"
#include "base/re2_call.h"
#include "base/version_range.h"

namespace ncclwhy {
namespace {

struct Setting {
  std::string variable;
  std::string value;
  Evidence evidence;
};

bool LooksLikeAnInteger(std::string_view v) {
  if (!v.empty() && (v[0] == '-' || v[0] == '+')) v.remove_prefix(1);
  return !v.empty() && v[0] >= '0' && v[0] <= '9';
}

// Patterns of kb/env.json speak about the whole value; they were checked when the knowledge was loaded.
bool Matches(const std::string& value, const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(limits::kPatternMemory);
  return InRe2([&] {
    const RE2 re(pattern, options);
    return re.ok() && RE2::FullMatch(value, re);
  });
}

class Checker {
 public:
  Checker(const JobModel& model, const KnowledgeBase& kb, Language language)
      : model_(model), kb_(kb), language_(language), zh_(language == Language::kChinese) {}

  std::vector<Warning> Run(const std::vector<SourceDigest>& digests) {
    for (const Setting& s : Collect(digests)) {
      CheckName(s);
      CheckValue(s);
    }
    CheckAgreement();
    return std::move(warnings_);
  }

 private:
  std::vector<Setting> Collect(const std::vector<SourceDigest>& digests) const {
    std::vector<Setting> settings;
    std::set<std::pair<std::string, std::string>> seen;
    const auto add = [&](std::string_view name, std::string_view value, Evidence evidence) {
      if (seen.emplace(name, value).second)
        settings.push_back({std::string(name), std::string(value), std::move(evidence)});
    };
    for (const Process& p : model_.processes) {
      for (const auto& [name, entry] : p.environment) {
        add(name, entry.first, PlaceEvidence(model_, entry.second, "direct"));
      }
    }
    for (uint32_t s = 0; s < digests.size(); ++s) {
      const SourceFacts& f = digests[s].facts;
      for (const EnvMention& m : digests[s].mentions) {
        add(f.Str(m.variable), f.Str(m.value),
            PlaceEvidence(model_, {SourceId{s}, m.line, 0, f.Str(m.text)}, "direct"));
      }
    }
    return settings;
  }

  void Warn(const char* id, std::string text, Evidence evidence) {
    Warning w;
    w.id = id;
    w.text = std::move(text);
    w.evidence.push_back(std::move(evidence));
    warnings_.push_back(std::move(w));
  }

  void CheckName(const Setting& s) {
    if (const auto never = kb_.NeverRead(s.variable, language_)) {
      Warn("env.unknown-variable", s.variable + ": " + never->first, s.evidence);
      return;
    }
    if (!s.variable.starts_with("NCCL_")) return;
    const auto known = kb_.FindVariable(s.variable, language_);
    if (known) {
      CheckVersion(s, *known);
      return;
    }
    const std::string nearest = kb_.NearestVariable(s.variable);
    if (nearest.empty()) return;  // may belong to a plug-in that we do not know
    Warn("env.unknown-variable",
         zh_ ? fmt::format("没有任何 NCCL 版本读取 {}，是否想写 {}？", s.variable, nearest)
             : fmt::format("no NCCL version reads {}; did you mean {}?", s.variable, nearest),
         s.evidence);
  }

  void CheckVersion(const Setting& s, const VariableKnowledge& v) {
    if (!v.read_by.empty()) return;
    int32_t oldest = INT32_MAX;
    for (const Process& p : model_.processes) {
      const int32_t code = VersionCode(p.nccl_version);
      if (code > 0) oldest = std::min(oldest, code);
    }
    if (oldest == INT32_MAX) return;
    const int32_t first = VersionCode(v.first);
    const int32_t last = v.last.empty() ? INT32_MAX : VersionCode(v.last);
    if (first > oldest) {
      Warn("env.unknown-variable",
           zh_ ? fmt::format("{} 从 NCCL {} 起才被读取，此作业的版本更旧", s.variable, v.first)
               : fmt::format("{} is read from NCCL {} on; this job runs an older version", s.variable, v.first),
           s.evidence);
    } else if (last < oldest) {
      const std::string instead = v.replaced_by.empty() ? "" : (zh_ ? "，请改用 " : "; use ") + v.replaced_by;
      Warn("env.unknown-variable",
           (zh_ ? fmt::format("{} 最后被 NCCL {} 读取，此版本已忽略它", s.variable, v.last)
                : fmt::format("{} was last read by NCCL {} and is ignored now", s.variable, v.last)) +
               instead,
           s.evidence);
    }
  }

  void CheckValue(const Setting& s) {
    const auto known = kb_.FindVariable(s.variable, language_);
    if (!known || s.value.empty()) return;
    if (known->numeric && !LooksLikeAnInteger(s.value) && s.value[0] != '$') {
      Warn("env.bad-value",
           zh_ ? fmt::format("{}={} 不是整数，NCCL 会把它当作 0", s.variable, s.value)
               : fmt::format("{}={} is not an integer; NCCL reads it as 0", s.variable, s.value),
           s.evidence);
      return;
    }
    if (!known->valid.empty() && s.value[0] != '$' && !Matches(s.value, known->valid)) {
      Warn("env.bad-value",
           zh_ ? fmt::format("{}={} 不是可接受的值（{}）", s.variable, s.value, known->values)
               : fmt::format("{}={} is not an accepted value ({})", s.variable, s.value, known->values),
           s.evidence);
      return;
    }
    if (!known->degrading_when.empty() && Matches(s.value, known->degrading_when)) {
      Warn("env.degrading", fmt::format("{}={}: {}", s.variable, s.value, known->degrading_text), s.evidence);
    }
  }

  // Compared among the processes that echo the variable at all: absence proves nothing.
  void CheckAgreement() {
    std::map<std::string_view, std::map<std::string_view, std::pair<int, const Process*>>> values;
    for (const Process& p : model_.processes) {
      for (const auto& [name, entry] : p.environment) {
        auto& slot = values[name][entry.first];
        if (slot.first++ == 0) slot.second = &p;
      }
    }
    for (const auto& [name, by_value] : values) {
      if (by_value.size() < 2) continue;
      const auto known = kb_.FindVariable(name, language_);
      if (!known || !known->must_agree) continue;
      const auto rare = std::min_element(by_value.begin(), by_value.end(),
                                         [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
      const Process& p = *rare->second.second;
      const auto& entry = p.environment.at(name);
      const std::string who = p.rank >= 0 ? fmt::format("rank {}", p.rank) : std::string(p.host);
      Warn("env.differs-across-ranks",
           zh_ ? fmt::format("{} 在各 rank 上不一致：{} 上是 {}", name, who, rare->first)
               : fmt::format("{} differs between ranks: {} has {}", name, who, rare->first),
           PlaceEvidence(model_, entry.second, "direct"));
    }
  }

  const JobModel& model_;
  const KnowledgeBase& kb_;
  Language language_;
  bool zh_;
  std::vector<Warning> warnings_;
};

}  // namespace

std::vector<Warning> CheckEnvironment(const JobModel& model, const std::vector<SourceDigest>& digests,
                                      const KnowledgeBase& kb, Language language) {
  return Checker(model, kb, language).Run(digests);
}

}  // namespace ncclwhy
