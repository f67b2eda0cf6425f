// Secrets of every kind that scanners of secrets look for, and what names a site, in every text of a report and every
// format: with --redact none of them is left. The kinds are those of published lists; each sample is made anew, with
// another value in every run of the generator.
#include "hostile/redact_kinds.h"

#include <cctype>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "hostile/tally.h"
#include "ncclwhy/analyzer.h"
#include "report/known_words.h"
#include "report/redact.h"
#include "report/renderer.h"
#include "report/report_texts.h"
#include "unit/report/sample_reports.h"

namespace ncclwhy::hostile {
namespace {

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  // Hexadecimal digits that happen to be decimal: one dotted MAC in 300 looks like a version.
  void OnlyDecimal() { hex_ = "0123456789"; }

  // `secrets`: what stood between < and >.
  std::string Make(std::string_view text, std::vector<std::string>* secrets) {
    std::string out;
    size_t open = std::string::npos;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '<') {
        open = out.size();
      } else if (text[i] == '>') {
        secrets->push_back(out.substr(open));
      } else if (text[i] == '{' && i + 2 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 2])) != 0) {
        size_t length = 0, at = i + 2;
        while (text[at] != '}') length = length * 10 + static_cast<size_t>(text[at++] - '0');
        out += Letters(text[i + 1], length);
        i = at;
      } else {
        out += text[i];
      }
    }
    return out;
  }

 private:
  std::string Letters(char kind, size_t length) {
    const std::string lower = "abcdefghijklmnopqrstuvwxyz", upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", digits = "0123456789";
    std::string set = kind == 'h'   ? hex_
                      : kind == 'H' ? (hex_ == digits ? digits : "0123456789ABCDEF")
                      : kind == 'd' ? digits
                      : kind == 'u' ? upper + digits
                      : kind == 'b' ? upper + lower + digits + "+/"
                      : kind == 'w' ? "bcdfghjklmnpqrstvwxz"
                                    : upper + lower + digits;
    std::string out;
    do {
      out.clear();
      while (out.size() < length) out += set[random_() % set.size()];
    } while (kind == 'w' && IsKnownWord(out));
    return out;
  }
  std::mt19937 random_;
  std::string hex_ = "0123456789abcdef";
};

// Hosts stay: a line that is one has an alias as a whole.
Report Everywhere(const std::string& line) {
  Report report = ncclwhy::testing::SeveralJobsReport();
  ForEachText(&report, [&](TextIs is, std::string* text) {
    if (is != TextIs::kOwn && is != TextIs::kHost) *text = line;
  });
  return report;
}

// Pieces of letters and digits outlive every escape of a format; what is in the report without the secret says nothing.
std::vector<std::string> Pieces(const std::string& secret) {
  std::vector<std::string> out;
  std::string piece;
  for (const char c : secret + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      piece += c;
      continue;
    }
    if (piece.size() >= 4 && !IsKnownWord(piece)) out.push_back(piece);
    piece.clear();
  }
  return out;
}

// Whether `piece` stands in `text` as a word: a hash may hold any four digits.
bool Stands(const std::string& text, const std::string& piece) {
  const auto letter = [&](size_t i) {
    return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0;
  };
  for (size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) {
    if (piece.size() > 7 || (!letter(at - 1) && !letter(at + piece.size()))) return true;
  }
  return false;
}

TEST_CASE("ideographs of a log are names, ours are not", "[hostile]") {
  for (const std::string name : {"王小明", "田中太郎", "ユーザー"}) {
    Report report = ncclwhy::testing::FailureReport();
    report.causes[0].evidence[0].text = "user " + name + " failed";
    CHECK(Redact(report, Language::kEnglish).causes[0].evidence[0].text.find(name) == std::string::npos);
  }
  Report chinese = ncclwhy::testing::FailureReport();
  chinese.causes[0].sure = "有一行直接显示故障";
  chinese.causes[0].evidence[0].text = "用户 王小明";
  const Report redacted = Redact(chinese, Language::kChinese);
  CHECK(redacted.causes[0].sure == chinese.causes[0].sure);
  CHECK(redacted.causes[0].evidence[0].text.find("王小明") == std::string::npos);
}

TEST_CASE("what looks like a secret and is NCCL's stays legible", "[hostile]") {
  for (const std::string line :
       {"comm 0x000055d0f1a2b3c4 rank 11 nranks 16 commId 0x6782fe585c992cf7 - Init START",
        "commHash 0x6782fe585c992cf7", "sendbuff 0x00007fc754200000 count 65536 datatype 7 op 0 root 0",
        "opCount 1a2b root 0 NCCL 2.28.9+cuda12.9",
        "failed to extend to 9637892 bytes, error: No space left on device (28)", "auth: failed", "token: expected",
        "password: missing", "Timeout(ms)=1800000 ran for 1800042 milliseconds", "exit code 137, signal 9"}) {
    Report report = ncclwhy::testing::FailureReport();
    report.causes[0].evidence[0].text = line;
    CHECK(Redact(report, Language::kEnglish).causes[0].evidence[0].text == line);
  }
}

TEST_CASE("no secret of any kind is left in any format of a redacted report", "[hostile]") {
  REQUIRE(std::size(kKinds) >= 150);
  Tally tally("redact");
  const char* asked = std::getenv("NCCLWHY_SEED");
  const unsigned seed = asked != nullptr ? static_cast<unsigned>(std::atoi(asked)) : std::random_device()();
  Maker maker(seed), decimal(seed);
  decimal.OnlyDecimal();
  const Report plain = ncclwhy::testing::SeveralJobsReport();
  size_t shown = 0;
  for (const Kind& kind : kKinds) {
    for (int round = 0; round < 4; ++round) {
      std::vector<std::string> secrets;
      const std::string line = (round == 3 ? decimal : maker).Make(kind.text, &secrets);
      REQUIRE(!secrets.empty());
      // The checker sees what is there to be seen.
      if (round == 0) {
        const std::string bare = RenderReport(Everywhere(line), "text", {Language::kEnglish, 100000, false}).take();
        shown += bare.find(secrets[0]) != std::string::npos ? 1 : 0;
      }
      const Report report =
          Redact(Everywhere(round == 0 ? line : "gpu-a17:1:1 [0] x.cc:1 NCCL WARN " + line), Language::kEnglish);
      for (const std::string& format : FormatNames()) {
        ReportFormat options;
        options.width = 100000;
        const std::string text = RenderReport(report, format, options).take();
        const std::string without = RenderReport(plain, format, options).take();
        for (const std::string& secret : secrets) {
          bool gone = text.find(secret) == std::string::npos;
          for (const std::string& piece : Pieces(secret)) {
            gone = gone && (!Stands(text, piece) || without.find(piece) != std::string::npos);
          }
          tally.Try(gone, std::string(kind.name) + " in " + format + ", seed " + std::to_string(seed) + ": " + line +
                              " became " + report.consequences.back().text);
        }
      }
    }
  }
  CHECK(shown * 10 > std::size(kKinds) * 9);
  std::printf("redact: %zu kinds\n", std::size(kKinds));
  CHECK(tally.failed() == 0);
}

}  // namespace
}  // namespace ncclwhy::hostile
