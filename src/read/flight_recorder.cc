#include "read/flight_recorder.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/limits.h"
#include "read/json_document.h"
#include "read/pickle.h"
#include "read/recorder_facts.h"
#include "read/text_log.h"

namespace ncclwhy {
namespace {

bool IsPickle(std::string_view first) {
  return first.size() > 1 && first[0] == '\x80' && first[1] >= 2 && first[1] <= 5;
}

bool IsObject(std::string_view first) {
  const size_t begin = first.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && first[begin] == '{';
}

class FlightRecorder : public Witness {
 public:
  explicit FlightRecorder(const WitnessContext& context) : context_(context) {}

  void Push(std::string_view chunk) override {
    size_ += chunk.size();
    if (text_ != nullptr) return text_->Push(chunk);
    if (size_ <= limits::kDocumentBytes) {
      bytes_ += chunk;
    } else if (IsPickle(bytes_)) {
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
    if (!too_large_) end = IsPickle(bytes_) ? ReadPickle(bytes_, &document) : ReadJson(bytes_, &document);
    const bool dump = end != DocumentEnd::kRefused && AddRecorderFacts(document, &digest.facts);
    if (!dump && !IsPickle(bytes_)) {
      BecomeText();
      return text_->Finish();
    }
    digest.facts.bytes = size_;
    if (!dump) {
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
  std::unique_ptr<Witness> text_;  // when it is no dump
  std::string bytes_;
  uint64_t size_ = 0;
  bool too_large_ = false;
};

}  // namespace

bool LooksLikeFlightRecorder(std::string_view first) {
  if (!IsPickle(first) && !IsObject(first)) return false;
  constexpr std::string_view kKeys[] = {"pg_config", "collective_seq_id", "profiling_name", "nccl_comm_state",
                                        "pg_status"};
  return std::any_of(std::begin(kKeys), std::end(kKeys), [&](std::string_view key) {
    const size_t at = first.find(key);
    if (at == std::string_view::npos) return false;
    return IsPickle(first) || (at > 0 && first[at - 1] == '"' && first.substr(at + key.size()).starts_with("\""));
  });
}

std::unique_ptr<Witness> NewFlightRecorder(const WitnessContext& context) {
  return std::make_unique<FlightRecorder>(context);
}

}  // namespace ncclwhy
