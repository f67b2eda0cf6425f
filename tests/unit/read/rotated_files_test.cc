#include "read/rotated_files.h"

#include <fstream>
#include <string>
#include <vector>

#include "catch.h"
#include "temporary_directory.h"

namespace ncclwhy {
namespace {

// Names that are made, all with lines of one process, and what comes back: `log <- older parts, the oldest first`.
std::vector<std::string> Joined(const std::vector<std::string>& names) {
  const TemporaryDirectory directory;
  std::vector<SourceSpec> specs;
  for (const std::string& name : names) {
    const std::string path = directory / name;
    std::ofstream(path) << "node1:40:41 [0] NCCL INFO of " << name << "\n";
    specs.push_back({path, path});
  }
  JoinRotated(&specs);
  std::vector<std::string> out;
  for (const SourceSpec& spec : specs) {
    std::string line = spec.path.substr(directory.string().size() + 1);
    for (const std::string& earlier : spec.earlier) {
      line += (&earlier == &spec.earlier.front() ? " <- " : " ") + earlier.substr(directory.string().size() + 1);
    }
    out.push_back(line);
  }
  return out;
}

using Names = std::vector<std::string>;

TEST_CASE("rotated files are one log, the oldest part first", "[read]") {
  CHECK(Joined({"a.log", "a.log.1", "a.log.10", "a.log.2", "a.log.3", "a.log.4", "a.log.5", "a.log.6", "a.log.7",
                "a.log.8", "a.log.9"}) ==
        Names{"a.log <- a.log.10 a.log.9 a.log.8 a.log.7 a.log.6 a.log.5 a.log.4 a.log.3 a.log.2 a.log.1"});
  CHECK(Joined({"a.log", "a.log-20261119", "a.log-20261120", "b.log"}) ==
        Names{"a.log <- a.log-20261119 a.log-20261120", "b.log"});
  CHECK(Joined({"a.log", "a.log.2026-11-19", "a.log.2026-11-20_10-15-02"}) ==
        Names{"a.log <- a.log.2026-11-19 a.log.2026-11-20_10-15-02"});
  CHECK(Joined({"0.log", "0.log.20261120-101502"}) == Names{"0.log <- 0.log.20261120-101502"});
}

TEST_CASE("other numbers behind a name are no rotation", "[read]") {
  const Names apart[] = {
      {"a.log.1", "a.log.2"},            // the log itself is not there
      {"a.log", "a.log.2"},              // a gap
      {"a.log", "a.log.0", "a.log.00"},  // ranks count from 0
      {"a.log", "a.log.48213"},          // a process
      {"a.log", "a.log.01"},             // padded
      {"a.2.28", "a.2"},                 // a version
      {"job", "job-1234567"},            // a job's number
      {"a.log", "a.log.1", "a.log-20261120"},
  };
  for (const Names& names : apart) {
    INFO(names.back());
    CHECK(Joined(names).front() ==
          (names.size() == 3 && names[1] == "a.log.1" && names[2] == "a.log.01" ? "a.log <- a.log.1" : names.front()));
  }
}

TEST_CASE("the parts of a log are counted where they begin", "[read]") {
  struct : ByteSink {
    std::string text;
    int begun = 0, ended = 0;
    bool Begin(std::string_view) override { return ++begun != 0; }
    void Push(std::string_view chunk) override { text += chunk; }
    void End() override { ++ended; }
  } sink;
  PartSink parts(sink);
  parts.NextPart("old");
  parts.Begin("old");
  parts.Push("1\n2\n3");
  parts.End();
  parts.NextPart("new");
  parts.Begin("new");
  parts.Push(" and\n4\n");
  parts.End();
  parts.Finish();
  CHECK(sink.text == "1\n2\n3 and\n4\n");
  CHECK((sink.begun == 1 && sink.ended == 1));
  const std::vector<SourcePart> found = parts.TakeParts();
  REQUIRE(found.size() == 2);
  CHECK(found[1].name == "new");
  CHECK(found[1].first_line == 3);
}

}  // namespace
}  // namespace ncclwhy
