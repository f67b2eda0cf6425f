// Words: every label and sentence frame of the human formats, in one place per language. Knowledge about causes is not
// here (kb/). Frames are fmt format strings; "one|many" holds the two English number forms.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ncclwhy/language.h"

namespace ncclwhy {

struct Words {
  std::string_view code;  // BCP 47, for <html lang>
  // verdicts
  std::string_view failure, healthy, healthy_so_far, unfinished, undetermined, no_nccl, degraded;
  std::string_view excerpt_sentence;  // {count} one|many: an outcome that is not known, and nothing failed
  std::string_view failure_sentence, healthy_sentence, undetermined_sentence, incomplete_sentence, no_nccl_sentence,
      degraded_sentence, empty_sentence, nothing_read_sentence;
  std::string_view confidence;  // {percent}
  // outcomes
  std::string_view outcome, succeeded, failed, hung, hung_or_cut, in_init, after_init, stopped, shown_at, over_at,
      earlier_attempt, jobs;
  std::string_view unknown;  // {count} one|many lines
  // how sure, in words
  std::string_view nearly_certain, very_likely, likely, possible, why_sure;
  // what to do
  std::string_view decision, rerun, rerun_without, fix_first, undecided;  // rerun_without: {hosts}
  std::string_view device_of;                                             // {host} {device}
  std::string_view then_rerun, then_end_and_rerun;                        // after a look
  std::string_view end_first;                                             // of a job that hangs
  // the short answer
  std::string_view in_folder;      // {title} {folder}
  std::string_view last_of_rank;   // {rank}
  std::string_view shown_already;  // {tool} {place}: what a command would show
  std::string_view unproven, harmless, got_over, ends_with;
  std::string_view only_follow;  // {}: the ranks
  std::string_view chain, check, contradiction, or_else, warning, problem, more, more_full, fixes_elsewhere;
  std::string_view more_explain;  // {cause}
  // section titles
  std::string_view culprit, meaning, evidence, fix, confirm, alternatives, candidates, collect, consequences, failing,
      warnings;
  std::string_view seen_before;
  std::string_view problems, references, job, ranks, transports, communicators, details;
  // culprits: {value}
  std::string_view rank, ranks_of_host, on_host, pid, gpu, clause_separator, saved, saved_step, why_separator,
      then_separator, clause_stop;
  std::string_view more_culprits;  // {count} one|many
  // evidence
  std::string_view direct, supporting, contradicting, absent;
  std::string_view also;                                                                     // {places}
  std::string_view more_evidence, more_fixes, more_consequences, more_warnings, more_items;  // {count} one|many
  std::string_view label;   // {name}: in front of a text
  std::string_view cost;    // {cost}
  std::string_view run_on;  // {host} of a command
  std::string_view times;   // {count} repeated lines
  // job: {value} or {count}
  std::string_view nccl_version, hosts, processes, list_separator;
  std::string_view all_ranks, of_ranks;  // {nranks} one|many; {seen} {nranks}
  std::string_view communicators_of;     // {communicators} {nranks} {seen} one|many
  std::string_view coverage_lines;       // {lines} {sources}, see phrases.cc
  std::string_view coverage_sources;
  std::string_view lines_read, bytes_read, of_sources;  // {count} one|many
  std::string_view coverage_none;
  std::string_view coverage_classes;  // {nccl} {recognised} {unrecognised} {foreign} {damaged}
  // pictures and tables
  std::string_view stage, host, unseen, seen, first_failure, channels, search, from, to, last_line, count, hosts_alike;
  std::string_view no_transports, nothing_matches, lines_around, every_rank, some_ranks, more_channels;
  // explain
  std::string_view mistaken_for, read_since, read_until, read_by, type, default_value, values, effect, must_agree,
      example, mistake;
  std::string_view replaced_by, never_read, nearest, printed_as, printed_since, printed_until, printed_in, points_at;
  std::string_view benign, secondary, symptom, context, never, explain_hint, unknown_name, did_you_mean;
  // diff
  std::string_view diff_good, diff_bad, diff_same, diff_settings, diff_only_bad, diff_only_good, diff_arrow;
  // clocks of hosts that stand apart, see clock_words.cc
  std::string_view clocks, clock_ahead, clock_behind;  // {host} {reference} {offset} {error} {events}
  std::string_view clock_events;                       // {count} one|many
  std::string_view clock_moved, clock_zone, clock_unknown;
  std::string_view clock_units;                                                                     // s|min|h
  std::string_view copy, copy_markdown, copy_slack, story, calls, calls_differ, call, ranks_named;  // html
  // the picture of the story: what its marks mean, its axis, a rank without a log
  std::string_view lane_log, lane_work, lane_wait, lane_alarm, lane_broke, lane_ended;
  std::string_view axis_calls, axis_steps, lanes_left;  // lanes_left: {count} one|many
  std::string_view took;                                // {duration}, of the foot
  // within_budget.h
  std::string_view left_out, left_out_rest;  // {list}
  std::string_view environment;
  std::string_view more_differences, more_messages;  // {count} one|many
};

const Words& WordsOf(Language language);

// The form of "one|many" for `n`; the whole text when it has only one form.
std::string_view Plural(std::string_view forms, uint64_t n);

}  // namespace ncclwhy
