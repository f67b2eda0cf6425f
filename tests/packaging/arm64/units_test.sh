#!/usr/bin/env bash
# The tests of the rooms, and of what a user sees, compiled for 64-bit ARM and run under qemu. units_test.sh ROOTS, after
# packaging.clean-release, whose build for that machine goes on here.
set -euo pipefail
. "$(dirname "$0")/../debian.sh"
debian_begin "$1"
cross=$roots/cross build=/source/build/package-arm64
[ -f "$cross$build/CMakeCache.txt" ] || skip "packaging.clean-release built nothing for 64-bit ARM"
where_arm64_runs true || exit 77

tests=(base parser job read kb rules analyze store report api history serve)
timed "configure" in_root "$cross" cmake -S /source -B $build -D NCCLWHY_BUILD_TESTS=ON || fail "cmake"
timed "compile (with what the compiler cache has)" in_root "$cross" env CCACHE_BASEDIR=/source \
  cmake --build $build --target "${tests[@]/%/_test}" golden_test ncclwhy_cli || fail "build"
file=$(od -An -tx1 -j18 -N2 "$cross$build/tests/parser_test")
[ "$file" = " b7 00" ] || fail "parser_test is for another machine: $file"
echo "== under qemu"
under_qemu "$cross" ctest --test-dir $build --output-on-failure -j 2 \
  -R "^(golden|unit\\.($(IFS='|' && echo "${tests[*]}")))\$"
