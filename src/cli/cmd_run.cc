// ncclwhy run -- COMMAND...: a job under watch; an answer when it fails or stands still.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "base/escape.h"
#include "cli/broken_pipes.h"
#include "cli/common_options.h"
#include "cli/left_reason.h"
#include "cli/local_time.h"
#include "cli/output.h"
#include "cli/run_answer.h"
#include "cli/run_folder.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"
#include "collect/host_process.h"
#include "run/dump_pipes.h"
#include "run/traced_environment.h"
#include "run/wrapper.h"

extern char** environ;

namespace ncclwhy {
namespace {

constexpr CommandText kRunText = {
    .usage = R"(ncclwhy run [OPTIONS] -- COMMAND...)",
    .about = R"(Runs a job of one node as if nobody watched, and says why when it fails.
Output, signals and exit status are the command's own. Sets NCCL_DEBUG=INFO with
a file of each process, PyTorch's flight recorder and stack dumps, unless set.
When the command fails, or its work stands still, the short answer goes to
standard error, and report.txt and report.json are written beside the logs.)",
    .further = R"(Without --hang a silence of 10 minutes is looked into, and told only when a log
line shows its cause. --log-dir: the folder is kept; without it one in $TMPDIR,
which is kept after a failure. kill -9 of ncclwhy does not end the command.
After a failure one line that says why goes to $NCCLWHY_TERMINATION_LOG, by
default /dev/termination-log, where that is there, and to torchelastic's error
file, unless the program has written to them itself.)",
    .exit_status = R"(the command's; 128+n when signal n ended it; 126 or 127 when it
cannot be run; 2 wrong usage.)",
    .examples = R"(ncclwhy run -- torchrun --nproc-per-node 8 train.py
ncclwhy run --log-dir why --hang 120 -- mpirun -n 8 ./all_reduce_perf)",
};

constexpr int kCannotRun = 126;
constexpr int kNotFound = 127;
// A silence that nobody said to be a hang.
constexpr int kLongSilence = 600;
// What ranks need to write their flight recorders.
constexpr auto kDumps = std::chrono::seconds(3);

// Each command that the host is asked, all side by side.
constexpr auto kCommands = std::chrono::seconds(10);
// Of a job with thousands of processes a stack of each would take longer than anybody waits.
constexpr size_t kMostProcesses = 64;

class RunCommandLine : public Subcommand {
 public:
  std::string_view name() const override { return "run"; }
  CommandText text() const override { return kRunText; }

  void AddOptions(CLI::App* app) override {
    app->add_option("COMMAND", command_)->required();
    // What stands behind COMMAND is the command's, whatever it looks like: `ncclwhy run -- python -f x`.
    app->positionals_at_end();
    app->prefix_command(false);
    app->add_option("--log-dir", log_dir_, "logs and report; a folder in there if it is not empty")->type_name("DIR");
    app->add_option("--hang", hang_, "answer when its work stood still for N seconds; 0: never")
        ->type_name("N")
        ->check(CLI::Range(0, 1'000'000));
    app->add_flag("--buffered", buffered_, "leave its buffers: no PYTHONUNBUFFERED, no libstdbuf");
    AddLanguageOption(app, &analyzer_.language);
    AddKnowledgeOptions(app, &analyzer_);
    AddColorOption(app, &color_);
  }

  int Run() override {
    std::string trouble;
    Result<RunFolder> folder = RunFolder::Make(log_dir_, &trouble);
    // A full disk, a read-only container: the job is more important than its answer.
    if (!folder.ok()) return RunUnwatched(trouble.empty() ? folder.status().message() : trouble);
    folder_ = folder.take();
    if (!trouble.empty()) Complain(trouble + "; the logs are in " + folder_.path());
    Result<CommandEnd> end = RunCommand(Options());
    // Nothing was printed into the folder yet.
    if (!end.ok()) {
      folder_.RemoveUnlessWanted();
      return RunUnwatched(end.status().message());
    }
    return StatusOf(end.value());
  }

 private:
  // What keeps us from watching does not keep the job from running.
  int RunUnwatched(const std::string& why) const {
    Complain(why + "; the command runs unwatched");
    // exec hands on what is ignored: the command must get what this program was started with.
    if (!BrokenPipesWereIgnored()) (void)::signal(SIGPIPE, SIG_DFL);
    std::vector<char*> words;
    for (const std::string& word : command_) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    return CannotRun(errno);
  }

  int CannotRun(int error) const {
    Complain("cannot run " + command_.front() + ": " + std::strerror(error));
    return error == ENOENT ? kNotFound : kCannotRun;
  }

  // `ulimit -f` is one of the ways in which a disk is full, and no reason to end without an answer.
  static void IgnoreFileSizeLimit() { (void)::signal(SIGXFSZ, SIG_IGN); }

  WrapperOptions Options() {
    WrapperOptions options;
    options.command = command_;
    for (char** variable = environ; *variable != nullptr; ++variable) options.environment.emplace_back(*variable);
    // Variables that are set stay: the user knows better which log he wants.
    options.environment = TracedEnvironment(std::move(options.environment), {folder_.logs(), !buffered_});
    options.logs = folder_.logs();
    options.ignores_broken_pipes = BrokenPipesWereIgnored();
    options.hang = std::chrono::seconds(hang_ < 0 ? kLongSilence : hang_);
    options.answer = [this](const Silence& silence) { return OnSilence(silence); };
    options.goes_on = [this] { Note("ncclwhy run: the command goes on"); };
    return options;
  }

