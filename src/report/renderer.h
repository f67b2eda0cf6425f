// Renderers: a Report in, the bytes of one output format out. They compute nothing about the failure, and they are the
// border at which the untrusted text of logs is escaped.
//
// Pure functions: same report and options, same bytes. No I/O, no clock, no environment.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ncclwhy/language.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

struct JobDiff;

// A URI for a line of a source of the report, empty where there is none (an archive's member, standard input).
using FileLink = std::function<std::string(const std::string& file, uint64_t line)>;

struct RenderOptions {
  Language language = Language::kEnglish;
  int width = 0;       // columns of the terminal; 0: piped, log lines are not shortened
  bool color = false;  // text only
  FileLink link = {};  // text on a terminal that follows links; empty: none
  // As it was typed, for the foot of the page; empty where it is not known or must not be shown. Not escaped.
  std::string command = {};
};

// A row of the table of formats (renderer.cc), the only list of them.
struct Format {
  std::string_view name;
  const char* media_type;   // for HTTP
  std::string_view suffix;  // of files that are meant to hold it; may be empty
  std::string (*render)(const Report& report, const RenderOptions& options);
};

// text first.
std::vector<std::string> FormatNames();
// Null when there is no such format.
const Format* FindFormat(std::string_view name);
// By the suffix of a file's name: why.sarif. Null when it says nothing.
const Format* FormatOfFile(std::string_view path);

// The short answer: at most kAnswerRows rows of 100 columns, kUndeterminedRows where candidates are listed, and a row
// for each of several jobs.
std::string RenderText(const Report& report, const RenderOptions& options);
inline constexpr size_t kAnswerRows = 20;
inline constexpr size_t kUndeterminedRows = 24;
// Everything for people, `-v`.
std::string RenderFull(const Report& report, const RenderOptions& options);
// `ncclwhy.report/1`, see report.schema.json.
std::string RenderJson(const Report& report, const RenderOptions& options);
// For issues and chats; always below kMarkdownCharacters.
std::string RenderMarkdown(const Report& report, const RenderOptions& options);
inline constexpr size_t kMarkdownCharacters = 60000;
// One self-contained page without external resources, under a strict content security policy.
std::string RenderHtml(const Report& report, const RenderOptions& options);
// SARIF 2.1.0: one result per cause and warning.
std::string RenderSarif(const Report& report, const RenderOptions& options);
std::string RenderJunit(const Report& report, const RenderOptions& options);
// GitHub workflow commands, at most kGithubAnnotations (GitHub shows ten of a kind per step).
std::string RenderGithub(const Report& report, const RenderOptions& options);
inline constexpr size_t kGithubAnnotations = 10;
// One line.
std::string RenderSummary(const Report& report, const RenderOptions& options);

// Chrome's trace format, for ui.perfetto.dev: a lane for each rank.
std::string RenderTrace(const Report& report, const RenderOptions& options);

// Of a comparison (ncclwhy/diff.h). One screen: settings, messages, and how many more.
std::string RenderDiffText(const JobDiff& diff, const RenderOptions& options);
// `ncclwhy.diff/1`: everything.
std::string RenderDiffJson(const JobDiff& diff, const RenderOptions& options);

}  // namespace ncclwhy
