#include "read/read_sources.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/limits.h"
#include "catch.h"
#include "digest_text.h"
#include "temporary_directory.h"

namespace ncclwhy {
namespace {

std::string Job(int host, int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i) {
    const std::string header = "node" + std::to_string(host) + ":100:" + std::to_string(101 + i % 3) + " [0] ";
    const std::string op = std::to_string(i % 9);
    text += header + "NCCL INFO AllReduce: opCount " + op +
            " sendbuff 0x7f32 recvbuff 0x7f32 count 65536 datatype 7 op 0 " +
            "root 0 comm 0x55d0 [nranks=4] stream 0xf0\n";
    if (i % 20 == 9) text += header + "misc/socket.cc:484 NCCL WARN Net : Connection closed by remote peer\n";
    if (i % 31 == 9) text += "step " + std::to_string(i) + "\n";
  }
  return text;
}

struct Answer {
  std::string text;
  std::vector<std::string> problems;
  uint64_t bytes = 0;
  size_t sources = 0;
};

Answer Read(const std::vector<std::string>& paths, int jobs, uint64_t segment_bytes) {
  std::vector<SourceSpec> specs;
  for (const std::string& path : paths) specs.push_back({path, path});
  ReadOptions options;
  options.jobs = jobs;
  options.parser.segment_bytes = segment_bytes;
  Answer out;
  options.progress = [&](const Progress& progress) {
    out.bytes = progress.bytes;
    out.sources = progress.sources;
  };
  for (const SourceDigest& digest :
       ReadSources(specs, RuleSet::Embedded(), KnowledgeBase::Embedded(), options, &out.problems)) {
    out.text += "== " + digest.facts.name + "\n" + DigestText(digest);
  }
  return out;
}

TEST_CASE("threads do not change what is read", "[read_sources]") {
  const TemporaryDirectory directory;
  std::string utf16 = "\xFF\xFE";
  for (const char c : Job(8, 100)) utf16 += {c, '\0'};
  WriteFile(directory / "large.log", Job(1, 900));
  WriteFile(directory / "larger.log", Job(2, 2000));
  WriteFile(directory / "small.log", Job(3, 5));
  WriteFile(directory / "utf16.log", utf16);
  WriteFile(directory / "one-line.log", std::string(50'000, 'x'));
  WriteFile(directory / "empty.log", "");
  std::vector<std::string> paths;
  for (const char* name : {"large", "larger", "small", "utf16", "one-line", "empty", "absent"}) {
    paths.push_back(directory / (std::string(name) + ".log"));
  }
  for (const uint64_t segment_bytes : {3'000u, 40'000u}) {
    const Answer alone = Read(paths, 1, segment_bytes);
    REQUIRE(alone.problems.size() == 1);
    for (const int jobs : {2, 3, 16}) {
      const Answer shared = Read(paths, jobs, segment_bytes);
      CHECK(shared.text == alone.text);
      CHECK(shared.problems == alone.problems);
      CHECK(shared.bytes == alone.bytes);
      CHECK(shared.sources == alone.sources);
    }
    // Fewer files than threads.
    CHECK(Read({paths[1]}, 4, segment_bytes).text == Read({paths[1]}, 1, segment_bytes).text);
    CHECK(Read({paths[4]}, 4, segment_bytes).text == Read({paths[4]}, 1, segment_bytes).text);
  }
}

// Of several files, what was found out about a text of one is used for others.
TEST_CASE("what is read of a file does not depend on the files beside it", "[read_sources]") {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(NCCLWHY_SOURCE_DIR "/samples/incidents")) {
    if (entry.path().extension() == ".log") paths.push_back(entry.path().string());
  }
  REQUIRE(paths.size() > 20);
  std::string each;
  for (const std::string& path : paths) each += Read({path}, 1, limits::kSegmentBytes).text;
  CHECK(Read(paths, 1, limits::kSegmentBytes).text == each);
  CHECK(Read(paths, 3, limits::kSegmentBytes).text == each);
  std::reverse(paths.begin(), paths.end());
  std::string reversed;
  for (const std::string& path : paths) reversed += Read({path}, 1, limits::kSegmentBytes).text;
  CHECK(Read(paths, 1, limits::kSegmentBytes).text == reversed);
}

TEST_CASE("threads that share a file of a usual size do not change what is read", "[read_sources]") {
  const TemporaryDirectory directory;
  std::string text;
  const std::string steps = Job(1, 4000);
  while (text.size() < 4 * limits::kSegmentBytes) text += steps;
  WriteFile(directory / "job.log", text);
  const Answer alone = Read({directory / "job.log"}, 1, limits::kSegmentBytes);
  CHECK(Read({directory / "job.log"}, 2, limits::kSegmentBytes).text == alone.text);
}

}  // namespace
}  // namespace ncclwhy
