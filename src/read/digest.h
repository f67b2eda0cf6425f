// DigestBuilder: the digest of one source of any kind.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "read/source_digest.h"
#include "read/witness.h"

namespace ncclwhy {

// Picks the witness (witness.h) from the first bytes. Push chunks of any size; the result does not depend on where they
// end. `rules`, `kb` and `answers`, which may be null, are borrowed. One builder per source and thread.
//    DigestBuilder builder("rank0.log", rules, kb);
//    while (read(&chunk)) builder.Push(chunk);
//    SourceDigest digest = builder.Finish();
class DigestBuilder {
 public:
  DigestBuilder(std::string name, const RuleSet& rules, const KnowledgeBase& kb, const ParserOptions& options = {},
                SharedAnswers* answers = nullptr)
      : context_{std::move(name), rules, kb, options, answers} {}

  // Nothing is kept of the chunk but what the facts need.
  void Push(std::string_view chunk) {
    if (witness_ == nullptr) Sniff(&chunk);
    if (witness_ != nullptr && !chunk.empty()) witness_->Push(chunk);
  }
  // Once; a source without a byte is a text without lines.
  SourceDigest Finish();
  // Instead, for what may hold several sources. Adds a sentence on what could not be read.
  std::vector<SourceDigest> FinishAll(std::vector<std::string>* problems);

 private:
  void Sniff(std::string_view* chunk);
  // Hands the first bytes to the witness that knows them.
  void Begin();

  const WitnessContext context_;
  std::string first_;  // held back until the witness is known
  std::unique_ptr<Witness> witness_;
};

}  // namespace ncclwhy
