#include "parser/segments.h"

#include <random>
#include <set>
#include <string>
#include <vector>

#include "catch.h"
#include "facts_text.h"
#include "parser/parser.h"
#include "read/large_file.h"
#include "temporary_directory.h"

namespace ncclwhy {
namespace {

// Where segments begin, told by the definition.
std::set<uint64_t> Begins(std::string_view text, uint64_t bytes) {
  std::set<uint64_t> begins;
  for (uint64_t border = bytes; border <= text.size(); border += bytes) {
    const size_t newline = text.find('\n', static_cast<size_t>(border - 1));
    if (newline != std::string_view::npos && newline + 1 < text.size()) begins.insert(newline + 1);
  }
  return begins;
}

std::string RandomLines(std::mt19937& random, size_t bytes) {
  std::string text;
  while (text.size() < bytes) {
    text += std::string(random() % (random() % 8 == 0 ? 90 : 12), 'x');
    if (random() % 16 != 0) text += '\n';
  }
  return text;
}

TEST_CASE("segments begin with the first line behind a border, wherever chunks end", "[segments]") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::string text = RandomLines(random, random() % 400);
    const uint64_t bytes = 1 + random() % 60;
    SegmentCutter cutter(bytes);
    std::set<uint64_t> begins;
    std::string_view rest = text;
    while (!rest.empty()) {
      std::string_view chunk = rest.substr(0, 1 + random() % 30);
      rest.remove_prefix(chunk.size());
      while (!chunk.empty()) {
        const SegmentCutter::Cut cut = cutter.Take(chunk);
        chunk.remove_prefix(cut.size);
        if (cut.ends && cutter.offset() < text.size()) begins.insert(cutter.offset());
        if (!cut.ends) REQUIRE(chunk.empty());
      }
    }
    INFO(text << "\n" << bytes);
    REQUIRE(begins == Begins(text, bytes));
  }
}

struct Keep : LargeFile::Reader {
  uint64_t begin = UINT64_MAX;
  std::string text;
  void Begin(uint64_t offset) override { begin = offset; }
  void Push(std::string_view chunk) override { text += chunk; }
};

