#include "base/word_set.h"

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("whether one of some words is in a text", "[base]") {
  const WordSet few({"rror", "QP"});
  CHECK(few.AnyIn("QP 3"));
  CHECK(few.AnyIn("Error"));
  CHECK_FALSE(few.AnyIn("Q P erro"));
  std::vector<std::string> many = {"QP"};
  for (int i = 100; i < 140; ++i) many.push_back("word" + std::to_string(i));
  const WordSet set(many);
  CHECK(set.words() == many);
  for (const std::string& word : many) {
    CHECK(set.AnyIn(word));
    CHECK(set.AnyIn(std::string(50, 'w') + word + std::string(40, 'x')));
  }
  CHECK_FALSE(set.AnyIn("word10 word14 Q P" + std::string(60, 'w')));
  CHECK_FALSE(set.AnyIn(""));
  CHECK_FALSE(WordSet({}).AnyIn("word"));
}

}  // namespace
}  // namespace ncclwhy
