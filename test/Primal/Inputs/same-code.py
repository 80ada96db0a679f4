"""Compares two printed modules, less debug locations and the numbers of
attribute lists and metadata."""

import re
import sys


def code(path):
    text = open(path).read()
    # A loop of a -g build has metadata that just says where it is.
    text = re.sub(r",? !(dbg|llvm.loop) ![0-9]+", "", text)
    return re.sub(r" ?[#!][0-9]+", "", text)


sys.exit(code(sys.argv[1]) != code(sys.argv[2]))
