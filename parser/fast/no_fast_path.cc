// The door, and nothing behind it: NCCLWHY_FAST_PATH=OFF. Every line takes the plain path.
#include "parser/fast/fast_path.h"

namespace ncclwhy {

struct FastPath::Impl {
  const MessageRecognizer* recognizer;
};

FastPath::FastPath(const PlainPath& plain) : impl_(std::make_unique<Impl>(Impl{plain.recognizer})) {}
FastPath::FastPath(const FastPath& /*before*/, const PlainPath& plain) : FastPath(plain) {}
FastPath::~FastPath() = default;

FastPath::TakenLines FastPath::TakeLines(std::string_view /*text*/, uint64_t /*offset*/, uint32_t /*number*/) {
  return {};
}
FastPath::Taken FastPath::TakeRecord(const LinePiece& /*piece*/, std::string_view /*text*/,
                                     const OuterPrefix& /*outer*/) {
  return Taken::kNo;
}
const FastPath::WholeRecord* FastPath::Recall(const LinePiece& /*piece*/) { return nullptr; }
void FastPath::FindShape(ParsedLine* /*line*/) {}
FastPath::Judgement FastPath::Judge(const Extraction& x) {
  ExtractFamily family = nullptr;
  Judgement out{ExtractNccl(x, &family), -1};
  if (impl_->recognizer != nullptr) out.message = impl_->recognizer->Recognize(x.line.header.level, x.body());
  return out;
}
void FastPath::LearnHeader(std::string_view /*text*/, const HeaderMatch& /*match*/, uint32_t /*process*/) {}
void FastPath::LearnMessage(const ParsedLine& /*line*/, int /*message*/) {}
void FastPath::Finish() {}

}  // namespace ncclwhy
