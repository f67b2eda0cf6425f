#include "kb/loader/kb_data.h"

#include <algorithm>
#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

const std::string kData = NCCLWHY_SOURCE_DIR "/tests/unit/kb/data/";

TEST_CASE("a knowledge directory is read", "[kb]") {
  KbData data;
  std::vector<std::string> complaints;
  REQUIRE(ReadKnowledge(kData + "good", &data, &complaints));
  CHECK(complaints.empty());
  CHECK(data.causes.size() == 2);
  CHECK(data.messages.size() == 2);
  CHECK(data.messages[0].format.level == MessageLevel::kWarn);
  CHECK(data.messages[0].product == "site-plugin");
  CHECK(data.variables.count("NCCL_SITE_KNOB") == 1);
  CHECK(data.never_read.count("NCCL_SITE_NOB") == 1);
  CHECK(data.incidents.count("site-tool-7") == 1);
  CHECK(data.DanglingCauses().empty());
}

TEST_CASE("every complaint names file and line", "[kb]") {
  KbData data;
  std::vector<std::string> complaints;
  REQUIRE(ReadKnowledge(kData + "bad", &data, &complaints));
  const std::vector<std::string> expected = {
      "causes/shm.json:2: shm.first: \"title\" has no \"zh\"",
      "causes/shm.json:2: shm.first: \"summary.en\": the name {hots} is not one of kb/README.md",
      "causes/shm.json:2: shm.first: fix 1: \"for\" is \"toaster\", which is not one of the values that are allowed",
      "causes/shm.json:2: shm.first: fix 1: \"needs\": the name {errno_txet} is not one of kb/README.md",
      "causes/shm.json:2: shm.first: unknown member \"surprise\"",
      "causes/shm.json:7: shm.second: \"references\" must be URLs",
      "messages/site.jsonl:1: \"meaning\" is \"sad\", which is not one of the values that are allowed",
      "messages/site.jsonl:2: is not JSON",
      "messages/site.jsonl:3: \"level\" is \"LOUD\", which is not one of the values that are allowed",
      "messages/site.jsonl:3: \"causes\" must be an object of cause ids and log-odds",
      "env.json:1: \"schema\" must be \"ncclwhy.env/1\"",
      "incidents/site.jsonl:3: site-tool-7: is there twice",
      "incidents/site.jsonl:4: \"url\" must begin with https://, in plain ASCII",
      "incidents/site.jsonl:4: \"products\" must be an object of versions",
      "incidents/site.jsonl:4: \"looked_like\" must be one to 4 lines",
      "incidents/site.jsonl:5: \"looked_like\" is more than one line",
      "incidents/site.jsonl:5: \"looked_like\" has more than 200 bytes",
      "incidents/site.jsonl:5: \"looked_like\" must be a list of texts",
      "incidents/site.jsonl:5: \"title\" has no \"zh\"",
      "incidents/site.jsonl:5: \"solved\" is missing",
      "incidents/site.jsonl:5: unknown member \"names\"",
      "incidents/site.jsonl:6: is not JSON",
  };
  for (const std::string& one : expected) {
    INFO(one);
    CHECK(std::find(complaints.begin(), complaints.end(), kData + "bad/" + one) != complaints.end());
  }
  const bool torn = std::any_of(complaints.begin(), complaints.end(), [](const std::string& text) {
    return text.find("causes/torn.json:3: is not JSON") != std::string::npos;
  });
  CHECK(torn);
  CHECK(complaints.size() == expected.size() + 1);
  CHECK(data.causes.empty());
  CHECK(data.messages.empty());
  CHECK(data.incidents.size() == 2);
}

TEST_CASE("a directory without knowledge is told apart", "[kb]") {
  KbData data;
  std::vector<std::string> complaints;
  CHECK_FALSE(ReadKnowledge(kData + "nothing-here", &data, &complaints));
  CHECK_FALSE(ReadKnowledge(kData, &data, &complaints));
  CHECK(complaints.empty());
}

TEST_CASE("dangling causes are found", "[kb]") {
  KbData data;
  std::vector<std::string> complaints;
  REQUIRE(ReadKnowledge(kData + "good", &data, &complaints));
  data.causes.erase("site.local-rule");
  REQUIRE(data.DanglingCauses().size() == 2);
  CHECK(data.DanglingCauses()[0] ==
        "message \"SITE/Plugin: link %d of %s is tired\" names the cause site.local-rule, which does not exist");
  CHECK(data.DanglingCauses()[1] == "incident site-tool-7 names the cause site.local-rule, which does not exist");
}

}  // namespace
}  // namespace ncclwhy
