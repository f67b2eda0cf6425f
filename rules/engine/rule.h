// Rule: evidence → cause. Data (rules/catalog/**/rule.json); this is its form in memory. See rules/README.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/kept_text.h"
#include "base/version_range.h"
#include "job/life_sign.h"
#include "parser/event.h"

namespace ncclwhy {

// What a finding of the rule is for whoever ranks causes.
enum class Role : uint8_t {
  kRoot,       // names or proves a cause
  kSymptom,    // something failed; the cause stands elsewhere
  kSecondary,  // reports the failure of somebody else
  kBenign,     // looks alarming, is normal
  kContext,    // no failure; makes causes more or less likely
  kWarning,    // a setting or state worth telling even on a healthy run
};

// Where a condition looks.
enum class Scope : uint8_t {
  kLine,
  kTraceback,  // of the exception that the line is, or what stands right in front of it: "Exception in thread
               // Thread-3:"
  kProcess,
  kRank,
  kCommunicator,
  kHost,
  kSource,
  kJob
};

// Whom a finding points at.
// It chooses among what the finding knows; the analysis makes culprits of it (src/analyze).
enum class Blame : uint8_t {
  kNobody,      // the finding says nothing about who
  kSelf,        // the process that printed the line
  kHost,        // the host that printed it, not one rank
  kPeer,        // the peer named in the fields (peer, peer_rank, peer_host, address, local_rank)
  kConnection,  // the same, and the process that printed the line as the other end, if the peer's log goes on
  kField,       // rank/host columns or captures `culprit_rank`, `culprit_host`
};

// What a line tells of the life of a process or of the job. A rule can be evidence for a cause and such a sign at once.
//    {"life": "ending", "how": "signal", "of": "named"}
struct Sign {
  Life life = Life::kNone;
  Ending how = Ending::kNone;  // of an ending
  SignOf of = SignOf::kSelf;
  bool late = false;   // of an ending: it had happened before its line, as others may have noticed
  bool suite = false;  // of an ending: a verdict on all that its source says in front of it
};

// Evidence adds up as log-odds: 3 multiplies the odds of a cause by twenty, a negative one makes them smaller.
struct Weight {
  KeptText cause;
  double log_odds = 0;
};

// One line pattern. All that is given must hold.
struct LinePattern {
  std::vector<KeptText> literals;  // at least one must be a substring of the body: the fast filter
  KeptText regex;  // RE2 with named groups, searched (not anchored) in the body; empty = literal is enough
  std::vector<LogLevel> levels;   // empty = any
  std::vector<Dialect> dialects;  // empty = any
  KeptText file;                  // suffix of the NCCL file without directory, e.g. "socket.cc"; empty = any

  bool operator==(const LinePattern&) const = default;
};

// Another line, and where it must or must not stand: "near", "unless" or "boost".
//    "unless": [{"literal": "Read-only file system", "scope": "host", "within": 20, "order": "before"}]
struct Condition {
  LinePattern pattern;
  Scope scope = Scope::kProcess;
  uint32_t within = 0;  // lines before or after in the same source; 0 = anywhere in scope
  bool before_only = false;
  bool after_only = false;
  std::vector<Weight> causes;  // boosts only: what the condition adds when it holds
};

// What to collect next, in the words of the rule: for warnings and where nothing is decided.
struct CollectStep {
  KeptText what_en, what_zh;
  KeptText command;
};

// Pattern rules have `patterns`, query rules `query`; a rule is one of the two. Members that a rule.json does not give
// keep what stands here. rule_fields.h has to name each. Its texts are constants of the program, or its own where a
// file was read (base/kept_text.h).
struct Rule {
  // The folder's name; unique over all rules.
  KeptText id;
  // The folder above: "ib", "ending". Nothing depends on it.
  KeptText family;
  KeptText file;  // where it was loaded from, for messages
  Role role = Role::kRoot;
  std::vector<LinePattern> patterns;  // any of them fires the rule
  KeptText query;                     // query rules: one SELECT over the public views; then patterns is empty
  uint32_t min_processes = 0;         // query rules: not asked when the logs show fewer processes
  std::vector<KeptText> needs;  // query rules: event kinds and globs of rules; not asked when there is none of them
  std::vector<KeptText> needs_each;  // nor when one of these is not there; "a|b" is there when either is
  uint32_t min_needs = 1;            // nor when there are fewer of them, events and findings together
  VersionRange nccl;
  bool needs_version = false;  // true: an unknown version does not match a limited range
  // May be empty: a rule that only tells something, or of which the query gives the weights.
  std::vector<Weight> causes;
  std::vector<Condition> near;     // all must hold
  std::vector<Condition> unless;   // none may hold
  std::vector<Condition> boost;    // add weights when they hold
  std::vector<KeptText> explains;  // ids or globs of rules whose findings are consequences of this one
  Blame blame = Blame::kSelf;
  Sign sign;
  bool says_why = false;     // its line has the program's words for why it broke, which the rule does not read
  bool last_resort = false;  // counts only where nothing of NCCL was read and no other rule knows what failed
  // Warnings.
  bool healthy_only = false;          // said when nothing failed, else left out
  bool between_hosts = false;         // of a network, so left out where the job stands on one host
  bool open_end_only = false;         // and only when the job has not told a good end
  bool degrades = false;              // better was there or asked for: where nothing failed, its causes are the answer
  bool contradicts = false;           // two witnesses cannot both be right: told beside a named cause
  std::vector<KeptText> covered_by;   // causes that say the same when they are named
  std::vector<CollectStep> collect;   // what to collect next
  KeptText headline_en, headline_zh;  // the answer in a sentence where nothing failed; may be empty
  // What repairs it where this rule speaks for a cause: becomes the first fix of that cause.
  KeptText fixed_in;                     // version of the product that has the repair; may be empty
  KeptText fix_en, fix_zh, fix_command;  // templates
  // Told in the place of what the cause says where this rule speaks most for it: sentence, fixes and what to confirm,
  // as the text of a JSON object with members of a cause (DecodeCause); empty: nothing of its own.
  KeptText tells;
  bool recurs = false;              // what it shows comes back on an identical run
  KeptText title_en, title_zh;      // one line: what was seen
  KeptText note_en, note_zh;        // printed beside the evidence line; templates as in kb/README.md
  KeptText follows_en, follows_zh;  // why its line is no cause where another one is named; may be empty
  std::vector<std::pair<KeptText, KeptText>> fields;  // template name -> fixed value or {capture}
  std::vector<KeptText> references;
};

}  // namespace ncclwhy
