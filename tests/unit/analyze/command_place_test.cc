// Where a suggested command has to run.
#include "analyze/command_place.h"

#include "catch.h"

namespace ncclwhy {
namespace {

std::vector<Culprit> On(const std::vector<std::string>& hosts) {
  std::vector<Culprit> culprits;
  for (const std::string& host : hosts) {
    culprits.emplace_back();
    culprits.back().host = host;
  }
  return culprits;
}

std::string RunOn(std::string_view command, const std::vector<std::string>& hosts) {
  return HostToRunOn(KnowledgeBase::Embedded(), command, On(hosts));
}

TEST_CASE("what looks at a machine runs on the one that is blamed", "[analyze]") {
  CHECK(RunOn("nvidia-smi -L; echo $CUDA_VISIBLE_DEVICES", {"gpu-a17"}) == "gpu-a17");
  CHECK(RunOn("sudo dmesg -T | grep -i xid", {"gpu-a17", "gpu-a17", "gpu-a18"}) == "gpu-a17,gpu-a18");
  CHECK(RunOn("grep -h NET LOGS | sort; ibstat", {"gpu-a17"}) == "gpu-a17");
}

TEST_CASE("no host stands where it does not matter, is named, or is one of many", "[analyze]") {
  CHECK(RunOn("export NCCL_SOCKET_IFNAME=eth0", {"gpu-a17"}).empty());
  CHECK(RunOn("scontrol update NodeName=NODE State=DRAIN", {"gpu-a17"}).empty());
  CHECK(RunOn("kubectl exec POD -- nvidia-smi", {"gpu-a17"}).empty());
  CHECK(RunOn("echo dmesg", {"gpu-a17"}).empty());
  CHECK(RunOn("ssh gpu-a17 uptime; dmesg", {"gpu-a17"}).empty());
  CHECK(RunOn("dmesg", {}).empty());
  CHECK(RunOn("dmesg", {"a1", "a2", "a3", "a4"}).empty());
  // A log's value that is no host's name is never a prompt.
  CHECK(RunOn("dmesg", {"gpu$(reboot)"}).empty());
  CHECK(RunOn("dmesg", {"-oProxyCommand"}).empty());
}

}  // namespace
}  // namespace ncclwhy
