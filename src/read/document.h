// Document: a tree of values that came from a pickle or from JSON: dictionaries, lists, texts, numbers.
//
// Values are numbers in one array and share what the source shares, so that a memo that doubles itself twenty times
// costs twenty values, not a million; and a value may hold itself. So nobody walks a whole document: who reads it asks
// for what he knows. Bounded by limits::kDocumentValues. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ncclwhy {

// Ids are given from 0, in the order in which values are made; they mean something in their document only. A Value
// borrows the document.
class Document {
 public:
  // kMark and kBuilder are the pickle reader's own, and never left in a value that is read.
  enum class Kind : uint8_t { kNothing, kBool, kInteger, kReal, kText, kList, kDict, kMark, kBuilder };
  using Id = uint32_t;

  // A value, for reading. What is not there is kNothing, and so is all in it.
  class Value {
   public:
    Value() = default;
    Kind kind() const { return document_ == nullptr ? Kind::kNothing : document_->nodes_[id_].kind; }
    bool is_dict() const { return kind() == Kind::kDict; }
    bool is_list() const { return kind() == Kind::kList; }
    // Of a list: its values; of a dictionary: its pairs.
    // 0 of all else.
    // Pairs of a dictionary, values of a list.
    size_t size() const;
    Value operator[](size_t index) const;          // of a list
    Value operator[](std::string_view key) const;  // of a dictionary: the last pair of that key
    Value Key(size_t index) const;                 // of a dictionary
    Value At(size_t index) const;                  // of a dictionary
    std::string_view Text() const;                 // "" when it is none
    std::optional<int64_t> Integer() const;        // of a number, or of a text that is one
    bool True() const;

   private:
    friend class Document;
    Value(const Document* document, Id id) : document_(document), id_(id) {}
    const std::vector<Id>* Items() const;
    const Document* document_ = nullptr;
    Id id_ = 0;
  };

  Value root() const { return root_ ? Value(this, *root_) : Value(); }
  void set_root(Id id) { root_ = id; }

  // The makers return no id when there is no room for one more value.
  // A container is empty; a number is 0 and a text has no bytes until its maker sets them.
  std::optional<Id> New(Kind kind);
  std::optional<Id> NewInteger(int64_t value, Kind kind = Kind::kInteger);
  std::optional<Id> NewReal(double value);
  // `text` is borrowed; Keep makes a copy that lives as long as the document.
  std::optional<Id> NewText(std::string_view text);
  std::string_view Keep(std::string text) { return kept_.emplace_back(std::move(text)); }
  Kind KindOf(Id id) const { return nodes_[id].kind; }
  std::string_view TextOf(Id id) const { return Value(this, id).Text(); }
  // Of a list or dictionary (key, value, key, value …); null for all else.
  // As long as the document; what it holds changes with Add.
  std::vector<Id>* ItemsOf(Id id);
  // A reference is a value, too.
  bool Add(Id container, Id item);

 private:
  struct Node {
    Kind kind = Kind::kNothing;
    uint32_t items = 0;  // index into items_, of a container
    union {
      int64_t integer = 0;
      double real;
      const char* text;
    };
    size_t size = 0;  // of the text
  };
  std::vector<Node> nodes_;
  // Deques: places of lists and texts stay where they are while more are made.
  std::deque<std::vector<Id>> items_;
  std::deque<std::string> kept_;
  std::optional<Id> root_;
  size_t values_ = 0;
};

}  // namespace ncclwhy
