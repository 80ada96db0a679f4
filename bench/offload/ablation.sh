#!/bin/sh
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What each switch of CUDA on the CPU is worth: milliseconds of the programs' kernels with everything,
# and how many times as long without each.
#   bench/offload/ablation.sh [flags]        (default: -O3 -march=native)
# PROGRAMS="matmul scan" runs these only; SWITCHES="limit collapse" takes these off only.

here=$(dirname -- "$(readlink -f -- "$0")")
driver=${RG_DRIVER:-$here/../../build/bin/rg-clang++}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
[ $# != 0 ] || set -- -O3 -march=native
switches=${SWITCHES:-recompute uniform parallel eliminate-barriers move-barriers forward-stores hoist-loads collapse cut-loops lock-step limit edges serial-threads}

# Milliseconds by kernels of program $1, with the flag $2.
time_of() {
  program=$1 off=$2
  shift 2
  "$driver" --offload=cpu "$@" ${off:+-mllvm "$off"} -fopenmp "$here/$program.cu" -o "$work/program" &&
    "$work/program" --bench >"$work/line" && awk '{ print $2 }' "$work/line"
}

printf '%-16s %9s' program ms
for switch in $switches; do printf ' %18s' "$switch"; done
echo
for program in ${PROGRAMS:-$(cd "$here" && ls ./*.cu)}; do
  program=$(basename "$program" .cu)
  all=$(time_of "$program" "" "$@") || exit 1
  printf '%-16s %9.3f' "$program" "$all"
  for switch in $switches; do
    without=$(time_of "$program" "-rg-disable=offload-$switch" "$@") || exit 1
    awk -v a="$all" -v b="$without" 'BEGIN { printf " %18.2f", b / a }'
  done
  echo
done
