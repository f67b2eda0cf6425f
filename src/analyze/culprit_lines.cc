#include "analyze/culprit_lines.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "analyze/place_evidence.h"
#include "base/logger_prefix.h"
#include "base/text.h"
#include "base/utf8.h"
#include "job/thread_stack.h"

namespace ncclwhy {
namespace {

// [W1126 07:13:09.516525938 Utils.hpp:112] Warning: …: PyTorch's C++ logging, its watchdog above all. It goes on by
// itself when the program stands.
bool IsTorchRecord(std::string_view text) {
  return text.size() > 2 && text[0] == '[' && std::string_view("IWEF").find(text[1]) != std::string_view::npos &&
         IsDigit(text[2]);
}

// The thread that runs the program, of the only culprit; nothing where no dump shows one, or several processes have
// that rank.
std::optional<ThreadStack> StackOf(const JobModel& model, const std::vector<Culprit>& culprits) {
  if (culprits.size() != 1 || culprits.front().rank < 0) return std::nullopt;
  std::optional<ThreadStack> found;
  for (ThreadStack& stack : FindStacks(model)) {
    if (stack.rank != culprits.front().rank || stack.program.empty()) continue;
    // Who stands in a call of NCCL waits for others, too.
    if (stack.frames.find("nccl") != std::string_view::npos) return std::nullopt;
    if (found && found->owner != stack.owner) return std::nullopt;
    if (!found) found = std::move(stack);
  }
  return found;
}

}  // namespace

void AddOnce(Evidence e, std::vector<Evidence>* evidence) {
  const auto same = [&](const Evidence& other) { return other.file == e.file && other.line == e.line; };
  if (std::none_of(evidence->begin(), evidence->end(), same)) evidence->push_back(std::move(e));
}

std::string LastWords(const JobModel& model, const std::vector<Culprit>& culprits) {
  constexpr size_t kColumns = 70;
  const Process* who = nullptr;
  if (culprits.size() == 1 && culprits.front().rank >= 0) {
    // A rank may have several processes: the one that printed most is the program.
    for (const Process& p : model.processes) {
      if (p.rank == culprits.front().rank && (who == nullptr || p.lines > who->lines)) who = &p;
    }
  }
  // Who left in order says nothing that matters; who was aborted prints NCCL's own last words.
  if (who == nullptr || who->last.line == 0 || who->aborted || who->destroyed) return {};
  if (IsTorchRecord(who->last.text)) return {};
  std::string_view text = WithoutLoggerPrefix(who->last.text);
  constexpr std::string_view kComment = "# ";  // nccl-tests and programs that print tables: # rank 0: leaving the loop
  const bool comment = text.starts_with(kComment);
  if (comment) text.remove_prefix(kComment.size());
  const std::string name = "rank " + std::to_string(culprits.front().rank) + ": ";
  const bool named = text.starts_with(name);
  // A line without a logger's mark may be anything: NCCL's, a frame of a stack, a progress bar.
  if (!named && (comment || text.size() == who->last.text.size())) return {};
  if (named) text.remove_prefix(name.size());
  while (text.ends_with(' ') || text.ends_with('\r')) text.remove_suffix(1);
  const std::string_view shown = PrefixOfWidth(text, kColumns);
  return std::string(shown) + (shown.size() < text.size() ? "\xE2\x80\xA6" : "");  // …
}

void AddLastWords(const CaseFile& c, const Hypothesis& h, Cause* cause) {
  if (cause->culprits.empty() || cause->culprits.front().pid < 0) return;
  const Culprit& culprit = cause->culprits.front();
  const Process* who = nullptr;
  for (const Process& p : c.model.processes) {
    if (p.pid == culprit.pid && p.host == culprit.host) who = &p;
  }
  // Of one that NCCL took down in order the last line says nothing.
  if (who == nullptr || who->last.line == 0 || who->aborted || who->destroyed) return;
  for (const size_t n : h.evidence) {
    // Its own line shows the failure already, or is the last one.
    const Finding& f = c.items[n].finding;
    if (f.line > 0 && f.process == who->id && (f.role == Role::kRoot || f.line == who->last.line)) return;
  }
  Evidence e = PlaceEvidence(c.model, who->last, "supporting");
  // That it had begun well is no news beside what else is known of it.
  if (h.evidence.size() > 1 && e.text.ends_with("Init COMPLETE")) return;
  const bool zh = c.language == Language::kChinese;
  e.note = zh ? "它的最后一行" : "its last line";
  if (culprit.rank >= 0) e.note = (zh ? "最后一行，rank " : "the last line of rank ") + std::to_string(culprit.rank);
  AddOnce(std::move(e), &cause->evidence);
}

void AddStack(const CaseFile& c, Cause* cause) {
  const std::optional<ThreadStack> stack = StackOf(c.model, cause->culprits);
  if (!stack) return;
  Evidence e = PlaceEvidence(c.model, stack->place, "supporting");
  const std::string rank = std::to_string(stack->rank);
  e.note = c.chinese() ? "rank " + rank + " 的堆栈：它停在这里" : "the stack of rank " + rank + ": there it stands";
  AddOnce(std::move(e), &cause->evidence);
}

void AddStandsIn(const JobModel& model, const std::vector<Culprit>& culprits, TemplateValues* values) {
  const std::optional<ThreadStack> stack = StackOf(model, culprits);
  if (!stack || stack->function.empty()) return;
  values->try_emplace("stands_in", stack->function);
  if (stack->pid >= 0) values->try_emplace("pid", std::to_string(stack->pid));
}

}  // namespace ncclwhy
