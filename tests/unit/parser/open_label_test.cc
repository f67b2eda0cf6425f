#include "parser/open_label.h"

#include <string>
#include <vector>

#include "catch.h"
#include "parser/parse_text.h"

namespace ncclwhy {
namespace {

// The rank of each line that is shown; -1 where nobody's.
std::vector<int32_t> RanksOf(const std::string& input) {
  CollectLines sink;
  const SourceFacts facts = Parse(input, &sink);
  std::vector<int32_t> out;
  for (const Seen& line : sink.lines) {
    out.push_back(line.process == kNoProcess ? -1 : facts.processes[line.process].launcher_rank);
  }
  return out;
}

using Ranks = std::vector<int32_t>;

TEST_CASE("a traceback without labels is of the record that begins it", "[parser]") {
  CHECK(RanksOf("[2025-03-01 12:00:00 TP6] Scheduler hit an exception: Traceback (most recent call last):\n"
                "  File \"a.py\", line 3, in f\n"
                "    g()\n"
                "KeyError: 3\n"
                "\n"
                "During handling of the above exception, another exception occurred:\n"
                "\n"
                "Traceback (most recent call last):\n"
                "  File \"b.py\", line 3, in h\n"
                "MemoryError: std::bad_alloc\n"
                "Killed\n") == Ranks{6, 6, 6, 6, 6, 6, 6, 6, -1});
  // Somebody speaks in between.
  CHECK(RanksOf("[rank2]: failed: Traceback (most recent call last):\n"
                "[rank1]: hello\n"
                "KeyError: 3\n") == Ranks{2, 1, -1});
}

TEST_CASE("the output of each rank in a block of its own", "[parser]") {
  CHECK(RanksOf("----------Begin global rank 13 STDERR----------\n"
                "OSError: [Errno 28] No space left on device\n"
                "[rank4]: hello\n"
                "----------End global rank 13 STDERR----------\n"
                "OSError: x\n") == Ranks{-1, 13, 4, -1, -1});
  CHECK(RanksOf("==> logs/out.r3 <==\n"
                "KeyError: 3\n"
                "==> logs/rank_5.err <==\n"
                "KeyError: 3\n"
                "==> logs/launcher.txt <==\n"
                "KeyError: 3\n") == Ranks{-1, 3, -1, 5, -1, -1});
}

}  // namespace
}  // namespace ncclwhy
