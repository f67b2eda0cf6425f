// The picture of the story: its lanes, its stamps, its foot.
#include "report/story_lanes.h"

#include <string>

#include "catch.h"
#include "report/html_parts.h"
#include "report/renderer.h"
#include "report/stamp_text.h"

namespace ncclwhy {
namespace {

bool Says(const std::string& text, std::string_view needle) { return text.find(needle) != std::string::npos; }

Report StoryOf(int32_t ranks) {
  Report report;
  report.verdict = Verdict::kFailure;
  report.causes.emplace_back();
  report.causes[0].id = "app.rank-stalled";
  Culprit culprit;
  culprit.rank = 3;
  report.causes[0].culprits = {culprit};
  report.axis = TrackAxis::kSeconds;
  TimelineStep progress, root, ending;
  progress.kind = "progress";
  progress.time = "1795345792.540";
  progress.what = "22 of 60 steps";
  progress.seconds = progress.at = 0;
  root.kind = "root";
  root.rank = 3;
  root.time = "2026-11-22 11:09:58,643";
  root.what = "all others wait for it";
  root.seconds = root.at = 6;
  ending.kind = "ending";
  ending.what = "saw no progress and gave up";
  ending.seconds = ending.at = 6.5;
  for (int32_t rank = 0; rank < ranks; ++rank) {
    RankTrack track;
    track.rank = rank;
    track.host = "node" + std::to_string(rank / 8);
    track.culprit = rank == 3;
    // No two ranks are alike to the millisecond.
    track.parts = {{"work", 0, (rank == 3 ? 3 : 4) + rank * 1e-5, "step 22/60"}};
    report.tracks.push_back(track);
    if (rank != 3) ending.ranks.push_back(rank);
  }
  ending.count = ending.ranks.size();
  report.timeline = {progress, root, ending};
  report.span = JobSpan{"1795345792.540", "2026-11-22T11:09:59", 6.46};
  return report;
}

TEST_CASE("ranks that look alike are one lane, whoever is blamed stands on top", "[report]") {
  const Words& words = WordsOf(Language::kEnglish);
  const StoryLanes story = LanesOf(StoryOf(8), words, 60);
  REQUIRE(story.lanes.size() == 3);
  CHECK(story.lanes[0].label == "rank 3 node0");
  CHECK(story.lanes[0].culprit);
  CHECK(story.lanes[1].label == words.job);
  CHECK(story.lanes[2].label == "ranks 0-2, 4-7 node0");
  CHECK(story.lanes[2].steps == std::vector<size_t>{2});
  CHECK(story.end == 6.5);
}

TEST_CASE("16,384 ranks are a few lanes", "[report]") {
  const Report report = StoryOf(16384);
  const StoryLanes story = LanesOf(report, WordsOf(Language::kEnglish), 60);
  CHECK(story.lanes.size() <= 8);
  CHECK(story.left_out == 0);
  CHECK(story.lanes[0].culprit);
  CHECK(StoryPicture(report, WordsOf(Language::kEnglish)).size() < 20000);
}

TEST_CASE("no more lanes than there is room for", "[report]") {
  Report report = StoryOf(200);
  // Each does something else.
  for (RankTrack& track : report.tracks) {
    for (int32_t i = 0; i < track.rank; ++i) track.parts.push_back({"alarm", 1, 1, "x", "a.log", 1});
  }
  const StoryLanes story = LanesOf(report, WordsOf(Language::kEnglish), 60);
  CHECK(story.lanes.size() == 60);
  CHECK(story.left_out > 100);
  CHECK(Says(StoryPicture(report, WordsOf(Language::kEnglish)), "more lanes"));
}

TEST_CASE("stamps have one form", "[report]") {
  CHECK(StampText("2026-11-22 11:09:13,887") == "2026-11-22 11:09:13.887");
  CHECK(StampText("2026-11-22T11:09:13.887123Z") == "2026-11-22 11:09:13.887");
  CHECK(StampText("1795345798.551") == "2026-11-22 11:09:58.551");
  CHECK(StampText("1795345798") == "2026-11-22 11:09:58");
  CHECK(StampText("Sun Nov 22 11:10:58 2026") == "2026-11-22 11:10:58");
  CHECK(StampText("Nov 22 11:10:58") == "11-22 11:10:58");
  CHECK(StampText("11:10:58.25") == "11:10:58.25");
  CHECK(StampText("131453.740743") == "131453.740743");
  CHECK(StampText("no stamp") == "no stamp");
  CHECK(ClockText("Sun Nov 22 11:10:58 2026") == "11:10:58");
  CHECK(DayText("2026-11-22 11:09:13,887") == "2026-11-22");
  CHECK(DayText("11:10:58").empty());
}

TEST_CASE("the foot of a page tells dates, how long it took and what was typed", "[report]") {
  RenderOptions options;
  options.command = "ncclwhy --format html 'a<b'";
  const std::string page = RenderHtml(StoryOf(4), options);
  CHECK(Says(page, "2026-11-22 11:09:52.540 \xE2\x80\x93 11:09:59 (took 6.5 s)"));
  CHECK(Says(page, "ncclwhy --format html &#39;a&lt;b&#39;"));
  CHECK(Says(page, "<time>11:09:58.643</time>"));
  options.command = std::string(4000, 'x');
  CHECK(RenderHtml(StoryOf(4), options).size() < page.size() + 400);
}

}  // namespace
}  // namespace ncclwhy
