#include "gen/printer.h"

#include "gen/random.h"

namespace ncclwhy::bench {

Printer::Printer(const Job& job, const Era& era, int rank, std::string* out)
    : job_(job),
      era_(era),
      rank_(rank),
      device_(job.LocalOf(rank)),
      pid_(job.Pid(rank)),
      origin_(fmt::format("{}:{}:", job.HostName(job.HostOf(rank)), pid_)),
      out_(out) {}

void Printer::Header(Thread thread) {
  // Threads of a host are numbered after its processes have started.
  const int tid =
      thread == Thread::kMain ? pid_ : pid_ + 3 * job_.per_host() + 7 * job_.LocalOf(rank_) + static_cast<int>(thread);
  // Service threads have not set their device yet when they print.
  const int device = thread == Thread::kAsync ? 0 : device_;
  fmt::format_to(std::back_inserter(*out_), "{}{} [{}] ", origin_, tid, device);
}

void Printer::Warn(Thread thread, std::string_view place, std::string_view text) {
  out_->push_back('\n');
  if (era_.warn_time()) {
    const uint64_t day = 23 * 3600 + 28 * 60 + micros_ / 1'000'000;
    fmt::format_to(std::back_inserter(*out_), "[2026-11-{:02} {:02}:{:02}:{:02}] ", 20 + day / 86400, day / 3600 % 24,
                   day / 60 % 60, day % 60);
  }
  Header(thread);
  fmt::format_to(std::back_inserter(*out_), "{} NCCL WARN {}\n", place, text);
}

void Printer::Results(Thread thread, Traces traces) {
  for (std::string_view line : traces) InfoOf(thread, "{}", line);
}

void Printer::TraceHeader(Thread thread, std::string_view function) {
  Header(thread);
  const uint64_t micros = micros_ + 137 * ++traces_;
  fmt::format_to(std::back_inserter(*out_), "{}.{:06} {} NCCL TRACE ", micros / 1000, micros % 1000 * 1000, function);
}

void Printer::Call(std::string_view text) {
  if (!Shows(Verbosity::kTrace)) return;
  fmt::format_to(std::back_inserter(*out_), "{}{} NCCL CALL {}\n", origin_, pid_, text);
}

}  // namespace ncclwhy::bench
