#include "parser/facts.h"

namespace ncclwhy {

std::string_view SourceFacts::Get(const Event& event, FieldId field) const {
  for (uint32_t i = 0; i < event.field_count; ++i) {
    const Field& f = fields[event.field_begin + i];
    if (f.id == field) return strings.View(f.value);
  }
  return {};
}

}  // namespace ncclwhy
