#include "cli/common_options.h"

#include <CLI/CLI.hpp>

namespace ncclwhy {

void AddLanguageOption(CLI::App* app, Language* language) {
  // CLI11 could map names to values itself, but its help would then show numbers.
  const auto set = [language](const std::string& name) {
    *language = name == "zh" ? Language::kChinese : Language::kEnglish;
  };
  app->add_option_function<std::string>("--lang", set, "en (default) or zh")
      ->type_name("L")
      ->check(CLI::IsMember({"en", "zh"}));
}

void AddSeenOption(CLI::App* app, int* seen) {
  // 0 to 3, as the library takes it.
  app->add_option("--seen", *seen, "like cases, 0 to 3")->type_name("N")->check(CLI::Range(0, 3));
}

void AddJobsOption(CLI::App* app, int* jobs) {
  app->add_option("--jobs", *jobs, "threads")->type_name("N")->check(CLI::Range(1, kMostThreads));
}

void AddKbOption(CLI::App* app, std::vector<std::string>* directories) {
  // One directory for each time the option is given: what follows is a LOG.
  app->add_option("--kb", *directories, "more knowledge")->type_name("DIR")->allow_extra_args(false);
}

void AddKnowledgeOptions(CLI::App* app, AnalyzerOptions* options) {
  AddKbOption(app, &options->kb_directories);
  app->add_option("--rules", options->rule_directories, "more rules")->type_name("DIR")->allow_extra_args(false);
}

void AddColorOption(CLI::App* app, std::string* when) {
  app->add_option("--color", *when, "auto (default), always, never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

}  // namespace ncclwhy
