/* C API of ncclwhy.
 *
 * Conventions
 *  1. Handles are opaque; the caller frees what a *_new or _finish function returned with the matching *_free, which
 *     accept NULL.
 *  2. Text goes in as pointer and length and need not end in NUL. A length without a pointer, or beyond PTRDIFF_MAX, is
 *     NCCLWHY_ERROR_INVALID_ARGUMENT. Text comes out as a pointer into the handle that returned it, with its length; it
 *     ends in NUL, too, and lives until the handle is freed or, where said so, until the next call that returns text
 *     from the same handle.
 *  3. Functions that can fail return an ncclwhy_code. ncclwhy_analyzer_error() has the sentence for a person.
 *  4. No C++ exception leaves the library: running out of memory is NCCLWHY_ERROR_INTERNAL. The one place where this
 *     cannot be promised is inside RE2, which matches patterns and knows no exceptions: 16 MiB are asked for before
 *     each call of it, and the code is returned when they are not there; if another thread takes them meanwhile and an
 *     allocation inside RE2 fails, the process ends.
 *  5. A handle is used by one call at a time; different handles by any threads. A second call meanwhile, also from a
 *     signal handler, is refused with NCCLWHY_ERROR_INVALID_ARGUMENT; a handle that is freed meanwhile lives until that
 *     call is done. A freed handle is no handle any more: freeing it again or asking it for anything is undefined, as
 *     with free(3). There is no global state.
 *  6. Within a major version symbols and values are only added. Codes, verdicts, outcomes and actions may grow: treat
 *     unknown ones as NCCLWHY_ERROR_INTERNAL, NCCLWHY_VERDICT_UNDETERMINED, …_UNKNOWN and …_UNDECIDED.
 *
 *   ncclwhy_analyzer* analyzer = ncclwhy_analyzer_new();
 *   ncclwhy_analyzer_add_file(analyzer, path, strlen(path));
 *   ncclwhy_report* report = NULL;
 *   if (ncclwhy_analyzer_finish(analyzer, &report) == NCCLWHY_OK) {
 *     const char* text; size_t length;
 *     ncclwhy_report_render(report, "json", 4, &text, &length);
 *     fwrite(text, 1, length, stdout);
 *   }
 *   ncclwhy_report_free(report);
 *   ncclwhy_analyzer_free(analyzer);
 */
#ifndef NCCLWHY_NCCLWHY_H_
#define NCCLWHY_NCCLWHY_H_

#include <stddef.h>

#include "ncclwhy/export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ncclwhy_analyzer ncclwhy_analyzer;
typedef struct ncclwhy_report ncclwhy_report;

typedef enum ncclwhy_code {
  NCCLWHY_OK = 0,
  NCCLWHY_ERROR_INVALID_ARGUMENT = 1,
  NCCLWHY_ERROR_NOT_FOUND = 2,
  NCCLWHY_ERROR_IO = 3,
  NCCLWHY_ERROR_CORRUPT = 4,
  NCCLWHY_ERROR_LIMIT = 5,
  NCCLWHY_ERROR_INTERNAL = 6
} ncclwhy_code;

typedef enum ncclwhy_verdict {
  NCCLWHY_VERDICT_FAILURE = 0,
  NCCLWHY_VERDICT_HEALTHY = 1,
  NCCLWHY_VERDICT_UNDETERMINED = 2,
  NCCLWHY_VERDICT_NO_NCCL = 3,
  NCCLWHY_VERDICT_DEGRADED = 4
} ncclwhy_verdict;

/* What became of the job. STOPPED: ended from outside; UNKNOWN: the logs end before the job did, or are an excerpt. */
typedef enum ncclwhy_outcome {
  NCCLWHY_OUTCOME_SUCCEEDED = 0,
  NCCLWHY_OUTCOME_FAILED = 1,
  NCCLWHY_OUTCOME_HUNG = 2,
  NCCLWHY_OUTCOME_STOPPED = 3,
  NCCLWHY_OUTCOME_UNKNOWN = 4
} ncclwhy_outcome;

/* What to do now. UNDECIDED also when there is nothing to decide. */
typedef enum ncclwhy_action {
  NCCLWHY_ACTION_UNDECIDED = 0,
  NCCLWHY_ACTION_RERUN = 1,
  NCCLWHY_ACTION_RERUN_WITHOUT = 2,
  NCCLWHY_ACTION_FIX_FIRST = 3
} ncclwhy_action;

/* The library's version, e.g. "0.1.0"; may differ from NCCLWHY_VERSION of the headers. */
NCCLWHY_EXPORT const char* ncclwhy_version(void);

/* NULL only when memory runs out. */
NCCLWHY_EXPORT ncclwhy_analyzer* ncclwhy_analyzer_new(void);
NCCLWHY_EXPORT void ncclwhy_analyzer_free(ncclwhy_analyzer* analyzer);

