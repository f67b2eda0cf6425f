#!/usr/bin/env bash
# Makes what a release offers, of these sources, with what this machine has:
#   ncclwhy-V-linux-ARCH, .spdx.json   the static program, and what it is made of     (ARCH: x86_64, and aarch64 where the cross
#   ncclwhy-V-…ARCH.whl                the Python package with it                      compiler and its libraries are there)
#   ncclwhy-V-image-ARCH.tar           a container image (OCI archive)
#   ncclwhy_V_ARCH.deb                 the package for this Debian (ARCH: amd64, arm64)
#   ncclwhy-V.tar.gz                   the Python package's sources
#   SHA256SUMS
# release.sh OUT [BUILD]; BUILD is a release build that is there already (for the .deb and the wheel's library).
# Runs on Debian 12. What cannot be made is said, and is an error when NCCLWHY_RELEASE=all.
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd) build=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
source=$PWD
version=$(sed -n 's/^project(ncclwhy VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
missing=()

quietly() { "$@" >"$out/.log" 2>&1 || { tail -n 40 "$out/.log"; exit 1; }; }
trap 'rm -f "$out/.log"' EXIT
# The compiler cache then has what other builds of these sources made.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$source} CCACHE_NOHASHDIR=1

if [ -z "$build" ]; then
  build=$source/build/package
  quietly cmake --preset release -B "$build" -D NCCLWHY_BUILD_TESTS=OFF -D NCCLWHY_BUILD_BENCH=OFF
  quietly cmake --build "$build"
fi

deb() { # deb BUILD
  quietly cpack --config "$1/CPackConfig.cmake" -G DEB -B "$out/.deb"
  mv "$out"/.deb/*.deb "$out"
  rm -rf "$out/.deb"
}
cross() { command -v aarch64-linux-gnu-g++ && command -v qemu-aarch64-static && [ -f "/usr/lib/aarch64-linux-gnu/$1" ]; } >/dev/null

echo "== .deb"
if command -v dpkg-shlibdeps >/dev/null; then
  deb "$build"
  if cross libre2.so && cross libfmt.so; then
    quietly cmake --preset release --toolchain src/cmake/aarch64-linux-gnu.cmake -B build/package-arm64 \
      -D NCCLWHY_BUILD_TESTS=OFF -D NCCLWHY_BUILD_BENCH=OFF
    quietly cmake --build build/package-arm64
    DEB_HOST_ARCH=arm64 deb build/package-arm64
  else
    missing+=(".deb (arm64)")
  fi
else
  missing+=(.deb)
fi

for preset in static static-arm64; do
  echo "== $preset"
  case $preset in
    static) arch=x86_64 machine=amd64 run=() library=$build/src/api/libncclwhy.so ;;
    static-arm64) arch=aarch64 machine=arm64 run=(qemu-aarch64-static) library= ;;
  esac
  if [ $preset = static-arm64 ] && ! cross libre2.a; then
    missing+=("$preset")
    continue
  fi
  quietly cmake --preset $preset
  quietly cmake --build --preset $preset
  program=$out/ncclwhy-$version-linux-$arch
  install -m 755 build/$preset/ncclwhy "$program"
  NCCLWHY_SAYS=$("${run[@]}" "$program" --version)
  export NCCLWHY_SAYS
  python3 "$here/spdx.py" "$program" build/$preset/static_libraries.txt >"$program.spdx.json"
  python3 "$here/image.py" "$program" "$out/ncclwhy-$version-image-$machine.tar"
  status=0
  "$here/../python/build_wheel.sh" "$out" "$program" ${library:+"$library"} >"$out/.log" 2>&1 || status=$?
  [ $status = 0 ] || [ $status = 77 ] || { cat "$out/.log"; exit 1; }
  [ $status = 0 ] || missing+=("wheel ($preset)")
done

cd "$out"
rm -f SHA256SUMS .log
sha256sum -- * >SHA256SUMS
echo "== made"
ls -l
if ((${#missing[@]})); then
  echo "not made here: ${missing[*]}"
  [ "${NCCLWHY_RELEASE:-}" != all ] || exit 1
fi
