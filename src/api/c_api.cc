// The C border: catches everything, turns Status into codes. See ncclwhy/ncclwhy.h for the contract.
#include <atomic>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "api/no_throw.h"
#include "ncclwhy/analyzer.h"
#include "ncclwhy/diff.h"
#include "ncclwhy/explain.h"
#include "ncclwhy/ncclwhy.h"
#include "ncclwhy/version.h"
#include "report/phrases.h"

using ncclwhy::Analyzer;
using ncclwhy::AnalyzerOptions;
using ncclwhy::ErrorCode;
using ncclwhy::Language;
using ncclwhy::NoThrow;
using ncclwhy::Report;
using ncclwhy::ReportFormat;
using ncclwhy::Result;
using ncclwhy::Status;

namespace {

// Whether a call is using a handle. A second call meanwhile, from another thread or from a signal handler, is refused;
// a handle that is freed meanwhile goes when that call is done.
class InUse {
 public:
  bool Take() {
    State idle = State::kIdle;
    return state_.compare_exchange_strong(idle, State::kBusy);
  }
  // False: it was freed meanwhile, and whoever took it destroys it.
  bool Leave() {
    State busy = State::kBusy;
    return state_.compare_exchange_strong(busy, State::kIdle);
  }
  // True: whoever frees it destroys it.
  bool Free() { return state_.exchange(State::kFreed) == State::kIdle; }
  bool busy() const { return state_.load() != State::kIdle; }

 private:
  enum class State : uint8_t { kIdle, kBusy, kFreed };
  std::atomic<State> state_{State::kIdle};
};

}  // namespace

struct ncclwhy_analyzer {
  InUse in_use;
  AnalyzerOptions options;
  std::unique_ptr<Analyzer> analyzer;  // made when the first source comes
  std::string error;
  std::string text;  // of the last ncclwhy_explain or ncclwhy_diff
};

struct ncclwhy_report {
  InUse in_use;
  Report report;
  Language language = Language::kEnglish;
  std::string text;
};

namespace {

// The enumerations are cast: the last value of each shows that the two lists have the same length.
static_assert(static_cast<int>(ErrorCode::kInternal) == NCCLWHY_ERROR_INTERNAL);
static_assert(static_cast<int>(ErrorCode::kIo) == NCCLWHY_ERROR_IO);
static_assert(static_cast<int>(ncclwhy::Verdict::kDegraded) == NCCLWHY_VERDICT_DEGRADED);
static_assert(static_cast<int>(ncclwhy::Outcome::kUnknown) == NCCLWHY_OUTCOME_UNKNOWN);
static_assert(static_cast<int>(ncclwhy::Action::kFixFirst) == NCCLWHY_ACTION_FIX_FIRST);

// Said while another call uses the handle, whose own sentence may be in the making.
constexpr const char* kBusy = "the handle is in use by another call";

// Takes a handle that is idle for as long as it lives, and destroys what was freed meanwhile.
template <typename Handle>
class Hold {
 public:
  explicit Hold(Handle* handle) : handle_(handle != nullptr && handle->in_use.Take() ? handle : nullptr) {}
  // The handle is only gone when the call that used it is: a program may free in one thread what another one waits for.
  ~Hold() {
    if (handle_ != nullptr && !handle_->in_use.Leave()) delete handle_;
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  Handle* const handle_;
};

template <typename Handle>
void Free(Handle* handle) {
  if (handle != nullptr && handle->in_use.Free()) delete handle;
}

// Text as the caller gives it.
struct Text {
  const void* bytes;
  size_t length;
};

// A length without text, and one that no text in memory has, such as that of a negative number.
// `length` of -1 in a language without unsigned numbers arrives as SIZE_MAX.
bool IsText(const Text& text) {
  return text.bytes == nullptr ? text.length == 0 : text.length <= static_cast<size_t>(PTRDIFF_MAX);
}

// Runs `body`, which returns a Status, and lets nothing out.
template <typename Body>
ncclwhy_code Guarded(ncclwhy_analyzer* analyzer, std::initializer_list<Text> texts, const Body& body) {
  const Hold<ncclwhy_analyzer> hold(analyzer);
  if (!hold) return NCCLWHY_ERROR_INVALID_ARGUMENT;
  // The error of the call before: kept until now, so that who asks late still gets it.
  analyzer->error.clear();
  Status status = NoThrow([&]() -> Status {
    for (const Text& text : texts) {
      if (!IsText(text)) return Status::InvalidArgument("a length has no text, or is that of none");
    }
    return body();
  });
  if (status.ok()) return NCCLWHY_OK;
  const auto code = static_cast<ncclwhy_code>(status.code());
  analyzer->error = std::move(status).message();
  return code;
}

std::string_view View(const void* bytes, size_t length) {
  return bytes == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(bytes), length);
}

// The analyzer is made at the first source and not at once, since options must be known: it loads the knowledge with
// them.
Status Ready(ncclwhy_analyzer* analyzer) {
  if (analyzer->analyzer) return {};
  Result<std::unique_ptr<Analyzer>> made = Analyzer::Create(analyzer->options);
  if (!made.ok()) return made.status();
  analyzer->analyzer = made.take();
  return {};
}

// Any int; what is too small or too large for its option is found when the analyzer is made.
Status Number(std::string_view name, std::string_view value, int* out) {
  // The whole text must be the number: `12ms` and the empty one are none.
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), *out);
  if (error == std::errc() && end == value.data() + value.size()) return {};
  return Status::InvalidArgument("option " + std::string(name) + " needs a number");
}

