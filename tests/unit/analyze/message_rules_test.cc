#include "analyze/message_rules.h"

#include <set>
#include <string>

#include "catch.h"
#include "rules/engine/lint.h"

namespace ncclwhy {
namespace {

TEST_CASE("every message that speaks for a cause is a rule without complaints", "[analyze]") {
  const KnowledgeBase& kb = KnowledgeBase::Embedded();
  CauseSet causes;
  for (const std::string& id : kb.CauseIds()) causes.insert(id);
  LintOptions options;
  options.causes = &causes;
  options.logs = false;
  std::set<std::string> ids;
  size_t speaking = 0;
  for (size_t i = 0; i < kb.MessageCount(); ++i) {
    const Rule rule = RuleOfMessage(kb, static_cast<int>(i));
    INFO(rule.id);
    CHECK(ids.insert(rule.id.str()).second);
    if (rule.causes.empty()) continue;
    ++speaking;
    std::vector<Diagnostic> diagnostics;
    LintRule(rule, RuleText(rule.file.str(), "{}"), options, &diagnostics);
    for (const Diagnostic& d : diagnostics) {
      INFO(d.code << " " << d.message);
      CHECK((d.level == Diagnostic::kWarning || d.code == "R031"));  // a format may have no text of its own
    }
  }
  CHECK(speaking > 2000);
}

TEST_CASE("the id of a message's rule is made of its words", "[analyze]") {
  MessageKnowledge m;
  m.level = "WARN";
  m.format = "Call to ibv_poll_cq() returned %d";
  CHECK(MessageRuleId(m).starts_with("message.call-to-ibv-poll-cq-returned-"));
  const std::string one = MessageRuleId(m);
  m.product = "RCCL";
  CHECK(MessageRuleId(m) != one);
  m.format = "%s";
  CHECK(MessageRuleId(m).starts_with("message."));
}

}  // namespace
}  // namespace ncclwhy
