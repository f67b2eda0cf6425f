#include "base/re2_call.h"

#include <cstdlib>
#include <new>

#include "base/limits.h"

namespace ncclwhy {
namespace {
thread_local int visits = 0;
}  // namespace

namespace re2_internal {
Visit::Visit() noexcept { ++visits; }
Visit::~Visit() { --visits; }
}  // namespace re2_internal

void AskForRe2Room() {
  // Never touched, so it costs no page. Volatile: a compiler may leave out a malloc whose memory nobody uses.
  void* volatile room = std::malloc(limits::kRe2Room);
  if (room == nullptr) throw std::bad_alloc();
  std::free(room);
}

bool InsideRe2() noexcept { return visits > 0; }

}  // namespace ncclwhy
