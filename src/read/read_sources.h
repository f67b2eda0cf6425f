// Reads many sources with several threads. What comes back does not depend on the number of threads.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ncclwhy/analyzer.h"
#include "read/digest.h"
#include "read/source.h"

namespace ncclwhy {

// `progress` is called by one thread at a time, after some megabytes and behind each source, with numbers that only
// grow.
struct ReadOptions {
  int jobs = 0;  // 0: one a processor
  ParserOptions parser;
  std::function<void(const Progress&)> progress;
};

// The digests of all files and archive members in the order of `specs`. Files that cannot be read to their end add a
// sentence to `problems`, in the same order; what was read of them is in the result.
// Throws nothing for a source that cannot be read, not even std::bad_alloc: that is a sentence, too.
std::vector<SourceDigest> ReadSources(const std::vector<SourceSpec>& specs, const RuleSet& rules,
                                      const KnowledgeBase& kb, const ReadOptions& options,
                                      std::vector<std::string>* problems);

}  // namespace ncclwhy
