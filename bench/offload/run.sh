#!/bin/sh
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# CUDA kernels on this machine against OpenMP written by hand, on the same cores:
#   bench/offload/run.sh [flags]        (default: -O3 -march=native)
# One line per program: name, milliseconds by kernels, by hand, ratio; then the geometric mean.
# Where an OpenCL device is a processor of this machine (PoCL), beside them: milliseconds of the
# same program with its kernels in OpenCL C (opencl/), and their ratio to those by hand.
# PROGRAMS="matmul scan" runs these only; CLANG compiles the host half for OpenCL.

here=$(dirname -- "$(readlink -f -- "$0")")
driver=${RG_DRIVER:-$here/../../build/bin/rg-clang++}
clang=${CLANG:-clang++-22}
headers=$here/../../include/retrograd/cuda
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
[ $# != 0 ] || set -- -O3 -march=native

# As many threads as OpenMP has. The threads of libomp that wait for the next loop by hand
# must not keep the cores busy. Kernels are not kept for later runs.
export POCL_CACHE_DIR="$work" POCL_MAX_PTHREAD_COUNT="${OMP_NUM_THREADS:-$(nproc)}"
host() {
  "$clang" -O2 -fopenmp -x cuda --cuda-host-only -nocudainc -nocudalib --cuda-path=/nonexistent -Wno-unknown-cuda-version \
    -Xclang -target-sdk-version=12.8 -isystem "$headers" -include "$headers/retrograd_cuda.h" -c "$@"
}
# Milliseconds of program $1 on PoCL; nothing where it has no OpenCL form.
pocl() {
  [ -n "$device" ] && [ -e "$here/opencl/$1.cl" ] || return 0
  { cat "$here/opencl/$1.cl" && printf '\0'; } >"$work/kernels" &&
    host -Xclang -fcuda-include-gpubinary -Xclang "$work/kernels" "$here/$1.cu" -o "$work/program.o" &&
    "$clang" -fopenmp "$work/program.o" "$work/runtime.o" -lOpenCL -o "$work/opencl" || return 1
  said=$(KMP_BLOCKTIME=0 "$work/opencl" --bench) || { echo "OpenCL: $said" >&2; return 1; }
  echo "$said" | awk '{ print $2 }'
}
device=
if host "$here/opencl/Runtime.cpp" -o "$work/runtime.o" 2>"$work/log" &&
  "$clang" "$work/runtime.o" -lOpenCL -o "$work/opencl" 2>>"$work/log" && device=$("$work/opencl" 2>>"$work/log"); then
  echo "$device"
else
  echo "PoCL not installed: apt install pocl-opencl-icd ocl-icd-opencl-dev ($(head -n 1 "$work/log"))"
fi

printf '%-16s %9s %9s %6s %9s %6s\n' program kernels 'by hand' ratio PoCL ratio
for program in ${PROGRAMS:-$(cd "$here" && ls ./*.cu)}; do
  program=$(basename "$program" .cu)
  "$driver" --offload=cpu "$@" -fopenmp "$here/$program.cu" -o "$work/program" &&
    line=$("$work/program" --bench) && other=$(pocl "$program") || { echo "$line"; exit 1; }
  echo "$line $other" | awk '{ printf "%-16s %9.3f %9.3f %6.2f", $1, $2, $3, $4 }
    NF > 4 { printf " %9.3f %6.2f", $5, $5 / $3 } { print "" }' | tee -a "$work/lines"
done
awk '{ ours += log($4); ++n } NF > 4 { same += log($4); pocl += log($6); ++m }
  END { printf "%-16s %27.2f\n", "geometric mean", exp(ours / n)
        if (m) printf "%-16s %27.2f %16.2f\n", "where PoCL is", exp(same / m), exp(pocl / m) }' "$work/lines"
