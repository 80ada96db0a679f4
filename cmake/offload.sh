#!/bin/sh
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# offload.sh DRIVER COMPILER ARGUMENT...: what CMake puts in front of the C++ compiler of
# a target with retrograd_differentiable(target OFFLOAD cpu). CUDA sources go to
# DRIVER --offload=cpu, without the language that CMake gives them and the plugins that
# the driver loads itself; everything else goes to the compiler.
driver=$1
shift
cuda=
for argument; do
  case $argument in *.cu) cuda=yes ;; esac
done
[ -n "$cuda" ] || exec "$@"

# The compiler, and what else is in front of the first flag (ccache).
while [ $# -gt 0 ]; do
  case $1 in -*) break ;; esac
  shift
done
before=
for argument; do
  shift
  case $before$argument in
  -x) before=-x; continue ;;
  -x*) before=; continue ;;
  -fplugin=*/Retrograd.so | -fpass-plugin=*/Retrograd.so | '-Rpass=^rg-source-locations$') continue ;;
  esac
  set -- "$@" "$argument"
done
exec "$driver" --offload=cpu "$@"
