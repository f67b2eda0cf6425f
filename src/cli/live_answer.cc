#include "cli/live_answer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace ncclwhy {
namespace {

Answer AnswerOf(const Report& report, Language language) {
  Answer out;
  if (report.verdict != Verdict::kFailure || report.causes.empty()) return out;
  const Cause& cause = report.causes.front();
  out.cause = cause.id;
  out.confidence = cause.confidence;
  out.seen = std::any_of(cause.evidence.begin(), cause.evidence.end(),
                         [](const Evidence& e) { return e.line > 0 && e.role == "direct"; });
  // A change of confidence alone is no other answer.
  out.key = cause.id;
  if (!cause.culprits.empty()) {
    out.key += " " + std::to_string(cause.culprits.front().rank) + " " + cause.culprits.front().host;
  }
  ReportFormat format;
  format.language = language;
  if (Result<std::string> line = RenderReport(report, "summary", format); line.ok()) out.line = line.take();
  return out;
}

// Fields end in NUL: log text that got here has none.
std::string Packed(const Answer& answer) {
  std::string out;
  for (const std::string& field : {answer.cause, std::to_string(answer.confidence), std::string(answer.seen ? "1" : ""),
                                   answer.key, answer.line}) {
    out += field;
    out += '\0';
  }
  return out;
}

std::optional<Answer> Unpacked(const std::string& bytes) {
  std::vector<std::string> fields;
  for (size_t from = 0, end = 0; (end = bytes.find('\0', from)) != std::string::npos; from = end + 1) {
    fields.push_back(bytes.substr(from, end - from));
  }
  if (fields.size() != 5) return std::nullopt;
  // Strings of a report have no NUL in them: escaped long before.
  return Answer{fields[0], std::strtod(fields[1].c_str(), nullptr), !fields[2].empty(), fields[3], fields[4]};
}

// In the copy. It must leave nothing behind but the answer.
[[noreturn]] void Tell(Analyzer* analyzer, Language language, int pipe) {
  // Ctrl-C is for the process that asked.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGTERM, SIG_DFL);
  Result<Report> report = analyzer->Finish();
  if (!report.ok()) ::_exit(1);
  const std::string bytes = Packed(AnswerOf(report.value(), language));
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t n = ::write(pipe, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) ::_exit(1);
    rest.remove_prefix(static_cast<size_t>(n));
  }
  ::_exit(0);
}

}  // namespace

Status LiveAnswer::Start(Analyzer* analyzer, Language language) {
  int ends[2];
  // The write end belongs to the copy alone: its end is the end of the answer.
  if (::pipe2(ends, O_CLOEXEC) != 0) return Status::Io(std::strerror(errno));
  child_ = ::fork();
  if (child_ == 0) {
    ::close(ends[0]);
    Tell(analyzer, language, ends[1]);
  }
  ::close(ends[1]);
  // Non-blocking: the loop that reads logs must not wait for it.
  pipe_ = ends[0];
  if (child_ < 0) {
    const Status status = Status::Io(std::string("cannot start a process: ") + std::strerror(errno));
    Stop();
    return status;
  }
  (void)::fcntl(pipe_, F_SETFL, O_NONBLOCK);
  return {};
}

std::optional<Answer> LiveAnswer::Poll() {
  if (!running()) return std::nullopt;
  char buffer[4096];
  for (;;) {
    const ssize_t n = ::read(pipe_, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return std::nullopt;
    // The end, or an error: what came so far is all.
    if (n <= 0) break;
    bytes_.append(buffer, static_cast<size_t>(n));
  }
  std::optional<Answer> answer = Unpacked(bytes_);
  Stop();
  return answer;
}

void LiveAnswer::Stop() {
  if (pipe_ >= 0) ::close(std::exchange(pipe_, -1));
  if (child_ > 0) {
    ::kill(child_, SIGKILL);  // it has told everything, or nobody wants to hear it
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  child_ = -1;
  bytes_.clear();
}

}  // namespace ncclwhy
