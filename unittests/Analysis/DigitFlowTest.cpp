//===- DigitFlowTest.cpp - integers that are digits of numbers ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../PreparedFunction.h"

using namespace llvm;
using namespace retrograd;

/// A function of a number %x and of numbers behind %p, which makes a number %r.
static bool isRefused(const std::string &Body) {
  PreparedFunction P("define double @f(double %x, ptr %p, i64 %n, i1 %c) {\n" +
                     Body + "\nret double %r\n}");
  const auto *Made = cast<Instruction>(P.value("r"));
  EXPECT_EQ(is_contained(P.Activity->lostBits(), Made),
            P.Facts->digits().makesNumber(*Made));
  return P.Facts->digits().makesNumber(*Made);
}

TEST(DigitFlow, mantissaAndExponent) {
  EXPECT_TRUE(isRefused(R"(
    %bits = bitcast double %x to i64
    %less = sub i64 %bits, 4607182418800017408
    %r = sitofp i64 %less to double)"));
  EXPECT_FALSE(isRefused(R"(
    %bits = bitcast double %x to i64
    %carried = add i64 %bits, 2533274790395904
    %exponent = lshr i64 %carried, 52
    %r = sitofp i64 %exponent to double)"));
  EXPECT_TRUE(isRefused(R"(
    %bits = bitcast double %x to i64
    %high = lshr i64 %bits, 32
    %half = trunc i64 %high to i32
    %r = uitofp i32 %half to double)"));
  EXPECT_FALSE(isRefused(R"(
    %bits = bitcast double %x to i64
    %shifted = lshr i64 %bits, 45
    %index = and i64 %shifted, 127
    %r = uitofp i64 %index to double)"));
}

TEST(DigitFlow, hashes) {
  EXPECT_FALSE(isRefused(R"(
    %bits = bitcast double %x to i64
    %hash = mul i64 %bits, -7046029254386353131
    %r = uitofp i64 %hash to double)"));
  EXPECT_TRUE(isRefused(R"(
    %bits = bitcast double %x to i64
    %three = mul nsw i64 %bits, 3
    %r = sitofp i64 %three to double)"));
}

TEST(DigitFlow, integersByTurns) {
  EXPECT_FALSE(isRefused(R"(
    %bits = bitcast double %x to i64
    %either = select i1 %c, i64 %bits, i64 %n
    %r = sitofp i64 %either to double)"));
  EXPECT_TRUE(isRefused(R"(
    %bits = bitcast double %x to i64
    %turned = xor i64 %bits, -1
    %either = select i1 %c, i64 %bits, i64 %turned
    %r = sitofp i64 %either to double)"));
}

TEST(DigitFlow, memory) {
  const std::string Load = R"(
    %number = load double, ptr %p
    %bits = load i64, ptr %p
    %r = sitofp i64 %bits to double)";
  EXPECT_TRUE(isRefused(Load));
  EXPECT_FALSE(isRefused("store i64 %n, ptr %p" + Load));
  EXPECT_TRUE(isRefused(R"(
    %keys = alloca [4 x i64]
    %at = getelementptr [4 x i64], ptr %keys, i64 0, i64 %n
    store double %x, ptr %at
    %key = load i64, ptr %at
    %r = uitofp i64 %key to double)"));
}

TEST(DigitFlow, roundedNumbers) {
  EXPECT_TRUE(isRefused(R"(
    %high = fptosi double %x to i32
    %wide = zext i32 %high to i64
    %bits = shl i64 %wide, 32
    %r = bitcast i64 %bits to double)"));
  EXPECT_FALSE(isRefused(R"(
    %k = fptosi double %x to i64
    %biased = add i64 %k, 1023
    %bits = shl i64 %biased, 52
    %r = bitcast i64 %bits to double)"));
  EXPECT_FALSE(isRefused(R"(
    %k = fptosi double %x to i64
    %r = sitofp i64 %k to double)"));
}
