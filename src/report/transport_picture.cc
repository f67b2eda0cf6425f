// Who talks to whom over what: a matrix of ranks, or of hosts when the ranks are many.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/escape.h"
#include "base/utf8.h"
#include "report/html_parts.h"
#include "report/phrases.h"

namespace ncclwhy {
namespace {

constexpr size_t kNameColumns = 28;
constexpr int kMostSide = 860;
// Cells beyond this make a page that browsers are slow to show.
constexpr size_t kMostCells = 8192;

// Between two ranks, or two hosts: connections of several kinds may be folded into one.
struct Cell {
  std::map<std::string, int64_t> channels;  // by transport
};
using Matrix = std::map<std::pair<size_t, size_t>, Cell>;

// Instead of a picture where there is none, or it would have too many cells: "P2P/CUMEM 56".
std::string CountTable(const Job& job, const Words& words) {
  std::string out =
      fmt::format("<table><tr><th>{}</th><th>{}</th></tr>\n", EscapeHtml(words.transports), EscapeHtml(words.count));
  for (const auto& [transport, count] : job.transports) {
    if (count == 0) continue;
    out += fmt::format("<tr data-item=\"\"><td>{}</td><td>{}</td></tr>\n", EscapeHtml(transport), count);
  }
  return out + "</table>\n";
}

struct Label {
  std::string name;
  bool culprit = false;
};

// The colour of a transport says its kind in every report: green is memory, blue a socket, orange and purple RDMA.
size_t ColorOf(std::string_view transport) {
  const bool gdr = transport.find("GDR") != std::string_view::npos;
  if (transport.starts_with("P2P")) return 0;
  if (transport.starts_with("NET/Socket")) return 1;
  if (transport.starts_with("NET/IB")) return gdr ? 3 : 2;
  if (transport.starts_with("SHM")) return 4;
  if (transport.starts_with("NET")) return gdr ? 6 : 5;
  return 7;
}

// Names at the left and, where they can be read, above.
void DrawLabels(const std::vector<Label>& labels, int left, int top, int cell, std::string* out) {
  const int side = static_cast<int>(labels.size()) * cell;
  const size_t step = cell >= 12 ? 1 : static_cast<size_t>(12 / cell + 1);
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto blamed = [](const Label& label) { return label.culprit; };
    const auto first = labels.begin() + static_cast<ptrdiff_t>(i < step ? 0 : i - step + 1);
    const auto last = labels.begin() + static_cast<ptrdiff_t>(std::min(i + step, labels.size()));
    // Few names fit; those of culprits take the place of their neighbours'.
    if (!labels[i].culprit && (i % step != 0 || std::any_of(first, last, blamed))) continue;
    const int at = static_cast<int>(i) * cell;
    const char* css = labels[i].culprit ? "mark" : "head";
    const std::string name = EscapeHtml(PrefixOfWidth(labels[i].name, kNameColumns));
    *out += fmt::format("<text class=\"{}\" x=\"0\" y=\"{}\">{}</text>", css, top + at + std::max(cell - 4, 8), name);
    *out += fmt::format("<line class=\"grid\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>", left, top + at, left + side,
                        top + at);
    *out += fmt::format("<text class=\"{0}\" transform=\"translate({1} {2}) rotate(-90)\">{3}</text>\n", css,
                        left + at + std::max(cell - 4, 8), top - 6, name);
  }
}

// A cell has the colour of the transport with the most channels; a second kind is marked, and all stand in the hint.
std::string Draw(const Matrix& matrix, const std::vector<Label>& labels, const Words& words) {
  std::map<std::string, size_t> legend;
  bool mixed = false;
  for (const auto& [at, cell] : matrix) {
    for (const auto& [transport, channels] : cell.channels) legend.try_emplace(transport, ColorOf(transport));
    mixed |= cell.channels.size() > 1;
  }
  size_t widest = 0;
  for (const Label& label : labels) widest = std::max(widest, std::min(DisplayWidth(label.name), kNameColumns));

  // As large as fits, between 3 pixels (a dot) and 18 (room for a name).
  const int cell = std::clamp(kMostSide / static_cast<int>(labels.size()), 3, 18);
  const int side = static_cast<int>(labels.size()) * cell;
  const int left = static_cast<int>(widest) * 8 + 12;
  const int top = left;
  const int width = left + side + 240;
  const int height = top + std::max(side, static_cast<int>(legend.size()) * 20) + 24;
  std::string out = fmt::format(
      "<div class=\"scroll\"><svg width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">\n", width, height);
  DrawLabels(labels, left, top, cell, &out);
  for (const auto& [at, entry] : matrix) {
    std::string hint = fmt::format("{} → {}:", labels[at.first].name, labels[at.second].name);
    const std::pair<const std::string, int64_t>* most = nullptr;
    for (const auto& channels : entry.channels) {
      hint += fmt::format(" {} ({} {})", channels.first, channels.second, words.channels);
      if (most == nullptr || channels.second > most->second) most = &channels;
    }
    out += fmt::format("<rect class=\"t{}{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title></rect>\n",
                       ColorOf(most->first), entry.channels.size() > 1 ? " mix" : "",
                       left + static_cast<int>(at.second) * cell + 1, top + static_cast<int>(at.first) * cell + 1,
                       std::max(cell - 2, 2), std::max(cell - 2, 2), EscapeHtml(hint));
  }
  int y = top + 12;
  for (const auto& [transport, color] : legend) {
    out += fmt::format(
        "<rect class=\"t{}\" x=\"{}\" y=\"{}\" width=\"12\" height=\"12\"/><text x=\"{}\" y=\"{}\">{}</text>\n", color,
        left + side + 16, y - 10, left + side + 34, y, EscapeHtml(transport));
    y += 20;
  }
  out += "</svg></div>\n";
  return out + fmt::format("<p class=\"dim\">{} ↓ {} →. {}</p>\n", EscapeHtml(words.from), EscapeHtml(words.to),
                           mixed ? EscapeHtml(words.more_channels) : std::string());
}

}  // namespace

std::string TransportPicture(const Report& report, const Words& words) {
  const Job& job = report.job;
  if (job.edges.empty()) return job.transports.empty() ? std::string() : CountTable(job, words);
  std::map<int32_t, std::string> host_of;
  std::set<int32_t> bad_ranks;
  std::set<std::string> bad_hosts;
  if (!job.communicators.empty()) {
    for (const ReportRank& rank : job.communicators.front().ranks) {
      host_of[rank.rank] = rank.host;
      if (!IsBlamed(report, rank)) continue;
      bad_ranks.insert(rank.rank);
      bad_hosts.insert(rank.host);
    }
  }
  std::map<int32_t, size_t> ranks;
  std::map<std::string, size_t> hosts;
  for (const TransportEdge& edge : job.edges) {
    for (const int32_t rank : {edge.from, edge.to}) {
      ranks.try_emplace(rank, 0);
      hosts.try_emplace(host_of[rank], 0);
    }
  }
  // Ranks while their names can be read, then hosts; beyond that nobody finds anything in a matrix.
  const bool by_rank = ranks.size() <= kMatrixRows;
  if (!by_rank && hosts.size() > kMatrixHosts) return CountTable(job, words);

  std::vector<Label> labels;
  for (auto& [rank, index] : ranks) {
    index = labels.size();
    if (by_rank) {
      labels.push_back({Filled(words.rank, std::to_string(rank)) + " " + host_of[rank], bad_ranks.contains(rank)});
    }
  }
  for (auto& [host, index] : hosts) {
    index = labels.size();
    if (!by_rank) {
      labels.push_back({host.empty() ? std::string(words.unseen) : host, bad_hosts.contains(host)});
    }
  }
  Matrix matrix;
  for (const TransportEdge& edge : job.edges) {
    const size_t from = by_rank ? ranks[edge.from] : hosts[host_of[edge.from]];
    const size_t to = by_rank ? ranks[edge.to] : hosts[host_of[edge.to]];
    matrix[{from, to}].channels[edge.transport] += edge.channels;
  }
  if (matrix.size() > kMostCells) return CountTable(job, words);
  return Draw(matrix, labels, words);
}

}  // namespace ncclwhy
