// LineReader: chunks of any size in, pieces of lines out.
//
// A line ends at \n or \r\n. A lone \r (progress bars) ends a piece, not the line: `10%\r20%\rerror…\n` are three
// pieces of one line. Pieces are views into the pushed chunk where that is possible, else into a bounded buffer; valid
// only inside the callback. A piece longer than limits::kLineBytes is clipped, its rest skipped. NUL bytes are dropped,
// a byte order mark is skipped, UTF-16 (with or without mark) is converted. Nothing depends on where chunks end.
//
// Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "parser/line_breaks.h"

namespace ncclwhy {

struct LinePiece {
  std::string_view text;
  uint64_t offset = 0;   // of the line's first byte in the source
  uint32_t number = 0;   // 1-based
  bool first = true;     // of its line
  bool last = true;      // of its line
  bool clipped = false;  // the rest was skipped
  bool had_nul = false;
  bool ascii = false;      // certainly ASCII; false says nothing
  bool printable = false;  // certainly without bytes below the blank; false says nothing
  bool terminated = true;  // false: the source ended without a newline
};

// Sees each piece as soon as its end is known, in order. `piece.text` is valid until OnPiece returns.
class PieceSink {
 public:
  virtual ~PieceSink() = default;
  virtual void OnPiece(const LinePiece& piece) = 0;
};

class FastPath;

class LineReader {
 public:
  // Both are borrowed. The lines that `fast`, which may be null, takes are not told.
  explicit LineReader(PieceSink* sink, FastPath* fast = nullptr) : sink_(sink), fast_(fast) {}
  // For bytes that stand at `offset` in a source that is not UTF-16, where a line begins. Lines count from 1 again.
  LineReader(PieceSink* sink, uint64_t offset, FastPath* fast = nullptr)
      : sink_(sink), fast_(fast), encoding_(Encoding::kBytes), at_(offset) {}
  // Any number of times, with any number of bytes, none included.
  void Push(std::string_view chunk);
  // Tells the last line, when it has no end. Once; nothing is pushed any more.
  void Finish();

  // Pushed to this reader.
  uint64_t bytes() const { return bytes_; }
  bool utf16() const { return encoding_ == Encoding::kUtf16Le || encoding_ == Encoding::kUtf16Be; }

 private:
  // Blocks that are looked at before their lines are told: their bytes are still in the first cache then.
  static constexpr size_t kWindow = 128;
  // The same behind lines that the fast path took: most likely it takes those behind the next line, too.
  static constexpr size_t kWindowOfOne = 2;
  // So many lines that it does not take, one behind the other, and it is asked less often.
  static constexpr size_t kPatience = 8;
  enum class Encoding { kUnknown, kBytes, kUtf16Le, kUtf16Be };

  // Decides how the text is encoded from the first 64 bytes, or from all where there are fewer.
  void Sniff(bool at_end);
  // Text that is not UTF-16. Lines that are whole within the chunk are told as views into it; the others go through
  // PushSlow.
  void PushBytes(std::string_view chunk);
  // See .cc: the lines that end in the first blocks in which any does.
  const char* PushLines(const char* begin, const char* end, size_t window);
  // A line that ends in the chunk and began in it.
  void PushLine(std::string_view line, bool ascii, bool printable);
  void PushSlow(std::string_view bytes);
  // Unit by unit, into carry_, without a converted copy. Slow, and rare enough (PowerShell's `>`).
  void PushUtf16(std::string_view chunk);
  // A character of UTF-16 as UTF-8, or what it means for the line.
  void AppendCodePoint(uint32_t code);
  // To carry_, at most limits::kLineBytes of it.
  void Append(std::string_view bytes);
  // Tells what is in carry_; with `last` the line is over.
  void EndPiece(bool last, bool terminated);
  void Emit(std::string_view text, bool last, bool terminated);

  // Invariant between calls: a line has begun exactly if open_; the bytes of its latest piece are in carry_, and
  // pending_cr_ says that a \r came whose meaning the next byte tells.
  PieceSink* sink_;
  FastPath* fast_;
  Encoding encoding_ = Encoding::kUnknown;
  std::string head_;    // first bytes, until the encoding is known
  uint64_t bytes_ = 0;  // pushed so far
  uint64_t at_ = 0;     // offset in the source of the next byte to scan
  uint64_t line_start_ = 0;
  uint32_t number_ = 1;
  bool first_piece_ = true;
  std::array<BreakBlock, kWindow> blocks_;
  std::string carry_;  // beginning of a piece whose end is not here yet
  bool open_ = false;  // the current line has begun (bytes or pieces were seen)
  bool clipped_ = false;
  bool pending_cr_ = false;  // \r seen, its successor not yet
  std::string scratch_;      // piece without its NUL bytes
  int low_byte_ = -1;        // first half of a UTF-16 unit
  uint32_t high_surrogate_ = 0;
};

}  // namespace ncclwhy
