#include "parser/complaints.h"

#include <string>
#include <vector>

#include "catch.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

SourceFacts Parsed(const std::string& text, uint64_t segment = limits::kSegmentBytes) {
  ParserOptions options;
  options.segment_bytes = segment;
  Parser parser("job.log", nullptr, nullptr, options);
  parser.Push(text);
  return parser.Finish();
}

std::vector<std::string> Complaining(const SourceFacts& facts) {
  std::vector<std::string> out;
  for (const ComplaintFacts& c : facts.complaints) {
    out.push_back(std::to_string(c.line) + " " + std::string(facts.Str(c.text)));
  }
  return out;
}

bool IsComplaint(std::string_view text) { return TellingWords(text).Has(TellingWord::kComplaint); }

TEST_CASE("what sounds wrong is known by its words, in capitals, too, and in other languages", "[complaints]") {
  for (const char* text :
       {"ucx_ep.c:712  Error: vertex 3", "FATAL", "Could Not open", "it can't", "任务失败", "エラー"}) {
    CHECK(IsComplaint(text));
  }
  for (const char* text : {"", "step 41200 of 50000, loss=2.13", "Epoch 3: 12%|##   | 12/100", "saved /ckpt/7"}) {
    CHECK_FALSE(IsComplaint(text));
  }
  CHECK_FALSE(IsComplaint(std::string(kComplaintReach, 'x') + " error"));
}

TEST_CASE("a sentence is kept once, where it came first, without its prefix", "[complaints]") {
  const SourceFacts facts = Parsed(
      "[rank3]: ibv_reg_mr failed at 0x7f00\nall is well\n[rank3]: ibv_reg_mr failed at 0x7f01\n"
      "node-a:411:411 [0] NCCL INFO Channel 00/02 : 0 1\nqueue 3 is broken\n");
  const std::vector<std::string> expected = {"1 ibv_reg_mr failed at 0x7f00", "5 queue 3 is broken"};
  CHECK(Complaining(facts) == expected);
}

TEST_CASE("complaints do not depend on segments and are bounded", "[complaints]") {
  std::string text;
  for (int i = 0; i < 400; ++i) {
    std::string word = "a";
    for (int n = i; n > 0; n /= 20) word += static_cast<char>('b' + n % 20);
    text +=
        "step " + std::to_string(i) + "/400\nerror of " + word + " in 17 of 40\nerror of " + word + " in 18 of 40\n";
  }
  const SourceFacts whole = Parsed(text);
  CHECK(whole.complaints.size() == limits::kComplaints);
  CHECK(Complaining(whole) == Complaining(Parsed(text, 1000)));
}

}  // namespace
}  // namespace ncclwhy
