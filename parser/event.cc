#include "parser/event.h"

#include <array>
#include <string_view>

namespace ncclwhy {
namespace {

constexpr std::string_view kKindNames[] = {
#define X(id, name, doc) name,
#include "parser/event_kinds.def"
#undef X
};

constexpr std::string_view kFieldNames[] = {
#define X(id, name) name,
#include "parser/field_ids.def"
#undef X
};

constexpr std::string_view kLevelNames[] = {"", "VERSION", "WARN", "INFO", "ABORT", "TRACE", "CALL", "DIAG"};
constexpr std::string_view kDialectNames[] = {"nccl",       "torch",  "python",    "mpi",    "slurm",
                                              "kubernetes", "kernel", "framework", "unknown"};

}  // namespace

std::string_view LevelName(LogLevel level) { return kLevelNames[static_cast<size_t>(level)]; }
std::string_view DialectName(Dialect dialect) { return kDialectNames[static_cast<size_t>(dialect)]; }
std::string_view EventKindName(EventKind kind) { return kKindNames[static_cast<size_t>(kind)]; }
std::string_view FieldName(FieldId field) { return kFieldNames[static_cast<size_t>(field)]; }

}  // namespace ncclwhy