/* Options, before the first source. `name` is one of
 *   language (en, zh), top, seen, jobs (numbers), job, attempt (of several in one place the one to report on, from 1),
 *   kb, rules (a directory; may be set repeatedly), database (a path), timeline (default, full), redact (true, false).
 */
NCCLWHY_EXPORT ncclwhy_code ncclwhy_analyzer_set(ncclwhy_analyzer* analyzer, const char* name, size_t name_length,
                                                 const char* value, size_t value_length);

/* A file, directory, archive, glob, or "-". It is read by ncclwhy_analyzer_finish. */
NCCLWHY_EXPORT ncclwhy_code ncclwhy_analyzer_add_file(ncclwhy_analyzer* analyzer, const char* path, size_t length);

/* A source whose bytes the caller has: begin, push any number of times, end. */
NCCLWHY_EXPORT ncclwhy_code ncclwhy_analyzer_begin(ncclwhy_analyzer* analyzer, const char* name, size_t length);
NCCLWHY_EXPORT ncclwhy_code ncclwhy_analyzer_push(ncclwhy_analyzer* analyzer, const void* bytes, size_t length);
NCCLWHY_EXPORT ncclwhy_code ncclwhy_analyzer_end(ncclwhy_analyzer* analyzer);

/* Reads and analyses everything; once. Stores a report that the caller frees, or NULL on failure. The report outlives
 * the analyzer. */
NCCLWHY_EXPORT ncclwhy_code ncclwhy_analyzer_finish(ncclwhy_analyzer* analyzer, ncclwhy_report** report);

/* What is known, without any log, about `what`: the id of a cause, a variable, a table and a code ("xid 79"), a message
 * or a line of a log; with length 0 all causes, one line each. NCCLWHY_ERROR_NOT_FOUND when nothing is, with what is
 * similar in ncclwhy_analyzer_error(). Of the handle it uses language, kb and rules, which stay open to be set. The
 * text lives until the next call of this function or of ncclwhy_diff with the same handle. `text_length` may be NULL.
 */
NCCLWHY_EXPORT ncclwhy_code ncclwhy_explain(ncclwhy_analyzer* analyzer, const char* what, size_t length,
                                            const char** text, size_t* text_length);

/* What differs between a run that worked and one that did not: each a file, directory, archive or glob. `format` is
 * text (one screen) or json (everything). Of the handle it uses language, top, jobs, kb and rules. `differ`, which may
 * be NULL, becomes 1 or 0. The text lives as that of ncclwhy_explain. `text_length` may be NULL. */
NCCLWHY_EXPORT ncclwhy_code ncclwhy_diff(ncclwhy_analyzer* analyzer, const char* good, size_t good_length,
                                         const char* bad, size_t bad_length, const char* format, size_t format_length,
                                         int* differ, const char** text, size_t* text_length);

/* One sentence about the last failure of this handle; "" when there was none. Valid until the next call. */
NCCLWHY_EXPORT const char* ncclwhy_analyzer_error(const ncclwhy_analyzer* analyzer);

NCCLWHY_EXPORT void ncclwhy_report_free(ncclwhy_report* report);
NCCLWHY_EXPORT ncclwhy_verdict ncclwhy_report_verdict(const ncclwhy_report* report);
/* What the command would exit with: 0, 1, 2 or 3. */
NCCLWHY_EXPORT int ncclwhy_report_exit_status(const ncclwhy_report* report);
NCCLWHY_EXPORT ncclwhy_outcome ncclwhy_report_outcome(const ncclwhy_report* report);
/* How far the job came, e.g. "41,200 iterations in 3 h 12 min"; "" when the logs do not tell. */
NCCLWHY_EXPORT const char* ncclwhy_report_progress(const ncclwhy_report* report);
/* Rerun, rerun without hosts, or fix first; the hosts and the reason are in the JSON's `decision`. */
NCCLWHY_EXPORT ncclwhy_action ncclwhy_report_action(const ncclwhy_report* report);
/* The id of the cause that is named for a failure or a degraded job, e.g. "shm.too-small"; "" when none is. */
NCCLWHY_EXPORT const char* ncclwhy_report_cause(const ncclwhy_report* report);
/* Its probability, 0 to 1; 0 when none is named. */
NCCLWHY_EXPORT double ncclwhy_report_confidence(const ncclwhy_report* report);

/* Renders as text (the short answer), full (all of it as text), json, markdown, html or another format that
 * `ncclwhy --help` lists. The text lives until the next call of this function with the same report. `length` may be
 * NULL. */
NCCLWHY_EXPORT ncclwhy_code ncclwhy_report_render(ncclwhy_report* report, const char* format, size_t format_length,
                                                  const char** text, size_t* length);

#ifdef __cplusplus
}
#endif

#endif /* NCCLWHY_NCCLWHY_H_ */
