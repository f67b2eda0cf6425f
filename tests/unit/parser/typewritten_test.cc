#include "parser/typewritten.h"

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("typography is undone, and nothing else", "[parser]") {
  CHECK(AsTypewritten("node3:7:7\u00A0[3]\u00A0NCCL\u00A0WARN\n").text == "node3:7:7 [3] NCCL WARN\n");
  CHECK(AsTypewritten("Ｃｕｄａ failure：ｏｕｔ（２）").text == "Cuda failure:out(2)");
  CHECK(AsTypewritten("‘invalid’ “x” a–b a—b a…").text == "'invalid' \"x\" a-b a--b a...");
  CHECK(AsTypewritten("plain ASCII").changes == 0);
  CHECK(AsTypewritten("plain ASCII").text.empty());
  CHECK(AsTypewritten("训练完成 █▌").changes == 0);
  CHECK(AsTypewritten("\xC2 \xFF ‘").text == "\xC2 \xFF '");  // damage stays as it is
  CHECK(AsTypewritten("a\u3000b\n‘\n").changes == 2);
}

}  // namespace
}  // namespace ncclwhy
