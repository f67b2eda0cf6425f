#include "base/escape.h"

#include <cstdlib>

#include "base/utf8.h"
#include "catch.h"

namespace ncclwhy {
namespace {

constexpr std::string_view kRightToLeft = "\xe2\x80\xae";
constexpr std::string_view kZeroWidth = "\xe2\x80\x8b";

TEST_CASE("a terminal sees no control, bidi or invisible character", "[base]") {
  const std::pair<std::string, std::string> cases[] = {
      {"plain text", "plain text"},
      {"\x1b[31mred", "\\x1b[31mred"},
      {"a\tb", "a b"},
      {"a\nb\r", "a\\nb\\x0d"},
      {"\xc2\x9b"
       "31m",
       "\\x9b31m"},  // C1 CSI
      {std::string("a\0b", 3), "a\\x00b"},
      {"gpu" + std::string(kRightToLeft) + "x", "gpu\\u202ex"},
      {"a" + std::string(kZeroWidth) + "b", "a\\u200bb"},
      {"\xef\xbb\xbf", "\\ufeff"},
      {"\xf3\xa0\x81\xa1", "\\U000e0061"},  // a tag
      {"\xff", "\\xff"},
      {"失败", "失败"},
      {"##[group]x ##vso[task]", "#\\x23[group]x #\\x23vso[task]"},
      {"##teamcity[x] ## [y] ##", "#\\x23teamcity[x] ## [y] ##"},
      {"::error file=x::y", "\\x3a:error file=x::y"},
      {"a::Set-Env name=x::y", "a\\x3a:Set-Env name=x::y"},
      {"::token::", "\\x3a:token::"},
      {"c10d::Backend::x ::ffff:10.0.0.9", "c10d::Backend::x ::ffff:10.0.0.9"},
      {"a\xef\xb8\x8f", "a\\ufe0f"},          // a variation selector
      {"a\xf0\x9b\xb2\xa0", "a\\U0001bca0"},  // shorthand format control
      {"a\xf0\x93\x90\xb0", "a\\U00013430"},  // joiner of hieroglyphs
      {"a\xf0\x91\x82\xbd", "a\\U000110bd"},  // Kaithi number sign
  };
  for (const auto& [input, expected] : cases) CHECK(EscapeTerminal(input) == expected);
}

TEST_CASE("markup cannot be opened or closed by a log", "[base]") {
  CHECK(EscapeHtml("<a b='c' d=\"e\">&\x1b") == "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;\\x1b");
  CHECK(EscapeXml("]]>\x01") == "]]&gt;\\x01");
  CHECK(EscapeHtml("a\nb") == "a\nb");
}

TEST_CASE("Markdown text formats nothing, links nowhere and mentions nobody", "[base]") {
  const std::pair<std::string, std::string> cases[] = {
      {"NCCL_IB_HCA", "NCCL\\_IB\\_HCA"},
      {"a*b*", "a\\*b\\*"},
      {"[x](y)", "\\[x\\](y)"},
      {"<b>", "&lt;b&gt;"},
      {"@team", "@\xe2\x80\x8bteam"},
      {"#12",
       "#\xe2\x80\x8b"
       "12"},
      {"GH-12 ABC-3 !4 %5 ~bug &6 $7",
       "GH-\xe2\x80\x8b"
       "12 ABC-\xe2\x80\x8b"
       "3 \\!\xe2\x80\x8b"
       "4 %\xe2\x80\x8b"
       "5 \\~\xe2\x80\x8b"
       "bug &amp;\xe2\x80\x8b"
       "6 \\$\xe2\x80\x8b"
       "7"},
      {"95% sure, gpu-17, all-gather", "95% sure, gpu-17, all-gather"},
      {"see http://a.example/b", "see http\\://a.example/b"},
      {"at www.example", "at www\\.example"},
      {"- item", "\\- item"},
      {"1. item", "1\\. item"},
      {"misc/socket.cc:12", "misc/socket.cc:12"},
      // What CI systems obey at the beginning of any line of an output.
      {"::error ::x", "&#58;:error ::x"},
      {"::warning file=a::b", "&#58;:warning file=a::b"},
  };
  for (const auto& [input, expected] : cases) CHECK(EscapeMarkdown(input) == expected);
}

TEST_CASE("code cannot be closed from inside", "[base]") {
  CHECK(MarkdownCode("plain") == "`plain`");
  CHECK(MarkdownCode("a`b") == "``a`b``");
  CHECK(MarkdownCode("``") == "``` `` ```");
  CHECK(MarkdownCode("").empty());
  CHECK(MarkdownBlock("x", "sh") == "```sh\nx\n```\n");
  CHECK(MarkdownBlock("```\nout", "") == "````\n```\nout\n````\n");
}

TEST_CASE("a workflow command ends where we end it", "[base]") {
  CHECK(EscapeGithubData("100%\n::set-output::x\r") == "100%25%0A\\x3a:set-output::x\\x0d");
  CHECK(EscapeGithubProperty("a,b:c\nd%") == "a%2Cb%3Ac%0Ad%25");
}

TEST_CASE("the shell sees one word", "[base]") {
  CHECK(ShellQuote("rank0.log") == "rank0.log");
  CHECK(ShellQuote("a b") == "'a b'");
  CHECK(ShellQuote("$(reboot)") == "'$(reboot)'");
  CHECK(ShellQuote("it's") == "'it'\\''s'");
  CHECK(ShellQuote("") == "''");
  CHECK(ShellQuote("~root") == "'~root'");
}

TEST_CASE("a URI path keeps slashes and encodes the rest", "[base]") {
  CHECK(EscapeUriPath("logs/rank 0.log") == "logs/rank%200.log");
  CHECK(EscapeUriPath("javascript:x") == "javascript%3Ax");
}

TEST_CASE("any bytes give valid UTF-8", "[base]") {
  std::srand(7);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (int i = 0; i < 12; ++i) bytes.push_back(static_cast<char>(std::rand() % 256));
    for (const auto& escape : {EscapeTerminal, EscapeHtml, EscapeXml, EscapeMarkdown, MarkdownCode, EscapeGithubData,
                               EscapeGithubProperty, EscapeUriPath}) {
      const std::string out = escape(bytes);
      CHECK(SanitizeUtf8(out) == out);
      CHECK(out.find('\x1b') == std::string::npos);
    }
  }
}

}  // namespace
}  // namespace ncclwhy
