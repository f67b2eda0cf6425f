#include "rules/engine/bare_columns.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/text.h"

namespace ncclwhy {
namespace {

struct Token {
  std::string text;  // words in lower case, texts with their quotes
  size_t begin = 0;  // in the query
  size_t end = 0;
  bool word = false;
};

using Tokens = std::vector<Token>;

// SQL words, texts and single signs; `a.b` is one word.
// Comments are not known: queries of rules have none.
Tokens Split(std::string_view sql) {
  Tokens tokens;
  for (size_t at = 0; at < sql.size();) {
    const size_t begin = at;
    if (sql[at] == '\'' || sql[at] == '"') {
      const size_t close = sql.find(sql[at], at + 1);
      at = close == std::string_view::npos ? sql.size() : close + 1;
    } else if (IsWordChar(sql[at])) {
      while (at < sql.size() && (IsWordChar(sql[at]) || sql[at] == '.')) ++at;
    } else {
      ++at;
    }
    if (sql[begin] == ' ' || sql[begin] == '\n' || sql[begin] == '\t') continue;
    std::string text(sql.substr(begin, at - begin));
    const bool word = IsAlpha(text[0]) || text[0] == '_';
    if (word)
      std::transform(text.begin(), text.end(), text.begin(), [](char c) { return IsUpper(c) ? char(c + 32) : c; });
    tokens.push_back({std::move(text), begin, at, word});
  }
  return tokens;
}

template <size_t N>
bool IsOneOf(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The token behind the bracket that `open` opens.
// The number of tokens where it is never closed.
// So a bracket is passed over as a whole: what stands in it belongs to another SELECT, or to a call.
size_t Behind(const Tokens& t, size_t open) {
  int depth = 0;
  for (size_t i = open; i < t.size(); ++i) {
    if (t[i].text == "(") ++depth;
    if (t[i].text == ")" && --depth == 0) return i + 1;
  }
  return t.size();
}

// Where `word` stands outside of brackets, from `from` to `end`, or `end`.
size_t Outside(const Tokens& t, size_t from, size_t end, std::string_view word) {
  for (size_t i = from; i < end; ++i) {
    if (t[i].text == word) return i;
    if (t[i].text == "(") i = Behind(t, i) - 1;
  }
  return end;
}

constexpr std::array kAggregates = {std::string_view("min"),
                                    std::string_view("max"),
                                    std::string_view("avg"),
                                    std::string_view("sum"),
                                    std::string_view("total"),
                                    std::string_view("count"),
                                    std::string_view("group_concat"),
                                    std::string_view("json_group_array"),
                                    std::string_view("json_group_object")};

// One result expression: the aggregates in it and the columns that no aggregate takes in.
struct Expression {
  std::string text;
  std::vector<std::string> aggregates;
  std::vector<std::string> columns;
};

void Read(const Tokens& t, size_t from, size_t end, Expression* out) {
  constexpr std::array kNoColumns = {
      std::string_view("as"),   std::string_view("case"),    std::string_view("when"),     std::string_view("then"),
      std::string_view("else"), std::string_view("end"),     std::string_view("and"),      std::string_view("or"),
      std::string_view("not"),  std::string_view("null"),    std::string_view("is"),       std::string_view("in"),
      std::string_view("like"), std::string_view("glob"),    std::string_view("cast"),     std::string_view("integer"),
      std::string_view("text"), std::string_view("between"), std::string_view("distinct"), std::string_view("exists"),
      std::string_view("real"), std::string_view("over")};
  for (size_t i = from; i < end; ++i) {
    if (t[i].text == "(" && i + 1 < end && t[i + 1].text == "select") {
      i = Behind(t, i) - 1;  // looked at by itself
      continue;
    }
    if (!t[i].word) continue;
    // A word in front of a bracket is a function, not a column.
    const bool call = i + 1 < end && t[i + 1].text == "(";
    const size_t behind = call ? Behind(t, i + 1) : i + 1;
    if (call && behind + 1 < end && t[behind].text == "over") {  // a window has a row of its own
      i = t[behind + 1].text == "(" ? Behind(t, behind + 1) - 1 : behind + 1;
      continue;
    }
    if (call && IsOneOf(kAggregates, t[i].text)) {
      const bool one_argument = Outside(t, i + 2, behind - 1, ",") == behind - 1;
      if (one_argument || (t[i].text != "min" && t[i].text != "max")) {  // min(a, b) is no aggregate
        out->aggregates.push_back(t[i].text);
        i = behind - 1;
        if (behind + 1 < end && t[behind].text == "filter") i = Behind(t, behind + 1) - 1;
        continue;
      }
    }
    // The name that follows is given here, and not asked for.
    if (t[i].text == "as") {
      ++i;
    } else if (!call && !IsOneOf(kNoColumns, t[i].text)) {
      out->columns.push_back(t[i].text);
    }
  }
}

// One SELECT, from the token behind its first word to its end.
// A single min() or max() is fine: SQLite takes the other columns of the row that has it.
void CheckSelect(std::string_view sql, const Tokens& t, size_t begin, size_t end, std::vector<std::string>* bare) {
  // A SELECT without FROM has one row: nothing in it is bare.
  const size_t from = Outside(t, begin, end, "from");
  if (from == end) return;
  std::vector<Expression> results;
  for (size_t i = begin; i < from;) {
    const size_t comma = Outside(t, i, from, ",");
    Expression e;
    if (comma > i) e.text = std::string(sql.substr(t[i].begin, t[comma - 1].end - t[i].begin));
    Read(t, i, comma, &e);
    results.push_back(std::move(e));
    i = comma + 1;
  }
  std::vector<std::string> aggregates;
  for (const Expression& e : results) aggregates.insert(aggregates.end(), e.aggregates.begin(), e.aggregates.end());
  if (aggregates.empty()) return;
  if (aggregates.size() == 1 && (aggregates[0] == "min" || aggregates[0] == "max")) return;
  // What is grouped by: columns, numbers of results, names of results.
  //    GROUP BY host, 2, reason
  std::set<std::string> grouped;
  const size_t group = Outside(t, from, end, "group");
  size_t stop = end;
  for (const std::string_view word : {"having", "order", "limit"}) stop = std::min(stop, Outside(t, group, end, word));
  for (size_t i = std::min(group + 2, stop); i < stop; ++i) {
    if (t[i].word) grouped.insert(t[i].text);
    if (!IsDigit(t[i].text[0])) continue;
    // `GROUP BY 2` is the second result.
    const size_t number = t[i].text.size() < 3 ? std::stoul(t[i].text) : 0;
    if (number >= 1 && number <= results.size())
      grouped.insert(results[number - 1].columns.begin(), results[number - 1].columns.end());
  }
  // `GROUP BY name` where name is that of a result.
  for (const Expression& e : results) {
    const size_t as = e.text.size() < 4 ? std::string::npos : e.text.find_last_of(' ');
    if (as != std::string::npos && grouped.count(e.text.substr(as + 1)) != 0)
      grouped.insert(e.columns.begin(), e.columns.end());
  }
  const auto last = [](const std::string& name) { return name.substr(name.rfind('.') + 1); };
  for (const Expression& e : results) {
    for (const std::string& column : e.columns) {
      // `r.host` and `host` are taken for one: which table a bare name is of, the words do not tell.
      const bool known = std::any_of(grouped.begin(), grouped.end(),
                                     [&](const std::string& g) { return g == column || last(g) == last(column); });
      if (!known) {
        bare->push_back(e.text);
        break;
      }
    }
  }
}

}  // namespace

std::vector<std::string> BareColumns(std::string_view sql) {
  const Tokens t = Split(sql);
  std::vector<std::string> bare;
  for (size_t i = 0; i < t.size(); ++i) {
    if (t[i].text != "select") continue;
    // A subquery is a SELECT in brackets: found by itself, as its word comes, and passed over here.
    size_t end = i + 1;  // of this SELECT: its closing bracket, or a UNION beside it
    while (end < t.size() && t[end].text != ")" && t[end].text != "union") {
      end = t[end].text == "(" ? Behind(t, end) : end + 1;
    }
    CheckSelect(sql, t, i + 1, end, &bare);
  }
  return bare;
}

}  // namespace ncclwhy
