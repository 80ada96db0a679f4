//===- PreparedFunction.h - a function and what is known of it --*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests of single analyses and rules: the function @f of a module's text,
// as preparation would leave it, with all that comes before the plan.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_UNITTESTS_PREPAREDFUNCTION_H
#define RETROGRAD_UNITTESTS_PREPAREDFUNCTION_H

#include "Analysis/ActivityAnalysis.h"
#include "Analysis/LoopShape.h"
#include "Analysis/OverwriteAnalysis.h"
#include "Analysis/ProgramFacts.h"
#include "Catalogue/Catalogue.h"
#include "ParsedModule.h"
#include "Support/Options.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueSymbolTable.h"

namespace retrograd {

class PreparedFunction : public ParsedModule {
public:
  /// Numbers are Out, pointers Dup, integers Const, unless Args says otherwise.
  explicit PreparedFunction(const std::string &Text,
                            llvm::ArrayRef<ArgActivity> Args = {}) {
    parse(Text);
    F = M->getFunction("f");
    llvm::SmallVector<ArgActivity, 8> Activities(Args);
    if (Args.empty())
      for (llvm::Argument &A : F->args())
        Activities.push_back(A.getType()->isPointerTy() ? ArgActivity::Dup
                             : A.getType()->isFPOrFPVectorTy()
                                 ? ArgActivity::Out
                                 : ArgActivity::Const);
    Facts = std::make_unique<ProgramFacts>(
        llvm::ArrayRef<llvm::Function *>{F},
        [this](const llvm::Function *Of) -> llvm::Function * {
          return Of == F ? F : nullptr;
        },
        Cat);
    Shape = std::make_unique<LoopShape>(
        *F, FAM.getResult<llvm::LoopAnalysis>(*F),
        FAM.getResult<llvm::ScalarEvolutionAnalysis>(*F));
    Activity = std::make_unique<ActivityAnalysis>(
        *F, Activities, !F->getReturnType()->isVoidTy(), *Facts, *Shape,
        ShadowOrigins());
  }

  llvm::Value *value(llvm::StringRef Name) const {
    llvm::Value *V = F->getValueSymbolTable()->lookup(Name);
    EXPECT_NE(V, nullptr) << Name.str();
    return V;
  }
  llvm::Instruction &instruction(llvm::StringRef Name) const {
    return *llvm::cast<llvm::Instruction>(value(Name));
  }

  Catalogue Cat;
  llvm::Function *F = nullptr;
  std::unique_ptr<ProgramFacts> Facts;
  std::unique_ptr<LoopShape> Shape;
  std::unique_ptr<ActivityAnalysis> Activity;
};

} // namespace retrograd

#endif
