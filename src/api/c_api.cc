// The C border: catches everything, turns Status into codes. See ncclwhy/ncclwhy.h for the contract.
#include <charconv>
#include <exception>
#include <new>
#include <optional>
#include <string>

#include "ncclwhy/analyzer.h"
#include "ncclwhy/ncclwhy.h"
#include "ncclwhy/version.h"
#include "report/phrases.h"

using ncclwhy::Analyzer;
using ncclwhy::AnalyzerOptions;
using ncclwhy::ErrorCode;
using ncclwhy::Language;
using ncclwhy::Report;
using ncclwhy::Result;
using ncclwhy::Status;

struct ncclwhy_analyzer {
  AnalyzerOptions options;
  std::unique_ptr<Analyzer> analyzer;  // made when the first source comes
  std::string error;
};

struct ncclwhy_report {
  Report report;
  Language language = Language::kEnglish;
  std::string text;
};

namespace {

static_assert(static_cast<int>(ErrorCode::kInternal) == NCCLWHY_ERROR_INTERNAL);
static_assert(static_cast<int>(ErrorCode::kIo) == NCCLWHY_ERROR_IO);
static_assert(static_cast<int>(ncclwhy::Verdict::kDegraded) == NCCLWHY_VERDICT_DEGRADED);
static_assert(static_cast<int>(ncclwhy::Outcome::kUnknown) == NCCLWHY_OUTCOME_UNKNOWN);
static_assert(static_cast<int>(ncclwhy::Action::kFixFirst) == NCCLWHY_ACTION_FIX_FIRST);

ncclwhy_code Fail(ncclwhy_analyzer* analyzer, const Status& status) {
  analyzer->error = status.message();
  return static_cast<ncclwhy_code>(status.code());
}

// Runs `body`, which returns a Status, and lets nothing out.
template <typename Body>
ncclwhy_code Guarded(ncclwhy_analyzer* analyzer, const Body& body) {
  if (analyzer == nullptr) return NCCLWHY_ERROR_INVALID_ARGUMENT;
  try {
    analyzer->error.clear();
    const Status status = body();
    return status.ok() ? NCCLWHY_OK : Fail(analyzer, status);
  } catch (const std::exception& e) {
    try {
      analyzer->error = e.what();
    } catch (...) {
      analyzer->error.clear();
    }
  } catch (...) {
    analyzer->error.clear();
  }
  return NCCLWHY_ERROR_INTERNAL;
}

std::string_view View(const void* bytes, size_t length) {
  return bytes == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(bytes), length);
}

Status Ready(ncclwhy_analyzer* analyzer) {
  if (analyzer->analyzer) return {};
  Result<std::unique_ptr<Analyzer>> made = Analyzer::Create(analyzer->options);
  if (!made.ok()) return made.status();
  analyzer->analyzer = made.take();
  return {};
}

Status Number(std::string_view name, std::string_view value, int* out) {
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), *out);
  if (error == std::errc() && end == value.data() + value.size()) return {};
  return Status::InvalidArgument("option " + std::string(name) + " needs a number");
}

// One of two words.
Status Choice(std::string_view name, std::string_view value, std::string_view no, std::string_view yes, bool* out) {
  if (value != no && value != yes) {
    return Status::InvalidArgument("option " + std::string(name) + " is " + std::string(no) + " or " +
                                   std::string(yes));
  }
  *out = value == yes;
  return {};
}

Status Set(AnalyzerOptions* options, std::string_view name, std::string_view value) {
  if (name == "top") return Number(name, value, &options->top);
  if (name == "jobs") return Number(name, value, &options->jobs);
  if (name == "timeline") return Choice(name, value, "default", "full", &options->full_timeline);
  if (name == "redact") return Choice(name, value, "false", "true", &options->redact);
  if (name == "language") {
    bool chinese = false;
    const Status status = Choice(name, value, "en", "zh", &chinese);
    if (status.ok()) options->language = chinese ? Language::kChinese : Language::kEnglish;
    return status;
  }
  if (name == "kb") {
    options->kb_directories.emplace_back(value);
  } else if (name == "rules") {
    options->rule_directories.emplace_back(value);
  } else if (name == "database") {
    options->database = std::string(value);
  } else {
    return Status::InvalidArgument("there is no option '" + std::string(name) + "'");
  }
  return {};
}

}  // namespace

