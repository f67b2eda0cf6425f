#include "kb/loader/format_code.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace ncclwhy {
namespace {

using namespace format_code;

// ---------------------------------------------------------------------------------------------------- compiling

class Compiler {
 public:
  CompiledFormat Compile(std::string_view format, bool any_prefix) {
    format = TrimMessage(format);
    // A second line would carry no header of its own, so no line of a log holds both.
    format = TrimMessage(format.substr(0, format.find('\n')));
    // A text that is put together at run time: nothing in it could be told.
    if (format.substr(0, 9) == "{dynamic:") return {};
    if (any_prefix) AddConversion(kAny);
    while (!format.empty()) {
      if (format[0] == '%') {
        format.remove_prefix(Conversion(format));
      } else if (const size_t n = BuildNumber(format); n != 0) {
        AddConversion(kAny);
        format.remove_prefix(n);
      } else {
        literal_ += format[0];
        format.remove_prefix(1);
      }
    }
    FlushLiteral();
    // "%s%s" and the like fit everything.
    if (out_.literals == 0) return {};
    out_.code += static_cast<char>(kEnd);
    return std::move(out_);
  }

 private:
  // %[flags][width][.precision][length]conversion
  size_t Conversion(std::string_view format) {
    size_t i = 1;
    while (i < format.size() && std::strchr("-+ #0123456789.*hlLqjzt", format[i]) != nullptr) ++i;
    if (i == format.size()) {  // a lone % at the end
      literal_ += format;
      return format.size();
    }
    switch (format[i]) {
      // The letters of flags, width, precision and length; what stands behind them is the conversion.
      case '%':
        literal_ += '%';
        break;
      case 'd':
      case 'i':
      case 'u':
      case 'o':
        AddConversion(kInteger);
        break;
      case 'x':
      case 'X':
        AddConversion(kHex);
        break;
      case 'p':
        AddConversion(kPointer);
        break;
      case 'c':
        AddConversion(kChar);
        break;
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'e':
      case 'E':
      case 'a':
      case 'A':
        AddConversion(kFloat);
        break;
      default:
        AddConversion(kAny);
        break;  // %s, %m
    }
    return i + 1;
  }

  // {NCCL_MAJOR}: a number that the build put into the literal. `events={%d,%d}` and `{Lo..Hi}` are plain text.
  static size_t BuildNumber(std::string_view format) {
    if (format[0] != '{') return 0;
    size_t i = 1;
    while (i < format.size() && (format[i] == '_' || IsDigit(format[i]) || (format[i] >= 'A' && format[i] <= 'Z'))) ++i;
    // At least three characters: {A} and {OK} are words.
    return i >= 5 && i < format.size() && format[i] == '}' ? i + 1 : 0;
  }

  void AddConversion(Op op) {
    FlushLiteral();
    if (op == kInteger || op == kHex || op == kPointer || op == kFloat) ++out_.typed;
    // "%s%s" is one text, "%x%x" one number: what stands where cannot be told.
    if (!out_.code.empty() && last_is_conversion_) {
      const auto last = static_cast<Op>(out_.code.back());
      if (last == op) return;
      if ((last == kInteger && op == kHex) || (last == kHex && op == kInteger)) {
        // "%d%x": digits of both kinds in a row, of which the wider one takes all.
        out_.code.back() = static_cast<char>(kHex);
        return;
      }
    }
    out_.code += static_cast<char>(op);
    last_is_conversion_ = true;
  }

  void FlushLiteral() {
    for (size_t at = 0; at < literal_.size();) {
      // 16 bits of length; a longer text becomes two pieces, which match one behind the other.
      const size_t n = std::min<size_t>(literal_.size() - at, 0xFFFF);
      out_.code += static_cast<char>(kLiteral);
      out_.code += static_cast<char>(n & 0xFF);
      out_.code += static_cast<char>(n >> 8);
      out_.code.append(literal_, at, n);
      at += n;
      last_is_conversion_ = false;
    }
    out_.literals += static_cast<uint32_t>(literal_.size());
    out_.letters += static_cast<uint32_t>(std::count_if(literal_.begin(), literal_.end(), IsAlnum));
    literal_.clear();
  }

