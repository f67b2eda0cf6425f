#include "api/job_analysis.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "analyze/analyzer.h"
#include "read/node_digest.h"
#include "read/read_sources.h"
#include "read/rotated_files.h"
#include "read/unread_text.h"
#include "report/redact.h"
#include "store/store.h"

namespace ncclwhy {
namespace {

// The same file under two spellings is one file.
std::string Identity(const std::string& path) {
  std::error_code error;
  // A path that is not there keeps its name: the sentence on it names what the user typed.
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

}  // namespace

void JobAnalysis::AddArguments(const std::vector<std::string>& arguments) {
  for (SourceSpec& spec : ExpandSources(arguments, &problems_)) {
    if (named_.insert(Identity(spec.path)).second) specs_.push_back(std::move(spec));
  }
}

ParserOptions JobAnalysis::Parsing() const {
  ParserOptions out;
  out.keep_every_collective = options_.full_timeline;
  return out;
}

std::unique_ptr<DigestBuilder> JobAnalysis::NewSource(std::string_view name) const {
  return std::make_unique<DigestBuilder>(std::string(name), knowledge_.rules(), knowledge_.kb(), Parsing());
}

Status JobAnalysis::Begin(std::string_view name) {
  if (begun_) return Status::InvalidArgument("Begin: the source before this one was not ended");
  begun_ = NewSource(name);
  return {};
}

Status JobAnalysis::Push(std::string_view bytes) {
  if (!begun_) return Status::InvalidArgument("Push: no source was begun");
  begun_->Push(bytes);
  return {};
}

Status JobAnalysis::EndSource() {
  if (!begun_) return Status::InvalidArgument("EndSource: no source was begun");
  Take(*begun_);
  begun_.reset();
  return {};
}

Status JobAnalysis::Append(std::string_view name, std::string_view bytes) {
  auto it = growing_.find(name);
  if (it == growing_.end()) it = growing_.emplace(std::string(name), NewSource(name)).first;
  it->second->Push(bytes);
  return {};
}

void JobAnalysis::Take(DigestBuilder& builder) {
  std::vector<SourceDigest> read = builder.FinishAll(&problems_);
  std::move(read.begin(), read.end(), std::back_inserter(digests_));
}

void JobAnalysis::ReadDigests() {
  // A source that was not ended is ended here: what came of it counts.
  if (begun_) (void)EndSource();
  for (auto& [name, builder] : growing_) Take(*builder);
  growing_.clear();
  // Before they are read: parts of one log must be read as one, since lines and processes go on across the border.
  JoinRotated(&specs_);
  const ReadOptions reading{options_.jobs, Parsing(), options_.progress};
  std::vector<SourceDigest> read = ReadSources(specs_, knowledge_.rules(), knowledge_.kb(), reading, &problems_);
  std::move(read.begin(), read.end(), std::back_inserter(digests_));
  // Two sources of one name would be one row in every table.
  TellPartsApart(digests_, &problems_);
}

void JobAnalysis::Read() {
  ReadDigests();
  // What looks like a log but says nothing readable is a problem: a reader must know that it was not judged.
  TellUnreadTexts(digests_, &problems_);
  OrderByName(&digests_);
  SortProblems();
}

Result<std::string> JobAnalysis::ReadIntoDigest(const std::string& prefix) {
  ReadDigests();
  // node3 and /var/log/nccl.log: node3/var/log/nccl.log
  const auto put_before = [&prefix](std::string* name) {
    if (!prefix.empty()) *name = prefix + (name->starts_with('/') ? "" : "/") + *name;
  };
  for (SourceDigest& digest : digests_) {
    put_before(&digest.facts.name);
    for (SourcePart& part : digest.parts) put_before(&part.name);
  }
  // The sentence begins with the name of the file.
  for (std::string& problem : problems_) put_before(&problem);
  SortSources(&digests_);
  SortProblems();
  return WriteNodeDigest(digests_, problems_, knowledge_.rules(), knowledge_.kb(), options_.full_timeline);
}

// Two files of digests may tell of one source.
void JobAnalysis::SortProblems() {
  std::sort(problems_.begin(), problems_.end());
  problems_.erase(std::unique(problems_.begin(), problems_.end()), problems_.end());
}

JobProfile JobAnalysis::Profile() const { return ProfileOf(ModelOf(digests_), digests_, knowledge_.kb()); }

Result<std::vector<Finding>> JobAnalysis::Findings() const {
  Result<std::unique_ptr<Timeline>> timeline = OpenTimeline("");
  if (!timeline.ok()) return timeline.status();
  std::vector<std::string> problems;
  std::vector<Finding> findings = FindAll(digests_, knowledge_.rules(), knowledge_.kb(), *timeline.value(), &problems);
  // The rule's query failed: a defect of the rule, which its author wants to see.
  if (!problems.empty()) return Status::Corrupt(problems.front());
  return findings;
}

}  // namespace ncclwhy
