#!/bin/sh
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs the Debian packages that Retrograd is built and tested with. Asks dpkg
# first and does nothing, within a fraction of a second, when all are there.
# RG_SKIP_BOOTSTRAP=1 skips it, for systems that are not Debian.

set -u

# To build, to test (lit ends what hangs by way of psutil), to compare with and to measure.
packages="clang-22 llvm-22 llvm-22-dev llvm-22-tools libclang-22-dev libclang-rt-22-dev libpolly-22-dev lld-22
  g++ make cmake ninja-build ccache pkgconf python3 python3-psutil
  clang-format-22 clang-tidy-22 libgtest-dev
  libeigen3-dev libboost-dev libadolc-dev libbenchmark-dev libopenblas-dev liblapacke-dev libfftw3-dev libtbb-dev
  flang-22 libomp-22-dev libopenmpi-dev openmpi-bin libmpich-dev mpich valgrind
  python3-numpy python3-scipy python3-matplotlib python3-dev python3-pip python3-venv"

say() { printf 'bootstrap: %s\n' "$*"; }
fail() {
  printf 'bootstrap: error: %s\n' "$1" >&2
  shift
  for line; do printf 'bootstrap:   %s\n' "$line" >&2; done
  exit 1
}

[ "${RG_SKIP_BOOTSTRAP:-0}" = 1 ] && exit 0

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
  fail "this system has no dpkg and apt-get" \
    "Retrograd is built on Debian 12. Elsewhere, install the counterparts of these packages" \
    "and set RG_SKIP_BOOTSTRAP=1:" $packages
fi

installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $packages 2>/dev/null |
  sed -n 's/ installed$//p')
missing=
for package in $packages; do
  case "
$installed
" in *"
$package
"*) ;; *) missing="$missing $package" ;; esac
done
[ -z "$missing" ] && exit 0

say "missing:$missing"
if [ "$(id -u)" = 0 ]; then
  as_root=
elif command -v sudo >/dev/null 2>&1; then
  as_root="sudo"
  say "installing needs root: sudo may ask for your password"
else
  fail "packages are missing, and there is neither root nor sudo to install them" \
    "as root, run: apt-get update && apt-get install$missing"
fi

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
updated=0

update() {
  say "refreshing the package lists"
  updated=1
  if ! $as_root apt-get update -qq >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    fail "apt-get update failed (its last words are above)" \
      "next: check the network and /etc/apt/sources.list, then run this again"
  fi
}

# The packages without a version that could be installed.
unavailable() {
  for package in $missing; do
    case $(LC_ALL=C apt-cache policy "$package" 2>/dev/null) in
    *"Candidate: (none)"* | "") printf ' %s' "$package" ;;
    esac
  done
}

# One line for every tenth package, so that half a minute is not a silence.
install() {
  status=$(mktemp) || exit 1
  {
    $as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get install -y \
      --no-install-recommends -o Dpkg::Use-Pty=0 $missing 2>&1
    echo $? >"$status"
  } | tee "$log" | awk '
    / newly installed/ { print "bootstrap: " $3 " packages to install"; fflush() }
    /^Need to get/ { print "bootstrap: " $0; fflush() }
    /^Get:/ && ++got % 20 == 0 { print "bootstrap: downloaded " got " packages"; fflush() }
    /^Setting up/ && ++done % 20 == 0 { print "bootstrap: set up " done " packages"; fflush() }'
  result=$(cat "$status")
  rm -f "$status"
  return "${result:-1}"
}

[ -n "$(unavailable)" ] && update
absent=$(unavailable)
if [ -n "$absent" ]; then
  # apt-get update calls lists that it could not fetch a warning only.
  if grep -E '^(W|E):' "$log" >&2; then
    fail "apt knows no package:$absent, and could not refresh its lists (its words are above)" \
      "next: check the network and /etc/apt/sources.list, then run this again"
  fi
  fail "apt knows no package:$absent" \
    "Debian 12 has them all; LLVM 22 came with its security updates." \
    "next: see that /etc/apt lists the suites bookworm, bookworm-updates and bookworm-security"
fi

give_up() {
  tail -n 8 "$log" >&2
  fail "apt-get could not install the packages (its last words are above)" \
    "next: mend what it says, or run by hand: apt-get install$missing"
}

# Lists may be older than the archive: then the download fails, and one refresh helps.
if ! install; then
  [ "$updated" = 0 ] || give_up
  update
  install || give_up
fi
say "all packages are installed"
