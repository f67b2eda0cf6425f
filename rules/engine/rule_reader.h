// RuleReader: values of one rule file, checked while they are read. Every method that can complain takes the path of
// the value (`/match/0/regex`), so that a diagnostic points at its place.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "rules/engine/rule.h"
#include "rules/engine/rule_text.h"
#include "rules/engine/vocabulary.h"

namespace ncclwhy {

using Keys = std::vector<std::string_view>;

// What a pattern may hold, and what a condition may: a pattern and where to look for it.
const Keys& KeysOfMatch();
const Keys& KeysOfCondition();

// One for a file, in one thread. Nothing throws: nlohmann's values are asked for their type first.
class RuleReader {
 public:
  RuleReader(const RuleText& text, std::vector<Diagnostic>* out) : text_(text), out_(out) {}

  // False once something was wrong: the rule is not used then. All complaints are collected, not the first alone.
  bool ok() const { return ok_; }

  void Error(const std::string& path, std::string code, std::string message, std::string help = {}) {
    ok_ = false;
    out_->push_back(text_.At(Diagnostic::kError, path, std::move(code), std::move(message), std::move(help)));
  }

  // Complains where it is none; so does IsArray.
  bool IsObject(const nlohmann::json& value, const std::string& path) {
    return IsType(value.is_object(), path, "an object");
  }
  bool IsArray(const nlohmann::json& value, const std::string& path) {
    return IsType(value.is_array(), path, "an array");
  }

  // R002 for a key that is not `known`, with the nearest one ("did you mean \"literal\"?"); R003 for a `required` one
  // that is not there.
  void CheckKeys(const nlohmann::json& object, const std::string& path, const Keys& known, const Keys& required);

  // "" after a complaint, as for all values below: reading goes on to the next mistake, so that an author sees all of
  // them at once.
  std::string String(const nlohmann::json& value, const std::string& path, bool may_be_empty = false);

  // A string or a non-empty array of strings.
  std::vector<KeptText> Strings(const nlohmann::json& value, const std::string& path);

  bool Bool(const nlohmann::json& value, const std::string& path) {
    return IsType(value.is_boolean(), path, "true or false") && value.get<bool>();
  }

  // {"en": …, "zh": …}; both or neither: a report in one language must not fall back to the other.
  void Text(const nlohmann::json& value, const std::string& path, KeptText* en, KeptText* zh);

  // {"shm.too-small": 5, "host.oom": -1}: log-odds by cause. Whether there is such a cause is asked by lint.
  std::vector<Weight> Weights(const nlohmann::json& value, const std::string& path);

  // One of a vocabulary of (name, value) pairs.
  template <typename T, size_t N>
  T Word(const nlohmann::json& value, const std::string& path, const std::array<NamedValue<T>, N>& words, T fallback) {
    const std::string name = String(value, path);
    if (name.empty()) return fallback;
    Keys names;
    for (const auto& word : words) {
      if (word.name == name) return word.value;
      names.push_back(word.name);
    }
    Error(path, "R005", fmt::format("\"{}\" is not known here", name),
          fmt::format("one of {}", fmt::join(names, ", ")));
    return fallback;
  }

  // One or a list of them: "WARN", ["WARN", "ABORT"]; in order, each once.
  template <typename T, size_t N>
  std::vector<T> Words(const nlohmann::json& value, const std::string& path, const std::array<NamedValue<T>, N>& words,
                       T fallback) {
    std::vector<T> result;
    if (value.is_array()) {
      if (value.empty()) Error(path, "R005", "the list is empty", "leave the key out instead");
      for (size_t i = 0; i < value.size(); ++i) {
        result.push_back(Word(value[i], fmt::format("{}/{}", path, i), words, fallback));
      }
    } else {
      result.push_back(Word(value, path, words, fallback));
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  // {"life": "ending", "how": "signal", "of": "named"}. An ending says how; beside it only a wait that ends in an
  // abort.
  Sign SignOfLife(const nlohmann::json& value, const std::string& path);

  // {"literal": "Out of memory", "regex": "Killed process (?P<pid>\\d+)", "dialect": "kernel"}. Whether the regex
  // compiles is asked by lint (lint_pattern.h).
  // R030 where it has neither literal nor regex: it would match every line.
  LinePattern Pattern(const nlohmann::json& value, const std::string& path);

  // "match": any of them fires the rule.
  std::vector<LinePattern> Patterns(const nlohmann::json& value, const std::string& path);

  // "collect": [{"what": {"en": …, "zh": …}, "command": "dmesg -T"}]
  std::vector<CollectStep> Steps(const nlohmann::json& value, const std::string& path);

  // "near", "unless" or, with `boost`, "boost": [{"literal": "No space left", "scope": "host", "within": 20, "order":
  // "before"}]; those of a boost have causes.
  std::vector<Condition> Conditions(const nlohmann::json& value, const std::string& path, bool boost);

 private:
  bool IsType(bool is, const std::string& path, std::string_view what) {
    if (!is) Error(path, "R004", fmt::format("this must be {}", what));
    return is;
  }

  Condition OneCondition(const nlohmann::json& value, const std::string& path, bool boost);

  const RuleText& text_;
  std::vector<Diagnostic>* out_;
  bool ok_ = true;
};

}  // namespace ncclwhy
