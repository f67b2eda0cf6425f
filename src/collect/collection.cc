#include "collect/collection.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <list>
#include <map>
#include <set>

#include "base/escape.h"
#include "base/text.h"
#include "collect/command_batch.h"
#include "collect/host_process.h"
#include "collect/log_files.h"
#include "collect/without_credentials.h"

extern char** environ;

namespace ncclwhy {
namespace {

// A row of commands.def. Several rows with one file are alternatives: the first that answers is kept.
struct Row {
  std::string_view file, when;
  int seconds;
  std::array<const char*, 12> words;
};

constexpr Row kRows[] = {
#define COMMAND(file, when, seconds, ...) {file, when, seconds, {__VA_ARGS__}},
#include "collect/commands.def"
#undef COMMAND
};

// A row with its places filled in.
struct Question {
  std::string file;
  CommandRun run;
};

using Values = std::map<std::string, std::string>;

// A value that holds another place is not filled again at its own place: the search goes on behind it.
// Values are put in as they are, each a whole word or a part of one: no shell reads them.
std::string Filled(std::string text, const Values& values) {
  for (const auto& [name, value] : values) {
    const std::string place = "{" + name + "}";
    for (size_t at = 0; (at = text.find(place, at)) != std::string::npos; at += value.size()) {
      text.replace(at, place.size(), value);
    }
  }
  return text;
}

// Whether a row has the place in its file's name or in its words.
bool Asks(const Row& row, std::string_view place) {
  return row.file.find(place) != std::string_view::npos ||
         std::any_of(row.words.begin(), row.words.end(), [&](const char* w) {
           return w != nullptr && std::string_view(w).find(place) != std::string_view::npos;
         });
}

// In `sacct -j {job}` an id of `4711 --all` would be an option, so nothing but such characters is let in.
// 4711, 4711_3, 4711.batch. It becomes a word of a command, and whose process has it may have made it.
bool IsJobId(const std::string& text) {
  return !text.empty() && text.size() < 64 && IsDigit(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsAlnum(c) || c == '_' || c == '.' || c == '+'; });
}

// What the folder in the archive is called; a host without a name is "host".
std::string HostName() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "host";
  return name;
}

