#include "kb/loader/template.h"

#include <algorithm>

#include "base/text.h"
#include "kb/loader/kb.h"

namespace ncclwhy {
namespace {

constexpr std::string_view kNames[] = {
#define SAID(name, kind) #name,
#define MADE(name, kind) #name,
#define KEPT(name)
#include "kb/loader/template_names.def"
#undef SAID
#undef MADE
#undef KEPT
};

bool IsNameByte(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

// A variable has an underscore in it, which tells {NCCL_IB_PKEY} from {MASTER} of a shell.
// The end of a variable's name that begins at 1: NCCL_IB_PKEY; 1 where none does. {MASTER} is none.
size_t VariableEnd(std::string_view text) {
  size_t i = 1;
  while (i < text.size() && ((text[i] >= 'A' && text[i] <= 'Z') || text[i] == '_' || (i > 1 && IsDigit(text[i])))) ++i;
  const std::string_view name = text.substr(1, i - 1);
  return name.find('_', 1) == std::string_view::npos ? 1 : i;
}

// The end of the section whose content starts at `from`: the position of its "]]". Sections nest.
// A section without an end is text: the check of the knowledge refuses it.
size_t SectionEnd(std::string_view text, size_t from) {
  int depth = 1;
  for (size_t i = from; i + 1 < text.size(); ++i) {
    if (text[i] == '[' && text[i + 1] == '[')
      ++depth, ++i;
    else if (text[i] == ']' && text[i + 1] == ']') {
      if (--depth == 0) return i;
      ++i;
    }
  }
  return std::string_view::npos;
}

struct Expansion {
  std::string text;
  bool complete = true;  // every name without a fallback was known
  bool any_name = false;
};

constexpr int kDepth = 8;  // nested sections

// A section is expanded by itself, to know whether all of its names are known.
Expansion Expand(std::string_view text, const TemplateValues& values, int depth) {
  Expansion out;
  for (size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    if (rest.substr(0, 2) == "{{") {
      out.text += '{';
      i += 2;
      continue;
    }
    if (rest[0] == '{') {
      if (const TemplatePlace place = PlaceAt(rest); place.size != 0) {
        const auto it = values.find(place.name);
        const bool known = it != values.end() && !it->second.empty();
        out.any_name = true;
        if (known)
          out.text += it->second;
        else if (place.has_fallback)
          out.text += place.fallback;
        else
          out.text += '?', out.complete = false;
        i += place.size;
        continue;
      }
    }
    if (rest.substr(0, 2) == "[[" && depth < kDepth) {
      if (const size_t end = SectionEnd(text, i + 2); end != std::string_view::npos) {
        const Expansion section = Expand(text.substr(i + 2, end - i - 2), values, depth + 1);
        if (!section.any_name)
          // A section without any name in it is the shell's test, and stays.
          out.text += "[[" + section.text + "]]";  // a shell's [[ -f x ]]
        else if (section.complete)
          out.text += section.text;
        // A name that is not known in a section leaves the outer text complete: the section goes and nothing is
        // missing.
        out.any_name |= section.any_name;
        i = end + 2;
        continue;
      }
    }
    out.text += rest[0];
    ++i;
  }
  return out;
}

}  // namespace

// Names of ours are lower case, {device}; of variables upper case with an underscore, {NCCL_IB_PKEY}.
TemplatePlace PlaceAt(std::string_view text) {
  size_t i = 1;
  while (i < text.size() && IsNameByte(text[i])) ++i;
  if (i == 1) i = VariableEnd(text);
  if (i == 1 || i == text.size()) return {};
  const std::string_view name = text.substr(1, i - 1);
  if (text[i] == '}') return {name, {}, false, i + 1};
  // `}` of another place further on closes a fallback: it may hold anything but that.
  const size_t close = text.find('}', i);
  if (text[i] != '|' || close == std::string_view::npos) return {};
  return {name, text.substr(i + 1, close - i - 1), true, close + 1};
}

std::string ExpandTemplate(std::string_view text, const TemplateValues& values) { return Expand(text, values, 0).text; }

std::optional<std::string> ExpandWhole(std::string_view text, const TemplateValues& values) {
  Expansion out = Expand(text, values, 0);
  return out.complete ? std::optional(std::move(out.text)) : std::nullopt;
}

// Names and brackets; whether a command stays one is CheckCommand's.
std::vector<std::string> CheckTemplate(std::string_view text) {
  std::vector<std::string> wrong;
  int depth = 0;
  for (size_t i = 0; i < text.size();) {
    const std::string_view pair = text.substr(i, 2);
    if (pair == "{{") {
      i += 2;
    } else if (text[i] == '{') {
      const TemplatePlace place = PlaceAt(text.substr(i));
      // Variables are not listed: any may be asked for.
      const bool variable = !place.name.empty() && place.name[0] >= 'A' && place.name[0] <= 'Z';
      const bool known = variable || std::find(std::begin(kNames), std::end(kNames), place.name) != std::end(kNames);
      if (place.size != 0 && !known)
        wrong.push_back("the name {" + std::string(place.name) + "} is not one of kb/README.md");
      i += std::max<size_t>(place.size, 1);
    } else if (pair == "[[") {
      ++depth, i += 2;
    } else if (pair == "]]" && depth > 0) {
      --depth, i += 2;
    } else {
      ++i;
    }
  }
  if (depth != 0) wrong.emplace_back("a [[ has no ]]");
  return wrong;
}

}  // namespace ncclwhy
