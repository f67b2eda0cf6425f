// SchemaParts: the statements of schema.sql one by one, so that a timeline in memory makes only the
// tables and views that somebody asks for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ncclwhy {

// A view names tables, so what it needs is found in its text.
struct SchemaPart {
  std::string name;  // of the table or view
  std::string sql;   // its CREATE statement
};

// In the order in which they can be made.
// Split once; valid for the life of the program.
const std::vector<SchemaPart>& SchemaParts();

// A view of schema.sql. What begins with an underscore is private.
// The name has to be spelled as in the schema, in lower case.
bool IsPublicView(std::string_view name);

// Beside SchemaParts(): whether `sql` may read it, directly or through a view. A word that only looks like a name
// counts.
std::vector<bool> PartsFor(std::string_view sql);

}  // namespace ncclwhy
