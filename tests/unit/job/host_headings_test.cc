#include "job/host_headings.h"

#include <string>

#include "catch.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

std::string HostAt(const std::string& text, uint32_t line) {
  Parser parser("ticket.txt", nullptr, nullptr);
  parser.Push(text);
  const SourceFacts facts = parser.Finish();
  return std::string(BuildJobModel({&facts}).HostAt(SourceId{0}, line));
}

TEST_CASE("a heading or a prompt tells of which host the lines behind it are", "[job]") {
  for (const std::string text : {"### gpu-b1\none\n### gpu-b2   (re-imaged)\ntwo\n",
                                 "--- gpu-b1 show_gids ---\none\n--- gpu-b2 show_gids ---\ntwo\n",
                                 "root@gpu-b1:~# dmesg | tail\none\nroot@gpu-b2:~# dmesg | tail\ntwo\n",
                                 "[ops@gpu-b1 ~]$ ibstat\none\n[ops@gpu-b2 ~]$ ibstat\ntwo\n",
                                 "gpu-b1 | CHANGED | rc=0 >>\none\ngpu-b2 | FAILED | rc=1 >>\ntwo\n",
                                 "gpu-b1$ nvidia-smi -L\none\ngpu-b2$ nvidia-smi -L\ntwo\n",
                                 "Name:         gpu-b1\none\nName:         gpu-b2\ntwo\n"}) {
    CAPTURE(text);
    CHECK(HostAt(text, 2) == "gpu-b1");
    CHECK(HostAt(text, 4) == "gpu-b2");
  }
}

TEST_CASE("what tells no host", "[job]") {
  CHECK(HostAt("### gpu-b1\none\n", 2).empty());  // one name that nobody knows
  CHECK(HostAt("node1:11:11 [0] NCCL INFO Bootstrap: Using eth0:10.0.0.1<0>\nroot@node1:~# dmesg\none\n", 3) ==
        "node1");
  CHECK(HostAt("=== step1 ===\none\n=== step2 ===\ntwo\n", 2).empty());
  CHECK(HostAt("# rank3: x\none\n# rank4: y\ntwo\n", 2).empty());
}

}  // namespace
}  // namespace ncclwhy
