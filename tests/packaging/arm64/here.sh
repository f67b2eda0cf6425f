#!/usr/bin/env bash
# here.sh QEMU COMMAND…: runs the command, and what it starts, where the kernel gives programs for 64-bit ARM to QEMU, a static
# qemu-aarch64: in name spaces of its own, whose binfmt_misc (Linux 6.7) is nobody else's, or as it is where the machine has
# that anyway. Needs root, whose numbers all stay the same inside; 77, and why, where neither can be had.
set -euo pipefail
qemu=$1
shift
entry=/proc/sys/fs/binfmt_misc/qemu-aarch64
if grep -qsx enabled $entry && grep -qs '^flags: .*F' $entry; then
  exec "$@"
fi

# An ELF header of 64 bits, little endian, of a program or a library (2 or 3) for machine 0xb7. F: QEMU is opened now, so that
# roots need not have it.
elf='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
export NCCLWHY_BINFMT=":qemu-aarch64:M::$elf:$mask:$qemu:F"

inside() { # inside COMMAND…, in the place of this shell
  local outside self=$BASHPID
  outside=$(readlink /proc/self/ns/user)
  # Only from outside can more than one number be mapped, and not before the name space is there.
  (
    for _ in $(seq 500); do
      [ "$(readlink "/proc/$self/ns/user")" = "$outside" ] || break
      sleep 0.01
    done
    for map in gid_map uid_map; do echo '0 0 65536' >"/proc/$self/$map"; done
  ) 2>/dev/null &
  # shellcheck disable=SC2016
  exec unshare --user --mount --pid --fork --kill-child sh -c '
    for _ in $(seq 500); do grep -q . /proc/self/uid_map && break; sleep 0.01; done
    exec sh -c '\''mount -t proc proc /proc && mount -t binfmt_misc none /proc/sys/fs/binfmt_misc &&
      printf %s "$NCCLWHY_BINFMT" >/proc/sys/fs/binfmt_misc/register && unset NCCLWHY_BINFMT && exec "$@"'\'' "$@"' sh sh "$@"
}
said=$(inside true 2>&1) || { echo "skipped: programs for 64-bit ARM cannot run here: $said"; exit 77; }
inside "$@"
