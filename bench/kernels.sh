#!/usr/bin/env bash
# Measures the kernels on a machine with a GPU, gcc and nothing else; Python with CuPy or PyTorch for comparison where
# there is one. usage: bench/kernels.sh OUT [PTX…]: further modules with the same kernels, measured beside the committed.
set -uo pipefail
cd "$(dirname "$0")/.."
out=$(realpath -m "${1:?the folder for the results}")
shift
mkdir -p "$out"
gcc -std=c17 -O2 -o "$out/kernels" bench/kernels.c -ldl -lm || exit 1
nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem --format=csv >"$out/gpu.txt" 2>&1
timeout 70 "$out/kernels" "${CUDA_LIBRARY:-libcuda.so.1}" native-bridge/kernels/statistics_*.ptx -- "$@" >"$out/kernels.tsv" 2>"$out/kernels.err"
[ -n "${KERNELS_ONLY:-}" ] || timeout 60 python3 bench/kernels_by_library.py 4 >"$out/libraries.tsv" 2>"$out/libraries.err"
rm -f "$out/kernels"
head -n 400 "$out"/*.tsv
cat "$out/kernels.err"
