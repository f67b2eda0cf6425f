#include "job/job_complaints.h"

#include <string>

#include "base/limits.h"
#include "catch.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

SourceFacts Parsed(const std::string& name, const std::string& text) {
  Parser parser(name, nullptr, nullptr, {});
  parser.Push(text);
  return parser.Finish();
}

TEST_CASE("of several sources a sentence is told once, and warnings stand among them", "[job]") {
  const SourceFacts a =
      Parsed("a.log", "cannot map 4096 pages\nn1:7:7 [0] NCCL WARN Call to bind failed : no\nlost lane 2\n");
  const SourceFacts b = Parsed("b.log", "cannot map 8192 pages\nlane 3 is stuck\n");
  const JobModel model = BuildJobModel({&a, &b});
  std::string told;
  for (const Complaint& c : ComplaintsOf(model)) {
    told += std::to_string(c.source.value) + ":" + std::to_string(c.line) + " ";
  }
  CHECK(told == "0:1 0:2 0:3 1:2 ");
}

TEST_CASE("so many complaints of a job are read, no more", "[job]") {
  std::vector<SourceFacts> sources;
  for (char name = 'a'; name < 'e'; ++name) {
    std::string text;
    for (int i = 0; i < 100; ++i) {
      text += std::string("error ") + name + static_cast<char>('a' + i % 26) + static_cast<char>('a' + i / 26) + "\n";
    }
    sources.push_back(Parsed(std::string(1, name), text));
  }
  std::vector<const SourceFacts*> facts;
  for (const SourceFacts& s : sources) facts.push_back(&s);
  CHECK(ComplaintsOf(BuildJobModel(facts)).size() == limits::kComplaintsRead);
}

}  // namespace
}  // namespace ncclwhy
