#include "read/witness.h"

#include <string>

#include "catch.h"
#include "digest_text.h"
#include "read/digest.h"

namespace ncclwhy {
namespace {

// As PyTorch 2.6 writes it, with a message of ours.
const std::string kErrorFile =
    R"({"message": {"message": "RuntimeError: NCCL error", "extraInfo": {"py_callstack": )"
    R"("Traceback (most recent call last):\n  File \"train.py\", line 7, in main\n    dist.all_reduce(x)\n)"
    R"(torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n", "timestamp": "1763816100"}}})";

SourceDigest DigestOf(const std::string& bytes, size_t chunk = SIZE_MAX) {
  DigestBuilder builder("error.json", RuleSet::Embedded(), KnowledgeBase::Embedded());
  for (size_t at = 0; at < bytes.size(); at += chunk) {
    builder.Push(std::string_view(bytes).substr(at, chunk));
    if (chunk > bytes.size()) break;
  }
  return builder.Finish();
}

bool Says(const SourceDigest& digest, std::string_view text) {
  return DigestText(digest).find(text) != std::string::npos;
}

TEST_CASE("the first bytes choose the witness, and every source has one", "[read]") {
  CHECK(KindOf(kErrorFile).name == "torchelastic-error-file");
  CHECK(KindOf(" {\n  \"message\" : {").name == "torchelastic-error-file");
  for (const char* text : {"", "{", "{\"message\": \"NCCL WARN …\"}", "{\"log\": {\"message\": {",
                           "[{\"message\": {}}]", "node1:7:7 [0] NCCL INFO x", "\x80\x04\x95"}) {
    CAPTURE(text);
    CHECK(KindOf(text).name == "text-log");
    CHECK(IsTextLog(text));
  }
}

TEST_CASE("an error file is read as the lines that its process wrote", "[read]") {
  const SourceDigest digest = DigestOf(kErrorFile);
  CHECK(digest.facts.bytes == kErrorFile.size());
  CHECK(digest.facts.counters.Get(Counter::kLines) == 5);  // the message is not in the traceback
  CHECK(Says(digest, "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"));
  CHECK_FALSE(Says(digest, "\\n"));
  for (const size_t chunk : {1u, 7u, 100u}) CHECK(DigestText(DigestOf(kErrorFile, chunk)) == DigestText(digest));
}

TEST_CASE("a log in the texts of a document is read as its lines", "[read]") {
  const std::string one = R"({"job": 17, "logs": "node1:7:7 [0] NCCL INFO NCCL version 2.28.9+cuda12.9\nTraceback )"
                          R"((most recent call last):\n  File \"train.py\", line 7, in main\nValueError: no\n"})";
  const std::string two = R"([{"name": "a", "out": "a\nb\nc\n"}, {"name": "b", "out": "d\ne\nValueError: no\n"}])";
  CHECK(KindOf(one).name == "log-in-json");
  const SourceDigest digest = DigestOf(one);
  CHECK(digest.facts.bytes == one.size());
  CHECK(digest.facts.counters.Get(Counter::kLines) == 4);
  CHECK(Says(digest, "2.28.9"));
  CHECK(DigestText(DigestOf(one, 7)) == DigestText(digest));
  CHECK(DigestOf(two).facts.counters.Get(Counter::kLines) == 6);
  CHECK(DigestOf(R"(["node1:7:7 [0] NCCL INFO NCCL version 2.28.9+cuda12.9", "b", "c"])")
            .facts.counters.Get(Counter::kLines) == 3);
  // A collector's records have a line each; what is cut, or followed by another document, is text.
  const std::string record = R"({"log":"node1:7:7 [0] NCCL INFO NCCL version 2.28.9+cuda12.9\n","stream":"stderr"})";
  CHECK(KindOf(record + "\n" + record).name == "text-log");
  for (const std::string& other : {one.substr(0, one.size() - 3), one + "\n" + one}) {
    CHECK(Says(DigestOf(other), "2.28.9"));
    CHECK(DigestOf(other).facts.bytes == other.size());
  }
  CHECK(DigestOf(std::string(100000, '[') + "\"a\\nb\\nc\\n").facts.bytes == 100010);
}

TEST_CASE("what only begins like an error file is read as text, nothing of it is lost", "[read]") {
  const std::string log = "node1:7:7 [0] NCCL INFO NCCL version 2.28.9+cuda12.9\n";
  const std::string cut = kErrorFile.substr(0, kErrorFile.size() / 2) + "\n" + log;
  const std::string followed = kErrorFile + "\n" + log;
  const std::string other = "{\"message\": {\"id\": 7}}\n" + log;
  for (const std::string& bytes : {cut, followed, other, followed + std::string(200000, 'x') + "\n" + log}) {
    const SourceDigest digest = DigestOf(bytes);
    CHECK(digest.facts.bytes == bytes.size());
    CHECK(Says(digest, "2.28.9"));
    CHECK(DigestText(DigestOf(bytes, 1000)) == DigestText(digest));
  }
}

}  // namespace
}  // namespace ncclwhy
