// What one would paste into a chat or an issue: what broke, who, the first line that shows it, the first fix.
#include <fmt/format.h>

#include "base/escape.h"
#include "report/gathered_culprits.h"
#include "report/html_parts.h"
#include "report/phrases.h"

namespace ncclwhy {
namespace {

// In the block of a chat nothing is escaped: three backticks are all that ends it.
// A line of a log must not end the block it stands in.
std::string Block(std::string text) {
  for (size_t at = text.find("```"); at != std::string::npos; at = text.find("```", at)) {
    text.replace(at, 3, std::string(3, '\''));
  }
  return "```\n" + text + "\n```\n";
}

// Slack has no escapes but these three.
std::string EscapeSlack(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string SentenceOf(const Report& report, const Words& words) {
  // Headline of the verdict where no cause has a sentence of its own.
  const Cause* cause = NamedCause(report);
  return cause == nullptr || cause->summary.empty() ? Headline(report, words) : cause->summary;
}

std::string ChatMessage(const Report& report, const Words& words, Chat chat) {
  // Slack has one asterisk for bold, Markdown two.
  const std::string_view bold = chat == Chat::kMarkdown ? "**" : "*";
  const auto plain = [&](std::string_view text) {
    return chat == Chat::kMarkdown ? EscapeMarkdown(text) : EscapeSlack(text);
  };
  std::string out =
      fmt::format("{0}{1}{0} {2}\n", bold, VerdictWord(report.verdict, words), plain(SentenceOf(report, words)));
  const Cause* cause = NamedCause(report);
  if (cause == nullptr) return out;
  out += plain(cause->title + " (" + cause->id + ")") + "\n";
  const std::vector<Culprit> culprits = Gathered(cause->culprits, words);
  if (!culprits.empty()) out += plain(CulpritSentence(culprits.front(), words)) + "\n";
  // The first line that has a place: what speaks against the cause is no line to show.
  for (const Evidence& e : cause->evidence) {
    if (e.line == 0 || e.role == "contradicting") continue;
    out += Block(FileLine(e.file, e.line) + "  " + e.text);
    break;
  }
  if (cause->fixes.empty()) return out;
  const Fix& fix = cause->fixes.front();
  // One fix: a chat message is read on a telephone.
  out += fmt::format("{0}{1}{0}: {2}\n", bold, words.fix, plain(StepText(fix.text, fix.host, words)));
  if (!fix.command.empty()) out += Block(fix.command);
  return out;
}

}  // namespace ncclwhy
