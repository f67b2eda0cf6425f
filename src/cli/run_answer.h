// RunAnswer: what is said of a command that failed or stands still: its logs are read, the report is written beside
// them.
#pragma once

#include <string>

#include "cli/run_folder.h"
#include "collect/collection.h"
#include "ncclwhy/analyzer.h"
#include "ncclwhy/status.h"

namespace ncclwhy {

// What the wrapper tells of a run, as text and for programs.
struct RunAnswer {
  std::string text;       // the short answer, ended; one line when somebody ended it and nothing else is the matter
  bool sure = false;      // a cause is named, a line shows it, and it is more than likely
  std::string reason;     // the same in one line, without its end, colour or codes
  std::string unwritten;  // why there is no report, or only a part of it; empty: it is there
};

// What an answer is made with; the folder tells where the logs are.
struct RunAnswerOptions {
  AnalyzerOptions analyzer;
  ReportFormat format;
  CollectionOptions collection;
  std::string unlogged;  // what is read beside the logs: no disk would take it
};

// Asks the host, reads the logs of the folder and writes report.txt and report.json.
Result<RunAnswer> AnswerRun(const RunFolder& folder, const RunAnswerOptions& options);

// Adds a line to what the wrapper itself saw of the command. False: it could not be written.
bool NoteOfRun(const RunFolder& folder, const std::string& line);

}  // namespace ncclwhy
