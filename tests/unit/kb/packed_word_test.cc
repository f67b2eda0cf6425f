#include "kb/loader/packed_word.h"

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("what a word speaks for is packed and comes back", "[kb]") {
  KbData data;
  data.causes = {{"app.rank-crashed", "{}"}, {"gpu.oom", "{}"}, {"host.oom", "{}"}};
  data.words = {{"oom", R"({"rarity": 5.56, "causes": {"app.rank-crashed": -0.04, "host.oom": 3.06}})"},
                {"plain", R"({"rarity": 2, "causes": {}})"}};
  CHECK(PackWord(data.words["oom"], data.causes) == "556 0:-4 2:306");
  const KbTablesOwner tables = BuildTables(data);
  const KbTables view = tables.View();
  REQUIRE(view.words.size() == 2);
  const WordKnowledge oom = UnpackWord(view, view.words[0]);
  CHECK(oom.rarity == Approx(5.56));
  REQUIRE(oom.causes.size() == 2);
  CHECK(oom.causes[0].first == "app.rank-crashed");
  CHECK(oom.causes[0].second == Approx(-0.04));
  CHECK(oom.causes[1].first == "host.oom");
  CHECK(oom.causes[1].second == Approx(3.06));
  CHECK(UnpackWord(view, view.words[1]).causes.empty());
}

// --kb with a cause of its own moves the places of the others.
TEST_CASE("words keep their causes where knowledge is added to", "[kb]") {
  KbData data;
  data.causes = {{"host.oom", "{}"}};
  data.words = {{"oom", R"({"rarity": 5.56, "causes": {"host.oom": 3.06}})"}};
  const KbTablesOwner before = BuildTables(data);
  KbData more = DataOf(before.View());
  more.causes.emplace("app.mine", "{}");
  const KbTablesOwner after = BuildTables(more);
  const KbTables view = after.View();
  const WordKnowledge oom = UnpackWord(view, view.words[0]);
  REQUIRE(oom.causes.size() == 1);
  CHECK(oom.causes[0].first == "host.oom");
  CHECK(oom.causes[0].second == Approx(3.06));
}

}  // namespace
}  // namespace ncclwhy
