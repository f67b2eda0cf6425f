// Ending: what a rank prints when the job goes down around it, or when it ends well.
#pragma once

#include <string_view>

#include "gen/printer.h"

namespace ncclwhy::bench {

// A peer's socket (or, on InfiniBand, its queue pair) is gone while collectives run.
void PrintPeerLost(int peer, Printer* printer);
// The same while communicators are set up.
void PrintPeerLostStarting(int peer, Printer* printer);
// Retry count exceeded (status 12) on work with `peer`, or the flush error (5) that follows it.
void PrintCompletionError(int peer, int status, Printer* printer);
// The program's own "no progress" line, then ncclCommAbort.
void PrintTimeoutAndAbort(Printer* printer);
// The program sees NCCL's asynchronous error, then ncclCommAbort.
void PrintAsyncErrorAndAbort(Printer* printer);
// "HOST: rank R: failure app.cc:47 'ERROR / LAST'"
void PrintFailure(std::string_view error, std::string_view last, Printer* printer);
// ncclCommDestroy of all communicators, with the talk of threads that go away.
void PrintDestroy(Printer* printer);

}  // namespace ncclwhy::bench
