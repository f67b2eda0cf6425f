// How far each rank got: one row a rank (or group of hosts), one column a stage.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/escape.h"
#include "base/utf8.h"
#include "job/stage.h"
#include "report/html_parts.h"
#include "report/phrases.h"

namespace ncclwhy {
namespace {

// Those of job/stage.h but "none". Abort and destroy share the last column.
constexpr int kStages = static_cast<int>(Stage::kDestroyed);

// 1 for the first one; 0: none.
// A name that no stage has is "none" as well: so is that of a rank that was not seen.
int StageIndex(std::string_view stage) {
  int at = kStages;
  while (at > 0 && StageName(static_cast<Stage>(at)) != stage) --at;
  return at;
}

// What one row shows: a rank, a host, or hosts that are alike.
struct Row {
  std::string label;
  std::string hint;
  int least = 0;  // stages reached: by all, by some
  int most = 0;
  size_t ranks = 0;
  size_t unseen = 0;
  bool culprit = false;
};

Row RowOf(const Report& report, const ReportRank& rank, const Words& words) {
  Row row;
  row.label = Filled(words.rank, std::to_string(rank.rank));
  if (!rank.host.empty()) row.label += " " + rank.host;
  row.hint = rank.seen ? fmt::format("{}: {} {}", rank.stage, FileLine(rank.file, rank.last_line), rank.last_text)
                       : std::string(words.unseen);
  row.least = row.most = StageIndex(rank.stage);
  row.ranks = 1;
  row.unseen = rank.seen ? 0 : 1;
  row.culprit = IsBlamed(report, rank);
  return row;
}

// One row a host; then hosts in the same state become one row, unless they hold a culprit.
std::vector<Row> HostRows(const Report& report, const std::vector<ReportRank>& ranks, const Words& words) {
  std::map<std::string, Row> hosts;
  for (const ReportRank& rank : ranks) {
    Row& row = hosts[rank.host];
    const int stage = StageIndex(rank.stage);
    row.least = row.ranks == 0 ? stage : std::min(row.least, stage);
    row.most = std::max(row.most, stage);
    ++row.ranks;
    row.unseen += rank.seen ? 0 : 1;
    if (rank.culprit) {
      row.label += " " + Filled(words.rank, std::to_string(rank.rank));
    }
    row.culprit |= IsBlamed(report, rank);
  }
  std::vector<Row> rows;
  std::map<std::array<size_t, 4>, std::pair<size_t, size_t>> alike;  // state → (row, hosts in it)
  for (auto& [host, row] : hosts) {
    const std::string name = host.empty() ? std::string(words.unseen) : host;
    row.hint = name;
    row.label = name + row.label;
    if (!row.culprit) {
      // Hosts of which as many ranks came as far: which of them it was does not count.
      const std::array<size_t, 4> state = {static_cast<size_t>(row.least), static_cast<size_t>(row.most), row.ranks,
                                           row.unseen};
      const auto [it, fresh] = alike.try_emplace(state, rows.size(), 1);
      if (!fresh) {
        Row& group = rows[it->second.first];
        group.label = Counted(words.hosts_alike, ++it->second.second);
        // The names go into the tooltip, as far as some 2000 bytes.
        if (group.hint.size() < 2000) group.hint += " " + name;
        continue;
      }
    }
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.culprit && !b.culprit; });
  return rows;
}

}  // namespace

// A culprit without a rank is a host: then all of its ranks are.
bool IsBlamed(const Report& report, const ReportRank& rank) {
  if (rank.culprit) return true;
  if (report.verdict != Verdict::kFailure || report.causes.empty() || rank.host.empty()) return false;
  const std::vector<Culprit>& culprits = report.causes.front().culprits;
  return std::any_of(culprits.begin(), culprits.end(),
                     [&](const Culprit& culprit) { return culprit.rank < 0 && culprit.host == rank.host; });
}

// Empty without a communicator. Of the first communicator, which is the largest.
std::string RankPicture(const Report& report, const Words& words) {
  if (report.job.communicators.empty() || report.job.communicators.front().ranks.empty()) return {};
  const std::vector<ReportRank>& ranks = report.job.communicators.front().ranks;
  std::vector<Row> rows;
  if (ranks.size() <= kPictureRows) {
    for (const ReportRank& rank : ranks) rows.push_back(RowOf(report, rank, words));
  } else {
    rows = HostRows(report, ranks, words);
  }
  size_t left = 0;
  if (rows.size() > 4 * kPictureRows) {
    left = rows.size() - 4 * kPictureRows;
    rows.resize(4 * kPictureRows);
  }

  constexpr size_t kLabelColumns = 40;
  size_t widest = 0;
  bool partly = false;
  for (const Row& row : rows) {
    widest = std::max(widest, std::min(DisplayWidth(row.label), kLabelColumns));
    // Explained below the picture only when there is such a row.
    partly |= row.least < row.most && row.unseen < row.ranks;
  }
  const int label_width = static_cast<int>(widest) * 8 + 12;
  constexpr int kColumn = 88;
  constexpr int kRow = 18;
  const int columns = kStages;
  const int width = label_width + columns * kColumn + 110;
  const int height = (static_cast<int>(rows.size()) + 2) * kRow;
  std::string out = fmt::format(
      "<div class=\"scroll\"><svg width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">\n", width, height);
  for (int i = 0; i < columns; ++i) {
    const int x = label_width + i * kColumn;
    out += fmt::format(
        "<text class=\"head\" x=\"{}\" y=\"13\">{}</text><line class=\"grid\" x1=\"{}\" y1=\"18\" x2=\"{}\" "
        "y2=\"{}\"/>\n",
        x + 4, StageName(static_cast<Stage>(i + 1)), x, x, height);
  }
  int y = kRow + 4;
  for (const Row& row : rows) {
    out += fmt::format("<g data-item=\"\"><title>{}</title>", EscapeHtml(row.hint));
    out += fmt::format("<text x=\"0\" y=\"{}\"{}>{}</text>", y + 12, row.culprit ? " class=\"mark\"" : "",
                       EscapeHtml(PrefixOfWidth(row.label, kLabelColumns)));
    const char* style = row.culprit ? "bad" : "bar";
    if (row.unseen == row.ranks) {
      out += fmt::format("<rect class=\"none\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"12\"/>", label_width + 1, y + 2,
                         columns * kColumn - 2);
      out += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>", row.culprit ? "mark" : "head",
                         label_width + 8, y + 12, EscapeHtml(words.unseen));
    } else {
      const int sure = std::max(row.least, 0) * kColumn;
      const int some = std::max(row.most, 0) * kColumn;
      out += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"12\"/>", style, label_width, y + 2,
                         std::max(sure, 4));
      if (some > sure) {
        out += fmt::format("<rect class=\"{}\" opacity=\"0.45\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"12\"/>", style,
                           label_width + sure, y + 2, some - sure);
      }
      if (row.culprit) {
        out += fmt::format("<text class=\"mark\" x=\"{}\" y=\"{}\">&#10007; {}</text>",
                           label_width + std::max(some, 4) + 4, y + 12, EscapeHtml(words.first_failure));
      }
    }
    out += "</g>\n";
    y += kRow;
  }
  out += "</svg></div>\n";
  if (partly) out += fmt::format("<p class=\"dim\">{}</p>\n", EscapeHtml(words.some_ranks));
  if (left > 0) out += fmt::format("<p class=\"dim\">{}</p>\n", EscapeHtml(Counted(words.more_items, left)));
  return out;
}

}  // namespace ncclwhy
