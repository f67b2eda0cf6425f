// Printer: writes the lines of one process as NCCL's logger of its version does, to a string. Lines that the chosen
// verbosity would not show are dropped here.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "gen/era.h"
#include "gen/job.h"
#include "gen/spec.h"

namespace ncclwhy::bench {

enum class Thread { kMain, kService, kUds, kProgress, kAsync, kRoot };

class Printer {
 public:
  // `out` is borrowed. `era` is that of the process, which may differ from the job's.
  Printer(const Job& job, const Era& era, int rank, std::string* out);

  const Job& job() const { return job_; }
  const Era& era() const { return era_; }
  int rank() const { return rank_; }
  Verbosity verbosity() const { return job_.spec().verbosity; }
  bool Shows(Verbosity least) const { return verbosity() >= least; }

  // host:pid:tid [dev] NCCL INFO text
  template <typename... Args>
  void Info(fmt::format_string<Args...> format, Args&&... args) {
    InfoOf(Thread::kMain, format, std::forward<Args>(args)...);
  }
  template <typename... Args>
  void InfoOf(Thread thread, fmt::format_string<Args...> format, Args&&... args) {
    if (!Shows(Verbosity::kInit)) return;
    Header(thread);
    out_->append("NCCL INFO ");
    fmt::format_to(std::back_inserter(*out_), format, std::forward<Args>(args)...);
    out_->push_back('\n');
  }
  // An empty line, then the WARN with its place.
  void Warn(Thread thread, std::string_view place, std::string_view text);
  // "misc/socket.cc:845 -> 6" and so on.
  void Results(Thread thread, Traces traces);
  // host:pid:tid [dev] MS.uuuuuu function:NN NCCL TRACE text
  template <typename... Args>
  void Trace(Thread thread, std::string_view function, fmt::format_string<Args...> format, Args&&... args) {
    if (!Shows(Verbosity::kTrace)) return;
    TraceHeader(thread, function);
    fmt::format_to(std::back_inserter(*out_), format, std::forward<Args>(args)...);
    out_->push_back('\n');
  }
  // host:pid:tid NCCL CALL text
  void Call(std::string_view text);
  // A line of the program itself or of the library without header.
  template <typename... Args>
  void Plain(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(*out_), format, std::forward<Args>(args)...);
    out_->push_back('\n');
  }

  // Microseconds since the job began, for time stamps.
  void set_clock(uint64_t micros) { micros_ = micros; }
  std::string host() const { return job_.HostName(job_.HostOf(rank_)); }
  int device() const { return device_; }
  void set_device(int device) { device_ = device; }

 private:
  void Header(Thread thread);
  void TraceHeader(Thread thread, std::string_view function);

  const Job& job_;
  const Era& era_;
  int rank_;
  int device_;
  int pid_;
  uint64_t micros_ = 0;
  uint64_t traces_ = 0;
  std::string origin_;  // "host:pid:"
  std::string* out_;
};

}  // namespace ncclwhy::bench
