#!/usr/bin/env bash
# explain-exit.sh COMMAND…: runs it, ends with its status, and when that is bad leaves one line that says why where the next
# one looks: Kubernetes' termination message (kubectl describe pod) and torchelastic's error file.
#
#   NCCLWHY_LOGS               more logs, such as what NCCL_DEBUG_FILE names; several on lines of their own, or with spaces
#                              between where no name has one
#   NCCLWHY_TERMINATION_LOG    default /dev/termination-log, where that is there
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
log=$(mktemp) || exec "$@"
trap 'rm -f "$log"' EXIT
child=
# Who ends the container asks this shell; the command is what has to know.
ended=
trap 'ended=1; [ -n "$child" ] && kill -TERM "$child" 2> /dev/null' TERM
trap 'ended=1; [ -n "$child" ] && kill -INT "$child" 2> /dev/null' INT
# Its last 64 MiB would be enough; a disk that is full must not end the job.
"$@" > >(tee --output-error=warn-nopipe "$log" 2> /dev/null) 2>&1 &
child=$!
wait "$child"
status=$?
while kill -0 "$child" 2> /dev/null; do wait "$child"; status=$?; done
[ $status = 0 ] && exit 0

logs=("$log")
while IFS= read -r name; do
  # shellcheck disable=SC2206  # patterns are meant
  if [ -e "$name" ]; then logs+=("$name"); else logs+=($name); fi
done <<< "${NCCLWHY_LOGS:-}"
sleep 0.2  # until tee has written the last line
reason=$(timeout --kill-after=2 "${NCCLWHY_SECONDS:-20}" ncclwhy --quiet -- "${logs[@]}" 2> /dev/null | head -n 1)
[ -n "$reason" ] || exit $status
reason=$(short "$reason")
place=${NCCLWHY_TERMINATION_LOG:-/dev/termination-log}
[ -w "$place" ] && printf '%s\n' "$reason" > "$place"
# torchelastic takes the earliest of these for the root cause: a rank that torchrun itself ended writes none. A traceback
# that the program left there itself stays.
if [ -z "$ended" ] && [ -n "${TORCHELASTIC_ERROR_FILE:-}" ] && [ ! -s "$TORCHELASTIC_ERROR_FILE" ]; then
  text=${reason//\\/\\\\}
  printf '{"message": {"message": "%s", "extraInfo": {"py_callstack": "", "timestamp": "%s"}}}\n' \
    "${text//\"/\\\"}" "$(date +%s)" > "$TORCHELASTIC_ERROR_FILE"
fi
exit $status
