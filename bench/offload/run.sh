#!/bin/sh
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# CUDA kernels on this machine against OpenMP written by hand, on the same cores:
#   bench/offload/run.sh [flags]        (default: -O3 -march=native)
# One line per program: name, milliseconds by kernels, by hand, ratio; then the geometric mean.

here=$(dirname -- "$(readlink -f -- "$0")")
driver=${RG_DRIVER:-$here/../../build/bin/rg-clang++}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
[ $# != 0 ] || set -- -O3 -march=native
printf '%-16s %9s %9s %6s\n' program kernels 'by hand' ratio
for source in "$here"/*.cu; do
  "$driver" --offload=cpu "$@" -fopenmp "$source" -o "$work/program" || exit 1
  "$work/program" --bench || exit 1
done | tee "$work/lines"
awk '{ sum += log($4); ++n } END { printf "%-16s %27.2f\n", "geometric mean", exp(sum / n) }' "$work/lines"
