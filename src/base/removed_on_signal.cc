#include "base/removed_on_signal.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace ncclwhy {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
// A signal handler can reach nothing else. Empty where there is none.
char g_file[PATH_MAX];
std::array<struct sigaction, kSignals.size()> g_old;

// Only what a signal handler may call; the signal comes again, with its old meaning.
void Remove(int number) {
  unlink(g_file);
  for (size_t i = 0; i < kSignals.size(); ++i) {
    if (kSignals[i] == number) sigaction(number, &g_old[i], nullptr);
  }
  raise(number);
}

}  // namespace

RemovedOnSignal::RemovedOnSignal(const std::string& path) {
  const std::string name = path + ".XXXXXX";
  // The handler sees either no name or the whole of it: the file does not exist before.
  if (name.size() >= sizeof g_file) {
    error_ = ENAMETOOLONG;
    g_file[0] = '\0';
  } else {
    std::memcpy(g_file, name.c_str(), name.size() + 1);
  }
  for (size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction action {};
    action.sa_handler = &Remove;
    // The old meaning is known before the new one can be called.
    sigaction(kSignals[i], nullptr, &g_old[i]);
    // Who ignores a signal (nohup) goes on ignoring it.
    if (g_old[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
  if (error_ != 0) return;
  // The letters are put into the name before the file is made: there is no moment at which a signal leaves it behind.
  file_ = mkostemp(g_file, O_CLOEXEC);
  if (file_ < 0) error_ = errno;
}

std::string RemovedOnSignal::path() const { return g_file; }

RemovedOnSignal::~RemovedOnSignal() {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &g_old[i], nullptr);
  g_file[0] = '\0';
}

}  // namespace ncclwhy
