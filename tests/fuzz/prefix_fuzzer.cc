// Headers and launcher prefixes, line by line: positions stay inside the line and searching makes progress.
#include <algorithm>
#include <string>

#include "fuzz/check.h"
#include "parser/clean_text.h"
#include "parser/dialect.h"
#include "parser/outer_prefix.h"
#include "parser/prefix.h"

namespace ncclwhy::fuzz {
namespace {

void CheckMatch(const HeaderMatch& match, std::string_view text) {
  FUZZ_CHECK(match.begin <= match.body);
  FUZZ_CHECK(match.body <= text.size());
  for (const std::string_view view : {match.header.host, match.header.file, match.header.function, match.header.time}) {
    FUZZ_CHECK(Within(view, text));
  }
}

// How many headers there are; each search begins behind the last one.
void Search(std::string_view text) {
  HeaderMatch match;
  if (ParseHeader(text, &match)) CheckMatch(match, text);
  if (ParseHeaderless(text, &match)) CheckMatch(match, text);
  size_t from = 0;
  for (HeaderMatch next; FindHeader(text, from, &next); next = {}) {
    CheckMatch(next, text);
    FUZZ_CHECK(next.begin >= from || next.body > from);
    FUZZ_CHECK(next.body > from);
    from = next.body;
  }
  for (size_t at = FindTorchRecord(text, 0); at != std::string_view::npos; at = FindTorchRecord(text, at + 1)) {
    FUZZ_CHECK(at < text.size());
  }
}

void OneLine(std::string_view line, OuterPrefixStripper& stripper) {
  Search(line);
  const StrippedLine stripped = stripper.Strip(line);
  const std::string text(stripped.text);
  FUZZ_CHECK(text.size() <= line.size());
  Search(stripped.text);
  (void)SniffDialect(stripped.text);
  FUZZ_CHECK(PythonExceptionLength(stripped.text) <= stripped.text.size());
  if (HeaderMatch match; FindHeader(stripped.text, 0, &match)) stripper.Learn(stripped.text.substr(0, match.begin));
  if (!stripped.text.empty()) {
    (void)stripper.StripPart(stripped.text.substr(stripped.text.size() / 2));
    FUZZ_CHECK(stripped.text == text);  // "what that returned stays valid"
  }
  std::string scratch;
  FUZZ_CHECK(StripAnsi(line, scratch).size() <= line.size());
  FUZZ_CHECK(DecodeEntities(line, scratch).size() <= line.size());
  JsonLog json;
  if (ParseJsonLog(line, scratch, &json)) FUZZ_CHECK(json.text.size() <= line.size());
  (void)LooksBinary(line);
  (void)IsValidUtf8(line);
}

}  // namespace
}  // namespace ncclwhy::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest = ncclwhy::fuzz::View(data, size);
  ncclwhy::OuterPrefixStripper stripper;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    ncclwhy::fuzz::OneLine(rest.substr(0, end), stripper);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return 0;
}
