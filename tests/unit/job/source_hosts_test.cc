#include "job/source_hosts.h"

#include "catch.h"

namespace ncclwhy {
namespace {

using Names = std::vector<std::string_view>;
using Hosts = std::vector<std::string>;

TEST_CASE("the host of a file is the word with a number that the others do not have", "[source_hosts]") {
  CHECK(HostsInNames(Names{"run7/node0-h200-13.log", "run7/node1-h200-14.log"}) == Hosts{"h200-13", "h200-14"});
  CHECK(HostsInNames(Names{"sft.algo-1.log", "sft.algo-2.log"}) == Hosts{"algo-1", "algo-2"});
  CHECK(HostsInNames(Names{"proc0-gpu-c11.log", "proc1-gpu-c12.log", "dmesg-gpu-c12.txt"}) ==
        Hosts{"gpu-c11", "gpu-c12", "gpu-c12"});
  CHECK(HostsInNames(Names{"launch-h100-24.log", "launch-h100-25.log", "rank0.log"}) ==
        Hosts{"h100-24", "h100-25", ""});
}

TEST_CASE("numbers of ranks, attempts and jobs are no hosts, nor is what all share", "[source_hosts]") {
  CHECK(HostsInNames(Names{"train.rank0.log", "train.rank1.log"}) == Hosts{"", ""});
  CHECK(HostsInNames(Names{"attempt1/stdout.log", "attempt2/stdout.log"}) == Hosts{"", ""});
  CHECK(HostsInNames(Names{"node7/rank0.log", "node7/rank1.log"}) == Hosts{"", ""});
  CHECK(HostsInNames(Names{"node7.log", "slurm.log"}) == Hosts{"", ""});  // one alone may be the job's name
}

TEST_CASE("a known host in the name of a file", "[source_hosts]") {
  const Hosts hosts = {"amd-a", "amd-b", "amd-b-2", "n1"};
  CHECK(KnownHostInName("logs/amd-b-dmesg.txt", hosts) == "amd-b");
  CHECK(KnownHostInName("kern.amd-b-2.log", hosts) == "amd-b-2");
  CHECK(KnownHostInName("amd-ab.log", hosts) == "");
  CHECK(KnownHostInName("xamd-a-amd-a.log", hosts) == "amd-a");  // within a word, and as one
  CHECK(KnownHostInName("amd-a/dmesg.txt", hosts) == "");        // of the last part alone
  CHECK(KnownHostInName("amd-a_to_amd-b.txt", hosts) == "");     // which of them?
  CHECK(KnownHostInName("n1.txt", hosts) == "");
}

}  // namespace
}  // namespace ncclwhy
