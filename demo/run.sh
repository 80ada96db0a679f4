#!/usr/bin/env bash
# The demo: builds and runs the programs of demo/ and prints one row for each.
#
#   demo/run.sh [build folder]
#
# ADBench's inputs are used where they are found: in $RG_ADBENCH_DATA, or in
# shared/data/adbench beside the repository. demo/data is always used.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../build}" && pwd) || exit 2
adbench=${RG_ADBENCH_DATA:-$here/../../shared/data/adbench}
[ -d "$adbench/gmm" ] || adbench=

# A program that cannot be built must not keep the others from being shown.
make -s -k -j2 -f "$here/Makefile" BUILD="$build" all
built=$?

echo
echo "Gradients and Jacobians of real programs, synthesised from their optimised LLVM IR"
[ -n "$adbench" ] || echo "(ADBench's inputs were not found; only those of demo/data are checked)"
echo
line='%-28s %7s %5s %9s %9s %9s %10s %8s %10s\n'
printf "$line" '' '' '' value deriv. central primal deriv. tape
printf "$line" program inputs refs error error 'diff.' time /primal bytes

log=$(mktemp)
trap 'rm -f "$log"' EXIT
for program in Lorenz LotkaVolterra Gmm Ba Hand Lstm Fft Brusselator; do
  if [ -x "$build/demo/$program" ]; then
    "$build/demo/$program" "$here/data" ${adbench:+"$adbench"} 2>&1
    status=$?
    # 1 says that a row is out of bounds, which the row says too.
    [ $status -le 1 ] || echo "$program: ended with status $status"
  else
    echo "$program: could not be built"
  fi
done | tee "$log"

total=12
good=$(grep -c ' ok$' "$log")
echo
echo "bounds: value 1e-10, derivative 1e-8 (against references), 1e-6 (against central differences)"
if [ "$good" -eq $total ] && [ $built -eq 0 ]; then
  echo "demo: $good of $total programs within bounds"
else
  echo "demo: FAILED, $good of $total programs within bounds"
  exit 1
fi
