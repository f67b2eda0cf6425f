#!/usr/bin/env bash
# ncclwhy-ci.sh LOG...: why a job of CI failed, told where that CI system shows it. All samples here call it.
#
# One analysis; the outputs are in $NCCLWHY_OUT (why.html, why.md, why.json, why.xml for JUnit, why.sarif, summary.txt).
# Exit status 0, whatever the answer: it must not change what became of the job. What went wrong is said on standard error.
#
#   NCCLWHY_STATUS   success: nothing is done; failure, cancelled, timed-out … (default: failure)
#   NCCLWHY_OUT      folder of the outputs, default ncclwhy-report
#   NCCLWHY_SECONDS  for the analysis, default 120: systems grant a cancelled job a few minutes
#   NCCLWHY_REDACT   1 (default): aliases for hosts, addresses, users and paths in everything; 0: names
#   NCCLWHY_URL      of the static program, where no `ncclwhy` is installed; with NCCLWHY_SHA256, without which nothing is run
#   NCCLWHY_PR       GitHub: number of the pull request to comment on; one comment, which is updated
set -u
say() { printf 'ncclwhy-ci: %s\n' "$*" >&2; }

[ "${NCCLWHY_STATUS:-failure}" = success ] && exit 0
OUT=${NCCLWHY_OUT:-ncclwhy-report}
ROOT=$PWD
mkdir -p "$OUT" || { say "no folder $OUT"; exit 0; }

# The logs that are there: a killed job may have left none of some. A name like -delete is no option of find.
logs=()
for log in "$@"; do
  case $log in -*) log=./$log ;; esac
  [ -e "$log" ] && logs+=("$log")
done
[ ${#logs[@]} -gt 0 ] || { say "no log: $*"; exit 0; }

program=$(command -v ncclwhy) || program=
if [ -z "$program" ] && [ -n "${NCCLWHY_URL:-}" ]; then
  program=$(mktemp -d)/ncclwhy
  if [ -z "${NCCLWHY_SHA256:-}" ]; then
    say "NCCLWHY_SHA256 is not set; nothing is run that nobody can tell from something else"; exit 0
  fi
  curl -fsSL --retry 2 --max-time 60 "$NCCLWHY_URL" -o "$program" || { say "$NCCLWHY_URL cannot be fetched"; exit 0; }
  printf '%s  %s\n' "$NCCLWHY_SHA256" "$program" | sha256sum --check --status ||
    { rm -f "$program"; say "$NCCLWHY_URL is not what NCCLWHY_SHA256 promises"; exit 0; }
  chmod +x "$program"
fi
[ -n "$program" ] || { say "ncclwhy is not installed and NCCLWHY_URL is not set"; exit 0; }

redact=(--redact)
[ "${NCCLWHY_REDACT:-1}" = 0 ] && redact=()
timeout --kill-after=10 "${NCCLWHY_SECONDS:-120}" "$program" --quiet ${redact[@]+"${redact[@]}"} -o "$OUT/why.html" -o "$OUT/why.md" \
  -o "$OUT/why.json" -o "$OUT/why.xml" -o "$OUT/why.sarif" -o - "${logs[@]}" > "$OUT/summary.txt" 2> "$OUT/trouble.txt"
status=$?
cat "$OUT/trouble.txt" >&2
rm -f "$OUT/trouble.txt"
case $status in
  0 | 1 | 3) ;;
  124 | 137) say "no answer within ${NCCLWHY_SECONDS:-120} seconds"; exit 0 ;;
  *) [ -s "$OUT/summary.txt" ] || { say "the logs could not be read"; exit 0; } ;;
esac
summary=$(head -n 1 "$OUT/summary.txt")
printf '%s\n' "$summary"

