#include "read/digest.h"

#include <algorithm>

namespace ncclwhy {

// At most kSniffedBytes are held back, then the witness gets them first.
void DigestBuilder::Sniff(std::string_view* chunk) {
  const size_t wanted = std::min(kSniffedBytes - first_.size(), chunk->size());
  first_ += chunk->substr(0, wanted);
  chunk->remove_prefix(wanted);
  if (first_.size() == kSniffedBytes) Begin();
}

void DigestBuilder::Begin() {
  // From here on the kind is settled; a witness that is wrong hands on to a text log.
  witness_ = KindOf(first_).begin(context_);
  witness_->Push(first_);
  first_ = {};
}

SourceDigest DigestBuilder::Finish() {
  if (witness_ == nullptr) Begin();
  return witness_->Finish();
}

// A digest by its name alone: its own bytes would have said so.
std::vector<SourceDigest> DigestBuilder::FinishAll(std::vector<std::string>* problems) {
  // A node whose disk was full, a copy that broke: its logs are missing, which an empty log does not say.
  if (witness_ == nullptr && first_.empty() && context_.name.ends_with(".digest")) {
    problems->push_back(context_.name + ": is a digest by its name, and empty; nothing of it was used");
    return {};
  }
  if (witness_ == nullptr) Begin();
  return witness_->FinishAll(problems);
}

}  // namespace ncclwhy
