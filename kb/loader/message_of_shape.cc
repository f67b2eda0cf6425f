#include "kb/loader/message_of_shape.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstring>

#include "kb/loader/format_code.h"
#include "parser/skeleton.h"

namespace ncclwhy {
namespace {

using namespace format_code;
using skeleton::IsNumber;
using skeleton::MayHold;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHexDigit(char c) { return MayHold(skeleton::kHex, c); }

// Matcher of format_code.cc, step by step, over a shape. Where a step depends on a digit, or may, it gives up: so the
// answer, if there is one, is that for every text of the shape.
class ShapeMatcher {
 public:
  explicit ShapeMatcher(std::string_view shape) : end_(shape.data() + shape.size()) {}

  // Match, Run, Find and Scan answer to those of format_code.cc step by step: who changes one changes the other.
  int Match(const char* op, const char* p) {
    int literals = 0;
    Outcome outcome = Run(op, p, literals);
    while (outcome == Outcome::kAny) {
      if (*op == kEnd) return literals;
      outcome = Find(op, p, literals);
    }
    if (outcome == Outcome::kDepends) return kSomeMatch;
    return outcome == Outcome::kMatch ? literals : kNoneMatches;
  }

 private:
  enum class Outcome { kFail, kAny, kMatch, kDepends };
  enum class Compared { kDiffers, kSame, kTextEnds, kDepends };

  // `piece` with the text at `p`, which is moved behind what is the same.
  Compared Compare(std::string_view piece, const char*& p) const {
    for (size_t i = 0; i < piece.size(); ++i, ++p) {
      if (p == end_) return Compared::kTextEnds;
      // A number may be any number of digits: a piece that could go on with digits decides nothing.
      if (IsNumber(*p)) return MayHoldAll(piece.substr(i), p) ? Compared::kDepends : Compared::kDiffers;
      if (*p != piece[i]) return Compared::kDiffers;
    }
    return Compared::kSame;
  }

  // Whether `piece` may begin with the number at `p`, or within it. What stands behind the number is no part of one:
  //   `opCount H sendbuff`   " Co": no    " C send": yes
  bool MayHoldAll(std::string_view piece, const char* p) const {
    const auto in = static_cast<size_t>(
        std::find_if(piece.begin(), piece.end(), [&](char c) { return !MayHold(*p, c); }) - piece.begin());
    if (in == 0) return false;
    return in == piece.size() || p + 1 == end_ || IsNumber(p[1]) || p[1] == piece[in];
  }

  Outcome Run(const char*& op, const char*& p, int& literals) {
    while (true) {
      if (--budget_ < 0) return Outcome::kDepends;
      switch (*op) {
        case kEnd:
          return p == end_ ? Outcome::kMatch : Outcome::kFail;
        case kAny:
          ++op;
          return Outcome::kAny;
        case kLiteral: {
          const std::string_view piece = LiteralAt(op);
          const char* const begin = p;
          switch (Compare(piece, p)) {
            // What depends ends the search at once: another digit might have taken another way.
            case Compared::kDepends:
              return Outcome::kDepends;
            case Compared::kDiffers:
              return Outcome::kFail;
            case Compared::kTextEnds: {
              const auto left = static_cast<size_t>(end_ - begin);
              if (!OnlyBlanksFollow(piece.substr(left), piece.data() + piece.size())) return Outcome::kFail;
              literals += static_cast<int>(left);
              return Outcome::kMatch;
            }
            case Compared::kSame:
              break;
          }
          literals += static_cast<int>(piece.size());
          op = piece.data() + piece.size();
          break;
        }
        default: {
          const auto kind = static_cast<uint8_t>(*op);
          const char* const q = Scan(kind, p);
          // Null is no answer for all texts of the shape.
          if (q == nullptr) return kind == kInteger ? Hexadecimal(op, p, literals) : Outcome::kDepends;
          if (q == p) return p == end_ && kind == kChar ? Outcome::kMatch : Outcome::kFail;
          ++op;
          // What was taken may have to be given back, digit by digit.
          // It would depend on how many digits the number has.
          if (*op == kLiteral && IsHexDigit(op[3]) && kind != kChar) return Outcome::kDepends;
          p = q;
        }
      }
    }
  }

  // An integer where a hexadecimal number stands: some have no letters, and the rest may fail for those, too. Of the
  // others it fails unless a piece goes on with a letter of theirs.
  Outcome Hexadecimal(const char* op, const char* p, int literals) {
    p = SkipSign(SkipBlanks(p));
    while (p < end_ && (IsDigit(*p) || IsNumber(*p))) ++p;
    if (*++op != kLiteral || IsHexDigit(op[3])) return Outcome::kDepends;
    return Run(op, p, literals) == Outcome::kFail ? Outcome::kFail : Outcome::kDepends;
  }

