// ncclwhy explain: what is known about a cause, a variable, a code or a message, without any log.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/explanation.h"
#include "cli/output.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"
#include "report/phrases.h"

namespace ncclwhy {
namespace {

constexpr std::string_view kHelp = R"help(Usage: ncclwhy explain [OPTIONS] [ID|VARIABLE|"MESSAGE"|"TABLE CODE"]
What a cause, an NCCL variable, a code or a message means. Without an argument:
all causes, one line each.
  --lang L      en (default) or zh
  --kb DIR, --rules DIR   add or override knowledge, rules
  --color WHEN  auto (default), always, never
Exit status: 0 explained; 2 nothing is known about it.
Examples: ncclwhy explain shm.too-small
          ncclwhy explain NCCL_IB_GID_INDEX
          ncclwhy explain "xid 79"
          ncclwhy explain "Call to connect returned Connection refused"
)help";

class ExplainCommand : public Subcommand {
 public:
  std::string_view name() const override { return "explain"; }
  std::string_view help() const override { return kHelp; }

  void AddOptions(CLI::App* app) override {
    app->add_option("WHAT", words_);
    app->add_option("--lang", language_)->check(CLI::IsMember({"en", "zh"}));
    app->add_option("--kb", kb_directories_)->allow_extra_args(false);
    app->add_option("--rules", rule_directories_)->allow_extra_args(false);
    app->add_option("--color", color_)->check(CLI::IsMember({"auto", "always", "never"}));
  }

  int Run() override {
    RenderOptions options;
    options.language = language_ == "zh" ? Language::kChinese : Language::kEnglish;
    options.width = TerminalWidth(STDOUT_FILENO);
    options.color = UseColor(color_, STDOUT_FILENO);

    std::unique_ptr<KnowledgeBase> own_kb;
    const KnowledgeBase* kb = nullptr;
    if (kb_directories_.empty()) {
      kb = &KnowledgeBase::Embedded();
    } else {
      Result<std::unique_ptr<KnowledgeBase>> loaded = KnowledgeBase::Load(kb_directories_);
      if (!loaded.ok()) {
        Complain(loaded.status().message());
        return kExitTrouble;
      }
      own_kb = loaded.take();
      kb = own_kb.get();
    }
    const std::string text = Explain(*kb, options);
    if (text.empty()) return Unknown(*kb, options);
    return WriteStandardOutput(text) == Written::kFailed ? kExitTrouble : 0;
  }

 private:
  // A message that was not quoted comes as several arguments.
  std::string What() const {
    std::string what;
    for (const std::string& word : words_) what += (what.empty() ? "" : " ") + word;
    return what;
  }

  std::string Explain(const KnowledgeBase& kb, const RenderOptions& options) const {
    const std::string what = What();
    if (what.empty()) return ListCauses(kb, options);
    std::string text = ExplainCause(what, kb, options);
    if (text.empty()) text = ExplainVariable(what.substr(0, what.find('=')), kb, options);
    if (text.empty()) text = ExplainCode(what, kb, options);
    if (!text.empty()) return text;
    if (rule_directories_.empty()) return ExplainMessage(what, kb, RuleSet::Embedded(), options);
    std::vector<Diagnostic> diagnostics;
    const std::unique_ptr<RuleSet> rules = RuleSet::Load(rule_directories_, &diagnostics);
    return rules ? ExplainMessage(what, kb, *rules, options) : std::string();
  }

  int Unknown(const KnowledgeBase& kb, const RenderOptions& options) const {
    std::string sentence = Filled(WordsOf(options.language).unknown_name, What());
    const std::string like = CausesLike(What(), kb);
    if (!like.empty()) sentence += "; " + like;
    Complain(sentence);
    return kExitTrouble;
  }

  std::vector<std::string> words_;
  std::vector<std::string> kb_directories_;
  std::vector<std::string> rule_directories_;
  std::string language_ = "en";
  std::string color_ = "auto";
};

}  // namespace

std::unique_ptr<Subcommand> NewExplainCommand() { return std::make_unique<ExplainCommand>(); }

}  // namespace ncclwhy
