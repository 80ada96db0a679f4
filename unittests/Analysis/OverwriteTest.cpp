//===- OverwriteTest.cpp - which loads can be repeated --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../PreparedFunction.h"

using namespace llvm;
using namespace retrograd;

static bool canRepeat(PreparedFunction &P, StringRef Load) {
  Options Opts;
  OverwriteAnalysis Overwrite(*P.F, *P.F, OverwriteAnalysis::AtOnce,
                              P.FAM.getResult<AAManager>(*P.F), *P.Activity,
                              *P.Shape, Opts);
  return Overwrite.canRepeat(*cast<LoadInst>(P.value(Load)));
}

TEST(Overwrite, memoryThatStaysIsReadAgain) {
  PreparedFunction P(R"(
    define double @f(ptr noalias %p, ptr noalias %q) {
      %x = load double, ptr %p
      %y = load double, ptr %q
      %xy = fmul double %x, %y
      store double %xy, ptr %q
      ret double %xy
    })");
  EXPECT_TRUE(canRepeat(P, "x"));
  EXPECT_FALSE(canRepeat(P, "y"));
}

TEST(Overwrite, anotherNameForTheSameMemoryCounts) {
  PreparedFunction P(R"(
    define double @f(ptr %p, ptr %q) {
      %x = load double, ptr %p
      %xx = fmul double %x, %x
      store double %xx, ptr %q
      ret double %xx
    })");
  EXPECT_FALSE(canRepeat(P, "x"));
}
