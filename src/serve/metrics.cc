#include "serve/metrics.h"

#include <fmt/format.h>

#include "ncclwhy/version.h"

namespace ncclwhy {
namespace {

void Head(std::string* out, const char* name, const char* type, const char* help) {
  *out += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

// What a label's value may hold: ids, verdicts and paths of ours need no more, rules of others might.
std::string Label(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out;
}

}  // namespace

void Metrics::CountResponse(const std::string& path, int http_status) {
  // The places of server.cc (kPlaces) but the icon; what is not among them is counted all the same.
  const bool ours =
      path == "/analyze" || path == "/health" || path == "/metrics" || path == "/" || path == "/openapi.json";
  const std::lock_guard<std::mutex> lock(mutex_);
  ++responses_[{ours ? path : "other", http_status}];
}

void Metrics::CountReport(const std::string& verdict, const std::string& cause, uint64_t bytes, Clock::duration took) {
  const double seconds = std::chrono::duration<double>(took).count();
  size_t bucket = 0;
  // A bound belongs to its bucket: a report that took 0.1 s is in le="0.1".
  while (bucket < kBounds.size() && seconds > kBounds[bucket]) ++bucket;
  const std::lock_guard<std::mutex> lock(mutex_);
  ++verdicts_[verdict];
  if (!cause.empty()) ++causes_[cause];
  ++durations_[bucket];
  seconds_ += seconds;
  bytes_ += bytes;
}

std::string Metrics::Text(size_t running, size_t waiting) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string out;
  Head(&out, "ncclwhy_build_info", "gauge", "Version of the server.");
  out += "ncclwhy_build_info{version=\"" NCCLWHY_VERSION "\"} 1\n";
  Head(&out, "ncclwhy_uptime_seconds", "gauge", "Seconds since the server was started.");
  out += fmt::format("ncclwhy_uptime_seconds {:.3f}\n", std::chrono::duration<double>(Clock::now() - started_).count());
  Head(&out, "ncclwhy_http_responses_total", "counter", "Responses by path and status.");
  for (const auto& [key, count] : responses_) {
    out += fmt::format("ncclwhy_http_responses_total{{path=\"{}\",code=\"{}\"}} {}\n", key.first, key.second, count);
  }
  Head(&out, "ncclwhy_reports_total", "counter", "Reports by verdict.");
  for (const auto& [verdict, count] : verdicts_) {
    out += fmt::format("ncclwhy_reports_total{{verdict=\"{}\"}} {}\n", Label(verdict), count);
  }
  Head(&out, "ncclwhy_causes_total", "counter", "Failures by the cause that was named first.");
  for (const auto& [cause, count] : causes_) {
    out += fmt::format("ncclwhy_causes_total{{cause=\"{}\"}} {}\n", Label(cause), count);
  }
  Head(&out, "ncclwhy_log_bytes_total", "counter", "Bytes of logs that were analysed, after decompression.");
  out += fmt::format("ncclwhy_log_bytes_total {}\n", bytes_);
  Head(&out, "ncclwhy_report_seconds", "histogram", "Time from the request to its report.");
  uint64_t total = 0;
  for (size_t i = 0; i < durations_.size(); ++i) {
    // Buckets of Prometheus are cumulative: le="1" counts what le="0.3" counts, too.
    total += durations_[i];
    const std::string bound = i < kBounds.size() ? fmt::format("{}", kBounds[i]) : "+Inf";
    out += fmt::format("ncclwhy_report_seconds_bucket{{le=\"{}\"}} {}\n", bound, total);
  }
  out += fmt::format("ncclwhy_report_seconds_sum {:.6f}\nncclwhy_report_seconds_count {}\n", seconds_, total);
  Head(&out, "ncclwhy_analyses_running", "gauge", "Logs that are being analysed.");
  out += fmt::format("ncclwhy_analyses_running {}\n", running);
  Head(&out, "ncclwhy_analyses_waiting", "gauge", "Logs that wait for a thread.");
  out += fmt::format("ncclwhy_analyses_waiting {}\n", waiting);
  return out;
}

}  // namespace ncclwhy
