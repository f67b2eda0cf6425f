// ncclwhy_bench_literals: the texts that a search tool must look for to do the first part of our work.
//
//   ncclwhy_bench_literals literals   every literal of the rules, and the longest literal piece of every WARN format
//   ncclwhy_bench_literals warns      the longest literal piece of every WARN format of NCCL alone: the bar of rows.py
//   ncclwhy_bench_literals regexes    every regular expression of the rules
#include <fmt/format.h>

#include <cstdio>
#include <set>
#include <string>
#include <string_view>

#include "kb/loader/kb.h"
#include "rules/engine/pattern_table.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {
namespace {

// Shorter pieces are in every other line.
constexpr size_t kShortest = 6;

// The longest run between the conversions of a printf format: "Connect to %s failed : %s" -> " failed : ".
std::string LongestPiece(std::string_view format) {
  std::string best, piece;
  const auto end_piece = [&] {
    if (piece.size() > best.size()) best = piece;
    piece.clear();
  };
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] == '\n' || format[i] == '{' || format[i] == '}') {
      end_piece();
    } else if (format[i] != '%') {
      piece += format[i];
    } else {
      end_piece();
      while (++i < format.size() && std::string_view("diouxXcspneEfgGaA%").find(format[i]) == std::string_view::npos) {
      }
    }
  }
  end_piece();
  return best;
}

void PrintLiterals(bool of_rules) {
  std::set<std::string> literals;
  const auto add = [&](const LinePattern& pattern, const Condition*) {
    literals.insert(pattern.literals.begin(), pattern.literals.end());
  };
  for (const Rule& rule : RuleSet::Embedded().rules()) {
    if (of_rules) VisitPatterns(rule, add);
  }
  const KnowledgeBase& kb = KnowledgeBase::Embedded();
  for (size_t i = 0; i < kb.MessageCount(); ++i) {
    const MessageKnowledge message = kb.Message(static_cast<int>(i), "", Language::kEnglish);
    if (message.level != "WARN" || (!of_rules && !message.product.empty())) continue;
    const std::string piece = LongestPiece(message.format);
    if (piece.size() >= kShortest) literals.insert(piece);
  }
  for (const std::string& literal : literals) {
    if (!literal.empty() && literal.find('\n') == std::string::npos) fmt::print("{}\n", literal);
  }
}

void PrintRegexes() {
  std::set<std::string> regexes;
  const auto add = [&](const LinePattern& pattern, const Condition*) {
    if (!pattern.regex.empty()) regexes.insert(pattern.regex.str());
  };
  for (const Rule& rule : RuleSet::Embedded().rules()) VisitPatterns(rule, add);
  for (const std::string& regex : regexes) fmt::print("{}\n", regex);
}

}  // namespace
}  // namespace ncclwhy

int main(int argc, char** argv) {
  const std::string_view what = argc == 2 ? argv[1] : "";
  if (what == "literals" || what == "warns") {
    ncclwhy::PrintLiterals(what == "literals");
  } else if (what == "regexes") {
    ncclwhy::PrintRegexes();
  } else {
    std::fputs("usage: ncclwhy_bench_literals literals|warns|regexes\n", stderr);
    return 2;
  }
  return 0;
}
