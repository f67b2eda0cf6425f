#include "kb/loader/command_words.h"

#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("a name of a command stands in a plain word", "[kb]") {
  for (const char* good : {
           "ib_write_bw -d {device|mlx5_0} {peer_host|PEER}",
           "docker run --shm-size={shm_needed|1g} …",
           "NCCL_IB_HCA=^{device|mlx5_0}",
           "unset NCCL_NET; NCCL_IB_HCA={device|mlx5} ./app",
           "scontrol update Reason='GPU failed'[[', Xid '{xid}]]",
           "tr \"\\0\" \"\\n\" < /proc/{pid|PID}/environ | sort",
           "ssh {peer_host|PEER} 'ibstat; dmesg -T | tail -50'",
           "strings $(find / -name 'lib*') | grep -x -- {variable|NCCL_NAME}",
           "nc -l 45000      # there;   here: nc -zv {peer|PEER_IP} 45000",
           "x = {'a': \"it's\"}",  // no name: not read as shell
           "a 'b",
       }) {
    INFO(good);
    CHECK(CheckCommand(good).empty());
  }
  for (const char* bad : {
           "grep '{symbol|x}'",
           "grep \"{symbol|x}\"",
           "grep \"$(cat {path|F})\"",
           "ls $(cat {path|F})",
           "ls `cat {path|F}`",
           "echo ${{path|F}}",
           "echo ${path}",
           "echo \\{path|F}",
           "{path|F} -l",
           "ls; {path|F}",
           "A=b {path|F}",
           "sudo {path|F}",
           "ls | {path|F}",
           "ls > {path|F}",
           "ls >{path|F}",
           "bash -c {path|F}",
           "eval {path|F}",
           "cat <<E\n{path|F}\nE",
           "echo {text|x}",
           "echo {host|a b}",
           "echo {host|<node>}",
           "echo {host|$(x)} 'b",
           "echo {host|x} 'b",
           "echo [[ 'a {host} ]] b'",
           "echo x # it's\necho {host|x} '",
           "echo $'a\\'b' {host|x}",
       }) {
    INFO(bad);
    CHECK(!CheckCommand(bad).empty());
  }
}

TEST_CASE("a value of a command is what its kind allows, else its name in capitals", "[kb]") {
  const struct {
    const char *name, *value, *word;
  } kCases[] = {
      {"host", "gpu-a17.cluster.local", "gpu-a17.cluster.local"},
      {"host", "-rf", "HOST"},
      {"host", "a b", "HOST"},
      {"host", "2$(touch${IFS}X)", "HOST"},
      {"peer", "10.0.0.2", "10.0.0.2"},
      {"peer", "fe80::1%eth0", "fe80::1%eth0"},
      {"device", "mlx5_0", "mlx5_0"},
      {"device", "../../etc", "DEVICE"},
      {"device", "`id`", "DEVICE"},
      {"version", "2.28.9+cuda12.9", "2.28.9+cuda12.9"},
      {"version", "2$(touch${IFS}X)", "VERSION"},
      {"pid", "812", "812"},
      {"pid", "-1", "PID"},
      {"gid", "fe80:0000:0000:0000:0ac0:ebff:fe12:3456", "fe80:0000:0000:0000:0ac0:ebff:fe12:3456"},
      {"bus_id", "0000:1b:00.0", "0000:1b:00.0"},
      {"path", "/usr/lib/libnccl.so.2", "/usr/lib/libnccl.so.2"},
      {"path", "/usr/lib/../../x", "PATH"},
      {"path", "/a;b", "PATH"},
      {"variable", "NCCL_IB_HCA", "NCCL_IB_HCA"},
      {"variable", "LD_PRELOAD", "VARIABLE"},
      {"variable", "PATH", "VARIABLE"},
      {"expected_value", "^docker0,lo", "'^docker0,lo'"},
      {"expected_value", "mlx5_0:1,mlx5_1:1", "mlx5_0:1,mlx5_1:1"},
      {"shm_needed", "8g", "8g"},
      {"symbol", "ncclMemFree", "ncclMemFree"},
      {"xid", "79\n", "XID"},
  };
  for (const auto& c : kCases) {
    INFO(c.name << " = " << c.value);
    const TemplateValues words = CommandWords({{c.name, c.value}});
    REQUIRE(words.contains(c.name));
    CHECK(words.at(c.name) == c.word);
  }
  CHECK(CommandWords({{"text", "anything"}, {"host", ""}}).empty());
}

TEST_CASE("a log has no say in what a process loads or runs", "[kb]") {
  const auto word = [](const char* variable) {
    return CommandWords({{"variable", variable}, {"expected_value", "/tmp/x.so"}}).at("expected_value");
  };
  for (const char* variable : {"NCCL_NET_PLUGIN", "NCCL_CONF_FILE", "CUDA_INJECTION64_PATH", "UCX_MODULE_DIR",
                               "OMPI_MCA_plm_rsh_agent", "HYDRA_LAUNCHER", "NCCL_TUNER_PLUGIN", "NCCL_IBEXT_LIBPATH"}) {
    INFO(variable);
    CHECK(word(variable) == "EXPECTED_VALUE");
  }
  for (const char* variable : {"NCCL_SOCKET_IFNAME", "NCCL_TOPO_FILE", "NCCL_P2P_DIRECT_DISABLE", "NCCL_LAUNCH_MODE",
                               "OMPI_MCA_btl_tcp_if_include", "UCX_TLS"}) {
    INFO(variable);
    CHECK(word(variable) == "/tmp/x.so");
  }
}

}  // namespace
}  // namespace ncclwhy
