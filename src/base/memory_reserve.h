// A little memory for destructors that need some when there is none left.
#pragma once

#include <cstddef>

namespace ncclwhy {

// Memory from the heap, else from the reserve; throws std::bad_alloc when both are used up.
void* AllocateOrReserve(size_t bytes);
void FreeOrReserve(void* memory) noexcept;

}  // namespace ncclwhy
