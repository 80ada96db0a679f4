//===- ActivityTest.cpp - what carries a derivative -----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../PreparedFunction.h"

using namespace llvm;
using namespace retrograd;

TEST(Activity, needsBothEnds) {
  PreparedFunction P(R"(
    define double @f(double %x, double %c) {
      %both = fmul double %x, %c
      %varied = fmul double %x, 3.0
      %useful = fadd double %c, 1.0
      %r = fmul double %both, %useful
      ret double %r
    })",
                     {ArgActivity::Out, ArgActivity::Const});
  EXPECT_TRUE(P.Activity->isActive(P.value("both")));
  EXPECT_TRUE(P.Activity->isVaried(P.value("varied")));
  EXPECT_FALSE(P.Activity->isActive(P.value("varied"))); // nobody reads it
  EXPECT_TRUE(P.Activity->isUseful(P.value("useful")));
  EXPECT_FALSE(P.Activity->isActive(P.value("useful"))); // does not vary
}

TEST(Activity, endsAtIntegers) {
  PreparedFunction P(R"(
    define double @f(double %x) {
      %i = fptosi double %x to i32
      %n = sitofp i32 %i to double
      %r = fmul double %n, %n
      ret double %r
    })");
  EXPECT_FALSE(P.Activity->isActive(P.value("n")));
  EXPECT_FALSE(P.Activity->isActive(P.value("r")));
}

TEST(Activity, goesThroughMemory) {
  PreparedFunction P(R"(
    define double @f(double %x, ptr %p, ptr %q) {
      store double %x, ptr %p
      %y = load double, ptr %p
      %z = load double, ptr %q
      %r = fmul double %y, %z
      ret double %r
    })",
                     {ArgActivity::Out, ArgActivity::Dup, ArgActivity::Const});
  EXPECT_TRUE(P.Activity->isActive(P.value("y")));
  EXPECT_TRUE(P.Activity->hasShadow(P.value("p")));
  EXPECT_TRUE(P.Activity->isActiveMemory(P.value("p")));
  EXPECT_FALSE(P.Activity->isActive(P.value("z")));
  EXPECT_FALSE(P.Activity->isActiveMemory(P.value("q")));
}
