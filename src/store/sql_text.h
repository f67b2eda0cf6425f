// schema.sql as text.
#pragma once

namespace ncclwhy {

extern const char* const kSchemaSql;

}  // namespace ncclwhy
