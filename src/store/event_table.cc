#include "store/event_table.h"

#include <algorithm>
#include <array>
#include <exception>
#include <numeric>
#include <optional>

#include "store/schema_parts.h"

namespace ncclwhy {
namespace {

// kApplication is the last kind of event_kinds.def.
constexpr size_t kKinds = static_cast<size_t>(EventKind::kApplication) + 1;

// What a query compares.
enum Plan : int { kAll = 0, kByKind = 1, kByProcess = 2, kByBoth = kByKind | kByProcess };

// By plan. They are those that SQLite itself takes for the tables of a file, with indexes on (process, kind) and (kind)
// and no ANALYZE: a million rows, ten with one value of an index, nine with two; and what these cost it. So joins are
// planned in the same order for a timeline in memory and one in a file (tests/unit/store/event_table_test.cc).
constexpr struct {
  sqlite3_int64 rows;
  double cost;
} kEstimates[] = {{1'048'576, 3e6}, {10, 30}, {10, 30}, {9, 28}};

// SQLite knows the bases alone, and hands them back.
struct Table : sqlite3_vtab {
  EventTable* events;
};

struct Cursor : sqlite3_vtab_cursor {
  std::optional<std::span<const uint32_t>> rows;  // none: all of the table
  uint32_t at = 0;
  uint32_t end = 0;
  uint32_t row() const { return rows ? (*rows)[at] : at; }
};

EventTable& EventsOf(sqlite3_vtab_cursor* cursor) { return *static_cast<Table*>(cursor->pVtab)->events; }

// Nothing may be thrown through SQLite.
// SQLite is C: an exception would leave its locks and lists half changed. All that can be thrown here is want of
// memory.
template <typename Work>
int Careful(Work work) {
  try {
    return work();
  } catch (const std::exception&) {
    return SQLITE_NOMEM;
  }
}

// Hands a value of a row to SQLite; has the functions of Insert.
// `lives`: SQLITE_STATIC for text that outlives the query, SQLITE_TRANSIENT for text that the next row overwrites.
class Answer {
 public:
  Answer(sqlite3_context* context, sqlite3_destructor_type lives) : context_(context), lives_(lives) {}

