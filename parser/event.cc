#include "parser/event.h"

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

}  // namespace

std::string_view EventKindName(EventKind kind) { return kKindNames[static_cast<size_t>(kind)]; }
std::string_view FieldName(FieldId field) { return kFieldNames[static_cast<size_t>(field)]; }

}  // namespace ncclwhy
