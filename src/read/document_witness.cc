#include "read/document_witness.h"

#include <string>

#include "base/limits.h"
#include "read/json_document.h"
#include "read/pickle.h"
#include "read/text_log.h"

namespace ncclwhy {
namespace {

using Read = bool (*)(const Document&, SourceFacts*);

class DocumentWitness : public Witness {
 public:
  DocumentWitness(const WitnessContext& context, Read read) : context_(context), read_(read) {}

  void Push(std::string_view chunk) override {
    size_ += chunk.size();
    if (text_ != nullptr) return text_->Push(chunk);
    if (size_ <= limits::kDocumentBytes) {
      bytes_ += chunk;
      // Of a pickle that is too long nothing can be read: it is a program, whose end says what it makes.
    } else if (BeginsPickle(bytes_)) {
      too_large_ = true;
    } else {
      bytes_ += chunk;
      BecomeText();
    }
  }

  SourceDigest Finish() override {
    if (text_ != nullptr) return text_->Finish();
    SourceDigest digest;
    digest.facts.name = context_.name;
    Document document;
    DocumentEnd end = DocumentEnd::kRefused;
    if (!too_large_) end = BeginsPickle(bytes_) ? ReadPickle(bytes_, &document) : ReadJson(bytes_, &document);
    const bool known = end != DocumentEnd::kRefused && read_(document, &digest.facts);
    //    {"time": "12:00:03", "msg": "NCCL WARN …"}     a log of JSON lines begins with an object, too
    if (!known && !BeginsPickle(bytes_)) {
      BecomeText();
      return text_->Finish();
    }
    digest.facts.bytes = size_;
    if (!known) {
      digest.facts.counters.Add(Counter::kRefusedRecords);
    } else if (end == DocumentEnd::kCut) {
      digest.facts.counters.Add(Counter::kCutRecords);
    }
    return digest;
  }

 private:
  void BecomeText() {
    text_ = NewTextLog(context_);
    text_->Push(bytes_);
    bytes_ = {};
  }

  const WitnessContext context_;
  const Read read_;
  std::unique_ptr<Witness> text_;  // when it is no such document
  std::string bytes_;
  uint64_t size_ = 0;
  bool too_large_ = false;
};

}  // namespace

bool BeginsPickle(std::string_view first) {
  return first.size() > 1 && first[0] == '\x80' && first[1] >= 2 && first[1] <= 5;
}

bool BeginsObject(std::string_view first) {
  const size_t begin = first.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && first[begin] == '{';
}

std::unique_ptr<Witness> NewDocumentWitness(const WitnessContext& context, Read read) {
  return std::make_unique<DocumentWitness>(context, read);
}

}  // namespace ncclwhy
