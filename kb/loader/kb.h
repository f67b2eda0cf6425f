// KnowledgeBase: what causes, variables, codes and messages mean. Embedded at build; `--kb DIR` adds or overrides.
// Immutable after Load; share it between threads. Nothing is parsed before it is asked for.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ncclwhy/language.h"
#include "ncclwhy/report.h"
#include "ncclwhy/status.h"
#include "parser/recognizer.h"

namespace ncclwhy {

// Values for the templates of kb/README.md.
using TemplateValues = std::map<std::string, std::string, std::less<>>;

// Replaces {name}, {name|fallback} and [[ … ]]: a section is left out where a name in it is not known and has no
// fallback. Unknown names without fallback become "?". What is put in is not looked at again, so a value that holds {x}
// stays what it is.
std::string ExpandTemplate(std::string_view text, const TemplateValues& values);
// Nothing where a name without a fallback, outside of [[ ]], is not known: a sentence with a hole tells less than none.
std::optional<std::string> ExpandWhole(std::string_view text, const TemplateValues& values);

// A sentence with what it asks of the job, as a fix does: of several the first that fits is told.
struct FittingText {
  std::vector<std::string> needs;
  std::string text;  // template
};

// A fix with what it asks of the job: words of the environment ("roce"), `{name}` of a value that must be known, a
// variable that must be set; `!` in front: must not.
struct FixKnowledge : Fix {
  std::vector<std::string> needs;
};

// What tells whether it is this cause, with what it asks of the job, as a fix does.
struct ConfirmKnowledge : Confirm {
  std::string environment;  // "any" where the entry says nothing
  std::vector<std::string> needs;
};

enum class CauseKind : uint8_t {
  kFault,
  kNone,  // a word for what is no cause: nothing failed, or only as something else did
  kSlow,  // costs time, fails nothing
  kStop,  // somebody, or something outside, ended the job
};
// As knowledge files say them.
inline constexpr std::array<std::string_view, 4> kCauseKinds = {"fault", "none", "slow", "stop"};

// What the analysis does with a cause. Asked often, so it is found without reading the entry: a table beside the
// records, made when the knowledge is embedded.
struct CauseTraits {
  CauseKind kind = CauseKind::kFault;
  bool waits = false;          // nothing dies of it by itself: without an ending, whoever has it hangs
  bool one_rank = false;       // one rank has it while the others wait
  bool both_ends = false;      // it lies between two hosts, whichever of them says so
  bool gone = false;           // whoever has it is no more: others lose the connection, launchers tell who it was
  bool reasonless = false;     // a process ended and left no word why: gives way to any better reason on its line
  bool by_rule = false;        // words alone cannot tell it: it takes a version or a known line
  bool before_work = false;    // whoever has it never begins to work
  bool takes_machine = false;  // it takes one machine of the job, and stops the job by that
};

// All texts are templates, in the language that was asked for.
struct CauseKnowledge {
  std::string id;
  std::string title, meaning, mistaken_for;  // templates
  std::vector<FittingText> summary, unproven;
  std::string recurs;  // on an identical rerun: always | sometimes | rarely
  std::string about;   // what has to change, or to be left out: job | host | device | outside
  std::vector<FixKnowledge> fixes;
  std::vector<ConfirmKnowledge> confirm;
  std::vector<Collect> collect;
  std::vector<std::string> references;
};

// An environment variable that NCCL, or what stands beside it, reads.
struct VariableKnowledge {
  std::string name;
  std::string first, last;  // NCCL versions; last empty = still read
  std::string type, default_value, values, effect;
  std::string read_by;  // empty = NCCL itself
  bool must_agree = false;
  bool numeric = false;
  bool logs_only = false;  // decides what is logged, and nothing else
  std::string degrading_when, degrading_text;
  std::string valid;  // RE2 of acceptable values, may be empty
  std::string replaced_by;
  std::string example, mistake;  // how it is set, and what people set wrongly; may be empty
};

// What a message means by itself, before anything around it is known: it is the failure, shows one, follows from one,
// is printed while all is well, tells where something runs, or is never evidence.
enum class MessageMeaning : uint8_t { kRoot, kSymptom, kSecondary, kBenign, kContext, kNever };
// As knowledge files say them.
inline constexpr std::array<std::string_view, 6> kMessageMeanings = {"root",   "symptom", "secondary",
                                                                     "benign", "context", "never"};

// A printf format of NCCL's sources, with what it is taken for.
struct MessageKnowledge {
  int index = -1;
  std::string level, format, first, last;
  std::string product;  // RCCL, aws-ofi-nccl, …; empty = NCCL itself
  std::vector<std::string> files;
  MessageMeaning meaning = MessageMeaning::kContext;
  std::vector<std::pair<std::string, double>> causes;  // log-odds
  std::string note;
};

// A number or word of a table: errno, a signal, an Xid, an exit code of Slurm.
struct CodeKnowledge {
  std::string table, name, text, meaning;
  int64_t code = 0;
  std::string key;                          // codes that are no number: "Evicted", "OUT_OF_MEMORY"
  std::map<std::string, std::string> more;  // what only some tables have: fatal, sticky, who, action, …
  std::vector<std::string> causes;
};

// A bug of one product (nccl, driver, pytorch, aws-ofi-nccl) that no line tells; those that one does are rules.
struct BugKnowledge {
  std::string id, title, product, text;
  std::string affected;  // versions: "2.20.3", "2.19.1..2.19.4", "..2.22.3" or "2.27.3.."
  std::string fixed_in;  // empty: not fixed, or not known
  std::string cause;
  std::vector<std::string> references;
};

// A failure that somebody had in public: what it looked like, and what solved it.
struct IncidentKnowledge {
  std::string id, url, cause;
  std::map<std::string, std::string> products;  // versions by product, as far as the thread says
  std::vector<std::string> looked_like;  // one to four lines, `<placeholder>` where jobs differ; most telling first
  std::string title, solved;
  bool open = false;  // nobody said what solved it: `solved` tells what was found
};

// A word of complaints, or two that follow one another: what it says of causes (kb/words, src/analyze/word_reading.h).
struct WordKnowledge {
  double rarity = 0;                                   // the rarer in labelled logs, the more it counts
  std::vector<std::pair<std::string, double>> causes;  // for or against each; others: nothing
};

// Find… parse the record at each call, so what they return is the caller's. Where nothing is known they return nothing,
// or an empty value; none of them fails.
class KnowledgeBase : public MessageRecognizer {
 public:
  // Made at the first call, and never destroyed.
  static const KnowledgeBase& Embedded();
  // The embedded knowledge with that of `directories` over it, in their order: an entry of the same key replaces. Fails
  // with kNotFound for a directory without knowledge files, with kCorrupt and the first complaints, "file:line: what is
  // wrong", where entries are not in order.
  static Result<std::unique_ptr<KnowledgeBase>> Load(const std::vector<std::string>& directories);
  ~KnowledgeBase() override;

