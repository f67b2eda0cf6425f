#include "api/make_digest.h"

#include "api/job_analysis.h"
#include "api/no_throw.h"

namespace ncclwhy {

Result<MadeDigest> MakeDigest(const std::vector<std::string>& arguments, const std::string& prefix,
                              const AnalyzerOptions& options) {
  return NoThrow([&]() -> Result<MadeDigest> {
    const Result<Knowledge> knowledge = Knowledge::Load(options);
    if (!knowledge.ok()) return knowledge.status();
    JobAnalysis job(knowledge.value(), options);
    job.AddArguments(arguments);
    Result<std::string> bytes = job.ReadIntoDigest(prefix);
    if (!bytes.ok()) return bytes.status();
    MadeDigest made{bytes.take(), job.digests().size(), 0, job.problems()};
    // The bytes of the logs, not of the digest: the command tells how much smaller it is.
    for (const SourceDigest& digest : job.digests()) made.read += digest.facts.bytes;
    return made;
  });
}

}  // namespace ncclwhy
