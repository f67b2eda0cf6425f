// The story on a line of time: what each rank did, ranks that look alike in one lane, whoever is blamed on top; and how
// many collectives the ranks issued, where the story has a clock.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "base/escape.h"
#include "base/rank_list.h"
#include "base/utf8.h"
#include "report/clock_words.h"
#include "report/html_parts.h"
#include "report/phrases.h"
#include "report/stamp_text.h"
#include "report/story_lanes.h"

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

std::string Shortened(std::string_view label) {
  if (DisplayWidth(label) <= kStoryColumns) return std::string(label);
  return std::string(PrefixOfWidth(label, kStoryColumns - 1)) + "\xE2\x80\xA6";  // …
}

std::string RowLabel(int y, std::string_view text, bool culprit) {
  return fmt::format("<text x=\"0\" y=\"{}\"{}>{}</text>", y + 14, culprit ? " class=\"mark\"" : "",
                     EscapeHtml(Shortened(text)));
}

// What a mark is, in the legend and in a lane.
struct Mark {
  std::string_view kind;  // of a part, or of a step
  std::string_view Words::*means;
  const char* css;
};
constexpr Mark kMarks[] = {{"log", &Words::lane_log, "log"},    {"work", &Words::lane_work, "bar"},
                           {"wait", &Words::lane_wait, "wait"}, {"alarm", &Words::lane_alarm, "t2"},
                           {"root", &Words::lane_broke, "bad"}, {"ending", &Words::lane_ended, "bad"}};

// The shape of a mark from `x` to `to`, its middle at `y`.
std::string Shape(std::string_view kind, const char* css, int x, int to, int y) {
  const auto bar = [&](int height) {
    return fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">", css, x, y - height / 2,
                       std::max(to - x, 3), height);
  };
  if (kind == "log") return bar(2);
  if (kind == "work" || kind == "wait") return bar(10);
  if (kind == "ending")
    return fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"9\" height=\"9\">", css, x - 4, y - 4);
  return fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"{}\">", css, x, y, kind == "root" ? 7 : 5);
}
const char* EndOf(std::string_view shape) { return shape.starts_with("<rect") ? "</rect>" : "</circle>"; }

// Draws the lanes below one another.
class StoryDrawing {
 public:
  StoryDrawing(const Report& report, const Words& words)
      : report_(report), words_(words), story_(LanesOf(report, words, kLanes)) {}

  std::string Draw() {
    std::vector<std::string> labels;
    for (const StoryLane& lane : story_.lanes) labels.push_back(lane.label);
    left_ = LabelWidth(labels);
    const int height = (static_cast<int>(story_.lanes.size()) + 1) * kRow + 6;
    std::string out = Open(left_ + kPlot + 60, height) + Axis(height);
    int y = kRow;
    for (const StoryLane& lane : story_.lanes) {
      out += Lane(lane, y);
      y += kRow;
    }
    out += "</svg></div>\n" + Legend();
    if (story_.left_out > 0) out += HtmlParagraph(Counted(words_.lanes_left, story_.left_out), "dim");
    if (report_.axis == TrackAxis::kCalls) out += HtmlParagraph(words_.axis_calls, "dim");
    if (report_.axis == TrackAxis::kSteps) out += HtmlParagraph(words_.axis_steps, "dim");
    return out;
  }

 private:
  int PlaceOf(double at) const {
    const double length = story_.end - story_.begin;
    const double part = length > 0 ? std::clamp((at - story_.begin) / length, 0.0, 1.0) : 0;
    return left_ + 8 + static_cast<int>(part * (kPlot - 24));
  }

  // Seconds since the first step, at which the time of the day stands, or the number of a call, in round numbers. The
  // order of steps has none.
  std::string Axis(int height) const {
    std::string out;
    const double unit = report_.axis != TrackAxis::kSeconds || story_.end - story_.begin < kLongSeconds ? 1
                        : story_.end - story_.begin < kLongMinutes                                      ? kMinute
                                                                                                        : kHour;
    const double step = unit * RoundStep((story_.end - story_.begin) / unit / kTicks);
    for (double at = std::ceil(story_.begin / step) * step; at <= story_.end + step / 8; at += step) {
      const int x = PlaceOf(at);
      out += fmt::format("<line class=\"grid\" x1=\"{0}\" y1=\"18\" x2=\"{0}\" y2=\"{1}\"/>", x, height);
      std::string text = fmt::format("{:.4g}", at / unit);
      if (report_.axis == TrackAxis::kSteps) text.clear();
      if (report_.axis == TrackAxis::kSeconds) {
        const auto first = std::find_if(report_.timeline.begin(), report_.timeline.end(),
                                        [](const TimelineStep& s) { return s.seconds == 0 && s.moved == 0; });
        const bool zero = std::abs(at) < step / 2;
        text = zero && first != report_.timeline.end() ? ClockText(first->time)
                                                       : text + (unit == 1         ? " s"
                                                                 : unit == kMinute ? " min"
                                                                                   : " h");
      }
      if (!text.empty()) {
        out += fmt::format("<text class=\"head\" x=\"{}\" y=\"13\">{}</text>\n", x + 4, EscapeHtml(text));
      }
    }
    return out;
  }

