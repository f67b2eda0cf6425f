// The C API: the input is a program, one byte an operation, in any order. Every code is one of the documented ones, and
// a failure has a sentence. Options that name files get names that do not exist.
#include <cstring>
#include <string>

#include "fuzz/check.h"
#include "ncclwhy/ncclwhy.h"

namespace ncclwhy::fuzz {
namespace {

constexpr const char* kOptions[] = {"language", "top",      "jobs",   "kb", "rules",
                                    "database", "timeline", "redact", "",   "x"};
constexpr const char* kValues[] = {"en",          "zh",      "1",    "2",    "0", "-1",
                                   "99999999999", "default", "full", "true", "",  "/nonexistent/x"};
constexpr const char* kFormats[] = {"text",   "json",    "markdown", "html", "sarif", "junit",
                                    "github", "summary", "",         "xml",  "full",  "trace"};

class Program {
 public:
  explicit Program(std::string_view bytes) : bytes_(bytes) {}
  ~Program() {
    ncclwhy_report_free(report_);
    ncclwhy_analyzer_free(analyzer_);
  }

  bool Step() {
    if (bytes_.empty()) return false;
    switch (Byte() % 9) {
      case 0:
        Replace(ncclwhy_analyzer_new());
        break;
      case 1:
        Option();
        break;
      case 2: {
        const std::string_view name = Text();
        Check(ncclwhy_analyzer_begin(analyzer_, name.data(), name.size()));
        break;
      }
      case 3: {
        const std::string_view text = Text();
        Check(ncclwhy_analyzer_push(analyzer_, text.data(), text.size()));
        break;
      }
      case 4:
        Check(ncclwhy_analyzer_end(analyzer_));
        break;
      case 5:
        ncclwhy_report_free(report_);
        Check(ncclwhy_analyzer_finish(analyzer_, &report_));
        break;
      case 6:
        Render();
        break;
      case 7: {
        constexpr std::string_view kPath = "nonexistent/rank*.log";  // and what it begins with; never the whole disk
        Check(ncclwhy_analyzer_add_file(analyzer_, kPath.data(), Byte() % (kPath.size() + 1)));
        break;
      }
      default:
        Replace(nullptr);
    }
    return true;
  }

 private:
  size_t Byte() {
    if (bytes_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }

  // 16 bits of length, then as many bytes as there are.
  std::string_view Text() {
    const size_t wanted = Byte() * 256 + Byte();
    const std::string_view out = bytes_.substr(0, wanted);
    bytes_.remove_prefix(out.size());
    return out;
  }

  void Replace(ncclwhy_analyzer* fresh) {
    ncclwhy_analyzer_free(analyzer_);
    analyzer_ = fresh;
  }

  void Check(ncclwhy_code code) {
    FUZZ_CHECK(code >= NCCLWHY_OK && code <= NCCLWHY_ERROR_INTERNAL);
    const char* sentence = ncclwhy_analyzer_error(analyzer_);
    FUZZ_CHECK(sentence != nullptr);
    if (analyzer_ != nullptr) FUZZ_CHECK((code == NCCLWHY_OK) == (*sentence == '\0'));
    FUZZ_CHECK(code != NCCLWHY_ERROR_INTERNAL);
  }

  void Option() {
    const std::string_view name = kOptions[Byte() % std::size(kOptions)];
    std::string_view value = kValues[Byte() % std::size(kValues)];
    if (name == "database" && !value.empty()) value = "/nonexistent/x/y";
    if (name == "kb" || name == "rules") value = "/nonexistent/x";
    Check(ncclwhy_analyzer_set(analyzer_, name.data(), name.size(), value.data(), value.size()));
  }

  void Render() {
    const std::string_view format = kFormats[Byte() % std::size(kFormats)];
    const char* text = nullptr;
    size_t length = 0;
    const ncclwhy_code code = ncclwhy_report_render(report_, format.data(), format.size(), &text, &length);
    FUZZ_CHECK((code == NCCLWHY_OK) == (text != nullptr));
    if (text != nullptr) FUZZ_CHECK(std::strlen(text) == length);
    const int status = ncclwhy_report_exit_status(report_);
    FUZZ_CHECK(status >= 0 && status <= 3);
    FUZZ_CHECK(ncclwhy_report_cause(report_) != nullptr);
    const double confidence = ncclwhy_report_confidence(report_);
    FUZZ_CHECK(confidence >= 0 && confidence <= 1);
  }

  std::string_view bytes_;
  ncclwhy_analyzer* analyzer_ = nullptr;
  ncclwhy_report* report_ = nullptr;
};

}  // namespace
}  // namespace ncclwhy::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int kMaxSteps = 64;
  ncclwhy::fuzz::Program program(ncclwhy::fuzz::View(data, size));
  for (int step = 0; step < kMaxSteps && program.Step(); ++step) {
  }
  return 0;
}
