// Era: one NCCL version, and where its messages stand in its source.
//
// Wording that differs between versions is chosen by `code` where it is printed; only places are here. Line numbers of
// WARN sites are those of the release; of the "file:line -> result" lines, those that were recorded for 2.21.5 and
// 2.28.9 are real, the others are near them.
#pragma once

#include <span>
#include <string_view>

namespace ncclwhy::bench {

// "misc/socket.cc:845 -> 6", one after the other.
using Traces = std::span<const std::string_view>;

struct Era {
  int code = 0;  // 22809 is 2.28.9
  std::string_view version, cuda;
  int driver = 0;

  std::string_view closed_at;
  Traces closed_running, closed_starting;
  Traces abort_main, abort_service;

  std::string_view extend_at, segment_at;
  Traces segment_service, segment_main;

  std::string_view no_interface_at;
  Traces no_interface;

  std::string_view duplicate_at, duplicate_text;  // with {0}, {1}: the two ranks
  Traces duplicate;

  std::string_view oom_at, calloc_at;
  Traces oom;

  std::string_view illegal_at;
  Traces illegal;

  std::string_view completion_at, async_at;
  Traces completion;

  std::string_view connect_at;
  Traces connect;

  std::string_view version_at;
  Traces version_trace;

  bool warn_time() const { return code >= 22602; }
  bool version_line() const { return code >= 22203; }  // an INFO line in every process
  bool start_before_bootstrap() const { return code >= 22300; }
  bool abort_start() const { return code >= 22803; }
  std::string_view other_version() const { return code >= 22300 ? "2.21.5" : "2.28.9"; }  // of a stray host
};

// Null for a version that is not one of the five.
const Era* FindEra(std::string_view version);
std::span<const Era> Eras();

}  // namespace ncclwhy::bench