  void Integer(int64_t value) { sqlite3_result_int64(context_, value); }
  void Null() { sqlite3_result_null(context_); }
  void Text(std::string_view value) {
    if (IsPlainText(value)) {
      const char* const data = value.empty() ? "" : value.data();
      sqlite3_result_text64(context_, data, value.size(), lives_, SQLITE_UTF8);
    } else {
      const std::string clean = CleanText(value);
      sqlite3_result_text64(context_, clean.data(), clean.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    }
  }
  void IntegerOrNull(int64_t value, int64_t unknown) { value == unknown ? Null() : Integer(value); }
  void TextOrNull(std::string_view value) { value.empty() ? Null() : Text(value); }

 private:
  sqlite3_context* context_;
  sqlite3_destructor_type lives_;
};

// The columns are those of schema.sql, where the table of a file stands: there is one list of them.
int Connect(sqlite3* db, void* events, int, const char* const*, sqlite3_vtab** table, char**) {
  return Careful([&] {
    const std::vector<SchemaPart>& parts = SchemaParts();
    const auto part =
        std::find_if(parts.begin(), parts.end(), [](const SchemaPart& p) { return p.name == EventTable::kName; });
    if (const int code = sqlite3_declare_vtab(db, part->sql.c_str()); code != SQLITE_OK) return code;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);  // views read it
    auto made = std::make_unique<Table>();
    made->events = static_cast<EventTable*>(events);
    *table = made.release();
    return SQLITE_OK;
  });
}

int Disconnect(sqlite3_vtab* table) {
  delete static_cast<Table*>(table);
  return SQLITE_OK;
}

// Equal to a process, a kind or both: other conditions are SQLite's to check.
//    SELECT … FROM event WHERE kind = 'ib_completion'     plan kByKind
// The order of arguments is that in which Filter reads them: process, kind.
int BestIndex(sqlite3_vtab*, sqlite3_index_info* info) {
  int process = -1;
  int kind = -1;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.usable == 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (constraint.iColumn == static_cast<int>(EventColumn::kProcess)) process = i;
    if (constraint.iColumn == static_cast<int>(EventColumn::kKind)) kind = i;
  }
  int arguments = 0;
  if (process >= 0) info->aConstraintUsage[process].argvIndex = ++arguments;
  if (kind >= 0) info->aConstraintUsage[kind].argvIndex = ++arguments;
  info->idxNum = (process >= 0 ? kByProcess : 0) | (kind >= 0 ? kByKind : 0);
  info->estimatedRows = kEstimates[info->idxNum].rows;
  info->estimatedCost = kEstimates[info->idxNum].cost;
  return SQLITE_OK;
}

int Open(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
  return Careful([&] {
    *cursor = new Cursor;
    return SQLITE_OK;
  });
}

int Close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

// SQLite compares once more what it finds: what is not an id may be rounded to one.
int Filter(sqlite3_vtab_cursor* base, int plan, const char*, int, sqlite3_value** values) {
  return Careful([&] {
    Cursor& cursor = *static_cast<Cursor*>(base);
    EventTable& events = EventsOf(base);
    // UINT32_MAX is no process: NULL, a text or a fraction find at most rows that the comparison then drops.
    const auto id = [](sqlite3_value* value) {
      const int64_t number = sqlite3_value_numeric_type(value) == SQLITE_NULL ? -1 : sqlite3_value_int64(value);
      return number < 0 || number > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(number);
    };
    const auto text = [](sqlite3_value* value) {
      const auto* bytes = reinterpret_cast<const char*>(sqlite3_value_text(value));
      return std::string_view(bytes == nullptr ? "" : bytes, static_cast<size_t>(sqlite3_value_bytes(value)));
    };
    cursor.rows.reset();
    if (plan == kByKind) cursor.rows = events.OfKind(text(values[0]));
    if (plan == kByProcess) cursor.rows = events.OfProcess(id(values[0]));
    if (plan == kByBoth) cursor.rows = events.Of(id(values[0]), text(values[1]));
    cursor.at = 0;
    cursor.end = cursor.rows ? static_cast<uint32_t>(cursor.rows->size()) : events.size();
    return SQLITE_OK;
  });
}

int Next(sqlite3_vtab_cursor* cursor) {
  ++static_cast<Cursor*>(cursor)->at;
  return SQLITE_OK;
}

int Eof(sqlite3_vtab_cursor* base) {
  const Cursor& cursor = *static_cast<Cursor*>(base);
  return cursor.at >= cursor.end ? 1 : 0;
}

int64_t IdOf(const Cursor& cursor) { return int64_t{cursor.row()} + 1; }

// Text of `fields` is made anew for each row, so SQLite must copy it; all other text lives as long as the model.
int Column(sqlite3_vtab_cursor* base, sqlite3_context* context, int number) {
  return Careful([&] {
    const Cursor& cursor = *static_cast<Cursor*>(base);
    const auto column = static_cast<EventColumn>(number);
    Answer answer(context, column == EventColumn::kFields ? SQLITE_TRANSIENT : SQLITE_STATIC);
    if (column == EventColumn::kId) {
      answer.Integer(IdOf(cursor));
    } else {
      EventsOf(base).Put(cursor.row(), column, answer);
    }
    return SQLITE_OK;
  });
}

int RowId(sqlite3_vtab_cursor* base, sqlite3_int64* id) {
  *id = IdOf(*static_cast<Cursor*>(base));
  return SQLITE_OK;
}

const sqlite3_module& Module() {
  static const sqlite3_module kModule = [] {
    sqlite3_module module{};
    // The same function for both: the table has no storage of its own to create.
    module.xCreate = module.xConnect = Connect;
    module.xDisconnect = module.xDestroy = Disconnect;
    module.xBestIndex = BestIndex;
    module.xOpen = Open;
    module.xClose = Close;
    module.xFilter = Filter;
    module.xNext = Next;
    module.xEof = Eof;
    module.xColumn = Column;
    module.xRowid = RowId;
    return module;
  }();
  return kModule;
}

// Rows of one process come in the order of the kinds' names, as the index of a table on disk would give them.
// Numbers that sort as the names do.
// `kind` is text on disk, and an index on (process, kind) sorts by text. A query without ORDER BY must not answer in
// another order from memory.
const std::array<uint8_t, kKinds>& PlacesByName() {
  static const std::array<uint8_t, kKinds> kPlaces = [] {
    std::array<uint8_t, kKinds> order{};
    std::iota(order.begin(), order.end(), uint8_t{0});
    const auto name = [](uint8_t kind) { return EventKindName(static_cast<EventKind>(kind)); };
    std::sort(order.begin(), order.end(), [&](uint8_t a, uint8_t b) { return name(a) < name(b); });
    std::array<uint8_t, kKinds> places{};
    for (uint8_t i = 0; i < kKinds; ++i) places[order[i]] = i;
    return places;
  }();
  return kPlaces;
}

size_t KindNumber(std::string_view name) {
  size_t kind = 0;
  while (kind < kKinds && EventKindName(static_cast<EventKind>(kind)) != name) ++kind;
  return kind;
}

// Sorts the numbers 0 … keys - 1 of `count` rows by key, keeping their order.
// Counting sort: linear, and rows of one key stay in their order.
// `ends` has one more than the keys: rows of key k are sorted[ends[k] .. ends[k + 1]). Rows whose key is not below
// `keys` (no process) are left out.
template <typename KeyOf>
void SortInto(uint32_t count, size_t keys, KeyOf key_of, std::vector<uint32_t>* sorted, std::vector<uint32_t>* ends) {
  ends->assign(keys + 1, 0);
  for (uint32_t row = 0; row < count; ++row) {
    if (const size_t key = key_of(row); key < keys) ++(*ends)[key + 1];
  }
  std::partial_sum(ends->begin(), ends->end(), ends->begin());
  std::vector<uint32_t> next(ends->begin(), ends->end() - 1);
  sorted->resize(ends->back());
  for (uint32_t row = 0; row < count; ++row) {
    if (const size_t key = key_of(row); key < keys) (*sorted)[next[key]++] = row;
  }
}

}  // namespace

