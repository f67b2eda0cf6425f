// A list of hosts as schedulers write it: node[01-03,7],gpu-a,r[1-2]n[1-2]
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ncclwhy {

// In the order of the list, numbers as wide as they are written; at most `most` of them: `node[1-999999999]` is a line
// that somebody may have written. What has no closing bracket, or a range that falls, is taken as it stands. Entries
// are parted by commas or blanks outside of brackets; nothing is sorted, and a host that stands twice comes twice.
//    node[01-03,7]     node01 node02 node03 node7
//    r[1-2]n[1-2]      r1n1 r1n2 r2n1 r2n2
//    node[01-          node[01-
std::vector<std::string> ExpandHostList(std::string_view list, size_t most = 65536);

}  // namespace ncclwhy
