#!/usr/bin/env bash
# The static program for 64-bit ARM from another folder is the same bytes. same_bytes_test.sh ROOTS, after packaging.clean-release.
set -euo pipefail
. "$(dirname "$0")/../debian.sh"
debian_begin "$1"
cross=$roots/cross made=build/static-arm64/ncclwhy
[ -f "$cross/source/$made" ] || skip "packaging.clean-release made no program for 64-bit ARM"
elsewhere=/elsewhere/of-another-length
rm -rf "$cross/elsewhere"
mkdir -p "$cross$elsewhere"
trap 'rm -rf "$work" "$cross/elsewhere"' EXIT
tar -C "$cross/source" --exclude=./build -cf - . | tar -C "$cross$elsewhere" -xf -
# What holds the most is compiled anew, whatever the compiler cache has.
timed "the second build" in_root "$cross" env CCACHE_BASEDIR=$elsewhere bash -ec "cd $elsewhere && cmake --preset static-arm64 &&
  CCACHE_DISABLE=1 cmake --build build/static-arm64 --target ncclwhy_base ncclwhy_kb && cmake --build --preset static-arm64" ||
  fail "the second build"
cmp "$cross/source/$made" "$cross$elsewhere/$made" || fail "two builds differ"
echo "identical: $(stat -c %s "$cross$elsewhere/$made") bytes, $(sha256sum <"$cross$elsewhere/$made" | cut -c1-64)"
