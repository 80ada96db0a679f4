# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -D INPUT=<file> -D OUTPUT=<source> -D NAME=<array> -P EmbedFile.cmake
# Writes a file as a C++ array of bytes, aligned as bitcode readers like it.

file(READ "${INPUT}" Hex HEX)
file(SIZE "${INPUT}" Size)
string(REGEX REPLACE "(................................)" "\\1\n" Hex "${Hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," Hex "${Hex}")
if(Size EQUAL 0)
  set(Hex "0")
endif()
file(WRITE "${OUTPUT}" "// Generated from ${NAME}; do not edit.
alignas(16) static const unsigned char ${NAME}[] = {
${Hex}};
static const unsigned long ${NAME}Size = ${Size};
")
