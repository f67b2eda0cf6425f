#include "hostile/own_rules.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.h"

namespace ncclwhy::hostile {

OwnRules::OwnRules(size_t count, const std::string& members) {
  std::string name = (std::filesystem::temp_directory_path() / "ncclwhy-hostile-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  root_ = name;
  for (size_t i = 0; i < count; ++i) {
    const std::string id = "rule-" + std::to_string(i);
    std::filesystem::create_directories(root_ + "/family/" + id);
    std::ofstream(root_ + "/family/" + id + "/rule.json")
        << R"({"schema": "ncclwhy.rule/1", "id": ")" << id << R"(", "role": "root", "title": {"en": "t", "zh": "t"}, )"
        << members << R"(, "causes": {"shm.too-small": 1.0}, "note": {"en": "n", "zh": "n"}})";
  }
  rules_ = RuleSet::LoadOnly(root_, &diagnostics_);
  REQUIRE(rules_ != nullptr);
}

OwnRules::~OwnRules() {
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
}

}  // namespace ncclwhy::hostile
