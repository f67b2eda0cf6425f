// Strong ids that we mint. pids, communicator pointers and host names recur after a restart; these do not.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace ncclwhy {

// `Tag` keeps a process from being taken for a communicator; it is never defined. A new one is invalid. Ids are ordered
// by when they were minted, which is nothing that a report may depend on.
// As small as the number it is, trivially copied. The default is what "there is none" looks like everywhere.
template <typename Tag>
struct Id {
  uint32_t value = UINT32_MAX;
  // What an Id that nobody set says of itself.
  constexpr bool valid() const { return value != UINT32_MAX; }
  constexpr auto operator<=>(const Id&) const = default;
};

using StringId = Id<struct StringTag>;    // into one StringPool
using SourceId = Id<struct SourceTag>;    // one file or stream
using ProcessId = Id<struct ProcessTag>;  // one pid of one host in one life
using CommId = Id<struct CommTag>;        // one communicator, over all its ranks
using RuleId = Id<struct RuleTag>;

}  // namespace ncclwhy

// So that ids can be keys of unordered containers.
template <typename Tag>
struct std::hash<ncclwhy::Id<Tag>> {
  size_t operator()(const ncclwhy::Id<Tag>& id) const noexcept { return std::hash<uint32_t>{}(id.value); }
};
