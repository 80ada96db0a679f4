#!/usr/bin/env bash
# Gradients of GPU kernels: builds bench/gpu, runs it, prints one table.
#
#   bench/gpu/run.sh [build folder] [settings of the programs]
#
# Settings go to every program: --large (the sizes of docs/Benchmarks.md, else sizes
# that end in a moment), --reps=N, --check-only, --time-only. Set PROGRAMS to run some;
# ROUTE=cpu to build and run without a GPU (checks only: times of a processor say
# nothing about a GPU); BUILD_ONLY=1 to stop after the build.
#
# Times are of kernels alone, in milliseconds, the least of the runs; ratios are from
# one run of one program. A program that cannot be built or is wrong leaves its word
# in the table, and this script fails.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../../build}" && pwd) || exit 2
[ $# -gt 0 ] && shift
programs=${PROGRAMS:-XsBench RsBench Lbm Lulesh Dg Matmul Attention Splat Layers Gather Particles}
route=${ROUTE:-gpu}
out=$build/bench/gpu
[ "$route" = cpu ] && out=$build/bench/gpu-on-cpu && set -- --check-only "$@"

targets=
for program in $programs; do targets="$targets $out/$program"; done
make -s -k -j2 -f "$here/Makefile" BUILD="$build" ROUTE="$route" $targets
status=$?
[ -n "${BUILD_ONLY:-}" ] && exit $status
exec "$here/table.sh" "$out" "$programs" "$@"
