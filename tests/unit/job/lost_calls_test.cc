// Lines of COLL that are missing: what the numbers of the calls tell, and that the comparison of ranks survives it.
#include <cstdio>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "catch.h"
#include "job/job_model.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

std::string Head(int pid) { return "node3:" + std::to_string(pid) + ":" + std::to_string(pid) + " [0] NCCL INFO "; }

std::string Init(int pid, int rank, int nranks) {
  return Head(pid) + "ncclCommInitRank comm 0x55 rank " + std::to_string(rank) + " nranks " + std::to_string(nranks) +
         " cudaDev " + std::to_string(rank) + " busId 1000 commId 0x77 - Init COMPLETE\n";
}

std::string Call(int pid, const std::string& name, int op_count, int count = 64) {
  char number[16];
  std::snprintf(number, sizeof number, "%x", static_cast<unsigned>(op_count));
  return Head(pid) + name + ": opCount " + number + " sendbuff 0x7f recvbuff 0x7f count " + std::to_string(count) +
         " datatype 7 op 0 root 0 comm 0x55 [nranks=3] stream 0xf0\n";
}

// Sixteen calls in turn, AllReduce and AllGather, but for the numbers in `missing`.
std::string Calls(int pid, const std::set<int>& missing, int skipped = -1) {
  std::string text;
  for (int i = 0, number = 0; i < 16; ++i) {
    if (i == skipped) continue;
    if (missing.count(number) == 0) text += Call(pid, i % 2 == 0 ? "AllReduce" : "AllGather", number);
    ++number;
  }
  return text;
}

SourceFacts Parse(const std::string& text) {
  Parser parser("job.log", nullptr, nullptr, {});
  parser.Push(text);
  return parser.Finish();
}

Divergence DivergenceOf(const std::vector<std::string>& calls) {
  std::deque<SourceFacts> facts;
  std::vector<const SourceFacts*> views;
  for (size_t rank = 0; rank < calls.size(); ++rank) {
    const std::string init = Init(100 + static_cast<int>(rank), static_cast<int>(rank), static_cast<int>(calls.size()));
    views.push_back(&facts.emplace_back(Parse(init + calls[rank])));
  }
  const JobModel model = BuildJobModel(views);
  REQUIRE(model.communicators.size() == 1);
  return model.communicators[0].divergence;
}

TEST_CASE("a call whose line is missing keeps its place", "[job]") {
  const SourceFacts facts = Parse(Calls(100, {4, 5, 9}));
  REQUIRE(facts.collectives.size() == 1);
  CHECK(facts.collectives[0].calls == 16);
  CHECK(facts.collectives[0].lost == 3);
  CHECK(facts.collectives[0].window[5].line == 0);
  CHECK(facts.collectives[0].window[6].op_count == 6);
}

TEST_CASE("calls of a group share a number, sends and other communicators have theirs: nothing is missing", "[job]") {
  const SourceFacts group = Parse(Call(100, "AllReduce", 0) + Call(100, "AllReduce", 0) + Call(100, "AllReduce", 1));
  CHECK(group.collectives[0].lost == 0);
  const SourceFacts sends =
      Parse(Call(100, "AllReduce", 0) + Call(100, "Send", 1) + Call(100, "Recv", 2) + Call(100, "AllReduce", 3));
  CHECK(sends.collectives[0].lost == 0);
  CHECK(sends.collectives[0].calls == 2);
  const SourceFacts anew = Parse(Call(100, "AllReduce", 7) + Call(100, "AllReduce", 0) + Call(100, "AllReduce", 1));
  CHECK(anew.collectives[0].lost == 0);
  const SourceFacts damaged = Parse(Call(100, "AllReduce", 7) + Call(100, "AllReduce", 0x7fffff));
  CHECK(damaged.collectives[0].calls == 2);
}

