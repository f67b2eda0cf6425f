// JobAnalysis: the one way from the bytes of a job's logs to what is asked of them.
//
//   sources ── Read ──> digests ──> Report     what broke, where, why
//                              ├──> findings   what rules say, for their authors
//                              └──> profile    what is compared with another run
//
// Not thread-safe; it runs threads of its own while it reads files. May throw when memory runs out: the functions of
// the library that use it let nothing out (no_throw.h).
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/job_profile.h"
#include "analyze/timeline.h"
#include "api/knowledge.h"
#include "job/separate_jobs.h"
#include "ncclwhy/analyzer.h"
#include "read/digest.h"
#include "read/source.h"

namespace ncclwhy {

class JobAnalysis {
  // The calls come in this order: sources, Read or ReadIntoDigest, then any question.
 public:
  // Both are borrowed. Of `options` it reads all but the directories, which are in `knowledge`.
  JobAnalysis(const Knowledge& knowledge, const AnalyzerOptions& options) : knowledge_(knowledge), options_(options) {}

  // Sources, as in ncclwhy/analyzer.h.
  // Expanded at once; a file under two spellings is read once.
  void AddArguments(const std::vector<std::string>& arguments);
  // kInvalidArgument for calls out of order, as of the three below.
  Status Begin(std::string_view name);
  Status Push(std::string_view bytes);
  Status EndSource();
  // Into the source of that name, which the first call makes; Read ends it.
  Status Append(std::string_view name, std::string_view bytes);

  void AddProblem(std::string sentence) { problems_.push_back(std::move(sentence)); }

  // Reads what was added. Once, before all that follows.
  // May take as long as the logs are large, and uses the threads that the options allow. What cannot be read is a
  // problem and no failure.
  void Read();
  // Instead: what was added, as a file of digests (read/node_digest.h). `prefix`, unless it is empty, and a slash come
  // before every name.
  Result<std::string> ReadIntoDigest(const std::string& prefix);
  // In the order of OrderByName (read/digest.h).
  const std::vector<SourceDigest>& digests() const { return digests_; }
  // Inputs that could not be read, a sentence each.
  const std::vector<std::string>& problems() const { return problems_; }

  // Behind Read; any number of times, as are the findings.
  JobProfile Profile() const;
  // Fails where a query of a rule does.
  Result<std::vector<Finding>> Findings() const;
  // Uses up the problems. Of several jobs in one place (job/separate_jobs.h) each is analysed by itself; the report is
  // that of the worst, or of the one that the options name.
  Result<Report> MakeReport();

 private:
  // All sources: those that were pushed, and those that were named.
  void ReadDigests();
  // What a builder made, with its problems.
  void Take(DigestBuilder& builder);
  // Each once, in alphabetical order: whichever thread met them.
  void SortProblems();
  // The report on one job. A database that cannot be opened is a problem of it.
  Result<Report> ReportOf(const JobModel& model, const std::vector<SourceDigest>& digests, const std::string& database,
                          std::vector<std::string> problems);
  // On the worst of several jobs, or the one that was asked for.
  Result<Report> ReportOfSeveral(const JobModel& model, const std::vector<JobPart>& parts,
                                 const std::vector<JobPart>& attempts);
  // On one job, with its attempts; `files`: each has files of its own, and the last one is the job.
  Result<Report> ReportOfAttempts(const JobModel& model, const std::vector<JobPart>& attempts, bool files);
  // On the lines of a part alone, as if there were no others.
  Result<Report> ReportOfPart(const JobPart& part, const std::string& database);
  // For bytes that the caller has.
  std::unique_ptr<DigestBuilder> NewSource(std::string_view name) const;
  ParserOptions Parsing() const;

  const Knowledge& knowledge_;
  const AnalyzerOptions& options_;
  // A link and what it points at are one file, and so is a file in a directory that is named as well.
  std::set<std::string> named_;  // files, by identity
  std::vector<SourceSpec> specs_;
  std::unique_ptr<DigestBuilder> begun_;
  std::map<std::string, std::unique_ptr<DigestBuilder>, std::less<>> growing_;
  std::vector<SourceDigest> digests_;
  std::vector<std::string> problems_;
  std::unique_ptr<Timeline> timeline_;  // in memory, of one job after the other
};

}  // namespace ncclwhy
