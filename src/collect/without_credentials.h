// Values of variables that hold more than their names promise: MASTER_ADDR=http://user:password@node1
#pragma once

#include <string>
#include <string_view>

namespace ncclwhy {

// The user and password of a URL, user:password@host, and parameters that are called token, key or the like: ***
std::string WithoutCredentials(std::string_view value);

}  // namespace ncclwhy
