#include "parser/block_joiner.h"

#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"

namespace ncclwhy {
namespace {

std::string Joined(const std::string& text, size_t at_once = std::string::npos, uint64_t* joins = nullptr) {
  BlockJoiner joiner;
  std::string out;
  const BlockJoiner::Out keep = [&out](std::string_view bytes) { out += bytes; };
  for (size_t at = 0; at < text.size(); at += std::min(at_once, text.size()))
    joiner.Push(text.substr(at, at_once), keep);
  joiner.Finish(keep);
  if (joins != nullptr) *joins = joiner.joins();
  return out;
}

// So many lines of one rank, of different lengths.
std::string Log(int rank, int lines) {
  std::string out;
  for (int i = 0; i < lines; ++i) {
    out += "node" + std::to_string(rank) + ":" + std::to_string(100 + rank) + ":" + std::to_string(100 + rank) + " [" +
           std::to_string(rank) + "] NCCL INFO line " + std::to_string(i) +
           std::string(static_cast<size_t>(i % 37), 'x') + "\n";
  }
  return out;
}

// Blocks of the logs in turn.
std::string InBlocks(std::vector<std::string> logs, size_t block) {
  std::string out;
  while (std::any_of(logs.begin(), logs.end(), [](const std::string& log) { return !log.empty(); })) {
    for (std::string& log : logs) {
      out += log.substr(0, block);
      log.erase(0, block);
    }
  }
  return out;
}

std::vector<std::string> Sorted(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST_CASE("lines that ranks cut at the borders of blocks are put together", "[parser]") {
  for (const size_t block : {size_t{4096}, size_t{65536}}) {
    for (const int ranks : {2, 3, 5}) {
      std::vector<std::string> logs;
      std::string all;
      // Each ends in another place.
      for (int rank = 0; rank < ranks; ++rank)
        all += logs.emplace_back(Log(rank, (block == 4096 ? 300 : 5000) + 70 * rank));
      const std::string mixed = InBlocks(logs, block);
      CAPTURE(block, ranks);
      CHECK(Sorted(mixed) != Sorted(all));
      uint64_t joins = 0;
      const std::string joined = Joined(mixed, std::string::npos, &joins);
      CHECK(Sorted(joined) == Sorted(all));
      CHECK(joins > 0);
      for (const size_t at_once : {size_t{1000}, size_t{4096}, size_t{70001}}) CHECK(Joined(mixed, at_once) == joined);
    }
  }
}

TEST_CASE("numbers of lines are those of the file", "[parser]") {
  const std::string mixed = InBlocks({Log(0, 300), Log(1, 400)}, 4096);
  const std::string joined = Joined(mixed);
  CHECK(std::count(joined.begin(), joined.end(), '\n') == std::count(mixed.begin(), mixed.end(), '\n'));
  CHECK(joined.size() == mixed.size());
  // Whole lines stand where they stood.
  const std::string first = mixed.substr(0, mixed.rfind('\n', 4095) + 1);
  CHECK(joined.substr(0, first.size()) == first);
}

TEST_CASE("what was never gone on with is not lost", "[parser]") {
  const std::string mixed = Log(0, 300).substr(0, 4096) + Log(1, 300).substr(0, 4096) + Log(2, 10);
  const std::string joined = Joined(mixed);
  std::string before = mixed, after = joined;
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  CHECK(before == after);
}

TEST_CASE("all other texts go through as they are", "[parser]") {
  std::string lines;
  for (int i = 0; i < 3000; ++i) lines += Log(i % 3, 1);
  std::string bursts;
  for (int i = 0; i < 40; ++i) bursts += Log(i % 3, 77);
  for (const std::string& text :
       {std::string(), std::string("a\n"), Log(0, 9000), lines, bursts, std::string(500000, 'a'),
        std::string(9000, '\n'), "a\n" + Log(0, 300).substr(0, 4096) + Log(1, 300)}) {
    CHECK(Joined(text) == text);
    CHECK(Joined(text, 777) == text);
  }
}

}  // namespace
}  // namespace ncclwhy
