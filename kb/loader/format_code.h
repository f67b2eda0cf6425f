// FormatCode: a printf format as a small program that says whether a line was printed with it.
//
//   "Call to %s failed : %s"  →  LIT "Call to " ANY LIT " failed : " ANY END
//
// The program is a string of bytes, so that thousands of formats can be embedded without start-up work. Matching
// allocates nothing and takes bounded time whatever the text is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ncclwhy {

struct CompiledFormat {
  std::string code;       // empty: the format cannot be recognised (a bare "%s")
  uint32_t literals = 0;  // bytes of literal text
  uint32_t letters = 0;   // letters and digits among them
  uint32_t typed = 0;     // conversions that accept only numbers
};

// `format` as in the catalogue: printf conversions, build-time numbers as {NAME}. Blanks and newlines at both ends are
// ignored; of a format with several lines only the first is compiled, since only that one carries a header.
// `any_prefix`: text of unknown content may stand in front (assert() puts program and file there).
CompiledFormat CompileFormat(std::string_view format, bool any_prefix = false);

// How many literal bytes of the program `text` matches; -1 when it does not match. The number tells a format that says
// much from one that says little: "%s failed" fits what "Call to %s failed" fits. `text` has no blanks at its ends.
// With `clipped` the text may end anywhere inside the format. Gives up behind 20,000 steps, with -1.
int MatchFormat(std::string_view code, std::string_view text, bool clipped);

// Calls visit(piece) for every literal piece of the program, in order.
template <typename Visitor>
void ForEachLiteral(std::string_view code, Visitor visit);

// The blanks, newlines and control bytes at both ends, which differ between versions, taken off. A view of `text`.
std::string_view TrimMessage(std::string_view text);

namespace format_code {
enum Op : uint8_t {
  kEnd,
  kLiteral,  // two bytes of length (low byte first), then the text
  kAny,      // %s
  kInteger,  // %d %u %ld %zu …, padded
  kHex,      // %x %lx %#x
  kPointer,  // %p
  kChar,     // %c
  kFloat,    // %f %g
};
// `op` points at a kLiteral. The view is one of the program.
inline std::string_view LiteralAt(const char* op) {
  const auto size = static_cast<size_t>(static_cast<uint8_t>(op[1])) | static_cast<size_t>(static_cast<uint8_t>(op[2]))
                                                                           << 8;
  return {op + 3, size};
}
}  // namespace format_code

template <typename Visitor>
void ForEachLiteral(std::string_view code, Visitor visit) {
  for (const char* op = code.data(); op < code.data() + code.size() && *op != format_code::kEnd;) {
    if (*op != format_code::kLiteral) {
      ++op;
      continue;
    }
    const std::string_view piece = format_code::LiteralAt(op);
    visit(piece);
    op = piece.data() + piece.size();
  }
}

}  // namespace ncclwhy
