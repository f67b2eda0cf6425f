#include "store/incident_index.h"

#include <sqlite3.h>

#include <random>
#include <string>

#include "catch.h"
#include "store/incident_image.h"
#include "store/incident_words.h"

namespace ncclwhy {
namespace {

using Words = std::vector<std::string>;

const std::string kData = NCCLWHY_SOURCE_DIR "/tests/unit/kb/data/good";

std::string IdOf(const KnowledgeBase& kb, const std::vector<IncidentMatch>& found) {
  return found.empty() ? "" : kb.Incident(found.front().incident, Language::kEnglish).id;
}

TEST_CASE("words of lines: of the skeleton, without placeholders") {
  CHECK(IncidentWords("Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 40") ==
        IncidentWords("Duplicate GPU detected : rank <n> and rank <rank> both on CUDA device <bus id>"));
  CHECK(IncidentWords("Call to ibv_modify_qp failed with 110 0x7f00") ==
        Words{"call", "to", "ibv_modify_qp", "failed", "with"});
  CHECK(IncidentWords("a <path>/libtorch_cuda.so: a < b > c <0>") == Words{"libtorch_cuda", "so"});
  CHECK(IncidentWords("\xE5\x85\xB1\xE4\xBA\xAB memory").size() == 1);
  CHECK(IncidentWords("").empty());
  CHECK(IncidentWords("<<<>>> ''\"\" -- 12 0x 0x1f").empty());
  std::string many;
  for (int i = 0; i < 1000; ++i)
    many += "w" + std::string(1, static_cast<char>('a' + i % 26)) + std::to_string(i) + " ";
  CHECK(IncidentWords(many).size() == kIncidentWords);
  CHECK(IncidentWords(std::string(100'000, 'a')).empty());
}

TEST_CASE("an incident is found by its line, whatever its numbers are") {
  const auto kb = KnowledgeBase::Load({kData});
  REQUIRE(kb.ok());
  const IncidentIndex index(*kb.value());
  CHECK(IdOf(*kb.value(), index.Find({"SITE/Plugin: link 7 of node3 is tired"}, {})) == "site-tool-7");
  CHECK(IdOf(*kb.value(), index.Find({"something else", "SITE/Plugin: link 8 of x is tired"}, {})) == "site-tool-7");
  CHECK(IdOf(*kb.value(), index.Find({"SITE/Plugin: link 7 of node3 is tired"}, {"site.local-rule"})) == "site-tool-7");
  CHECK(index.Find({"SITE/Plugin: link 7 of node3 is tired"}, {"shm.too-small"}).empty());
  CHECK(index.Find({"link of something"}, {}).empty());                    // too little of the line
  CHECK(index.Find({"SITE/Plugin: is", "link of", "tired"}, {}).empty());  // in one line, or it is not that line
  CHECK(index.Find({}, {}).empty());
}

TEST_CASE("what is embedded is found, and its most telling line is known") {
  const KnowledgeBase& kb = KnowledgeBase::Embedded();
  const IncidentIndex& index = IncidentIndex::Embedded();
  REQUIRE_FALSE(EmbeddedIncidentImage().empty());
  size_t asked = 0;
  size_t found = 0;
  for (size_t i = 0; i < kb.IncidentCount(); ++i) {
    const IncidentKnowledge incident = kb.Incident(i, Language::kEnglish);
    INFO(incident.id);
    if (IncidentWords(incident.looked_like.front()).size() < 4) continue;
    ++asked;
    for (const IncidentMatch& match : index.Find(incident.looked_like, {incident.cause})) {
      if (match.incident == i && match.first > 0 && match.best >= match.first) ++found;
    }
  }
  CHECK(asked > 0);
  CHECK(found * 100 >= asked * 95);  // the others are crowded out by many that say the same
}

TEST_CASE("the same incidents make the same bytes") {
  const auto image = BuildIncidentImage(KnowledgeBase::Embedded());
  REQUIRE(image.ok());
  CHECK(image.value() == EmbeddedIncidentImage());
}

TEST_CASE("nothing of a log is syntax of FTS5") {
  const auto kb = KnowledgeBase::Load({kData});
  REQUIRE(kb.ok());
  const IncidentIndex index(*kb.value());
  const std::string line = "SITE/Plugin: link 7 of node3 is tired";
  const char* const attacks[] = {"\"",
                                 "'",
                                 "*",
                                 "^",
                                 "words:",
                                 "cause : x",
                                 "NEAR(link tired, 2)",
                                 "AND",
                                 "OR",
                                 "NOT",
                                 "link OR",
                                 "(",
                                 ")",
                                 "{words cause}",
                                 "-",
                                 "+",
                                 "\"link\" AND",
                                 "--",
                                 ";",
                                 "%00",
                                 "') DROP TABLE line; --",
                                 "\x01\x02",
                                 "\xff\xfe",
                                 "link\" OR \"tired",
                                 "<",
                                 "<n",
                                 ">"};
  for (const char* attack : attacks) {
    INFO(attack);
    CHECK(IdOf(*kb.value(), index.Find({attack, line}, {})) == "site-tool-7");
    CHECK(IdOf(*kb.value(), index.Find({line + " " + attack}, {})) == "site-tool-7");
    CHECK(IdOf(*kb.value(), index.Find({std::string(attack) + " " + line}, {"site.local-rule"})) == "site-tool-7");
    CHECK(index.Find({attack}, {}).empty());
    CHECK(index.Find({line}, {attack}).empty());
  }
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> lines(random() % 40);
    for (std::string& text : lines) {
      for (size_t n = random() % 600; n > 0; --n) text += static_cast<char>(random() % 256);
    }
    lines.insert(lines.begin(), line);
    CHECK_FALSE(index.Find(lines, {}).empty());
  }
}

}  // namespace
}  // namespace ncclwhy
