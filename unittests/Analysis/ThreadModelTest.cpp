//===- ThreadModelTest.cpp - who runs a function, what is its own ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/ThreadModel.h"
#include "../PreparedFunction.h"
#include "Support/CallBinding.h"

using namespace llvm;
using namespace retrograd;

static const std::string Device = "target triple = \"nvptx64-nvidia-cuda\"\n";
static const std::string Memory = R"(
  declare noalias ptr @malloc(i64)
  declare void @publish(ptr)
  define double @f(ptr %given, i1 %c) {
    %hidden = alloca [2 x double]
    %shown = alloca double
    %block = call ptr @malloc(i64 16)
    %second = getelementptr double, ptr %hidden, i64 1
    %either = select i1 %c, ptr %second, ptr %block
    %any = select i1 %c, ptr %second, ptr %given
    call void @publish(ptr %shown)
    %v = load double, ptr %either
    %w = load double, ptr %any
    %r = fadd double %v, %w
    ret double %r
  })";

static retrograd::ThreadModel modelOf(const PreparedFunction &P,
                                      const Options &Opts = {}) {
  return {*P.F, *P.Facts, Opts};
}

TEST(ThreadModel, companyIsOfTheFunctionOnTheHost) {
  PreparedFunction P(Memory);
  EXPECT_EQ(modelOf(P).company(), retrograd::ThreadModel::Alone);
  // The user says that many threads call one derivative.
  Options Shared;
  Shared.SharedShadows = true;
  EXPECT_EQ(modelOf(P, Shared).company(), retrograd::ThreadModel::Team);
}

TEST(ThreadModel, aTeamIsFoundByTheBinding) {
  LLVMContext Context;
  SMDiagnostic Error;
  auto M = parseAssemblyString(R"(
      define void @region(i64 %n, ptr %p) { ret void }
      define void @f(ptr %p) {
        call void @region(i64 0, ptr %p)
        ret void
      })",
                               Error, Context);
  ASSERT_TRUE(M) << Error.getMessage().str();
  Function *F = M->getFunction("f"), *Region = M->getFunction("region");
  bind(*Region, CallBinding::Team);
  Catalogue Cat;
  ProgramFacts Facts(
      {F, Region},
      [&](const Function *Of) {
        return Of == F ? F : Of == Region ? Region : nullptr;
      },
      Cat);
  EXPECT_EQ(retrograd::ThreadModel(*F, Facts, {}).company(),
            retrograd::ThreadModel::Alone);
  EXPECT_EQ(retrograd::ThreadModel(*Region, Facts, {}).company(),
            retrograd::ThreadModel::Team);
}

TEST(ThreadModel, onGpusEveryFunctionIsAGrids) {
  PreparedFunction P(Device + Memory);
  EXPECT_EQ(modelOf(P).company(), retrograd::ThreadModel::Grid);
}

TEST(ThreadModel, ownMemoryIsWhatNobodyElseHasTheAddressOf) {
  PreparedFunction P(Memory);
  auto Threads = modelOf(P);
  EXPECT_TRUE(Threads.isOwn(P.value("second"), nullptr));
  EXPECT_TRUE(Threads.isOwn(P.value("block"), nullptr));
  EXPECT_TRUE(Threads.isOwn(P.value("either"), nullptr));
  EXPECT_FALSE(Threads.isOwn(P.value("shown"), nullptr));
  EXPECT_FALSE(Threads.isOwn(P.value("given"), nullptr));
  EXPECT_FALSE(Threads.isOwn(P.value("any"), nullptr)); // one of two is enough
}

TEST(ThreadModel, aThreadOfAGridOwnsItsVariablesAndNoBlock) {
  PreparedFunction P(Device + Memory);
  auto Threads = modelOf(P);
  EXPECT_TRUE(Threads.isOwn(P.value("shown"), nullptr));
  EXPECT_FALSE(Threads.isOwn(P.value("block"), nullptr));
}
