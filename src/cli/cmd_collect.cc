// ncclwhy collect: what this host can tell, in one archive.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "api/knowledge.h"
#include "cli/common_options.h"
#include "cli/local_time.h"
#include "cli/output.h"
#include "cli/overwritten_input.h"
#include "cli/subcommand.h"
#include "collect/collection.h"
#include "collect/host_process.h"
#include "collect/log_files.h"

namespace ncclwhy {
namespace {

constexpr CommandText kCollectText = {
    .usage = R"(ncclwhy collect [OPTIONS] [LOG...])",
    .about = R"(Gathers what this host knows of a job into one archive that ncclwhy reads.
LOG: files and folders. Of each process: NCCL's log, flight recorders, the files
it prints into, its stack (py-spy or gdb), and of its environment the variables
of NCCL and its kin. Of the host: kernel log, GPUs, network counters, limits,
the Slurm job. Each has a time limit; nothing is changed.)",
    .further = R"(Without --pid: all processes that have NCCL loaded.
Each node into a shared folder:
  srun --overlap --jobid ID --ntasks-per-node 1 ncclwhy collect -o /shared/why/
  pdsh -w 'node[1-8]' ncclwhy collect -o /shared/why/
  kubectl exec POD -- ncclwhy collect -o - > POD.tar.gz)",
    .exit_status = R"(0 the archive is there; 2 wrong usage, or it cannot be written.)",
    .examples = R"(ncclwhy collect && ncclwhy ncclwhy-*.tar.gz)",
};

class CollectCommand : public Subcommand {
 public:
  std::string_view name() const override { return "collect"; }
  CommandText text() const override { return kCollectText; }

  void AddOptions(CLI::App* app) override {
    app->add_option("LOG", options_.paths);
    app->add_option("-o,--output", output_, "archive, a folder for it, or -")->type_name("FILE");
    app->add_option("--pid", options_.pids, "a process of the job (several: repeat)")
        ->type_name("PID")
        ->check(CLI::Range(1, 1 << 30))
        ->allow_extra_args(false);
    app->add_option("--since", options_.since, "kernel log since then, not since the processes began")
        ->type_name("TIME");
    AddKbOption(app, &knowledge_.kb_directories);
  }

  int Run() override {
    Result<Knowledge> knowledge = Knowledge::Load(knowledge_);
    if (!knowledge.ok()) return Trouble(knowledge.status());
    const bool named = !options_.pids.empty();
    // Without --pid every process with NCCL: of a job that hangs they are all there.
    if (!named) options_.pids = ProcessesWithNccl();
    // A minute before the first of them began: what the kernel said while it started.
    if (options_.since.empty() && !options_.pids.empty()) options_.since = Began();
    const std::string file = File();
    // An archive in the folder that is collected would hold itself, and a log with the archive's name would be gone.
    if (const std::string lost = OverwrittenInput(file, Logs()); !lost.empty()) {
      Complain(lost);
      return kExitTrouble;
    }
    Result<std::unique_ptr<CollectionSink>> sink = NewTarSink(file);
    if (!sink.ok()) return Trouble(sink.status());
    const Result<CollectionDone> done = CollectHost(options_, knowledge.value().kb(), sink.value().get());
    if (!done.ok()) return Trouble(done.status());
    for (const std::string& problem : done.value().problems) Complain(problem);
    // Only the host: often the wrong node, or another user's job.
    if (!named && options_.pids.empty() && options_.paths.empty()) {
      Complain("no process here has NCCL loaded, and no LOG is named: the archive tells of the host alone");
    }
    Complain(std::to_string(done.value().files) + " logs, " + std::to_string(done.value().commands) +
             " answers of commands, " + std::to_string(done.value().processes) + " processes" +
             (file == "-" ? "" : ": " + file));
    return 0;
  }

 private:
  static int Trouble(const Status& status) {
    Complain(status.message());
    return kExitTrouble;
  }

  // All that is read.
  std::vector<std::string> Logs() const {
    // Read once more, since CollectHost reads them by itself: what a process prints into is among the inputs.
    LogFiles of_processes;
    for (const pid_t pid : options_.pids) of_processes.AddOf(ReadProcess(pid));
    std::vector<std::string> out = options_.paths;
    out.insert(out.end(), of_processes.files().begin(), of_processes.files().end());
    return out;
  }

  // What the kernel said before is of other jobs. Empty: nobody knows.
  std::string Began() const {
    std::time_t first = 0;
    for (const pid_t pid : options_.pids) {
      const std::time_t started = ReadProcess(pid).started;
      if (started > 0 && (first == 0 || started < first)) first = started;
    }
    return first > 0 ? LocalTime(first - 60, "%Y-%m-%d %H:%M:%S") : "";
  }

  // ncclwhy-node3-20261123-231500.tar.gz
  std::string File() const {
    std::error_code none;
    // A name that ends in a slash is a folder, whether it is there or not.
    const bool folder = !output_.empty() && (output_.back() == '/' || std::filesystem::is_directory(output_, none));
    if (!output_.empty() && !folder) return output_;
    char host[256] = {};
    (void)::gethostname(host, sizeof host - 1);
    // Host and second: nodes that collect into one folder at the same time have names of their own.
    const std::string name = std::string("ncclwhy-") + host + "-" + LocalTime(std::time(nullptr), "%Y%m%d-%H%M%S");
    return (std::filesystem::path(output_) / (name + ".tar.gz")).string();
  }

  AnalyzerOptions knowledge_;
  CollectionOptions options_;
  std::string output_;
};

}  // namespace

std::unique_ptr<Subcommand> NewCollectCommand() { return std::make_unique<CollectCommand>(); }

}  // namespace ncclwhy
