// The words that rule.json uses for the enumerators of rule.h, and the names that templates may use.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/rule.h"

namespace ncclwhy {

// One table for both directions: reading (RuleReader::Word) and printing (WordOf).
template <typename T>
struct NamedValue {
  std::string_view name;
  T value;
};

inline constexpr std::array<NamedValue<Role>, 6> kRoleWords = {{{"root", Role::kRoot},
                                                                {"symptom", Role::kSymptom},
                                                                {"secondary", Role::kSecondary},
                                                                {"benign", Role::kBenign},
                                                                {"context", Role::kContext},
                                                                {"warning", Role::kWarning}}};
inline constexpr std::array<NamedValue<Scope>, 8> kScopeWords = {{{"line", Scope::kLine},
                                                                  {"traceback", Scope::kTraceback},
                                                                  {"process", Scope::kProcess},
                                                                  {"rank", Scope::kRank},
                                                                  {"communicator", Scope::kCommunicator},
                                                                  {"host", Scope::kHost},
                                                                  {"source", Scope::kSource},
                                                                  {"job", Scope::kJob}}};
inline constexpr std::array<NamedValue<Blame>, 6> kBlameWords = {{{"nobody", Blame::kNobody},
                                                                  {"self", Blame::kSelf},
                                                                  {"host", Blame::kHost},
                                                                  {"peer", Blame::kPeer},
                                                                  {"connection", Blame::kConnection},
                                                                  {"field", Blame::kField}}};
inline constexpr std::array<NamedValue<Life>, 10> kLifeWords = {{{"progress", Life::kProgress},
                                                                 {"waiting", Life::kWaiting},
                                                                 {"leaving", Life::kLeaving},
                                                                 {"ending", Life::kEnding},
                                                                 {"restart", Life::kRestart},
                                                                 {"launch", Life::kLaunch},
                                                                 {"saved", Life::kSaved},
                                                                 {"stumble", Life::kStumble},
                                                                 {"entering", Life::kEntering},
                                                                 {"preface", Life::kPreface}}};
inline constexpr std::array<NamedValue<Ending>, 7> kEndingWords = {{{"clean", Ending::kClean},
                                                                    {"exit", Ending::kExit},
                                                                    {"signal", Ending::kSignal},
                                                                    {"abort", Ending::kAbort},
                                                                    {"exception", Ending::kException},
                                                                    {"killed", Ending::kKilled},
                                                                    {"stopped", Ending::kStopped}}};
inline constexpr std::array<NamedValue<SignOf>, 3> kSignOfWords = {
    {{"self", SignOf::kSelf}, {"named", SignOf::kNamed}, {"job", SignOf::kJob}}};
// Of an enumeration whose names stand in their order.
template <typename T, size_t N>
constexpr std::array<NamedValue<T>, N> InOrder(const std::array<std::string_view, N>& names) {
  std::array<NamedValue<T>, N> words;
  for (size_t i = 0; i < N; ++i) words[i] = {names[i].empty() ? "NONE" : names[i], static_cast<T>(i)};
  return words;
}
// "NONE" is a line without an NCCL level.
inline constexpr auto kLevelWords = InOrder<LogLevel>(kLevelNames);
inline constexpr auto kDialectWords = InOrder<Dialect>(kDialectNames);

// The name of an enumerator, for messages and lists.
// Empty for a value that has no word (kNone).
template <typename T, size_t N>
constexpr std::string_view WordOf(const std::array<NamedValue<T>, N>& words, T value) {
  for (const auto& word : words) {
    if (word.value == value) return word.name;
  }
  return {};
}

// Names that a rule may give: kb/loader/template_names.def and parser/field_ids.def.
// A group or field with another name would never be printed.
bool IsTemplateName(std::string_view name);

// A name of parser/event_kinds.def.
bool IsEventKind(std::string_view name);

// What `needs` calls rows of views that come from no event: "connection", "connection:SHM" (transports that
// begin so), "difference:network" (a trait),
// "difference:variable", "doubtful_setting:never-read" (a problem), and what is odd about the ranks as a whole: a name
// of kNeedsOfJob.
inline constexpr std::string_view kNeedsConnections = "connection";
inline constexpr std::string_view kNeedsDifference = "difference:";
inline constexpr std::string_view kNeedsSetting = "doubtful_setting:";
// The ranks of a communicator: one of them is not seen or never ready, two are one, they were told different sizes,
// issued different numbers of calls or another call, share a GPU. Of processes: none belongs to a communicator, their
// versions, networks or variables differ, an address is that of two hosts, no communicator is told to be ready, one
// aborted; sends or receives of theirs were logged. Of what lines tell: adapters for RDMA, GPUDirect RDMA that is on,
// an answer of NCCL's RAS, two ranks of one host that are joined over the network.
inline constexpr std::string_view kNeedsOfJob[] = {
    "job:rank-unseen",       "job:rank-twice",     "job:sizes-differ",    "job:counts-differ",   "job:calls-differ",
    "job:gpu-shared",        "job:no-rank",        "job:versions-differ", "job:networks-differ", "job:variables-differ",
    "job:interfaces-differ", "job:address-shared", "job:rank-not-ready",  "job:never-ready",     "job:process-aborted",
    "job:process-silent",    "job:rdma-listed",    "job:gdr-enabled",     "job:ras-report",      "job:sends",
    "job:network-in-host"};
// Of one of `needs_each`, "socket_error|job:process-aborted": whether `is` is true of one of its alternatives.
template <typename Is>
bool AnyAlternative(std::string_view need, const Is& is) {
  for (size_t bar; (bar = need.find('|')) != std::string_view::npos; need.remove_prefix(bar + 1)) {
    if (is(need.substr(0, bar))) return true;
  }
  return is(need);
}
// The names are made by RowsThere (src/analyze), which looks at the job without a query.
bool IsViewNeed(std::string_view name);
// "event:No device found", "result_trace:init.cc:": an event, of a kind or of any, in whose text the rest stands.
inline constexpr std::string_view kNeedsEvent = "event";
bool IsTextNeed(std::string_view name);

// Of `fields`, whose texts are fixed but for captures: "rank {rank}" with rank 3 is "rank 3". Nothing where one of the
// names has no value: a field with a hole would be printed as it is. Values are put in as they are, once: braces in
// them are no names.
std::optional<std::string> WithValues(std::string_view text, const std::map<std::string, std::string>& values);

// Names in braces, in order, as often as they stand there; views of `text`.
std::vector<std::string_view> TemplateNames(std::string_view text);

}  // namespace ncclwhy
