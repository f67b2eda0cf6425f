#include "cli/steady_answer.h"

#include <string>
#include <vector>

#include "catch.h"

namespace ncclwhy {
namespace {

using Time = SteadyAnswer::Time;
using std::chrono::milliseconds;

Answer Of(const std::string& cause, double confidence, bool seen) { return {cause, confidence, seen, cause, cause}; }
const Answer kNone = {};

struct Step {
  int at;  // milliseconds
  Answer answer;
};

// What is told, one word each: "+a" first, ">b" changed, "-b" withdrawn. Asked after each step and at the end, when the
// log stands still from the last step on.
std::string Told(const std::vector<Step>& steps, int end) {
  SteadyAnswer steady;
  std::string out;
  const auto ask = [&](int at, bool current) {
    const auto news = steady.Tell(Time(milliseconds(1000000 + at)), current);
    if (!news) return;
    out += news->kind == SteadyAnswer::News::Kind::kFirst     ? "+"
           : news->kind == SteadyAnswer::News::Kind::kChanged ? ">"
                                                              : "-";
    out += news->answer.cause + "@" + std::to_string(at) + " ";
  };
  for (const Step& step : steps) {
    steady.See(step.answer, Time(milliseconds(1000000 + step.at)));
    ask(step.at, false);
  }
  if (end > 0) ask(end, true);
  return out;
}

TEST_CASE("an answer is told when it is sure and has lasted", "[follow]") {
  const Answer a = Of("a", 0.9, true), b = Of("b", 0.8, true), weak = Of("a", 0.69, true), gap = Of("g", 0.9, false);
  CHECK(Told({{0, a}}, 0).empty());
  CHECK(Told({{0, a}, {500, a}}, 0).empty());
  CHECK(Told({{0, a}, {500, a}, {1000, a}, {1500, a}}, 9000) == "+a@1000 ");
  CHECK(Told({{0, a}}, 900).empty());
  CHECK(Told({{0, a}}, 1000) == "+a@1000 ");
  CHECK(Told({{0, weak}, {5000, weak}}, 90000).empty());
  CHECK(Told({{0, a}, {500, b}, {1000, a}, {1500, b}}, 0).empty());  // neither lasts
  CHECK(Told({{0, a}, {500, weak}, {900, a}, {1500, a}}, 0).empty());
  CHECK(Told({{0, a}, {1000, a}, {2000, b}, {3000, b}}, 90000) == "+a@1000 >b@3000 ");
  CHECK(Told({{0, a}, {1000, a}, {2000, b}, {2500, a}, {9000, a}}, 90000) == "+a@1000 ");
}

TEST_CASE("what follows from missing lines is told late", "[follow]") {
  const Answer a = Of("a", 0.9, true), gap = Of("g", 0.9, false);
  CHECK(Told({{0, gap}, {29000, gap}}, 29999).empty());
  CHECK(Told({{0, gap}, {29000, gap}}, 30000) == "+g@30000 ");
  CHECK(Told({{0, gap}, {29000, kNone}}, 90000).empty());
  CHECK(Told({{0, a}, {1000, a}, {2000, kNone}}, 31000) == "+a@1000 ");
  CHECK(Told({{0, a}, {1000, a}, {2000, kNone}}, 32000) == "+a@1000 -a@32000 ");
  CHECK(Told({{0, kNone}}, 90000).empty());
}

}  // namespace
}  // namespace ncclwhy
