#include "read/line_ends.h"

#include "catch.h"

namespace ncclwhy {
namespace {

// Mended in pieces of `piece` bytes; what needs no mending comes back as it is.
std::string Mended(const std::string& text, size_t piece) {
  std::optional<LineEnds> ends = LineEnds::For(text);
  if (!ends) return text;
  std::string out;
  for (size_t at = 0; at < text.size(); at += piece) out += ends->Mend(text.substr(at, piece));
  return out;
}

TEST_CASE("a source that is one endless line gets its line ends", "[read]") {
  for (const size_t piece : {1, 3, 1000}) {
    CHECK(Mended("a\rb\rc", piece) == "a\nb\nc");
    CHECK(Mended(R"([{"log":"a, \"}, {[\\"},{"b":[1,{"c":2}]}])", piece) ==
          " {\"log\":\"a, \\\"}, {[\\\\\"}\n{\"b\":[1,{\"c\":2}]} ");
    // What has lines stays: a progress bar, a list over several lines, a log that begins with a bracket.
    for (const char* fine : {"1%\r2%\r3%\n", "a\r\nb\r\n", "[\n{\"a\":1},\n{\"b\":2}]\n", "[rank0]: x",
                             "[{\"a\":1}]\n[{\"b\":2}]\n", "", "\r", "[{"}) {
      CHECK(Mended(fine, piece) == (std::string(fine) == "[{" ? " {" : fine));
    }
  }
}

}  // namespace
}  // namespace ncclwhy
