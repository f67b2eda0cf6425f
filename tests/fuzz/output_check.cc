#include "fuzz/output_check.h"

#include "fuzz/check.h"
#include "hostile/visible.h"
#include "ncclwhy/analyzer.h"
#include "report/renderer.h"

namespace ncclwhy::fuzz {

void CheckRenderings(const Report& report) {
  for (const Language language : {Language::kEnglish, Language::kChinese}) {
    for (const std::string& format : FormatNames()) {
      ReportFormat options;
      options.language = language;
      const Result<std::string> text = RenderReport(report, format, options);
      FUZZ_CHECK(text.ok());
      const std::string wrong = hostile::WhatIsWrong(format, text.value());
      if (!wrong.empty()) std::fprintf(stderr, "%s: %s\n", format.c_str(), wrong.c_str());
      FUZZ_CHECK(wrong.empty());
    }
  }
}

}  // namespace ncclwhy::fuzz