  static bool OnlyBlanksFollow(std::string_view rest, const char* op) {
    while (*op == kAny) ++op;
    return *op == kEnd && rest.find_first_not_of(' ') == std::string_view::npos;
  }

  // A number is one place: a run that begins inside it matches what one that begins with it does.
  Outcome Find(const char*& op, const char*& p, int& literals) {
    const std::string_view piece = *op == kLiteral ? LiteralAt(op) : std::string_view{};
    for (const char* start = p; start <= end_; ++start) {
      const int before = budget_;
      const char* next_op = op;
      const char* next_p = start;
      int next_literals = literals;
      Outcome outcome = Outcome::kFail;
      if (piece.empty()) {
        outcome = Run(next_op, next_p, next_literals);
      } else {
        // One that the text ends within is looked for below.
        const char* q = start;
        const Compared compared = Compare(piece, q);
        if (compared == Compared::kDepends) outcome = Outcome::kDepends;
        if (compared == Compared::kSame) outcome = Run(next_op, next_p, next_literals);
      }
      if (outcome != Outcome::kFail) {
        op = next_op, p = next_p, literals = next_literals;
        return outcome;
      }
      // It has up to so many places all the same.
      // A number has up to sixteen places in a text: the budget is spent as there.
      if (start < end_ && IsNumber(*start)) budget_ -= (before - budget_) * static_cast<int>(skeleton::kMostHexDigits);
      if (budget_ < 0) return Outcome::kDepends;
    }
    return piece.empty() ? Outcome::kFail : FindAtEnd(piece, p, literals);
  }

  // `piece` without its blanks at the end of the text.
  // As in format_code.cc: blanks of a format that a trimmed text has lost.
  Outcome FindAtEnd(std::string_view piece, const char* p, int& literals) const {
    const std::string_view visible = piece.substr(0, piece.find_last_not_of(' ') + 1);
    if (visible.empty()) return Outcome::kFail;
    for (const char* start = p; start < end_; ++start) {
      const char* q = start;
      const Compared compared = Compare(visible, q);
      if (compared == Compared::kDepends) return Outcome::kDepends;
      if (compared != Compared::kSame || q != end_) continue;
      if (!OnlyBlanksFollow(piece.substr(visible.size()), piece.data() + piece.size())) return Outcome::kFail;
      literals += static_cast<int>(visible.size());
      return Outcome::kMatch;
    }
    return Outcome::kFail;
  }

  // Where the conversion ends, `p` where there is none; null: it depends.
  const char* Scan(uint8_t op, const char* p) const {
    switch (op) {
      case kInteger:
        return ScanInteger(p);
      case kHex:
        return ScanHex(p);
      case kPointer:
        return end_ - p >= 5 && std::memcmp(p, "(nil)", 5) == 0 ? p + 5 : ScanHex(p);
      case kChar:
        return p < end_ && IsNumber(*p) ? nullptr : std::min(p + 1, end_);
      default:
        return ScanFloat(p);
    }
  }

  const char* SkipBlanks(const char* p) const {
    while (p < end_ && *p == ' ') ++p;
    return p;
  }
  const char* SkipSign(const char* p) const { return p < end_ && (*p == '-' || *p == '+') ? p + 1 : p; }

  const char* ScanInteger(const char* p) const {
    const char* q = SkipSign(SkipBlanks(p));
    const char* const digits = q;
    while (q < end_ && (IsDigit(*q) || *q == skeleton::kDecimal)) ++q;
    // A number with letters is an integer in some texts of the shape and none in others.
    if (q < end_ && *q == skeleton::kHex) return nullptr;
    return q == digits ? p : q;
  }

  // No letter stands behind a number, so none is the 0 of an 0x.
  const char* ScanHex(const char* p) const {
    const auto is_hex = [&](const char* at) { return at < end_ && (IsHexDigit(*at) || IsNumber(*at)); };
    const char* q = SkipBlanks(p);
    if (end_ - q > 2 && q[0] == '0' && (q[1] == 'x' || q[1] == 'X') && is_hex(q + 2)) q += 2;
    const char* const digits = q;
    while (is_hex(q)) ++q;
    return q == digits ? p : q;
  }

  const char* ScanFloat(const char* p) const {
    const char* q = SkipSign(SkipBlanks(p));
    if (end_ - q >= 3 && (std::memcmp(q, "nan", 3) == 0 || std::memcmp(q, "inf", 3) == 0)) return q + 3;
    const char* const digits = q;
    for (; q < end_; ++q) {
      // Letters of a hexadecimal number could be an exponent.
      if (*q == skeleton::kHex) return nullptr;
      const bool exponent = q > digits && (*q == 'e' || ((*q == '+' || *q == '-') && q[-1] == 'e'));
      if (!IsDigit(*q) && *q != skeleton::kDecimal && *q != '.' && !exponent) break;
    }
    return q == digits ? p : q;
  }

