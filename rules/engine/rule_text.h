// RuleText: the text of one rule file with the position of everything in it, for diagnostics that point at the place.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace ncclwhy {

// Owns both texts. Immutable; paths are JSON pointers without escapes, as keys of rules have none.
class RuleText {
 public:
  RuleText() = default;
  // `text` must be well-formed JSON for positions inside it to be known; anything else only loses positions.
  RuleText(std::string file, std::string text);

  // As it was given; diagnostics print it.
  const std::string& file() const { return file_; }
  const std::string& text() const { return text_; }
  // Paths of keys that occur twice in one object, in order.
  const std::vector<std::string>& duplicates() const { return duplicates_; }

  // A diagnostic at the value of `path` ("/match/0/regex"), or of its nearest known parent. "" is the whole file.
  // A diagnostic has the line of text with it, so it may outlive this.
  Diagnostic At(Diagnostic::Level level, std::string_view path, std::string code, std::string message,
                std::string help = {}) const;
  // The same at the key instead of the value.
  Diagnostic AtKey(Diagnostic::Level level, std::string_view path, std::string code, std::string message,
                   std::string help = {}) const;
  // The same at a byte offset.
  Diagnostic AtOffset(Diagnostic::Level level, size_t offset, std::string code, std::string message,
                      std::string help = {}) const;

 private:
  struct Position {
    size_t key = 0;
    size_t value = 0;
  };
  class Walker;

  const Position* Find(std::string_view path) const;

  std::string file_;
  std::string text_;
  std::map<std::string, Position, std::less<>> positions_;
  std::vector<std::string> duplicates_;
};

}  // namespace ncclwhy
