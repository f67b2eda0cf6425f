#include "analyze/fit_fixes.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace ncclwhy {
namespace {

bool IsNameByte(char c) { return IsAlnum(c) || c == '_'; }

// NCCL_IB_HCA, LD_PRELOAD: not a placeholder of one word such as NODE.
bool IsVariable(std::string_view word) {
  return word.find('_') != std::string_view::npos && word[0] >= 'A' && word[0] <= 'Z' &&
         std::all_of(word.begin(), word.end(), [](char c) { return (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_'; });
}

// eth0, mlx5_2, enp65s0f1: what kernels call interfaces and RDMA devices.
bool IsDeviceName(std::string_view word) {
  // Words of the knowledge's commands, as examples; a device of the job itself stands in its lines.
  constexpr std::string_view kBeginnings[] = {"mlx4_", "mlx5_", "bnxt_re", "rdmap", "eth",
                                              "ens",   "eno",   "enp",     "ib",    "bond"};
  return std::any_of(std::begin(kBeginnings), std::end(kBeginnings), [&](std::string_view beginning) {
    return word.starts_with(beginning) && word.size() > beginning.size() && IsDigit(word[beginning.size()]);
  });
}

// The words of a command, each with where it ends.
template <typename Visit>
void ForEachWord(std::string_view text, Visit visit) {
  for (size_t begin = 0; begin < text.size();) {
    if (!IsNameByte(text[begin])) {
      ++begin;
      continue;
    }
    size_t end = begin;
    while (end < text.size() && IsNameByte(text[end])) ++end;
    visit(text.substr(begin, end - begin), end);
    begin = end;
  }
}

// kUnseen: for a program of which the logs show nothing.
enum class Fit : uint8_t { kNo, kUnseen, kUnknown, kShown, kAlways };

class Fitter {
 public:
  Fitter(const JobEnvironment& environment, const TemplateValues& values, const KnowledgeBase* kb)
      : environment_(environment), values_(values), kb_(kb) {}

  Fit ForJob(const std::string& name) const {
    if (name == "any" || name == "code") return Fit::kAlways;
    const auto known = kb_->FindCode("environment", name, Language::kEnglish);
    // What a program is made of says nothing about where it runs: its fixes keep their place.
    // "software" in the entry: PyTorch or vLLM say how to set something, not where the job runs.
    const bool place = !known || !known->more.contains("software");
    if (environment_.Shows(name)) return place ? Fit::kShown : Fit::kUnknown;
    if (!known) return Fit::kUnknown;
    if (known->more.contains("only_shown")) return Fit::kNo;
    const Fit unseen = place ? Fit::kUnknown : Fit::kUnseen;
    const auto others = known->more.find("not_with");
    if (others == known->more.end()) return unseen;
    // A job under Slurm does not run in Kubernetes: the entries say what excludes what.
    const std::vector<std::string_view> words = SplitWords(others->second);
    const bool contradicted = std::any_of(words.begin(), words.end(), [&](auto w) { return environment_.Shows(w); });
    return contradicted ? Fit::kNo : unseen;
  }

  bool HasAll(const std::vector<std::string>& needs) const {
    return std::all_of(needs.begin(), needs.end(), [&](std::string_view need) {
      const bool negated = need.starts_with('!');
      if (negated) need.remove_prefix(1);
      return Has(need) != negated;
    });
  }

  // Of other software or another vendor than the logs show: nvidia-smi beside an AMD GPU, `import torch` in TensorFlow.
  bool IsForeign(std::string_view command) const {
    return kb_ != nullptr && std::any_of(environment_.words.begin(), environment_.words.end(), [&](const auto& word) {
             const auto known = kb_->FindCode("environment", word, Language::kEnglish);
             const auto foreign =
                 known ? known->more.find("foreign") : std::map<std::string, std::string>::const_iterator();
             if (!known || foreign == known->more.end()) return false;
             // Both may be there: PyTorch in a program that reads its data with TensorFlow.
             const auto unless = known->more.find("unless");
             if (unless != known->more.end() && environment_.Shows(unless->second)) return false;
             const std::vector<std::string_view> tools = SplitWords(foreign->second);
             return std::any_of(tools.begin(), tools.end(),
                                [&](std::string_view tool) { return command.find(tool) != std::string_view::npos; });
           });
  }

  bool IsSet(std::string_view variable) const {
    const auto told = values_.find("variable");
    return environment_.variables.contains(variable) || (told != values_.end() && told->second == variable);
  }

  // The command without names after `unset` that nobody set; nothing when none is left.
  std::optional<std::string> Unsets(const std::string& command) const {
    constexpr std::string_view kUnset = "unset ";
    std::string out;
    for (size_t begin = 0; begin < command.size();) {
      const size_t at = command.find(kUnset, begin);
      // `unset` at the beginning of a word only.
      if (at == std::string::npos || (at > 0 && IsNameByte(command[at - 1]))) {
        out += command.substr(begin);
        break;
      }
      const size_t end = std::min(command.find_first_of(";#&\n", at), command.size());
      std::string kept;
      for (const std::string_view name :
           SplitWords(std::string_view(command).substr(at + kUnset.size(), end - at - kUnset.size()))) {
        if (!IsVariable(name) || IsSet(name)) kept += " " + std::string(name);
      }
      // A command that would unset nothing is no fix.
      if (kept.empty()) return std::nullopt;
      out += command.substr(begin, at - begin) + "unset" + kept;
      if (end < command.size() && command[end] != ';') out += "  ";
      begin = end;
    }
    return out;
  }

  // What the log contradicts: a value that is set already, or a device that is not there.
  bool Contradicts(const std::string& command) const {
    bool wrong = false;
    ForEachWord(command, [&](std::string_view word, size_t end) {
      // A device of another host in an example would be pasted as it stands.
      if (IsDeviceName(word) && !environment_.interfaces.contains(word)) wrong = true;
      if (end >= command.size() || command[end] != '=' || !IsVariable(word)) return;
      const size_t stop = std::min(command.find_first_of(" ;\n", end), command.size());
      const std::string value = command.substr(end + 1, stop - end - 1);
      const auto it = environment_.variables.find(word);
      // That very value is what failed.
      if (it != environment_.variables.end() && it->second.size() == 1 && *it->second.begin() == value) wrong = true;
    });
    return wrong;
  }

 private:
  // `*out of range*|*out of bounds*`: any of them.
  static bool LooksLike(std::string_view globs, std::string_view value) {
    for (size_t at = 0; at <= globs.size();) {
      const size_t end = std::min(globs.find('|', at), globs.size());
      if (GlobMatches(globs.substr(at, end - at), value)) return true;
      at = end + 1;
    }
    return false;
  }
  bool Has(std::string_view need) const {
    if (need.size() > 2 && need.front() == '{') {
      const std::string_view inside = need.substr(1, need.size() - 2);
      const size_t equal = inside.find('=');
      const auto value = values_.find(inside.substr(0, equal));
      // A value that is there is enough without a pattern.
      if (value == values_.end()) return false;
      return equal == std::string_view::npos || LooksLike(inside.substr(equal + 1), value->second);
    }
    return IsVariable(need) ? IsSet(need) : environment_.Shows(need);
  }

  const JobEnvironment& environment_;
  const TemplateValues& values_;
  const KnowledgeBase* kb_;
};

// Whether the evidence asks for it: it needs a value or a variable, or a kind of job beyond the one that it is for.
bool Asked(const FixKnowledge& fix) {
  const bool general = fix.environment == "any" || fix.environment == "code";
  return std::any_of(fix.needs.begin(), fix.needs.end(), [&](std::string_view need) {
    return !need.starts_with('!') && (general || need.front() == '{' || IsVariable(need));
  });
}

struct Offer {
  Fix fix;
  Fit fit;
  bool asked;  // the logs show what it needs
};

}  // namespace

void FitFixes(const JobEnvironment& environment, const KnowledgeBase& kb, const std::vector<FixKnowledge>& known,
              const TemplateValues& values, const TemplateValues& words, Cause* cause) {
  const Fitter fitter(environment, values, &kb);
  std::vector<Offer> offers;
  for (const FixKnowledge& each : known) {
    Offer offer{each, fitter.ForJob(each.environment), Asked(each)};
    Fix& fix = offer.fix;
    // Expanded before it is judged: a value of the log may make it what is set already.
    // Of what is missing nothing can be said; a command has a name in capitals in its place.
    std::optional<std::string> text = ExpandWhole(fix.text, values);
    if (!text) continue;
    fix.text = *std::move(text);
    fix.command = ExpandTemplate(fix.command, words);
    fix.cost = ExpandTemplate(fix.cost, values);
    const std::optional<std::string> command = fitter.Unsets(fix.command);
    const bool fits = offer.fit != Fit::kNo && fitter.HasAll(each.needs) && command && !fitter.Contradicts(*command);
    if (!fits) {
      cause->fixes_elsewhere.push_back(std::move(fix));
      continue;
    }
    fix.command = fitter.IsForeign(*command) ? std::string() : *command;
    fix.at_hand = environment.Shows(fix.environment) || fix.environment == "bare-metal";
    offers.push_back(std::move(offer));
  }
  // Two sorts: by kind of job among those that have one, then what the evidence asks for to the front.
  // Of fixes for kinds of jobs those come first whose kind the logs show; fixes for every job keep their place.
  std::vector<size_t> places;
  std::vector<Offer> sorted;
  for (size_t i = 0; i < offers.size(); ++i) {
    if (offers[i].fit == Fit::kAlways) continue;
    places.push_back(i);
    sorted.push_back(offers[i]);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const Offer& a, const Offer& b) { return a.fit > b.fit; });
  // Only the places of fixes that are for a kind of job are filled anew.
  for (size_t i = 0; i < places.size(); ++i) offers[places[i]] = std::move(sorted[i]);
  std::stable_sort(offers.begin(), offers.end(), [](const Offer& a, const Offer& b) {
    const auto rank = [](const Offer& o) { return o.asked ? 0 : o.fit == Fit::kUnseen ? 2 : 1; };
    return rank(a) < rank(b);
  });
  for (Offer& offer : offers) cause->fixes.push_back(std::move(offer.fix));
}

std::vector<Confirm> FitConfirms(const JobEnvironment& environment, const KnowledgeBase& kb,
                                 const std::vector<ConfirmKnowledge>& known, const TemplateValues& values,
                                 const TemplateValues& words) {
  const Fitter fitter(environment, values, &kb);
  std::vector<std::pair<Fit, Confirm>> fitting;
  for (const ConfirmKnowledge& each : known) {
    const Fit fit = fitter.ForJob(each.environment);
    if (fit == Fit::kNo || !fitter.HasAll(each.needs) || fitter.IsForeign(each.command)) continue;
    fitting.emplace_back(fit, Confirm{ExpandTemplate(each.command, words), ExpandTemplate(each.text, values)});
  }
  // What needs no particular kind of job stands where it stood, before what nothing speaks for.
  std::stable_sort(fitting.begin(), fitting.end(), [](const auto& a, const auto& b) {
    const auto rank = [](Fit fit) { return fit == Fit::kShown || fit == Fit::kAlways ? 0 : 1; };
    return rank(a.first) < rank(b.first);
  });
  std::vector<Confirm> out;
  for (auto& [fit, confirm] : fitting) out.push_back(std::move(confirm));
  return out;
}

std::string FitText(const JobEnvironment& environment, const KnowledgeBase& kb, const std::vector<FittingText>& known,
                    const TemplateValues& values) {
  const Fitter fitter(environment, values, &kb);
  for (const FittingText& each : known) {
    if (!fitter.HasAll(each.needs)) continue;
    if (std::optional<std::string> text = ExpandWhole(each.text, values)) return *std::move(text);
  }
  return {};
}

void KeepFirstFixes(Cause* cause) {
  if (cause->fixes.size() <= kFixes) return;
  const auto behind = cause->fixes.begin() + kFixes;
  // They keep their order, in front of what does not fit at all.
  cause->fixes_elsewhere.insert(cause->fixes_elsewhere.begin(), behind, cause->fixes.end());
  cause->fixes.erase(behind, cause->fixes.end());
}

}  // namespace ncclwhy