  // 1, 2 or 5 of a power of ten, and whole calls.
  double RoundStep(double least) const {
    double power = std::pow(10, std::floor(std::log10(std::max(least, 1e-3))));
    if (report_.axis != TrackAxis::kSeconds) power = std::max(power, 1.0);
    for (const double of : {1.0, 2.0, 5.0}) {
      if (of * power >= least) return of * power;
    }
    return 10 * power;
  }

  std::string Lane(const StoryLane& lane, int y) {
    std::string out = "<g data-item=\"\">";
    // All names as far as some 1000 bytes: of ranks in no order the list is long.
    out += fmt::format("<g><title>{}</title>{}</g>", EscapeHtml(PrefixOfWidth(lane.label, 1000)),
                       RowLabel(y, lane.label, lane.culprit));
    if (!lane.seen && lane.parts.empty()) {
      out += fmt::format("<text class=\"head\" x=\"{}\" y=\"{}\">{}</text>", left_ + 12, y + 14,
                         EscapeHtml(words_.unseen));
    }
    for (const Mark& mark : kMarks) {  // bars lie below moments
      for (const TrackPart& part : lane.parts) {
        const bool told = part.line > 0 && std::any_of(lane.steps.begin(), lane.steps.end(), [&](size_t i) {
                            return report_.timeline[i].file == part.file && report_.timeline[i].line == part.line;
                          });
        if (part.kind != mark.kind || told) continue;
        const std::string what = part.what + (part.line > 0 ? Aside(FileLine(part.file, part.line)) : std::string());
        const bool blamed = lane.culprit && mark.kind == "work";
        out += Draw(mark.kind, blamed ? "bad" : mark.css, part.from, part.to, y,
                    Filled(words_.label, words_.*mark.means) + what);
        drawn_.insert(mark.kind);
      }
    }
    double last = 0;
    for (const size_t i : lane.steps) {
      const TimelineStep& step = report_.timeline[i];
      // A step without a place of its own stands where the one before it does.
      if (step.at >= 0) last = step.at;
      const bool follows = step.kind == "consequence" || step.kind == "alarm";
      const bool bad = step.kind == "root" || step.kind == "ending";
      const std::string_view kind = follows ? "alarm" : bad ? std::string_view(step.kind) : "step";
      const char* const css = follows ? "t2" : bad ? "bad" : "bar";
      out += Draw(kind, css, last, last, y,
                  StepLine(step, words_) + MovedBy(step, words_) + " " + FileLine(step.file, step.line));
      drawn_.insert(kind);
    }
    return out + "</g>\n";
  }

  std::string Draw(std::string_view kind, const char* css, double from, double to, int y,
                   const std::string& title) const {
    const std::string shape = Shape(kind, css, PlaceOf(from), PlaceOf(to), y + kRow / 2 - 1);
    return shape + "<title>" + EscapeHtml(title) + "</title>" + EndOf(shape);
  }

  std::string Legend() const {
    std::string out;
    for (const Mark& mark : kMarks) {
      if (!drawn_.contains(mark.kind)) continue;
      const std::string shape = Shape(mark.kind, mark.css, 8, 20, 7);
      out += fmt::format("<span><svg width=\"24\" height=\"14\" aria-hidden=\"true\">{}{}</svg> {}</span> ", shape,
                         EndOf(shape), EscapeHtml(words_.*mark.means));
    }
    return out.empty() ? out : "<p class=\"dim legend\">" + out + "</p>\n";
  }

  static constexpr int kTicks = 4;
  static constexpr double kMinute = 60;
  static constexpr double kHour = 3600;
  static constexpr double kLongSeconds = 3 * kMinute;
  static constexpr double kLongMinutes = 3 * kHour;

  const Report& report_;
  const Words& words_;
  const StoryLanes story_;
  int left_ = 0;
  std::set<std::string_view> drawn_;
};

}  // namespace

std::string StoryPicture(const Report& report, const Words& words) {
  return report.timeline.size() < 2 ? std::string() : StoryDrawing(report, words).Draw();
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
