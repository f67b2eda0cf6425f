#include "cli/follow.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>

#include "cli/live_answer.h"
#include "cli/output.h"
#include "cli/steady_answer.h"
#include "read/growing_file.h"

namespace ncclwhy {
namespace {

using Clock = std::chrono::steady_clock;

// Fast enough for eyes, slow enough to cost nothing.
constexpr auto kTick = std::chrono::milliseconds(200);
constexpr auto kLookForFiles = std::chrono::seconds(1);
// Between two answers: at least this, and so much longer than the last one took that answering takes a tenth of one
// processor however long the logs become.
constexpr auto kBetweenAnswers = std::chrono::milliseconds(400);
constexpr int kRestPerWork = 10;

volatile std::sig_atomic_t g_stop = 0;  // a signal handler can reach nothing else

// Until it goes out of scope, SIGINT and SIGTERM end the following instead of the program.
class StopOnSignal {
 public:
  StopOnSignal() {
    g_stop = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { g_stop = 1; };
    ::sigaction(SIGINT, &action, &old_int_);
    ::sigaction(SIGTERM, &action, &old_term_);
  }
  ~StopOnSignal() {
    ::sigaction(SIGINT, &old_int_, nullptr);
    ::sigaction(SIGTERM, &old_term_, nullptr);
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

 private:
  struct sigaction old_int_ {};
  struct sigaction old_term_ {};
};

// A signal ends the pause early.
void Pause() {
  const timespec time{0, std::chrono::nanoseconds(kTick).count()};
  (void)::nanosleep(&time, nullptr);
}

// A sentence for a person who reads along: what is new of it stands in front.
std::string Words(const SteadyAnswer::News& news, Language language) {
  const bool zh = language == Language::kChinese;
  switch (news.kind) {
    case SteadyAnswer::News::Kind::kFirst:
      break;
    case SteadyAnswer::News::Kind::kChanged:
      return (zh ? "现在：" : "now ") + news.answer.line;
    case SteadyAnswer::News::Kind::kWithdrawn:
      return (zh ? "不再确定：" : "no longer certain: ") + news.answer.cause + "\n";
  }
  return news.answer.line;
}

class Follower {
 public:
  Follower(const FollowOptions& options, Analyzer* analyzer) : options_(options), analyzer_(analyzer) {}

  Status Run() {
    const StopOnSignal stop;
    while (g_stop == 0) {
      const bool more = Read();
      if (!status_.ok()) return status_;
      // Only standard input ends by itself: a file may always grow.
      if (!more && std::all_of(files_.begin(), files_.end(), [](const auto& f) { return f->ended(); }) &&
          !files_.empty() && problems_.empty()) {
        break;
      }
      if (!Think()) break;
      if (!more) Pause();
    }
    live_.Stop();
    // All that is there is read before the report: a job that was stopped writes its last words now.
    looked_ = {};  // once more: files that came in the last moment
    while (Read()) {
    }
    for (const auto& file : files_) file->Flush(Into(*file));
    return status_;
  }

  std::vector<std::string> Problems() const {
    std::vector<std::string> out = problems_;
    for (const auto& file : files_) {
      if (!file->problem().empty()) out.push_back(file->problem());
    }
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  GrowingFile::Lines Into(const GrowingFile& file) {
    return [this, &file](std::string_view bytes) {
      unanswered_ = true;
      // The first failure is kept, and ends the following at its next turn.
      if (Status status = analyzer_->Append(file.spec().name, bytes); !status.ok()) status_ = std::move(status);
    };
  }

  void LookForFiles() {
    // Names that lead to nothing are problems only as long as they do.
    problems_.clear();
    for (SourceSpec& spec : ExpandSources(options_.logs, &problems_)) {
      const bool known =
          std::any_of(files_.begin(), files_.end(), [&](const auto& f) { return f->spec().path == spec.path; });
      if (!known) files_.push_back(std::make_unique<GrowingFile>(std::move(spec), &read_));
    }
  }

  // True when there is more to read at once.
  bool Read() {
    if (const auto now = Clock::now(); now - looked_ >= kLookForFiles) {
      looked_ = now;
      LookForFiles();
    }
    bool more = false;
    for (const auto& file : files_) {
      more = file->Poll(Into(*file)) || more;
      if (const std::string notice = file->TakeNotice(); !notice.empty()) Complain(file->spec().name + " " + notice);
    }
    return more;
  }

  // Asks for an answer when one is due, and tells what is known for sure. False when nobody listens.
  bool Think() {
    const auto now = Clock::now();
    if (live_.running()) {
      const std::optional<Answer> answer = live_.Poll();
      if (answer) steady_.See(*answer, asked_);
      // An answer that takes long is asked for more seldom: a tenth of the time at most.
      if (!live_.running()) next_ = now + std::max<Clock::duration>(kBetweenAnswers, (now - asked_) * kRestPerWork);
    } else if (unanswered_ && now >= next_) {
      asked_ = now;
      unanswered_ = false;
      // Without an answer the following goes on: the final report needs no second process.
      // No process now: there may be one in ten seconds.
      if (!live_.Start(analyzer_, options_.analyzer.language).ok()) next_ = now + std::chrono::seconds(10);
    }
    // Current only if nothing was read since it was asked.
    const auto news = steady_.Tell(now, !unanswered_ && !live_.running());
    return !news || options_.tell(Words(*news, options_.analyzer.language));
  }

  const FollowOptions& options_;
  Analyzer* analyzer_;
  Status status_;
  FilesRead read_;
  std::vector<std::unique_ptr<GrowingFile>> files_;
  std::vector<std::string> problems_;  // of the names, as of the last look
  Clock::time_point looked_{};
  LiveAnswer live_;
  SteadyAnswer steady_;
  bool unanswered_ = false;  // something was read since the last question
  Clock::time_point asked_{};
  Clock::time_point next_{};
};

}  // namespace

Result<Report> Follow(const FollowOptions& options) {
  AnalyzerOptions quiet = options.analyzer;
  // Progress is of reading files once.
  quiet.progress = nullptr;
  Result<std::unique_ptr<Analyzer>> analyzer = Analyzer::Create(quiet);
  if (!analyzer.ok()) return analyzer.status();
  Follower follower(options, analyzer.value().get());
  if (Status status = follower.Run(); !status.ok()) return status;
  for (std::string& problem : follower.Problems()) (void)analyzer.value()->AddProblem(std::move(problem));
  return analyzer.value()->Finish();
}

}  // namespace ncclwhy
