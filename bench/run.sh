#!/usr/bin/env bash
# The benchmarks: builds them and prints one table.
#
#   bench/run.sh [build folder] [options of Google Benchmark]
#
# For example --benchmark_filter=GMM to run some, --benchmark_out=FILE
# --benchmark_out_format=json for the raw numbers, --benchmark_min_time=1 for
# longer and steadier measurements. ABLATION=1 prints instead what each optimisation is
# worth (bench/ablation.py; PROGRAMS="Gmm Ode" for some programs only).
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../build}" && pwd) || exit 2
[ $# -gt 0 ] && shift

make -s -k -j2 -f "$here/Makefile" BUILD="$build" objects
if [ -n "${ABLATION:-}" ]; then
  exec "$here/ablation.py" "$build" --programs "${PROGRAMS:-}"
fi
make -s -f "$here/Makefile" BUILD="$build" link
built=$?
[ -x "$build/bench/bench" ] || exit 1

# ADOL-C writes tapes that outgrow its buffers into the current folder.
tapes=$(mktemp -d)
trap 'rm -rf "$tapes"' EXIT
for option in "$@"; do
  case $option in
  --benchmark_out=/*) ;;
  --benchmark_out=*) option="--benchmark_out=$PWD/${option#*=}" ;;
  esac
  set -- "$@" "$option"
  shift
done
cd "$tapes" && "$build/bench/bench" "$@"
status=$?
[ $built -eq 0 ] || echo "bench: FAILED, not all programs could be built"
[ $status -eq 0 ] && [ $built -eq 0 ]