  // In alphabetical order, as are VariableNames.
  std::vector<std::string> CauseIds() const;
  std::optional<CauseKnowledge> FindCause(std::string_view id, Language language) const;
  CauseTraits TraitsOf(std::string_view id) const;  // those of a fault where the cause is not known

  std::optional<VariableKnowledge> FindVariable(std::string_view name, Language language) const;
  // A name that no NCCL version reads: a text about it and the nearest real name (may be empty).
  std::optional<std::pair<std::string, std::string>> NeverRead(std::string_view name, Language language) const;
  // Empty where none is near (base/text.h).
  std::string NearestVariable(std::string_view name) const;
  std::vector<std::string> VariableNames() const;

  std::optional<CodeKnowledge> FindCode(std::string_view table, int64_t code, Language language) const;

  // The same by text, for tables whose codes are no numbers, and for "0x1f".
  std::optional<CodeKnowledge> FindCode(std::string_view table, std::string_view code, Language language) const;

  // The entry of a table that a program means by a word: its number ("9"), its name ("SIGKILL") or its text ("Killed").
  std::optional<CodeKnowledge> FindCodeByWord(std::string_view table, std::string_view word, Language language) const;

  // Everything of that number ("79", "0x0c") or name ("SIGBUS", "enospc"), whatever its table, in the order of tables.
  // Not those of words of our own: "environment", "collect", "host_program".
  std::vector<CodeKnowledge> FindCodes(std::string_view code, Language language) const;

  // In the order of their ids.
  std::vector<BugKnowledge> Bugs(Language language) const;

  // Incidents in the order of their ids.
  size_t IncidentCount() const;
  IncidentKnowledge Incident(size_t index, Language language) const;

  // A word or "two words", in lower case; null: it tells nothing. The empty word has what is thought of each cause that
  // words speak of before any was read.
  std::optional<WordKnowledge> FindWord(std::string_view word) const;

  // MessageRecognizer
  int Recognize(LogLevel level, std::string_view body) const override;
  // What Recognize says about all bodies of this shape (parser/line_shape.h); kMessageDepends where the numbers decide,
  // or it is not known.
  static constexpr int kMessageDepends = -2;
  int RecognizeShape(LogLevel level, std::string_view shape) const;
  size_t MessageCount() const;
  // Of all messages: equal where Recognize gives the same numbers to the same lines.
  uint64_t MessagesFingerprint() const;
  // `nccl` is a version like "2.28.9" or empty.
  MessageKnowledge Message(int index, std::string_view nccl, Language language) const;
  // Its meaning where the version is not known. Remembered: asked for on every first line of a kind, by any thread.
  MessageMeaning Meaning(int index) const;

 private:
  KnowledgeBase();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ncclwhy
