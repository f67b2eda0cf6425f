// Analyzer: logs in, Report out. The whole program behind the command `ncclwhy LOG…`.
//
//   ncclwhy::AnalyzerOptions options;
//   auto analyzer = ncclwhy::Analyzer::Create(options);
//   if (!analyzer.ok()) …;
//   analyzer.value()->AddArguments({"logs/"});                    // files, directories, archives, globs, "-"
//   analyzer.value()->Begin("rank0");                             // or bytes from anywhere
//   analyzer.value()->Push(chunk);
//   analyzer.value()->EndSource();
//   ncclwhy::Result<ncclwhy::Report> report = analyzer.value()->Finish();
//   std::cout << ncclwhy::RenderReport(report.value(), "text", {});
//
// Thread safety: an Analyzer is used by one thread at a time (it runs threads of its own while it reads files);
// different analyzers are independent. The report does not depend on the number of threads, on the order in which
// sources were added, or on how bytes were cut into chunks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ncclwhy/exit_status.h"
#include "ncclwhy/export.h"
#include "ncclwhy/language.h"
#include "ncclwhy/report.h"
#include "ncclwhy/status.h"

namespace ncclwhy {

// How far reading has come.
struct Progress {
  uint64_t bytes = 0;  // read so far, after decompression
  size_t sources = 0;  // files read to their end
  size_t total = 0;    // files to read
};

// Beyond any machine's, and below what a process may start.
inline constexpr int kMostThreads = 1024;

struct AnalyzerOptions {
  Language language = Language::kEnglish;  // of the texts in the report
  int top = 3;                             // causes in the report, at least 1
  int seen = 3;                            // public incidents in the report that look like this failure, 0 to 3
  int jobs = 0;                            // threads that read files, at most kMostThreads; 0: one a processor
  int job = 0;  // of several jobs in one place the one to report on, as Report::jobs counts them from 1; 0: the worst
  int attempt = 0;  // the same for attempts at one job, in the order of Report::attempts; 0: the job as a whole
  std::vector<std::string> kb_directories;    // knowledge that adds to or overrides the embedded one
  std::vector<std::string> rule_directories;  // the same for rules
  std::string database;        // the timeline is written to this SQLite file; empty: it is kept in memory
  bool full_timeline = false;  // every collective of the COLL log becomes an event of the timeline
  bool redact = false;         // hosts, addresses, names, paths and tokens become aliases; not together with `database`
  // Called from reading threads, never by two at a time; may be empty. Must not throw.
  std::function<void(const Progress&)> progress;
};

class NCCLWHY_EXPORT Analyzer {
 public:
  // Fails when the options contradict each other, or the knowledge or the rules of a directory cannot be used.
  static Result<std::unique_ptr<Analyzer>> Create(AnalyzerOptions options);
  ~Analyzer();
  Analyzer(const Analyzer&) = delete;
  Analyzer& operator=(const Analyzer&) = delete;

  // Files, directories (recursive), globs, archives, `-` for standard input; read by Finish. What does not exist
  // becomes a problem of the report. A path that is named twice is read once. Fails behind Finish.
  Status AddArguments(const std::vector<std::string>& arguments);
  // AddArguments of one: it is expanded as there.
  Status AddFile(const std::string& path);

  // A source whose bytes the caller has. One at a time: Begin, Push any number of times, EndSource. `name` is what the
  // report prints; a name that is used already gets " (2)" behind it.
  Status Begin(std::string_view name);
  // Any number of bytes, cut anywhere. Fails outside of Begin and EndSource, and behind Finish.
  Status Push(std::string_view bytes);
  Status EndSource();

  // Bytes of a source that grows together with others, such as the log of one rank of a running job: `name` tells them
  // apart, the first call opens it, Finish ends it. Not for a name that Begin gets, too.
  Status Append(std::string_view name, std::string_view bytes);

  // What the caller could not read of a source, in a sentence: as if it had been met in Finish.
  Status AddProblem(std::string sentence);

  // Reads what was added and analyses all of it. Sources that cannot be read become problems of the report, and so does
  // a database that cannot be written. Of several jobs each is analysed by itself: Report::jobs. Fails when there is no
  // job or attempt of the number asked for. Called once.
  Result<Report> Finish();

 private:
  class NCCLWHY_HIDDEN Impl;
  explicit Analyzer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct ReportFormat {
  Language language = Language::kEnglish;  // of labels; the report's texts are in the analyzer's language
  int width = 0;                           // columns of a terminal; 0: none
  bool color = false;
  // A URI for a line of a source, for terminals that follow links; empty: none. Not with redacted reports.
  std::function<std::string(const std::string& source, uint64_t line)> link = {};
  // What made the report, for the foot of a page: "ncclwhy --format html logs/". Not with redacted reports.
  std::string command = {};
};

// `format`: text (the short answer), full (all of it), json, markdown, html and what else `ncclwhy --help` lists. Fails
// for any other name.
NCCLWHY_EXPORT Result<std::string> RenderReport(const Report& report, std::string_view format,
                                                const ReportFormat& options);

}  // namespace ncclwhy
