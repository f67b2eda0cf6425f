#!/usr/bin/env bash
# The README's first command, as it stands there, on a clone of the checkout in a Debian 12 that has nothing of what it needs. Its sample
# must be answered with the cause that the sample is labelled with. readme_test.sh SOURCE ROOTS
set -euo pipefail
source=$1
. "$(dirname "$0")/debian.sh"
debian_begin "$2"
git -C "$source" rev-parse HEAD >/dev/null 2>&1 || skip "no git"

# The first line that is indented as code, below "## Install".
command=$(sed -n '/^## Install/,/^## /{/^    /{s/^    //p;q}}' "$source/README.md")
[[ $command == *apt-get*cmake*ncclwhy* ]] || fail "what is the README's first command? $command"
sample=$(grep -oE '[^ ]+/\*\.log' <<<"$command") || fail "it answers no sample: $command"
cause=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["root_cause"])' "$source/${sample%/*}/incident.json")

base_root
root=$work/root
cp -a --reflink=auto "$roots/base" "$root"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
git clone -q --no-hardlinks "$source" "$root/ncclwhy"
# Root needs no sudo, and a minimal Debian has none.
printf '#!/bin/sh\nexec "$@"\n' >"$root/usr/local/bin/sudo"
chmod 755 "$root/usr/local/bin/sudo"
# Steps joined by && stop where one fails; so do these, and say how long each took: elapsed, and of the processors.
{
  echo 'step() { local status=0 TIMEFORMAT="%R %U %S $*"; { time "$@" 2>&4 || status=$?; } 4>&2 2>&3; [ $status = 0 ] || exit $status; }'
  sed 's/ && /\nstep /g; s/^/step /' <<<"$command"
} >"$root/steps"
echo "$(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg)"
status=0
"${clean[@]}" PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" \
  bash -c 'cd /ncclwhy && . /steps' >"$work/log" 2>&1 3>"$work/times" </dev/null || status=$?
while read -r elapsed user system step; do
  echo "$elapsed s (processors $user s + $system s): ${step:0:100}"
done <"$work/times"
[ $status = 1 ] || ! unreachable || skip "$(grep -E 'ailed|nable|ould not' "$work/log" | tail -n 1)"
[ $status = 1 ] && grep -F "($cause," "$work/log" || { tail -n 40 "$work/log"; fail "status $status, no $cause"; }
[ "$(grep -c '^step ' "$root/steps")" = "$(wc -l <"$work/times")" ] || fail "it ended before the sample was read"
