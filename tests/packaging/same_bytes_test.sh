#!/usr/bin/env bash
# A second build of the static program, of a copy of the sources elsewhere, gives the same bytes. same_bytes_test.sh SOURCE
set -euo pipefail
source=$1 program=$1/build/static/ncclwhy
[ -x "$program" ] || { echo "skipped: there is no static program"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git -C "$source" ls-files -z >"$work/files" 2>/dev/null || { echo "skipped: no git"; exit 77; }
mkdir "$work/elsewhere"
(cd "$source" && tar --null -T "$work/files" -cf -) | tar -C "$work/elsewhere" -xf -
said=$("$program" --version | sed -n 's/.*(\(.*\))/\1/p') # that copy is no repository
cd "$work/elsewhere"
cmake --preset static -D NCCLWHY_SOURCE_VERSION="$said" >"$work/log" || { cat "$work/log"; exit 1; }
CCACHE_DISABLE=1 cmake --build build/static --target ncclwhy_cli >"$work/log" || { tail -n 40 "$work/log"; exit 1; }
cmp build/static/ncclwhy "$program" || { echo "FAILED: two builds differ"; exit 1; }
echo "identical: $(sha256sum <"$program" | cut -c1-64)"
