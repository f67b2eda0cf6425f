#include "read/headed_files.h"

#include <string>
#include <vector>

#include "catch.h"
#include "digest_text.h"
#include "read/digest.h"

namespace ncclwhy {
namespace {

std::vector<SourceDigest> Read(const std::string& text, size_t chunk = SIZE_MAX) {
  DigestBuilder builder("paste.txt", RuleSet::Embedded(), KnowledgeBase::Embedded());
  for (size_t at = 0; at < text.size(); at += std::min(chunk, text.size())) {
    builder.Push(std::string_view(text).substr(at, chunk));
  }
  std::vector<std::string> problems;
  return builder.FinishAll(&problems);
}

std::string Names(const std::vector<SourceDigest>& digests) {
  std::string names;
  for (const SourceDigest& digest : digests) names += digest.facts.name + " ";
  return names;
}

const std::string kOne = "RuntimeError: one\n", kTwo = "step 2\nRuntimeError: two\n";

TEST_CASE("a name that begins with the word file keeps its beginning", "[read]") {
  const std::string text = "=== fileserver1.log ===\n" + kOne + "=== file worker2.log ===\n" + kTwo;
  CHECK(Names(Read(text)) == "paste.txt/fileserver1.log paste.txt/worker2.log ");
}

TEST_CASE("each file under a heading is a source of its own", "[read]") {
  const std::string rule = "::::::::::::::\n", line = "----------------\n";
  const std::vector<std::string> texts = {
      "==> log.gpu3 <==\n" + kOne + "\n==> log.gpu4 <==\n" + kTwo,
      "$ tail -n 20 log.*\n==> log.gpu3 <==\n" + kOne + "==> log.gpu4 <==\n" + kTwo,
      rule + "log.gpu3\n" + rule + kOne + rule + "log.gpu4\n" + rule + kTwo,
      line + "gpu3\n" + line + kOne + line + "gpu4\n" + line + kTwo,
      "===== gpu3.log =====\r\n" + kOne + "===== gpu4.log =====\r\n" + kTwo,
      "### FILE: gpu3.log\n" + kOne + "### FILE: gpu4.log\n" + kTwo,
  };
  for (const std::string& text : texts) {
    CAPTURE(text);
    CHECK(KindOf(text).name == "headed-files");
    const std::vector<SourceDigest> read = Read(text);
    REQUIRE(read.size() >= 2);
    const SourceDigest& last = read.back();
    CHECK(last.facts.name.starts_with("paste.txt/"));
    CHECK(last.facts.name.find("gpu4") != std::string::npos);
    CHECK(last.facts.counters.Get(Counter::kLines) == 2);
    // Where it stands in the text that was given.
    REQUIRE(last.parts.size() == 1);
    CHECK(last.parts[0].name == "paste.txt");
    const auto before = text.substr(0, text.find("step 2"));
    CHECK(last.parts[0].line == static_cast<uint64_t>(std::count(before.begin(), before.end(), '\n')) + 1);
    for (const size_t chunk : {1u, 5u, 40u}) {
      const std::vector<SourceDigest> pieces = Read(text, chunk);
      REQUIRE(Names(pieces) == Names(read));
      for (size_t i = 0; i < read.size(); ++i) CHECK(DigestText(pieces[i]) == DigestText(read[i]));
    }
  }
}

TEST_CASE("a name that comes back goes on with its file, and each line keeps its place", "[read]") {
  const std::string text = "==> a.log <==\nx 1\n\n==> b.log <==\ny 1\n\n==> a.log <==\nx 2\nx 3\n";
  const std::vector<SourceDigest> read = Read(text);
  REQUIRE(Names(read) == "paste.txt/a.log paste.txt/b.log ");
  const std::vector<SourcePart>& parts = read[0].parts;
  REQUIRE(parts.size() == 2);
  CHECK((parts[0].first_line == 1 && parts[0].line == 2));
  CHECK((parts[1].first_line == 3 && parts[1].line == 8));
}

TEST_CASE("headings of one name, and banners of a program, part nothing", "[read]") {
  const std::string banner = "----------------\n";
  for (const std::string& text :
       {"==> a.log <==\n" + kOne, "==> a.log <==\n" + kOne + "==> a.log <==\n" + kTwo,
        banner + "Training\n" + banner + kOne + banner + "Evaluation\n" + banner + kTwo,
        "=== step 1 ===\n" + kOne + "=== step 2 ===\n" + kTwo, "==> Installing nccl\n" + kOne + "==> Pouring x\n"}) {
    CAPTURE(text);
    const std::vector<SourceDigest> read = Read(text);
    CHECK(Names(read) == "paste.txt ");
    CHECK(read[0].facts.bytes == text.size());
  }
}

TEST_CASE("what has no end is handed on, and nothing is lost", "[read][hostile]") {
  const std::string endless(3u << 20, 'x');
  std::string many;
  for (int i = 0; i < 3000; ++i) many += "==> f" + std::to_string(i) + ".log <==\nline\n";
  for (const std::string& text :
       {"==> a.log <==\n" + endless + endless + "\n==> b.log <==\nlast", "==> a.log <==\nx\n==> b.log <==\n" + endless,
        many, std::string("----------------\nn1"), std::string("::::::::::::::\n::::::::::::::\n")}) {
    uint64_t lines = 0;
    const std::vector<SourceDigest> read = Read(text, 1 << 16);
    for (const SourceDigest& digest : read) lines += digest.facts.counters.Get(Counter::kLines);
    CHECK(lines > 0);
    CHECK(read.size() <= 1025);
  }
}

}  // namespace
}  // namespace ncclwhy
