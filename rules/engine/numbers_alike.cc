#include "rules/engine/numbers_alike.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "rules/engine/regex_bytes.h"

namespace ncclwhy {
namespace {

constexpr int kMostNested = 6;

// Lower case only, as parser/line_shape.cc has them.
bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }
// Of letters, digits and _ in a row: a number begins where they do.
bool MayBeDecimal(std::string_view word) { return !word.empty() && IsDigit(word[0]) && !word.starts_with("0x"); }
bool MayBeHex(std::string_view word) {
  for (const std::string_view head : {"0x", "x"}) {
    if (word.size() > head.size() && word.starts_with(head)) word.remove_prefix(head.size());
  }
  return !word.empty() && std::all_of(word.begin(), word.end(), IsHexDigit);
}
bool MayBeNumber(std::string_view word) { return MayBeDecimal(word) || MayBeHex(word); }

// Every part of a regex must either take all digits of a number, however many, or none. Between two that each need one
// there must be something that is none, or else a number of one digit would not do for both.
class NumberReader {
 public:
  explicit NumberReader(std::string_view text) : text_(text) {}

  NumbersAlike Answer() {
    const Needs end = Alternatives({}, 0);
    if (at_ != text_.size() || !decimals_) return NumbersAlike::kNo;
    return hex_ && !end.digits ? NumbersAlike::kAll : NumbersAlike::kDecimals;
  }

 private:
  using Bytes = RegexBytes;
  // kAny `*`, kSome `+`, kPerhaps `?`, kCounted `{2,}`, kCountedPerhaps `{0,3}`
  enum class Times : uint8_t { kOnce, kPerhaps, kAny, kSome, kCounted, kCountedPerhaps };
  // Whether a digit of the number that may stand here is needed already.
  struct Needs {
    bool decimal = false;
    bool hex = false;
    bool bounded = false;  // a number that begins here has nothing in front: behind `=`, `\b`, `^`
    bool digits = false;   // one that has no letters may end here: of hexadecimal ones the same is said where it does
    void Or(const Needs& other) {
      decimal = decimal || other.decimal;
      hex = hex || other.hex;
      bounded = bounded && other.bounded;
      digits = digits || other.digits;
    }
  };

