//===- GroupAdditions.cpp - additions to the block's memory, together -----===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/GroupAdditions.h"
#include "Bitcode/RuntimeLibrary.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace retrograd;

namespace {
/// The callee's suffix (the type), the place that varies, the peers.
using Kind = std::pair<StringRef, std::pair<Value *, Value *>>;
} // namespace

static StringRef calleeName(const Instruction &I) {
  const auto *C = dyn_cast<CallInst>(&I);
  const Function *F = C ? C->getCalledFunction() : nullptr;
  return F ? F->getName() : "";
}

/// rg_merge_shared_f32(base, offset, x, peers) and its like, with a constant
/// offset.
static bool isAddition(const Instruction &I, StringRef &Type) {
  StringRef Name = calleeName(I);
  if (!Name.consume_front("rg_merge_shared_") &&
      !Name.consume_front("rg_merge_here_"))
    return false;
  Type = Name;
  return (Name == "f32" || Name == "f64") &&
         isa<ConstantInt>(cast<CallInst>(I).getArgOperand(1));
}

/// Additions to the shadow that Base leads to may wait until I is over.
static bool letsWait(const Instruction &I, const Value &Base) {
  if (!I.mayReadOrWriteMemory())
    return !isa<CallBase>(I) || !cast<CallBase>(I).isConvergent();
  StringRef Name = calleeName(I);
  if (Name == "rg_peers" || Name.starts_with("rg_merge_") ||
      Name.starts_with("rg_accumulate_"))
    return true; // sums take no notice of their order
  const Value *P = getLoadStorePointerOperand(&I);
  if (!P || I.isAtomic() || I.isVolatile())
    return false;
  const Value *Of = getUnderlyingObject(P, /*MaxLookup=*/0),
              *Shadow = getUnderlyingObject(&Base, /*MaxLookup=*/0);
  return Of != Shadow && isIdentifiedObject(Of) && isIdentifiedObject(Shadow);
}

/// All of them where the last one stands.
static void emitTogether(ArrayRef<CallInst *> Calls, StringRef Type,
                         RuntimeLibrary &Runtime) {
  for (unsigned Size : {8, 4})
    while (Calls.size() >= Size) {
      ArrayRef<CallInst *> Now = Calls.take_front(Size);
      Calls = Calls.drop_front(Size);
      Function *Merge =
          Runtime.require(("rg_merge_" + Type + "x" + Twine(Size)).str());
      CallInst *Last = Now.back();
      IRBuilder<> B(Last);
      SmallVector<Constant *, 8> Offsets;
      Value *Numbers = PoisonValue::get(
          FixedVectorType::get(Last->getArgOperand(2)->getType(), Size));
      for (auto [I, C] : enumerate(Now)) {
        Offsets.push_back(cast<Constant>(C->getArgOperand(1)));
        Numbers = B.CreateInsertElement(Numbers, C->getArgOperand(2), I);
      }
      CallInst *Together = B.CreateCall(
          Merge, {Last->getArgOperand(0), ConstantVector::get(Offsets), Numbers,
                  Last->getArgOperand(3)});
      Together->setAAMetadata(Last->getAAMetadata());
      for (CallInst *C : Now)
        C->eraseFromParent();
    }
}

void retrograd::groupAdditions(Function &D, RuntimeLibrary &Runtime) {
  for (BasicBlock &B : D) {
    MapVector<Kind, SmallVector<CallInst *, 8>> Waiting;
    auto Flush = [&](Kind Which) {
      emitTogether(Waiting[Which], Which.first, Runtime);
      Waiting.erase(Which);
    };
    for (Instruction &I : make_early_inc_range(B)) {
      StringRef Type;
      if (isAddition(I, Type)) {
        auto *C = cast<CallInst>(&I);
        Kind Which{Type, {C->getArgOperand(0), C->getArgOperand(3)}};
        auto &Calls = Waiting[Which];
        Calls.push_back(C);
        if (Calls.size() == 8)
          Flush(Which);
        continue;
      }
      SmallVector<Kind, 2> Over;
      for (auto &[Which, Calls] : Waiting)
        if (!letsWait(I, *Which.second.first))
          Over.push_back(Which);
      for (Kind Which : Over)
        Flush(Which);
    }
    while (!Waiting.empty())
      Flush(Waiting.begin()->first);
  }
}
