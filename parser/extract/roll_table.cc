// A table of who is where, with a head that names its columns:
//   rank host pid device pci                      | Rank | Node   | PID   |
//     10 c12n07 431328 2 0000:85:00.0             |   10 | c12n07 | 40123 |
// and, of /proc/PID/status, the pid on the host and in the container: NSpid:  1402416  216
#include <algorithm>
#include <array>

#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

constexpr uint32_t kFirstTableLines = 4000;

constexpr size_t kMostWords = RollTable::kColumns + 1;  // one more tells that there are too many

struct TableWords {
  std::array<std::string_view, kMostWords> at;
  size_t count = 0;
};

bool IsBetween(char c) { return c == ' ' || c == '\t' || c == '|'; }

TableWords Split(std::string_view text) {
  TableWords out;
  for (size_t n = 0; n < text.size() && out.count < kMostWords;) {
    while (n < text.size() && IsBetween(text[n])) ++n;
    const size_t begin = n;
    while (n < text.size() && !IsBetween(text[n])) ++n;
    if (n > begin) out.at[out.count++] = text.substr(begin, n - begin);
  }
  return out;
}

// In small letters or in large ones.
bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> names) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return std::equal(word.begin(), word.end(), name.begin(), name.end(), same);
  });
}

// A head: only words, among them the rank and something that tells who that is.
bool ReadHead(const TableWords& words, RollTable* table) {
  RollTable out;
  if (words.count < 2 || words.count > RollTable::kColumns) return false;
  for (size_t n = 0; n < words.count; ++n) {
    const std::string_view word = words.at[n];
    if (std::any_of(word.begin(), word.end(), [](char c) { return scan::IsDigit(c) || c == '=' || c == ':'; })) {
      return false;
    }
    const auto column = static_cast<int>(n);
    if (IsOneOf(word, {"rank", "global_rank", "world_rank", "global-rank"})) out.rank = column;
    if (IsOneOf(word, {"host", "node", "hostname", "nodename"})) out.host = column;
    if (IsOneOf(word, {"pid"})) out.pid = column;
    if (IsOneOf(word, {"pci", "bus", "busid", "bus_id", "bus-id", "pci_bus", "pci-bus", "pci_bus_id", "pci_id"})) {
      out.bus = column;
    }
  }
  if (out.rank < 0 || (out.host < 0 && out.pid < 0 && out.bus < 0)) return false;
  out.columns = static_cast<int>(words.count);
  *table = out;
  return true;
}

// -----  ----------     +------+--------+
bool IsRule(std::string_view text) { return text.find_first_not_of("-=+| \t") == std::string_view::npos; }

bool ReadRow(const Extraction& x, const RollTable& table, const TableWords& words) {
  if (words.count != static_cast<size_t>(table.columns)) return false;
  const auto word = [&](int column) { return column < 0 ? std::string_view() : words.at[static_cast<size_t>(column)]; };
  const int64_t rank = scan::IntOr(word(table.rank), -1);
  const int64_t pid = scan::IntOr(word(table.pid), -1);
  const std::string_view host = word(table.host);
  const bool is_host =
      table.host < 0 ||
      (!host.empty() && std::all_of(host.begin(), host.end(), [](char c) { return scan::IsHostChar(c) || c == '.'; }));
  if (rank < 0 || !is_host || (table.pid >= 0 && pid <= 0)) return false;
  EventWriter event = x.Begin(EventKind::kRollCall);
  event.Set(FieldId::kRank, rank).Set(FieldId::kHost, host).Set(FieldId::kBusId, word(table.bus));
  if (pid > 0) event.Set(FieldId::kPid, pid);
  return true;
}

}  // namespace

bool ExtractRollTable(const Extraction& x, RollTable& table) {
  const std::string_view text = x.body();
  constexpr size_t kLongest = 160;
  if (text.size() > kLongest) return false;
  if (table.columns > 0) {
    if (IsRule(text)) return true;
    if (ReadRow(x, table, Split(text))) return true;
    table = {};
  }
  if (x.line.number > kFirstTableLines || !(x.Has(TellingWord::kRank) || x.Has(TellingWord::kPids))) return false;
  // NSpid:\t1402416\t216
  if (scan::StartsWith(text, "NSpid:")) {
    const TableWords words = Split(text.substr(6));
    const int64_t outside = words.count >= 2 ? scan::IntOr(words.at[0], -1) : -1;
    const int64_t inside = words.count >= 2 ? scan::IntOr(words.at[words.count - 1], -1) : -1;
    if (outside <= 0 || inside <= 0) return false;
    x.Begin(EventKind::kRollCall).Set(FieldId::kPid, outside).Set(FieldId::kProcess, inside);
    return true;
  }
  return ReadHead(Split(text), &table);
}

}  // namespace ncclwhy