// Cards have a device behind them in /sys; `docker0`, `veth…` and `lo` have none.
// Those of cards: bridges and pairs of containers count nothing that matters.
std::vector<std::string> Interfaces() {
  std::vector<std::string> out;
  std::error_code none;
  for (std::filesystem::directory_iterator i("/sys/class/net", none), end; i != end && !none; i.increment(none)) {
    if (std::filesystem::exists(i->path() / "device", none)) out.push_back(i->path().filename().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Asks everything, then keeps what came of it, in the order of commands.def. Errors of the sink stop the keeping, not
// the asking.
class Collector {
 public:
  Collector(const CollectionOptions& options, const KnowledgeBase& knowledge, CollectionSink* sink)
      : options_(options), sink_(sink), top_(HostName()) {
    for (std::string& name : knowledge.VariableNames()) known_.insert(std::move(name));
    // A process that is not there is a problem and not the end: the others are still of use.
    for (const pid_t pid : options.pids) {
      processes_.push_back(ReadProcess(pid));
      if (processes_.back().pid >= 0) continue;
      done_.problems.push_back("there is no process " + std::to_string(pid));
      processes_.pop_back();
    }
    done_.processes = processes_.size();
  }

  // The manifest is written last, since it says what became of everything.
  Result<CollectionDone> Run() {
    Ask();
    for (const Question& question : questions_) Keep(question);
    Environments();
    if (status_.ok()) status_ = Logs();
    Put("MANIFEST.txt",
        "What ncclwhy collect asked of " + EscapeTerminal(top_) + ", and what came of it.\n\n" + manifest_);
    if (status_.ok()) status_ = sink_->Finish();
    if (!status_.ok()) return status_;
    return done_;
  }

 private:
  // The job of the first process that tells one, else of whoever asks.
  std::string Job() const {
    for (const HostProcess& process : processes_) {
      if (std::string job = process.Variable("SLURM_JOB_ID"); IsJobId(job)) return job;
    }
    const char* own = std::getenv("SLURM_JOB_ID");
    return own != nullptr && IsJobId(own) ? own : "";
  }

  // "job": within a job of Slurm; "since": with a time; "ever": without one; else always.
  bool Wanted(std::string_view when, const std::string& job) const {
    if (when == "job") return !job.empty();
    if (when == "since") return !options_.since.empty();
    return when != "ever" || options_.since.empty();
  }

  // The words are handed to exec as they are.
  // A question with its places filled in, and no more time than whoever asks has.
  void AddQuestion(const Row& row, const Values& values) {
    Question question;
    question.file = Filled(std::string(row.file), values);
    for (const char* word : row.words) {
      if (word != nullptr) question.run.words.push_back(Filled(word, values));
    }
    question.run.limit = std::chrono::seconds(row.seconds);
    if (options_.most.count() > 0) question.run.limit = std::min(question.run.limit, options_.most);
    questions_.push_back(std::move(question));
  }

  // A row with {pid} or {interface} is asked for each.
  void Ask() {
    const std::string job = Job();
    for (const Row& row : kRows) {
      if (!Wanted(row.when, job)) continue;
      Values values = {{"job", job}, {"since", options_.since}};
      std::string place = Asks(row, "{pid}") ? "pid" : Asks(row, "{interface}") ? "interface" : "";
      if (place.empty()) {
        AddQuestion(row, values);
        continue;
      }
      std::vector<std::string> each;
      if (place == "interface") each = Interfaces();
      if (place == "pid") {
        for (const HostProcess& process : processes_) each.push_back(std::to_string(process.pid));
      }
      for (const std::string& one : each) {
        values[place] = one;
        AddQuestion(row, values);
      }
    }
    // In rounds: all that is first choice runs side by side, and only where that gave nothing the next choice is asked.
    // The first question of each file; then the next one of those that got no answer.
    std::set<std::string> answered;
    std::set<const Question*> asked;
    for (;;) {
      std::vector<CommandRun*> batch;
      std::map<std::string, Question*> now;
      for (Question& question : questions_) {
        if (asked.count(&question) == 0 && answered.count(question.file) == 0) now.emplace(question.file, &question);
      }
      if (now.empty()) break;
      for (Question& question : questions_) {  // in their order
        const auto it = now.find(question.file);
        if (it != now.end() && it->second == &question) batch.push_back(&question.run);
      }
      RunBatch(batch);
      for (const auto& [file, question] : now) {
        asked.insert(question);
        const CommandRun& run = question->run;
        // A command that hung is not followed by its alternative: the same driver or server would let it hang as well.
        if ((run.worked() && !run.output.empty()) || run.end == CommandRun::End::kStopped) answered.insert(file);
      }
    }
    // What was never needed stands in no manifest.
    questions_.remove_if([&](const Question& question) { return asked.count(&question) == 0; });
  }

  // A line of the MANIFEST for each question, with an answer or without; the answer as a file.
  void Keep(const Question& question) {
    const CommandRun& run = question.run;
    std::string line = question.file + "  ";
    for (const std::string& word : run.words) line += word + " ";
    line.back() = ':';
    switch (run.end) {
      case CommandRun::End::kAbsent:
        line += " not here";
        break;
      case CommandRun::End::kStopped:
        line += " stopped after " + std::to_string(run.limit.count() / 1000) + " s";
        done_.problems.push_back(run.words.front() + " took longer than " + std::to_string(run.limit.count() / 1000) +
                                 " s");
        break;
      case CommandRun::End::kFull:
        line += " stopped after " + std::to_string(run.output.size()) + " bytes";
        break;
      case CommandRun::End::kEnded:
        line += " status " + std::to_string(run.status);
        break;
    }
    // What a command had printed when its time was over is often what shows why it hangs.
    const bool kept = !run.output.empty() && (run.worked() || run.end == CommandRun::End::kStopped);
    if (kept) {
      line += ", " + std::to_string(run.output.size()) + " bytes";
      ++done_.commands;
      Put(question.file, WithoutArguments(run.output));
    } else if (!run.output.empty()) {
      // The first line of what it says instead: `nvidia-smi: command failed`, `permission denied`.
      line += ", it says: " + run.output.substr(0, std::min<size_t>(run.output.find('\n'), 200));
    }
    Note(line);
  }

  // Only variables that the knowledge knows, and their values without passwords: an environment has secrets.
  template <typename Variables>
  std::string KnownOnes(const Variables& variables) const {
    std::vector<std::string> lines;
    for (const auto& [name, value] : variables) {
      if (known_.count(name) > 0) lines.push_back(name + "=" + WithoutCredentials(value) + "\n");
    }
    std::sort(lines.begin(), lines.end());
    std::string out;
    for (const std::string& line : lines) out += line;
    return out;
  }

  // Of the processes; without any, of this one.
  void Environments() {
    std::vector<std::pair<std::string, std::string>> own;
    for (char** variable = environ; *variable != nullptr; ++variable) {
      const std::string text = *variable;
      const size_t equals = text.find('=');
      if (equals != std::string::npos) own.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    if (processes_.empty()) Put("environment.txt", KnownOnes(own));
    for (const HostProcess& process : processes_) {
      const std::string folder = "pid-" + std::to_string(process.pid);
      Put(folder + "/process.txt", process.state);
      // Another user's environment cannot be read without privileges.
      if (process.environment.empty()) {
        Note(folder + "/environment.txt  not readable for this user");
      } else {
        Put(folder + "/environment.txt", KnownOnes(process.environment));
      }
    }
  }

  // Behind the commands: reading logs may take long, and the state of a hanging job changes.
  Status Logs() {
    LogFiles logs;
    for (const std::string& path : options_.paths) logs.AddPath(path);
    if (options_.logs_of_pids) {
      for (const HostProcess& process : processes_) logs.AddOf(process);
    }
    done_.problems.insert(done_.problems.end(), logs.problems().begin(), logs.problems().end());
    std::vector<std::string> notes;
    const Status status = logs.Write(top_ + "/logs", sink_, &notes);
    for (const std::string& note : notes) Note(note);
    done_.files = logs.written();
    return status;
  }

  // What a process was called with may hold a token: its first word is enough.
  std::string WithoutArguments(std::string text) const {
    for (const HostProcess& process : processes_) {
      const size_t blank = process.command.find(' ');
      if (blank == std::string::npos) continue;
      // From the whole of the command line down to its first word, wherever a tool like `ps` shows it.
      for (size_t at = 0; (at = text.find(process.command, at)) != std::string::npos; at += blank) {
        text.replace(at, process.command.size(), process.command, 0, blank);
      }
    }
    return text;
  }

  // A line of the MANIFEST. Names of files and what tools say come from elsewhere.
  void Note(const std::string& line) { manifest_ += EscapeTerminal(line) + "\n"; }

  // Empty texts make no file. The first error of the sink is kept.
  void Put(const std::string& name, std::string_view text) {
    if (status_.ok() && !text.empty()) status_ = sink_->AddText(top_ + "/" + name, text);
  }

  const CollectionOptions& options_;
  CollectionSink* const sink_;
  const std::string top_;
  std::set<std::string> known_;
  std::vector<HostProcess> processes_;
  std::list<Question> questions_;
  std::string manifest_;
  CollectionDone done_;
  Status status_;
};

}  // namespace

Result<CollectionDone> CollectHost(const CollectionOptions& options, const KnowledgeBase& knowledge,
                                   CollectionSink* sink) {
  return Collector(options, knowledge, sink).Run();
}

}  // namespace ncclwhy
