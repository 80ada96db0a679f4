//===- PrintFunctionPass.cpp - analyses of single functions ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/PrintFunctionPass.h"
#include "Pass/PrintAnalysesPass.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// A function that asks for the derivative of F.
static Function *askFor(Function &F) {
  Module &M = *F.getParent();
  LLVMContext &C = M.getContext();
  FunctionCallee Entry = M.getOrInsertFunction(
      "__enzyme_fwddiff_to_print",
      FunctionType::get(Type::getVoidTy(C), {PointerType::getUnqual(C)}, true));
  Function *Caller =
      Function::Create(FunctionType::get(Type::getVoidTy(C), false),
                       GlobalValue::ExternalLinkage, "rg.ask", M);
  IRBuilder<> B(BasicBlock::Create(C, "", Caller));
  SmallVector<Value *, 8> Arguments = {&F};
  for (Argument &A : F.args()) {
    if (A.hasStructRetAttr())
      continue;
    bool Shadow =
        A.getType()->isPtrOrPtrVectorTy() || A.getType()->isFPOrFPVectorTy();
    for (int K = 0; K != (Shadow ? 2 : 1); ++K)
      Arguments.push_back(B.CreateFreeze(PoisonValue::get(A.getType())));
  }
  B.CreateCall(Entry, Arguments);
  B.CreateRetVoid();
  return Caller;
}

PreservedAnalyses PrintFunctionPass::run(Module &M,
                                         ModuleAnalysisManager &MAM) {
  SmallVector<Function *, 8> Asked;
  for (Function &F : M)
    if (!F.isDeclaration() && !F.isVarArg() &&
        (Opts.PrintFunction.empty() || F.getName() == Opts.PrintFunction))
      Asked.push_back(&F);
  SmallVector<Function *, 8> Callers;
  for (Function *F : Asked)
    Callers.push_back(askFor(*F));
  PrintAnalysesPass(Opts, What).run(M, MAM);
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (Function *F : Callers) {
    FAM.clear(*F, F->getName());
    F->eraseFromParent();
  }
  if (Function *Entry = M.getFunction("__enzyme_fwddiff_to_print");
      Entry && Entry->use_empty())
    Entry->eraseFromParent();
  return PreservedAnalyses::none();
}
