//===- HostGuardTest.cpp - until when each guard holds --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard/HostGuard.h"
#include "Catalogue/Catalogue.h"
#include "Guard/InactiveValues.h"
#include "Guard/KeepEqualities.h"
#include "Guard/KeepRules.h"
#include "Support/Options.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// A module in which three guards hold something: a function with a rule, an
/// equality, a value without a derivative.
struct Guards : testing::Test {
  LLVMContext Context;
  std::unique_ptr<Module> M;
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  Options Opts;

  Guards() {
    SMDiagnostic Error;
    M = parseAssemblyString(R"(
        @__enzyme_inactivefn_level = global ptr @level
        declare double @__enzyme_autodiff(ptr, ...)
        declare double @__enzyme_ignore_derivatives(double)
        define double @level(double %x) { ret double %x }
        define double @f(double %x) {
          %is = fcmp oeq double %x, 3.0
          %n = call double @__enzyme_ignore_derivatives(double %x)
          %l = call double @level(double %n)
          %r = select i1 %is, double %l, double %x
          ret double %r
        }
        define double @g(double %x) {
          %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x)
          ret double %d
        })",
                            Error, Context);
    if (!M) {
      ADD_FAILURE() << Error.getMessage().str();
      abort();
    }
    PassBuilder Builder;
    Builder.registerModuleAnalyses(MAM);
    Builder.registerCGSCCAnalyses(CGAM);
    Builder.registerFunctionAnalyses(FAM);
    Builder.registerLoopAnalyses(LAM);
    Builder.crossRegisterProxies(LAM, FAM, CGAM, MAM);
    KeepRulesPass().run(*M, MAM);
    keepEqualities(*M->getFunction("f"));
    Catalogue Cat;
    markInactiveValues(*M, Cat);
  }

  GuardedModule at(LinkStage Stage) {
    return {.M = *M, .MAM = MAM, .Opts = Opts, .Stage = Stage};
  }
  bool holdsRule() { return M->getFunction("level")->isInterposable(); }
  bool holdsApart() {
    return M->getFunction("level")->hasFnAttribute(Attribute::NoInline);
  }
  bool holdsEquality() {
    return any_of(M->getFunctionList(), [](const Function &F) {
      return F.getIntrinsicID() == Intrinsic::arithmetic_fence &&
             !F.use_empty();
    });
  }
  bool holdsInactive() {
    return any_of(M->getFunctionList(), [](const Function &F) {
      return F.getName().starts_with("rg..constant.");
    });
  }
};

TEST_F(Guards, holdUntilSomethingEndsThem) {
  EXPECT_TRUE(holdsRule());
  EXPECT_TRUE(holdsApart());
  EXPECT_TRUE(holdsEquality());
  EXPECT_TRUE(holdsInactive());
}

TEST_F(Guards, rulesEndBeforeRequestsAndNothingElseDoes) {
  EXPECT_TRUE(releaseForRequests(at(LinkStage::Whole)));
  EXPECT_FALSE(holdsRule());
  EXPECT_TRUE(holdsApart());
  EXPECT_TRUE(holdsEquality());
  EXPECT_TRUE(holdsInactive());
}

TEST_F(Guards, whatOtherUnitsMayAskForIsHeldBeforeALink) {
  releaseForRequests(at(LinkStage::BeforeLink));
  EXPECT_TRUE(holdsRule()); // other units see the function
  EXPECT_FALSE(releaseGuards(at(LinkStage::BeforeLink)));
  EXPECT_TRUE(holdsApart());
  EXPECT_TRUE(holdsEquality());
  EXPECT_TRUE(holdsInactive());
}

TEST_F(Guards, theLinkEndsAll) {
  releaseForRequests(at(LinkStage::FullLink));
  EXPECT_TRUE(releaseGuards(at(LinkStage::FullLink)));
  EXPECT_FALSE(holdsRule());
  EXPECT_FALSE(holdsApart());
  EXPECT_FALSE(M->getFunction("level")->hasFnAttribute("rg-apart"));
  EXPECT_FALSE(holdsEquality());
  EXPECT_FALSE(holdsInactive());
  EXPECT_FALSE(releaseGuards(at(LinkStage::FullLink))); // nothing is left
}

TEST_F(Guards, stages) {
  EXPECT_FALSE(at(LinkStage::BeforeLink).isLast());
  EXPECT_TRUE(at(LinkStage::Whole).isLast());
  EXPECT_FALSE(at(LinkStage::Whole).isInLinker());
  EXPECT_TRUE(at(LinkStage::FullLink).isInLinker());
  EXPECT_TRUE(at(LinkStage::ThinLink).isInLinker());
}

} // namespace
