// FakeJob: a job of hand-written lines and processes, so that rules are tested without the parser and the job model's
// own inference. TempDirectory: rules on disk that vanish with the test.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "job/job_model.h"
#include "parser/facts.h"
#include "parser/parsed_line.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {

class TempDirectory {
 public:
  TempDirectory() {
    static int counter = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("ncclwhy-rules-" + std::to_string(reinterpret_cast<uintptr_t>(this)) + "-" + std::to_string(++counter));
    std::filesystem::create_directories(path_);
  }
  ~TempDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  std::string path() const { return path_.generic_string(); }
  void Write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
  }

 private:
  std::filesystem::path path_;
};

// One rule as text → a rule set. The id is the folder's name, so it is taken from the text by the caller.
inline std::unique_ptr<RuleSet> RulesOf(const std::vector<std::pair<std::string, std::string>>& rules,
                                        std::vector<Diagnostic>* diagnostics = nullptr) {
  const TempDirectory directory;
  for (const auto& [id, members] : rules) {
    directory.Write("fam/" + id + "/rule.json",
                    R"({"schema":"ncclwhy.rule/1","id":")" + id + R"(","title":{"en":"t","zh":"t"},)" + members + "}");
  }
  return RuleSet::LoadOnly(directory.path(), diagnostics);
}

struct FakeLine {
  std::string_view body = {};
  uint32_t process = kNoProcess;
  LogLevel level = LogLevel::kWarn;
  std::string_view file = {};
  Dialect dialect = Dialect::kNccl;
  int32_t launcher_rank = -1;
};

class FakeJob {
 public:
  explicit FakeJob(const RuleSet& rules) : rules_(rules) {}

  uint32_t AddProcess(std::string_view host, int64_t pid, int32_t rank, std::string_view version = {}) {
    Process process;
    process.id = ProcessId{static_cast<uint32_t>(model_.processes.size())};
    process.host = host;
    process.pid = pid;
    process.rank = rank;
    process.nccl_version = version;
    model_.processes.push_back(process);
    return process.id.value;
  }
  // A communicator of these processes, by rank.
  void AddCommunicator(const std::vector<uint32_t>& processes) {
    Communicator communicator;
    communicator.id = CommId{static_cast<uint32_t>(model_.communicators.size())};
    communicator.nranks = static_cast<int64_t>(processes.size());
    for (size_t i = 0; i < processes.size(); ++i) {
      Rank rank;
      rank.rank = static_cast<int32_t>(i);
      rank.process = ProcessId{processes[i]};
      communicator.ranks.push_back(rank);
    }
    if (!model_.largest.valid()) model_.largest = communicator.id;
    model_.communicators.push_back(std::move(communicator));
  }
  // Process numbers of lines are those of AddProcess.
  void AddSource(const std::string& name, const std::vector<FakeLine>& lines) {
    SourceFacts& facts = facts_.emplace_back();
    facts.name = name;
    auto matcher = rules_.NewMatcher();
    uint32_t number = 0;
    for (const FakeLine& fake : lines) {
      ParsedLine line;
      line.number = ++number;
      line.offset = number * 100;
      line.raw = line.text = line.body = fake.body;
      line.header.level = fake.level;
      line.header.file = fake.file;
      line.dialect = fake.dialect;
      line.outer.rank = fake.launcher_rank;
      matcher->OnLine(line, fake.process, -1, facts);
    }
    hits_.push_back(matcher->Take());
  }

  const SourceFacts& facts(size_t source) const { return facts_[source]; }
  const SourceHits& hits(size_t source) const { return hits_[source]; }

  std::vector<Finding> Resolve(const QueryRunner& query = {}, std::vector<std::string>* problems = nullptr,
                               const FindingSink& publish = {}) {
    model_.sources.clear();
    model_.process_of.clear();
    std::vector<const SourceHits*> hits;
    for (size_t i = 0; i < facts_.size(); ++i) {
      model_.sources.push_back(&facts_[i]);
      hits.push_back(&hits_[i]);
      std::vector<ProcessId>& processes = model_.process_of.emplace_back();
      for (const Process& process : model_.processes) processes.push_back(process.id);
    }
    model_.only_process_of.assign(facts_.size(), ProcessId());
    model_.launcher_of.assign(facts_.size(), {});
    return rules_.Resolve(model_, KnowledgeBase::Embedded(), hits, query, publish, problems);
  }
  JobModel& model() { return model_; }

 private:
  const RuleSet& rules_;
  JobModel model_;
  std::deque<SourceFacts> facts_;
  std::deque<SourceHits> hits_;
};

}  // namespace ncclwhy
