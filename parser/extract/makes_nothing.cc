// Whether a message is so uneventful that extractors leave no trace of it.
#include "parser/extract/extract.h"

namespace ncclwhy {

bool MakesNothing(LogLevel level, std::string_view body) {
  SourceFacts facts;
  FactsBuilder builder(&facts);
  ParsedLine line;
  line.number = 1;
  line.raw = line.text = line.body = body;
  line.header.present = true;
  line.header.level = level;
  line.dialect = Dialect::kNccl;
  const Extraction x{line, kNoProcess, builder};
  if (ExtractQuiet(x, true) == Known::kQuiet) return false;
  ExtractFamily family = nullptr;
  if (ExtractNccl(x, &family, false) == Known::kQuiet) return false;
  return facts.events.empty() && facts.connections.empty() && facts.collectives.empty();
}

}  // namespace ncclwhy
