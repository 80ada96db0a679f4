//===- Trampolines.cpp - internal procedures by address -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/Language/Trampolines.h"
#include "Catalogue/AccessTags.h"
#include "Primal/PrimalSteps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <array>

using namespace llvm;
using namespace retrograd;

// A trampoline as it is written here:
//    0  mov r10, [rip + n]     the closure, where x86-64 passes it
//    7  jmp [rip + 3]          to the procedure
//   16  the procedure
//   24  a word for each procedure of the module: in its own one, the closure
// Closures of different procedures hold different things. In one word, they
// would be one object to the types.
static constexpr unsigned ProcedureAt = 16, ClosuresAt = 24;

static unsigned closureAt(const Function &Procedure) {
  unsigned Before = 0;
  for (const Function &F : *Procedure.getParent()) {
    if (&F == &Procedure)
      break;
    Before += hasTrampoline(F);
  }
  return ClosuresAt + 8 * Before;
}

static unsigned sizeIn(const Module &M) {
  return ClosuresAt + 8 * count_if(M, hasTrampoline);
}

/// The first two words of a trampoline whose closure stands at a distance.
static std::array<uint64_t, 2> codeFor(unsigned Closure) {
  constexpr unsigned Move = 0x158b4c, MoveSize = 7;
  constexpr uint64_t Jump = 0xff;
  return {Jump << 56 | uint64_t(Closure - MoveSize) << 24 | Move, 0x325};
}

static AllocaInst *variableOf(const IntrinsicInst &C) {
  return dyn_cast<AllocaInst>(C.getArgOperand(0)->stripPointerCasts());
}

/// What Init, the intrinsic, makes of Record.
static void writeRecord(AllocaInst &Record, const IntrinsicInst &Init) {
  IRBuilder<> B(const_cast<IntrinsicInst *>(&Init));
  auto Store = [&](Value *V, unsigned At) {
    return B.CreateAlignedStore(
        V, B.CreateConstGEP1_64(B.getInt8Ty(), &Record, At), Align(8));
  };
  const auto &Procedure =
      *cast<Function>(Init.getArgOperand(1)->stripPointerCastsAndAliases());
  const unsigned Closure = closureAt(Procedure);
  MDNode *IsInteger = writtenTag("long", /*OfMember=*/false, B.getContext());
  for (const auto &[I, Word] : enumerate(codeFor(Closure)))
    Store(B.getInt64(Word), 8 * I)
        ->setMetadata(LLVMContext::MD_tbaa, IsInteger);
  Store(Init.getArgOperand(1), ProcedureAt);
  Store(Init.getArgOperand(2), Closure);
}

bool retrograd::spellTrampolines(Function &F) {
  if (F.getParent()->getTargetTriple().getArch() != Triple::x86_64)
    return false;
  SmallMapVector<AllocaInst *, SmallVector<IntrinsicInst *, 2>, 4> Trampolines;
  for (Instruction &I : instructions(F))
    if (auto *C = dyn_cast<IntrinsicInst>(&I);
        C && (C->getIntrinsicID() == Intrinsic::init_trampoline ||
              C->getIntrinsicID() == Intrinsic::adjust_trampoline))
      if (AllocaInst *Place = variableOf(*C))
        Trampolines[Place].push_back(C);
  bool IsUsed = false;
  for (auto &[Place, Calls] : Trampolines) {
    IRBuilder<> B(Place);
    AllocaInst *Record =
        B.CreateAlloca(ArrayType::get(B.getInt8Ty(), sizeIn(*F.getParent())));
    Record->setAlignment(std::max(Place->getAlign(), Align(8)));
    Place->replaceAllUsesWith(Record);
    Place->eraseFromParent();
    for (IntrinsicInst *C : Calls) {
      if (C->getIntrinsicID() == Intrinsic::init_trampoline) {
        writeRecord(*Record, *C);
      } else {
        IsUsed |= !C->use_empty();
        C->replaceAllUsesWith(C->getArgOperand(0));
      }
      C->eraseFromParent();
    }
  }
  return IsUsed;
}

std::optional<unsigned> retrograd::closureParameter(const Function &F) {
  for (const Argument &A : F.args())
    if (A.hasAttribute(Attribute::Nest))
      return A.getArgNo();
  return std::nullopt;
}

bool retrograd::isInternalOfType(const Function &F, const FunctionType &T) {
  std::optional<unsigned> Closure = closureParameter(F);
  if (!Closure || F.isVarArg() || F.getReturnType() != T.getReturnType())
    return false;
  SmallVector<Type *, 8> Params(F.getFunctionType()->params());
  Params.erase(Params.begin() + *Closure);
  return ArrayRef(Params) == T.params();
}

bool retrograd::hasTrampoline(const Function &F) {
  return any_of(F.users(), [&](const User *U) {
    const auto *C = dyn_cast<IntrinsicInst>(U);
    return C && C->getIntrinsicID() == Intrinsic::init_trampoline &&
           C->getArgOperand(1) == &F;
  });
}

/// The word of Trampoline at a distance. What leads to a function instead has
/// code there, aligned as it likes.
static Value *wordOf(IRBuilderBase &B, Value *Trampoline, unsigned At) {
  return B.CreateAlignedLoad(
      B.getPtrTy(), B.CreateConstGEP1_64(B.getInt8Ty(), Trampoline, At),
      Align(1));
}

Value *retrograd::procedureOf(IRBuilderBase &B, Value *Trampoline) {
  return wordOf(B, Trampoline, ProcedureAt);
}

Value *retrograd::callThrough(IRBuilderBase &B, Value *Trampoline,
                              Function &Procedure,
                              SmallVector<Value *, 8> Args) {
  const unsigned Closure = closureParameter(Procedure).value_or(Args.size());
  Args.insert(Args.begin() + Closure,
              wordOf(B, Trampoline, closureAt(Procedure)));
  CallInst *Call = B.CreateCall(&Procedure, Args);
  Call->addParamAttr(Closure, Attribute::Nest);
  Call->setCallingConv(Procedure.getCallingConv());
  return Call;
}
