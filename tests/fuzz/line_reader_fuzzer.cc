// LineReader: the pieces do not depend on where chunks end, are bounded, and hold every byte of plain text.
#include <algorithm>
#include <string>

#include "base/limits.h"
#include "fuzz/check.h"
#include "parser/line_reader.h"

namespace ncclwhy::fuzz {
namespace {

class Recorder : public PieceSink {
 public:
  void OnPiece(const LinePiece& piece) override {
    FUZZ_CHECK(piece.text.size() <= limits::kLineBytes);
    FUZZ_CHECK(piece.text.find('\0') == std::string_view::npos);
    FUZZ_CHECK(piece.text.find('\n') == std::string_view::npos);
    FUZZ_CHECK(piece.number == lines + 1);
    FUZZ_CHECK(piece.first == open_line_ended_);
    FUZZ_CHECK(piece.offset >= last_offset_);
    if (piece.ascii) {
      for (const char c : piece.text) FUZZ_CHECK(static_cast<signed char>(c) >= 0);
    }
    last_offset_ = piece.offset;
    open_line_ended_ = piece.last;
    if (piece.last) ++lines;
    plain = plain && !piece.clipped && !piece.had_nul;
    text.append(piece.text).append(piece.last ? (piece.terminated ? "\n" : "") : "\r");
    log.append(piece.text).append(piece.first ? "F" : "-").append(piece.last ? "L" : "-");
    log.append(piece.clipped ? "C" : "-").append(piece.had_nul ? "N" : "-").append(piece.terminated ? "T" : "-");
    log.append(std::to_string(piece.offset)).append("\n");
  }

  std::string log;   // everything that must not depend on chunks
  std::string text;  // the input again
  uint32_t lines = 0;
  bool plain = true;  // nothing was left out

 private:
  bool open_line_ended_ = true;
  uint64_t last_offset_ = 0;
};

}  // namespace
}  // namespace ncclwhy::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ncclwhy;
  const std::string_view input = fuzz::View(data, size);
  fuzz::Recorder whole;
  LineReader reader(&whole);
  reader.Push(input);
  reader.Finish();
  FUZZ_CHECK(reader.bytes() == size);

  fuzz::Dice dice(input);
  const size_t longest = size_t{1} << dice.Below(13);
  fuzz::Recorder cut;
  LineReader second(&cut);
  for (std::string_view rest = input; !rest.empty();) {
    const size_t n = std::min(rest.size(), 1 + dice.Below(longest));
    second.Push(rest.substr(0, n));
    rest.remove_prefix(n);
  }
  second.Finish();
  FUZZ_CHECK(cut.log == whole.log);
  FUZZ_CHECK(second.utf16() == reader.utf16());

  const bool mark = input.substr(0, 3) == "\xEF\xBB\xBF";
  if (whole.plain && !reader.utf16() && !mark && input.find('\r') == std::string_view::npos) {
    FUZZ_CHECK(whole.text == input);
  }
  return 0;
}
