/* A program that embeds ncclwhy through its C API. argv[1]: a log whose cause is argv[2]. */
#include <ncclwhy/ncclwhy.h>
#include <stdio.h>
#include <string.h>

static int fail(const char* what, const char* detail) {
  fprintf(stderr, "%s: %s\n", what, detail);
  return 1;
}

/* A bad option is refused with a sentence, and the handle stays usable. */
static int refuses_unknown_option(ncclwhy_analyzer* analyzer) {
  if (ncclwhy_analyzer_set(analyzer, "colour", 6, "red", 3) != NCCLWHY_ERROR_INVALID_ARGUMENT) return 0;
  return strlen(ncclwhy_analyzer_error(analyzer)) > 0;
}

int main(int argc, char** argv) {
  ncclwhy_analyzer* analyzer = ncclwhy_analyzer_new();
  ncclwhy_report* report = NULL;
  const char* text = NULL;
  size_t length = 0;
  int status = 0;

  if (argc != 3 || analyzer == NULL) return fail("usage", "consumer LOG CAUSE");
  if (!refuses_unknown_option(analyzer)) return fail("option", "an unknown one was taken");
  if (ncclwhy_analyzer_set(analyzer, "top", 3, "1", 1) != NCCLWHY_OK) return fail("option", "top was refused");
  if (ncclwhy_analyzer_add_file(analyzer, argv[1], strlen(argv[1])) != NCCLWHY_OK ||
      ncclwhy_analyzer_finish(analyzer, &report) != NCCLWHY_OK) {
    return fail("finish", ncclwhy_analyzer_error(analyzer));
  }
  ncclwhy_analyzer_free(analyzer); /* the report outlives it */

  if (ncclwhy_report_verdict(report) != NCCLWHY_VERDICT_FAILURE) status = fail("verdict", "no failure");
  if (strcmp(ncclwhy_report_cause(report), argv[2]) != 0) status = fail("cause", ncclwhy_report_cause(report));
  if (ncclwhy_report_exit_status(report) != 1) status = fail("exit status", "is not 1");
  if (ncclwhy_report_outcome(report) == NCCLWHY_OUTCOME_SUCCEEDED) status = fail("outcome", "succeeded");
  if (ncclwhy_report_progress(report) == NULL) status = fail("progress", "is NULL");
  if (ncclwhy_report_action(report) > NCCLWHY_ACTION_FIX_FIRST) status = fail("action", "is unknown");
  if (ncclwhy_report_confidence(report) <= 0.5) status = fail("confidence", "is low");
  if (ncclwhy_report_render(report, "summary", 7, &text, &length) != NCCLWHY_OK || length == 0) {
    status = fail("render", "summary");
  } else {
    printf("ncclwhy %s: %s", ncclwhy_version(), text);
  }
  ncclwhy_report_free(report);
  return status;
}
