#include "job/rank_in_file_name.h"

#include <string_view>
#include <utility>

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("the number in a file's name is a rank's, unless a machine speaks", "[job]") {
  const std::pair<std::string_view, int32_t> names[] = {
      {"out/rank_3.err", 3},
      {"worker-2.log", 2},
      {"host-3-rank12.log", 12},
      {"localhost-rank3.log", 3},
      {"ghost-7.log", 7},
      {"host-3.log", -1},
      {"log-host_3.txt", -1},
      {"dmesg-tw-mi-19.txt", -1},
      {"logs/dmesg/cn207.txt", -1},
      {"nvidia-smi-rank3.txt", -1},
      {"syslog-node4", -1},
      {"train-17-2025.log", -1},
      {"n1_worker-7be19d20c1-0100.err", -1},
  };
  for (const auto& [name, rank] : names) {
    INFO(name);
    CHECK(RankInFileName(name) == rank);
  }
}

}  // namespace
}  // namespace ncclwhy
