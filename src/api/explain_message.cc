// A message of a log: which format NCCL prints it with, what it means, which causes rules and catalogue see in it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "api/explanation.h"
#include "api/job_analysis.h"
#include "api/nearest_message.h"
#include "report/layout.h"
#include "report/phrases.h"

namespace ncclwhy {
namespace {

struct Reading {
  int message = -1;  // of the catalogue
  std::vector<Finding> findings;
  bool empty() const { return message < 0 && findings.empty(); }
};

Reading Read(const std::string& line, const Knowledge& knowledge) {
  // Default options: one line has no job or attempt to choose, and nobody wants its timeline.
  const AnalyzerOptions options;
  JobAnalysis job(knowledge, options);
  (void)job.Append("message", line + "\n");
  job.Read();
  Reading out;
  uint32_t first = UINT32_MAX;
  // The first message that was recognised: a text that was pasted may hold several lines.
  for (const auto& [message, seen] : job.digests().front().messages) {
    if (seen.line < first) std::tie(first, out.message) = std::pair(seen.line, message);
  }
  if (Result<std::vector<Finding>> findings = job.Findings(); findings.ok()) out.findings = findings.take();
  // Rules about absence (no other rank, no version) speak about the job, which one line is not.
  std::erase_if(out.findings, [](const Finding& finding) { return finding.line == 0; });
  return out;
}

// Nothing, or last resorts: a message of the catalogue says more.
bool OnlyGuesses(const Reading& reading, const Knowledge& knowledge) {
  return reading.message < 0 &&
         std::all_of(reading.findings.begin(), reading.findings.end(),
                     [&](const Finding& finding) { return knowledge.rules().rule(finding.rule).last_resort; });
}

// As it is, else as the text behind a header of NCCL.
Reading ReadAnyhow(std::string_view text, const Knowledge& knowledge) {
  Reading guessed;
  // A line that is pasted without its header is none of NCCL's to the parser: a header is lent to it. WARN first, since
  // that is what people ask about.
  for (const char* header : {"", "host:1:1 [0] NCCL WARN ", "host:1:1 [0] NCCL INFO "}) {
    Reading reading = Read(header + std::string(text), knowledge);
    if (!OnlyGuesses(reading, knowledge)) return reading;
    if (guessed.empty()) guessed = std::move(reading);
  }
  // Neither a line nor part of one: the format of the source code, or words from memory.
  Reading nearest;
  nearest.message = NearestMessage(text, knowledge.kb());
  return nearest.empty() ? guessed : nearest;
}

// Old formats end in a newline of their own.
std::string Trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string_view MeaningSentence(MessageMeaning meaning, const Words& words) {
  switch (meaning) {
    // What a message means for the question of what broke first. A root cause speaks for itself below.
    case MessageMeaning::kBenign:
      return words.benign;
    case MessageMeaning::kSecondary:
      return words.secondary;
    case MessageMeaning::kSymptom:
      return words.symptom;
    case MessageMeaning::kContext:
      return words.context;
    case MessageMeaning::kNever:
      return words.never;
    case MessageMeaning::kRoot:
      break;
  }
  return {};
}

// Log-odds by cause, the strongest that somebody sees in it.
using Weights = std::map<std::string, double>;

// The format, who prints it since when, and what the catalogue says of it.
void TellFormat(const MessageKnowledge& message, const Words& words, Layout& out, Weights* weights) {
  out.Title(words.printed_as);
  out.LogText("  ", Trimmed(message.level.empty() ? message.format : message.level + " " + message.format), 4);
  std::string where;
  const auto add = [&](const std::string& part) {
    where += (where.empty() ? "" : std::string(words.list_separator)) + part;
  };
  if (!message.files.empty()) add(Filled(words.printed_in, fmt::format("{}", fmt::join(message.files, " "))));
  if (!message.first.empty()) add(Filled(words.printed_since, message.first));
  if (!message.last.empty()) add(Filled(words.printed_until, message.last));
  if (!where.empty()) out.Prose("  ", where, Style::kDim);
  if (!message.note.empty()) out.Prose("  ", message.note);
  if (const std::string_view sentence = MeaningSentence(message.meaning, words); !sentence.empty()) {
    out.Prose("  ", sentence);
  }
  // Rule and catalogue may both see a cause in it: the stronger one counts, they do not add up.
  for (const auto& [cause, weight] : message.causes) (*weights)[cause] = std::max((*weights)[cause], weight);
}

void TellRules(const std::vector<Finding>& findings, const RuleSet& rules, const RenderOptions& options, Layout& out,
               Weights* weights) {
  if (!findings.empty()) out.Title(WordsOf(options.language).meaning);
  for (const Finding& finding : findings) {
    const Rule& rule = rules.rule(finding.rule);
    const std::string_view title = options.language == Language::kChinese ? rule.title_zh : rule.title_en;
    out.Prose("  - ", fmt::format("{} ({})", title, rule.id));
    for (const Weight& w : finding.causes) {
      double& most = (*weights)[w.cause.str()];
      most = std::max(most, w.log_odds);
    }
  }
}

// The ids, the likeliest first.
std::vector<std::string> TellCauses(const Weights& weights, const KnowledgeBase& kb, const RenderOptions& options,
                                    Layout& out) {
  const Words& words = WordsOf(options.language);
  std::vector<std::pair<std::string, double>> causes(weights.begin(), weights.end());
  // What speaks against a cause is of use among other evidence; of a line alone it says nothing.
  std::erase_if(causes, [](const auto& cause) { return cause.second <= 0; });
  std::stable_sort(causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  if (!causes.empty()) out.Title(words.points_at);
  std::vector<std::string> ids;
  for (const auto& [id, weight] : causes) {
    const auto cause = kb.FindCause(id, options.language);
    out.Prose("  - ", cause ? id + std::string(words.why_separator) + ExpandTemplate(cause->title, {}) : id);
    ids.push_back(id);
  }
  if (!ids.empty()) out.Prose("  ", Filled(words.explain_hint, ids.front()), Style::kDim);
  return ids;
}

}  // namespace

std::string ExplainMessage(std::string_view text, const Knowledge& knowledge, size_t seen,
                           const RenderOptions& options) {
  const Reading reading = ReadAnyhow(text, knowledge);
  const KnowledgeBase& kb = knowledge.kb();
  const Words& words = WordsOf(options.language);
  Layout out(options.width, options.color);
  Weights weights;
  if (reading.message >= 0) TellFormat(kb.Message(reading.message, "", options.language), words, out, &weights);
  TellRules(reading.findings, knowledge.rules(), options, out, &weights);
  const std::vector<std::string> causes = TellCauses(weights, kb, options, out);
  // Public incidents are searched by words: for a text that is known but points at nothing they would be chance finds.
  if (seen == 0 || (causes.empty() && !reading.empty())) return out.Take();
  std::vector<SeenIncident> found = SeenBefore(std::string(text), causes, kb, knowledge.incidents(), options.language);
  if (found.size() > seen) found.resize(seen);
  if (!found.empty()) out.Title(words.seen_before);
  for (const SeenIncident& incident : found) {
    out.Prose("  - ", SeenSentence(incident, words));
    out.LogText("    ", incident.url, 2);
  }
  return out.Take();
}

}  // namespace ncclwhy
