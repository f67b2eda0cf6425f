// InRe2: calls into RE2 so that running out of memory is an error in front of the call, not damage inside it.
//
// RE2 is not written for exceptions: when std::bad_alloc passes through it, destructors of its walkers read nodes that
// are freed already. So room for what the call may need is asked for, and given back, before RE2 is entered; where
// there is none, std::bad_alloc is thrown as by any allocation of ours. If memory runs out inside all the same (another
// thread took it), the process ends there, which is what RE2 itself promises, instead of going on with damage.
//
// Every call that may allocate goes through here: constructors, matches, names of groups.
#pragma once

#include <cstddef>
#include <utility>

namespace ncclwhy {

namespace re2_internal {

// Counts the calls of this thread that are inside RE2.
// No lock and no allocation: a number of the thread.
class Visit {
 public:
  Visit() noexcept;
  ~Visit();
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
};

template <typename Call>
auto Enter(const Call& call) noexcept {
  const Visit visit;
  return call();
}

}  // namespace re2_internal

// Whether so much memory could be had at this moment. Always where sanitizers stand in for malloc. Costs a malloc and a
// free of memory that nobody touches.
bool HasRoom(size_t bytes);

// Throws std::bad_alloc where there is not as much memory as one call of RE2 may need (limits::kRe2Room).
void AskForRe2Room();

// True while this thread is inside RE2: a test that makes allocations fail has to know.
bool InsideRe2() noexcept;

// What `call` returns, which must not throw: it stands behind noexcept, and an exception would end the process.
//    const bool ok = InRe2([&] { return regex.Match(ToRe2(text), 0, text.size(), RE2::UNANCHORED, groups, n); });
template <typename Call>
auto InRe2(const Call& call) {
  AskForRe2Room();
  return re2_internal::Enter(call);
}

}  // namespace ncclwhy
