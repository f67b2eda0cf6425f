// A little memory for destructors that need some when there is none left.
#pragma once

#include <cstddef>

namespace ncclwhy {

// Memory from the heap, else from the reserve (2 MiB of the program, shared by all threads under a lock); throws
// std::bad_alloc when both are used up. Aligned for anything. What it returns goes back through FreeOrReserve only,
// which knows from the address whose it is.
// Thread-safe. The reserve is meant for one unwinding after memory ran out, not to work from: it is emptied as a whole
// when its last piece comes back.
void* AllocateOrReserve(size_t bytes);
void FreeOrReserve(void* memory) noexcept;

}  // namespace ncclwhy
