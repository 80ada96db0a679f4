//===- ProgramFactsTest.cpp - what functions do to memory -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../PreparedFunction.h"
#include "Analysis/CallEffects.h"

using namespace llvm;
using namespace retrograd;

TEST(ProgramFacts, effectsOfAFunction) {
  PreparedFunction P(R"(
    define void @f(ptr %from, ptr %to, ptr %flag) {
      %x = load double, ptr %from
      store double %x, ptr %to
      store i32 1, ptr %flag
      ret void
    })");
  const TypeAnalysis &T = P.Facts->types();
  const auto From = T.objectOf(P.value("from")), To = T.objectOf(P.value("to")),
             Flag = T.objectOf(P.value("flag"));
  const ProgramFacts::Effects &E = P.Facts->effects(P.F);
  EXPECT_TRUE(E.Reads.test(From));
  EXPECT_FALSE(E.Writes.test(From));
  EXPECT_TRUE(E.Writes.test(To));
  EXPECT_TRUE(E.Numbers.test(To));
  EXPECT_TRUE(E.Writes.test(Flag));
  EXPECT_FALSE(E.Numbers.test(Flag)); // a constant integer
  EXPECT_FALSE(E.Pointers.test(To));
}

TEST(ProgramFacts, parametersMayOverlapAndLocalsMayNot) {
  PreparedFunction P(R"(
    define double @f(ptr %x, ptr %y) {
      %own = alloca double
      %a = load double, ptr %x
      store double %a, ptr %own
      store double %a, ptr %y
      %r = load double, ptr %own
      ret double %r
    })");
  const TypeAnalysis &T = P.Facts->types();
  const auto X = T.objectOf(P.value("x")), Y = T.objectOf(P.value("y")),
             Own = T.objectOf(P.value("own"));
  EXPECT_TRUE(P.Facts->mayOverlap(X, Y));
  EXPECT_FALSE(P.Facts->mayOverlap(X, Own));
  EXPECT_TRUE(P.Facts->visible().test(X));
  EXPECT_FALSE(P.Facts->visible().test(Own));
  EXPECT_TRUE(P.Facts->ownedMemory().test(Own));
  EXPECT_FALSE(P.Facts->ownedMemory().test(X));
}

TEST(ProgramFacts, unknownCallsSeeWhatTheyAreGiven) {
  PreparedFunction P(R"(
    declare void @unknown(ptr)
    define double @f(double %x) {
      %given = alloca double
      %kept = alloca double
      store double %x, ptr %given
      store double %x, ptr %kept
      call void @unknown(ptr %given)
      %r = load double, ptr %kept
      ret double %r
    })");
  const TypeAnalysis &T = P.Facts->types();
  EXPECT_TRUE(P.Facts->visible().test(T.objectOf(P.value("given"))));
  EXPECT_FALSE(P.Facts->visible().test(T.objectOf(P.value("kept"))));
}

TEST(ProgramFacts, bitsOfNumbers) {
  PreparedFunction Computes(R"(
    define i64 @f(double %x) {
      %bits = bitcast double %x to i64
      %r = lshr i64 %bits, 52
      ret i64 %r
    })");
  EXPECT_TRUE(Computes.Facts->bitsAreMade());
  PreparedFunction Adds(R"(
    define double @f(double %x) {
      %r = fadd double %x, 1.0
      ret double %r
    })");
  EXPECT_FALSE(Adds.Facts->bitsAreMade());
}

TEST(CallEffects, accessesOfOneInstruction) {
  PreparedFunction P(R"(
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
    define void @f(ptr %to, ptr %from) {
      call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 8, i1 false)
      ret void
    })");
  const Instruction &Copy = P.F->getEntryBlock().front();
  SmallVector<std::pair<const Value *, bool>, 2> Seen; // pointer, writes
  visitAccesses(Copy, P.Cat,
                [&](const Value *Pointer, bool Reads, bool Writes) {
                  EXPECT_NE(Reads, Writes);
                  Seen.push_back({Pointer, Writes});
                });
  ASSERT_EQ(Seen.size(), 2u);
  EXPECT_EQ(Seen[0].first, P.value("to"));
  EXPECT_TRUE(Seen[0].second);
  EXPECT_EQ(Seen[1].first, P.value("from"));
  EXPECT_FALSE(Seen[1].second);
  EXPECT_FALSE(callsBack(Copy, P.Cat));
}
