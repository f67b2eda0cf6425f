// ncclwhy query: one SELECT over the public views of a timeline that --db kept.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/escape.h"
#include "base/utf8.h"
#include "cli/did_you_mean.h"
#include "cli/output.h"
#include "cli/saved_queries.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"
#include "store/schema_parts.h"
#include "store/store.h"

namespace ncclwhy {
namespace {

// Names of saved queries and views are those of their tables.
std::string About() {
  std::string names =
      "Asks the timeline that `ncclwhy --db DB LOG...` kept. Read-only, with limits of steps and time. "
      "Without SQL: views with their columns. @NAME is a saved query:";
  for (const SavedQuery& query : SavedQueries()) names += " @" + std::string(query.name);
  names += ". Public views:";
  for (const SchemaPart& part : SchemaParts()) {
    if (IsPublicView(part.name)) names += " " + part.name;
  }
  names += '.';
  constexpr size_t kColumns = 78;
  size_t line = 0;
  // Lines of the help have 80 columns.
  while (names.size() - line > kColumns) {
    const size_t blank = names.rfind(' ', line + kColumns);
    if (blank == std::string::npos || blank < line) break;
    line = blank;
    names[line++] = '\n';
  }
  return names;
}

constexpr CommandText kQueryText = {
    .usage = R"(ncclwhy query [OPTIONS] DB ["SELECT ..."|@NAME])",
    .about = {},
    .exit_status = R"(0 answered; 2 the database or the SQL cannot be used.)",
    .examples = R"(ncclwhy --db job.db logs/
ncclwhy query job.db "SELECT kind, count(*) FROM event GROUP BY kind"
ncclwhy query job.db --format json "SELECT * FROM cause")",
};

std::string Join(const std::vector<std::string>& cells, const std::vector<size_t>& widths) {
  std::string out;
  for (size_t i = 0; i < cells.size(); ++i) {
    // A table has two blanks between columns; tsv has a tab and no widths.
    if (i > 0) out += widths.empty() ? "\t" : "  ";
    out += cells[i];
    if (!widths.empty() && i + 1 < cells.size()) out.append(widths[i] - DisplayWidth(cells[i]), ' ');
  }
  return out + "\n";
}

// A spreadsheet takes what begins like this for a formula, unless it is a number.
std::string NoFormula(std::string cell) {
  const size_t at = cell.find_first_not_of(' ');
  if (at == std::string::npos || std::string_view("=+-@").find(cell[at]) == std::string_view::npos) return cell;
  char* end = nullptr;
  (void)std::strtod(cell.c_str(), &end);
  // -12 and 1e5 are numbers and stay; =SUM(…) and +cmd are formulas.
  const bool number =
      end == cell.c_str() + cell.size() && cell.find_first_not_of("+-.0123456789e") == std::string::npos;
  return number ? cell : "'" + cell;
}

// A cell without a value is empty.
std::string Table(const QueryTable& table, bool aligned) {
  const auto cell = [&](std::string_view text) {
    // Names in a timeline come from logs: escaped for the terminal, and in tsv for a spreadsheet as well.
    return aligned ? EscapeTerminal(text) : NoFormula(EscapeTerminal(text));
  };
  std::vector<std::vector<std::string>> cells;
  std::vector<std::string>& names = cells.emplace_back();
  for (const std::string& name : table.columns) names.push_back(cell(name));
  for (const auto& row : table.rows) {
    std::vector<std::string>& line = cells.emplace_back();
    for (const std::optional<std::string>& value : row) line.push_back(cell(value.value_or("")));
  }
  std::vector<size_t> widths(aligned ? table.columns.size() : 0);
  for (const std::vector<std::string>& line : cells) {
    for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], DisplayWidth(line[i]));
  }
  std::string out;
  for (const std::vector<std::string>& line : cells) out += Join(line, widths);
  return out;
}

// As JSON writes one: no leading zeros, no sign in front of a plus; of a size that readers keep exactly.
bool IsNumber(const std::string& text) {
  const size_t digits = text.find_first_not_of('-');
  // A double keeps fifteen digits: a longer one stays a text, as ids and addresses are.
  if (digits > 1 || text.empty() || text.size() - digits > 15) return false;
  if (text.find_first_not_of("0123456789.", digits) != std::string::npos) return false;
  return nlohmann::json::accept(text) && (text[digits] != '0' || text.size() == digits + 1 || text[digits + 1] == '.');
}

