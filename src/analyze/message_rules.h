// What the catalogue of messages (kb/messages) says about causes, in the form of rules: with ids, listed by `rules
// list`, checked by the same lint, overridden by a rule of the same id. They are made when one is asked for: there are
// thousands, and a log needs a few.
#pragma once

#include <string>

#include "kb/loader/kb.h"
#include "rules/engine/rule.h"

namespace ncclwhy {

// A catalogue entry speaks for every system that ever printed the line; a rule was written for this situation. So much
// of its log-odds counts.
inline constexpr double kCatalogueTrust = 0.75;

// "message.call-to-ibv-poll-cq-returned-5c1e": words of the format, and four digits of level, product and format. It
// stays as long as these do.
inline constexpr std::string_view kMessageRulePrefix = "message.";
std::string MessageRuleId(const MessageKnowledge& message);

Role RoleOf(MessageMeaning meaning);
std::vector<Weight> WeightsOf(const MessageKnowledge& message);

// The whole entry as a rule. Judgements for certain versions (`by_version`) are not in it.
Rule RuleOfMessage(const KnowledgeBase& kb, int message);

}  // namespace ncclwhy
