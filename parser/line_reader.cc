#include "parser/line_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/limits.h"
#include "base/swar.h"
#include "parser/fast/fast_path.h"

namespace ncclwhy {
namespace {

// A line of PowerShell is long enough for that, and a shorter source is decided when it ends.
// Bytes looked at to tell UTF-16 from bytes when there is no mark.
constexpr size_t kSniffBytes = 64;

// How many bytes stand in front of the first \r or \n.
size_t BeforeBreak(std::string_view bytes) {
  const auto zeros = [](uint64_t word) { return (word - swar::kOnes) & ~word & swar::kHighs; };
  size_t run = 0;
  for (; run + sizeof(uint64_t) <= bytes.size(); run += sizeof(uint64_t)) {
    const uint64_t word = swar::Load(bytes.data() + run);
    const uint64_t breaks = zeros(word ^ swar::kOnes * '\r') | zeros(word ^ swar::kOnes * '\n');
    if (breaks != 0) return run + swar::Before(breaks);
  }
  while (run < bytes.size() && bytes[run] != '\r' && bytes[run] != '\n') ++run;
  return run;
}

}  // namespace

// Nothing is told before 64 bytes are there, or all: a mark or every second byte tells how they are encoded.
void LineReader::Push(std::string_view chunk) {
  bytes_ += chunk.size();
  if (encoding_ == Encoding::kUnknown) {
    const size_t take = std::min(chunk.size(), kSniffBytes - std::min(kSniffBytes, head_.size()));
    head_.append(chunk.substr(0, take));
    chunk.remove_prefix(take);
    if (head_.size() < kSniffBytes) return;
    Sniff(false);
  }
  if (chunk.empty()) return;
  if (encoding_ == Encoding::kBytes) {
    PushBytes(chunk);
  } else {
    PushUtf16(chunk);
  }
}

// FF FE and FE FF are marks, unless bytes without a single NUL follow: those are no log in UTF-16, but two stray bytes
// that must not hide the text behind them. Without a mark, text whose every second byte is NUL is UTF-16 as PowerShell
// writes it.
void LineReader::Sniff(bool at_end) {
  const std::string head = std::move(head_);
  std::string_view rest = head;
  encoding_ = Encoding::kBytes;
  // A source of the mark alone, or of the mark and one byte more, is taken for UTF-16: it has no text to lose.
  const bool any_nul = rest.size() <= 2 || rest.find('\0') != std::string_view::npos;
  if (any_nul && rest.substr(0, 2) == "\xFF\xFE") {
    encoding_ = Encoding::kUtf16Le;
    rest.remove_prefix(2);
  } else if (any_nul && rest.substr(0, 2) == "\xFE\xFF") {
    encoding_ = Encoding::kUtf16Be;
    rest.remove_prefix(2);
  } else if (rest.substr(0, 3) == "\xEF\xBB\xBF") {
    rest.remove_prefix(3);
  } else if (rest.size() >= 8) {
    size_t nul[2] = {0, 0};
    for (size_t i = 0; i < rest.size(); ++i) nul[i & 1] += rest[i] == '\0' ? 1 : 0;
    // Eight of ten: letters of other scripts have no NUL, and a log has some of them in its messages.
    const size_t most = rest.size() / 2 * 8 / 10;
    if (nul[1] >= most && nul[0] == 0) encoding_ = Encoding::kUtf16Le;
    if (nul[0] >= most && nul[1] == 0) encoding_ = Encoding::kUtf16Be;
  }
  at_ = head.size() - rest.size();
  // The mark alone is no line: an empty file with a mark has none.
  if (rest.empty() && at_end) return;
  if (encoding_ == Encoding::kBytes) {
    PushBytes(rest);
  } else {
    PushUtf16(rest);
  }
}

// Whole lines straight out of the chunk; the line that a chunk begins and ends with go through carry_.
void LineReader::PushBytes(std::string_view chunk) {
  if (open_) {  // the line that the chunk before left unfinished
    const size_t end = std::min(chunk.find('\n'), chunk.size() - 1) + 1;
    PushSlow(chunk.substr(0, end));
    chunk.remove_prefix(end);
  }
  const char* at = chunk.data();
  const char* const end = at + chunk.size();
  // One line at first: the fast path is asked again behind it. Only where it refuses time and again are more lines told
  // at once.
  size_t window = kWindowOfOne;
  size_t refused = 0;
  while (at != end) {  // a line begins here
    const auto left = static_cast<size_t>(end - at);
    FastPath::TakenLines taken;
    if (fast_ != nullptr) taken = fast_->TakeLines({at, left}, at_, number_);
    at += taken.bytes;
    at_ += taken.bytes;
    number_ += taken.lines;
    refused = taken.lines > 0 ? 0 : refused + 1;
    window = refused <= kPatience ? kWindowOfOne : std::min(window * 2, kWindow);
    const char* const next = PushLines(at, end, window);
    // No line ends in what is left: its beginning waits in carry_ for the next chunk.
    if (next == at) break;
    at = next;
  }
  PushSlow({at, static_cast<size_t>(end - at)});
}

// Tells the lines that end within the first blocks in which any does, `window` at once; one line with kWindowOfOne.
// Where the next line begins; `begin`: none ends.
const char* LineReader::PushLines(const char* begin, const char* end, size_t window) {
  const char* at = begin;
  const char* line = begin;
  // Whether such a byte is in one of the blocks that the line stands in.
  bool high = false;
  bool control = false;
  while (line == begin && at < end) {
    const auto left = static_cast<size_t>(end - at);
    size_t count = std::min(left / kBreakBlock, window);
    if (count > 0) {
      FindLineBreaks(at, count, blocks_.data());
    } else {
      blocks_[0] = FindLineBreaksInTail(at, left);
      count = 1;
    }
    for (size_t i = 0; i < count; ++i, at += kBreakBlock) {
      const BreakBlock& block = blocks_[i];
      high = high || block.high;
      control = control || block.control;
      for (uint64_t newlines = block.newlines; newlines != 0; newlines &= newlines - 1) {
        const char* stop = at + std::countr_zero(newlines);
        PushLine({line, static_cast<size_t>(stop - line)}, !high, !control);
        line = stop + 1;
        if (window == kWindowOfOne) return line;
        high = block.high;
        control = block.control;
        // The rest of the block belongs to the next line: it inherits what the block as a whole has. So `ascii` errs on
        // the safe side only.
      }
    }
  }
  return line;
}

// A line that ends with a newline and begins where nothing is open.
void LineReader::PushLine(std::string_view line, bool ascii, bool printable) {
  bool whole = line.size() <= limits::kLineBytes;
  const size_t size = line.size() + 1;
  std::string_view text = line;
  // `\r\n` of Windows is a plain end. Another \r is a progress bar, and NUL a hole in a sparse file: both are slow.
  if (whole && !printable) {
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    whole = std::memchr(text.data(), '\r', text.size()) == nullptr &&
            std::memchr(text.data(), '\0', text.size()) == nullptr;
  }
  if (!whole) {
    PushSlow({line.data(), size});
    return;
  }
  LinePiece piece;
  piece.text = text;
  piece.offset = at_;
  piece.number = number_;
  piece.ascii = ascii;
  piece.printable = printable;
  at_ += size;
  ++number_;
  sink_->OnPiece(piece);
}

// Bytes that are not one whole plain line: kept in carry_ until their piece ends.
void LineReader::PushSlow(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!open_) {
      open_ = true;
      line_start_ = at_;
    }
    if (pending_cr_) {
      // `\r\r\n`, as programs write it whose output was converted twice, is one end.
      if (bytes[0] == '\r') {
        bytes.remove_prefix(1);
        ++at_;
        continue;
      }
      pending_cr_ = false;
      // The piece ends only when it is known that no newline follows: at the border of two chunks that takes a while.
      if (bytes[0] != '\n') EndPiece(false, true);
    }
    const size_t run = BeforeBreak(bytes);
    Append(bytes.substr(0, run));
    at_ += run;
    bytes.remove_prefix(run);
    if (bytes.empty()) return;
    ++at_;
    if (bytes[0] == '\n') {
      EndPiece(true, true);
    } else {
      pending_cr_ = true;
    }
    bytes.remove_prefix(1);
  }
}

