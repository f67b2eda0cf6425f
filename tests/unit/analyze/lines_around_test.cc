#include "analyze/lines_around.h"

#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

SourceFacts FactsOf(const std::vector<uint32_t>& lines) {
  SourceFacts facts;
  for (const uint32_t line : lines) {
    Event event;
    event.line = line;
    event.text = facts.strings.Intern("line " + std::to_string(line));
    facts.events.push_back(event);
  }
  return facts;
}

std::vector<uint64_t> Around(const SourceFacts& facts, uint32_t line) {
  std::vector<uint64_t> out;
  for (const ContextLine& near : LinesAround(facts, line)) {
    CHECK(near.text == "line " + std::to_string(near.line));
    out.push_back(near.line);
  }
  return out;
}

using Lines = std::vector<uint64_t>;

TEST_CASE("the nearest lines on both sides, in order, without the line itself", "[analyze]") {
  const SourceFacts facts = FactsOf({1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(Around(facts, 5) == Lines{2, 3, 4, 6, 7, 8});
  CHECK(Around(facts, 1) == Lines{2, 3, 4});
  CHECK(Around(facts, 9) == Lines{6, 7, 8});
}

TEST_CASE("a line that is several events stands once, and one that the parser did not keep has neighbours",
          "[analyze]") {
  CHECK(Around(FactsOf({1, 1, 2, 2, 4, 4, 5}), 3) == Lines{1, 2, 4, 5});
  CHECK(Around(FactsOf({3, 3, 3}), 3).empty());
  CHECK(Around(FactsOf({}), 3).empty());
}

TEST_CASE("what is far away is no context", "[analyze]") {
  CHECK(Around(FactsOf({1, 100, 141}), 101) == Lines{100, 141});
  CHECK(Around(FactsOf({1, 100, 142}), 101) == Lines{100});
  CHECK(Around(FactsOf({4294967295u}), 4294967290u) == Lines{4294967295u});
}

}  // namespace
}  // namespace ncclwhy
