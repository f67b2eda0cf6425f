// Everything that a digest says, as text that tests compare.
#pragma once

#include <sstream>
#include <string>

#include "facts_text.h"
#include "read/digest.h"

namespace ncclwhy {

inline std::string DigestText(const SourceDigest& digest) {
  const SourceFacts& f = digest.facts;
  std::ostringstream o;
  o << FactsText(f);
  for (const Hit& h : digest.hits.hits) {
    o << "H " << h.line << '@' << h.offset << " p" << h.process << " t" << h.tid << " r" << h.launcher_rank << " d"
      << h.device << " #" << h.pattern << " x" << h.repeats << ' ' << LevelName(h.level) << ' ' << f.Str(h.text);
    for (const auto& [name, value] : h.captures) o << ' ' << f.Str(name) << '=' << f.Str(value);
    o << '\n';
  }
  for (const CatalogHit& h : digest.catalog) {
    o << "K " << h.message << ' ' << h.line << '@' << h.offset << " p" << h.process << " r" << h.launcher_rank << " x"
      << h.repeats << ' ' << f.Str(h.text) << '\n';
  }
  for (const EnvMention& m : digest.mentions) {
    o << "M " << f.Str(m.variable) << '=' << f.Str(m.value) << ' ' << m.line << '@' << m.offset << ' ' << f.Str(m.text)
      << '\n';
  }
  for (const auto& [number, m] : digest.messages) {
    o << "N " << number << " x" << m.count << ' ' << m.line << " p" << m.process << ' ' << f.Str(m.text) << '\n';
  }
  return o.str();
}

}  // namespace ncclwhy