// UTF-16 is decoded unit by unit. A half of a pair without its other half becomes U+FFFD, or nothing.
void LineReader::PushUtf16(std::string_view chunk) {
  // A unit may be cut by the end of a chunk: its first byte waits in low_byte_.
  for (char c : chunk) {
    const auto byte = static_cast<unsigned char>(c);
    ++at_;
    if (low_byte_ < 0) {
      low_byte_ = byte;
      continue;
    }
    const auto first = static_cast<uint32_t>(low_byte_);
    const uint32_t unit = encoding_ == Encoding::kUtf16Le ? first | (uint32_t{byte} << 8) : (first << 8) | byte;
    low_byte_ = -1;
    if (unit >= 0xD800 && unit < 0xDC00) {
      high_surrogate_ = unit;
      continue;
    }
    uint32_t code = unit;
    if (unit >= 0xDC00 && unit < 0xE000) {
      code = high_surrogate_ != 0 ? 0x10000 + ((high_surrogate_ - 0xD800) << 10) + (unit - 0xDC00) : 0xFFFD;
    }
    high_surrogate_ = 0;
    AppendCodePoint(code);
  }
}

void LineReader::AppendCodePoint(uint32_t code) {
  if (!open_) {
    open_ = true;
    // Two bytes back: at_ is already behind the unit.
    line_start_ = at_ - 2;
  }
  if (pending_cr_ && code != '\r') {
    pending_cr_ = false;
    if (code != '\n') EndPiece(false, true);
  }
  if (code == '\r') {
    pending_cr_ = true;
    return;
  }
  if (code == '\n') {
    EndPiece(true, true);
    return;
  }
  char utf8[4];
  size_t n = 0;
  const auto put = [&](uint32_t v) { utf8[n++] = static_cast<char>(static_cast<unsigned char>(v)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
  Append({utf8, n});
}

// Bounded: a "line" of a gigabyte takes kLineBytes.
void LineReader::Append(std::string_view bytes) {
  const size_t room = limits::kLineBytes - carry_.size();
  // What does not fit is skipped; the line is counted and marked as clipped.
  if (bytes.size() > room) clipped_ = true;
  carry_.append(bytes.substr(0, room));
}

// Empty pieces between carriage returns say nothing and are left out; the last piece of a line is always told.
void LineReader::EndPiece(bool last, bool terminated) {
  if (last || !carry_.empty()) Emit(carry_, last, terminated);
  carry_.clear();
  clipped_ = false;
  if (last) {
    ++number_;
    open_ = false;
    first_piece_ = true;
  }
}

void LineReader::Emit(std::string_view text, bool last, bool terminated) {
  LinePiece piece;
  piece.text = text;
  piece.offset = line_start_;
  piece.number = number_;
  piece.first = first_piece_;
  piece.last = last;
  piece.clipped = clipped_;
  piece.terminated = terminated;
  // Holes of a file that a process wrote into after another had truncated it are runs of NUL: `\0\0\0node07:4711:4802
  // [3] …`.
  if (!text.empty() && std::memchr(text.data(), '\0', text.size()) != nullptr) {
    scratch_.assign(text);
    scratch_.erase(std::remove(scratch_.begin(), scratch_.end(), '\0'), scratch_.end());
    piece.text = scratch_;
    piece.had_nul = true;
  }
  first_piece_ = last;
  sink_->OnPiece(piece);
}

void LineReader::Finish() {
  if (encoding_ == Encoding::kUnknown) Sniff(true);
  if (open_) EndPiece(true, false);
}

}  // namespace ncclwhy
