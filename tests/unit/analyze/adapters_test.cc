// What is said of adapters of two fabrics where a queue pair is refused.
#include <string>

#include "catch.h"
#include "ncclwhy/analyzer.h"

namespace ncclwhy {
namespace {

std::string Summary(const std::string& on_n1, const std::string& on_n2, const std::string& errno_text) {
  const std::string n1 = "n1:70:90 [0] NCCL INFO NET/IB : Using " + on_n1 + " [RO]; OOB eth0:10.0.0.1<0>\n";
  const std::string n2 = "n2:71:91 [0] NCCL INFO NET/IB : Using " + on_n2 + " [RO]; OOB eth0:10.0.0.2<0>\n";
  const auto analyzer = Analyzer::Create({}).take();
  REQUIRE(analyzer->Begin("job.log").ok());
  REQUIRE(analyzer
              ->Push(n1 + n2 + "n1:70:95 [0] misc/ibvwrap.cc:301 NCCL WARN Call to ibv_modify_qp failed with error " +
                     errno_text + "\n")
              .ok());
  REQUIRE(analyzer->EndSource().ok());
  const Report report = analyzer->Finish().take();
  REQUIRE(!report.causes.empty());
  return report.causes[0].id + ": " + report.causes[0].summary;
}

bool Says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("adapters that are RoCE on one host and InfiniBand on another, or on all hosts", "[analyze]") {
  const std::string refused = "Invalid argument errno 22";
  const std::string two = Summary("[0]mlx5_0:1/IB [1]mlx5_1:1/RoCE", "[0]mlx5_0:1/RoCE [1]mlx5_1:1/IB", refused);
  INFO(two);
  CHECK(Says(two, "mlx5_0,mlx5_1 are InfiniBand on one host and RoCE on another"));
  const std::string all = Summary("[0]mlx5_0:1/IB [1]mlx5_1:1/RoCE", "[0]mlx5_0:1/IB [1]mlx5_1:1/RoCE", refused);
  INFO(all);
  CHECK(Says(all, "(mlx5_1 is RoCE)"));
  // One adapter with a port of each kind is no other adapter on another host.
  const std::string ports = Summary("[0]mlx4_0:1/IB [1]mlx4_0:2/RoCE", "[0]mlx4_0:1/IB [1]mlx4_0:2/RoCE", refused);
  INFO(ports);
  CHECK(Says(ports, "(mlx4_0:2 is RoCE)"));
}

TEST_CASE("what is not permitted is not laid to the fabrics", "[analyze]") {
  const std::string text =
      Summary("[0]mlx5_0:1/IB [1]mlx5_1:1/RoCE", "[0]mlx5_0:1/RoCE [1]mlx5_1:1/IB", "Operation not permitted errno 1");
  INFO(text);
  CHECK_FALSE(Says(text, "RoCE on another"));
}

}  // namespace
}  // namespace ncclwhy
