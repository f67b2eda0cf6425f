#include "read/json_document.h"

#include <string>
#include <vector>

#include "base/json.h"

namespace ncclwhy {
namespace {

using Kind = Document::Kind;

class Reader : public JsonValue::json_sax_t {
 public:
  explicit Reader(Document* document) : document_(*document) {}
  bool full() const { return full_; }

  bool null() override { return Put(document_.New(Kind::kNothing)); }
  bool boolean(bool value) override { return Put(document_.NewInteger(value ? 1 : 0, Kind::kBool)); }
  bool number_integer(int64_t value) override { return Put(document_.NewInteger(value)); }
  bool number_unsigned(uint64_t value) override { return Put(document_.NewInteger(static_cast<int64_t>(value))); }
  bool number_float(double value, const std::string&) override { return Put(document_.NewReal(value)); }
  bool string(std::string& value) override { return Put(document_.NewText(document_.Keep(value))); }
  bool binary(JsonValue::binary_t&) override { return false; }
  bool start_object(size_t) override { return Open(Kind::kDict); }
  bool start_array(size_t) override { return Open(Kind::kList); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(std::string& value) override {
    key_ = document_.NewText(document_.Keep(value));
    return key_ || Full();
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool Full() {
    full_ = true;
    return false;
  }
  bool Put(std::optional<Document::Id> id) {
    if (!id) return Full();
    if (open_.empty()) {
      document_.set_root(*id);
      return true;
    }
    if (document_.KindOf(open_.back()) == Kind::kDict && !document_.Add(open_.back(), *key_)) return Full();
    return document_.Add(open_.back(), *id) || Full();
  }
  bool Open(Kind kind) {
    const auto id = document_.New(kind);
    if (!Put(id)) return false;
    open_.push_back(*id);
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  Document& document_;
  std::vector<Document::Id> open_;
  std::optional<Document::Id> key_;
  bool full_ = false;
};

}  // namespace

DocumentEnd ReadJson(std::string_view bytes, Document* document) {
  Reader reader(document);
  const bool whole = JsonValue::sax_parse(bytes, &reader);
  if (reader.full()) return DocumentEnd::kRefused;
  return whole ? DocumentEnd::kWhole : DocumentEnd::kCut;
}

}  // namespace ncclwhy
