// embed_rules CATALOG CAUSES OUT.cc: writes the rules below CATALOG as constexpr tables
// (rules/engine/embedded_rules.h). A broken rule is refused with lint's text and a non-zero exit: the build fails where
// the rule is wrong.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/lint.h"
#include "rules/engine/literal_index.h"
#include "rules/engine/pattern_table.h"
#include "rules/engine/vocabulary.h"

namespace ncclwhy {
namespace {

// A C++ string literal that is the same for every compiler: printable ASCII as it is, everything else in octal, which
// unlike \x ends after three digits.
std::string Quote(std::string_view text) {
  if (text.empty()) return "\"\"sv";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte >= 0x20 && byte < 0x7F && c != '?') {  // ? could begin a trigraph
      out += c;
    } else {
      out += fmt::format("\\{:03o}", byte);
    }
  }
  return out + "\"sv";
}

std::string Bool(bool value) { return value ? "true" : "false"; }

// One array of the output: rows are appended, ranges are handed out.
class Rows {
 public:
  Rows(std::string type, std::string name) : type_(std::move(type)), name_(std::move(name)) {}

  size_t size() const { return rows_.size(); }
  void Add(std::string row) { rows_.push_back(std::move(row)); }
  std::string RangeFrom(size_t begin) const { return fmt::format("{{{}, {}}}", begin, rows_.size() - begin); }

  void Write(std::ostream& out) const {
    // An empty array is not C++; the span over it is empty anyway.
    out << "constexpr " << type_ << " " << name_ << "Rows[] = {";
    if (rows_.empty()) out << "{}";
    for (const std::string& row : rows_) out << "\n    " << row << ",";
    out << "};\n";
    out << "constexpr std::span<const " << type_ << "> " << name_ << "(" << name_ << "Rows, " << rows_.size()
        << ");\n\n";
  }

 private:
  std::string type_;
  std::string name_;
  std::vector<std::string> rows_;
};

template <typename T, typename Format>
void WriteRows(std::ostream& out, const std::string& type, const std::string& name, const std::vector<T>& values,
               Format format) {
  Rows rows(type, name);
  for (const T& value : values) rows.Add(format(value));
  rows.Write(out);
}

template <typename T>
void WriteNumbers(std::ostream& out, const std::string& type, const std::string& name, const std::vector<T>& numbers) {
  WriteRows(out, type, name, numbers, [](const T& number) { return fmt::format("{:#x}", number); });
}

void WriteGrams(std::ostream& out, const std::string& name, const GramTableStorage& table) {
  WriteNumbers(out, "uint8_t", name + "Filter", table.filter);
  WriteNumbers(out, "uint32_t", name + "Slots", table.slots);
  WriteRows(out, "GramEntry", name + "Entries", table.entries, [](const GramEntry& e) {
    return fmt::format("{{{:#x}, {}, {}, {}}}", e.bytes, e.text, e.offset, e.unused);
  });
  out << fmt::format("constexpr GramTable {0}{{{0}Filter, {0}Slots, {0}Entries}};\n\n", name);
}

class Writer {
 public:
  void Add(const Rule& rule) {
    const std::string patterns = AddPatterns(rule);
    const std::string causes = AddWeights(rule.causes);
    const std::string near = AddConditions(rule.near, rule.patterns.size());
    const std::string unless = AddConditions(rule.unless, rule.patterns.size() + rule.near.size());
    const std::string boost = AddConditions(rule.boost, rule.patterns.size() + rule.near.size() + rule.unless.size());
    const std::string needs = AddStrings(rule.needs);
    const std::string explains = AddStrings(rule.explains);
    const std::string covered_by = AddStrings(rule.covered_by);
    std::vector<std::string> steps;
    for (const CollectStep& step : rule.collect) steps.insert(steps.end(), {step.what_en, step.what_zh, step.command});
    const std::string collect = AddStrings(steps);
    const size_t fields = fields_.size();
    for (const auto& [name, value] : rule.fields) fields_.Add(fmt::format("{{{}, {}}}", Quote(name), Quote(value)));
    const std::string references = AddStrings(rule.references);
    rules_.Add(fmt::format(
        "{{{}, {}, {}, static_cast<Role>({}), {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, "
        "static_cast<Blame>({}), {{static_cast<Life>({}), static_cast<Ending>({}), static_cast<SignOf>({}), {}}}, {}, "
        "{}, "
        "{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}}",
        Quote(rule.id), Quote(rule.family), Quote(rule.file), static_cast<int>(rule.role), patterns, Quote(rule.query),
        rule.min_processes, needs, rule.min_needs, rule.nccl.first, rule.nccl.last, Bool(rule.needs_version), causes,
        near, unless, boost, explains, static_cast<int>(rule.blame), static_cast<int>(rule.sign.life),
        static_cast<int>(rule.sign.how), static_cast<int>(rule.sign.of), Bool(rule.sign.late), Bool(rule.last_resort),
        Bool(rule.healthy_only), Bool(rule.degrades), covered_by, collect, Quote(rule.fixed_in), Quote(rule.fix_en),
        Quote(rule.fix_zh), Quote(rule.fix_command), Bool(rule.recurs), Quote(rule.title_en), Quote(rule.title_zh),
        Quote(rule.note_en), Quote(rule.note_zh), fields_.RangeFrom(fields), references));
  }

