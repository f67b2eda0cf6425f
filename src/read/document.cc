#include "read/document.h"

#include "base/limits.h"
#include "base/numbers.h"

namespace ncclwhy {

std::optional<Document::Id> Document::New(Kind kind) {
  // Each value takes some dozens of bytes of memory and may be one byte of the file.
  if (++values_ > limits::kDocumentValues) return std::nullopt;
  Node node;
  node.kind = kind;
  if (kind == Kind::kList || kind == Kind::kDict) {
    node.items = static_cast<uint32_t>(items_.size());
    items_.emplace_back();
  }
  nodes_.push_back(node);
  return static_cast<Id>(nodes_.size() - 1);
}

std::optional<Document::Id> Document::NewInteger(int64_t value, Kind kind) {
  const auto id = New(kind);
  if (id) nodes_[*id].integer = value;
  return id;
}

std::optional<Document::Id> Document::NewReal(double value) {
  const auto id = New(Kind::kReal);
  if (id) nodes_[*id].real = value;
  return id;
}

std::optional<Document::Id> Document::NewText(std::string_view text) {
  const auto id = New(Kind::kText);
  if (id) {
    nodes_[*id].text = text.data();
    nodes_[*id].size = text.size();
  }
  return id;
}

std::vector<Document::Id>* Document::ItemsOf(Id id) {
  const Node& node = nodes_[id];
  return node.kind == Kind::kList || node.kind == Kind::kDict ? &items_[node.items] : nullptr;
}

bool Document::Add(Id container, Id item) {
  std::vector<Id>* items = ItemsOf(container);
  if (items == nullptr || ++values_ > limits::kDocumentValues) return false;
  items->push_back(item);
  return true;
}

const std::vector<Document::Id>* Document::Value::Items() const {
  if (!is_list() && !is_dict()) return nullptr;
  return &document_->items_[document_->nodes_[id_].items];
}

size_t Document::Value::size() const {
  const std::vector<Id>* items = Items();
  return items == nullptr ? 0 : is_dict() ? items->size() / 2 : items->size();
}

Document::Value Document::Value::operator[](size_t index) const {
  return is_list() && index < size() ? Value(document_, (*Items())[index]) : Value();
}

Document::Value Document::Value::Key(size_t index) const {
  return is_dict() && index < size() ? Value(document_, (*Items())[2 * index]) : Value();
}

Document::Value Document::Value::At(size_t index) const {
  return is_dict() && index < size() ? Value(document_, (*Items())[2 * index + 1]) : Value();
}

Document::Value Document::Value::operator[](std::string_view key) const {
  if (!is_dict()) return {};
  // As Python and JSON readers do with a key that comes twice.
  for (size_t i = size(); i-- > 0;) {
    if (Key(i).kind() == Kind::kText && Key(i).Text() == key) return At(i);
  }
  return {};
}

std::string_view Document::Value::Text() const {
  if (kind() != Kind::kText) return {};
  return {document_->nodes_[id_].text, document_->nodes_[id_].size};
}

std::optional<int64_t> Document::Value::Integer() const {
  if (kind() == Kind::kInteger) return document_->nodes_[id_].integer;
  return ParseInt(Text());
}

bool Document::Value::True() const { return kind() == Kind::kBool && document_->nodes_[id_].integer != 0; }

}  // namespace ncclwhy
