#include "parser/quoted_message.h"

#include <string>
#include <string_view>

#include "catch.h"

namespace ncclwhy {
namespace {

std::string_view In(std::string_view text) { return QuotedMessage().In(text, TellingWords(text), true); }

TEST_CASE("What stands behind UCX's own header is asked for in the catalogue", "[parser]") {
  constexpr std::string_view kHead = "[1700000000.396315] [gpu07:82049:0]           ib_md.c:349  ";
  const std::string error = std::string(kHead) + "UCX  ERROR mlx5_2: ibv_create_cq failed: Cannot allocate memory";
  CHECK(In(error) == "mlx5_2: ibv_create_cq failed: Cannot allocate memory");
  const std::string fatal = std::string(kHead) + "UCX  FATAL unexpected completion";
  CHECK(In(fatal) == "unexpected completion");
  // Warnings and what UCX prints of a healthy run are no message to judge.
  const std::string info = std::string(kHead) + "UCX  INFO  intra-node cfg#0 tag(sysv/memory)";
  CHECK(In(info).empty());
  const std::string warn = std::string(kHead) + "UCX  WARN  network device 'mlx5_9:1' is not available";
  CHECK(In(warn).empty());
}

TEST_CASE("NCCL's last warning is found where somebody quotes it", "[parser]") {
  CHECK(In("last NCCL warning(error) log entry (may be unrelated) 'Cuda failure 'out of memory''.") ==
        "Cuda failure 'out of memory'");
}

}  // namespace
}  // namespace ncclwhy
