// Queries with a name, for `ncclwhy query DB @NAME`.
#pragma once

#include <span>
#include <string_view>

namespace ncclwhy {

struct SavedQuery {
  std::string_view name;  // without the @
  std::string_view text;  // what it answers
  std::string_view sql;
};

// In the order in which they are listed; constant.
std::span<const SavedQuery> SavedQueries();

}  // namespace ncclwhy