  CompiledFormat out_;
  std::string literal_;
  bool last_is_conversion_ = false;
};

// ----------------------------------------------------------------------------------------------------- matching

// Where the longest text of a conversion that starts at `p` ends; `p` itself when there is none.
const char* ScanInteger(const char* p, const char* end) {
  const char* q = p;
  // A width pads with blanks in front.
  while (q < end && *q == ' ') ++q;
  if (q < end && (*q == '-' || *q == '+')) ++q;
  const char* digits = q;
  while (q < end && IsDigit(*q)) ++q;
  return q == digits ? p : q;
}

// `0x7f32`, `7f32`, with blanks in front as a width pads them.
const char* ScanHex(const char* p, const char* end) {
  const char* q = p;
  while (q < end && *q == ' ') ++q;
  if (end - q > 2 && q[0] == '0' && (q[1] == 'x' || q[1] == 'X') && IsHexDigit(q[2])) q += 2;
  const char* digits = q;
  while (q < end && IsHexDigit(*q)) ++q;
  return q == digits ? p : q;
}

// What glibc prints of a null pointer, else as %x.
const char* ScanPointer(const char* p, const char* end) {
  if (end - p >= 5 && std::memcmp(p, "(nil)", 5) == 0) return p + 5;
  return ScanHex(p, end);
}

// `nan` and `inf`, too; an exponent only behind a digit.
const char* ScanFloat(const char* p, const char* end) {
  const char* q = p;
  while (q < end && *q == ' ') ++q;
  if (q < end && (*q == '-' || *q == '+')) ++q;
  if (end - q >= 3 && (std::memcmp(q, "nan", 3) == 0 || std::memcmp(q, "inf", 3) == 0)) return q + 3;
  const char* digits = q;
  while (q < end &&
         (IsDigit(*q) || *q == '.' || (q > digits && (*q == 'e' || ((*q == '+' || *q == '-') && q[-1] == 'e'))))) {
    ++q;
  }
  return q == digits ? p : q;
}

const char* Scan(uint8_t op, const char* p, const char* end) {
  switch (op) {
    case kInteger:
      return ScanInteger(p, end);
    case kHex:
      return ScanHex(p, end);
    case kPointer:
      return ScanPointer(p, end);
    case kChar:
      return p < end ? p + 1 : p;
    default:
      return ScanFloat(p, end);
  }
}

// A machine for one text: the program is at `op`, the text at `p`. Where it may go on in several ways only one is
// tried, the first, but for numbers that took too much: so its time is bounded by the lengths and a budget of steps.
class Matcher {
 public:
  Matcher(std::string_view text, bool clipped) : end_(text.data() + text.size()), clipped_(clipped) {}

  // A glob match: between two ANYs a run of literals and numbers is matched at its first possible place; only the run
  // behind the last ANY has to reach the end of the text.
  int Match(const char* op, const char* p) {
    int literals = 0;
    Outcome outcome = Run(op, p, literals);
    while (outcome == Outcome::kAny) {
      if (*op == kEnd) return literals;
      outcome = Find(op, p, literals);
    }
    return outcome == Outcome::kMatch ? literals : -1;
  }

 private:
  enum class Outcome { kFail, kAny, kMatch };

