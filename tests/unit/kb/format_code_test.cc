#include "kb/loader/format_code.h"

#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

bool Matches(const std::string& format, const std::string& text, bool clipped = false) {
  const CompiledFormat compiled = CompileFormat(format);
  return MatchFormat(compiled.code, TrimMessage(text), clipped) >= 0;
}

TEST_CASE("a line matches the format that printed it", "[kb]") {
  const struct {
    const char* format;
    const char* text;
    bool matches;
  } kCases[] = {
      {"Connected all rings", "Connected all rings", true},
      {"Connected all rings", "Connected all rings, use ring PXN 0", false},
      {"Connected all rings\n", "  Connected all rings \r", true},
      {"Call to %s failed : %s", "Call to connect failed : Connection refused", true},
      {"Call to %s failed : %s", "Call to bind failed: Address already in use", false},
      {"Call to %s failed : %s", "Call to connect failed :", true},  // an empty text at the end
      {"%s:%d -> %d", "transport/net.cc:687 -> 6", true},
      {"%s:%d -> %d", "transport/net.cc:687 -> six", false},
      {"%s:%d -> %d", "a:b:c:12 -> -1", true},
      {"Channel %02d/%02d : %d[%lx] -> %d[%lx] via %s", "Channel 00/0 : 2[1b000] -> 3[65000] via SHM", true},
      {"comm %p rank %d", "comm (nil) rank 3", true},
      {"comm %p rank %d", "comm 0x55d3c8e0a2f0 rank 3", true},
      {"comm %p rank %d", "comm here rank 3", false},
      {"commId 0x%llx - Init START", "commId 0x9a3f - Init START", true},
      {"busId %lx", "busId 0x1b000", true},
      {"time %f seconds", "time 1.25e+03 seconds", true},
      {"time %f seconds", "time nan seconds", true},
      {"time %f seconds", "time soon seconds", false},
      {"100%% of %d", "100% of 7", true},
      {"got '%c' in", "got 'x' in", true},
      {"%9d  ranks", "     1234  ranks", true},
      {"%xbeef", "12beef", true},  // the number takes "12beef" and gives back
      {"NCCL version {NCCL_MAJOR}.{NCCL_MINOR}.{NCCL_PATCH}{NCCL_SUFFIX}+cuda{CUDA_MAJOR}.{CUDA_MINOR}",
       "NCCL version 2.28.9+cuda13.0", true},
      {"events={%d,%d}, i=%d", "events={1,0}, i=3", true},
      {"channel{Lo..Hi}={%d..%d}", "channel{Lo..Hi}={0..7}", true},
      {"first line %d\nsecond line", "first line 7", true},
      {"\n%d ranks", "3 ranks", true},
      {"%s%s done", " done", false},  // blanks at the ends are taken off, so nothing is left of the text
      {"a %s b %s c", "a b b c c", true},
      {"a %s b %s c", "a b c b x", false},
  };
  for (const auto& c : kCases) {
    INFO(c.format << " <> " << c.text);
    CHECK(Matches(c.format, c.text) == c.matches);
  }
}

TEST_CASE("a clipped text may end anywhere in the format", "[kb]") {
  const std::string format = "peer %s with status=%d opcode=%d";
  CHECK(Matches(format, "peer host7 with sta", true));
  CHECK(Matches(format, "peer host7 with status=", true));
  CHECK(Matches(format, "peer a very long name that fills the line", true));
  CHECK_FALSE(Matches(format, "peer host7 with sta", false));
  CHECK_FALSE(Matches(format, "rank host7 with sta", true));
}

TEST_CASE("what cannot be recognised has no program", "[kb]") {
  for (const char* format : {"%s", "%s\n", "", "\n", "%d%s", "{dynamic: const char *fmt}"}) {
    INFO(format);
    CHECK(CompileFormat(format).code.empty());
    CHECK(MatchFormat(CompileFormat(format).code, "text", false) == -1);
  }
}

TEST_CASE("an assertion may have any prefix", "[kb]") {
  const CompiledFormat compiled = CompileFormat("Assertion `0' failed.", /*any_prefix=*/true);
  CHECK(MatchFormat(compiled.code, "python3: enqueue.cc:12: void f(): Assertion `0' failed.", false) > 0);
}

TEST_CASE("hostile text ends in bounded time", "[kb]") {
  const CompiledFormat compiled = CompileFormat("%s:%d %s:%d %s:%d %s:%d end");
  std::string text;
  while (text.size() < 60'000) text += "a:1 ";
  CHECK(MatchFormat(compiled.code, text, false) == -1);
}

}  // namespace
}  // namespace ncclwhy