  void Write(std::ostream& out, const LiteralTablesStorage& literals) const {
    out << "// Made from rules/catalog by rules/engine/embed_rules.cc.\n"
           "#include <string_view>\n\n#include \"rules/engine/embedded_rules.h\"\n\n"
           "namespace ncclwhy::embedded {\nnamespace {\n\nusing std::string_view_literals::operator\"\"sv;\n\n";
    for (const Rows* rows : {&strings_, &weights_, &fields_, &patterns_, &conditions_, &rules_}) rows->Write(out);
    out << "constexpr std::string_view kLiterals = " << Quote(literals.bytes) << ";\n\n";
    WriteRows(out, "LiteralRow", "kLiteralRows", literals.rows,
              [](const LiteralRow& r) { return fmt::format("{{{}, {}, {}}}", r.begin, r.size, r.patterns); });
    WriteNumbers(out, "uint32_t", "kLiteralPatterns", literals.patterns);
    WriteNumbers(out, "uint32_t", "kShortest", literals.shortest);
    WriteGrams(out, "kLongs", literals.grams.longs);
    WriteGrams(out, "kShorts", literals.grams.shorts);
    out << "}  // namespace\n\n"
           "const Tables kTables = {kRules, kPatterns, kConditions, kWeights, kFields, kStrings,\n"
           "                        {kLiterals, kLiteralRows, kLiteralPatterns, kShortest, kLongs, kShorts}};\n\n"
           "}  // namespace ncclwhy::embedded\n";
  }

 private:
  std::string AddStrings(const std::vector<std::string>& strings) {
    const size_t begin = strings_.size();
    for (const std::string& text : strings) strings_.Add(Quote(text));
    return strings_.RangeFrom(begin);
  }
  std::string AddWeights(const std::vector<Weight>& weights) {
    const size_t begin = weights_.size();
    for (const Weight& weight : weights) weights_.Add(fmt::format("{{{}, {}}}", Quote(weight.cause), weight.log_odds));
    return weights_.RangeFrom(begin);
  }
  std::string AddPatterns(const Rule& rule) {
    first_pattern_ = patterns_.size();
    VisitPatterns(rule, [this](const LinePattern& pattern, const Condition*) {
      uint32_t levels = 0;
      for (const LogLevel level : pattern.levels) levels |= 1U << static_cast<uint32_t>(level);
      uint32_t dialects = 0;
      for (const Dialect dialect : pattern.dialects) dialects |= 1U << static_cast<uint32_t>(dialect);
      const std::string literals = AddStrings(pattern.literals);
      patterns_.Add(
          fmt::format("{{{}, {}, {}, {}, {}}}", literals, Quote(pattern.regex), levels, dialects, Quote(pattern.file)));
    });
    return fmt::format("{{{}, {}}}", first_pattern_, rule.patterns.size());
  }
  // `skip`: patterns of the rule that come before those of these conditions.
  std::string AddConditions(const std::vector<Condition>& conditions, size_t skip) {
    const size_t begin = conditions_.size();
    for (const Condition& condition : conditions) {
      const std::string causes = AddWeights(condition.causes);
      conditions_.Add(fmt::format("{{{}, static_cast<Scope>({}), {}, {}, {}, {}}}", first_pattern_ + skip++,
                                  static_cast<int>(condition.scope), condition.within, Bool(condition.before_only),
                                  Bool(condition.after_only), causes));
    }
    return conditions_.RangeFrom(begin);
  }

  Rows strings_{"std::string_view", "kStrings"};
  Rows weights_{"WeightRow", "kWeights"};
  Rows fields_{"FieldRow", "kFields"};
  Rows patterns_{"PatternRow", "kPatterns"};
  Rows conditions_{"ConditionRow", "kConditions"};
  Rows rules_{"RuleRow", "kRules"};
  size_t first_pattern_ = 0;
};

int Run(const std::string& catalog, const std::string& causes_directory, const std::string& output) {
  const CauseSet causes = ReadCauseIds(causes_directory);
  LintOptions options;
  options.causes = causes.empty() ? nullptr : &causes;
  std::vector<Diagnostic> diagnostics;
  std::vector<Rule> rules = LoadCatalog(catalog, options, &diagnostics);
  std::fputs(FormatDiagnostics(diagnostics).c_str(), stderr);
  if (HasErrors(diagnostics)) return 1;
  // What is embedded must not tell where it was built.
  for (Rule& rule : rules) {
    rule.file = "rules/catalog/" + std::filesystem::path(rule.file).lexically_relative(catalog).generic_string();
  }

  Writer writer;
  for (const Rule& rule : rules) writer.Add(rule);
  std::ofstream out(output, std::ios::binary | std::ios::trunc);
  writer.Write(out, PatternTable(rules).BuildLiterals());
  out.close();
  if (!out) {
    std::fprintf(stderr, "%s: cannot be written\n", output.c_str());
    return 1;
  }
  return 0;
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
