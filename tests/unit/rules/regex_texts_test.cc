#include "rules/engine/regex_texts.h"

#include <string>
#include <vector>

#include "catch.h"
#include "rules/engine/pattern_regex.h"
#include "rules/engine/pattern_table.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {
namespace {

using Texts = std::vector<std::string>;

Texts Proofs(std::string_view regex) {
  Texts out;
  for (const RegexProof& proof : TextsOfRegex(regex).proofs) {
    out.push_back((proof.begins_word ? "<" : "") + proof.text + (proof.ends_word ? ">" : ""));
  }
  return out;
}

TEST_CASE("what every match of a regex contains", "[rules]") {
  const auto required = [](std::string_view regex) { return TextsOfRegex(regex).required; };
  CHECK(required("Connection refused") == Texts{"Connection refused"});
  CHECK(required("errno: (?P<code>\\d+) \\(port (?:1|2)\\)") == Texts{"errno: ", " (port ", ")"});
  CHECK(required("^(?:\\d+!?: )?\\[[\\w./]*(?:grad|reduce)") == Texts{"["});
  CHECK(required("ab+c") == Texts{"ab", "c"});
  CHECK(required("ab*c") == Texts{"a", "c"});
  CHECK(required("ab?c") == Texts{"a", "c"});
  CHECK(required("ab{0,3}c") == Texts{"a", "c"});
  CHECK(required("ab{2}c") == Texts{"ab", "c"});
  CHECK(required("(?:ab)+?c") == Texts{"ab", "c"});
  CHECK(required("a(?:b(?P<text>cd)?)e") == Texts{"a", "b", "e"});
  CHECK(required("rank\\b\\.") == Texts{"rank."});
  CHECK(required("x[^\\]y]z[]|]w") == Texts{"x", "z", "w"});
  CHECK(required("one|two").empty());
  CHECK(required("").empty());
}

TEST_CASE("texts of which a match has one", "[rules]") {
  using Lists = std::vector<Texts>;
  const auto any_of = [](std::string_view regex, const std::vector<KeptText>& literals = {}) {
    Lists lists;
    for (const WordSet& words : TextsOfRegex(regex, literals).any_of) lists.push_back(words.words());
    return lists;
  };
  CHECK(any_of("one|two") == Lists{{"one", "two"}});
  CHECK(any_of("GPU.*(?:[Ff]ail|FAIL|Failed to|[Ee]rror)") == Lists{{"ail", "FAIL", "rror"}});
  CHECK(any_of("(?:ab|cd)+x(?:e(?:fg|hi)|klm)") == Lists{{"ab", "cd"}, {"fg", "hi", "klm"}});
  CHECK(any_of("(?:QP.*fail|fail.*QP)") == Lists{{"fail"}, {"QP"}});
  CHECK(any_of("(?:QP.*fail|fail.*QP|lost)") == Lists{{"fail", "lost"}, {"QP", "lost"}});
  CHECK(any_of("(?:ab|cd)?x").empty());
  CHECK(any_of("(?:ab|)x").empty());
  CHECK(any_of("(?:ab|\\d+)x").empty());
  CHECK(any_of("(?:ab|c)x").empty());
  CHECK(any_of("one|(?i)two").empty());
  // What a line is asked for has a literal.
  CHECK(any_of("(?:QP.*(?:[Ff]ail|rror)|(?:[Ff]ail|rror).*QP)", {"Failed", "rror"}) == Lists{{"QP"}});
  CHECK(any_of("(?:ab|cd)x", {"ab", "c"}) == Lists{{"ab", "cd"}});
  const RegexTexts texts = TextsOfRegex("GPU.*(?:[Ff]ail|FAIL)");
  CHECK(texts.Refuse("GPU 3 is fine"));
  CHECK_FALSE(texts.Refuse("GPU 3 Failed"));
}

TEST_CASE("whether digits are all the same to a regex", "[rules]") {
  for (const char* regex : {"step \\d+/\\d+", "rank [0-9]{1,4}\\b", "[^<]+<(?P<port_2>[0-9a-f]+)>", "a.{0,60}?b$",
                            "[-\\w.]+", "(?i)error: \\S+", ""}) {
    INFO(regex);
    CHECK(TextsOfRegex(regex).digits_alike);
  }
  for (const char* regex : {"status 12\\b", "0x[0-9a-f]+", "with (?:7|8|10)", "[1-5]\\d\\d", "a{2", "[[:digit:]]",
                            "\\x31", "\\1", "[", "[0-", "\\"}) {
    INFO(regex);
    CHECK_FALSE(TextsOfRegex(regex).digits_alike);
  }
}

TEST_CASE("a regex that is not understood says nothing", "[rules]") {
  for (const char* regex :
       {"(?i)abc", "a(?i:b)c", "a\\x41b", "\\Qa.b\\E", "\\pNabc", "abc(", "abc)", "a{,3}b", "[abc", "a**", "abc\\"}) {
    INFO(regex);
    CHECK(TextsOfRegex(regex).required.empty());
    CHECK(TextsOfRegex(regex).proofs.empty());
  }
}

TEST_CASE("texts that are a match", "[rules]") {
  CHECK(Proofs("NCCL (?:INFO|WARN)|it/s\\]|\\bloss\\b") == Texts{"<loss>", "it/s]"});
  CHECK(Proofs("plain text") == Texts{"plain text"});
  CHECK(Proofs("a[|]b|c\\|d") == Texts{"c|d"});
  CHECK(Proofs("^abc|abc$|a\\bc").empty());
  CHECK(Proofs("\\b-x|y-\\b").empty());
  const RegexTexts loss = TextsOfRegex("\\bloss\\b|it/s");
  CHECK(loss.Prove("glossy loss=1.5"));
  CHECK(loss.Prove("loss"));
  CHECK_FALSE(loss.Prove("losses, xloss loss_"));
  CHECK(loss.Prove("losses 3it/s"));
}

TEST_CASE("what is said of the embedded rules' regexes is what RE2 says", "[rules]") {
  const PatternTable patterns(RuleSet::Embedded().rules());
  Texts lines = {"INFO:root:step 100 loss=1.2339 grad_norm=1.53", "Epoch 1:  1%|# | 100/10000 [00:40<02:19,  5.53it/s]",
                 ""};
  for (uint32_t i = 0; i < patterns.size(); ++i) {
    const LinePattern& pattern = *patterns.entry(i).pattern;
    lines.insert(lines.end(), pattern.literals.begin(), pattern.literals.end());
    lines.push_back(pattern.regex.str());
    for (const RegexProof& proof : TextsOfRegex(pattern.regex).proofs) lines.push_back("x" + proof.text + " ");
  }
  for (uint32_t i = 0; i < patterns.size(); ++i) {
    const std::string_view text = patterns.entry(i).pattern->regex;
    if (text.empty()) continue;
    const RegexTexts texts = TextsOfRegex(text);
    const RE2 regex(ToRe2(text), RulePatternOptions());
    size_t wrong = 0;
    for (const std::string& line : lines) {
      const bool refused = texts.Refuse(line);
      const bool proved = !refused && texts.Prove(line);
      if (!refused && !proved) continue;
      wrong += RE2::PartialMatch(ToRe2(line), regex) == proved ? 0 : 1;
    }
    INFO(text);
    CHECK(wrong == 0);
  }
}

}  // namespace
}  // namespace ncclwhy
