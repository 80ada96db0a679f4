//===- SpellScopedAtomics.cpp - atomics of a block, of the system ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/Device/SpellScopedAtomics.h"
#include "Primal/PrimalSteps.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

/// The operation of an intrinsic's "add" or "exch" on integers or floats.
static AtomicRMWInst::BinOp operationOf(StringRef Name, bool OfFloats) {
  return StringSwitch<AtomicRMWInst::BinOp>(Name)
      .Case("add", OfFloats ? AtomicRMWInst::FAdd : AtomicRMWInst::Add)
      .Case("exch", AtomicRMWInst::Xchg)
      .Case("max", AtomicRMWInst::Max)
      .Case("min", AtomicRMWInst::Min)
      .Case("inc", AtomicRMWInst::UIncWrap)
      .Case("dec", AtomicRMWInst::UDecWrap)
      .Case("and", AtomicRMWInst::And)
      .Case("or", AtomicRMWInst::Or)
      .Case("xor", AtomicRMWInst::Xor)
      .Default(AtomicRMWInst::BAD_BINOP);
}

bool retrograd::spellScopedAtomics(Function &F) {
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<IntrinsicInst>(&I);
    StringRef Name = Call ? Call->getCalledFunction()->getName() : "";
    if (!Name.consume_front("llvm.nvvm.atomic."))
      continue;
    auto [Operation, Rest] = Name.split(".gen.");
    auto [Kind, Scope] = Rest.split('.');
    StringRef Wide = Scope.split('.').first;
    SyncScope::ID Threads = Wide == "cta"
                                ? F.getContext().getOrInsertSyncScopeID("block")
                                : SyncScope::ID(SyncScope::System);
    IRBuilder<> B(Call);
    Value *P = Call->getArgOperand(0), *V = Call->getArgOperand(1), *New;
    MaybeAlign Natural(
        F.getDataLayout().getTypeStoreSize(V->getType()).getFixedValue());
    if (Operation == "cas") {
      AtomicCmpXchgInst *X = B.CreateAtomicCmpXchg(
          P, V, Call->getArgOperand(2), Natural, AtomicOrdering::Monotonic,
          AtomicOrdering::Monotonic, Threads);
      New = B.CreateExtractValue(X, 0);
    } else if (auto Op = operationOf(Operation, Kind == "f");
               Op != AtomicRMWInst::BAD_BINOP) {
      New = B.CreateAtomicRMW(Op, P, V, Natural, AtomicOrdering::Monotonic,
                              Threads);
    } else {
      continue;
    }
    New->takeName(Call);
    Call->replaceAllUsesWith(New);
    Call->eraseFromParent();
    Changed = true;
  }
  return Changed;
}
