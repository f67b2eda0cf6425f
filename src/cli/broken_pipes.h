// Broken pipes: this program ignores SIGPIPE; what it starts gets what it was started with.
#pragma once

namespace ncclwhy {

// From now on a reader that goes away is noticed by write().
void IgnoreBrokenPipes();
// They were before.
bool BrokenPipesWereIgnored();

}  // namespace ncclwhy
