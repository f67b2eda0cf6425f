// MakeDigest: what logs say, in a file that is read instead of them (read/node_digest.h); for the command `digest`.
//
// Thread safety: pure function.
#pragma once

#include <string>
#include <vector>

#include "ncclwhy/analyzer.h"

namespace ncclwhy {

// What was made, and what it was made of, for the sentence that the command prints.
struct MadeDigest {
  std::string bytes;
  size_t sources = 0;
  uint64_t read = 0;                  // bytes of the sources
  std::vector<std::string> problems;  // what could not be read, a sentence each; they are in the digest, too
};

// `prefix` and a slash come before the names of the sources, for nodes whose logs have the same names; may be empty.
// Fails when a knowledge or rule directory cannot be used, or at a limit.
// What cannot be read does not fail: it is a problem in the digest.
Result<MadeDigest> MakeDigest(const std::vector<std::string>& arguments, const std::string& prefix,
                              const AnalyzerOptions& options);

}  // namespace ncclwhy
