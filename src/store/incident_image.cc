#include "store/incident_image.h"

#include <fmt/ranges.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "store/database.h"
#include "store/incident_words.h"

namespace ncclwhy {
namespace {

// No journal, no freed page: the same incidents make the same bytes.
// `open`, `nth` and `incident` are carried along, not searched. Words are made by IncidentWords: the tokenizer has
// nothing to fold.
constexpr char kSchema[] =
    "PRAGMA page_size = 1024; PRAGMA journal_mode = OFF; PRAGMA secure_delete = ON;"
    "CREATE VIRTUAL TABLE line USING fts5(words, cause, incident UNINDEXED, nth UNINDEXED, open UNINDEXED, tokenize = "
    "\"ascii tokenchars '_'\");"
    "CREATE TABLE word (word TEXT PRIMARY KEY, incidents INTEGER NOT NULL) WITHOUT ROWID;";

using WordCounts = std::map<std::string, int64_t>;  // incidents by word

Status FillLines(Database& database, const KnowledgeBase& kb, WordCounts* counts) {
  Result<Insert> line =
      Insert::Prepare(database, "INSERT INTO line (words, cause, incident, nth, open) VALUES (?, ?, ?, ?, ?)");
  if (!line.ok()) return line.status();
  for (size_t i = 0; i < kb.IncidentCount(); ++i) {
    const IncidentKnowledge incident = kb.Incident(i, Language::kEnglish);
    const std::string cause = CauseWord(incident.cause);
    std::set<std::string> own;
    int64_t nth = 0;
    for (const std::string& text : incident.looked_like) {
      const std::vector<std::string> words = IncidentWords(text);
      own.insert(words.begin(), words.end());
      // A row holds the words of the line, not the line: that is what both sides are compared by.
      const std::string joined = fmt::format("{}", fmt::join(words, " "));
      line.value()
          .Text(joined)
          .Text(cause)
          .Integer(static_cast<int64_t>(i))
          .Integer(nth++)
          .Integer(incident.open ? 1 : 0);
      if (Status s = line.value().Run(); !s.ok()) return s;
    }
    // Once for an incident, however many of its lines have the word: what is rare is told by incidents.
    for (const std::string& word : own) ++(*counts)[word];
  }
  return {};
}

Status FillWords(Database& database, const WordCounts& counts) {
  Result<Insert> word = Insert::Prepare(database, "INSERT INTO word (word, incidents) VALUES (?, ?)");
  if (!word.ok()) return word.status();
  for (const auto& [text, count] : counts) {
    if (Status s = word.value().Text(text).Integer(count).Run(); !s.ok()) return s;
  }
  return {};
}

}  // namespace

std::string CauseWord(std::string_view cause) {
  std::string out(cause);
  for (char& c : out) c = IsAlnum(c) ? c : '_';
  return out;
}

Result<std::string> BuildIncidentImage(const KnowledgeBase& kb) {
  Result<std::unique_ptr<Database>> opened = Database::Open("", Database::Mode::kMemory, "incidents");
  if (!opened.ok()) return opened.status();
  Database& database = *opened.value();
  constexpr char kDoing[] = "incidents were indexed";
  for (const char* sql : {kSchema, "BEGIN"}) {
    if (Status s = database.Execute(sql, kDoing); !s.ok()) return s;
  }
  WordCounts counts;
  if (Status s = FillLines(database, kb, &counts); !s.ok()) return s;
  if (Status s = FillWords(database, counts); !s.ok()) return s;
  // `optimize` makes one segment of the index, VACUUM leaves no free page: less to embed, and the same bytes each time.
  for (const char* sql : {"INSERT INTO line (line) VALUES ('optimize')", "COMMIT", "VACUUM"}) {
    if (Status s = database.Execute(sql, kDoing); !s.ok()) return s;
  }
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(database.handle(), "main", &size, 0);
  if (bytes == nullptr) return Status::Limit("incidents: not enough memory");
  const std::unique_ptr<unsigned char, decltype(&sqlite3_free)> owner(bytes, sqlite3_free);
  return std::string(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
}

}  // namespace ncclwhy
