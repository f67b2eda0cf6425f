// A timeline in memory reads events from the model, one in a file has them as rows: no query may tell the difference.
#include "store/event_table.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "catch.h"
#include "read/digest.h"
#include "store/store.h"

namespace ncclwhy {
namespace {

namespace fs = std::filesystem;

std::string Answer(Timeline& timeline, const std::string& sql) {
  const Result<std::vector<QueryRow>> rows = timeline.Query(sql);
  if (!rows.ok()) return "error: " + rows.status().message();
  std::string out;
  for (const QueryRow& row : rows.value()) {
    for (const auto& [name, value] : row.columns) out += name + "=" + value + "|";
    out += '\n';
  }
  return out;
}

// The sources of a folder of samples, as a job.
struct Job {
  std::vector<SourceDigest> digests;
  JobModel model;

  explicit Job(const fs::path& folder) {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".log") paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
      std::ifstream file(path, std::ios::binary);
      DigestBuilder builder(path.filename().string(), RuleSet::Embedded(), KnowledgeBase::Embedded());
      builder.Push(std::string{std::istreambuf_iterator<char>(file), {}});
      digests.push_back(builder.Finish());
    }
    std::vector<const SourceFacts*> facts;
    for (const SourceDigest& digest : digests) facts.push_back(&digest.facts);
    model = BuildJobModel(facts);
  }
};

TEST_CASE("events read from the model answer every query as rows in a file do", "[store]") {
  std::vector<std::string> queries = {
      "SELECT * FROM event ORDER BY id",
      "SELECT * FROM event WHERE id = 3",
      "SELECT id FROM event WHERE process = 1 ORDER BY id",
      "SELECT id FROM event WHERE process = 1.5",
      "SELECT id FROM event WHERE process = '1'",
      "SELECT id FROM event WHERE process = -1",
      "SELECT id FROM event WHERE process = 4294967296",
      "SELECT id FROM event WHERE process = 9223372036854775807",
      "SELECT id FROM event WHERE process = 1e300",
      "SELECT id FROM event WHERE process IS NULL ORDER BY id",
      "SELECT id FROM event WHERE kind = 'comm_init_start' ORDER BY id",
      "SELECT id FROM event WHERE kind = 'COMM_INIT_START'",
      "SELECT id FROM event WHERE kind = 1",
      "SELECT id FROM event WHERE kind IN ('comm_init_start', 'warning', 'nothing') ORDER BY id",
      "SELECT id FROM event WHERE kind = 'comm_init_start' AND process = 0 ORDER BY id",
      "SELECT kind, count(*), min(line), max(line) FROM event GROUP BY kind",
      "SELECT count(*) FROM event WHERE message LIKE '%NET%'",
      "SELECT e.id FROM event e JOIN process p ON p.id = e.process WHERE p.host LIKE 'n%' ORDER BY e.id",
  };
  for (const Rule& rule : RuleSet::Embedded().rules()) {
    if (!rule.query.empty()) queries.push_back(rule.query.str());
  }
  REQUIRE(queries.size() > 40);
  size_t answers = 0;
  for (const auto& entry : fs::directory_iterator(NCCLWHY_SOURCE_DIR "/samples/incidents")) {
    if (!entry.is_directory()) continue;
    const Job job(entry.path());
    const std::unique_ptr<Timeline> from_model = OpenTimeline("").take();
    const std::unique_ptr<Timeline> rows = OpenTimeline(":memory:").take();
    REQUIRE(from_model->Load(job.model).ok());
    REQUIRE(rows->Load(job.model).ok());
    for (const std::string& query : queries) {
      INFO(entry.path() << "\n" << query);
      const std::string answer = Answer(*from_model, query);
      CHECK(answer == Answer(*rows, query));
      answers += answer.empty() ? 0 : 1;
    }
  }
  CHECK(answers > 100);
}

}  // namespace
}  // namespace ncclwhy