Status Add(std::string_view directory, std::vector<std::string>* directories) {
  directories->emplace_back(directory);
  return {};
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

Status SetLanguage(AnalyzerOptions* options, std::string_view name, std::string_view value) {
  bool chinese = false;
  Status status = Choice(name, value, "en", "zh", &chinese);
  if (status.ok()) options->language = chinese ? Language::kChinese : Language::kEnglish;
  return status;
}

// The names that ncclwhy_analyzer_set knows; the header lists them, too, which a test compares.
struct Option {
  std::string_view name;
  Status (*set)(AnalyzerOptions* options, std::string_view name, std::string_view value);
};
constexpr Option kOptions[] = {
    {"language", SetLanguage},
    {"top", [](AnalyzerOptions* o, std::string_view n, std::string_view v) { return Number(n, v, &o->top); }},
    {"seen", [](AnalyzerOptions* o, std::string_view n, std::string_view v) { return Number(n, v, &o->seen); }},
    {"jobs", [](AnalyzerOptions* o, std::string_view n, std::string_view v) { return Number(n, v, &o->jobs); }},
    {"job", [](AnalyzerOptions* o, std::string_view n, std::string_view v) { return Number(n, v, &o->job); }},
    {"attempt", [](AnalyzerOptions* o, std::string_view n, std::string_view v) { return Number(n, v, &o->attempt); }},
    {"kb", [](AnalyzerOptions* o, std::string_view, std::string_view v) { return Add(v, &o->kb_directories); }},
    {"rules", [](AnalyzerOptions* o, std::string_view, std::string_view v) { return Add(v, &o->rule_directories); }},
    {"database",
     [](AnalyzerOptions* o, std::string_view, std::string_view v) {
       o->database = std::string(v);
       return Status();
     }},
    {"timeline", [](AnalyzerOptions* o, std::string_view n,
                    std::string_view v) { return Choice(n, v, "default", "full", &o->full_timeline); }},
    {"redact", [](AnalyzerOptions* o, std::string_view n,
                  std::string_view v) { return Choice(n, v, "false", "true", &o->redact); }},
};

Status Set(AnalyzerOptions* options, std::string_view name, std::string_view value) {
  for (const Option& option : kOptions) {
    if (option.name == name) return option.set(options, name, value);
  }
  std::string known;
  for (const Option& option : kOptions) known += (known.empty() ? "" : ", ") + std::string(option.name);
  return Status::InvalidArgument("there is no option '" + std::string(name) + "'; known are " + known);
  // With all names that there are: an option that was misspelled is found without the header.
}

// Keeps `text` in the handle, for the caller to read.
Status Give(ncclwhy_analyzer* analyzer, Result<std::string> made, const char** text, size_t* length) {
  if (!made.ok()) return made.status();
  analyzer->text = made.take();
  *text = analyzer->text.c_str();
  if (length != nullptr) *length = analyzer->text.size();
  return {};
}

}  // namespace

