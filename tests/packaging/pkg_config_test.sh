#!/usr/bin/env bash
# What a Makefile does: cc $(pkg-config --cflags --libs ncclwhy), with both libraries.
# pkg_config_test.sh PREFIX LIBDIR CC CXX LOG CAUSE
set -euo pipefail
prefix=$1 libdir=$2 cc=$3 cxx=$4 log=$5 cause=$6
here=$(cd "$(dirname "$0")" && pwd)
command -v pkg-config >/dev/null || { echo "skipped: pkg-config is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -a "$prefix" "$work/moved" # an installed tree may be moved
prefix=$work/moved
export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig

[[ "$("$prefix/bin/ncclwhy" --version) " = "ncclwhy $(pkg-config --modversion ncclwhy) "* ]]

# shellcheck disable=SC2046
"$cc" "$here/c/consumer.c" -o "$work/c" $(pkg-config --cflags --libs ncclwhy)
LD_LIBRARY_PATH=$prefix/$libdir "$work/c" "$log" "$cause"
# shellcheck disable=SC2046
"$cxx" -std=c++17 "$here/cxx/consumer.cc" -o "$work/cxx" $(pkg-config --cflags --libs ncclwhy)
LD_LIBRARY_PATH=$prefix/$libdir "$work/cxx" "$log" "$cause"

if [ -e "$prefix/$libdir/libncclwhy.a" ]; then
  rm "$prefix/$libdir"/libncclwhy.so*
  # shellcheck disable=SC2046
  "$cc" "$here/c/consumer.c" -o "$work/static" $(pkg-config --static --cflags --libs ncclwhy)
  "$work/static" "$log" "$cause"
fi
