#!/usr/bin/env bash
# Builds the Debian package and installs it where nothing of it can be left over: a fresh Debian when debootstrap and
# root are there (and a mirror answers), else an empty dpkg root, whose dependencies are this machine's.
# deb_test.sh CPACK BUILD_DIR VERSION LOG CAUSE
set -euo pipefail
cpack=$1 build=$2 version=$3 log=$4 cause=$5
for tool in dpkg dpkg-deb dpkg-shlibdeps; do
  command -v $tool >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "== cpack"
"$cpack" --config "$build/CPackConfig.cmake" -G DEB -B "$work/out" >"$work/cpack.log" 2>&1 ||
  { tail -n 40 "$work/cpack.log"; exit 1; }
deb=$(echo "$work"/out/ncclwhy_"$version"_*.deb)
[ -f "$deb" ] || { echo "cpack wrote $(ls "$work/out"), not ncclwhy_$version"; exit 1; }

echo "== what it holds"
dpkg-deb --field "$deb" Package Version Depends
depends=$(dpkg-deb --field "$deb" Depends)
for library in libc6 libstdc++6 libre2- libsqlite3-0 libarchive13; do
  [[ $depends == *"$library"* ]] || { echo "does not depend on $library"; exit 1; }
done
dpkg-deb --contents "$deb" >"$work/contents"
for file in bin/ncclwhy lib/libncclwhy.so lib/libncclwhy.a include/ncclwhy/ncclwhy.h include/ncclwhy/version.h \
  lib/python3/dist-packages/ncclwhy/__init__.py lib/pkgconfig/ncclwhy.pc lib/cmake/ncclwhy/ncclwhyConfig.cmake share/man/man1/ncclwhy.1 share/doc/ncclwhy/LICENSE \
  share/bash-completion/completions/ncclwhy share/zsh/vendor-completions/_ncclwhy \
  share/fish/vendor_completions.d/ncclwhy.fish share/ncclwhy/report.schema.json; do
  grep -Eq " \./usr/$file( |$)" "$work/contents" || { echo "lacks /usr/$file"; exit 1; }
done
if grep -v ' root/root ' "$work/contents"; then
  echo "the files above do not belong to root"
  exit 1
fi

# In a Debian of its own, apt fetches what the package says it needs, and nothing else is there.
fresh_debian() {
  local root=$work/debian
  [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null || return 1
  echo "== debootstrap"
  # shellcheck disable=SC1091
  debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root" >"$work/debootstrap.log" 2>&1 ||
    { echo "debootstrap failed: $(tail -n 1 "$work/debootstrap.log")"; return 1; }
  cp "$deb" "$root/tmp/ncclwhy.deb"
  cp "$log" "$root/tmp/job.log"
  cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
  run=(chroot "$root")
  env DEBIAN_FRONTEND=noninteractive "${run[@]}" apt-get install -y -qq --no-install-recommends /tmp/ncclwhy.deb \
    >"$work/apt.log" 2>&1 || {
      tail -n 20 "$work/apt.log"
      grep -Eq 'ailed to fetch|nable to fetch|ould not resolve' "$work/apt.log" && return 1  # the mirror's fault
      exit 1
    }
  binary=/usr/bin/ncclwhy input=/tmp/job.log
  "${run[@]}" ldconfig -p >"$work/ldconfig"
  grep -q 'libncclwhy\.so\.' "$work/ldconfig" || { echo "the linker does not know libncclwhy"; exit 1; }
}

empty_root() {
  local root=$work/root as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v fakeroot >/dev/null || { echo "skipped: needs root or fakeroot"; exit 77; }
    as_root=(fakeroot)
  fi
  echo "== an empty dpkg root"
  mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers}
  touch "$root"/var/lib/dpkg/{status,available}
  # Unpacked only: the script that would refresh the linker's cache needs a shell, and this root has none.
  PATH=$PATH:/usr/sbin:/sbin "${as_root[@]}" dpkg --root="$root" --force-not-root --force-depends --log=/dev/null \
    --unpack "$deb" >"$work/dpkg.log" 2>&1 || { cat "$work/dpkg.log"; exit 1; }
  dpkg --root="$root" -s ncclwhy >"$work/status"
  grep -qx 'Status: install ok unpacked' "$work/status"
  run=(env LD_LIBRARY_PATH="$root/usr/lib")
  binary=$root/usr/bin/ncclwhy input=$log
}

# No pipe into grep -q anywhere: with pipefail, the writer's SIGPIPE would now and then read as "not found".
fresh_debian || empty_root

echo "== run it"
[[ "$("${run[@]}" "$binary" --version) " = "ncclwhy $version "* ]]
status=0
"${run[@]}" "$binary" "$input" >"$work/report" || status=$?
cat "$work/report"
[ $status = 1 ] && grep -qF "($cause," "$work/report"
if [[ ${binary} == "$work"/* ]] && command -v python3 >/dev/null; then
  echo "== and the library"
  prefix=${binary%/bin/ncclwhy}
  NCCLWHY_LIBRARY=$prefix/lib/libncclwhy.so.$version PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$prefix/lib/python3/dist-packages \
    python3 -c 'import ncclwhy, sys; assert ncclwhy.analyze(sys.argv[1], use="library").cause.id == sys.argv[2]' "$log" "$cause"
fi
echo "== done"
