#include "cli/broken_pipes.h"

#include <csignal>

namespace ncclwhy {
namespace {

bool g_were_ignored = false;  // written once, before there is anything else
void Nothing(int) {}

}  // namespace

void IgnoreBrokenPipes() { g_were_ignored = std::signal(SIGPIPE, SIG_IGN) == SIG_IGN; }
void NoticeFileLimits() {
  if (std::signal(SIGXFSZ, Nothing) == SIG_IGN) std::signal(SIGXFSZ, SIG_IGN);
}
bool BrokenPipesWereIgnored() { return g_were_ignored; }

}  // namespace ncclwhy
