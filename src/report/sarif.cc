// SARIF 2.1.0 for code scanning and viewers. ruleId is the cause id; the first cause is an error, its rivals are notes.
#include <set>

#include "analyze/answer_names.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "ncclwhy/version.h"
#include "report/decision_words.h"
#include "report/fingerprint.h"
#include "report/gathered_culprits.h"
#include "report/phrases.h"
#include "report/renderer.h"

namespace ncclwhy {
namespace {

// A result needs a rule, also where no cause is named.
constexpr char kUndeterminedRule[] = "ncclwhy.undetermined";

// A message object of SARIF. As plain text and not as Markdown, which a line of a log could use.
OrderedJsonValue Message(std::string_view text) { return {{"text", SanitizeUtf8(text)}}; }

// A file as a relative URI; without a line (0) the whole of it. The line itself goes along as a snippet, since a viewer
// rarely has the log.
OrderedJsonValue Location(std::string_view file, uint64_t line, std::string_view text, std::string_view note) {
  OrderedJsonValue physical = {{"artifactLocation", {{"uri", EscapeUriPath(file)}}}};
  if (line > 0) {
    OrderedJsonValue region = {{"startLine", line}};
    if (!text.empty()) region["snippet"] = Message(text);
    physical["region"] = std::move(region);
  }
  OrderedJsonValue out = {{"physicalLocation", std::move(physical)}};
  if (!note.empty()) out["message"] = Message(note);
  return out;
}

// The first line is the result's place, further ones are related.
void AddLocations(const std::vector<Evidence>& evidence, OrderedJsonValue* result) {
  OrderedJsonValue first = OrderedJsonValue::array();
  OrderedJsonValue related = OrderedJsonValue::array();
  for (const Evidence& item : evidence) {
    if (item.file.empty()) continue;
    if (first.empty()) {
      first.push_back(Location(item.file, item.line, item.text, {}));
    } else {
      OrderedJsonValue location = Location(item.file, item.line, item.text, item.note);
      location["id"] = related.size() + 1;
      related.push_back(std::move(location));
    }
  }
  if (!first.empty()) (*result)["locations"] = std::move(first);
  if (!related.empty()) (*result)["relatedLocations"] = std::move(related);
}

class Sarif {
 public:
  Sarif(const Report& report, const Words& words) : report_(report), words_(words) {}

  std::string Render() {
    for (size_t i = 0; i < report_.causes.size(); ++i) AddCause(report_.causes[i], i == 0);
    if (report_.verdict == Verdict::kUndetermined && report_.causes.empty()) AddUndetermined();
    for (const Warning& warning : report_.warnings) AddWarning(warning);
    OrderedJsonValue notifications = OrderedJsonValue::array();
    for (const std::string& problem : report_.problems) {
      notifications.push_back({{"level", "error"}, {"message", Message(problem)}});
    }
    const OrderedJsonValue driver = {{"name", "ncclwhy"}, {"version", NCCLWHY_VERSION}, {"rules", std::move(rules_)}};
    OrderedJsonValue properties = {{"outcome", OutcomeName(report_.outcome)},
                                   {"verdict", VerdictName(report_.verdict)}};
    if (!report_.progress.empty()) properties["progress"] = SanitizeUtf8(report_.progress);
    if (report_.decision) {
      properties["decision"] = ActionName(report_.decision->action);
      properties["decisionSentence"] = SanitizeUtf8(DecisionSentence(*report_.decision, words_));
      if (!report_.decision->command.empty()) {
        properties["decisionCommand"] = SanitizeUtf8(report_.decision->command);
      }
    }
    OrderedJsonValue jobs = OrderedJsonValue::array();
    for (size_t i = 0; i < report_.jobs.size(); ++i) {
      jobs.push_back(SanitizeUtf8(JobLine(i + 1, report_.jobs[i], words_)));
    }
    if (!jobs.empty()) properties["jobs"] = std::move(jobs);
    // `executionSuccessful` is whether the program could do what it was asked to. How the job ended is in the results.
    const OrderedJsonValue run = {{"tool", {{"driver", driver}}},
                                  {"columnKind", "unicodeCodePoints"},
                                  {"invocations",
                                   {{{"executionSuccessful", report_.problems.empty()},
                                     {"toolExecutionNotifications", std::move(notifications)}}}},
                                  {"properties", std::move(properties)},
                                  {"results", std::move(results_)}};
    const OrderedJsonValue out = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                                  {"version", "2.1.0"},
                                  {"runs", OrderedJsonValue::array({run})}};
    // What cannot be seen (marks of direction, of no width) is escaped, so that a viewer shows it as it is.
    return EscapeJsonHidden(out.dump(2, ' ', false, OrderedJsonValue::error_handler_t::replace)) + "\n";
  }

