#!/usr/bin/env bash
# The static program: needs no library, runs in an empty root and with the limits of one, serves, is small.
# static_test.sh SOURCE LOG CAUSE
set -euo pipefail
source=$1 log=$2 cause=$3
for library in re2 archive sqlite3 zstd lz4 lzma bz2 z nettle; do
  [ -f "$(g++ -print-file-name=lib$library.a)" ] || { echo "skipped: there is no lib$library.a"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

# Where it always is, and with paths relative to it: the compiler cache then has what other builds of these sources made.
echo "== build"
start=$SECONDS
cd "$source"
cmake --preset static >"$work/log" || { cat "$work/log"; exit 1; }
CCACHE_BASEDIR=$source CCACHE_NOHASHDIR=1 cmake --build build/static --target ncclwhy_cli >"$work/log" ||
  { tail -n 40 "$work/log"; exit 1; }
echo "built in $((SECONDS - start)) s (with what the compiler cache has)"
program=$source/build/static/ncclwhy

echo "== what it is"
size=$(stat -c %s "$program")
echo "$size bytes, $("$program" --version)"
((size <= 24000000)) || fail "larger than 24 MB"
readelf --dynamic --program-headers "$program" >"$work/elf"
grep -E 'NEEDED|INTERP|RUNPATH' "$work/elf" && fail "needs what is not in it"
grep -q 'BIND_NOW\|NOW' "$work/elf" && grep -q 'PIE' "$work/elf" || fail "not linked as a hardened program is"
source_of='\([0-9a-f]{12,40}\+?, [0-9]{4}-[0-9]{2}-[0-9]{2}\)'
[[ $("$program" --version) =~ ^ncclwhy\ [0-9.]+(\ $source_of)?$ ]] || fail "--version"
git -C "$source" rev-parse HEAD >/dev/null 2>&1 && ! [[ $("$program" --version) =~ $source_of ]] && fail "--version tells no commit"

echo "== in an empty root"
root=$work/root
mkdir "$root"
cp "$program" "$root/ncclwhy"
cp "$log" "$root/job.log"
gzip -c "$log" >"$root/job.log.gz"
xz -c "$log" >"$root/job.log.xz"
bzip2 -c "$log" >"$root/job.log.bz2"
command -v zstd >/dev/null && zstd -q -c "$log" >"$root/job.log.zst"
command -v lz4 >/dev/null && lz4 -q -c "$log" >"$root/job.log.lz4"
tar -C "$root" -czf "$root/job.tgz" job.log
python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED).write(sys.argv[2], "job.log")' \
  "$root/job.zip" "$root/job.log"
enter=(env -i PATH="$PATH:/usr/sbin" unshare --user --map-root-user chroot "$root")
"${enter[@]}" /ncclwhy --version >/dev/null 2>&1 || enter=(env -i PATH="$PATH:/usr/sbin" chroot "$root")
"${enter[@]}" /ncclwhy --version >/dev/null 2>&1 || { echo "skipped: neither root nor user name spaces"; exit 77; }
for file in "$root"/job.*; do
  status=0
  "${enter[@]}" /ncclwhy "/${file##*/}" >"$work/report" 2>"$work/errors" || status=$?
  [ $status = 1 ] && grep -qF "($cause," "$work/report" || { cat "$work/report" "$work/errors"; fail "${file##*/}: $status"; }
done
echo "read $(cd "$root" && echo job.*)"
"${enter[@]}" /ncclwhy explain "$cause" >/dev/null
mkdir "$root/tmp"
"${enter[@]}" /ncclwhy --db /job.db --format html -o /why.html /job.log >/dev/null || [ $? = 1 ]
[ -s "$root/job.db" ] && [ -s "$root/why.html" ] || fail "no timeline or page"

echo "== how long a paste takes"
python3 - "$program" "$log" <<'P'
import subprocess, sys, time
times = []
for _ in range(20):
    start = time.perf_counter()
    subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
    times.append(time.perf_counter() - start)
print("%.1f ms, the quickest of 20" % (min(times) * 1000))
P

echo "== it serves"
"${enter[@]}" /ncclwhy serve --listen 127.0.0.1:0 >"$work/url" 2>/dev/null &
server=$!
trap 'kill $server || true; rm -rf "$work"' EXIT
for _ in $(seq 100); do [ -s "$work/url" ] && break; sleep 0.05; done
python3 - "$(sed 's/.* //' "$work/url")" "$log" "$cause" <<'P'
import sys, urllib.request
url, log, cause = sys.argv[1:]
answer = urllib.request.urlopen(url.rstrip("/") + "/analyze?format=summary", open(log, "rb").read()).read().decode()
assert cause in answer, answer
P
kill $server && wait $server
trap 'rm -rf "$work"' EXIT

echo "== done"
