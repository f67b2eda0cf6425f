#include "store/incident_index.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "store/database.h"
#include "store/incident_image.h"
#include "store/incident_words.h"

namespace ncclwhy {
namespace {

// What a search may cost, whatever the log holds.
constexpr size_t kLines = 32;
constexpr size_t kLineBytes = 512;
constexpr size_t kQueryWords = 24;
constexpr int kRows = 64;
// A word that stands in more of the incidents than this says nothing about any.
constexpr double kCommonShare = 0.2;
// So much of an incident's line must stand in one line of the log, words weighed by how rare they are.
constexpr double kCoverage = 0.7;

// Like Select (select.h), but a statement that cannot be prepared only finds nothing.
class IndexStatement {
 public:
  IndexStatement(Database& database, const char* sql) {
    if (sqlite3_prepare_v2(database.handle(), sql, -1, &statement_, nullptr) != SQLITE_OK) statement_ = nullptr;
  }
  ~IndexStatement() { sqlite3_finalize(statement_); }
  IndexStatement(const IndexStatement&) = delete;
  IndexStatement& operator=(const IndexStatement&) = delete;
  // Begins anew with this text for `?1`.
  void Bind(std::string_view text) {
    if (statement_ == nullptr) return;
    sqlite3_reset(statement_);
    sqlite3_bind_text64(statement_, 1, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  bool Next() { return statement_ != nullptr && sqlite3_step(statement_) == SQLITE_ROW; }
  int64_t Integer(int column) const { return sqlite3_column_int64(statement_, column); }
  double Real(int column) const { return sqlite3_column_double(statement_, column); }
  std::string Text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return text == nullptr ? std::string() : std::string(text);
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

// How much words tell: the rarer the more. Of a word that no incident has there is nothing to know.
class Weights {
 public:
  Weights(Database& database, size_t incidents)
      : statement_(database, "SELECT incidents FROM word WHERE word = ?1"),
        incidents_(static_cast<double>(incidents)) {}
  double Of(const std::string& word) {
    const auto [it, fresh] = known_.try_emplace(word, 0.0);
    if (fresh) {
      statement_.Bind(it->first);
      if (statement_.Next()) it->second = std::log(1 + incidents_ / static_cast<double>(statement_.Integer(0)));
    }
    return it->second;
  }
  // The weight of a word that stands in kCommonShare of the incidents; what weighs less does not choose rows.
  double Common() const { return std::log(1 + 1 / kCommonShare); }

 private:
  IndexStatement statement_;
  const double incidents_;
  std::map<std::string, double> known_;
};

// Words hold letters, digits and `_` only, so that nothing of a log is syntax of FTS5.
std::string AnyOf(const char* column, const std::vector<std::string>& words) {
  std::string out = std::string(column) + " : (";
  for (size_t i = 0; i < words.size(); ++i) out += (i == 0 ? "\"" : " OR \"") + words[i] + "\"";
  return out + ")";
}

using WordSet = std::set<std::string, std::less<>>;

// The rarest words of the lines.
// "nccl", "error" and "rank" stand in most incidents, and would have FTS5 rank all of them.
std::vector<std::string> QueryWords(const std::vector<WordSet>& lines, Weights* weights) {
  std::map<std::string, double> all;
  for (const WordSet& line : lines) {
    for (const std::string& word : line) {
      if (const double weight = weights->Of(word); weight >= weights->Common()) all.emplace(word, weight);
    }
  }
  std::vector<std::pair<std::string, double>> ranked(all.begin(), all.end());
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> out;
  for (size_t i = 0; i < std::min(ranked.size(), kQueryWords); ++i) out.push_back(ranked[i].first);
  return out;
}

// How much of an incident's line one of the log's lines tells; 0 when it is too little to be the same line.
// Squared share times all: a line that is told wholly counts as much as its words weigh, one that is half there far
// less.
double Told(const std::string& joined, const std::vector<WordSet>& lines, Weights* weights) {
  std::vector<std::string> words = IncidentWords(joined);
  double all = 0;
  for (const std::string& word : words) all += weights->Of(word);
  double best = 0;
  for (const WordSet& line : lines) {
    double shared = 0;
    for (const std::string& word : words) shared += line.contains(word) ? weights->Of(word) : 0;
    best = std::max(best, shared);
  }
  return all > 0 && best >= kCoverage * all ? best * best / all : 0;
}

}  // namespace

// `own_image` is filled at the first search, under `made`; `image` points into it or into the program.
struct IncidentIndex::Impl {
  const KnowledgeBase* kb = nullptr;
  std::string_view image;
  std::string own_image;
  std::once_flag made;
};

IncidentIndex::IncidentIndex() : impl_(std::make_unique<Impl>()) {}
IncidentIndex::~IncidentIndex() = default;

IncidentIndex::IncidentIndex(const KnowledgeBase& kb) : impl_(std::make_unique<Impl>()) { impl_->kb = &kb; }

const IncidentIndex& IncidentIndex::Embedded() {
  static const IncidentIndex* const kEmbedded = [] {
    auto* index = new IncidentIndex();  // never destroyed, like the knowledge
    index->impl_->kb = &KnowledgeBase::Embedded();
    index->impl_->image = EmbeddedIncidentImage();
    // Its image is there from the start: Find must not make another.
    std::call_once(index->impl_->made, [] {});
    return index;
  }();
  return *kEmbedded;
}

std::vector<IncidentMatch> IncidentIndex::Find(const std::vector<std::string>& texts,
                                               const std::vector<std::string>& causes) const {
  std::call_once(impl_->made, [this] {
    if (impl_->kb->IncidentCount() == 0) return;
    if (Result<std::string> image = BuildIncidentImage(*impl_->kb); image.ok()) impl_->own_image = image.take();
    impl_->image = impl_->own_image;
  });
  std::vector<WordSet> lines;
  for (const std::string& text : texts) {
    if (lines.size() == kLines) break;
    const std::vector<std::string> words = IncidentWords(std::string_view(text).substr(0, kLineBytes));
    if (!words.empty()) lines.emplace_back(words.begin(), words.end());
  }
  if (lines.empty() || impl_->image.empty()) return {};
  Result<std::unique_ptr<Database>> opened = Database::Open("", Database::Mode::kMemory, "incidents");
  if (!opened.ok()) return {};
  // Read only: SQLite takes a pointer that it does not write through.
  auto* const bytes = reinterpret_cast<unsigned char*>(const_cast<char*>(impl_->image.data()));
  const auto size = static_cast<sqlite3_int64>(impl_->image.size());
  Database& database = *opened.value();
  if (sqlite3_deserialize(database.handle(), "main", bytes, size, size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK) {
    return {};
  }
  Weights weights(database, impl_->kb->IncidentCount());
  const std::vector<std::string> words = QueryWords(lines, &weights);
  if (words.empty()) return {};
  std::string query = AnyOf("words", words);
  std::vector<std::string> cause_words;
  for (const std::string& cause : causes) cause_words.push_back(CauseWord(cause));
  if (!cause_words.empty()) query += " AND " + AnyOf("cause", cause_words);

  std::map<size_t, IncidentMatch> found;
  // Weights of bm25 are by column: words count, the cause only selects. The rowid breaks ties, so that two runs say the
  // same.
  const std::string sql =
      "SELECT incident, words, bm25(line, 1.0, 0.0) AS likeness, nth, open FROM line WHERE line MATCH ?1 ORDER BY "
      "likeness, rowid LIMIT " +
      std::to_string(kRows);
  IndexStatement rows(database, sql.c_str());
  rows.Bind(query);
  while (rows.Next()) {
    const double told = Told(rows.Text(1), lines, &weights);
    if (told <= 0) continue;
    const auto incident = static_cast<size_t>(rows.Integer(0));
    IncidentMatch& match = found.try_emplace(incident, IncidentMatch{incident}).first->second;
    match.told += told;
    match.best = std::max(match.best, told);
    // The first line of an incident is its most specific one (kb/incidents).
    if (rows.Integer(3) == 0) match.first = told;
    match.rank = std::min(match.rank, rows.Real(2));
    match.open = rows.Integer(4) != 0;
  }
  std::vector<IncidentMatch> out;
  for (const auto& [incident, match] : found) out.push_back(match);
  std::stable_sort(out.begin(), out.end(), [](const IncidentMatch& a, const IncidentMatch& b) {
    return a.told != b.told ? a.told > b.told : a.rank < b.rank;
  });
  return out;
}

}  // namespace ncclwhy
