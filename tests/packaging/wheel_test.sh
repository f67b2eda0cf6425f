#!/usr/bin/env bash
# The wheel in a fresh virtual environment, with each Python that is here: by the library, by the program, as a command.
# wheel_test.sh ARTEFACTS LOG CAUSE
set -euo pipefail
artefacts=$1 log=$(realpath "$2") cause=$3
wheel=$(echo "$artefacts"/ncclwhy-*-py3-none-manylinux*_"$(uname -m)".whl)
[ -f "$wheel" ] || { echo "skipped: no wheel was built"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset NCCLWHY NCCLWHY_LIBRARY PYTHONPATH PYENV_VERSION
cd "$work"
cp "$log" job.log
ls -l "$wheel"

tried=0
# By their files: /usr/bin/python3 is a link to one of the others.
pythons=$(for name in /usr/bin/python3 $(compgen -c python3. | grep -xE 'python3\.[0-9]+' | sort -u); do realpath "$(command -v "$name")"; done)
for python in $(sort -u <<<"$pythons"); do
  "$python" -c 'import sys, ensurepip; assert sys.version_info >= (3, 8)' 2>/dev/null || continue
  rm -rf venv
  "$python" -m venv venv
  venv/bin/pip install -q --no-index --disable-pip-version-check "$wheel"
  venv/bin/python - job.log "$cause" <<'P'
import os, sys, subprocess
import ncclwhy, ncclwhy.engine, ncclwhy.torch
log, cause = sys.argv[1:]
home = os.path.dirname(ncclwhy.__file__)
assert home.startswith(sys.prefix), home
assert os.path.exists(os.path.join(home, "py.typed")), "type checkers would not look at it"
assert ncclwhy.engine.find_program() == os.path.join(home, "bin", "ncclwhy")
try:
    ncclwhy.engine.LibrarySession.load()
    used = ["library", "program", None]
except OSError as error:
    used = ["program", None]
for use in used:
    assert ncclwhy.analyze(log, use=use).cause.id == cause
try:
    with ncclwhy.torch.on_failure(log):
        raise RuntimeError("NCCL error")
except RuntimeError as error:
    assert error.ncclwhy_report.cause.id == cause
for command in ([sys.executable, "-m", "ncclwhy"], [os.path.join(sys.prefix, "bin", "ncclwhy")]):
    done = subprocess.run(command + ["--summary", log], stdout=subprocess.PIPE)
    assert done.returncode == 1 and cause.encode() in done.stdout, done
assert subprocess.run([sys.executable, "-m", "ncclwhy.notify", "--help"], stdout=subprocess.DEVNULL).returncode == 0
print("Python %d.%d: %s" % (sys.version_info[:2] + (" and ".join(used[:-1]),)))
P
  venv/bin/pip uninstall -q -y ncclwhy
  venv/bin/python -c 'import ncclwhy' 2>/dev/null && { echo "left behind"; exit 1; }
  tried=$((tried + 1))
done
((tried > 0)) || { echo "skipped: no Python with venv"; exit 77; }

# The sdist brings no binaries and says so: a wheel for any system.
/usr/bin/python3 -c 'import build, setuptools, wheel' 2>/dev/null || { echo "the sdist is not tried: no python3-build"; exit 0; }
mkdir sdist
tar -C sdist --strip-components=1 -xzf "$artefacts"/ncclwhy-*.tar.gz
(cd sdist && env -u NCCLWHY_WHEEL_TAG /usr/bin/python3 -m build --no-isolation --wheel --outdir "$work/any" . >"$work/log" 2>&1) ||
  { cat "$work/log"; exit 1; }
ls "$work"/any/ncclwhy-*-py3-none-any.whl
