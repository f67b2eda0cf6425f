// The template language of kb/README.md, for those who check templates. Expansion itself is declared in kb.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ncclwhy {

// {name} or {name|fallback} at the start of a text, {NCCL_IB_PKEY} of a variable as well. Other braces (`awk '{print
// $1}'`, ${HOME}, {MASTER}) are plain text. Views of the text.
struct TemplatePlace {
  std::string_view name, fallback;
  bool has_fallback = false;
  size_t size = 0;  // in bytes; 0: there is none
};
// `text` begins with `{`.
TemplatePlace PlaceAt(std::string_view text);

// All of them in a text, with where they begin, in order; `{{` is a brace.
template <typename Visit>
void ForEachPlace(std::string_view text, Visit visit) {
  for (size_t i = 0; i < text.size();) {
    const TemplatePlace place = text[i] == '{' ? PlaceAt(text.substr(i)) : TemplatePlace();
    if (place.size != 0) visit(place, i);
    i += place.size != 0 ? place.size : text.substr(i, 2) == "{{" ? 2 : 1;
  }
}

// What is wrong with a template: unknown names, brackets that do not pair. Empty when it is fine.
std::vector<std::string> CheckTemplate(std::string_view text);

}  // namespace ncclwhy
