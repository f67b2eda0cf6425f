// ncclwhy digest LOG... -o FILE: what logs say, in a small file that is read instead of them.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "api/make_digest.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/overwritten_input.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"

namespace ncclwhy {
namespace {

constexpr CommandText kDigestText = {
    .usage = R"(ncclwhy digest [OPTIONS] LOG... -o FILE)",
    .about = R"(Reads logs where they are, and writes what they say to a small file, a digest:
each node digests its own logs, and one ncclwhy reads all digests, and logs
beside them, in any order. The report is that of reading all logs at once.
LOG: what ncclwhy reads, digests too: they are merged.
The parts of one rotated log belong into one digest. It is read by the version
of ncclwhy that made it, with the same --rules and --kb. It holds lines of the
logs as they are: --redact is for the report.)",
    .exit_status = R"(0 written; 2 not written, or something could not be read, which the
digest says, too.)",
    .examples = R"(ncclwhy digest /var/log/nccl --as node3 -o /shared/node3.digest
ncclwhy /shared/*.digest slurmctld.log)",
};

class DigestCommand : public Subcommand {
 public:
  std::string_view name() const override { return "digest"; }
  CommandText text() const override { return kDigestText; }

  void AddOptions(CLI::App* app) override {
    app->add_option("LOG", logs_)->required();
    app->add_option("-o,--output", output_, "write there; - is standard output")->type_name("FILE")->required();
    app->add_option("--as", prefix_, "put NAME/ before names, where nodes call them alike")->type_name("NAME");
    app->add_option("--timeline", timeline_, "default, full (every collective)")
        ->type_name("T")
        ->check(CLI::IsMember({"default", "full"}));
    AddJobsOption(app, &options_.jobs);
    AddKnowledgeOptions(app, &options_);
    app->add_flag("-q,--quiet", quiet_, "say only what went wrong");
  }

  int Run() override {
    // Bytes of a digest are no text.
    if (output_ == "-" && IsTerminal(STDOUT_FILENO)) {
      Complain("a digest is not for a terminal: name a file with -o");
      return kExitTrouble;
    }
    // Before hours of reading.
    if (const std::string lost = OverwrittenInput(output_, logs_); !lost.empty()) {
      Complain(lost);
      return kExitTrouble;
    }
    options_.full_timeline = timeline_ == "full";
    const Result<MadeDigest> made = MakeDigest(logs_, prefix_, options_);
    if (!made.ok()) {
      Complain(made.status().message());
      return kExitTrouble;
    }
    const MadeDigest& digest = made.value();
    // On standard error as well as in the digest: here somebody is at the terminal, or in the log of the batch job.
    for (const std::string& problem : digest.problems) Complain(problem);
    if (output_ == "-") {
      if (WriteStandardOutput(digest.bytes) != Written::kAll) return kExitTrouble;
    } else if (const Status done = WriteFile(output_, digest.bytes); !done.ok()) {
      Complain(done.message());
      return kExitTrouble;
    }
    if (!quiet_) {
      Complain(output_ + ": " + std::to_string(digest.sources) + (digest.sources == 1 ? " source, " : " sources, ") +
               std::to_string(digest.read) + " bytes in " + std::to_string(digest.bytes.size()));
    }
    // The digest is written all the same: its reader is told what is missing.
    return digest.problems.empty() ? 0 : kExitTrouble;
  }

 private:
  AnalyzerOptions options_;
  std::vector<std::string> logs_;
  std::string output_;
  std::string prefix_;
  std::string timeline_ = "default";
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> NewDigestCommand() { return std::make_unique<DigestCommand>(); }

}  // namespace ncclwhy