# The deepest frame of the first traceback that is a file of this repository: "path line", or nothing. Frames of logs name
# files as the job saw them; only what git knows here is a place to point at.
frame() {
  find "${logs[@]}" -type f -exec cat {} + 2>/dev/null | head -c 256M | LC_ALL=C awk '
    /Traceback \(most recent call last\)/ { if (found) exit; inside = 1 }
    inside && match($0, /File "[^"]+", line [0-9]+/) {
      part = substr($0, RSTART + 6, RLENGTH - 6); file = part; sub(/", line [0-9]+$/, "", file); sub(/^.*", line /, "", part)
      print file "\t" part; found = 1 }
    inside && /^[^ ]*(Error|Exception|Interrupt)\b/ { if (found) exit }' 2>/dev/null | head -n 200 |
  while IFS=$'\t' read -r file line; do
    file=${file#"$ROOT"/}; file=${file#./}
    case $file in /* | *..* | *[!A-Za-z0-9_./-]*) continue ;; esac
    git -C "$ROOT" ls-files --error-unmatch -- "$file" > /dev/null 2>&1 && printf '%s %s\n' "$file" "$line"
  done | tail -n 1
}
place=$(frame)

# GitHub's and Azure's commands take these characters escaped.
data() { local text=${1//%/%25}; text=${text//$'\r'/%0D}; printf '%s' "${text//$'\n'/%0A}"; }
property() { local text; text=$(data "$1"); text=${text//:/%3A}; printf '%s' "${text//,/%2C}"; }

on_github() {
  local where=
  [ -n "$place" ] && where="file=$(property "${place% *}"),line=${place##* },"
  printf '::error %stitle=%s::%s\n' "$where" "$(property "Why the job failed")" "$(data "$summary")"
  [ -n "${GITHUB_STEP_SUMMARY:-}" ] && cat "$OUT/why.md" >> "$GITHUB_STEP_SUMMARY"
  if [ -n "${GITHUB_OUTPUT:-}" ]; then
    printf 'summary=%s\nreport=%s\n' "$summary" "$OUT" >> "$GITHUB_OUTPUT"
    # Without a cause that is named the report may still list some.
    grep -Eq '^  "verdict": "(failure|degraded)"' "$OUT/why.json" &&
      printf 'cause=%s\n' "$(sed -n 's/^ *"id": "\([a-z0-9.-]*\)",\{0,1\}$/\1/p' "$OUT/why.json" | head -n 1)" >> "$GITHUB_OUTPUT"
  fi
  [ -n "${NCCLWHY_PR:-}" ] || return 0
  command -v gh > /dev/null || { say "no gh on this runner: no comment"; return 0; }
  # A fork's token may not write: the summary and the annotation are there all the same.
  local mark='<!-- ncclwhy -->' repo="repos/${GITHUB_REPOSITORY:-}" id
  { printf '%s\n' "$mark"; cat "$OUT/why.md"; } > "$OUT/comment.md"
  id=$(gh api --paginate "$repo/issues/$NCCLWHY_PR/comments" --jq ".[] | select(.body | startswith(\"$mark\")) | .id" 2> /dev/null | head -n 1)
  if [ -n "$id" ]; then
    gh api --method PATCH "$repo/issues/comments/$id" -F "body=@$OUT/comment.md" > /dev/null 2>&1
  else
    gh api --method POST "$repo/issues/$NCCLWHY_PR/comments" -F "body=@$OUT/comment.md" > /dev/null 2>&1
  fi || say "no comment: this token may not write one"
}

# Code quality points at lines of the repository; without one it is empty.
on_gitlab() {
  local text=${summary//\\/\\\\}
  if [ -n "$place" ]; then
    printf '[{"description":"%s","check_name":"ncclwhy","fingerprint":"%s","severity":"critical","location":{"path":"%s","lines":{"begin":%s}}}]\n' \
      "${text//\"/\\\"}" "$(printf '%s' "$place" | sha256sum | cut -c 1-64)" "${place% *}" "${place##* }"
  else
    echo '[]'
  fi > "$OUT/gl-code-quality.json"
}

on_buildkite() {
  command -v buildkite-agent > /dev/null || return 0
  buildkite-agent annotate --style error --context ncclwhy < "$OUT/why.md" || say "no annotation"
  (cd "$OUT" && buildkite-agent artifact upload "why.*") || say "no artifacts"
}

on_azure() {
  local where= text=${summary//%/%AZP25}
  [ -n "$place" ] && where="sourcepath=${place% *};linenumber=${place##* };"
  printf '##vso[task.logissue type=error;%s]%s\n' "$where" "$text"
  printf '##vso[task.uploadsummary]%s\n' "$(cd "$OUT" && pwd)/why.md"
}

[ -n "${GITHUB_ACTIONS:-}" ] && on_github
[ -n "${GITLAB_CI:-}" ] && on_gitlab
[ -n "${BUILDKITE:-}" ] && on_buildkite
[ -n "${TF_BUILD:-}" ] && on_azure
exit 0
