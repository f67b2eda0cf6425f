// embed_rules CATALOG CAUSES OUT.cc: writes the rules below CATALOG as data of the program (embedded_rules.h). A broken
// rule is refused with lint's text and a non-zero exit: the build fails where the rule is wrong.
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/embedded_source.h"
#include "rules/engine/lint.h"
#include "rules/engine/pattern_table.h"
#include "rules/engine/rule_fields.h"

namespace ncclwhy {
namespace {

// The numbers and literal tables are made here, so that a start of the program reads no rule and searches nothing.
bool Write(std::vector<Rule> rules, const std::string& path) {
  std::string bytes;
  std::vector<uint32_t> begins;
  for (const Rule& rule : rules) {
    begins.push_back(static_cast<uint32_t>(bytes.size()));
    FieldWriter fields;
    fields(rule);
    bytes += fields.Take();
  }
  begins.push_back(static_cast<uint32_t>(bytes.size()));
  // Of the numbers that RuleSet::Embedded will give: both number the rules in the order of their ids.
  const RuleList list(std::move(rules));
  const PatternTable patterns(list);
  const LiteralTables& literals = patterns.literals();
  EmbeddedSource out("embed_rules", "rules/catalog", "rules/engine/embedded_rules.h");
  out.Bytes("kRules", bytes);
  out.Numbers("uint32_t", "kBegins", begins);
  out.Numbers("uint32_t", "kFirst", patterns.numbers().first);
  out.Numbers("uint32_t", "kOfLine", patterns.numbers().of_line);
  out.Table("AskedAsRow", "kAskedAs", patterns.numbers().asked_as,
            [](const AskedAsRow& r) { return fmt::format("{{{},{}}}", r.number, r.asked_as); });
  out.Numbers("uint32_t", "kQueryRules", patterns.numbers().query_rules);
  out.Bytes("kLiterals", literals.bytes);
  out.Table("LiteralRow", "kLiteralRows", literals.rows,
            [](const LiteralRow& r) { return fmt::format("{{{},{},{}}}", r.begin, r.size, r.patterns); });
  out.Numbers("uint32_t", "kLiteralPatterns", literals.patterns);
  out.Numbers("uint32_t", "kShortest", literals.shortest);
  out.Grams("kLongs", literals.longs);
  out.Grams("kShorts", literals.shorts);
  return out.Save(
      path,
      "const EmbeddedRules kEmbeddedRules = {\n"
      "    {kRules, sizeof kRules - 1},\n"
      "    kBegins,\n"
      "    {kFirst, kOfLine, kAskedAs, kQueryRules},\n"
      "    {{kLiterals, sizeof kLiterals - 1}, kLiteralRows, kLiteralPatterns, kShortest, kLongs, kShorts}};\n");
}

int Run(const std::string& catalog, const std::string& causes_directory, const std::string& output) {
  const CauseSet causes = ReadCauseIds(causes_directory);
  LintOptions options;
  // A folder without causes is a build of rules alone.
  options.causes = causes.empty() ? nullptr : &causes;
  std::vector<Diagnostic> diagnostics;
  std::vector<Rule> rules = LoadCatalog(catalog, options, &diagnostics);
  std::fputs(FormatDiagnostics(diagnostics).c_str(), stderr);
  if (HasErrors(diagnostics)) return 1;
  // What is embedded must not tell where it was built.
  for (Rule& rule : rules) {
    rule.file = "rules/catalog/" + std::filesystem::path(rule.file.str()).lexically_relative(catalog).generic_string();
  }
  return Write(std::move(rules), output) ? 0 : 1;
}

}  // namespace
}  // namespace ncclwhy

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: embed_rules CATALOG CAUSES OUT.cc\n");
    return 2;
  }
  return ncclwhy::Run(argv[1], argv[2], argv[3]);
}
