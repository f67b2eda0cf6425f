#include "analyze/word_reading.h"

#include <cmath>
#include <string>

#include "catch.h"
#include "temporary_directory.h"

namespace ncclwhy {
namespace {

using Words = std::vector<std::string>;

TEST_CASE("words are small letters, short numbers that stand alone and East Asian characters", "[words]") {
  CHECK(WordsOf("Call to ibv_reg_mr failed with error 12") ==
        Words{"call", "to", "ibv_reg_mr", "failed", "with", "error", "12"});
  CHECK(WordsOf("rank0 x at 0x7f (errno: 98) code:7 4096 §") == Words{"rank", "at", "errno", "98", "code", "7"});
  CHECK(WordsOf("10.0.0.7:155 12:03:44 v2.28 net.cc:48 socket.cc:484") == Words{"net", "cc", "socket", "cc"});
  CHECK(WordsOf("端口已被占用") == Words{"端", "口", "已", "被", "占", "用"});
  CHECK(WordsOf("\xE7\xAB cut").size() == 1);
  CHECK(WordsOf("").empty());
}

TEST_CASE("the cause that words speak for is told with the sentences and words that tell it", "[words]") {
  const TemporaryDirectory directory;
  WriteFile(directory / "words/words.jsonl",
            R"({"word": "", "rarity": 0, "causes": {"ib.qp-setup": -1, "net.port-in-use": -1}})"
            "\n"
            R"({"word": "zyxport", "rarity": 4, "causes": {"net.port-in-use": 3}})"
            "\n"
            R"({"word": "zyxport zyxtaken", "rarity": 2, "causes": {"net.port-in-use": 1, "ib.qp-setup": -1}})"
            "\n");
  const auto loaded = KnowledgeBase::Load({directory.string()});
  REQUIRE(loaded.ok());
  const KnowledgeBase& kb = *loaded.value();
  const std::vector<WordReading> read = ReadWords({"abcdefg hijk", "Zyxport zyxtaken!"}, kb);
  REQUIRE(!read.empty());
  CHECK(read[0].cause == "net.port-in-use");
  CHECK(read[0].margin == Approx(-1 + (3 * 4 + 1 * 2) / std::sqrt(20.0)));
  CHECK(read[0].telling == std::vector<size_t>{1});
  CHECK(read[0].words == Words{"zyxport", "zyxport zyxtaken"});
  CHECK(ReadWords({"abcdefg hijk"}, kb).empty());
  CHECK(ReadWords({}, kb).empty());
}

}  // namespace
}  // namespace ncclwhy
