#!/usr/bin/env bash
# Builds the wheel, with the program and the library inside, and the sdist, which has neither. Offline, with the `build` and
# setuptools that are installed.
#   build_wheel.sh OUT PROGRAM [LIBRARY]
#
# The tag: the static program runs on any Linux of its architecture, with glibc or musl, so that is what the wheel says,
# although the library loads only where the system has what it was linked with: elsewhere the program is used.
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd) program=$(realpath "$2") library=${3:+$(realpath "$3")}
cd "$(dirname "$0")"
python=
for candidate in "${PYTHON:-python3}" /usr/bin/python3; do
  if "$candidate" -c 'import build.__main__, setuptools, wheel' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || { echo "skipped: python3-build, python3-setuptools and python3-wheel are needed"; exit 77; }
case $(od -An -tu1 -j18 -N1 "$program" | tr -d ' ') in
  62) machine=x86_64 ;;
  183) machine=aarch64 ;;
  *) echo "$program is for no machine that is known here"; exit 1 ;;
esac
# Files of the time of the source, so that two builds give the same bytes.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 1577836800)}
export SOURCE_DATE_EPOCH PYTHONDONTWRITEBYTECODE=1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/source"
cp -R README.md pyproject.toml setup.py ncclwhy "$work/source"
cp ../../LICENSE "$work/source"
rm -rf "$work/source/ncclwhy/__pycache__"
cd "$work/source"
"$python" -m build --no-isolation --sdist --outdir "$out" . >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
mkdir ncclwhy/bin ncclwhy/lib
install -m 755 "$program" ncclwhy/bin/ncclwhy
if [ -n "$library" ]; then
  install -m 755 "$library" ncclwhy/lib/libncclwhy.so
  strip --strip-unneeded ncclwhy/lib/libncclwhy.so
fi
find . -exec touch --date="@$SOURCE_DATE_EPOCH" {} +
NCCLWHY_WHEEL_TAG=manylinux2014_$machine.musllinux_1_1_$machine \
  "$python" -m build --no-isolation --wheel --outdir "$out" . >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
ls "$out"/ncclwhy-*.whl "$out"/ncclwhy-*.tar.gz
