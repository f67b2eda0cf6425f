// Lint of line patterns: literals, regular expressions and how the two fit.
#include <fmt/format.h>
#include <re2/filtered_re2.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/re2_call.h"
#include "rules/engine/lint.h"
#include "rules/engine/pattern_regex.h"
#include "rules/engine/vocabulary.h"

namespace ncclwhy {
namespace {

// A literal shorter than this sends every other line to the regular expression.
constexpr size_t kShortLiteral = 4;
// What a literal must share with a required part of the regex: `rc=` is a part of "rc=1" that tells.
constexpr size_t kLeastShared = 3;
// Instructions of RE2's program; a pattern over one line needs some hundred.
constexpr int kLargeProgram = 2000;

std::string ToLower(std::string_view view) {
  std::string text(view);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

// Do two texts have a run of kSharedText characters in common?
//    literal "Call to ibv_modify_qp failed", regex "modify_qp failed with (?P<errno_text>…)": 16 in common
bool ShareText(const std::string& a, const std::string& b) {
  constexpr size_t kSharedText = 12;
  for (size_t i = 0; i + kSharedText <= a.size(); ++i) {
    if (b.find(a.substr(i, kSharedText)) != std::string::npos) return true;
  }
  return false;
}

// What RE2 knows about the texts that every match must contain.
// FilteredRE2 gives texts of which a match must have some, and their logic of "and" and "or"; atoms come in lower case.
class RequiredAtoms {
 public:
  explicit RequiredAtoms(std::string_view regex) : filter_(1) {
    InRe2([&] {
      int id = 0;
      if (filter_.Add(ToRe2(regex), RulePatternOptions(), &id) == RE2::NoError) filter_.Compile(&atoms_);
    });
  }
  // True when no match can do without a text that has to do with one of `literals` (in lower case): that holds one of
  // them, is part of one, or shares a good part with one. A literal may ask for more than the regex: both must hold.
  bool Involve(const std::vector<std::string>& literals) const {
    std::vector<int> others;
    for (size_t i = 0; i < atoms_.size(); ++i) {
      const std::string& atom = atoms_[i];
      const bool related = std::any_of(literals.begin(), literals.end(), [&](const std::string& literal) {
        return atom.find(literal) != std::string::npos ||
               (atom.size() >= kLeastShared && literal.find(atom) != std::string::npos) || ShareText(atom, literal);
      });
      // Whether a line with all texts but the related ones could match: then the literals are not what the regex is
      // about.
      if (!related) others.push_back(static_cast<int>(i));
    }
    std::vector<int> possible;
    InRe2([&] { filter_.AllPotentials(others, &possible); });
    return possible.empty();
  }

 private:
  re2::FilteredRE2 filter_;
  std::vector<std::string> atoms_;
};

void LintLiterals(const LinePattern& pattern, const RuleText& text, const std::string& path,
                  std::vector<Diagnostic>* out) {
  for (const std::string_view literal : pattern.literals) {
    if (std::any_of(literal.begin(), literal.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; })) {
      out->push_back(text.At(Diagnostic::kError, path + "/literal", "R038", "a literal holds a control character",
                             "a pattern sees one line; use \\s in the regex"));
    } else if (literal.size() < kShortLiteral) {
      out->push_back(text.At(Diagnostic::kWarning, path + "/literal", "R036",
                             fmt::format("the literal \"{}\" is short: many lines will reach the regex", literal),
                             "choose a longer text that every match contains"));
    }
  }
}

void LintRegex(const LinePattern& pattern, const RuleText& text, const std::string& path,
               std::vector<Diagnostic>* out) {
  const std::string at = path + "/regex";
  // Before RE2 sees it: what it takes to refuse one grows with its length.
  if (pattern.regex.size() > limits::kPatternBytes) {
    out->push_back(text.At(Diagnostic::kError, at, "R034",
                           fmt::format("the regex is longer than {} bytes", limits::kPatternBytes)));
    return;
  }
  const auto made = InRe2([&] { return std::make_unique<RE2>(ToRe2(pattern.regex), RulePatternOptions()); });
  const RE2& regex = *made;
  if (!regex.ok()) {
    if (regex.error_code() == RE2::ErrorPatternTooLarge) {
      out->push_back(text.At(Diagnostic::kError, at, "R034", "the regex needs too much memory",
                             "counted repetitions such as {1,1000} are copied that often; use + or *"));
    } else {
      out->push_back(text.At(Diagnostic::kError, at, "R033",
                             fmt::format("the regex does not compile: {}", regex.error()),
                             "the syntax is RE2's: no backreferences, no look-around; named groups are (?P<name>…)"));
    }
    return;
  }
  const auto* groups = InRe2([&] { return &regex.NamedCapturingGroups(); });
  for (const auto& [name, index] : *groups) {
    if (IsTemplateName(name)) continue;
    out->push_back(text.At(Diagnostic::kError, at, "R035", fmt::format("\"{}\" is no name that templates know", name),
                           "the names are in kb/README.md; use (?:…) for a group that only groups"));
  }
  // Each costs RE2 time, and nobody reads it.
  if (static_cast<size_t>(regex.NumberOfCapturingGroups()) != groups->size()) {
    out->push_back(
        text.At(Diagnostic::kWarning, at, "R036", "an unnamed group is captured for nothing", "write (?:…)"));
  }
  if (pattern.regex.starts_with(".*") || pattern.regex.ends_with(".*") || pattern.regex.starts_with("^.*")) {
    out->push_back(text.At(Diagnostic::kWarning, at, "R036", "a leading or trailing .* only costs time",
                           "the regex is searched anywhere in the line; leave it out"));
  }
  if (regex.ProgramSize() > kLargeProgram) {
    out->push_back(text.At(Diagnostic::kWarning, at, "R036",
                           fmt::format("the regex is slow: {} instructions", regex.ProgramSize()),
                           "counted repetitions and long alternations make it so"));
  }

  if (pattern.literals.empty()) {
    const std::string suggestion = RequiredLiteral(pattern.regex);
    out->push_back(text.At(Diagnostic::kError, at, "R031",
                           "the pattern has no literal: every line would reach the regex",
                           suggestion.size() < kShortLiteral
                               ? "give \"literal\": a text, or a list of texts of which every match contains one"
                               : fmt::format("add \"literal\": \"{}\"", suggestion)));
    return;
  }
  std::vector<std::string> lower;
  for (const std::string_view literal : pattern.literals) lower.push_back(ToLower(literal));
  const RequiredAtoms atoms(pattern.regex);
  if (pattern.regex.find("(?i") != std::string::npos) {
    out->push_back(text.At(Diagnostic::kWarning, path + "/literal", "R036",
                           "the regex ignores case somewhere, literals do not: lines spelled otherwise are missed"));
  }
  if (!atoms.Involve(lower)) {
    out->push_back(text.At(Diagnostic::kWarning, path + "/literal", "R032",
                           "the regex has a way to match that has nothing to do with the literals",
                           "every line needs one of the literals besides the regex; give each alternative its own"));
  }
}

}  // namespace

std::string RequiredLiteral(std::string_view regex) {
  std::string best;
  std::string run;
  int depth = 0;
  const auto end_run = [&] {
    if (run.size() > best.size()) best = run;
    run.clear();
  };
  for (size_t i = 0; i < regex.size(); ++i) {
    const char c = regex[i];
    // No text is in all alternatives, as far as this looks.
    if (depth == 0 && c == '|') return {};
    if (c == '\\') {
      ++i;
      const bool letter = i < regex.size() && ((regex[i] | 0x20) >= 'a' && (regex[i] | 0x20) <= 'z');
      const bool digit = i < regex.size() && regex[i] >= '0' && regex[i] <= '9';
      if (i >= regex.size() || letter || digit || depth > 0) {
        end_run();
      } else {
        run += regex[i];
      }
    } else if (c == '(') {
      end_run();
      ++depth;
    } else if (c == ')') {
      --depth;
      end_run();
    } else if (c == '[') {
      end_run();
      // A class is no text, whatever is in it.
      while (++i < regex.size() && (regex[i] != ']' || regex[i - 1] == '[')) i += regex[i] == '\\' ? 1 : 0;
    } else if (c == '*' || c == '?' || c == '{') {
      if (!run.empty()) run.pop_back();  // the repeated character may be absent
      end_run();
      if (c == '{') i = std::min(regex.find('}', i), regex.size());
    } else if (c == '+' || c == '.' || c == '^' || c == '$') {
      end_run();
    } else if (depth == 0) {
      run += c;
    }
  }
  end_run();
  return best;
}

void LintPattern(const LinePattern& pattern, const RuleText& text, const std::string& path,
                 std::vector<Diagnostic>* diagnostics) {
  LintLiterals(pattern, text, path, diagnostics);
  if (!pattern.regex.empty()) LintRegex(pattern, text, path, diagnostics);
}

}  // namespace ncclwhy
