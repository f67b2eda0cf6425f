#include "rules/engine/rule_text.h"

#include <algorithm>
#include <utility>

namespace ncclwhy {
namespace {

// Columns count characters, not bytes: a title may be Chinese.
size_t CountCodePoints(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

}  // namespace

// Walks JSON that a real parser accepts and notes where everything stands. On anything else it just stops.
// nlohmann's parser tells the place of a mistake only, not that of a value.
class RuleText::Walker {
 public:
  explicit Walker(RuleText& text) : out_(text), s_(text.text_) {}
  void Walk() { Value("", 0, 0); }

 private:
  // Rules are four deep; a file of brackets must not fill the stack.
  static constexpr int kDepth = 64;

  void Space() {
    while (i_ < s_.size() && (s_[i_] == ' ' || s_[i_] == '\t' || s_[i_] == '\n' || s_[i_] == '\r')) ++i_;
  }
  bool Take(char c) {
    Space();
    if (i_ >= s_.size() || s_[i_] != c) return false;
    ++i_;
    return true;
  }
  // The raw text between the quotes. Keys of rules need no escapes.
  std::string String() {
    if (!Take('"')) return {};
    const size_t begin = i_;
    while (i_ < s_.size() && s_[i_] != '"') i_ += s_[i_] == '\\' ? 2 : 1;
    const std::string result(s_.substr(begin, std::min(i_, s_.size()) - begin));
    ++i_;
    return result;
  }
  bool Value(const std::string& path, size_t key, int depth) {
    Space();
    if (i_ >= s_.size() || depth > kDepth) return false;
    // The first of two equal keys keeps the place; the second is a mistake, told by the loader.
    const bool inserted = out_.positions_.try_emplace(path, Position{key, i_}).second;
    if (!inserted) out_.duplicates_.push_back(path);
    switch (s_[i_]) {
      case '{':
        return Object(path, depth);
      case '[':
        return Array(path, depth);
      case '"':
        String();
        return true;
      default:
        while (i_ < s_.size() && std::string_view(",]} \t\r\n").find(s_[i_]) == std::string_view::npos) ++i_;
        return true;
    }
  }
  bool Object(const std::string& path, int depth) {
    ++i_;
    if (Take('}')) return true;
    do {
      Space();
      const size_t key = i_;
      const std::string name = String();
      if (!Take(':') || !Value(path + "/" + name, key, depth + 1)) return false;
    } while (Take(','));
    return Take('}');
  }
  bool Array(const std::string& path, int depth) {
    ++i_;
    if (Take(']')) return true;
    size_t index = 0;
    do {
      Space();
      if (!Value(path + "/" + std::to_string(index++), i_, depth + 1)) return false;
    } while (Take(','));
    return Take(']');
  }

  RuleText& out_;
  std::string_view s_;
  size_t i_ = 0;
};

RuleText::RuleText(std::string file, std::string text) : file_(std::move(file)), text_(std::move(text)) {
  Walker(*this).Walk();
}

const RuleText::Position* RuleText::Find(std::string_view path) const {
  for (;;) {
    const auto it = positions_.find(path);
    if (it != positions_.end()) return &it->second;
    const size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return nullptr;
    // A key that is missing is told at the object in which it is.
    path = path.substr(0, slash);
  }
}

Diagnostic RuleText::At(Diagnostic::Level level, std::string_view path, std::string code, std::string message,
                        std::string help) const {
  const Position* position = path.empty() ? nullptr : Find(path);
  if (position == nullptr) return {level, file_, 0, 0, std::move(code), std::move(message), std::move(help), {}};
  return AtOffset(level, position->value, std::move(code), std::move(message), std::move(help));
}

Diagnostic RuleText::AtKey(Diagnostic::Level level, std::string_view path, std::string code, std::string message,
                           std::string help) const {
  const Position* position = path.empty() ? nullptr : Find(path);
  if (position == nullptr) return {level, file_, 0, 0, std::move(code), std::move(message), std::move(help), {}};
  return AtOffset(level, position->key, std::move(code), std::move(message), std::move(help));
}

Diagnostic RuleText::AtOffset(Diagnostic::Level level, size_t offset, std::string code, std::string message,
                              std::string help) const {
  offset = std::min(offset, text_.size());
  const std::string_view head = std::string_view(text_).substr(0, offset);
  const size_t line_begin = head.rfind('\n') == std::string_view::npos ? 0 : head.rfind('\n') + 1;
  const size_t line_end = std::min(text_.find('\n', offset), text_.size());
  Diagnostic d;
  d.level = level;
  d.file = file_;
  d.line = static_cast<uint32_t>(std::count(head.begin(), head.end(), '\n')) + 1;
  d.column = static_cast<uint32_t>(CountCodePoints(head.substr(line_begin))) + 1;
  d.code = std::move(code);
  d.message = std::move(message);
  d.help = std::move(help);
  d.snippet = text_.substr(line_begin, line_end - line_begin);
  return d;
}

}  // namespace ncclwhy
