// The GIDs that NCCL up to 2.21 prints beside its queue pairs, for the one that failed.
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "ncclwhy/analyzer.h"

namespace ncclwhy {
namespace {

using LogFiles = std::vector<std::pair<std::string, std::string>>;

Report ReportOnFiles(const LogFiles& sources) {
  const auto analyzer = Analyzer::Create({}).take();
  for (const auto& [name, text] : sources) {
    REQUIRE(analyzer->Begin(name).ok());
    REQUIRE(analyzer->Push(text).ok());
    REQUIRE(analyzer->EndSource().ok());
  }
  return analyzer->Finish().take();
}

TEST_CASE("the GIDs of a failed queue pair are compared where its line names none", "[analyze]") {
  LogFiles files;
  for (int rank = 0; rank < 2; ++rank) {
    const std::string r = std::to_string(rank), header = "gpu-" + r + ":70" + r + ":70" + r + " [0] NCCL INFO ";
    const std::string gid = rank == 0 ? "0/A64A8C0FFFF0000" : "0/2C001FACFFFF0000";
    std::string log = header + "Bootstrap : Using eth0:10.77.0.1" + r + "<0>\n" + header +
                      "NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth0:10.77.0.1" + r + "<0>\n" + header +
                      "ncclCommInitRank comm 0x7f" + r + " rank " + r +
                      " nranks 2 cudaDev 0 nvmlDev 0 busId 1000 commId 0x91 - Init START\n";
    log +=
        header + "Channel 00/0 : 0[0] -> 1[0] [" + (rank == 0 ? "send" : "receive") + "] via NET/IB/0\n" + header +
        "Channel 00/0 : 1[0] -> 0[0] [" + (rank == 1 ? "send" : "receive") + "] via NET/IB/0\n" + header +
        "NET/IB: NCCL Dev 0 IbDev 0 Port 1 qpn 218 mtu 3 query_ece={supported=1, vendor_id=0x15b3, options=0x30000002, "
        "comp_mask=0x0} GID 3 (" +
        gid + ") fifoRkey=0x390125 fifoLkey=0x390125\n";
    log +=
        "\ngpu-" + r + ":70" + r + ":70" + r +
        " [0] misc/ibvwrap.cc:206 NCCL WARN Call to ibv_modify_qp failed with error Connection timed out errno 110\n";
    files.emplace_back("rank" + r + ".log", log);
  }
  const Report report = ReportOnFiles(files);
  REQUIRE(!report.causes.empty());
  CHECK(report.causes[0].summary.find("192.168.100.10 and 172.31.0.44 are in different networks") != std::string::npos);
  REQUIRE(!report.causes[0].fixes.empty());
  CHECK(report.causes[0].fixes[0].command.find("ip route get 172.31.0.44") != std::string::npos);
}

}  // namespace
}  // namespace ncclwhy
