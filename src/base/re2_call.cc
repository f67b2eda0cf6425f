#include "base/re2_call.h"

#include <cstdlib>
#include <new>

#include "base/limits.h"

namespace ncclwhy {
namespace {
// A count, not a flag: a call into RE2 may stand inside another one.
thread_local int visits = 0;
}  // namespace

namespace re2_internal {
Visit::Visit() noexcept { ++visits; }
Visit::~Visit() { --visits; }
}  // namespace re2_internal

// The sanitizers' malloc does not return without memory, and takes a thousand times as long for a large piece.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NCCLWHY_SANITIZED_MALLOC 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NCCLWHY_SANITIZED_MALLOC 1
#endif
#endif

bool HasRoom([[maybe_unused]] size_t bytes) {
#ifndef NCCLWHY_SANITIZED_MALLOC
  // Never touched, so it costs no page. Volatile: a compiler may leave out a malloc whose memory nobody uses.
  void* volatile room = std::malloc(bytes);
  const bool had = room != nullptr;
  std::free(room);
  return had;
#else
  return true;
#endif
}

void AskForRe2Room() {
  if (!HasRoom(limits::kRe2Room)) throw std::bad_alloc();
}

bool InsideRe2() noexcept { return visits > 0; }

}  // namespace ncclwhy
