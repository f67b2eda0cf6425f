#include "collect/host_process.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

namespace ncclwhy {
namespace {

namespace fs = std::filesystem;

// Of files in /proc, which tell no size.
constexpr size_t kMostBytes = 4 << 20;
constexpr size_t kMostThreads = 4096;

// Empty where it may not be read, or the process is gone by now: between two files of one process it may end at any
// time.
std::string ReadProc(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  // Most of them are short: what is not read is not asked for.
  constexpr size_t kStep = 16 << 10;
  std::string out;
  while (out.size() < kMostBytes && in) {
    const size_t had = out.size();
    out.resize(had + kStep);
    in.read(out.data() + had, kStep);
    out.resize(had + static_cast<size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  }
  return out;
}

// Empty pieces are left out: an empty word of a command line is lost, which only text for the eye notices.
std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> out;
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find(at, from), text.size());
    if (end > from) out.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return out;
}

// /proc has "self", "meminfo" and so on between the numbers.
std::optional<pid_t> PidOf(const std::string& name) {
  pid_t pid = 0;
  const char* end = name.data() + name.size();
  if (std::from_chars(name.data(), end, pid).ptr != end || pid <= 0) return std::nullopt;
  return pid;
}

std::vector<pid_t> AllPids() {
  std::vector<pid_t> out;
  std::error_code none;
  for (fs::directory_iterator i("/proc", none), end; i != end && !none; i.increment(none)) {
    if (const auto pid = PidOf(i->path().filename().string())) out.push_back(*pid);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The fields of /proc/PID/stat behind the name: 4711 (name with (blanks)) S 4700 …
// The last bracket, since a name may hold one.
std::vector<std::string> StatOf(pid_t pid) {
  const std::string stat = ReadProc("/proc/" + std::to_string(pid) + "/stat");
  const size_t close = stat.rfind(')');
  return close == std::string::npos ? std::vector<std::string>() : Split(stat.substr(close + 1), ' ');
}

// From ticks since the machine was started.
// CLOCK_BOOTTIME, which goes on while the machine sleeps, as the kernel's own ticks do. Seconds since 1970; off by one
// where the two clocks are read across a second.
std::time_t StartOf(pid_t pid) {
  // starttime is field 22 of /proc/PID/stat, the twentieth behind the name.
  constexpr size_t kStart = 19;
  const std::vector<std::string> fields = StatOf(pid);
  const long ticks = ::sysconf(_SC_CLK_TCK);
  if (fields.size() <= kStart || ticks <= 0) return 0;
  timespec up{};
  (void)::clock_gettime(CLOCK_BOOTTIME, &up);
  return std::time(nullptr) - up.tv_sec + std::strtol(fields[kStart].c_str(), nullptr, 10) / ticks;
}

// As text to be kept in the folder that is collected; no program reads it again.
std::string StateOf(const std::string& folder) {
  std::string out;
  for (const std::string& line : Split(ReadProc(folder + "/status"), '\n')) {
    for (const char* name : {"Name:", "State:", "PPid:", "Threads:", "VmRSS:", "VmLck:", "VmPin:"}) {
      if (line.starts_with(name)) out += line + "\n";
    }
  }
  // Where threads wait: equal ones are counted.
  std::map<std::string, int> waits;
  std::error_code none;
  size_t threads = 0;
  for (fs::directory_iterator i(folder + "/task", none), end; i != end && !none && threads < kMostThreads;
       i.increment(none), ++threads) {
    ++waits[ReadProc(i->path().string() + "/wchan")];
  }
  for (const auto& [where, count] : waits) {
    if (!where.empty() && where != "0") out += std::to_string(count) + " threads wait in " + where + "\n";
  }
  return out;
}

}  // namespace

std::string HostProcess::Variable(const std::string& name) const {
  for (const auto& [key, value] : environment) {
    if (key == name) return value;
  }
  return {};
}

HostProcess ReadProcess(pid_t pid) {
  HostProcess out;
  const std::string folder = "/proc/" + std::to_string(pid);
  struct stat process {};
  if (::stat(folder.c_str(), &process) != 0) return out;
  out.pid = pid;
  out.user = process.st_uid;
  out.started = StartOf(pid);
  // Of the memory of the process: it may have written a title there (`setproctitle`), which is what ps shows, too.
  for (const std::string& word : Split(ReadProc(folder + "/cmdline"), '\0')) {
    out.command += (out.command.empty() ? "" : " ") + word;
  }
  for (const std::string& variable : Split(ReadProc(folder + "/environ"), '\0')) {
    const size_t equals = variable.find('=');
    if (equals != std::string::npos)
      out.environment.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  // By what stat says of the open file itself: the name alone may be another file by now.
  for (const char* fd : {"/fd/1", "/fd/2"}) {
    std::error_code error;
    struct stat status {};
    if (::stat((folder + fd).c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    // "/var/log/job.out (deleted)", and a path of another mount namespace, that of a container: such a name must lead
    // to the very same file, or it is none.
    const std::string path = fs::read_symlink(folder + fd, error).string();
    struct stat there {};  // not so when it was deleted
    if (error || ::stat(path.c_str(), &there) != 0 || there.st_dev != status.st_dev || there.st_ino != status.st_ino) {
      continue;
    }
    if (::access(path.c_str(), R_OK) != 0) continue;
    if (std::find(out.outputs.begin(), out.outputs.end(), path) == out.outputs.end()) out.outputs.push_back(path);
  }
  out.state = StateOf(folder);
  return out;
}

// A library that was linked statically, as in older wheels of PyTorch, is not seen in the maps.
std::vector<pid_t> ProcessesWithNccl() {
  std::vector<pid_t> out;
  for (const pid_t pid : AllPids()) {
    const std::string maps = ReadProc("/proc/" + std::to_string(pid) + "/maps");
    if (maps.find("libnccl") != std::string::npos || maps.find("librccl") != std::string::npos) out.push_back(pid);
  }
  return out;
}

std::vector<pid_t> WithDescendants(pid_t pid) {
  // Field 4 of /proc/PID/stat is the parent. Those whose parent has died hang elsewhere and are not found.
  std::multimap<pid_t, pid_t> children;
  for (const pid_t one : AllPids()) {
    const std::vector<std::string> fields = StatOf(one);
    if (fields.size() < 2) continue;
    if (const auto parent = PidOf(fields[1])) children.emplace(*parent, one);
  }
  std::vector<pid_t> out = {pid};
  for (size_t i = 0; i < out.size(); ++i) {
    const auto [begin, end] = children.equal_range(out[i]);
    for (auto child = begin; child != end; ++child) out.push_back(child->second);
  }
  return out;
}

std::vector<pid_t> ProcessesWith(const std::string& variable, const std::string& value) {
  const std::string wanted = variable + "=" + value;
  std::vector<pid_t> out;
  for (const pid_t pid : AllPids()) {
    const std::vector<std::string> all = Split(ReadProc("/proc/" + std::to_string(pid) + "/environ"), '\0');
    if (std::find(all.begin(), all.end(), wanted) != all.end()) out.push_back(pid);
  }
  return out;
}

}  // namespace ncclwhy
