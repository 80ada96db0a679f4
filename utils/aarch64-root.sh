#!/bin/sh
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# utils/aarch64-root.sh DIR: a folder with what Debian 12 for AArch64 has of LLVM 22, libc
# and libstdc++, to build Retrograd for AArch64 on another machine (cmake/AArch64.cmake) and
# to run the result there under qemu. Packages are downloaded and unpacked, not installed:
# neither root nor a change of this machine's dpkg is needed.

set -eu
[ $# = 1 ] || { echo "usage: utils/aarch64-root.sh DIR" >&2; exit 2; }
mkdir -p "$1"
root=$(cd "$1" && pwd)
apt="$root/.apt"
mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
: >"$apt/status"
for suite in "debian bookworm" "debian bookworm-updates" "debian-security bookworm-security"; do
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/${suite% *} ${suite#* } main"
done >"$apt/sources.list"

# apt with a state of its own, in which nothing is installed.
get() {
  apt-get -q -y -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Install-Recommends=false \
    -o Dir::State="$apt/state" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" \
    -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=- -o APT::Sandbox::User= \
    -o Debug::NoLocking=1 "$@"
}
get update
get install --download-only clang-22 llvm-22-dev llvm-22-tools libclang-22-dev libpolly-22-dev lld-22 libstdc++-12-dev libc6-dev libgtest-dev

# A package's /lib is /usr/lib here, as in an installed system.
for folder in bin sbin lib; do
  mkdir -p "$root/usr/$folder"
  [ -e "$root/$folder" ] || ln -s "usr/$folder" "$root/$folder"
done
for package in "$apt"/cache/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --keep-directory-symlink --no-same-owner
done

# Links to places of that machine would lead to files of this one.
find "$root/usr" "$root/etc" -type l -lname '/*' 2>/dev/null | while IFS= read -r link; do
  to=$(readlink "$link")
  ln -sfn "$(realpath -ms --relative-to="$(dirname "$link")" "$root$to")" "$link"
done
rm -rf "$apt/cache"
echo "$root: ready. Next: cmake -S . -B build-aarch64 -DCMAKE_TOOLCHAIN_FILE=cmake/AArch64.cmake -DRG_AARCH64_ROOT=$root"
