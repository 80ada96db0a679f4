#!/usr/bin/env bash
# Gradients of programs with OpenMP regions, for 1, 2, 4, ... threads up to the machine's.
#
#   bench/parallel/run.sh [build folder]
#
# PLAN=naive measures the naive plan. Fails if a gradient is wrong.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../../build}" && pwd) || exit 2
out=$build/bench/parallel
mkdir -p "$out"
"$build/bin/rg-clang" -O3 -march=native -fno-math-errno -fopenmp -mllvm "-rg-plan=${PLAN:-mincut}" \
  "$here/Parallel.c" -lm -o "$out/Parallel" || exit 1
echo "| program | threads | primal ms | gradient ms | gradient/primal | against differences |"
echo "|---|---|---|---|---|---|"
status=0
for ((threads = 1; threads <= $(nproc); threads *= 2)); do
  OMP_NUM_THREADS=$threads "$out/Parallel" || status=1
done
exit $status
