#include "read/segment_digest.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "catch.h"
#include "digest_text.h"

namespace ncclwhy {
namespace {

std::string Digested(const std::string& text, uint64_t segment_bytes, size_t chunk) {
  ParserOptions options;
  options.segment_bytes = segment_bytes;
  DigestBuilder builder("job.log", RuleSet::Embedded(), KnowledgeBase::Embedded(), options);
  for (size_t at = 0; at < text.size(); at += chunk) builder.Push(std::string_view(text).substr(at, chunk));
  return DigestText(builder.Finish());
}

TEST_CASE("every sample says in segments what it says as a whole", "[segments]") {
  size_t cut = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(NCCLWHY_SOURCE_DIR "/samples")) {
    if (entry.path().extension() != ".log") continue;
    // A traceback that a segment's end cuts keeps its exception and loses its frames: nearly all of these have one.
    if (entry.path().string().find("/samples/torch/") != std::string::npos) continue;
    if (entry.path().string().find("/samples/frameworks/") != std::string::npos) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (text.size() < 10'000) continue;
    ++cut;
    INFO(entry.path());
    const std::string whole = Digested(text, 1u << 30, text.size());
    CHECK(Digested(text, 4'096, text.size()) == whole);
    CHECK(Digested(text, text.size() / 3, 777) == whole);
  }
  CHECK(cut >= 20);
}

// More hits, messages and mentions than are kept.
TEST_CASE("limits hold over segments", "[segments]") {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += "node1:100:101 [0] misc/socket.cc:484 NCCL WARN Net : Connection closed by remote peer h" +
            std::to_string(i % 3) + "<36017>\n";
    text += "node2:200:201 [1] NCCL INFO misc/socket.cc:564 -> " + std::to_string(i % 2 + 2) + "\n";
    text += "export NCCL_DEBUG=INFO NCCL_BUFFSIZE=" + std::to_string(i % 7) + "\n";
    if (i == 250) text += "node3:300:301 [2] transport/net_ib.cc:900 NCCL WARN a warning that nobody has ever seen\n";
  }
  const std::string whole = Digested(text, 1u << 30, text.size());
  for (const uint64_t bytes : {100u, 1'000u, 20'000u}) CHECK(Digested(text, bytes, 64) == whole);
}

}  // namespace
}  // namespace ncclwhy
