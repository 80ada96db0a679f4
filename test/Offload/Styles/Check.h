// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks as CUDA programs have them.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#define CHECK(Call)                                                            \
  do {                                                                         \
    cudaError_t Error = (Call);                                                \
    if (Error != cudaSuccess) {                                                \
      fprintf(stderr, "%s:%d %s: %s (%s)\n", __FILE__, __LINE__, #Call,        \
              cudaGetErrorString(Error), cudaGetErrorName(Error));             \
      exit(EXIT_FAILURE);                                                      \
    }                                                                          \
  } while (0)
#define EXPECT(Condition)                                                      \
  do {                                                                         \
    if (!(Condition)) {                                                        \
      printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #Condition);           \
      bad++;                                                                   \
    }                                                                          \
  } while (0)
static int bad = 0;
static inline int finish() { return bad != 0; }
