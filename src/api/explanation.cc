#include "api/explanation.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/numbers.h"
#include "base/text.h"
#include "report/layout.h"
#include "report/phrases.h"

namespace ncclwhy {
namespace {

void AddFixes(const std::vector<FixKnowledge>& fixes, const Words& words, Layout* out) {
  if (fixes.empty()) return;
  out->Title(words.fix);
  size_t number = 0;
  for (const FixKnowledge& fix : fixes) {
    std::string text = FixLabel(fix, words) + fix.text;
    if (!fix.cost.empty()) text += " (" + Filled(words.cost, fix.cost) + ")";
    out->Prose(fmt::format("  {}. ", ++number), text);
    out->Command("     $ ", fix.command);
  }
}

// Where a step has no words, its command stands for them.
void AddSteps(std::string_view title, std::string_view text, std::string_view command, bool first, Layout* out) {
  if (first) out->Title(title);
  out->Prose("  - ", text.empty() ? command : text);
  if (!text.empty()) out->Command("    $ ", command);
}

// Of versions, as no line tells them: "nccl 2.18.1: Data corruption with Tree/LL128 (fixed in 2.18.3)".
void AddBugs(std::string_view cause, const KnowledgeBase& kb, Language language, Layout* out) {
  const bool zh = language == Language::kChinese;
  bool titled = false;
  for (const BugKnowledge& bug : kb.Bugs(language)) {
    if (bug.cause != cause) continue;
    if (!titled) out->Title(zh ? "已知缺陷" : "Known bugs");
    titled = true;
    std::string title = fmt::format("{} {}: {}", bug.product, bug.affected, bug.title);
    if (!bug.fixed_in.empty())
      title += fmt::format(fmt::runtime(zh ? "（{} 已修复）" : " (fixed in {})"), bug.fixed_in);
    out->Prose("  - ", title);
    out->Prose("    ", bug.text);
  }
}

// The knowledge's templates without any value of a log.
CauseKnowledge Expanded(CauseKnowledge cause) {
  const TemplateValues none;
  const auto expand = [&](std::string* text) { *text = ExpandTemplate(*text, none); };
  expand(&cause.title);
  expand(&cause.meaning);
  expand(&cause.mistaken_for);
  // Commands have places for values as well, `ssh {host}`: they stay as words.
  for (FixKnowledge& fix : cause.fixes) expand(&fix.text), expand(&fix.command), expand(&fix.cost);
  for (Confirm& confirm : cause.confirm) expand(&confirm.text), expand(&confirm.command);
  for (Collect& item : cause.collect) expand(&item.what), expand(&item.command);
  return cause;
}

// "nccl", "ib", "cuda" are what people say.
// Others go on as they are: they may be a table's own name, or none.
std::string TableName(std::string_view word) {
  std::string name(word);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (name == "nccl" || name == "ncclresult") return "nccl_result";
  // `status=12` in a warning of NCCL's: a completion of InfiniBand.
  if (name == "ib" || name == "wc" || name == "completion") return "ib_wc_status";
  if (name == "cuda") return "cuda_runtime";
  if (name == "exit" || name == "exit code" || name == "exitcode" || name == "code") return "exit_code";
  if (name == "vendor err" || name == "vendor_err" || name == "vendor error" || name == "syndrome") return "vendor_err";
  if (name == "status" || name == "error") return "ib_wc_status";
  if (name == "cuda error" || name == "cuda failure") return "cuda_runtime";
  return name;
}

}  // namespace

std::string ExplainCause(std::string_view id, const KnowledgeBase& kb, const RenderOptions& options) {
  const std::optional<CauseKnowledge> found = kb.FindCause(id, options.language);
  if (!found) return {};
  const CauseKnowledge cause = Expanded(*found);
  const Words& words = WordsOf(options.language);
  Layout out(options.width, options.color);
  out.Headed(cause.id, Style::kCyan, cause.title);
  out.Title(words.meaning);
  out.Prose("  ", cause.meaning);
  if (!cause.mistaken_for.empty()) {
    out.Title(words.mistaken_for);
    out.Prose("  ", cause.mistaken_for);
  }
  for (size_t i = 0; i < cause.confirm.size(); ++i) {
    AddSteps(words.confirm, cause.confirm[i].text, cause.confirm[i].command, i == 0, &out);
  }
  AddFixes(cause.fixes, words, &out);
  AddBugs(cause.id, kb, options.language, &out);
  for (size_t i = 0; i < cause.collect.size(); ++i) {
    AddSteps(words.collect, cause.collect[i].what, cause.collect[i].command, i == 0, &out);
  }
  if (!cause.references.empty()) out.Title(words.references);
  for (const std::string& reference : cause.references) out.LogText("  ", reference, 2);
  return out.Take();
}

std::string ExplainVariable(std::string_view name, const KnowledgeBase& kb, const RenderOptions& options) {
  const Words& words = WordsOf(options.language);
  Layout out(options.width, options.color);
  std::optional<VariableKnowledge> variable = kb.FindVariable(name, options.language);
  // nccl_ib_hca: asked only of what is no name as it stands.
  for (const std::string& each : variable ? std::vector<std::string>() : kb.VariableNames()) {
    if (SameButCase(each, name)) variable = kb.FindVariable(each, options.language);
  }
  if (!variable) {
    // NCCL_IB_GID_IDX, NCCL_SOCKET_NAME: variables of posts and of other programs that nothing reads.
    const auto never = kb.NeverRead(name, options.language);
    const bool looks_like_one = name.starts_with("NCCL_") || name.starts_with("TORCH_NCCL_");
    // It is asked of anything that may be a variable: only what looks like one is said to be read by nobody.
    if (!never && !looks_like_one) return {};
    out.Headed(name, Style::kYellow, words.never_read);
    if (never && !never->first.empty()) out.Prose("  ", never->first);
    const std::string nearest = never ? never->second : kb.NearestVariable(name);
    if (!nearest.empty()) out.Prose("  ", Filled(words.nearest, nearest));
    return out.Take();
  }
  std::string read;
  const auto add = [&](const std::string& part) {
    read += (read.empty() ? "" : std::string(words.list_separator)) + part;
  };
  if (!variable->read_by.empty()) add(Filled(words.read_by, variable->read_by));
  if (!variable->first.empty()) add(Filled(words.read_since, variable->first));
  if (!variable->last.empty()) add(Filled(words.read_until, variable->last));
  out.Headed(variable->name, Style::kCyan, read);
  const auto row = [&](std::string_view label, const std::string& text) {
    if (!text.empty()) out.Prose("  ", Filled(words.label, label) + text);
  };
  row(words.effect, variable->effect);
  row(words.type, variable->type);
  row(words.default_value, variable->default_value);
  row(words.values, variable->values);
  row(words.example, variable->example);
  row(words.mistake, variable->mistake);
  if (variable->must_agree) out.Prose("  ", words.must_agree);
  if (!variable->degrading_text.empty()) out.Prose("  ", variable->degrading_text, Style::kYellow);
  if (!variable->replaced_by.empty()) out.Prose("  ", Filled(words.replaced_by, variable->replaced_by));
  return out.Take();
}

namespace {

// xid 79: "GPU has fallen off the bus", what that means, and the causes that it points at with their titles.
void AddCode(const CodeKnowledge& code, const KnowledgeBase& kb, const RenderOptions& options, Layout* out) {
  const Words& words = WordsOf(options.language);
  out->Headed(fmt::format("{} {}", code.table, code.key), Style::kCyan,
              code.name.empty() ? code.text : code.name + (code.text.empty() ? "" : ": " + code.text));
  out->Prose("  ", code.meaning);
  if (!code.causes.empty()) out->Title(words.points_at);
  for (const std::string& id : code.causes) {
    const auto cause = kb.FindCause(id, options.language);
    out->Prose("  - ", cause ? id + std::string(words.why_separator) + ExpandTemplate(cause->title, {}) : id);
  }
}

// "xid 79", "xid79", "exit code 137", "vendor err 129", "status=12": the words, and the number behind them.
std::pair<std::string_view, std::string_view> TableAndCode(std::string_view text) {
  size_t at = text.size();
  // Back over everything that may be of a hexadecimal number; without 0x forward again to the first decimal digit: in
  // `xid79` the d would be one of them.
  while (at > 0 && IsHexDigit(text[at - 1])) --at;
  if (at >= 2 && text[at - 1] == 'x' && text[at - 2] == '0') {
    at -= 2;
  } else {
    while (at < text.size() && !IsDigit(text[at])) ++at;
  }
  std::string_view table = text.substr(0, at);
  while (!table.empty() && !IsAlnum(table.back())) table.remove_suffix(1);
  return {table, text.substr(at)};
}

}  // namespace

std::string ExplainCode(std::string_view text, const KnowledgeBase& kb, const RenderOptions& options) {
  Layout out(options.width, options.color);
  const auto [table, code] = TableAndCode(text);
  if (!table.empty() && !code.empty()) {
    const std::string name = TableName(table);
    // Tables write some numbers in decimal and some in hexadecimal.
    const std::optional<int64_t> number = ParseInt(code);
    // As it was typed, then as hexadecimal of two digits: `vendor err 129` is in a table that has 0x81.
    auto found = kb.FindCode(name, code, options.language);
    if (!found && number) found = kb.FindCode(name, fmt::format("{:#04x}", *number), options.language);
    if (found) {
      AddCode(*found, kb, options, &out);
      return out.Take();
    }
  }
  // A number or a name by itself: whatever it may be, a screen of it.
  constexpr size_t kMeanings = 6;
  // A sentence with a number in it is a message, which is asked next.
  if (text.find(' ') != std::string_view::npos) return {};
  size_t told = 0;
  for (const CodeKnowledge& each : kb.FindCodes(text, options.language)) {
    if (told++ < kMeanings) AddCode(each, kb, options, &out);
  }
  return told == 0 ? std::string() : out.Take();
}

std::string ListCauses(const KnowledgeBase& kb, const RenderOptions& options) {
  Layout out(options.width, options.color);
  for (const std::string& id : kb.CauseIds()) {
    const auto cause = kb.FindCause(id, options.language);
    if (cause) out.Prose(fmt::format("{:<34}", id), ExpandTemplate(cause->title, {}));
  }
  return out.Take();
}

// "gpu.xid" gives the causes of `gpu.`, "xid" those with it in their id; at most 8, in the order of the ids.
std::string CausesLike(std::string_view text, const KnowledgeBase& kb) {
  // The family, or the words behind the dot.
  const size_t dot = text.find('.');
  const std::string_view family = text.substr(0, dot);
  const std::string_view rest = dot == std::string_view::npos ? text : text.substr(dot + 1);
  std::vector<std::string> out;
  for (const std::string& id : kb.CauseIds()) {
    if (out.size() == 8) break;
    // Two letters are in too many ids.
    if (id.starts_with(std::string(family) + ".") || (rest.size() > 2 && id.find(rest) != std::string::npos))
      out.push_back(id);
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

}  // namespace ncclwhy
