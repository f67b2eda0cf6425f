// Options that several subcommands share, each defined once.
#pragma once

#include <string>
#include <vector>

#include "ncclwhy/analyzer.h"

namespace CLI {
class App;
}

namespace ncclwhy {

// Each adds one option whose value goes to the pointer, which must live as long as the app.
// --lang
void AddLanguageOption(CLI::App* app, Language* language);
// --seen
void AddSeenOption(CLI::App* app, int* seen);
// --jobs
void AddJobsOption(CLI::App* app, int* jobs);
// --kb
void AddKbOption(CLI::App* app, std::vector<std::string>* directories);
// --kb and --rules
void AddKnowledgeOptions(CLI::App* app, AnalyzerOptions* options);
// --color; see UseColor in terminal.h
void AddColorOption(CLI::App* app, std::string* when);

}  // namespace ncclwhy
