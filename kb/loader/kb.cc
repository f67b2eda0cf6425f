#include "kb/loader/kb.h"

#include <atomic>
#include <cstdint>
#include <exception>
#include <filesystem>

#include "base/hash.h"
#include "base/made_once.h"
#include "base/text.h"
#include "kb/loader/decode.h"
#include "kb/loader/kb_data.h"
#include "kb/loader/kb_tables.h"
#include "kb/loader/message_of_shape.h"
#include "kb/loader/packed_word.h"

namespace ncclwhy {
namespace {

static_assert(KnowledgeBase::kMessageDepends == kMessageDepends);

// Complaints about a knowledge directory that are shown; the rest is counted.
constexpr size_t kComplaintsShown = 5;

Status Refuse(const std::vector<std::string>& complaints) {
  std::string text;
  for (size_t i = 0; i < complaints.size() && i < kComplaintsShown; ++i) text += (i == 0 ? "" : "\n") + complaints[i];
  if (complaints.size() > kComplaintsShown) {
    text += "\n… and " + std::to_string(complaints.size() - kComplaintsShown) + " more";
  }
  return Status::Corrupt(std::move(text));
}

Status NoKnowledge(const std::string& directory) {
  return Status::NotFound(
      directory +
      ": has no knowledge files (causes/*.json, messages/*.jsonl, incidents/*.jsonl, env.json, codes.json, "
      "known_bugs.json, words/*.jsonl)");
}

Result<KbTablesOwner> LoadTables(const std::vector<std::string>& directories) {
  try {
    // What is not there is told before the embedded knowledge is unpacked, which takes most of the time.
    std::error_code ignored;
    for (const std::string& directory : directories) {
      if (!std::filesystem::is_directory(directory, ignored)) return NoKnowledge(directory);
    }
    KbData data = DataOf(EmbeddedTables());
    std::vector<std::string> complaints;
    for (const std::string& directory : directories) {
      if (!ReadKnowledge(directory, &data, &complaints)) return NoKnowledge(directory);
    }
    if (data.messages.size() > kMaxMessages) return Status::Limit("too many messages in the knowledge directories");
    for (const std::string& what : data.DanglingCauses()) complaints.push_back(what);
    if (!complaints.empty()) return Refuse(complaints);
    return BuildTables(data);
  } catch (const std::exception& error) {
    return Status::Internal(std::string("loading the knowledge failed: ") + error.what());
  }
}

// Tables whose codes no program prints: kb/README.md.
bool IsTableOfWords(std::string_view table) {
  return table == "environment" || table == "collect" || table == "host_program";
}

constexpr size_t kLanguages = 2;
static_assert(static_cast<size_t>(Language::kChinese) < kLanguages);

}  // namespace

struct KnowledgeBase::Impl {
  KbTablesOwner owner;  // empty for the embedded knowledge
  KbTables tables;
  // Zeroed: a vector of atomics is made in one size and never grows.
  // A meaning and one; 0: not asked for yet. Threads may write it twice, the same value.
  mutable std::vector<std::atomic<uint8_t>> meanings;
  mutable std::atomic<uint64_t> fingerprint = 0;  // the same
  // By cause and language: null until somebody asks. A source of several jobs names the same few again and again.
  mutable std::vector<std::atomic<const CauseKnowledge*>> causes;

