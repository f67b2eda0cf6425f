#!/usr/bin/env bash
# The static program in the roots of other releases, as debootstrap's first stage unpacks them; the wheel in Ubuntu 20.04
# with that root's own Python. roots_test.sh SOURCE ARTEFACTS LOG CAUSE; a release whose mirror does not answer is skipped,
# and said.
set -uo pipefail
source=$1 artefacts=$2 log=$3 cause=$4
program=$source/build/static/ncclwhy
[ -x "$program" ] || { echo "skipped: no static program was built"; exit 77; }
[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null || { echo "skipped: needs root and debootstrap"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 done=0

in_root() { # in_root NAME ROOT COMMAND…
  local name=$1 root=$2 status=0
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp chroot "$root" "${@:3}" >"$work/report" 2>"$work/errors" || status=$?
  if [ $status = 1 ] && grep -qF "$cause" "$work/report"; then
    echo "$name: $cause"
    done=$((done + 1))
  else
    echo "FAILED: $name: $status"
    head -n 20 "$work/report" "$work/errors"
    failed=1
  fi
}

bootstrap() { # bootstrap SUITE MIRROR [OPTION…]
  local keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg check=()
  [[ $2 == *ubuntu* && ! -f $keys ]] && check=(--no-check-gpg)
  local script=()
  [ -e /usr/share/debootstrap/scripts/"$1" ] || script=(/usr/share/debootstrap/scripts/jammy) # newer than this debootstrap
  timeout 300 debootstrap --variant=minbase "${check[@]}" "${@:3}" "$1" "$work/root" "$2" "${script[@]}" >"$work/log" 2>&1 ||
    { echo "$1: skipped, $2 does not give it: $(tail -n 1 "$work/log")"; return 1; }
  cp "$program" "$work/root/usr/bin/ncclwhy"
  cp "$log" "$work/root/job.log"
}

debian=http://deb.debian.org/debian ubuntu=http://archive.ubuntu.com/ubuntu
while read -r suite mirror; do
  bootstrap "$suite" "$mirror" --foreign </dev/null && in_root "$suite" "$work/root" /usr/bin/ncclwhy --summary /job.log
  rm -rf "$work/root"
done <<END
bullseye $debian
bookworm $debian
trixie $debian
bionic $ubuntu
jammy $ubuntu
noble $ubuntu
END

wheel=$(echo "$artefacts"/ncclwhy-*_x86_64.whl)
if [ -f "$wheel" ] && bootstrap focal "$ubuntu" --components=main,universe --include=python3-venv; then
  in_root focal "$work/root" /usr/bin/ncclwhy --summary /job.log
  rm "$work/root/usr/bin/ncclwhy"
  cp "$wheel" "$work/root/tmp"
  in_root "focal, wheel" "$work/root" sh -c "python3 -m venv /venv && /venv/bin/pip install -q --no-index /tmp/${wheel##*/} &&
    /venv/bin/python -c 'import ncclwhy, sys; print(sys.version); print(ncclwhy.analyze(\"/job.log\"))' &&
    /venv/bin/python -m ncclwhy --summary /job.log"
fi
((failed == 0)) || exit 1
((done > 0)) || { echo "skipped: no mirror answers"; exit 77; }
