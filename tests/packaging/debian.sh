# shellcheck shell=bash
# Sourced by the tests that need a Debian 12 of their own; they call debian_begin ROOTS first. Each root is made once, below ROOTS (in the
# build folder), and kept for as long as it would be made of the same; removing ROOTS makes all anew.
mirror=${NCCLWHY_MIRROR:-http://deb.debian.org/debian}
clean=(env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive)

fail() { echo "FAILED: $*"; exit 1; }
skip() { echo "skipped: $*"; exit 77; }
unreachable() { grep -Eq 'ailed to fetch|nable to fetch|ailed getting|nable to connect|ould not resolve|Invalid Release' "$work/log"; }

debian_begin() {
  [ "$(id -u)" = 0 ] || skip "needs root"
  command -v debootstrap >/dev/null || skip "needs debootstrap"
  mkdir -p "$1"
  roots=$(cd "$1" && pwd)
  work=$(mktemp -d "$roots/work.XXXXXX")
  trap 'rm -rf "$work"' EXIT
}

# timed WHAT COMMAND…: says how long it took; its output is shown if it fails.
timed() {
  local began=$SECONDS status=0
  "${@:2}" >"$work/log" 2>&1 </dev/null || status=$?
  [ $status = 0 ] || [ $status = 77 ] || tail -n 40 "$work/log"
  echo "$1: $((SECONDS - began)) s"
  return $status
}

# root_is NAME OF: whether that root is there, made of OF. It gets its stamp last, so one that was cut short is none.
root_is() { [ "$(cat "$roots/$1.made" 2>/dev/null)" = "$2" ]; }
root_begin() { rm -rf "$roots/$1.made" "${roots:?}/$1"; }
root_done() { printf '%s\n' "$2" >"$roots/$1.made"; }

# A minimal one for this machine. Every other is a copy of it.
base_root() {
  root_is base "bookworm $mirror" && return
  root_begin base
  timed "debootstrap" debootstrap --variant=minbase bookworm "$roots/base" "$mirror" ||
    skip "$mirror gives no Debian 12: $(tail -n 1 "$work/log")"
  rm -f "$roots"/base/var/cache/apt/archives/*.deb
  root_done base "bookworm $mirror"
}

# in_root ROOT COMMAND…: with the caller's compiler cache, with /proc and as a mount, both of which buildah wants.
in_root() {
  local cache=${CCACHE_DIR:-$HOME/.cache/ccache}
  mkdir -p "$cache" "$1/ccache"
  cp -L /etc/resolv.conf "$1/etc/resolv.conf" 2>/dev/null || true
  # shellcheck disable=SC2016
  unshare --mount sh -c 'mount --bind "$1" "$1" && mount --bind "$0" "$1/ccache" && mount --rbind /proc "$1/proc" && exec chroot "$@"' "$cache" "$1" \
    "${clean[@]}" CCACHE_DIR=/ccache CCACHE_NOHASHDIR=1 "${@:2}"
}

# cross_root SOURCE: with the packages that samples/ci/release.yml installs, and what the tests want besides.
cross_root() {
  local script
  script=$(python3 - "$1/samples/ci/release.yml" <<'P'
import re, sys
# The first step's script, without a YAML parser: lines below "run: |", of its depth.
text = open(sys.argv[1]).read()
block = re.search(r"run: \|\n((?: {10}.*\n)+)", text)[1]
print("set -e\n" + re.sub(r"(?m)^ {10}", "", block))
P
  )
  [[ $script == *crossbuild-essential-arm64* ]] || fail "release.yml installs no cross compiler"
  script+=$'\napt-get install -y -qq --no-install-recommends ccache catch2\napt-get clean'
  cross=$roots/cross
  root_is cross "$script" && return
  base_root
  root_begin cross
  cp -a "$roots/base" "$cross"
  timed "the packages that release.yml installs" in_root "$cross" bash -c "$script" || {
    unreachable && skip "$(tail -n 1 "$work/log")"
    fail "its packages cannot be installed"
  }
  root_done cross "$script"
}

# where_arm64_runs COMMAND…: see arm64/here.sh, with the qemu of the cross root.
where_arm64_runs() { "$(dirname "${BASH_SOURCE[0]}")/arm64/here.sh" "$roots/cross/usr/bin/qemu-aarch64-static" "$@"; }

# under_qemu ROOT COMMAND…: in that root, with /proc, where programs for 64-bit ARM run.
under_qemu() {
  # shellcheck disable=SC2016
  where_arm64_runs sh -c 'mount --rbind /proc "$0/proc" && exec "$@"' "$1" "${clean[@]}" chroot "$@"
}

# arm64_root PACKAGES: a minimal one for 64-bit ARM with these packages, separated by commas, configured under qemu.
arm64_root() {
  arm=$roots/arm64
  root_is arm64 "bookworm $mirror $1" && return
  root_begin arm64
  timed "debootstrap for arm64" debootstrap --foreign --arch=arm64 --variant=minbase --include="$1" bookworm "$arm" "$mirror" || {
    unreachable && skip "$mirror gives no Debian 12 for arm64: $(tail -n 1 "$work/log")"
    fail "no root of $1"
  }
  # As in a container, it makes no devices then; the first stage has made them.
  timed "its second stage under qemu" where_arm64_runs "${clean[@]}" container=lxc chroot "$arm" /debootstrap/debootstrap --second-stage ||
    fail "the second stage"
  rm -f "$arm"/var/cache/apt/archives/*.deb
  root_done arm64 "bookworm $mirror $1"
}
