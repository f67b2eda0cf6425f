#include "parser/line_reader.h"

#include <string>
#include <vector>

#include "base/limits.h"
#include "catch.h"

namespace ncclwhy {
namespace {

struct Piece {
  std::string text;
  uint64_t offset;
  uint32_t number;
  bool first, last, clipped, had_nul, terminated;
  bool operator==(const Piece&) const = default;
};

struct Collect : PieceSink {
  std::vector<Piece> pieces;
  void OnPiece(const LinePiece& p) override {
    pieces.push_back({std::string(p.text), p.offset, p.number, p.first, p.last, p.clipped, p.had_nul, p.terminated});
  }
  std::vector<std::string> Texts() const {
    std::vector<std::string> texts;
    for (const Piece& p : pieces) texts.push_back(p.text);
    return texts;
  }
};

Collect Read(const std::string& input, size_t step) {
  Collect sink;
  LineReader reader(&sink);
  for (size_t at = 0; at < input.size(); at += step) reader.Push(std::string_view(input).substr(at, step));
  reader.Finish();
  return sink;
}

// The same pieces for every way to cut the input.
Collect ReadAnyhow(const std::string& input) {
  const Collect whole = Read(input, input.size() + 1);
  for (size_t step : {1, 2, 3, 5, 7, 64, 1000}) {
    INFO("step " << step);
    REQUIRE(Read(input, step).pieces == whole.pieces);
  }
  return whole;
}

using Texts = std::vector<std::string>;

TEST_CASE("lines end at newline, with or without carriage return", "[line_reader]") {
  CHECK(ReadAnyhow("a\nbc\n\nd\n").Texts() == Texts{"a", "bc", "", "d"});
  CHECK(ReadAnyhow("a\r\nb\r\n\r\n").Texts() == Texts{"a", "b", ""});
  CHECK(ReadAnyhow("a\nlast").Texts() == Texts{"a", "last"});
  CHECK(ReadAnyhow("").Texts().empty());
}

TEST_CASE("offsets and numbers are those of the line", "[line_reader]") {
  const Collect c = ReadAnyhow("ab\n10%\r20%\rerror\nz\n");
  REQUIRE(c.Texts() == Texts{"ab", "10%", "20%", "error", "z"});
  CHECK(c.pieces[1] == Piece{"10%", 3, 2, true, false, false, false, true});
  CHECK(c.pieces[3] == Piece{"error", 3, 2, false, true, false, false, true});
  CHECK(c.pieces[4].offset == 17);
  CHECK(c.pieces[4].number == 3);
}

TEST_CASE("a file without a final newline says so", "[line_reader]") {
  const Collect c = ReadAnyhow("a\nb");
  CHECK(c.pieces[0].terminated);
  CHECK_FALSE(c.pieces[1].terminated);
}

TEST_CASE("NUL bytes are dropped and told", "[line_reader]") {
  const Collect c = ReadAnyhow(std::string("no\0de\nx\n", 8));
  REQUIRE(c.Texts() == Texts{"node", "x"});
  CHECK(c.pieces[0].had_nul);
  CHECK_FALSE(c.pieces[1].had_nul);
}

TEST_CASE("a line at the limit is whole, one byte more is clipped and its rest skipped", "[line_reader]") {
  const std::string at(limits::kLineBytes, 'x');
  const Collect whole = Read(at + "\nnext\n", 1 << 20);
  REQUIRE(whole.pieces.size() == 2);
  CHECK_FALSE(whole.pieces[0].clipped);
  CHECK(whole.pieces[0].text.size() == limits::kLineBytes);
  for (size_t step : {size_t{1000}, size_t{1} << 20}) {
    const Collect clipped = Read(at + "yzz\nnext\n", step);
    REQUIRE(clipped.pieces.size() == 2);
    CHECK(clipped.pieces[0].clipped);
    CHECK(clipped.pieces[0].text == at);
    CHECK(clipped.pieces[1].text == "next");
    CHECK(clipped.pieces[1].offset == limits::kLineBytes + 4);
    CHECK_FALSE(clipped.pieces[1].clipped);
  }
  // CR LF behind a line at the limit takes nothing from it.
  CHECK_FALSE(Read(at + "\r\n", 1 << 20).pieces[0].clipped);
}

TEST_CASE("progress bars may be longer than the limit: each piece has its own", "[line_reader]") {
  std::string bars;
  for (int i = 0; i < 20000; ++i) bars += "bar 12%\r";
  const Collect c = Read(bars + "error\n", 4096);
  REQUIRE(c.pieces.size() == 20001);
  CHECK(c.pieces.back().text == "error");
  CHECK_FALSE(c.pieces.back().clipped);
}

std::string Utf16(const std::string& ascii, bool big, bool mark) {
  std::string out;
  const auto put = [&](unsigned unit) {
    const char hi = static_cast<char>(unit >> 8);
    const char lo = static_cast<char>(unit & 0xFF);
    out += big ? hi : lo;
    out += big ? lo : hi;
  };
  if (mark) put(0xFEFF);
  for (char c : ascii) put(static_cast<unsigned char>(c));
  return out;
}

TEST_CASE("UTF-16 is converted, a byte order mark skipped", "[line_reader]") {
  const std::string text = "node3:4711:4790 [2] NCCL INFO hello\r\nsecond line of text\n";
  const Texts expected = {"node3:4711:4790 [2] NCCL INFO hello", "second line of text"};
  for (bool big : {false, true}) {
    for (bool mark : {false, true}) {
      INFO("big " << big << " mark " << mark);
      CHECK(ReadAnyhow(Utf16(text, big, mark)).Texts() == expected);
    }
  }
  CHECK(ReadAnyhow("\xEF\xBB\xBF" + text).Texts() == expected);
  CHECK(ReadAnyhow(std::string("\xFF\xFE\x3D\xD8\x00\xDE\n\x00", 8)).Texts() == Texts{"\xF0\x9F\x98\x80"});
}

}  // namespace
}  // namespace ncclwhy
