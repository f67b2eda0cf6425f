// Proxy and service threads, allocation, registration, RAS.
//   New proxy send connection 1 from local rank 0, transport 2      Connected to proxy localRank 0 -> connection 0x7f
//   [Proxy Service] Device 0 CPU core 3      [Service thread] Connection closed by localRank 2
//   init.cc:1994 Cuda Host Alloc Size 4 pointer 0x7f1fd3400000      RAS client listening socket at 127.0.0.1<28028>
#include "parser/extract/extract.h"
#include "parser/extract/heads.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

constexpr std::string_view kProxy[] = {"New proxy ",
                                       "Connected to proxy",
                                       "Connection to proxy",
                                       "[Proxy ",
                                       "[Service thread]",
                                       "proxyProgress",
                                       "Proxy ",
                                       "proxy listening",
                                       "ncclPollProxyResponse",
                                       "resp.opId",
                                       "Received and initiated",
                                       "UDS:",
                                       "PXN Disabled",
                                       "ncclProxy",
                                       "Retrieving state",
                                       "Initialized state",
                                       "ProxyCall "};
constexpr std::string_view kMemory[] = {"Allocated ", "Mem Alloc ", "Mem Realloc ",     "register ", "MemManager",
                                        "Register ",  "MMAP ",      "ncclCommRegister", "CUMEM ",    "Free "};
constexpr Heads kProxyHeads(kProxy);
constexpr Heads kMemoryHeads(kMemory);

}  // namespace

Known ExtractProxy(const Extraction& x) {
  const std::string_view body = x.body();
  if (kProxyHeads.Begin(body)) {
    x.Begin(EventKind::kProxy).Set(FieldId::kLocalRank, scan::WordAfter(body, "localRank "));
    return Known::kYes;
  }
  if (kMemoryHeads.Begin(body)) {
    x.Begin(EventKind::kRegistration);
    return Known::kYes;
  }
  if (scan::StartsWith(body, "RAS ")) {
    x.Begin(EventKind::kRas);
    return Known::kYes;
  }
  return Known::kNo;
}

}  // namespace ncclwhy
