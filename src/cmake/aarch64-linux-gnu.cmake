# Cross-compiles for 64-bit ARM on Debian with its cross compiler and arm64 libraries beside the own ones (multiarch):
#   dpkg --add-architecture arm64; apt-get update; apt-get install crossbuild-essential-arm64 qemu-user-static libre2-dev:arm64 …
# (all of it: samples/ci/release.yml)
# What the build makes and runs itself (the embedding of rules and knowledge) runs under qemu, and so do its tests: ctest puts it in front. A test
# that starts programs of the build needs more: tests/packaging/arm64/here.sh.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
