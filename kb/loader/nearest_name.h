// The name that somebody probably meant.
#pragma once

#include <string_view>
#include <vector>

namespace ncclwhy {

// Letters to insert, drop, change or swap to make one of the other; `limit` + 1 when it is more than `limit`.
int EditDistance(std::string_view a, std::string_view b, int limit);

// The nearest of `names` to `name`; empty when none is near. Of equally near ones the first.
std::string_view NearestName(std::string_view name, const std::vector<std::string_view>& names);

}  // namespace ncclwhy
