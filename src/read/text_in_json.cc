#include "read/text_in_json.h"

#include "read/text_log.h"

namespace ncclwhy {
namespace {

class TextInJson : public Witness {
 public:
  TextInJson(const WitnessContext& context, std::string (*text_of)(const std::string&), size_t most)
      : inside_(NewTextLog(context)), text_of_(text_of), most_(most) {}

  void Push(std::string_view chunk) override {
    if (!document_) return inside_->Push(chunk);
    bytes_ += chunk;
    if (bytes_.size() > most_) GiveUp();
  }

  SourceDigest Finish() override {
    const size_t size = bytes_.size();
    const std::string text = document_ ? text_of_(bytes_) : std::string();
    if (text.empty()) {
      if (document_) GiveUp();
      return inside_->Finish();
    }
    inside_->Push(text);
    SourceDigest digest = inside_->Finish();
    digest.facts.bytes = size;
    return digest;
  }

 private:
  // It is read as text.
  void GiveUp() {
    document_ = false;
    inside_->Push(bytes_);
    bytes_ = {};
  }

  std::unique_ptr<Witness> inside_;
  std::string bytes_;
  std::string (*text_of_)(const std::string&);
  size_t most_;
  bool document_ = true;
};

}  // namespace

std::unique_ptr<Witness> NewTextInJson(const WitnessContext& context, std::string (*text_of)(const std::string& bytes),
                                       size_t most) {
  return std::make_unique<TextInJson>(context, text_of, most);
}

}  // namespace ncclwhy
