#!/usr/bin/env bash
# A release as samples/ci/release.yml makes it: its packages in a Debian 12, all artefacts for both machines from the committed
# sources. Those of 64-bit ARM are used by arm64/. clean_release_test.sh SOURCE ROOTS LOG CAUSE; leaves the artefacts in ROOTS/cross/out, the
# builds in ROOTS/cross/source. Takes twenty minutes without a compiler cache, and 4 GB.
set -euo pipefail
source=$1 log=$3 cause=$4
. "$(dirname "$0")/debian.sh"
debian_begin "$2"
git -C "$source" rev-parse HEAD >/dev/null 2>&1 || skip "no git"

echo "== a Debian with cross compilers"
cross_root "$source"

echo "== all artefacts"
rm -rf "$cross/source" "$cross/out"
mkdir "$cross/source"
git -C "$source" archive HEAD | tar -C "$cross/source" -xf -
cp "$log" "$cross/job.log"
start=$SECONDS
in_root "$cross" env NCCLWHY_RELEASE=all /source/src/packaging/release.sh /out || fail "release.sh"
echo "made in $((SECONDS - start)) s (with what the compiler cache has)"
[ "$(dpkg-deb --field "$cross"/out/ncclwhy_*_arm64.deb Architecture)" = arm64 ] || fail "the .deb for arm64 is for another machine"
in_root "$cross" python3 -B /source/tests/packaging/artefacts_test.py /out /job.log "$cause" || fail "artefacts"
in_root "$cross" bash /source/tests/packaging/wheel_test.sh /out /job.log "$cause" || fail "wheel"
echo "== done"
