// Which family may know a message? Told from its first byte, so that most families are never asked.
#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {

Endpoint SplitEndpoint(std::string_view text) {
  const size_t open = text.find('<');
  if (open == std::string_view::npos) return {text, {}};
  const size_t close = text.find('>', open);
  return {text.substr(0, open),
          text.substr(open + 1, (close == std::string_view::npos ? text.size() : close) - open - 1)};
}

// Writes facts only when the answer is kQuiet: everybody else is asked again later.
Known ExtractQuiet(const Extraction& x, bool keep_every_collective) {
  const std::string_view body = x.body();
  if (body.size() < 8) return Known::kNo;
  if (x.line.header.level == LogLevel::kCall) return ExtractQuietCall(x);
  switch (body[0]) {
    case 'C':  // Channel 00/02 : 0 1, Channel 00/0 : 0[0] -> 1[1] via …, CollNet …
      return body[1] == 'h' || body[2] == 'l' ? ExtractChannel(x) : Known::kNo;
    case 'T':  // Trees …, Tree 0 : …
      return body[1] == 'r' ? ExtractChannel(x) : Known::kNo;
    case 'R':
      if (body[1] == 'i') return ExtractChannel(x);
      return ExtractCollective(x, keep_every_collective);
    case 'A':
    case 'B':
    case 'G':
    case 'S':
      return ExtractCollective(x, keep_every_collective);
    default:
      return Known::kNo;
  }
}

Known ExtractNcclAs(const Extraction& x, ExtractFamily family) {
  const Known known = family == nullptr ? Known::kNo : family(x);
  const LogLevel level = x.line.header.level;
  if (level != LogLevel::kWarn && level != LogLevel::kAbort) return known;
  if (known == Known::kNo) x.Begin(EventKind::kWarning);
  return Known::kYes;
}

Known ExtractNccl(const Extraction& x, ExtractFamily* family) {
  const std::string_view body = x.body();
  const LogLevel level = x.line.header.level;
  const auto ask = [&](std::initializer_list<ExtractFamily> families) {
    for (const ExtractFamily asked : families) {
      *family = asked;
      if (const Known known = asked(x); known != Known::kNo) return known;
    }
    *family = nullptr;
    return ExtractNcclAs(x, nullptr);
  };
  *family = nullptr;
  if (level == LogLevel::kCall) return ask({ExtractCall});
  if (level == LogLevel::kWarn || level == LogLevel::kAbort) {
    return ask({ExtractIb, ExtractSocket, ExtractResultTrace, ExtractTopo});
  }
  if (level == LogLevel::kVersion) return ask({ExtractEnv});
  if (body.empty()) return Known::kNo;
  switch (body[0]) {
    case 'c':  // comm 0x…, cudaDriverVersion, connect returned …
      return ask({ExtractInit, ExtractAbort, ExtractEnv, ExtractSocket, ExtractResultTrace});
    case 'n':  // ncclCommInitRank comm …, ncclRemoteError, nranks …
      return ask({ExtractInit, ExtractAbort, ExtractResultTrace, ExtractSocket, ExtractTopo, ExtractProxy});
    case 'I':
    case '[':
      return ask({ExtractInit, ExtractProxy, ExtractNet, ExtractEnv, ExtractTopo});
    case 'B':
      return ask({ExtractBootstrap});
    case 'N':
      return ask({ExtractEnv, ExtractIb, ExtractTopo, ExtractNet, ExtractProxy, ExtractSocket});
    case 'C':
      return ask({ExtractChannel, ExtractSocket, ExtractEnv, ExtractProxy, ExtractIb, ExtractTopo});
    default:
      return ask({ExtractNet, ExtractTopo, ExtractResultTrace, ExtractSocket, ExtractAbort, ExtractEnv, ExtractProxy,
                  ExtractIb, ExtractInit, ExtractChannel});
  }
}

namespace {

bool ExtractOfDialect(const Extraction& x, ForeignState& state) {
  if (ExtractTorch(x, state) || ExtractElastic(x, state)) return true;
  switch (x.line.dialect) {
    case Dialect::kPython:
    case Dialect::kFramework:
      return ExtractPython(x);
    case Dialect::kMpi:
      return ExtractMpi(x);
    case Dialect::kSlurm:
      return ExtractSlurm(x);
    case Dialect::kKernel:
      return ExtractKernel(x);
    case Dialect::kKubernetes:
      return ExtractKubernetes(x);
    default:
      if (ExtractPython(x) || ExtractMpi(x)) return true;
      // nccl-tests: `node: Test NCCL failure common.cu:958 'unhandled system error / '`
      if (!x.Has(TellingWord::kTestFailure) && !x.Has(TellingWord::kCudaFailure)) return false;
      x.Begin(EventKind::kApplication);
      return true;
  }
}

}  // namespace

bool ExtractForeign(const Extraction& x, ForeignState& state) {
  const bool taken = ExtractOfDialect(x, state);
  if (taken && x.line.dialect != Dialect::kKernel) return true;
  return ExtractRollTable(x, state.roll) || ExtractRollCall(x) || (!taken && ExtractHostHeading(x)) || taken;
}

}  // namespace ncclwhy
