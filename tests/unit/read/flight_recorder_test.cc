#include "read/flight_recorder.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "base/limits.h"
#include "catch.h"
#include "digest_text.h"
#include "read/digest.h"

namespace ncclwhy {
namespace {

// Dumps that tests/witnesses/recorder_dumps.py wrote.
std::string Dump(const std::string& path) {
  std::ifstream file(NCCLWHY_SOURCE_DIR "/rules/catalog/torch/" + path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  REQUIRE(!bytes.str().empty());
  return bytes.str();
}

SourceDigest DigestOfDump(const std::string& bytes, size_t chunk = SIZE_MAX) {
  DigestBuilder builder("dump", RuleSet::Embedded(), KnowledgeBase::Embedded());
  for (size_t at = 0; at < bytes.size(); at += chunk) {
    builder.Push(std::string_view(bytes).substr(at, chunk));
    if (chunk > bytes.size()) break;
  }
  return builder.Finish();
}

const char* const kPickle = "torch-recorder-late/fires-2.9/nccl_trace_rank_2";
const char* const kJson = "torch-recorder-late/fires-2.3-json/nccl_trace_rank_1";

TEST_CASE("a dump is known by its content", "[read]") {
  CHECK(KindOf(Dump(kPickle)).name == "flight-recorder");
  CHECK(KindOf(Dump(kJson).substr(0, kSniffedBytes)).name == "flight-recorder");
  for (const std::string text : {"\x80\x04\x95 weights", "{\"log\": \"pg_config is unset\"}", "pg_config", "{}"}) {
    CHECK(KindOf(text).name == "text-log");
  }
}

TEST_CASE("the calls of a dump are counted as PyTorch counts them", "[read]") {
  const SourceDigest digest = DigestOfDump(Dump(kPickle));
  const SourceFacts& facts = digest.facts;
  REQUIRE(facts.processes.size() == 1);
  CHECK(facts.processes[0].launcher_rank == 2);
  CHECK(facts.counters.Get(Counter::kRecords) == 6);
  CHECK(facts.counters.Get(Counter::kLines) == 0);
  const auto world = std::find_if(facts.collectives.begin(), facts.collectives.end(),
                                  [&](const auto& s) { return facts.Str(s.comm) == "pg 0"; });
  REQUIRE(world != facts.collectives.end());
  CHECK(world->calls == 40);
  CHECK(world->completed == 40);
  CHECK(world->nranks == 4);
  CHECK(world->window[39 % limits::kCollectiveWindow].count == 4096);
  CHECK(world->window[33].line == 0);  // the buffer had wrapped
  const std::string text = DigestText(digest);
  for (const size_t chunk : {1u, 100u, 5000u}) CHECK(DigestText(DigestOfDump(Dump(kPickle), chunk)) == text);
}

TEST_CASE("dumps that are cut, refused or too large say so", "[read]") {
  const std::string whole = Dump(kPickle);
  const SourceDigest cut = DigestOfDump(whole.substr(0, whole.size() - 200));
  CHECK(cut.facts.counters.Get(Counter::kCutRecords) == 1);
  CHECK(cut.facts.counters.Get(Counter::kRecords) > 0);
  const SourceDigest refused = DigestOfDump(whole.substr(0, whole.size() - 1) + "cos\nsystem\n)R.");
  CHECK(refused.facts.counters.Get(Counter::kRefusedRecords) == 1);
  CHECK(refused.facts.processes.empty());
  const SourceDigest large = DigestOfDump(whole + std::string(limits::kDocumentBytes, 'N'), 1 << 20);
  CHECK(large.facts.counters.Get(Counter::kRefusedRecords) == 1);
  CHECK(large.facts.bytes == whole.size() + limits::kDocumentBytes);
}

size_t EventsOfDump(const SourceDigest& digest, EventKind kind) {
  return static_cast<size_t>(std::count_if(digest.facts.events.begin(), digest.facts.events.end(),
                                           [&](const Event& e) { return e.kind == kind; }));
}

TEST_CASE("groups and open calls of a dump are bounded: limits::kRecordedGroups, limits::kRecordedPending", "[read]") {
  const auto dump = [](size_t groups, size_t open) {
    std::string text = "{\"version\": \"2.9\", \"pg_config\": {";
    for (size_t i = 0; i < groups; ++i) {
      const std::string name = "\"" + std::to_string(i) + "\"";
      text += (i == 0 ? "" : ", ") + name + ": {\"name\": " + name + ", \"desc\": \"\", \"ranks\": \"[0, 1]\"}";
    }
    text += "}, \"entries\": [";
    for (size_t i = 0; i < open; ++i) {
      text += std::string(i == 0 ? "" : ", ") + "{\"collective_seq_id\": " + std::to_string(i + 1) +
              ", \"is_p2p\": false, \"pg_id\": 0, \"process_group\": [\"0\", \"default_pg\"], \"record_id\": " +
              std::to_string(i) + ", \"profiling_name\": \"nccl:all_reduce\", \"state\": \"started\"}";
    }
    return DigestOfDump(text + "]}");
  };
  CHECK(EventsOfDump(dump(limits::kRecordedGroups, 1), EventKind::kProcessGroup) == limits::kRecordedGroups);
  CHECK(EventsOfDump(dump(limits::kRecordedGroups + 1, 1), EventKind::kProcessGroup) == limits::kRecordedGroups);
  CHECK(EventsOfDump(dump(1, limits::kRecordedPending), EventKind::kRecordedCall) == limits::kRecordedPending);
  CHECK(EventsOfDump(dump(1, limits::kRecordedPending + 1), EventKind::kRecordedCall) == limits::kRecordedPending);
}

TEST_CASE("JSON that only resembles a dump is read as text", "[read]") {
  const std::string log = "{\"pg_config\": 7}\nnode1:7:7 [0] NCCL INFO NCCL version 2.28.9+cuda12.9\n";
  const SourceDigest digest = DigestOfDump(log);
  CHECK(DigestText(digest).find("2.28.9") != std::string::npos);
  CHECK(digest.facts.counters.Get(Counter::kRecords) == 0);
  const SourceDigest cut = DigestOfDump(Dump(kJson).substr(0, Dump(kJson).size() / 2));
  CHECK(cut.facts.counters.Get(Counter::kCutRecords) == 1);
}

}  // namespace
}  // namespace ncclwhy
