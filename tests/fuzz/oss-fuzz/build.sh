#!/bin/bash -eu
# Builds every fuzz target into $OUT with its seeds and the dictionary. OSS-Fuzz sets CC, CXX, CFLAGS, CXXFLAGS,
# LIB_FUZZING_ENGINE, OUT and WORK; without them, as in tests/fuzz/README.md, the project's own preset is used.
source=$(cd "$(dirname "$0")/../../.." && pwd)
[ -d "$source/tests/fuzz" ] || source=${SRC:?}/ncclwhy  # OSS-Fuzz runs a copy of this script
build=${WORK:?}/build

# Sanitizers and coverage come from CXXFLAGS; libFuzzer's main from the engine.
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DNCCLWHY_TEST_EXTRAS=ON \
  -DNCCLWHY_BUILD_FUZZERS=ON -DNCCLWHY_FUZZING_ENGINE="${LIB_FUZZING_ENGINE:?}" -DNCCLWHY_BUILD_BENCH=OFF \
  -DNCCLWHY_BUILD_SERVE=OFF -DNCCLWHY_INSTALL=OFF -DNCCLWHY_WERROR=OFF

# target corpus
while read -r target corpus; do
  cmake --build "$build" --target "${target}_fuzzer"
  cp "$build/tests/fuzz/${target}_fuzzer" "$OUT/"
  seeds=("$source/tests/fuzz/corpus/$corpus"/*)
  [ ! -d "$source/tests/fuzz/regressions/$target" ] || seeds+=("$source/tests/fuzz/regressions/$target"/*)
  zip -q -j "$OUT/${target}_fuzzer_seed_corpus.zip" "${seeds[@]}"
  cp "$build/tests/fuzz/nccl.dict" "$OUT/${target}_fuzzer.dict"
  printf '[libfuzzer]\nmax_len = 8192\ntimeout = 60\n' > "$OUT/${target}_fuzzer.options"
done < "$source/tests/fuzz/oss-fuzz/targets"
