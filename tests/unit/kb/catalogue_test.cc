// Every format of the catalogue recognises the lines that it prints.
#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "catch.h"
#include "kb/loader/format_code.h"
#include "kb/loader/kb.h"
#include "kb/render_format.h"

namespace ncclwhy {
namespace {

LogLevel LevelOf(const std::string& level) {
  if (level == "INFO") return LogLevel::kInfo;
  if (level == "WARN") return LogLevel::kWarn;
  if (level == "VERSION") return LogLevel::kVersion;
  if (level == "ABORT") return LogLevel::kAbort;
  if (level == "TRACE") return LogLevel::kTrace;
  if (level == "CALL") return LogLevel::kCall;
  return LogLevel::kNone;  // PRINT, ASSERT, RASOUT: no header
}

// The part of a format that stands in one line with the header.
std::string FirstLine(const std::string& format) {
  const std::string_view text = TrimMessage(format);
  return std::string(TrimMessage(text.substr(0, text.find('\n'))));
}

// What a finding made of the row would say.
std::tuple<MessageMeaning, std::vector<std::pair<std::string, double>>> JudgementOf(const MessageKnowledge& message) {
  return {message.meaning, message.causes};
}

// Too general to be told from any other text. Only lines without a header (printed by ncclras, dumps and tools) are so
// short, and two wrappers that print a text made elsewhere: the catalogue has those texts as rows of their own.
const std::set<std::string> kUnrecognisable = {"INFO %s",
                                               "INFO %s: %s",
                                               "PRINT ",
                                               "PRINT %02x",
                                               "PRINT %d%c/%d",
                                               "PRINT %d/%d",
                                               "PRINT %s",
                                               "PRINT %s [%s] [%s]: %d: %s():",
                                               "PRINT (%ld)",
                                               "PRINT --> %ld",
                                               "PRINT --G->",
                                               "PRINT --N->",
                                               "PRINT ->",
                                               "PRINT ================================================================",
                                               "PRINT GIN",
                                               "PRINT Mode %s",
                                               "PRINT [%d-%d|%ld| %s",
                                               "PRINT [%d]",
                                               "PRINT [%d] %d %p",
                                               "PRINT [%ld(%ld/%d)]",
                                               "PRINT [%ld]",
                                               "PRINT [X]",
                                               "PRINT ]",
                                               "PRINT v",
                                               "PRINT {dynamic: const char *fmt}",
                                               "PRINT |",
                                               "PRINT | `->",
                                               "RASOUT ",
                                               "RASOUT \"%s\": %lu",
                                               "RASOUT \"host\": \"%s\",",
                                               "RASOUT \"pid\": %d,",
                                               "RASOUT \"rank\": %d,",
                                               "RASOUT \"ranks\": [",
                                               "RASOUT \"ras\": {",
                                               "RASOUT \"size\": %d,",
                                               "RASOUT #%d-%d (%016lx) ERROR",
                                               "RASOUT %5d  %8d  %8d  %8s  %8d  %8d  %8s  %6s",
                                               "RASOUT %7d  %9ld",
                                               "RASOUT %7d  %9ld  %11d",
                                               "RASOUT %9d  %11ld",
                                               "RASOUT (%.2fs)",
                                               "RASOUT (%.3fs)",
                                               "RASOUT ,",
                                               "RASOUT DEAD",
                                               "RASOUT ]",
                                               "RASOUT ],",
                                               "RASOUT {",
                                               "RASOUT {dynamic: const char* format}",
                                               "RASOUT }",
                                               "RASOUT },",
                                               "VERSION %s = %s%s%s"};
// Formats whose lines are also lines of another format with another judgement.
const std::set<std::string> kShadowed = {
    // Windows prints the error's number where Linux prints its text; %s takes both.
    "WARN ncclOsSocketProgressOpt: Call to %s %s failed : %u"};

TEST_CASE("every format recognises its own lines", "[kb]") {
  const KnowledgeBase& kb = KnowledgeBase::Embedded();
  REQUIRE(kb.MessageCount() > 3000);
  std::set<std::string> unrecognisable, shadowed;
  for (size_t i = 0; i < kb.MessageCount(); ++i) {
    const MessageKnowledge message = kb.Message(static_cast<int>(i), "", Language::kEnglish);
    const std::string first_line = FirstLine(message.format);
    for (const int variant : {0, 1}) {
      const std::string line = RenderFormat(first_line, variant);
      const int found = kb.Recognize(LevelOf(message.level), line);
      if (found < 0) {
        unrecognisable.insert(message.level + " " + first_line);
        continue;
      }
      const MessageKnowledge other = kb.Message(found, "", Language::kEnglish);
      if (FirstLine(other.format) != first_line && JudgementOf(other) != JudgementOf(message)) {
        INFO(other.format);
        shadowed.insert(message.level + " " + first_line);
      }
    }
  }
  CHECK(unrecognisable == kUnrecognisable);
  CHECK(shadowed == kShadowed);
}

// NCCL cuts header and message at 1023 bytes: what is left of a long line is still recognised.
TEST_CASE("a clipped line is recognised", "[kb]") {
  const KnowledgeBase& kb = KnowledgeBase::Embedded();
  const std::string devices(1500, 'x');
  const std::string line =
      ("NET/IB : Got completion from peer 10.0.0.7<41243> with error 12, opcode 0, len 0, vendor err 129 (" + devices)
          .substr(0, 960);
  const int index = kb.Recognize(LogLevel::kWarn, line);
  REQUIRE(index >= 0);
  CHECK(kb.Message(index, "", Language::kEnglish).format.find("Got completion from peer") != std::string::npos);
  CHECK(kb.Recognize(LogLevel::kWarn, line.substr(0, 90)) == -1);
}

}  // namespace
}  // namespace ncclwhy
