// schema.sql as text.
#pragma once

namespace ncclwhy {

// Made from schema.sql by the build (sql_text.cc.in), comments included.
extern const char* const kSchemaSql;

}  // namespace ncclwhy
