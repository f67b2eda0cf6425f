// schema.sql and views.sql as text.
#pragma once

namespace ncclwhy {

extern const char* const kSchemaSql;
extern const char* const kViewsSql;

}  // namespace ncclwhy
