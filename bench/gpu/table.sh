#!/usr/bin/env bash
# Runs programs that bench/gpu/Makefile has built and prints the table.
#
#   bench/gpu/table.sh <folder of the programs> "<programs>" [settings]
#
# It needs nothing but the folder: build on one machine, run on another.
set -u
folder=$1 programs=$2
shift 2
status=0
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT

run() {
  if ! timeout 300 "$folder/$1" "${@:2}" >>"$lines"; then
    echo "$1 ${*:2}: failed" >&2
    status=1
  fi
}
for program in $programs; do
  if [ ! -x "$folder/$program" ]; then
    echo "$program: not built" >&2
    status=1
    continue
  fi
  run "$program" "$@"
  # The flow has two ways to remember its steps.
  if [ "$program" = Lbm ] && grep -q augmentedKernel "$folder/Lbm"; then run Lbm --tape=1 "$@"; fi
done

command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
echo "| program | size | primal ms | gradient ms | forward ms | gradient/primal | forward/primal | reverse-forward | reverse-differences | |"
echo "|---|---|---|---|---|---|---|---|---|---|"
grep '^BENCH' "$lines" | awk -F'\t' '{
  printf "| %s | %s | %s | %s | %s | **%s** | %s | %s | %s | %s |\n", $2, $3, $4, $6, $8, $10, $11, $12, $13, $14 }'
if grep -q '^HAND' "$lines"; then
  echo
  echo "Registers and bytes of local memory: of the primal, the gradient, the gradient by hand."
  echo
  echo "| kernel | size | primal ms | gradient ms | by hand ms | gradient/primal | by hand/primal | gradient/by hand | largest difference | primal | gradient | by hand |"
  echo "|---|---|---|---|---|---|---|---|---|---|---|---|"
  grep '^HAND' "$lines" | awk -F'\t' '{
    printf "| %s | %s | %s | %s | %s | %s | %s | **%s** | %s | %s | %s | %s |\n", $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13 }'
fi
exit $status
