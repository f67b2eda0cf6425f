// The story on a line of time, a lane for who it speaks of; and how many collectives the ranks issued, ranks that are
// alike in one lane. The culprit's lane stands on top.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "base/escape.h"
#include "base/rank_list.h"
#include "base/utf8.h"
#include "report/clock_words.h"
#include "report/html_parts.h"
#include "report/phrases.h"

namespace ncclwhy {
namespace {

constexpr int kRow = 22;
constexpr int kPlot = 760;
constexpr size_t kStoryColumns = 40;
constexpr size_t kLanes = 60;

// Pixels, for a font of some 8 a column: SVG does not measure text by itself, and a browser's font is not known here.
int LabelWidth(const std::vector<std::string>& labels) {
  size_t widest = 0;
  for (const std::string& label : labels) widest = std::max(widest, std::min(DisplayWidth(label), kStoryColumns));
  return static_cast<int>(widest) * 8 + 12;
}

std::string Open(int width, int height) {
  return fmt::format("<div class=\"scroll\"><svg width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">\n",
                     width, height);
}

std::string RowLabel(int y, std::string_view text, bool culprit) {
  return fmt::format("<text x=\"0\" y=\"{}\"{}>{}</text>", y + 14, culprit ? " class=\"mark\"" : "",
                     EscapeHtml(PrefixOfWidth(text, kStoryColumns)));
}

// Only with a named cause: candidates are not accused.
bool IsCulprit(const Report& report, const TimelineStep& step) {
  if (NamedCause(report) == nullptr) return false;
  const std::vector<Culprit>& culprits = report.causes.front().culprits;
  return std::any_of(culprits.begin(), culprits.end(), [&](const Culprit& c) {
    return c.rank >= 0 ? c.rank == step.rank : !c.host.empty() && c.host == step.host;
  });
}

}  // namespace

std::string StoryPicture(const Report& report, const Words& words) {
  if (report.timeline.size() < 2) return {};
  struct Lane {
    std::string label;
    bool culprit;
    std::vector<size_t> steps;
  };
  // In the order in which they are first spoken of, the culprit's on top. A step that speaks of nobody is the job's.
  std::vector<Lane> lanes;
  for (size_t i = 0; i < report.timeline.size(); ++i) {
    const TimelineStep& step = report.timeline[i];
    Culprit who;
    who.rank = step.rank;
    who.host = step.host;
    std::string label = CulpritName(who, words);
    if (label.empty()) label = words.job;
    auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const Lane& l) { return l.label == label; });
    if (lane == lanes.end()) lane = lanes.insert(lanes.end(), {label, IsCulprit(report, step), {}});
    lane->steps.push_back(i);
  }
  std::stable_sort(lanes.begin(), lanes.end(), [](const Lane& a, const Lane& b) { return a.culprit && !b.culprit; });
  double most = 0;
  for (const TimelineStep& step : report.timeline) most = std::max(most, step.seconds);
  const bool clocks = most > 0;
  std::vector<int> places;
  double last = 0;
  for (size_t i = 0; i < report.timeline.size(); ++i) {
    // A step without a time stands where the one before it does. Without any time the steps stand at equal distances,
    // and the axis has no numbers.
    if (clocks && report.timeline[i].seconds >= 0) last = report.timeline[i].seconds / most;
    if (!clocks) last = static_cast<double>(i) / static_cast<double>(report.timeline.size() - 1);
    places.push_back(static_cast<int>(last * (kPlot - 24)) + 8);
  }
  std::vector<std::string> labels;
  for (const Lane& lane : lanes) labels.push_back(lane.label);
  const int left = LabelWidth(labels);
  const int height = (static_cast<int>(lanes.size()) + 2) * kRow;
  std::string out = Open(left + kPlot + 60, height);
  // The axis: seconds since the first step, or the order of the steps.
  for (int tick = 0; tick <= 4; ++tick) {
    const int x = left + 8 + tick * (kPlot - 24) / 4;
    out += fmt::format("<line class=\"grid\" x1=\"{0}\" y1=\"18\" x2=\"{0}\" y2=\"{1}\"/>", x, height);
    if (clocks) out += fmt::format("<text class=\"head\" x=\"{}\" y=\"13\">{:.4g} s</text>\n", x + 4, most * tick / 4);
  }
  int y = kRow;
  for (const Lane& lane : lanes) {
    out += "<g data-item=\"\">" + RowLabel(y, lane.label, lane.culprit);
    out += fmt::format("<rect class=\"{}\" opacity=\"0.3\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"4\"/>",
                       lane.culprit ? "bad" : "bar", left + places[lane.steps.front()], y + 8,
                       std::max(places[lane.steps.back()] - places[lane.steps.front()], 4));
    for (const size_t i : lane.steps) {
      const TimelineStep& step = report.timeline[i];
      const bool bad = step.kind == "root" || step.kind == "ending";
      out += fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"><title>{} {}</title></circle>",
                         bad                          ? "bad"
                         : step.kind == "consequence" ? "t2"
                                                      : "bar",
                         left + places[i], y + 10, step.kind == "root" ? 7 : 5,
                         EscapeHtml(StepLine(step, words) + MovedBy(step, words)),
                         EscapeHtml(FileLine(step.file, step.line)));
    }
    out += "</g>\n";
    y += kRow;
  }
  return out + "</svg></div>\n";
}

// Empty where no rank told of a collective, and with more than kLanes groups: then no two ranks are alike, and lanes
// show nothing.
std::string CallsPicture(const Report& report, const Words& words) {
  if (report.job.communicators.empty()) return {};
  struct Group {
    std::vector<int32_t> ranks;
    std::string host;
    bool one_host = true;
  };
  std::map<std::tuple<bool, int64_t>, Group> groups;  // culprits first, then who issued least
  int64_t most = 0;
  for (const ReportRank& rank : report.job.communicators.front().ranks) {
    if (rank.collectives < 0) continue;
    most = std::max(most, rank.collectives);
    Group& group = groups[{!IsBlamed(report, rank), rank.collectives}];
    group.one_host &= group.ranks.empty() || group.host == rank.host;
    group.host = rank.host;
    group.ranks.push_back(rank.rank);
  }
  if (most == 0 || groups.size() > kLanes) return {};
  std::vector<std::string> labels;
  for (const auto& [key, group] : groups) {
    std::string label = Filled(words.rank, RankListText(group.ranks));
    if (group.one_host && !group.host.empty()) label += " " + group.host;
    labels.push_back(std::move(label));
  }
  const int left = LabelWidth(labels);
  std::string out = Open(left + kPlot + 80, (static_cast<int>(groups.size()) + 1) * kRow);
  int y = 4;
  size_t lane = 0;
  for (const auto& [key, group] : groups) {
    const auto [innocent, calls] = key;
    const int width = static_cast<int>(static_cast<double>(calls) / static_cast<double>(most) * kPlot);
    out += fmt::format("<g data-item=\"\"><title>{}</title>", EscapeHtml(labels[lane])) +
           RowLabel(y, labels[lane], !innocent);
    out += fmt::format(
        "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"12\"/><text x=\"{}\" y=\"{}\">{}</text></g>\n",
        innocent ? "bar" : "bad", left, y + 4, std::max(width, 3), left + std::max(width, 3) + 6, y + 14, calls);
    y += kRow;
    ++lane;
  }
  return out + "</svg></div>\n";
}

}  // namespace ncclwhy