  // Behind the tables: makes room for what is kept of them.
  void MakeRoom() {
    meanings = std::vector<std::atomic<uint8_t>>(tables.messages.size());
    causes = std::vector<std::atomic<const CauseKnowledge*>>(tables.causes.size() * kLanguages);
  }
  Impl() = default;
  ~Impl() {
    for (const auto& cause : causes) delete cause.load();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
};

KnowledgeBase::KnowledgeBase() : impl_(std::make_unique<Impl>()) {}
KnowledgeBase::~KnowledgeBase() = default;

const KnowledgeBase& KnowledgeBase::Embedded() {
  static const KnowledgeBase* const kEmbedded = [] {
    auto* kb = new KnowledgeBase();  // never destroyed: other static objects may still use it
    kb->impl_->tables = EmbeddedTables();
    kb->impl_->MakeRoom();
    return kb;
  }();
  return *kEmbedded;
}

Result<std::unique_ptr<KnowledgeBase>> KnowledgeBase::Load(const std::vector<std::string>& directories) {
  std::unique_ptr<KnowledgeBase> kb(new KnowledgeBase());
  if (directories.empty()) {
    kb->impl_->tables = EmbeddedTables();
  } else {
    auto loaded = LoadTables(directories);
    if (!loaded.ok()) return loaded.status();
    kb->impl_->owner = loaded.take();
    kb->impl_->tables = kb->impl_->owner.View();
  }
  kb->impl_->MakeRoom();
  return kb;
}

std::vector<std::string> KnowledgeBase::CauseIds() const {
  std::vector<std::string> ids;
  for (const KbRecord& r : impl_->tables.causes) ids.emplace_back(impl_->tables.Key(r));
  return ids;
}

std::optional<CauseKnowledge> KnowledgeBase::FindCause(std::string_view id, Language language) const {
  const KbRecord* r = impl_->tables.Find(impl_->tables.causes, id);
  if (r == nullptr) return std::nullopt;
  const auto place = static_cast<size_t>(r - impl_->tables.causes.data()) * kLanguages + static_cast<size_t>(language);
  return MadeOnce(impl_->causes[place], [&] {
    return std::make_unique<const CauseKnowledge>(DecodeCause(impl_->tables.Json(*r), language));
  });
}

CauseTraits KnowledgeBase::TraitsOf(std::string_view id) const {
  const KbRecord* r = impl_->tables.Find(impl_->tables.causes, id);
  return r == nullptr ? CauseTraits{} : impl_->tables.traits[static_cast<size_t>(r - impl_->tables.causes.data())];
}

std::optional<VariableKnowledge> KnowledgeBase::FindVariable(std::string_view name, Language language) const {
  const KbRecord* r = impl_->tables.Find(impl_->tables.variables, name);
  if (r == nullptr) return std::nullopt;
  return DecodeVariable(impl_->tables.Json(*r), language);
}

std::optional<std::pair<std::string, std::string>> KnowledgeBase::NeverRead(std::string_view name,
                                                                            Language language) const {
  const KbRecord* r = impl_->tables.Find(impl_->tables.never_read, name);
  if (r == nullptr) return std::nullopt;
  return DecodeNeverRead(impl_->tables.Json(*r), language);
}

// Some hundred names, asked for a misspelt one only.
std::string KnowledgeBase::NearestVariable(std::string_view name) const {
  std::vector<std::string_view> names;
  names.reserve(impl_->tables.variables.size());
  for (const KbRecord& r : impl_->tables.variables) names.push_back(impl_->tables.Key(r));
  return std::string(NearestName(name, names));
}

std::vector<std::string> KnowledgeBase::VariableNames() const {
  std::vector<std::string> names;
  for (const KbRecord& r : impl_->tables.variables) names.emplace_back(impl_->tables.Key(r));
  return names;
}

std::optional<CodeKnowledge> KnowledgeBase::FindCode(std::string_view table, int64_t code, Language language) const {
  return FindCode(table, std::to_string(code), language);
}

std::optional<CodeKnowledge> KnowledgeBase::FindCode(std::string_view table, std::string_view code,
                                                     Language language) const {
  const KbRecord* r = impl_->tables.Find(impl_->tables.codes, CodeKey(table, code));
  if (r == nullptr) return std::nullopt;
  return DecodeCode(table, impl_->tables.Json(*r), language);
}

std::optional<CodeKnowledge> KnowledgeBase::FindCodeByWord(std::string_view table, std::string_view word,
                                                           Language language) const {
  if (word.empty()) return std::nullopt;
  if (auto found = FindCode(table, word, language)) return found;
  // By name or text only where the number did not fit: a scan of the table, for programs that print `SIGKILL`.
  const std::string beginning = std::string(table) + "/";
  for (const KbRecord& r : impl_->tables.codes) {
    if (!impl_->tables.Key(r).starts_with(beginning)) continue;
    CodeKnowledge code = DecodeCode(table, impl_->tables.Json(r), language);
    if (code.name == word || code.text == word) return code;
  }
  return std::nullopt;
}

namespace {

// Whether an entry as minified JSON, {"name":"ENOSPC","text":…}, has that name; a name with a quote in it is in no
// table.
bool IsNamed(std::string_view json, std::string_view name, bool any_case) {
  constexpr std::string_view kName = "\"name\":\"";
  const size_t at = json.find(kName);
  if (at == std::string_view::npos) return false;
  const std::string_view rest = json.substr(at + kName.size());
  const std::string_view own = rest.substr(0, rest.find('"'));
  return any_case ? SameButCase(own, name) : own == name;
}

}  // namespace

// "79" is an Xid and may be an errno as well: all of them, by table.
std::vector<CodeKnowledge> KnowledgeBase::FindCodes(std::string_view code, Language language) const {
  std::vector<CodeKnowledge> out;
  const std::string number = CodeKey("", code);
  // As it is written first: `sigkill` is asked for where nothing is called so.
  for (const bool any_case : {false, true}) {
    if (!out.empty()) break;
    for (const KbRecord& r : impl_->tables.codes) {
      const std::string_view key = impl_->tables.Key(r);
      const std::string_view table = key.substr(0, key.find('/'));
      if (IsTableOfWords(table)) continue;
      if (key.substr(table.size()) == number || IsNamed(impl_->tables.Json(r), code, any_case)) {
        out.push_back(DecodeCode(table, impl_->tables.Json(r), language));
      }
    }
  }
  return out;
}

std::vector<BugKnowledge> KnowledgeBase::Bugs(Language language) const {
  std::vector<BugKnowledge> bugs;
  for (const KbRecord& r : impl_->tables.bugs) bugs.push_back(DecodeBug(impl_->tables.Json(r), language));
  return bugs;
}

std::optional<WordKnowledge> KnowledgeBase::FindWord(std::string_view word) const {
  const KbRecord* r = impl_->tables.Find(impl_->tables.words, word);
  if (r == nullptr) return std::nullopt;
  return UnpackWord(impl_->tables, *r);
}

size_t KnowledgeBase::IncidentCount() const { return impl_->tables.incidents.size(); }

IncidentKnowledge KnowledgeBase::Incident(size_t index, Language language) const {
  if (index >= impl_->tables.incidents.size()) return {};
  return DecodeIncident(impl_->tables.Json(impl_->tables.incidents[index]), language);
}

// Borrowed tables and no state: any number of threads.
int KnowledgeBase::Recognize(LogLevel level, std::string_view body) const {
  return FindMessage(impl_->tables.index, level, body);
}

int KnowledgeBase::RecognizeShape(LogLevel level, std::string_view shape) const {
  return FindMessageOfShape(impl_->tables.index, level, shape);
}

size_t KnowledgeBase::MessageCount() const { return impl_->tables.messages.size(); }

MessageKnowledge KnowledgeBase::Message(int index, std::string_view nccl, Language language) const {
  if (index < 0 || static_cast<size_t>(index) >= impl_->tables.messages.size()) return {};
  const KbRecord& record = impl_->tables.messages[static_cast<size_t>(index)];
  MessageKnowledge out = DecodeMessage(impl_->tables.Json(record), nccl, language);
  out.format = std::string(impl_->tables.Key(record));
  out.index = index;
  return out;
}

uint64_t KnowledgeBase::MessagesFingerprint() const {
  uint64_t hash = impl_->fingerprint.load(std::memory_order_relaxed);
  if (hash != 0) return hash;
  for (const KbRecord& record : impl_->tables.messages) {
    hash = HashBytes(impl_->tables.Key(record), hash);
    hash = HashBytes(impl_->tables.Json(record), hash);
  }
  impl_->fingerprint.store(hash, std::memory_order_relaxed);
  return hash;
}

// The order of memory does not matter: whoever writes it writes the same.
MessageMeaning KnowledgeBase::Meaning(int index) const {
  // Beyond the end: a digest of another knowledge may name such a message.
  if (index < 0 || static_cast<size_t>(index) >= impl_->meanings.size()) return {};
  std::atomic<uint8_t>& known = impl_->meanings[static_cast<size_t>(index)];
  const uint8_t value = known.load(std::memory_order_relaxed);
  if (value != 0) return static_cast<MessageMeaning>(value - 1);
  const MessageMeaning meaning = Message(index, {}, Language::kEnglish).meaning;
  known.store(static_cast<uint8_t>(static_cast<uint8_t>(meaning) + 1), std::memory_order_relaxed);
  return meaning;
}

}  // namespace ncclwhy