extern "C" {

// A pointer to a constant: never freed, good from any thread.
const char* ncclwhy_version(void) { return NCCLWHY_VERSION; }

// Null without memory; everything below takes null for a handle that is in use and answers with a code.
ncclwhy_analyzer* ncclwhy_analyzer_new(void) { return new (std::nothrow) ncclwhy_analyzer; }

void ncclwhy_analyzer_free(ncclwhy_analyzer* analyzer) { Free(analyzer); }

ncclwhy_code ncclwhy_analyzer_set(ncclwhy_analyzer* analyzer, const char* name, size_t name_length, const char* value,
                                  size_t value_length) {
  return Guarded(analyzer, {{name, name_length}, {value, value_length}}, [&]() -> Status {
    if (analyzer->analyzer) return Status::InvalidArgument("options are set before the first source");
    return Set(&analyzer->options, View(name, name_length), View(value, value_length));
  });
}

ncclwhy_code ncclwhy_analyzer_add_file(ncclwhy_analyzer* analyzer, const char* path, size_t length) {
  return Guarded(analyzer, {{path, length}}, [&]() -> Status {
    if (Status status = Ready(analyzer); !status.ok()) return status;
    return analyzer->analyzer->AddFile(std::string(View(path, length)));
  });
}

ncclwhy_code ncclwhy_analyzer_begin(ncclwhy_analyzer* analyzer, const char* name, size_t length) {
  return Guarded(analyzer, {{name, length}}, [&]() -> Status {
    if (Status status = Ready(analyzer); !status.ok()) return status;
    return analyzer->analyzer->Begin(View(name, length));
  });
}

ncclwhy_code ncclwhy_analyzer_push(ncclwhy_analyzer* analyzer, const void* bytes, size_t length) {
  return Guarded(analyzer, {{bytes, length}}, [&]() -> Status {
    if (Status status = Ready(analyzer); !status.ok()) return status;
    return analyzer->analyzer->Push(View(bytes, length));
  });
}

ncclwhy_code ncclwhy_analyzer_end(ncclwhy_analyzer* analyzer) {
  return Guarded(analyzer, {}, [&]() -> Status {
    if (Status status = Ready(analyzer); !status.ok()) return status;
    return analyzer->analyzer->EndSource();
  });
}

// Null in `report` unless it is NCCLWHY_OK, also for a handle that is busy or null.
ncclwhy_code ncclwhy_analyzer_finish(ncclwhy_analyzer* analyzer, ncclwhy_report** report) {
  // Before the handle is taken: the caller may free whatever stands there when the call fails.
  if (report != nullptr) *report = nullptr;
  return Guarded(analyzer, {}, [&]() -> Status {
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

ncclwhy_code ncclwhy_explain(ncclwhy_analyzer* analyzer, const char* what, size_t length, const char** text,
                             size_t* text_length) {
  // A text of another call stays in the handle where this one fails, but no pointer to it is given.
  if (text != nullptr) *text = nullptr;
  return Guarded(analyzer, {{what, length}}, [&]() -> Status {
    if (text == nullptr) return Status::InvalidArgument("explain needs a place for the text");
    const ReportFormat format{analyzer->options.language};
    return Give(analyzer, ncclwhy::Explain(View(what, length), analyzer->options, format), text, text_length);
  });
}

ncclwhy_code ncclwhy_diff(ncclwhy_analyzer* analyzer, const char* good, size_t good_length, const char* bad,
                          size_t bad_length, const char* format, size_t format_length, int* differ, const char** text,
                          size_t* text_length) {
  if (text != nullptr) *text = nullptr;
  return Guarded(analyzer, {{good, good_length}, {bad, bad_length}, {format, format_length}}, [&]() -> Status {
    if (text == nullptr) return Status::InvalidArgument("diff needs a place for the text");
    const Result<ncclwhy::JobDiff> diff =
        ncclwhy::Diff(std::string(View(good, good_length)), std::string(View(bad, bad_length)), analyzer->options);
    if (!diff.ok()) return diff.status();
    if (differ != nullptr) *differ = diff.value().same() ? 0 : 1;
    const ReportFormat options{analyzer->options.language};
    return Give(analyzer, ncclwhy::RenderDiff(diff.value(), View(format, format_length), options), text, text_length);
  });
}

// Good until the next call with the handle. Asked while another thread uses it, the text could change under the reader:
// a constant sentence is given instead.
const char* ncclwhy_analyzer_error(const ncclwhy_analyzer* analyzer) {
  if (analyzer == nullptr) return "";
  return analyzer->in_use.busy() ? kBusy : analyzer->error.c_str();
}

void ncclwhy_report_free(ncclwhy_report* report) { Free(report); }

// What follows up to the rendering only reads a report that nothing changes any more, so none of it takes the handle:
// several threads may ask at once.
ncclwhy_verdict ncclwhy_report_verdict(const ncclwhy_report* report) {
  return report == nullptr ? NCCLWHY_VERDICT_UNDETERMINED : static_cast<ncclwhy_verdict>(report->report.verdict);
}

int ncclwhy_report_exit_status(const ncclwhy_report* report) {
  return report == nullptr ? 2 : ncclwhy::ExitStatus(report->report);
}

// The id, as in kb/causes; empty where no cause is named, though some may be listed. Lives as long as the report.
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

// Of the cause that is named, between 0 and 1; 0 where none is.
double ncclwhy_report_confidence(const ncclwhy_report* report) {
  return *ncclwhy_report_cause(report) == '\0' ? 0 : report->report.causes.front().confidence;
}

ncclwhy_code ncclwhy_report_render(ncclwhy_report* report, const char* format, size_t format_length, const char** text,
                                   size_t* length) {
  if (text == nullptr) return NCCLWHY_ERROR_INVALID_ARGUMENT;
  // The text is kept in the handle, so a second call meanwhile is refused: it would change the first one's text.
  *text = nullptr;
  const Hold<ncclwhy_report> hold(report);
  if (!hold || !IsText({format, format_length})) return NCCLWHY_ERROR_INVALID_ARGUMENT;
  const ReportFormat options{report->language};
  Result<std::string> made = ncclwhy::RenderReport(report->report, View(format, format_length), options);
  if (!made.ok()) return static_cast<ncclwhy_code>(made.status().code());
  report->text = made.take();
  *text = report->text.c_str();
  if (length != nullptr) *length = report->text.size();
  return NCCLWHY_OK;
}

}  // extern "C"