  const char* end_;
  int budget_ = 20'000;  // that of format_code.cc
};

std::string_view TrimShape(std::string_view shape) {
  while (!shape.empty() && shape.back() == ' ') shape.remove_suffix(1);
  while (!shape.empty() && shape.front() == ' ') shape.remove_prefix(1);
  return shape;
}

// How good a match is, by the order of FindMessage.
struct Rank {
  int fit = 0;
  int literals = -1;
  int message = -1;
  bool Beats(const Rank& other) const {
    if (fit != other.fit) return fit > other.fit;
    if (literals != other.literals) return literals > other.literals;
    return other.message < 0 || message < other.message;
  }
};

// Which four bytes in a row a shape has, as far as no number has to do with it. Most formats have others.
// What a format asks for and a shape has not ends the question, as the gram index does for one text.
class FourBytes {
 public:
  explicit FourBytes(std::string_view shape) : hex_(shape.find(skeleton::kHex) != std::string_view::npos) {
    for (size_t at = 0; at + 4 <= shape.size(); ++at) there_.set(SlotOf(shape.data() + at));
  }
  // Whether texts of the shape may have all that a format has to have.
  bool MayMatch(std::string_view code) const {
    // What is behind a %c may be missing.
    for (const char* op = code.data(); *op != kEnd && *op != kChar;) {  // as a newline, %c ends the text
      if (*op != kLiteral) {
        ++op;
        continue;
      }
      const std::string_view piece = LiteralAt(op);
      for (size_t at = 0; at + 4 <= piece.size(); ++at) {
        const auto is_plain = [&](char c) { return c != ' ' && !(hex_ ? IsHexDigit(c) : IsDigit(c)); };
        // Bytes that a number could hold, or a blank at an end, prove nothing.
        if (!std::all_of(piece.begin() + at, piece.begin() + at + 4, is_plain)) continue;
        if (!there_.test(SlotOf(piece.data() + at))) return false;
        break;
      }
      op = piece.data() + piece.size();
    }
    return true;
  }

 private:
  static size_t SlotOf(const char* p) {
    uint32_t four = 0;
    std::memcpy(&four, p, sizeof four);
    return (four * 2654435761u) >> 20;
  }
  const bool hex_;
  std::bitset<4096> there_;
};

}  // namespace

int MatchFormatOfShape(std::string_view code, std::string_view shape) {
  if (code.empty()) return kNoneMatches;
  return ShapeMatcher(shape).Match(code.data(), shape.data());
}

int FindMessageOfShape(const MessageTables& tables, LogLevel level, std::string_view shape) {
  const std::string_view text = TrimShape(shape);
  if (tables.slots.empty() || text.empty()) return -1;
  // Bytes that are no ASCII are cut and trimmed in ways that a shape does not know.
  const auto is_plain = [](char c) { return IsNumber(c) || (c >= ' ' && c <= '~'); };
  if (!std::all_of(text.begin(), text.end(), is_plain)) return kMessageDepends;
  std::array<int, kMessageLevelNames.size()> fits{};
  for (size_t i = 0; i < fits.size(); ++i) fits[i] = LevelFit(level, static_cast<MessageLevel>(i));
  const FourBytes four_bytes(text);
  Rank sure;
  Rank perhaps;
  for (size_t i = 0; i < tables.patterns.size(); ++i) {
    const MessagePattern& p = tables.patterns[i];
    const int fit = fits[static_cast<size_t>(p.level)];
    if (fit == 0 || p.code_size == 0) continue;
    const std::string_view code = tables.code.substr(p.code, p.code_size);
    // A format whose first byte differs cannot match, unless the shape begins with a number.
    if (code[0] == kLiteral && code[3] != text[0] && !IsNumber(text[0])) continue;  // most of them
    if (!four_bytes.MayMatch(code)) continue;
    const int literals = MatchFormatOfShape(code, text);
    if (literals == kNoneMatches) continue;
    Rank rank{fit, literals, p.message};
    if (literals >= 1) {  // FindMessage tries every format that matches
      if (rank.Beats(sure)) sure = rank;
      continue;
    }
    // Of what may match the best that it could be: with all of its literals.
    rank.literals = 0;
    ForEachLiteral(code, [&](std::string_view piece) { rank.literals += static_cast<int>(piece.size()); });
    if (rank.Beats(perhaps)) perhaps = rank;
  }
  // A format that matches some texts of the shape and would win there decides by the digits.
  if (perhaps.message >= 0 && perhaps.Beats(sure)) return kMessageDepends;
  // What begins with a blank is looked for once more, with it.
  return sure.message < 0 && text.size() < shape.size() ? kMessageDepends : sure.message;
}

}  // namespace ncclwhy
