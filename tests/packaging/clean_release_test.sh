#!/usr/bin/env bash
# A release as samples/ci/release.yml makes it: its packages in a fresh Debian 12, all artefacts for both machines from the committed
# sources, and each tried there; those for 64-bit ARM under qemu, the package in a root of that architecture.
# clean_release_test.sh SOURCE LOG CAUSE. Takes half an hour and 4 GB below $TMPDIR.
set -euo pipefail
source=$1 log=$2 cause=$3
[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null || { echo "skipped: needs root and debootstrap"; exit 77; }
git -C "$source" rev-parse HEAD >/dev/null 2>&1 || { echo "skipped: no git"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
root=$work/root mirror=http://deb.debian.org/debian
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 chroot "$root" "$@"; }

echo "== the packages that release.yml installs"
debootstrap --variant=minbase bookworm "$root" $mirror >"$work/log" 2>&1 || { echo "skipped: $(tail -n 1 "$work/log")"; exit 77; }
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
python3 - "$source/samples/ci/release.yml" >"$root/install.sh" <<'P'
import re, sys
# The first step's script, without a YAML parser: lines below "run: |", of its depth.
text = open(sys.argv[1]).read()
block = re.search(r"run: \|\n((?: {10}.*\n)+)", text)[1]
print("set -e\nexport DEBIAN_FRONTEND=noninteractive\n" + re.sub(r"(?m)^ {10}", "", block))
P
grep -q crossbuild-essential-arm64 "$root/install.sh" || fail "release.yml installs no cross compiler"
inside bash /install.sh >"$work/log" 2>&1 || {
  grep -Eq 'ailed to fetch|nable to fetch|ould not resolve' "$work/log" && { echo "skipped: $(tail -n 1 "$work/log")"; exit 77; }
  tail -n 20 "$work/log"
  fail "its packages cannot be installed"
}

echo "== all artefacts"
mkdir "$root/source"
git -C "$source" archive HEAD | tar -C "$root/source" -xf -
cp "$log" "$root/job.log"
start=$SECONDS
inside env NCCLWHY_RELEASE=all /source/src/packaging/release.sh /out || fail "release.sh"
echo "made in $((SECONDS - start)) s"
inside python3 -B /source/tests/packaging/artefacts_test.py /out /job.log "$cause" || fail "artefacts"
inside bash /source/tests/packaging/wheel_test.sh /out /job.log "$cause" || fail "wheel"

echo "== the package for 64-bit ARM, in a root of that"
deb=$(echo "$root"/out/ncclwhy_*_arm64.deb)
[ "$(dpkg-deb --field "$deb" Architecture)" = arm64 ] || fail "$deb is for $(dpkg-deb --field "$deb" Architecture)"
# What it depends on, alternatives and versions left out. The second stage of debootstrap would need the kernel's help to run
# programs of another architecture, so packages are unpacked, not configured.
needs=$(dpkg-deb --field "$deb" Depends | tr ',' '\n' | sed 's/|.*//; s/(.*//; s/ //g' | paste -sd ,)
arm=$work/arm
debootstrap --foreign --arch=arm64 --variant=minbase --include="$needs" bookworm "$arm" $mirror >"$work/log" 2>&1 ||
  fail "what it depends on: $needs: $(tail -n 1 "$work/log")"
for package in "$arm"/var/cache/apt/archives/*.deb "$deb"; do dpkg-deb -x "$package" "$arm"; done
cp "$root/usr/bin/qemu-aarch64-static" "$arm/qemu"
cp "$log" "$arm/job.log"
cp "$root"/out/ncclwhy-*-linux-aarch64 "$arm/usr/bin/ncclwhy-static"
for program in ncclwhy ncclwhy-static; do
  status=0
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$arm" /qemu /usr/bin/$program /job.log >"$work/report" 2>"$work/errors" || status=$?
  [ $status = 1 ] && grep -qF "($cause," "$work/report" || { cat "$work/report" "$work/errors"; fail "$program: $status"; }
  echo "$program: $cause"
done
[ -s "$arm/usr/share/man/man1/ncclwhy.1.gz" ] || [ -s "$arm/usr/share/man/man1/ncclwhy.1" ] || fail "no manual"
[ -e "$arm/usr/lib/aarch64-linux-gnu/libncclwhy.so" ] || [ -e "$arm/usr/lib/libncclwhy.so" ] || fail "no library"
(cd "$root/out" && ls -l)
echo "== done"
