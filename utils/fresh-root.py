#!/usr/bin/env python3
# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
"""Follows pages as a new user would, in a fresh Debian 12 of their own: utils/run-page.py --fresh in a chroot.

  fresh-root.py ROOT                     all pages of PAGES
  fresh-root.py ROOT README.md --keep    some; what an earlier run left in ROOT stays, and only the sources are renewed

ROOT is made by debootstrap if it is not there. It gets git, make, cmake and g++, which README.md asks for, Python for
run-page.py, and the commit that is checked out here. Needs root, debootstrap, unshare, and a network; an hour and 20 GB, most
of both for PyTorch. Behind a proxy the machine's certificates are of use: they are copied.
"""

import argparse
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = ["README.md", "docs/user/Tutorial.md", "docs/user/Python.md", "docs/user/BuildSystems.md", "docs/README.md"]
SOURCES = """deb http://deb.debian.org/debian bookworm main
deb http://deb.debian.org/debian bookworm-updates main
deb http://deb.debian.org/debian-security bookworm-security main
"""


def inside(options, command, check=True):
    """In the root, with /proc and /dev, and the folders of --bind; all mounts end with the command."""
    mounts = [f"mount -t proc proc {options.root}/proc", f"mount --rbind /dev {options.root}/dev"]
    for pair in options.bind:
        there, _, here = pair.partition("=")
        mounts.append(f"mkdir -p {options.root}{here} && mount --bind {there} {options.root}{here}")
    clean = {"HOME": "/root", "LANG": "C.UTF-8", "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
             "DEBIAN_FRONTEND": "noninteractive"}
    script = " && ".join(mounts) + f" && exec chroot {options.root} bash -c \"$1\""
    ended = subprocess.run(["unshare", "--mount", "bash", "-c", script, "bash", command], env=clean)
    if check and ended.returncode:
        sys.exit(f"fresh-root: exit status {ended.returncode}: {command}")
    return ended.returncode


def make_root(options):
    if os.path.isdir(os.path.join(options.root, "usr")):
        return
    subprocess.run(["debootstrap", "--variant=minbase", "--include=ca-certificates", "bookworm", options.root,
                    "http://deb.debian.org/debian"], check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(options.root, "etc/apt/sources.list"), "w") as file:
        file.write(SOURCES)
    for name in ("/etc/ssl/certs/ca-certificates.crt", "/etc/pip.conf"):
        if os.path.exists(name):
            shutil.copyfile(name, options.root + name)
    inside(options, "apt-get update -qq && apt-get install -y -qq --no-install-recommends git make cmake g++ python3 > /dev/null")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    parser.add_argument("pages", nargs="*", default=PAGES)
    parser.add_argument("--keep", action="store_true", help="keep the build and the files of an earlier run")
    parser.add_argument("--into", default="/root/retrograd", help="where the repository lies in ROOT")
    parser.add_argument("--bind", action="append", default=[], metavar="HERE=THERE",
                        help="show a folder of this machine in ROOT, as the cache of ccache or pip")
    parser.add_argument("--verbose", type=int, default=3, metavar="N", help="lines of each command's output to show")
    options = parser.parse_intermixed_args()
    options.root = os.path.abspath(options.root)
    make_root(options)
    target = options.root + options.into
    if not options.keep:
        shutil.rmtree(target, ignore_errors=True)
    os.makedirs(target, exist_ok=True)
    archive = subprocess.Popen(["git", "-C", HERE, "archive", "HEAD"], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", target], stdin=archive.stdout, check=True)
    if archive.wait():
        sys.exit("fresh-root: git archive failed")
    results = {}
    for page in options.pages:
        print(f"== {page}", flush=True)
        command = f"cd {options.into} && python3 utils/run-page.py --fresh --folder {options.into} --verbose {options.verbose} {page}"
        results[page] = inside(options, command, check=False)
    for page, result in results.items():
        print(f"fresh-root: {page}: {'followed' if result == 0 else 'FAILED'}")
    return any(results.values())


if __name__ == "__main__":
    sys.exit(main())