  bool More() const { return at_ < text_.size(); }
  bool Take(std::string_view word) {
    // Behind the end: what failed goes on until it looks.
    if (!More() || !text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  void Fail() {
    decimals_ = hex_ = false;
    at_ = text_.size();
  }

  Needs Alternatives(Needs before, int depth) {
    Needs all = Sequence(before, depth);
    while (More() && Take("|")) all.Or(Sequence(before, depth));
    return all;
  }

  Needs Sequence(Needs needs, int depth) {
    std::string word;
    const auto end_word = [&] {
      if (word.empty()) return;
      if (needs.digits) hex_ = false;
      // Some letter that is no digit: nothing of it is in a number.
      decimals_ = decimals_ && !MayBeDecimal(word);
      hex_ = hex_ && !MayBeNumber(word);
      needs = {};
      word.clear();
    };
    while (More() && text_[at_] != '|' && text_[at_] != ')') {
      const char c = text_[at_];
      if (c == '(') {
        end_word();
        needs = Group(needs, depth);
        continue;
      }
      if (std::string_view("*+?{").find(c) != std::string_view::npos) {
        Fail();
        return needs;
      }
      if (c == '^' || c == '$' || text_.substr(at_).starts_with("\\b")) {
        end_word();
        at_ += c == '\\' ? 2 : 1;
        needs.digits = false;
        needs.bounded = true;
        continue;
      }
      const std::optional<Bytes> bytes = c == '[' ? Class() : c == '.' ? Any() : One();
      if (!bytes) {
        Fail();
        return needs;
      }
      const Times times = HowOften();
      const bool letter = c != '[' && c != '.' && bytes->count() == 1 && times == Times::kOnce;
      const char last = text_[std::min(at_, text_.size()) - 1];
      if (letter && IsWordChar(last) && (c != '\\' || !IsAlnum(last))) {
        word.push_back(last);
        continue;
      }
      end_word();
      const bool only_digits = times == Times::kSome && needs.bounded && !needs.digits && *bytes == Digits();
      Part(*bytes, times, "0123456789", &decimals_, &needs.decimal);
      if (!only_digits) Part(*bytes, times, "0123456789abcdef", &hex_, &needs.hex);
      Bound(*bytes, times, &needs);
      needs.digits = needs.digits || only_digits;
    }
    end_word();
    return needs;
  }

  static void Part(const Bytes& bytes, Times times, std::string_view digits, bool* alike, bool* needs) {
    const auto there = static_cast<size_t>(
        std::count_if(digits.begin(), digits.end(), [&](char c) { return bytes[static_cast<unsigned char>(c)]; }));
    if (there == 0) {
      if (times == Times::kOnce || times == Times::kSome || times == Times::kCounted) *needs = false;
      return;
    }
    const bool unbounded = times == Times::kAny || times == Times::kSome;
    if (there < digits.size() || !unbounded || (times == Times::kSome && *needs)) *alike = false;
    *needs = *needs || times == Times::kSome;
  }

  static Bytes Digits() {
    Bytes digits;
    for (const char c : std::string_view("0123456789")) digits.set(static_cast<unsigned char>(c));
    return digits;
  }

  void Bound(const Bytes& bytes, Times times, Needs* needs) {
    bool word = false;
    for (size_t c = 0; c < bytes.size(); ++c) {
      word = word || (bytes[c] && IsWordChar(static_cast<char>(static_cast<unsigned char>(c))));
    }
    if (word && needs->digits) hex_ = false;
    const bool once = times == Times::kOnce || times == Times::kSome || times == Times::kCounted;
    needs->bounded = !word && (once || needs->bounded);
    needs->digits = needs->digits && !once;
  }

  // (?P<host>…) (?:…)
  Needs Group(Needs before, int depth) {
    ++at_;
    if (depth >= kMostNested) Fail();
    if (Take("?P<")) {
      at_ = std::min(text_.find('>', at_), text_.size() - 1) + 1;
    } else if (!Take("?:") && More() && text_[at_] == '?') {
      Fail();  // flags
    }
    const size_t begin = at_;
    Needs after = Alternatives(before, depth + 1);
    if (!More() || !Take(")")) {
      Fail();
      return after;
    }
    const size_t end = at_;
    const Times times = HowOften();
    if (times == Times::kOnce) return after;
    const size_t behind = at_;
    if (times != Times::kPerhaps) {  // once more behind itself
      at_ = begin;
      Needs again = before;
      again.Or(after);
      after.Or(Alternatives(again, depth + 1));
      if (at_ + 1 != end) {
        Fail();
        return after;
      }
      at_ = behind;
    }
    if (times != Times::kSome && times != Times::kCounted) after.Or(before);
    return after;
  }

  std::optional<Bytes> Class() { return ReadRegexClass(text_, &at_); }

  std::optional<Bytes> Any() {
    ++at_;
    return Bytes().set();
  }

  // A byte, or what is written with a backslash.
  std::optional<Bytes> One() { return ReadRegexByte(text_, &at_); }

  Times HowOften() {
    if (!More()) return Times::kOnce;
    Times times = Times::kOnce;
    const char c = text_[at_];
    if (c == '*' || c == '?' || c == '+') {
      times = c == '*' ? Times::kAny : c == '+' ? Times::kSome : Times::kPerhaps;
      ++at_;
    } else if (c == '{') {
      const size_t end = text_.find_first_not_of("0123456789,", at_ + 1);
      if (end == std::string_view::npos || text_[end] != '}' || end == at_ + 1) {
        Fail();
        return times;
      }
      times = text_[at_ + 1] == '0' ? Times::kCountedPerhaps : Times::kCounted;
      at_ = end + 1;
    } else {
      return times;
    }
    Take("?");  // the shortest one
    if (More() && std::string_view("*+?{").find(text_[at_]) != std::string_view::npos) Fail();
    return times;
  }

  std::string_view text_;
  size_t at_ = 0;
  bool decimals_ = true, hex_ = true;
};

// One part of a regex, without how often it may come: where it ends.
size_t EndOfPart(std::string_view regex, size_t at) {
  const size_t size = regex.size();
  if (regex[at] == '\\') return std::min(at + 2, size);
  if (regex[at] == '[') {
    at += regex.substr(at + 1).starts_with("^") ? 2 : 1;
    // A bracket that stands first is one of the class, and so is one behind a backslash: []a], [\]a]
    for (const size_t first = at; at < size && (at == first || regex[at] != ']'); ++at) {
      at += regex[at] == '\\' ? 1 : 0;
    }
  } else if (regex[at] == '(') {
    for (++at; at < size && regex[at] != ')';) at = EndOfPart(regex, at);
  }
  return std::min(at + 1, size);
}

// Whether a regex matches does not hang on what may as well be missing at its end: where it is only asked that, its
// captures there are for nothing.
//   with status=12\b,?(?:.*vendor err (?P<vendor_err>\d+))?   →   with status=12\b
std::string_view WithoutOptionalEnd(std::string_view regex) {
  size_t needed = 0;
  for (size_t at = 0; at < regex.size();) {
    const bool or_else = regex[at] == '|';
    at = EndOfPart(regex, at);
    const bool perhaps = at < regex.size() && (regex[at] == '?' || regex[at] == '*');
    if (perhaps) at += regex.substr(at + 1).starts_with("?") ? 2 : 1;
    if (!perhaps || or_else) needed = at;
  }
  return regex.substr(0, needed);
}

// Calls visit(begin, end) for every word of `text`.
template <typename Visit>
void ForEachWord(std::string_view text, Visit visit) {
  for (size_t at = 0; at < text.size(); ++at) {
    const size_t begin = at;
    while (at < text.size() && IsWordChar(text[at])) ++at;
    if (at > begin) visit(begin, at);
  }
}

}  // namespace

NumbersAlike NumbersAlikeOf(std::string_view regex) { return NumberReader(WithoutOptionalEnd(regex)).Answer(); }

NumbersAlike LiteralAlike(std::string_view literal) {
  NumbersAlike alike = NumbersAlike::kAll;
  ForEachWord(literal, [&](size_t begin, size_t end) {
    const std::string_view word = literal.substr(begin, end - begin);
    if (MayBeNumber(word)) alike = std::min(alike, MayBeDecimal(word) ? NumbersAlike::kNo : NumbersAlike::kDecimals);
  });
  return alike;
}

size_t FirstNumberOf(std::string_view literal) {
  size_t first = literal.size();
  ForEachWord(literal, [&](size_t begin, size_t end) {
    if (MayBeNumber(literal.substr(begin, end - begin))) first = std::min(first, begin);
  });
  return first;
}

std::string_view PieceWithoutNumber(std::string_view literal) {
  std::string_view best;
  size_t from = 0;
  const auto piece = [&](size_t end) {
    if (end - from > best.size()) best = literal.substr(from, end - from);
  };
  ForEachWord(literal, [&](size_t begin, size_t end) {
    if (!MayBeNumber(literal.substr(begin, end - begin))) return;
    piece(begin);
    from = end;
  });
  piece(literal.size());
  return best;
}

}  // namespace ncclwhy
