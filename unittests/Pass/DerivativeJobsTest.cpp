//===- DerivativeJobsTest.cpp - all is planned, then all is written -------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/DerivativeJobs.h"
#include "Analysis/ProgramFacts.h"
#include "Bitcode/RuntimeLibrary.h"
#include "Pass/ShadowGlobals.h"
#include "PassFixture.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// One attempt at the gradient of @f. Pointers have shadows.
struct Jobs : PassFixture {
  using Outcome = DerivativeJobs::Outcome;
  Options Opts;
  Catalogue Cat;
  std::unique_ptr<DiagnosticEngine> Diags;
  std::unique_ptr<PreparePrimal> Prepare;
  std::unique_ptr<RuntimeLibrary> Runtime;
  std::unique_ptr<ShadowGlobals> Shadows;
  std::unique_ptr<ProgramFacts> Facts;
  std::unique_ptr<DerivativeJobs> Attempt;
  BitVector Uniform;
  SmallVector<Function *, 8> Finished;

  void begin(const std::string &Text, bool LastTry = true,
             bool WordsInMemory = false) {
    parse(Text);
    Diags = std::make_unique<DiagnosticEngine>(*M, DiagnosticEngine::Silent);
    Prepare = std::make_unique<PreparePrimal>(*M, MAM, Cat, Opts);
    Runtime = std::make_unique<RuntimeLibrary>(*M);
    Shadows = std::make_unique<ShadowGlobals>(*M);
    DerivativeRequest R;
    R.Primal = &function("f");
    for (const Argument &A : R.Primal->args())
      R.Args.push_back(A.getType()->isPointerTy() ? ArgActivity::Dup
                                                  : ArgActivity::Out);
    R.ActiveReturn = !R.Primal->getReturnType()->isVoidTy();
    if (WordsInMemory)
      Prepare->keepWordsInMemory({R.Primal});
    Function *Root = Prepare->prepare(*R.Primal);
    auto Graph = Prepare->reachable(*Root);
    Shadows->begin(Graph);
    Facts = std::make_unique<ProgramFacts>(
        Graph, [this](const Function *F) { return Prepare->preparedOf(F); },
        Cat);
    Uniform.resize(Root->arg_size());
    Attempt = std::make_unique<DerivativeJobs>(
        DerivativeJobs::House{*M, MAM, Cat, *Diags, Opts, *Prepare, *Runtime,
                              *Shadows, nullptr},
        DerivativeJobs::Evidence{*Root, *Facts, nullptr, Uniform,
                                 /*CallersAsked=*/true, LastTry,
                                 /*MayNarrow=*/false, /*Rare=*/false},
        R, RequestTrail());
  }
  bool writes(StringRef Name) const {
    const Function *F = M->getFunction(Name);
    return F && !F->isDeclaration();
  }
};

const std::string Chain = R"(
  define double @inner(double %x) noinline {
    %r = fmul double %x, %x
    ret double %r
  }
  define double @middle(double %x) noinline {
    %i = call double @inner(double %x)
    %r = fmul double %i, %x
    ret double %r
  }
  define double @f(double %x) {
    %m = call double @middle(double %x)
    %i = call double @inner(double %x)
    %r = fmul double %m, %i
    ret double %r
  })";

TEST_F(Jobs, planningWritesNothing) {
  begin(Chain);
  const std::string Before = text();
  EXPECT_EQ(Attempt->plan(), Outcome::Planned);
  EXPECT_EQ(text(), Before);
}

TEST_F(Jobs, eachCalleeIsOneJob) {
  begin(Chain);
  ASSERT_EQ(Attempt->plan(), Outcome::Planned);
  ASSERT_TRUE(Attempt->emit(Finished));
  EXPECT_EQ(Attempt->made()->getName(), "rg.f.grad");
  EXPECT_EQ(Attempt->sweep(), nullptr); // both sweeps are one function
  // @inner is asked for twice with equal requests; what is called is split.
  unsigned OfInner = 0;
  for (const Function *F : Finished)
    OfInner += F->getName().contains("inner");
  EXPECT_EQ(OfInner, 2u); // the halves of one derivative
}

TEST_F(Jobs, aRefusalInACalleeHasWrittenNothing) {
  begin(R"(
    declare double @elsewhere(double)
    define double @inner(double %x) noinline {
      %r = call double @elsewhere(double %x)
      ret double %r
    }
    define double @good(double %x) noinline {
      %r = fmul double %x, %x
      ret double %r
    }
    define double @f(double %x) {
      %g = call double @good(double %x)
      %i = call double @inner(double %g)
      ret double %i
    })");
  const std::string Before = text();
  EXPECT_EQ(Attempt->plan(), Outcome::Failed);
  EXPECT_TRUE(Diags->reported(DiagId::CallWithoutBody));
  EXPECT_EQ(text(), Before);
}

// Bytes of which nobody knows the type: nothing is told as long as callers can
// still be asked.
TEST_F(Jobs, unknownBytesAreRefusedByTheLastTryOnly) {
  const std::string Move = R"(
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
    define void @f(ptr %to, ptr %from) {
      call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 8, i1 false)
      ret void
    })";
  begin(Move, /*LastTry=*/false);
  EXPECT_EQ(Attempt->plan(), Outcome::Untyped);
  EXPECT_FALSE(Diags->reported(DiagId::TypeUnknown));
  // First the word that is moved gets another try, in memory.
  begin(Move, /*LastTry=*/true);
  EXPECT_EQ(Attempt->plan(), Outcome::Moved);
  ASSERT_EQ(Attempt->moving().size(), 1u);
  EXPECT_EQ(Attempt->moving().front(), &function("f"));
  EXPECT_FALSE(Diags->reported(DiagId::TypeUnknown));
  // Then it is left to the running program.
  begin(Move, /*LastTry=*/true, /*WordsInMemory=*/true);
  const std::string Before = text();
  EXPECT_EQ(Attempt->plan(), Outcome::Bytes);
  EXPECT_FALSE(Diags->reported(DiagId::TypeUnknown));
  EXPECT_EQ(text(), Before);
}

} // namespace