  // In a copy of this process.
  std::string OnSilence(const Silence& silence) {
    IgnoreFileSizeLimit();
    const std::string seconds = std::to_string(silence.lasted.count());
    Note("ncclwhy run: " + std::string(silence.only_chatter ? "no headway" : "no output") + " for " + seconds +
         " s, the command still runs");
    // Flight recorders are asked for first: who looks with a debugger may disturb a rank that could still write one.
    AskForDumps(folder_.logs(), kDumps);
    // A debugger stops a process for a moment: not for a silence that may be none.
    std::vector<pid_t> processes = hang_ > 0 ? WithDescendants(silence.command) : std::vector<pid_t>();
    processes.resize(std::min(processes.size(), kMostProcesses));
    const Result<RunAnswer> answer = Answer(silence.unlogged, std::move(processes));
    if (!answer.ok()) return WithItsFolder(answer);
    // Without --hang a silence may be none at all: a checkpoint, a compilation. Then only what a line shows is said.
    if (hang_ < 0 && !answer.value().sure) return {};
    return "ncclwhy: the command still runs and has shown no " +
           std::string(silence.only_chatter ? "headway" : "output") + " for " + seconds + " s\n" +
           WithItsFolder(answer);
  }

  int StatusOf(const CommandEnd& end) {
    IgnoreFileSizeLimit();
    if (end.error != 0) {
      folder_.RemoveUnlessWanted();
      return CannotRun(end.error);
    }
    if (end.lost != 0) {
      Complain("the process that kept the command was killed; how the command ends is not known. Logs: " +
               folder_.logs());
      return kExitTrouble;
    }
    const bool signalled = WIFSIGNALED(end.status);
    const int status = signalled ? 128 + WTERMSIG(end.status) : WEXITSTATUS(end.status);
    if (end.dropped_mib > 0) {
      Note("ncclwhy run: " + std::to_string(end.dropped_mib) + " MiB of output are not in these logs");
    }
    if (status == 0) {
      // An answer that was told while it ran has named the folder.
      // The user has been told of the folder by then.
      if (!end.answered) folder_.RemoveUnlessWanted();
      return 0;
    }
    // The note is a log line as any other: the analysis reads how the command ended.
    NoteEnd(end, status);
    const Result<RunAnswer> answer = Answer(end.unlogged);
    const std::string said = "ncclwhy: the command " +
                             (signalled ? "was ended by signal " + std::to_string(WTERMSIG(end.status))
                                        : "ended with status " + std::to_string(status)) +
                             "\n" + WithItsFolder(answer);
    (void)!::write(STDERR_FILENO, said.data(), said.size());
    // A program that was stopped from outside did not fail: torchrun would take it for the root cause.
    if (answer.ok()) LeaveReason(answer.value().reason, StopSignal(end, status) == 0);
    return status;
  }

  // The signal that came from outside and ended the command; 0: none did.
  static int StopSignal(const CommandEnd& end, int status) {
    int number = status > 128 && status < 128 + 64 ? status - 128 : 0;  // shells and launchers say it so
    // Only a signal that was handed on counts: status 137 may be a container's memory limit as well.
    if (number == 0) number = end.stop_signal;
    return number > 0 && (end.passed_on >> number & 1) != 0 ? number : 0;
  }

  // Who ends a command that stands still does not make it another kind of failure.
  void NoteEnd(const CommandEnd& end, int status) {
    if (const int number = StopSignal(end, status); number > 0) {
      if (!end.silent) {
        Note("ncclwhy run: the command was stopped from outside by signal " + std::to_string(number));
      }
      return;
    }
    // As time(1) says it.
    Note(WIFSIGNALED(end.status) ? "Command terminated by signal " + std::to_string(WTERMSIG(end.status))
                                 : "Command exited with non-zero status " + std::to_string(status));
  }

  void Note(const std::string& line) {
    if (!NoteOfRun(folder_, line)) unwritten_notes_ += line + "\n";
  }

  Result<RunAnswer> Answer(const std::string& unlogged, std::vector<pid_t> processes = {}) const {
    RunAnswerOptions options{analyzer_, {}, {}, unlogged};
    // Notes that no disk took are read as if they stood in run.log.
    if (!unwritten_notes_.empty()) options.unlogged += (unlogged.ends_with('\n') ? "" : "\n") + unwritten_notes_;
    options.collection.pids = std::move(processes);
    options.collection.logs_of_pids = false;  // they are here
    // What the kernel said before the command is of other jobs.
    options.collection.since = LocalTime(begun_, "%Y-%m-%d %H:%M:%S");
    options.collection.most = kCommands;
    options.format.language = analyzer_.language;
    options.format.width = TerminalWidth(STDERR_FILENO);
    options.format.color = UseColor(color_, STDERR_FILENO);
    return AnswerRun(folder_, options);
  }

  // The answer with where there is more. Names come from outside, the text of an answer is rendered already.
  std::string WithItsFolder(const Result<RunAnswer>& answer) const {
    const std::string folder = EscapeTerminal(folder_.path());
    if (!answer.ok()) return "ncclwhy: " + EscapeTerminal(answer.status().message()) + "\nLogs: " + folder + "\n";
    const std::string& unwritten = answer.value().unwritten;
    if (unwritten.empty()) return answer.value().text + "Logs and report: " + folder + "\n";
    return answer.value().text + "Logs: " + folder + "; " + EscapeTerminal(unwritten) + "\n";
  }

  std::vector<std::string> command_;
  std::string log_dir_;
  std::string color_ = "auto";
  AnalyzerOptions analyzer_;
  RunFolder folder_;
  std::string unwritten_notes_;  // lines that are as good as in run.log
  int hang_ = -1;
  bool buffered_ = false;
  const std::time_t begun_ = std::time(nullptr);
};

}  // namespace

std::unique_ptr<Subcommand> NewRunCommand() { return std::make_unique<RunCommandLine>(); }

}  // namespace ncclwhy
