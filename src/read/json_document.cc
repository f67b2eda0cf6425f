#include "read/json_document.h"

#include <limits>
#include <string>
#include <vector>

#include "base/json.h"

namespace ncclwhy {
namespace {

// Event by event: a tree of nlohmann's own would take several times the memory, and be walked by recursion when it is
// destroyed.
class Reader : public JsonValue::json_sax_t {
 public:
  explicit Reader(Document* document) : document_(*document) {}
  bool full() const { return full_; }

  bool null() override { return Put(document_.New(Document::Kind::kNothing)); }
  bool boolean(bool value) override { return Put(document_.NewInteger(value ? 1 : 0, Document::Kind::kBool)); }
  bool number_integer(int64_t value) override { return Put(document_.NewInteger(value)); }
  bool number_unsigned(uint64_t value) override {
    const bool fits = value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    return Put(fits ? document_.NewInteger(static_cast<int64_t>(value))
                    : document_.NewReal(static_cast<double>(value)));
  }
  bool number_float(double value, const std::string&) override { return Put(document_.NewReal(value)); }
  bool string(std::string& value) override { return Put(document_.NewText(document_.Keep(value))); }
  bool binary(JsonValue::binary_t&) override { return false; }
  bool start_object(size_t) override { return Open(Document::Kind::kDict); }
  bool start_array(size_t) override { return Open(Document::Kind::kList); }
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
  // A value goes into the container that is open, behind its key where that is an object; the outermost one is the
  // root.
  bool Put(std::optional<Document::Id> id) {
    if (!id) return Full();
    if (open_.empty()) {
      document_.set_root(*id);
      return true;
    }
    if (document_.KindOf(open_.back()) == Document::Kind::kDict && !document_.Add(open_.back(), *key_)) return Full();
    return document_.Add(open_.back(), *id) || Full();
  }
  bool Open(Document::Kind kind) {
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

// A value that begins where one has just ended gets the comma between them.
//    "missing_ranks": [{"rank": 1} {"rank": 5}]     ncclras of NCCL 2.28.9
std::string WithCommas(std::string_view bytes) {
  std::string whole;
  whole.reserve(bytes.size() + 64);
  bool ended = false;
  for (size_t at = 0; at < bytes.size(); ++at) {
    const char c = bytes[at];
    if (ended && (c == '"' || c == '{' || c == '[')) whole += ',';
    if (c == '"') {
      const size_t begin = at++;
      while (at < bytes.size() && bytes[at] != '"') at += bytes[at] == '\\' ? 2 : 1;
      whole += bytes.substr(begin, at + 1 - begin);
      ended = true;
      continue;
    }
    whole += c;
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') ended = c != ':' && c != ',' && c != '{' && c != '[';
  }
  return whole;
}

DocumentEnd Parse(std::string_view bytes, Document* document) {
  Reader reader(document);
  const bool whole = JsonValue::sax_parse(bytes, &reader);
  if (reader.full()) return DocumentEnd::kRefused;
  return whole ? DocumentEnd::kWhole : DocumentEnd::kCut;
}

}  // namespace

DocumentEnd ReadJson(std::string_view bytes, Document* document) {
  const DocumentEnd end = Parse(bytes, document);
  if (end != DocumentEnd::kCut) return end;
  const std::string repaired = WithCommas(bytes);
  // Nothing was missing: it is cut.
  if (repaired.size() == bytes.size()) return end;
  *document = {};
  return Parse(repaired, document);
}

}  // namespace ncclwhy
