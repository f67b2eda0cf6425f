// nlohmann's JSON values that can be destroyed when there is no memory left.
//
// Their destructor moves the children into a vector, so as not to recurse; when that vector finds no memory the process
// ends, because destructors do not throw. Here it takes a reserve then, which is enough for the largest list of a
// report.
//
// Include this instead of <nlohmann/json.hpp> wherever values live while logs are analysed or reports are made. Only
// for rooms that link nlohmann_json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/memory_reserve.h"

namespace ncclwhy {

// As std::allocator, which is another type: it throws, as everything outside of destructors should. Its being another
// type is the point: the values of these two name it, so the specialisations below touch nobody else's vectors.
template <typename T>
struct JsonAllocator {
  using value_type = T;
  JsonAllocator() = default;
  // Containers of nlohmann's make allocators for other types out of this one.
  template <typename U>
  JsonAllocator(const JsonAllocator<U>&) noexcept {}
  T* allocate(size_t count) { return static_cast<T*>(::operator new(count * sizeof(T))); }
  void deallocate(T* memory, size_t) noexcept { ::operator delete(memory); }
  friend bool operator==(const JsonAllocator&, const JsonAllocator&) { return true; }
};

// Keys come in alphabetical order here, and in the order in which they were set below. Integers keep 64 bits, also
// above 2^53.
// JsonValue is for what is read (keys are looked up), OrderedJsonValue for what is written (the order is that of the
// schema, so that reports can be compared line by line).
using JsonValue =
    nlohmann::basic_json<std::map, std::vector, std::string, bool, int64_t, uint64_t, double, JsonAllocator>;
using OrderedJsonValue = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool, int64_t, uint64_t,
                                              double, JsonAllocator>;

// Behind the destructor's vector alone. Falls back to the reserve of memory_reserve.h.
// Not for who reads or writes reports: named nowhere but below.
template <typename T>
struct ReservedAllocator {
  using value_type = T;
  ReservedAllocator() = default;
  template <typename U>
  ReservedAllocator(const ReservedAllocator<U>&) noexcept {}
  T* allocate(size_t count) { return static_cast<T*>(AllocateOrReserve(count * sizeof(T))); }
  // Never throws, as it is called by destructors.
  void deallocate(T* memory, size_t) noexcept { FreeOrReserve(memory); }
  friend bool operator==(const ReservedAllocator&, const ReservedAllocator&) { return true; }
};

}  // namespace ncclwhy

// The destructor's vector names std::allocator of the value; what the values themselves hold does not.
// A specialisation of the standard's own allocator is allowed for a type of ours, and changes no other vector.
template <>
struct std::allocator<ncclwhy::JsonValue> : ncclwhy::ReservedAllocator<ncclwhy::JsonValue> {
  using ReservedAllocator::ReservedAllocator;
};
template <>
struct std::allocator<ncclwhy::OrderedJsonValue> : ncclwhy::ReservedAllocator<ncclwhy::OrderedJsonValue> {
  using ReservedAllocator::ReservedAllocator;
};