TEST_CASE("lost lines are no divergence", "[job]") {
  CHECK_FALSE(DivergenceOf({Calls(100, {}), Calls(101, {}), Calls(102, {})}).found);
  CHECK_FALSE(DivergenceOf({Calls(100, {}), Calls(101, {3}), Calls(102, {})}).found);
  CHECK_FALSE(DivergenceOf({Calls(100, {2, 3, 4}), Calls(101, {9}), Calls(102, {5, 6})}).found);
  // More than is kept is missing in the middle: what follows is compared by its numbers, or not at all.
  std::string long_run, with_a_hole;
  for (int i = 0; i < 240; ++i) {
    const std::string name = i % 3 == 0 ? "AllReduce" : "AllGather";
    long_run += Call(100, name, i);
    if (i < 20 || i > 120) with_a_hole += Call(101, name, i);
  }
  CHECK_FALSE(DivergenceOf({long_run, with_a_hole}).found);
  // Of a group of two calls one line is missing: what follows stands one place too early.
  const std::string whole = Call(100, "AllReduce", 0) + Call(100, "AllGather", 0) + Call(100, "AllReduce", 1) +
                            Call(100, "AllGather", 2) + Call(100, "AllReduce", 3);
  const std::string first_lost = Call(101, "AllReduce", 0) + Call(101, "AllReduce", 1) + Call(101, "AllReduce", 3);
  CHECK_FALSE(DivergenceOf({whole, first_lost}).minority == std::vector<int32_t>{0});
}

TEST_CASE("a call that a rank skipped is a divergence, also where lines are missing", "[job]") {
  CHECK(DivergenceOf({Calls(100, {}), Calls(101, {}, 7), Calls(102, {})}).minority == std::vector<int32_t>{1});
  CHECK(DivergenceOf({Calls(100, {3}), Calls(101, {}, 7), Calls(102, {})}).minority == std::vector<int32_t>{1});
  CHECK(DivergenceOf({Calls(100, {}), Calls(101, {3}, 7), Calls(102, {})}).minority == std::vector<int32_t>{1});
}

// Calls by letters: A AllReduce, B AllGather, C Broadcast, D ReduceScatter.
std::string Spelled(int pid, const std::string& letters) {
  const std::string names[] = {"AllReduce", "AllGather", "Broadcast", "ReduceScatter"};
  std::string text;
  for (size_t i = 0; i < letters.size(); ++i) {
    text += Call(pid, names[static_cast<size_t>(letters[i] - 'A')], static_cast<int>(i));
  }
  return text;
}

TEST_CASE("calls that are swapped, skipped and added are told apart by what follows them", "[job]") {
  const auto kind = [](const std::string& usual, const std::string& odd) {
    const Divergence d = DivergenceOf({Spelled(100, usual), Spelled(101, odd), Spelled(102, usual)});
    CHECK(d.minority == std::vector<int32_t>{1});
    return d.kind;
  };
  CHECK(kind("DABCD", "DBACD") == "order");
  CHECK(kind("DABCD", "DBCD") == "skipped");
  CHECK(kind("DABCD", "DCABCD") == "extra");
  // Nothing follows that would tell.
  CHECK(kind("DAB", "DBA") == "order");
  CHECK(kind("DAB", "DB") == "operation");
  // Of calls in turn the third one tells; whether one was left out or added does not show.
  CHECK(kind("ABABAB", "ABBAAB") == "order");
  CHECK(kind("ABABAB", "ABBABA") == "operation");
  // Another call in the place of one, and all behind it in step.
  CHECK(kind("DABBB", "DBBBB") == "operation");
  // A skipped one among many alike is no swap although two calls look like it.
  CHECK(kind("AAABAAAB", "AABAAAB") == "skipped");
  CHECK(kind("AAABAAAB", "AABAAAAB") == "order");
}

TEST_CASE("of two halves the one that breaks the habit of the calls before is the odd one", "[job]") {
  for (const int odd : {0, 1}) {
    std::vector<std::string> calls(2);
    for (int rank = 0; rank < 2; ++rank) calls[static_cast<size_t>(rank)] = Calls(100 + rank, {}, rank == odd ? 9 : -1);
    const Divergence d = DivergenceOf(calls);
    CHECK(d.found);
    CHECK(d.index == 9);
    CHECK_FALSE(d.tied);
    CHECK(d.minority == std::vector<int32_t>{odd});
    CHECK(d.expected.rfind("AllGather", 0) == 0);
  }
}

TEST_CASE("of two halves neither is the odd one where the calls before have no habit", "[job]") {
  const std::vector<std::string> names = {"AllReduce", "Broadcast", "AllReduce", "AllGather", "ReduceScatter"};
  std::vector<std::string> calls(2);
  for (int rank = 0; rank < 2; ++rank) {
    for (int i = 0; i < 5; ++i) {
      calls[static_cast<size_t>(rank)] +=
          Call(100 + rank, names[static_cast<size_t>(i)], i, i == 4 && rank == 1 ? 32 : 64);
    }
  }
  const Divergence d = DivergenceOf(calls);
  CHECK(d.found);
  CHECK(d.index == 4);
  CHECK(d.tied);
}

}  // namespace
}  // namespace ncclwhy