  // Matches at `p` up to the next ANY (then `op` stands behind it) or to the end of the program.
  Outcome Run(const char*& op, const char*& p, int& literals) {
    while (true) {
      if (--budget_ < 0) return Outcome::kFail;
      switch (*op) {
        case kEnd:
          return p == end_ ? Outcome::kMatch : Outcome::kFail;
        case kAny:
          ++op;
          return Outcome::kAny;
        case kLiteral: {
          const std::string_view piece = LiteralAt(op);
          const auto left = static_cast<size_t>(end_ - p);
          if (left < piece.size()) {
            // A clipped text may end within a piece. A whole one only where blanks are missing that were taken off its
            // end.
            const bool may_end = clipped_ || OnlyBlanksFollow(piece.substr(left), piece.data() + piece.size());
            if (!may_end || std::memcmp(p, piece.data(), left) != 0) return Outcome::kFail;
            literals += static_cast<int>(left);
            return Outcome::kMatch;
          }
          if (std::memcmp(p, piece.data(), piece.size()) != 0) return Outcome::kFail;
          literals += static_cast<int>(piece.size());
          p += piece.size();
          op = piece.data() + piece.size();
          break;
        }
        default: {
          const char* q = Scan(static_cast<uint8_t>(*op), p, end_);
          const auto kind = static_cast<uint8_t>(*op);
          // A %c that printed a newline ended the line.
          if (q == p) return p == end_ && (clipped_ || kind == kChar) ? Outcome::kMatch : Outcome::kFail;
          ++op;
          // "%x" before a literal that begins like a hexadecimal digit took too much: give back.
          if (*op == kLiteral && IsHexDigit(op[3]) && kind != kChar) {
            // From the longest to the shortest: `comm 0xabc` before " busId" has letters that are hexadecimal digits.
            for (; q > p; --q) {
              const char* next_op = op;
              const char* next_p = q;
              int next_literals = literals;
              const Outcome outcome = Run(next_op, next_p, next_literals);
              if (outcome == Outcome::kFail) continue;
              op = next_op, p = next_p, literals = next_literals;
              return outcome;
            }
            return Outcome::kFail;
          }
          p = q;
        }
      }
    }
  }

  // "closed by remote peer %s" with an empty name: the blank before it was taken off with the end of the line.
  static bool OnlyBlanksFollow(std::string_view rest, const char* op) {
    while (*op == kAny) ++op;
    return *op == kEnd && rest.find_first_not_of(' ') == std::string_view::npos;
  }

  // The first place at or behind `p` where the run at `op` matches.
  Outcome Find(const char*& op, const char*& p, int& literals) {
    for (const char* start = p; start <= end_; ++start) {
      if (*op == kLiteral) {
        const std::string_view piece = LiteralAt(op);
        const std::string_view rest(start, static_cast<size_t>(end_ - start));
        const size_t at = rest.find(piece);
        if (at == std::string_view::npos) {
          // Nothing more is asked of a text that was cut: what is behind the cut could be anything.
          if (clipped_) return Outcome::kMatch;  // the rest is text of the ANY
          const std::string_view visible = piece.substr(0, piece.find_last_not_of(' ') + 1);
          const bool at_end =
              !visible.empty() && rest.size() >= visible.size() && rest.substr(rest.size() - visible.size()) == visible;
          if (!at_end || !OnlyBlanksFollow(piece.substr(visible.size()), piece.data() + piece.size()))
            return Outcome::kFail;
          literals += static_cast<int>(visible.size());
          return Outcome::kMatch;
        }
        // Straight to the next place of the literal; without one every place is tried.
        start += at;
      }
      const char* next_op = op;
      const char* next_p = start;
      int next_literals = literals;
      const Outcome outcome = Run(next_op, next_p, next_literals);
      if (outcome != Outcome::kFail) {
        op = next_op, p = next_p, literals = next_literals;
        return outcome;
      }
      if (budget_ < 0) break;
    }
    // A text that was cut may have ended before the run.
    return clipped_ && budget_ >= 0 ? Outcome::kMatch : Outcome::kFail;
  }

  const char* end_;
  bool clipped_;
  int budget_ = 20'000;  // steps; only hostile text comes near it
};

}  // namespace

// A Compiler has one format in it; its state is what was not flushed yet.
CompiledFormat CompileFormat(std::string_view format, bool any_prefix) {
  return Compiler().Compile(format, any_prefix);
}

int MatchFormat(std::string_view code, std::string_view text, bool clipped) {
  if (code.empty()) return -1;
  return Matcher(text, clipped).Match(code.data(), text.data());
}

std::string_view TrimMessage(std::string_view text) {
  const auto blank = [](char c) { return static_cast<uint8_t>(c) <= ' ' || c == 0x7F; };
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  return text;
}

}  // namespace ncclwhy
