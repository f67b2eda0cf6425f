#!/usr/bin/env bash
# The artefacts for 64-bit ARM as people there use them, in a Debian 12 of that machine under qemu: the package that its dpkg installs
# and removes, the wheel that its pip installs, the image's files. artefacts_test.sh ROOTS LOG CAUSE, after packaging.clean-release.
set -euo pipefail
log=$2 cause=$3 here=$(cd "$(dirname "$0")" && pwd)
. "$here/../debian.sh"
debian_begin "$1"
out=$roots/cross/out
deb=$(echo "$out"/ncclwhy_*_arm64.deb) program=$(echo "$out"/ncclwhy-*-linux-aarch64) wheel=$(echo "$out"/ncclwhy-*_aarch64.whl)
[ -f "$deb" ] && [ -f "$program" ] || skip "packaging.clean-release made no artefacts for 64-bit ARM"
where_arm64_runs true || exit 77

# What it depends on, alternatives and versions left out: dpkg checks them.
needs=$(dpkg-deb --field "$deb" Depends | tr ',' '\n' | sed 's/|.*//; s/(.*//; s/ //g' | paste -sd ,)
arm64_root "python3-venv,$needs"
root=$work/root
cp -a --reflink=auto "$arm" "$root"
mkdir "$root/out"
cp "$log" "$root/job.log"
cp "$deb" "$program" "$root/out"
arm() { under_qemu "$root" "$@"; }
answers() { # answers WHAT COMMAND…
  local status=0 began=$EPOCHREALTIME
  arm "${@:2}" >"$work/report" 2>"$work/errors" || status=$?
  [ $status = 1 ] && grep -qF "$cause" "$work/report" || { cat "$work/report" "$work/errors"; fail "$1: $status"; }
  echo "$1: $cause ($((${EPOCHREALTIME/./} / 1000 - ${began/./} / 1000)) ms)"
}

echo "== the program, on $(arm uname -m), Debian $(cat "$root/etc/debian_version")"
answers "static program" "/out/${program##*/}" --summary /job.log

echo "== ${deb##*/}"
timed "dpkg --install" arm dpkg --install "/out/${deb##*/}" || fail "dpkg"
[[ $(arm dpkg-query -W -f '${Status}' ncclwhy) = "install ok installed" ]] || fail "not installed"
arm ldconfig -p >"$work/ldconfig"
grep -q 'libncclwhy\.so\.' "$work/ldconfig" || fail "the linker does not know libncclwhy"
[ -e "$root/usr/share/man/man1/ncclwhy.1" ] || [ -e "$root/usr/share/man/man1/ncclwhy.1.gz" ] || fail "no manual"
answers "ncclwhy" ncclwhy /job.log
for use in library program; do
  answers "python3, by the $use" python3 -B -c "
import platform, sys, ncclwhy
report = ncclwhy.analyze('/job.log', use='$use')
print(platform.machine(), sys.version, ncclwhy.__file__, report.cause.id)
sys.exit(1 if platform.machine() == 'aarch64' and 'dist-packages' in ncclwhy.__file__ else 2)"
done
timed "dpkg --remove" arm dpkg --remove ncclwhy || fail "dpkg --remove"
find "$root/usr" -name '*ncclwhy*' ! -path "$root/usr/share/doc/*" | grep . && fail "left behind"

if [ -f "$wheel" ]; then
  echo "== the wheel, with that root's pip"
  cp "$wheel" "$here/../wheel_test.sh" "$root/out"
  arm bash /out/wheel_test.sh /out /job.log "$cause" || fail "wheel"
fi

echo "== the image"
where_arm64_runs python3 -B "$here/../artefacts_test.py" ArmTest ArmImageTest "$out" "$log" "$cause" || fail "image"
echo "== done"