 private:
  // `rank`: how sure, in percent, where a result has that; negative: it has none.
  void AddResult(const std::string& rule, const char* level, std::string_view text, const std::string& fingerprint,
                 const std::vector<Evidence>& evidence, double rank) {
    OrderedJsonValue result = {{"ruleId", SanitizeUtf8(rule)}, {"level", level}, {"message", Message(text)}};
    if (rank >= 0) result["rank"] = rank;
    AddLocations(evidence, &result);
    result["partialFingerprints"] = {{"ncclwhy/v1", fingerprint}};
    results_.push_back(std::move(result));
  }

  // Once, however many results it has: a viewer finds it by its id.
  void AddRule(const std::string& id, OrderedJsonValue rule) {
    if (ids_.insert(id).second) rules_.push_back(std::move(rule));
  }

  void AddCause(const Cause& cause, bool first) {
    OrderedJsonValue rule = {{"id", SanitizeUtf8(cause.id)}, {"shortDescription", Message(cause.title)}};
    if (!cause.meaning.empty()) rule["fullDescription"] = Message(cause.meaning);
    std::string help;
    for (const Fix& fix : cause.fixes) {
      help += "- " + FixLabel(fix, words_) + fix.text + "\n";
      if (!fix.command.empty()) help += "  " + fix.command + "\n";
    }
    if (!help.empty()) rule["help"] = Message(help);
    if (!cause.references.empty()) rule["helpUri"] = SanitizeUtf8(cause.references.front());
    if (!cause.fixes_elsewhere.empty()) {
      OrderedJsonValue elsewhere = OrderedJsonValue::array();
      for (const Fix& fix : cause.fixes_elsewhere) elsewhere.push_back(SanitizeUtf8(FixLabel(fix, words_) + fix.text));
      rule["properties"] = {{"fixesElsewhere", std::move(elsewhere)}};
    }
    AddRule(cause.id, std::move(rule));

    std::string text = cause.summary.empty() ? cause.title : cause.summary;
    // A first cause without a failure is no error: the job went well, or nobody saw its end.
    if (!cause.culprits.empty()) text += " " + CulpritSentence(Gathered(cause.culprits, words_).front(), words_) + ".";
    const bool failure = report_.verdict == Verdict::kFailure;
    AddResult(cause.id, first ? (failure ? "error" : "warning") : "note", text, Fingerprint(cause), cause.evidence,
              Percent(cause.confidence));
  }

  void AddUndetermined() {
    AddRule(kUndeterminedRule,
            {{"id", kUndeterminedRule}, {"shortDescription", Message(words_.undetermined_sentence)}});
    std::string text(Headline(report_, words_));
    for (const PossibleCause& item : report_.candidates) text += " " + item.title + " (" + item.id + ").";
    for (const Collect& item : report_.collect) text += " " + item.what;
    AddResult(kUndeterminedRule, "warning", text, Sha256Hex(kUndeterminedRule), {}, -1);
  }

  // Two runs that warn of the same with other numbers have the same fingerprint: it is no new alert.
  void AddWarning(const Warning& warning) {
    AddRule(warning.id, {{"id", SanitizeUtf8(warning.id)}, {"shortDescription", Message(warning.id)}});
    AddResult(warning.id, "warning", warning.text, Sha256Hex(warning.id + "\n" + WithoutNumbers(warning.text)),
              warning.evidence, -1);
  }

  const Report& report_;
  const Words& words_;
  std::set<std::string> ids_;
  OrderedJsonValue rules_ = OrderedJsonValue::array();
  OrderedJsonValue results_ = OrderedJsonValue::array();
};

}  // namespace

std::string RenderSarif(const Report& report, const RenderOptions& options) {
  return Sarif(report, WordsOf(options.language)).Render();
}

}  // namespace ncclwhy
