#include "read/side_rows.h"

#include <string>

#include "base/limits.h"
#include "catch.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

SourceFacts FactsOf(const std::string& text) {
  Parser parser("table.txt", nullptr, nullptr, {});
  parser.Push(text);
  SourceFacts facts = parser.Finish();
  KeepSideRows(text, &facts);
  return facts;
}

std::string Table(size_t rows) {
  std::string text;
  for (size_t i = 0; i < rows; ++i) text += "n" + std::to_string(i) + " 580.82\n";
  return text;
}

TEST_CASE("the lines of a short text beside the log are kept, with their numbers", "[read]") {
  const SourceFacts facts = FactsOf("host driver\r\n\nn1 580.82\n   \nn2 570.13");
  REQUIRE(facts.rows.size() == 3);
  CHECK(facts.Str(facts.rows[0].text) == "host driver");
  CHECK(facts.rows[1].line == 3);
  CHECK(facts.Str(facts.rows[2].text) == "n2 570.13");
}

TEST_CASE("a log, a long text and a single line have none; a long line is clipped", "[read]") {
  CHECK(FactsOf("n1:7:9 [0] NCCL INFO cudaDriverVersion 12040\nn1 580.82\n").rows.empty());
  CHECK(FactsOf("n1 580.82\n").rows.empty());
  CHECK(FactsOf(Table(limits::kSideRows)).rows.size() == limits::kSideRows);
  CHECK(FactsOf(Table(limits::kSideRows + 1)).rows.empty());
  const SourceFacts facts = FactsOf("n1 " + std::string(2 * limits::kSideRowBytes, 'x') + "\nn2 y\n");
  CHECK(facts.Str(facts.rows.at(0).text).size() == limits::kSideRowBytes);
}

}  // namespace
}  // namespace ncclwhy
