#include "read/node_digest.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/limits.h"
#include "catch.h"
#include "digest_text.h"
#include "read/digest.h"
#include "read/source_coding.h"

namespace ncclwhy {
namespace {

const RuleSet& Rules() { return RuleSet::Embedded(); }
const KnowledgeBase& Kb() { return KnowledgeBase::Embedded(); }

constexpr char kLog[] =
    "node3:4711:4801 [2] NCCL INFO ncclCommInitRank comm 0x55d0 rank 11 nranks 16 cudaDev 2 busId 1b000 commId 0x1f - "
    "Init START\n"
    "node3:4711:4801 [2] NCCL INFO AllReduce: opCount 0 sendbuff 0x7f32 recvbuff 0x7f32 count 65536 datatype 7 op 0 "
    "root 0 comm 0x55d0 [nranks=16] stream 0xf0\n"
    "node3:4711:4801 [2] misc/shmutils.cc:87 NCCL WARN Error: failed to extend /dev/shm/nccl-a1 to 9637892 bytes, "
    "error: No space left on device (28)\n"
    "step 12/100 loss=nan\nstep 13/100 loss=nan\n";

SourceDigest DigestOfNode(const std::string& text, const std::string& name = "rank11.log") {
  DigestBuilder builder(name, Rules(), Kb());
  builder.Push(text);
  return builder.Finish();
}

std::string File(const std::vector<SourceDigest>& sources) {
  Result<std::string> bytes = UnpackedNodeDigest(sources, {"x: a problem"}, Rules(), Kb(), false);
  REQUIRE(bytes.ok());
  return bytes.take();
}

std::vector<SourceDigest> ReadFile(const std::string& bytes, std::vector<std::string>* problems, size_t chunk = 7) {
  DigestBuilder builder("node.digest", Rules(), Kb());
  for (size_t at = 0; at < bytes.size(); at += chunk) builder.Push(std::string_view(bytes).substr(at, chunk));
  return builder.FinishAll(problems);
}

std::string Refusal(const std::string& bytes) {
  std::vector<std::string> problems;
  CHECK(ReadFile(bytes, &problems).empty());
  return problems.size() == 1 ? problems.front() : "no problem";
}

// Of a file: begin, format, and the frame of the head.
constexpr size_t kBeginning = 20;

std::string FrameOfSize(uint64_t size) {
  std::string frame = "S";
  for (int i = 0; i < 4; ++i) frame += static_cast<char>(size >> (8 * i));
  return frame + std::string(8, '\0');
}

size_t HeadEnd(const std::string& file) {
  size_t size = 0;
  for (size_t i = 0; i < 4; ++i)
    size |= static_cast<size_t>(static_cast<unsigned char>(file[kBeginning + 1 + i])) << (8 * i);
  return kBeginning + 13 + size;
}

TEST_CASE("a source is what it was", "[node_digest]") {
  const SourceDigest whole = DigestOfNode(kLog);
  REQUIRE(!whole.hits.hits.empty());
  REQUIRE(!whole.facts.collectives.empty());
  SourceDigest read;
  REQUIRE(DecodeSource(EncodeSource(whole), &read));
  CHECK(DigestText(read) == DigestText(whole));
  CHECK(EncodeSource(read) == EncodeSource(whole));
}

TEST_CASE("a file of digests holds its sources and problems", "[node_digest]") {
  std::vector<SourceDigest> sources;
  sources.push_back(DigestOfNode(kLog, "a"));
  sources.push_back(DigestOfNode("", "b"));
  const std::string file = File(sources);
  REQUIRE(LooksLikeNodeDigest(file));
  for (const size_t chunk : {size_t{1}, size_t{13}, file.size()}) {
    std::vector<std::string> problems;
    const std::vector<SourceDigest> read = ReadFile(file, &problems, chunk);
    REQUIRE(read.size() == 2);
    CHECK(problems == std::vector<std::string>{"x: a problem"});
    CHECK(DigestText(read[0]) == DigestText(sources[0]));
    CHECK(read[1].carrier == "node.digest");
  }
}

TEST_CASE("every other byte of a source is damage or says what it says", "[node_digest]") {
  const std::string bytes = EncodeSource(DigestOfNode(kLog));
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const char other : {'\0', '\x01', '\x7F', '\xFF'}) {
      std::string changed = bytes;
      changed[at] = other;
      SourceDigest read;
      const bool same = !DecodeSource(changed, &read) || EncodeSource(read) == changed;
      CHECK(same);
    }
    SourceDigest cut;
    CHECK(!DecodeSource(std::string_view(bytes).substr(0, at), &cut));
  }
}

TEST_CASE("limits of a file of digests", "[node_digest]") {
  std::vector<SourceDigest> none;
  const std::string file = File(none);
  const std::string head = file.substr(0, HeadEnd(file));
  // Nothing is allocated for what is only announced.
  CHECK(Refusal(head + FrameOfSize(limits::kDigestFrame)).find("ends too early") != std::string::npos);
  CHECK(Refusal(head + FrameOfSize(limits::kDigestFrame + 1)).find("damaged") != std::string::npos);
  // The empty source is the smallest one.
  std::vector<SourceDigest> most(limits::kDigestSources);
  CHECK(UnpackedNodeDigest(most, {}, Rules(), Kb(), false).ok());
  most.emplace_back();
  CHECK(!UnpackedNodeDigest(most, {}, Rules(), Kb(), false).ok());
}

TEST_CASE("one source in two files is one, two equal ones in one file are two", "[node_digest]") {
  const auto from = [](const char* carrier, const std::string& text) {
    SourceDigest digest = DigestOfNode(text, "log");
    digest.carrier = carrier;
    return digest;
  };
  std::vector<SourceDigest> digests;
  for (const char* carrier : {"a", "b", "", "b"}) digests.push_back(from(carrier, kLog));
  digests.push_back(from("a", "other"));
  OrderByName(&digests);
  CHECK(digests.size() == 3);
  std::vector<std::string> names;
  for (const SourceDigest& digest : digests) names.push_back(digest.facts.name);
  CHECK(names == std::vector<std::string>{"log", "log (2)", "log (3)"});
}

TEST_CASE("numbers that the knowledge does not have are damage", "[node_digest]") {
  std::vector<SourceDigest> sources;
  sources.push_back(DigestOfNode(kLog));
  sources[0].hits.hits[0].pattern = static_cast<uint32_t>(Rules().PatternCount());
  CHECK(Refusal(File(sources)).find("damaged") != std::string::npos);
  sources[0] = DigestOfNode(kLog);
  sources[0].catalog.push_back({});
  sources[0].catalog[0].message = static_cast<int>(Kb().MessageCount());
  CHECK(Refusal(File(sources)).find("damaged") != std::string::npos);
}

}  // namespace
}  // namespace ncclwhy
