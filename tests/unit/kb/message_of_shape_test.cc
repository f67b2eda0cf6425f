#include "kb/loader/message_of_shape.h"

#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "kb/loader/format_code.h"
#include "kb/loader/kb.h"
#include "parser/skeleton.h"
#include "render_format.h"

namespace ncclwhy {
namespace {

using M = MessageLevel;

std::string ShapeOf(std::string_view text) {
  std::string shape;
  return skeleton::Append(text, &shape) ? shape : std::string();
}

int Find(const std::vector<MessageFormat>& formats, const std::string& body) {
  const MessageTablesOwner tables = BuildMessageTables(formats);
  return FindMessageOfShape(tables.View(), LogLevel::kInfo, ShapeOf(body));
}

TEST_CASE("a message is sure only where no number makes it another one", "[kb]") {
  const std::vector<MessageFormat> plain = {{M::kInfo, "queue %d moved to %p"}, {M::kInfo, "%s moved to %s"}};
  CHECK(Find(plain, "queue 17 moved to 0x7f00") == 0);
  CHECK(Find(plain, "queue x17 moved to 0x7f00") == 1);
  CHECK(Find(plain, "nothing 17") == -1);
  // A format of its own for one number.
  std::vector<MessageFormat> formats = plain;
  formats.push_back({M::kInfo, "queue 12 moved to %p"});
  CHECK(Find(formats, "queue 17 moved to 0x7f00") == kMessageDepends);
  CHECK(Find(formats, "queue x17 moved to 0x7f00") == 1);
  formats.back().format = "queue %d moved to 0xdead%x";
  CHECK(Find(formats, "queue 17 moved to 0x7f00") == kMessageDepends);
  // The same at a level that fits worse, and one with less text, cannot win.
  formats.back() = {M::kWarn, "queue 12 moved to %p"};
  CHECK(Find(formats, "queue 17 moved to 0x7f00") == 0);
  formats.back() = {M::kInfo, "queue %s1%s0"};
  CHECK(Find(formats, "queue 17 moved to 0x7f00") == 0);
  formats.back() = {M::kInfo, "queue %d moved to %s0%s and more text"};
  CHECK(Find(formats, "queue 17 moved to 0x7f00") == 0);
}

TEST_CASE("a format that holds for some numbers only is not sure", "[kb]") {
  CHECK(Find({{M::kInfo, "status 12 of %s"}}, "status 12 of x") == kMessageDepends);
  CHECK(Find({{M::kInfo, "status %dB of %s"}}, "status 12B of x") == kMessageDepends);  // digits that are given back
  CHECK(Find({{M::kInfo, "at 0x%d of %s"}}, "at 0x12 of x") == kMessageDepends);        // 0xa is no integer
  CHECK(Find({{M::kInfo, "status %c of %s"}}, "status 1 of x") == kMessageDepends);     // nor 12 a character
  CHECK(Find({{M::kInfo, "status %f of %s"}}, "status 1.5 of x") == 0);
  CHECK(Find({{M::kInfo, "status %x of %s"}}, "status 0x1 of x") == 0);
  CHECK(Find({{M::kInfo, "closed by peer %s"}}, "closed by peer ") == 0);
  CHECK(Find({{M::kInfo, "%s: %d left of %d"}}, "a: b: 1 left of 2") == 0);
}

// Every number of `shape` another one, of any length.
std::string RandomText(std::string_view shape, std::mt19937& random) {
  std::string text;
  for (const char c : shape) {
    if (!skeleton::IsNumber(c)) {
      text += c;
      continue;
    }
    const bool hex = c == skeleton::kHex;
    const size_t most = hex ? skeleton::kMostHexDigits : skeleton::kMostDigits;
    const size_t digits = 1 + random() % (random() % 3 == 0 ? most : 3);
    for (size_t i = 0; i < digits; ++i) {
      text += std::string_view("0123456789abcdefABCDEF")[random() % (hex ? 22 : random() % 2 == 0 ? 2 : 10)];
    }
  }
  return text;
}

TEST_CASE("what is said of a shape is true of its texts, for every message of the catalogue", "[kb]") {
  const KnowledgeBase& kb = KnowledgeBase::Embedded();
  std::mt19937 random(20251122);
  std::vector<CompiledFormat> formats;
  for (size_t i = 0; i < kb.MessageCount(); ++i) {
    formats.push_back(CompileFormat(kb.Message(static_cast<int>(i), {}, Language::kEnglish).format));
  }
  size_t sure = 0;
  for (size_t i = 0; i < kb.MessageCount(); ++i) {
    const MessageKnowledge message = kb.Message(static_cast<int>(i), {}, Language::kEnglish);
    const std::string line = RenderFormat(message.format.substr(0, message.format.find('\n')), static_cast<int>(i % 2));
    const std::string shape = ShapeOf(line);
    if (shape.empty()) continue;
    for (const LogLevel level : {LogLevel::kInfo, LogLevel::kTrace}) {
      int always = -1;
      if (const int now = kb.Recognize(level, line); now == kb.RecognizeShape(level, shape)) always = now;
      if (always >= 0) ++sure;
      for (int round = 0; round < 8; ++round) {
        const std::string text = RandomText(shape, random);
        INFO(text);
        if (always >= 0) REQUIRE(kb.Recognize(level, text) == always);
      }
    }
    // And of single formats, near ones among them.
    for (size_t k = i; k < i + 8 && k < formats.size(); ++k) {
      const std::string_view trimmed = TrimMessage(line);
      const std::string body = ShapeOf(trimmed);
      if (body.empty()) continue;
      const int literals = MatchFormatOfShape(formats[k].code, body);
      if (literals == kSomeMatch) continue;
      for (int round = 0; round < 4; ++round) {
        const std::string text = RandomText(body, random);
        INFO(text);
        REQUIRE(MatchFormat(formats[k].code, text, false) == literals);
      }
    }
  }
  CHECK(sure > kb.MessageCount() / 10);
}

}  // namespace
}  // namespace ncclwhy
