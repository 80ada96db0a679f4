//===- OwnVariables.cpp - threadprivate without thread-local storage ------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel/OwnVariables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace retrograd;

/// Of a variable that stands for threads' copies: the operands of libomp's
/// call.
static constexpr StringLiteral AsksWith = "rg.own";

/// Whoever names the variable itself means the first thread's copy.
static bool isOnlyAskedFor(const GlobalVariable &G) {
  return all_of(G.uses(), [](const Use &U) {
    const auto *Call = dyn_cast<CallBase>(U.getUser());
    return Call && Call->isArgOperand(&U) && U.getOperandNo() == 2 &&
           Call->getCalledFunction() &&
           Call->getCalledFunction()->getName() ==
               "__kmpc_threadprivate_cached";
  });
}

static GlobalVariable *copiesOf(GlobalVariable &G, const CallBase &Call) {
  Module &M = *G.getParent();
  std::string Name = (G.getName() + ".own").str();
  if (G.hasLocalLinkage()) {
    // The shadow is one for all files that say the same name.
    const std::string Id = getUniqueModuleId(&M);
    if (Id.empty())
      return nullptr;
    Name += Id;
  }
  GlobalVariable *Own = M.getGlobalVariable(Name);
  if (Own)
    return Own;
  Own = new GlobalVariable(M, G.getValueType(), /*isConstant=*/false,
                           GlobalValue::ExternalLinkage, nullptr, Name, nullptr,
                           GlobalValue::GeneralDynamicTLSModel);
  Own->setAlignment(G.getAlign());
  SmallVector<Metadata *, 4> With;
  for (unsigned Operand : {0, 2, 3, 4})
    With.push_back(
        ValueAsMetadata::get(cast<Constant>(Call.getArgOperand(Operand))));
  Own->setMetadata(AsksWith, MDNode::get(M.getContext(), With));
  return Own;
}

/// flang's `copyin` makes the first thread copy its variable onto itself, while
/// others read it. Nothing changes, so the program is right; but a derivative
/// would take the adjoint away for a moment, and lose what others add.
static void skipCopyToItself(Instruction &Copy, Value *To, Value *From) {
  if (To == From || isa<AllocaInst>(From))
    return;
  IRBuilder<> B(&Copy);
  Instruction *Then = SplitBlockAndInsertIfThen(B.CreateICmpNE(To, From),
                                                Copy.getIterator(), false);
  Copy.moveBefore(Then->getIterator());
}

static void skipCopiesToItself(Value *Own) {
  for (User *U : make_early_inc_range(Own->users())) {
    if (auto *Copy = dyn_cast<MemCpyInst>(U)) {
      if (Copy->getRawDest() == Own)
        skipCopyToItself(*Copy, Own, Copy->getRawSource());
      continue;
    }
    auto *Copy = dyn_cast<StoreInst>(U);
    auto *Read = Copy && Copy->getPointerOperand() == Own
                     ? dyn_cast<LoadInst>(Copy->getValueOperand())
                     : nullptr;
    if (Read && Read->getParent() == Copy->getParent() &&
        none_of(make_range(Read->getIterator(), Copy->getIterator()),
                [](const Instruction &I) { return I.mayWriteToMemory(); }))
      skipCopyToItself(*Copy, Own, Read->getPointerOperand());
  }
}

bool retrograd::nameOwnVariable(CallBase &Call) {
  auto *G = dyn_cast<GlobalVariable>(Call.getArgOperand(2));
  auto *Size = dyn_cast<ConstantInt>(Call.getArgOperand(3));
  if (!G || !Size || !isa<Constant>(Call.getArgOperand(0)) ||
      !isa<Constant>(Call.getArgOperand(4)) || !isOnlyAskedFor(*G) ||
      Size->getZExtValue() >
          G->getDataLayout().getTypeAllocSize(G->getValueType()))
    return false;
  GlobalVariable *Copies = copiesOf(*G, Call);
  if (!Copies)
    return false;
  IRBuilder<> B(&Call);
  Value *Own = B.CreateThreadLocalAddress(Copies);
  Call.replaceAllUsesWith(Own);
  skipCopiesToItself(Own);
  return true;
}

/// In F, asked once: where a thread's copy is does not change.
static Value *askIn(Function &F, const MDNode &With) {
  auto Operand = [&](unsigned I) {
    return cast<ConstantAsMetadata>(With.getOperand(I))->getValue();
  };
  BasicBlock &Entry = F.getEntryBlock();
  IRBuilder<> B(&*Entry.getFirstNonPHIOrDbgOrAlloca());
  if (DISubprogram *SP = F.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(F.getContext(), 0, 0, SP));
  Module &M = *F.getParent();
  Value *Thread =
      B.CreateCall(M.getOrInsertFunction("__kmpc_global_thread_num",
                                         B.getInt32Ty(), B.getPtrTy()),
                   {Operand(0)});
  return B.CreateCall(M.getFunction("__kmpc_threadprivate_cached"),
                      {Operand(0), Thread, Operand(1), Operand(2), Operand(3)});
}

void retrograd::findOwnVariables(Module &M) {
  for (GlobalVariable &G : make_early_inc_range(M.globals())) {
    const MDNode *With = G.getMetadata(AsksWith);
    if (!With)
      continue;
    // Steps may write the variable itself where its address is meant.
    Constant *Itself = &G;
    convertUsersOfConstantsToInstructions(Itself);
    G.removeDeadConstantUsers();
    DenseMap<Function *, Value *> Found;
    for (Use &U : make_early_inc_range(G.uses())) {
      auto *I = cast<Instruction>(U.getUser());
      Value *&Own = Found[I->getFunction()];
      if (!Own)
        Own = askIn(*I->getFunction(), *With);
      if (auto *Address = dyn_cast<IntrinsicInst>(I);
          Address &&
          Address->getIntrinsicID() == Intrinsic::threadlocal_address) {
        Address->replaceAllUsesWith(Own);
        Address->eraseFromParent();
      } else
        U.set(Own);
    }
    G.eraseFromParent();
  }
}
