#include "analyze/last_words.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/limits.h"
#include "catch.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

std::string Steps(int first, int last) {
  std::string text;
  for (int i = first; i <= last; ++i)
    text += fmt::format("2026-11-26 07:18:{:02},000 - INFO - step {}/60 loss 2.3\n", i, i);
  return text;
}

std::vector<LastWord> WordsOf(const std::vector<std::string>& texts) {
  std::vector<SourceFacts> facts;
  for (const std::string& text : texts) {
    Parser parser("job.log", nullptr, nullptr);
    parser.Push(text);
    facts.push_back(parser.Finish());
  }
  std::vector<const SourceFacts*> sources;
  for (const SourceFacts& f : facts) sources.push_back(&f);
  return LastWordsOf(BuildJobModel(sources));
}

TEST_CASE("what was said last behind the work is told, with who said it", "[last_words]") {
  const auto words = WordsOf({Steps(1, 15) + "[Rank 2] writing checkpoint shard to /mnt/lustre/ckpt\n"});
  REQUIRE(words.size() == 1);
  CHECK(words[0].line == 16);
  CHECK(words[0].text == "[Rank 2] writing checkpoint shard to /mnt/lustre/ckpt");
  CHECK(words[0].rank == 2);
  // One more step of another rank comes through the same stream.
  CHECK(WordsOf({Steps(1, 15) + "rank 0: early stopping, leaving the loop\n" + Steps(16, 16)}).size() == 1);
}

TEST_CASE("nothing is told where the work went on, or is itself what came last", "[last_words]") {
  CHECK(WordsOf({Steps(1, 15) + "rank 0: saved a checkpoint\n" + Steps(16, 30)}).empty());
  CHECK(WordsOf({Steps(1, 15)}).empty());
  CHECK(WordsOf({Steps(1, 15) + "}\n-----\n"}).empty());
}

TEST_CASE("what all ranks say alike tells nothing", "[last_words]") {
  const std::string steps = Steps(1, 15);
  CHECK(WordsOf({steps + "rank 0: evaluating\n", steps + "rank 1: evaluating\n"}).empty());
  const auto words = WordsOf({steps + "rank 0: evaluating\n", steps + "rank 1: loading a shard\n", "starting up\n"});
  CHECK(words.size() == 2);
}

TEST_CASE("no more last words are told than are read", "[last_words]") {
  std::vector<std::string> texts;
  for (size_t i = 0; i <= limits::kLastWords; ++i) {
    texts.push_back(Steps(1, 15) +
                    fmt::format("rank {}: {} is where it went\n", i, std::string(i + 1, static_cast<char>('a' + i))));
  }
  CHECK(WordsOf(texts).size() == limits::kLastWords);
}

}  // namespace
}  // namespace ncclwhy
