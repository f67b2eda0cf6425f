// Writing that fails is noticed, and does not end the program: readers that go away, files beyond `ulimit -f`. This
// program ignores SIGPIPE; what it starts gets what it was started with.
#pragma once

namespace ncclwhy {

// Called first of all in main, before any thread or file is there.
// From now on a reader that goes away is noticed by write().
void IgnoreBrokenPipes();
// From now on a file that may not grow is a write() that fails, as on a full disk. A handler, which no started program
// inherits.
void NoticeFileLimits();
// Broken pipes were ignored before.
bool BrokenPipesWereIgnored();

}  // namespace ncclwhy