// Names of columns as keys of an object, each once: a second `a` is a_2, as two of one name would be one to readers.
//    SELECT l.rank, r.rank FROM …   rank, rank_2
std::vector<std::string> Keys(const std::vector<std::string>& columns) {
  std::vector<std::string> keys;
  for (const std::string& column : columns) keys.push_back(SanitizeUtf8(column));
  std::set<std::string> taken(keys.begin(), keys.end()), seen;
  for (std::string& key : keys) {
    if (seen.insert(key).second) continue;
    std::string fresh;
    for (size_t n = 2; fresh.empty() || !taken.insert(fresh).second; ++n) fresh = key + "_" + std::to_string(n);
    key = std::move(fresh);
  }
  return keys;
}

// An array of objects; NULL is null, numbers are numbers.
std::string Json(const QueryTable& table) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  const std::vector<std::string> keys = Keys(table.columns);
  for (const auto& row : table.rows) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (size_t i = 0; i < row.size(); ++i) {
      // SQLite's text may be any bytes; JSON's may not.
      nlohmann::ordered_json& cell = object[keys[i]];
      if (row[i])
        cell =
            IsNumber(*row[i]) ? nlohmann::ordered_json::parse(*row[i]) : nlohmann::ordered_json(SanitizeUtf8(*row[i]));
    }
    out.push_back(std::move(object));
  }
  return EscapeJsonHidden(out.dump(2)) + "\n";
}

class QueryCommand : public Subcommand {
 public:
  std::string_view name() const override { return "query"; }
  CommandText text() const override {
    static const std::string kAbout = About();
    CommandText text = kQueryText;
    text.about = kAbout;
    return text;
  }

  void AddOptions(CLI::App* app) override {
    app->add_option("DB", database_)->required();
    sql_option_ = app->add_option("SQL", sql_);
    app->add_option("--format", format_, "table (default on a terminal), tsv (default otherwise), json")
        ->type_name("F")
        ->check(CLI::IsMember({"table", "tsv", "json"}));
  }

  int Run() override {
    LimitQueryMemory();
    // A file that is no timeline is refused before any SQL is read.
    const Result<std::unique_ptr<ReadOnlyTimeline>> timeline = OpenExisting(database_);
    if (!timeline.ok()) {
      Complain(timeline.status().message());
      return kExitTrouble;
    }
    // `@slowest`: the SQL is that of the table, and read-only like any other.
    if (sql_.starts_with('@')) {
      const auto saved = SavedQueries();
      const auto it =
          std::find_if(saved.begin(), saved.end(), [&](const SavedQuery& q) { return q.name == sql_.substr(1); });
      if (it == saved.end()) {
        std::vector<std::string> names;
        for (const SavedQuery& each : saved) names.push_back("@" + std::string(each.name));
        Complain(sql_ + ": no query has that name" + DidYouMean(sql_, names, Language::kEnglish));
        return kExitTrouble;
      }
      sql_ = it->sql;
    }
    const Result<QueryTable> table =
        sql_option_->count() == 0 ? Views(*timeline.value()) : timeline.value()->Select(sql_);
    if (!table.ok()) {
      Complain(table.status().message());
      return kExitTrouble;
    }
    // A table for eyes, tab-separated values for programs.
    if (format_.empty()) format_ = IsTerminal(STDOUT_FILENO) ? "table" : "tsv";
    const std::string out = format_ == "json" ? Json(table.value()) : Table(table.value(), format_ == "table");
    return WriteStandardOutput(out) == Written::kFailed ? kExitTrouble : 0;
  }

 private:
  // Each view with its columns.
  static Result<QueryTable> Views(ReadOnlyTimeline& timeline) {
    QueryTable out;
    out.columns = {"view", "columns"};
    for (const SchemaPart& part : SchemaParts()) {
      if (!IsPublicView(part.name)) continue;
      const Result<QueryTable> table = timeline.Select("SELECT * FROM \"" + part.name + "\" LIMIT 0");
      if (!table.ok()) continue;  // the file is of an earlier build, which did not have it
      std::string columns;
      for (const std::string& column : table.value().columns) columns += (columns.empty() ? "" : " ") + column;
      out.rows.push_back({part.name, columns});
    }
    for (const SavedQuery& query : SavedQueries()) {
      out.rows.push_back({"query DB @" + std::string(query.name), std::string(query.text)});
    }
    return out;
  }

  CLI::Option* sql_option_ = nullptr;
  std::string database_;
  std::string sql_;
  std::string format_;
};

}  // namespace

std::unique_ptr<Subcommand> NewQueryCommand() { return std::make_unique<QueryCommand>(); }

}  // namespace ncclwhy