extern "C" {

const char* ncclwhy_version(void) { return NCCLWHY_VERSION; }

ncclwhy_analyzer* ncclwhy_analyzer_new(void) { return new (std::nothrow) ncclwhy_analyzer; }

void ncclwhy_analyzer_free(ncclwhy_analyzer* analyzer) { delete analyzer; }

ncclwhy_code ncclwhy_analyzer_set(ncclwhy_analyzer* analyzer, const char* name, size_t name_length, const char* value,
                                  size_t value_length) {
  return Guarded(analyzer, [&]() -> Status {
    if (analyzer->analyzer) return Status::InvalidArgument("options are set before the first source");
    return Set(&analyzer->options, View(name, name_length), View(value, value_length));
  });
}

ncclwhy_code ncclwhy_analyzer_add_file(ncclwhy_analyzer* analyzer, const char* path, size_t length) {
  return Guarded(analyzer, [&]() -> Status {
    if (Status status = Ready(analyzer); !status.ok()) return status;
    analyzer->analyzer->AddFile(std::string(View(path, length)));
    return {};
  });
}

ncclwhy_code ncclwhy_analyzer_begin(ncclwhy_analyzer* analyzer, const char* name, size_t length) {
  return Guarded(analyzer, [&]() -> Status {
    if (Status status = Ready(analyzer); !status.ok()) return status;
    return analyzer->analyzer->Begin(View(name, length));
  });
}

ncclwhy_code ncclwhy_analyzer_push(ncclwhy_analyzer* analyzer, const void* bytes, size_t length) {
  return Guarded(analyzer, [&]() -> Status {
    if (Status status = Ready(analyzer); !status.ok()) return status;
    return analyzer->analyzer->Push(View(bytes, length));
  });
}

ncclwhy_code ncclwhy_analyzer_end(ncclwhy_analyzer* analyzer) {
  return Guarded(analyzer, [&]() -> Status {
    if (Status status = Ready(analyzer); !status.ok()) return status;
    return analyzer->analyzer->EndSource();
  });
}

ncclwhy_code ncclwhy_analyzer_finish(ncclwhy_analyzer* analyzer, ncclwhy_report** report) {
  if (report != nullptr) *report = nullptr;
  return Guarded(analyzer, [&]() -> Status {
    if (report == nullptr) return Status::InvalidArgument("finish needs a place for the report");
    if (Status status = Ready(analyzer); !status.ok()) return status;
    Result<Report> made = analyzer->analyzer->Finish();
    if (!made.ok()) return made.status();
    auto handle = std::make_unique<ncclwhy_report>();
    handle->report = made.take();
    handle->language = analyzer->options.language;
    *report = handle.release();
    return {};
  });
}

const char* ncclwhy_analyzer_error(const ncclwhy_analyzer* analyzer) {
  return analyzer == nullptr ? "" : analyzer->error.c_str();
}

void ncclwhy_report_free(ncclwhy_report* report) { delete report; }

ncclwhy_verdict ncclwhy_report_verdict(const ncclwhy_report* report) {
  return report == nullptr ? NCCLWHY_VERDICT_UNDETERMINED : static_cast<ncclwhy_verdict>(report->report.verdict);
}

int ncclwhy_report_exit_status(const ncclwhy_report* report) {
  return report == nullptr ? 2 : ncclwhy::ExitStatus(report->report);
}

const char* ncclwhy_report_cause(const ncclwhy_report* report) {
  const ncclwhy::Cause* cause = report == nullptr ? nullptr : ncclwhy::NamedCause(report->report);
  return cause == nullptr ? "" : cause->id.c_str();
}

ncclwhy_outcome ncclwhy_report_outcome(const ncclwhy_report* report) {
  return report == nullptr ? NCCLWHY_OUTCOME_UNKNOWN : static_cast<ncclwhy_outcome>(report->report.outcome);
}

const char* ncclwhy_report_progress(const ncclwhy_report* report) {
  return report == nullptr ? "" : report->report.progress.c_str();
}

ncclwhy_action ncclwhy_report_action(const ncclwhy_report* report) {
  const bool decided = report != nullptr && report->report.decision.has_value();
  return decided ? static_cast<ncclwhy_action>(report->report.decision->action) : NCCLWHY_ACTION_UNDECIDED;
}

double ncclwhy_report_confidence(const ncclwhy_report* report) {
  return *ncclwhy_report_cause(report) == '\0' ? 0 : report->report.causes.front().confidence;
}

ncclwhy_code ncclwhy_report_render(ncclwhy_report* report, const char* format, size_t format_length, const char** text,
                                   size_t* length) {
  if (report == nullptr || text == nullptr) return NCCLWHY_ERROR_INVALID_ARGUMENT;
  *text = nullptr;
  try {
    ncclwhy::ReportFormat options;
    options.language = report->language;
    Result<std::string> made = ncclwhy::RenderReport(report->report, View(format, format_length), options);
    if (!made.ok()) return static_cast<ncclwhy_code>(made.status().code());
    report->text = made.take();
  } catch (...) {
    return NCCLWHY_ERROR_INTERNAL;
  }
  *text = report->text.c_str();
  if (length != nullptr) *length = report->text.size();
  return NCCLWHY_OK;
}

}  // extern "C"
