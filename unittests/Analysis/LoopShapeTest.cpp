//===- LoopShapeTest.cpp - how often loops run ----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../PreparedFunction.h"

using namespace llvm;
using namespace retrograd;

static const char *const Counted = R"(
  define double @f(ptr %p, i64 %n) {
  entry:
    br label %body
  body:
    %i = phi i64 [ 0, %entry ], [ %next, %body ]
    %sum = phi double [ 0.0, %entry ], [ %more, %body ]
    %at = getelementptr double, ptr %p, i64 %i
    %x = load double, ptr %at
    %more = fadd double %sum, %x
    %next = add nuw nsw i64 %i, 1
    %c = icmp ult i64 %next, %n
    br i1 %c, label %body, label %out
  out:
    %r = phi double [ %more, %body ]
    ret double %r
  })";

TEST(LoopShape, countsByValuesBeforeTheLoop) {
  PreparedFunction P(Counted);
  const Loop *L = *P.Shape->loops().begin();
  EXPECT_TRUE(P.Shape->facts(L).Exact);
  EXPECT_NE(P.Shape->affine(cast<PHINode>(P.value("i"))), nullptr);
  EXPECT_EQ(P.Shape->affine(cast<PHINode>(P.value("sum"))), nullptr);
}

TEST(LoopShape, blocksThatDoNotReturnAreDead) {
  PreparedFunction P(R"(
    declare void @abort() noreturn
    define double @f(double %x, i1 %c) {
    entry:
      br i1 %c, label %good, label %bad
    good:
      ret double %x
    bad:
      call void @abort()
      unreachable
    })");
  for (BasicBlock &B : *P.F)
    EXPECT_EQ(P.Shape->isLive(&B), B.getName() != "bad");
}
