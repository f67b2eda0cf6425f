#!/usr/bin/env bash
# The shared library exports what symbols.txt lists, no less (that breaks programs) and no more (that is a promise).
# symbols_test.sh LIBRARY; NCCLWHY_BLESS=1 rewrites the list.
set -euo pipefail
library=$1
list=$(dirname "$0")/symbols.txt
command -v nm >/dev/null || { echo "skipped: nm is not installed"; exit 77; }
symbols=$(nm -D --defined-only --demangle "$library" | sed -n 's/^[0-9a-f]* [A-Zu] //p' | grep -v '^NCCLWHY_[0-9.]*$' |
  sed 's/\[abi:cxx11\]//; s/@.*//' | LC_ALL=C sort -u)
[ -n "$symbols" ] || { echo "$library exports nothing"; exit 1; }
if [ -n "${NCCLWHY_BLESS:-}" ]; then
  printf '%s\n' "$symbols" >"$list"
fi
diff -u "$list" - <<<"$symbols"