Status EventTable::Register(Database& database) {
  const int code = sqlite3_create_module_v2(database.handle(), "ncclwhy_event", &Module(), this, nullptr);
  return code == SQLITE_OK ? Status::Ok() : database.Error(code, "it was opened");
}

// Only pointers to events are gathered; indexes are made when a query first needs them.
void EventTable::Show(const JobModel& model) {
  model_ = &model;
  columns_ = std::make_unique<EventColumns>(model);
  rows_.clear();
  by_kind_.clear();
  kind_ends_.clear();
  by_process_.clear();
  process_ends_.clear();
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    for (const Event& event : model.sources[s]->events) {
      if (IsEventRow(event)) rows_.push_back({&event, s});
    }
  }
}

void EventTable::IndexKinds() {
  if (!kind_ends_.empty()) return;
  const auto kind = [this](uint32_t row) { return static_cast<size_t>(rows_[row].event->kind); };
  SortInto(size(), kKinds, kind, &by_kind_, &kind_ends_);
}

void EventTable::IndexProcesses() {
  if (!process_ends_.empty()) return;
  const auto process = [this](uint32_t row) -> size_t {
    const Event& event = *rows_[row].event;
    const ProcessId id = model_->ProcessOf(SourceId{rows_[row].source}, event.process, event.launcher_rank);
    return id.valid() ? id.value : SIZE_MAX;
  };
  SortInto(size(), model_->processes.size(), process, &by_process_, &process_ends_);
  const auto place = [this](uint32_t row) { return PlacesByName()[static_cast<size_t>(rows_[row].event->kind)]; };
  for (size_t p = 0; p + 1 < process_ends_.size(); ++p) {
    std::stable_sort(by_process_.begin() + process_ends_[p], by_process_.begin() + process_ends_[p + 1],
                     [&](uint32_t a, uint32_t b) { return place(a) < place(b); });
  }
}

std::span<const uint32_t> EventTable::OfKind(std::string_view kind) {
  IndexKinds();
  const size_t k = KindNumber(kind);
  if (k == kKinds) return {};
  return std::span(by_kind_).subspan(kind_ends_[k], kind_ends_[k + 1] - kind_ends_[k]);
}

std::span<const uint32_t> EventTable::OfProcess(uint32_t process) {
  IndexProcesses();
  if (process >= model_->processes.size()) return {};
  return std::span(by_process_).subspan(process_ends_[process], process_ends_[process + 1] - process_ends_[process]);
}

std::span<const uint32_t> EventTable::Of(uint32_t process, std::string_view kind) {
  const std::span<const uint32_t> rows = OfProcess(process);
  const size_t k = KindNumber(kind);
  if (k == kKinds) return {};
  const auto place = [this](uint32_t row) { return PlacesByName()[static_cast<size_t>(rows_[row].event->kind)]; };
  const uint8_t wanted = PlacesByName()[k];
  const auto first = std::partition_point(rows.begin(), rows.end(), [&](uint32_t row) { return place(row) < wanted; });
  const auto last = std::partition_point(first, rows.end(), [&](uint32_t row) { return place(row) == wanted; });
  return {first, last};
}

}  // namespace ncclwhy
