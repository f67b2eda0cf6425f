// Listed names: whose an id is that only a table beside the logs tells.
//   Peer host id: i-0f3d0e6617aa2c8d1        |  i-0f3d0e6617aa2c8d1 |  10.1.40.7  |  subnet-0aa1 |
//   Peer EFA addr: …[fe80::86:d07eff:fe00:5d5]      $ ssh gx3 cat …/gids/0      fe80::86:d07eff:fe00:5d5
#pragma once

#include <string>
#include <string_view>

#include "job/job_model.h"

namespace ncclwhy {

// The host that all rows which hold `name` as a word name besides, by its name or address, or that the heading in front
// of them does; empty where none or several do, or where rows are many. Looks through the rows of all sources
// (SideRow): asked of a name that nothing else resolves.
std::string HostListedWith(const JobModel& model, std::string_view name);

}  // namespace ncclwhy