TEST_CASE("the segments of a file are the file", "[segments]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "job.log";
  std::mt19937 random(11);
  for (const size_t size : {1u, 5u, 300u, 200'000u, 400'000u}) {
    // More than is read at once, and lines that are longer than a segment.
    std::string text = RandomLines(random, size);
    if (size > 1000) text.insert(text.size() / 2, std::string(150'000, 'y'));
    WriteFile(path, text);
    const std::unique_ptr<LargeFile> file = LargeFile::Open({path, "job.log"}, 1);
    REQUIRE(file != nullptr);
    const uint64_t bytes = size / 3 + 1;
    std::string joined;
    std::set<uint64_t> begins;
    bool ended = false;
    for (uint64_t number = 0; !ended; ++number) {
      Keep keep;
      const LargeFile::Outcome read = file->Read(number, bytes, keep);
      REQUIRE(read.status.ok());
      CHECK(read.bytes == keep.text.size());
      ended = read.at_end;
      if (keep.text.empty()) continue;
      CHECK(keep.begin == joined.size());
      if (number > 0) begins.insert(keep.begin);
      joined += keep.text;
      REQUIRE(number < 100);
    }
    CHECK(joined == text);
    CHECK(begins == Begins(text, bytes));
    Keep behind;
    CHECK(file->Read(1000, bytes, behind).at_end);
    CHECK(behind.text.empty());
    Keep rest;
    CHECK(file->ReadRest(text.size() / 2, rest).bytes == text.size() - text.size() / 2);
    CHECK(rest.text == text.substr(text.size() / 2));
  }
}

TEST_CASE("what is no plain file, packed, or short is not read in segments", "[segments]") {
  const TemporaryDirectory directory;
  WriteFile(directory / "short.log", "a\n");
  WriteFile(directory / "packed", std::string("\x1f\x8b\x08\x00", 4) + std::string(100, 'x'));
  CHECK(LargeFile::Open({directory / "short.log", "short.log"}, 3) == nullptr);
  CHECK(LargeFile::Open({directory / "packed", "packed"}, 3) == nullptr);
  CHECK(LargeFile::Open({directory / "absent", "absent"}, 3) == nullptr);
  CHECK(LargeFile::Open({directory.string(), "directory"}, 0) == nullptr);
  CHECK(LargeFile::Open({"-", "(standard input)"}, 0) == nullptr);
  CHECK(LargeFile::Open({"/dev/zero", "zero"}, 0) == nullptr);
}

SourceFacts InSegments(const std::string& text, uint64_t bytes) {
  Parser first("job.log", nullptr, nullptr);
  SegmentCutter cutter(bytes);
  SegmentCutter::Cut cut = cutter.Take(text);
  first.Push(std::string_view(text).substr(0, cut.size));
  std::string_view rest = std::string_view(text).substr(cut.size);
  const std::unique_ptr<Parser> learned = first.NewSegment(0, nullptr);
  while (!rest.empty()) {
    const std::unique_ptr<Parser> segment = learned->NewSegment(cutter.offset(), nullptr);
    cut = cutter.Take(rest);
    segment->Push(rest.substr(0, cut.size));
    rest.remove_prefix(cut.size);
    first.Join(*segment);
  }
  return first.Finish();
}

SourceFacts Whole(const std::string& text) {
  Parser parser("job.log", nullptr, nullptr);
  parser.Push(text);
  return parser.Finish();
}

std::string Header(int rank) {
  const std::string r = std::to_string(rank);
  return "node" + std::to_string(rank / 2) + ":" + std::to_string(4000 + rank) + ":" + std::to_string(5000 + rank) +
         " [" + r + "] NCCL INFO ";
}

// Steps of a job whose ranks print CALL and COLL lines, with everything that a segment must put together.
std::string JobText(bool calls) {
  std::string text;
  for (int rank = 0; rank < 4; ++rank) text += Header(rank) + "Bootstrap : Using eth0:10.0.0.3<0>\n";
  for (int step = 0; step < 400; ++step) {
    for (int rank = 0; rank < 4; ++rank) {
      const std::string comm = "0x55d" + std::to_string(rank) + "0000";
      const std::string name = step % 3 == 0 ? "AllReduce" : step % 3 == 1 ? "AllGather" : "Send";
      const std::string host = Header(rank).substr(0, Header(rank).find('['));
      if (calls) text += host + "NCCL CALL nccl" + name + "(7f32,7f32,65536,7,0,0," + comm + ",0xf0)\n";
      text += Header(rank) + name + ": opCount " + std::to_string(step % 10) +
              " sendbuff 0x7f32 recvbuff 0x7f32 count " + std::to_string(65536 + step / 100) +
              " datatype 7 op 0 root 0 comm " + comm + " [nranks=4] stream 0xf0\n";
      if (step % 50 == 0) {
        text += Header(rank) + "Channel 0" + std::to_string(step / 50 % 4) + "/0 : " + std::to_string(rank) +
                "[0] -> 1[1] via P2P/CUMEM\n";
      }
    }
    if (step % 40 == 7)
      text += "node1:4002:5002 [2] misc/socket.cc:484 NCCL WARN Net : Connection closed by remote peer\n";
    if (step % 60 == 3) text += "loss 1.25\n\n";
    if (step == 350) text += "node9:4900:4901 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.9<0>\n";
    if (step == 360)
      text += "node1:4002:5077 [2] NCCL INFO comm 0x55d20000 rank 2 nranks 4 cudaDev 2 busId 1c000 - Abort COMPLETE\n";
  }
  return text;
}

TEST_CASE("facts of segments, joined, are those of the whole", "[segments]") {
  for (const bool calls : {false, true}) {
    const std::string text = JobText(calls);
    const std::string whole = FactsText(Whole(text));
    for (const uint64_t bytes : {2'000u, 5'000u, 33'333u, 150'000u}) {
      INFO(calls << ' ' << bytes);
      CHECK(FactsText(InSegments(text, bytes)) == whole);
    }
  }
}

TEST_CASE("a segment knows the prefixes that the first one has learned", "[segments]") {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    const int rank = i * 7 % 4;
    text += std::to_string(rank) + ": " + (i < 20 || i % 5 == 0 ? Header(rank) + "Connected all rings\n" : "step\n");
  }
  CHECK(FactsText(InSegments(text, 1'200)) == FactsText(Whole(text)));
}

TEST_CASE("UTF-16 cannot be cut", "[segments]") {
  Parser parser("job.log", nullptr, nullptr);
  std::string text = "\xFF\xFE";
  for (const char c : std::string(200, 'x')) text += {c, '\0'};
  parser.Push(text);
  CHECK_FALSE(parser.CanBeCut());
}

}  // namespace
}  // namespace ncclwhy
