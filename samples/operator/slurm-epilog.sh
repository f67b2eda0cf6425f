#!/usr/bin/env bash
# For EpilogSlurmctld: a failed job says why in its comment (squeue -o %k, scontrol show job) and at the end of its output.
#
# Runs as SlurmUser; the job's files are read and written as the job's user, so that a link in them leads nowhere new.
# NCCLWHY_HISTORY names a file for `ncclwhy history`; then healthy jobs are added, too.
set -u
# At most 1000 bytes, and whole characters: half of one is no text, and no JSON.
short() {
  local LC_ALL=C text=$1
  if [ ${#text} -gt 1000 ]; then
    text=${text:0:1000}
    while [[ $text == *[$'\x80'-$'\xbf'] ]]; do text=${text%?}; done
    text=${text%[$'\xc0'-$'\xff']}
  fi
  printf '%s' "$text"
}
job=${SLURM_JOB_ID:?}
user=${SLURM_JOB_USER:?}
shown=$(scontrol show job --oneliner "$job") || exit 0
field() { printf '%s\n' "$shown" | tr ' ' '\n' | sed -n "s/^$1=//p" | head -n 1; }
# A path may hold blanks: it ends where the next field begins.
path() { printf '%s\n' "$shown" | sed -n "s/.* $1=//; t found; d; :found; s/ [A-Z][A-Za-z]*=.*//; p" | head -n 1; }
failed=1
case "$(field JobState)" in COMPLETED | COMPLETING | RUNNING) [ "$(field ExitCode)" = 0:0 ] && failed=0 ;; esac
[ $failed = 1 ] || [ -n "${NCCLWHY_HISTORY:-}" ] || exit 0

output=$(path StdOut)
logs=("$output")
errors=$(path StdErr)
[ -n "$errors" ] && [ "$errors" != "$output" ] && logs+=("$errors")
as_user() { runuser -u "$user" -- timeout --kill-after=5 "${NCCLWHY_SECONDS:-60}" "$@"; }

if [ -n "${NCCLWHY_HISTORY:-}" ]; then
  as_user ncclwhy --json -- "${logs[@]}" 2> /dev/null | ncclwhy history add --quiet --key "slurm $job ${SLURM_CLUSTER_NAME:-}" "$NCCLWHY_HISTORY" -
fi
[ $failed = 1 ] || exit 0
reason=$(as_user ncclwhy --quiet -- "${logs[@]}" 2> /dev/null | head -n 1)
[ -n "$reason" ] || exit 0
# One word for scontrol; the comment is shown in tables.
scontrol update "JobId=$job" "Comment=ncclwhy: $(short "$reason")" || true
printf 'ncclwhy: %s\n' "$reason" | as_user tee --append -- "$output" > /dev/null
exit 0
