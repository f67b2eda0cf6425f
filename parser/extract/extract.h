// Extractors: one function per family of messages. Each looks at the body of a line and, when the text is one of its
// own, writes an event or aggregated fact. None keeps state of the line.
//
// To add a message see parser/README.md.
#pragma once

#include <string_view>

#include "parser/facts_builder.h"
#include "parser/parsed_line.h"

namespace ncclwhy {

struct Extraction {
  const ParsedLine& line;
  uint32_t process;
  FactsBuilder& out;
  std::string_view body() const { return line.body; }
  bool Has(TellingWord word) const { return line.words.Has(word); }
  EventWriter Begin(EventKind kind) const { return out.Begin(kind, line, process); }
};

enum class Known : uint8_t {
  kNo,     // not a message of this family
  kQuiet,  // known and eventless: neither recognizer nor sink need to see it
  kYes,    // known
};

// Channel lists, edges, rings, trees, graph dumps, COLL and CALL lines; the hot path. kNo when anything is unusual.
Known ExtractQuiet(const Extraction& x, bool keep_every_collective);

// One family of NCCL's messages. Whether it knows a message depends on level and words of the body alone, never on its
// numbers (parser/skeleton.h).
using ExtractFamily = Known (*)(const Extraction& x);

// NCCL's other messages, by family. `*family` is who knows the message, or null.
Known ExtractNccl(const Extraction& x, ExtractFamily* family);
// The same where ExtractNccl has said whose it is, of the same level and body.
Known ExtractNcclAs(const Extraction& x, ExtractFamily family);
Known ExtractInit(const Extraction& x);
Known ExtractAbort(const Extraction& x);
Known ExtractBootstrap(const Extraction& x);
Known ExtractEnv(const Extraction& x);
Known ExtractNet(const Extraction& x);
Known ExtractChannel(const Extraction& x);
Known ExtractCollective(const Extraction& x, bool keep_every_collective);
Known ExtractCall(const Extraction& x);
Known ExtractQuietCall(const Extraction& x);
Known ExtractSocket(const Extraction& x);
Known ExtractIb(const Extraction& x);
Known ExtractProxy(const Extraction& x);
Known ExtractResultTrace(const Extraction& x);
Known ExtractTopo(const Extraction& x);

// Lines of other programs, by dialect. ForeignState remembers the few things that take more than one line.
struct ForeignState {
  uint32_t last_error_stream = kNoProcess;  // the process whose `Last error:` the next line completes
  bool last_error_open = false;
  std::string elastic_rank, elastic_local_rank, elastic_host;
};
// Whether one of them took it.
bool ExtractForeign(const Extraction& x, ForeignState& state);
bool ExtractTorch(const Extraction& x, ForeignState& state);
bool ExtractElastic(const Extraction& x, ForeignState& state);
bool ExtractPython(const Extraction& x);
bool ExtractMpi(const Extraction& x);
bool ExtractSlurm(const Extraction& x);
bool ExtractKernel(const Extraction& x);
bool ExtractKubernetes(const Extraction& x);

// `ADDR<PORT>` or `HOST<PORT>` split; port empty when there is none.
struct Endpoint {
  std::string_view host;
  std::string_view port;
};
Endpoint SplitEndpoint(std::string_view text);

}  // namespace ncclwhy
