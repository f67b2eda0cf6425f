#!/bin/sh
# Is a release binary hardened as src/cmake/NcclwhyTarget.cmake asks for, and does src/cmake/THIRD_PARTY.md name every
# library that it is linked with? hardening_test.sh <THIRD_PARTY.md> <binary>...
set -u
list=$1
shift
failed=0
want() {  # what, text, pattern
  if printf '%s\n' "$2" | grep -Eq "$3"; then return; fi
  echo "$binary: no $1"
  failed=1
}
for binary in "$@"; do
  header=$(readelf -hW "$binary") && segments=$(readelf -lW "$binary") && dynamic=$(readelf -dW "$binary") || exit 1
  symbols=$(readelf -sW --dyn-syms "$binary")
  want 'PIE' "$header" 'Type: +DYN'
  want 'RELRO' "$segments" 'GNU_RELRO'
  want 'BIND_NOW' "$dynamic" 'BIND_NOW|FLAGS_1.*NOW'
  want 'stack protector' "$symbols" '__stack_chk_fail'
  want 'fortified calls' "$symbols" '__[a-z]+_chk'
  want 'stack that cannot be executed' "$segments" 'GNU_STACK.* RW '
  if printf '%s\n' "$segments" | grep -Eq 'LOAD.* RWE'; then
    echo "$binary: a segment that can be written and executed"
    failed=1
  fi
  if printf '%s\n' "$dynamic" | grep -Eq 'RPATH|RUNPATH'; then
    echo "$binary: libraries are searched where it was built"
    failed=1
  fi
  for library in $(printf '%s\n' "$dynamic" | sed -n 's/.*(NEEDED).*\[\(lib[a-z0-9+_-]*\)[.0-9-]*so.*/\1/p'); do
    case $library in
      libc | libm | libgcc_s | libpthread | libdl) continue ;;  # the system itself
    esac
    if ! grep -q "\`$library\`" "$list"; then
      echo "$binary: linked with $library, which $list does not name"
      failed=1
    fi
  done
done
[ $failed = 0 ] && echo "$# binaries are as they should be"
exit $failed
