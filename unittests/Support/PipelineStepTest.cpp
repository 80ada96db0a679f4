//===- PipelineStepTest.cpp - steps are left out, counted, printed --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/PipelineStep.h"
#include "Support/Options.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace retrograd;

namespace {

RG_DEFINE_STEP(TestOptional, "test-optional", Optional, "may be left out")
RG_DEFINE_STEP(TestNeeded, "test-needed", Needed, "must not")

static_assert(isCamelCaseOf("step::PeelFirst", "peel-first"));
static_assert(isCamelCaseOf("InlineArena2", "inline-arena2"));
static_assert(!isCamelCaseOf("PeelFirst", "peel-firsts"));
static_assert(!isCamelCaseOf("PeelFirsts", "peel-first"));
static_assert(!isCamelCaseOf("Peelfirst", "peel-first"));

struct Steps : testing::Test {
  LLVMContext C;
  Module M{"m", C};
  Function *F = Function::Create(FunctionType::get(Type::getVoidTy(C), false),
                                 GlobalValue::ExternalLinkage, "f", M);
  Options Opts;
  StepRunner Runner{Opts};

  std::string stats() {
    std::string Text;
    raw_string_ostream OS(Text);
    PipelineStep *const All[] = {&TestOptional, &TestNeeded};
    printStats(All, OS);
    return Text;
  }
};

TEST_F(Steps, OptionalOnesAreLeftOutByName) {
  Opts.DisabledSteps = {"test-optional", "test-needed"};
  unsigned Runs = 0;
  EXPECT_FALSE(Runner.run(TestOptional, *F, [&] { return ++Runs != 0; }));
  EXPECT_EQ(Runs, 0u);
  EXPECT_TRUE(Runner.run(TestNeeded, *F, [&] { ++Runs; }));
  EXPECT_EQ(Runs, 1u);
  stats();
}

TEST_F(Steps, ChangedFunctionsAreCounted) {
  EXPECT_TRUE(Runner.run(TestOptional, *F, [] { return true; }));
  EXPECT_FALSE(Runner.run(TestOptional, *F, [] { return false; }));
  EXPECT_TRUE(Runner.run(TestOptional, *F, [] {})); // does not know
  EXPECT_EQ(stats(), "       2 test-optional: may be left out\n");
  EXPECT_EQ(stats(), ""); // and begins again
}

TEST_F(Steps, AreFoundByName) {
  PipelineStep *const All[] = {&TestOptional, &TestNeeded};
  EXPECT_EQ(stepNamed(All, "test-needed"), &TestNeeded);
  EXPECT_EQ(stepNamed(All, "test"), nullptr);
}

} // namespace
