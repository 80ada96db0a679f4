#!/bin/sh
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   python-tools.sh BUILD
#
# What builds the Python package (scikit-build-core, nanobind: [build-system] of python/pyproject.toml)
# comes from PyPI into BUILD/python-tools, once. Tests build the package's wheel with it, without a
# network. Where PyPI cannot be reached, BUILD/python-tools/why says so in one line, and these tests are
# skipped: that is no error.

set -u
cd "$(dirname "$0")/.." || exit 1
folder=$1/python-tools
wanted=$(sed -n 's/^requires = \[\(.*\)\]$/\1/p' python/pyproject.toml | tr -d '",')

if [ -f "$folder/have" ] && [ "$(cat "$folder/have")" = "$wanted" ] && [ -x "$folder/bin/python" ]; then
  exit 0
fi

# Debian's Python, which has NumPy for the tests; elsewhere the first on the PATH.
python=/usr/bin/python3
[ -x $python ] || python=python3

rm -rf "$folder"
mkdir -p "$folder"
log=$folder/log
if $python -m venv --system-site-packages "$folder" >"$log" 2>&1 &&
  "$folder/bin/python" -m pip install --disable-pip-version-check --retries 1 --timeout 20 $wanted >>"$log" 2>&1; then
  printf '%s\n' "$wanted" >"$folder/have"
  exit 0
fi
reason=$(grep -i error "$log" | tail -n 1)
printf '%s\n' "$wanted could not be fetched from PyPI (${reason:-no error is named}; pip's words are in $log)" >"$folder/why"
printf 'python-tools: %s\n' "$(cat "$folder/why")" \
  "tests that build the Python package are skipped"
