#include "analyze/passed_by_launcher.h"

#include "catch.h"

namespace ncclwhy {
namespace {

std::string Passed(std::initializer_list<const char*> words, const std::string& command) {
  JobEnvironment environment;
  for (const char* word : words) environment.words.emplace(word);
  return PassedByLauncher(KnowledgeBase::Embedded(), environment, command);
}

TEST_CASE("a variable goes the way that the launcher knows", "[analyze]") {
  CHECK(Passed({"open-mpi", "mpirun"}, "export NCCL_SOCKET_IFNAME=eno2") == "mpirun -x NCCL_SOCKET_IFNAME=eno2 …");
  CHECK(Passed({"hydra"}, "export A=1 B=x,y") == "mpiexec -genv A 1 -genv B x,y …");
  CHECK(Passed({"open-mpi"}, "NCCL_IB_TC=106   # DSCP 26") == "mpirun -x NCCL_IB_TC=106 …  # DSCP 26");
  CHECK(Passed({"open-mpi"}, "CUDA_LAUNCH_BLOCKING=1 COMMAND") == "mpirun -x CUDA_LAUNCH_BLOCKING=1 …");
}

TEST_CASE("what else a command does, and whom nobody needs to tell, stays", "[analyze]") {
  for (const char* command : {"ibstat", "export A=1; ibstat", "A=$(hostname)", "export OMPI_MCA_pml=ob1",
                              "A=1 COMMAND --x", "unset NCCL_P2P_DISABLE", ""}) {
    CHECK(Passed({"open-mpi"}, command) == command);
  }
  CHECK(Passed({"open-mpi", "srun"}, "export A=1") == "export A=1");
  CHECK(Passed({"torchrun"}, "export A=1") == "export A=1");
  CHECK(Passed({"torchrun"}, "A=1") == "export A=1");
  CHECK(Passed({"torchrun"}, "A=1 COMMAND") == "A=1 COMMAND");
}

TEST_CASE("a program without Python has its stacks shown by a debugger", "[analyze]") {
  JobEnvironment environment;
  const std::string python = "py-spy dump --native --pid 4711; grep State /proc/4711/status";
  CHECK(WithStackTool(KnowledgeBase::Embedded(), environment, python) == python);
  environment.words = {"nccl-tests"};
  CHECK(WithStackTool(KnowledgeBase::Embedded(), environment, python) ==
        "gdb -p 4711 -batch -ex 'thread apply all bt'; grep State /proc/4711/status");
}

}  // namespace
}  // namespace ncclwhy
