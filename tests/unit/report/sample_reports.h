// Hand-made reports for the renderers' tests.
#pragma once

#include "ncclwhy/report.h"

namespace ncclwhy::testing {

// shm.too-small on rank 3 of 4, with a rival, fixes, consequences and a warning.
Report FailureReport();
Report HealthyReport();
// It ended well over sockets: the cause is what made it slow.
Report DegradedReport();
// Three jobs in one folder: one failed, one is not determined, one succeeded.
Report SeveralJobsReport();
// Two candidates, nothing named.
Report UndeterminedReport();
Report NoNcclReport();
// A failure in which every text that can come from a log or a file name attacks the reader: escape sequences, HTML,
// Markdown, workflow commands, bidi controls, invalid UTF-8.
Report HostileReport();
// `ranks` ranks on hosts of eight; the last rank left no log; every list is full.
Report LargeReport(int ranks);

// The bytes that attack, for tests that look for them in the output.
inline constexpr const char* kEscape = "\x1b[2J\x1b]0;owned\x07";
inline constexpr const char* kHtmlAttack = "<script>alert(1)</script>";
inline constexpr const char* kGithubAttack = "::set-output name=x::y";
inline constexpr const char* kBidi = "\xe2\x80\xae";  // right-to-left override
inline constexpr const char* kZeroWidth = "\xe2\x80\x8b";

}  // namespace ncclwhy::testing
