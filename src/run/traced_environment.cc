#include "run/traced_environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace ncclwhy {
namespace {

struct Trace {
  std::string_view name, value, unless;
};

constexpr Trace kTraces[] = {
#define TRACE(name, value, unless) {name, value, unless},
#include "run/traced_variables.def"
#undef TRACE
};

// Of coreutils; with it programs in C print lines into pipes as they come.
// It is loaded into the command and reads _STDBUF_O: what `stdbuf -oL` does.
constexpr std::array<const char*, 5> kStdbuf = {
    "/usr/libexec/coreutils/libstdbuf.so", "/usr/lib/coreutils/libstdbuf.so", "/usr/lib64/coreutils/libstdbuf.so",
    "/usr/lib/x86_64-linux-gnu/coreutils/libstdbuf.so", "/usr/lib/aarch64-linux-gnu/coreutils/libstdbuf.so"};

class Variables {
 public:
  explicit Variables(std::vector<std::string>* all) : all_(all) {}
  bool Has(std::string_view name) const {
    return std::any_of(all_->begin(), all_->end(), [&](const std::string& v) { return Is(v, name); });
  }
  void Add(std::string_view name, std::string_view value) {
    all_->push_back(std::string(name) + "=" + std::string(value));
  }
  // Puts it behind what is there.
  void Append(std::string_view name, std::string_view value) {
    for (std::string& v : *all_) {
      if (Is(v, name)) {
        // An empty LD_PRELOAD is set but has nothing: no colon in front.
        v += (v.back() == '=' ? "" : ":") + std::string(value);
        return;
      }
    }
    Add(name, value);
  }

 private:
  static bool Is(const std::string& variable, std::string_view name) {
    return variable.size() > name.size() && variable.starts_with(name) && variable[name.size()] == '=';
  }
  std::vector<std::string>* all_;
};

std::string Filled(std::string_view value, const std::string& logs) {
  constexpr std::string_view kLogs = "{logs}";
  std::string out(value);
  if (const size_t at = out.find(kLogs); at != std::string::npos) out.replace(at, kLogs.size(), logs);
  return out;
}

}  // namespace

std::vector<std::string> TracedEnvironment(std::vector<std::string> environment, const TraceSettings& settings) {
  Variables variables(&environment);
  // A variable that was added must not keep another one from being added.
  // All are judged by what the user has set.
  std::vector<const Trace*> missing;
  for (const Trace& trace : kTraces) {
    if (!variables.Has(trace.name) && (trace.unless.empty() || !variables.Has(trace.unless))) missing.push_back(&trace);
  }
  for (const Trace* trace : missing) variables.Add(trace->name, Filled(trace->value, settings.logs));
  if (!settings.line_buffered) return environment;
  if (!variables.Has("PYTHONUNBUFFERED")) variables.Add("PYTHONUNBUFFERED", "1");
  // Into a terminal they print lines anyhow.
  if (::isatty(STDOUT_FILENO) == 1 || variables.Has("_STDBUF_O")) return environment;
  for (const char* library : kStdbuf) {
    if (::access(library, R_OK) != 0) continue;
    variables.Append("LD_PRELOAD", library);
    variables.Add("_STDBUF_O", "L");
    break;
  }
  return environment;
}

}  // namespace ncclwhy
