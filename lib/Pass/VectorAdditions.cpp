//===- VectorAdditions.cpp - a thread's additions to neighbours -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/VectorAdditions.h"
#include "Pass/DeviceReductions.h"
#include "Pass/KnownSpaces.h"
#include "Target/Target.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <map>

using namespace llvm;
using namespace retrograd;

namespace {
/// Additions to floats side by side, in one block of code.
struct Row {
  Value *Base;
  int64_t Offset;                        ///< of the first, in bytes
  SmallVector<AtomicRMWInst *, 8> Adds;  ///< by address
  AtomicRMWInst *Last = nullptr;         ///< in the code
};

class Rows {
public:
  Rows(Function &F, FunctionAnalysisManager &FAM) : F(F), Machine(*F.getParent()), AA(FAM.getResult<AAManager>(F)) {}
  bool run();

private:
  /// Additions that may wait for others, by their distance from a place.
  using Additions = std::map<int64_t, AtomicRMWInst *>;

  void collect(BasicBlock &B);
  void close(Value *Base, const Additions &Open);
  bool touches(Instruction &I, Value *Base, const Additions &Open);
  void emit(Row &R);

  Function &F;
  const Target Machine;
  AAResults &AA;
  SmallVector<Row, 4> Found;
};
} // namespace

/// Whether I may see, or change otherwise, what these add to.
bool Rows::touches(Instruction &I, Value *Base, const Additions &Open) {
  if (!I.mayReadOrWriteMemory() || I.hasMetadata(LLVMContext::MD_invariant_load) || isPlainAddition(I, Machine))
    return false;
  if (isa<CallBase>(I) || isa<FenceInst>(I))
    return true;
  AAMDNodes Tags = Open.begin()->second->getAAMetadata();
  for (auto &[Unused, Add] : Open)
    Tags = Tags.merge(Add->getAAMetadata());
  return isModOrRefSet(AA.getModRefInfo(&I, MemoryLocation::getBeforeOrAfter(Base, Tags)));
}

void Rows::close(Value *Base, const Additions &Open) {
  if (!leadsToGlobal(*Base, Machine))
    return;
  for (auto From = Open.begin(); From != Open.end();) {
    Row R{Base, From->first, {}};
    for (int64_t Next = R.Offset; From != Open.end() && From->first == Next; ++From, Next += 4) {
      R.Adds.push_back(From->second);
      if (!R.Last || R.Last->comesBefore(From->second))
        R.Last = From->second;
    }
    if (R.Adds.size() > 1)
      Found.push_back(std::move(R));
  }
}

void Rows::collect(BasicBlock &B) {
  MapVector<Value *, Additions> Open;
  auto Close = [&](auto It) {
    close(It->first, It->second);
    return Open.erase(It);
  };
  const DataLayout &DL = F.getDataLayout();
  for (Instruction &I : B) {
    if (isPlainAddition(I, Machine) && I.getType()->isFloatTy()) {
      auto *Add = cast<AtomicRMWInst>(&I);
      Value *P = Add->getPointerOperand();
      APInt Bytes(DL.getIndexTypeSizeInBits(P->getType()), 0);
      Value *Base = P->stripAndAccumulateConstantOffsets(DL, Bytes, /*AllowNonInbounds=*/true);
      const int64_t Offset = Bytes.getSExtValue();
      if (auto It = Open.find(Base); It != Open.end() && It->second.count(Offset))
        Close(It); // twice to one place
      Open[Base][Offset] = Add;
    } else if (I.mayReadOrWriteMemory()) {
      for (auto It = Open.begin(); It != Open.end();)
        It = touches(I, It->first, It->second) ? Close(It) : std::next(It);
    }
  }
  while (!Open.empty())
    Close(Open.begin());
}

/// Fours and twos where the address is a multiple of their size, which only the run tells.
void Rows::emit(Row &R) {
  LLVMContext &C = F.getContext();
  const unsigned Size = R.Adds.size(), Alignment = Size < 4 ? 8 : 16;
  IRBuilder<> B(R.Last);
  Value *Start = R.Base;
  if (Start->getType()->getPointerAddressSpace() != Machine.globalSpace())
    Start = B.CreateAddrSpaceCast(Start, PointerType::get(C, Machine.globalSpace()));
  Start = B.CreateConstGEP1_64(B.getInt8Ty(), Start, R.Offset);
  Value *Low = B.CreateAnd(B.CreatePtrToInt(Start, B.getInt64Ty()), Alignment - 1);
  Instruction *Aligned, *Otherwise;
  SplitBlockAndInsertIfThenElse(B.CreateICmpEQ(Low, B.getInt64(0)), R.Last, &Aligned, &Otherwise);
  for (AtomicRMWInst *Add : R.Adds)
    Add->moveBefore(Otherwise->getIterator());
  B.SetInsertPoint(Aligned);
  unsigned N = 0;
  for (unsigned Lanes : {4u, 2u})
    for (; Size - N >= Lanes; N += Lanes) {
      SmallVector<Value *, 6> Operands{Start, B.getInt32(N * 4)};
      for (unsigned I = 0; I != Lanes; ++I)
        Operands.push_back(R.Adds[N + I]->getValOperand());
      SmallVector<Type *, 6> Types;
      for (Value *V : Operands)
        Types.push_back(V->getType());
      B.CreateCall(InlineAsm::get(FunctionType::get(B.getVoidTy(), Types, false),
                                  Lanes == 4 ? "red.relaxed.gpu.global.add.v4.f32 [$0+$1], {$2, $3, $4, $5};"
                                             : "red.relaxed.gpu.global.add.v2.f32 [$0+$1], {$2, $3};",
                                  Lanes == 4 ? "l,n,f,f,f,f,~{memory}" : "l,n,f,f,~{memory}", /*hasSideEffects=*/true),
                   Operands);
    }
  if (N != Size)
    R.Adds[N]->clone()->insertBefore(Aligned->getIterator());
}

bool Rows::run() {
  for (BasicBlock &B : F)
    collect(B);
  for (Row &R : Found)
    emit(R);
  return !Found.empty();
}

/// From sm_90 on, in PTX from 8.1 on.
static bool hasVectors(const Function &F) {
  auto AtLeast = [](StringRef Word, StringRef Prefix, unsigned Least) {
    unsigned Version = 0;
    return Word.consume_front(Prefix) && !Word.consumeInteger(10, Version) && Version >= Least;
  };
  SmallVector<StringRef, 4> Features;
  F.getFnAttribute("target-features").getValueAsString().split(Features, ',');
  return AtLeast(F.getFnAttribute("target-cpu").getValueAsString(), "sm_", 90) &&
         any_of(Features, [&](StringRef Feature) { return AtLeast(Feature, "+ptx", 81); });
}

void retrograd::addVectors(Module &M, FunctionAnalysisManager &FAM) {
  for (Function &F : M)
    if (!F.isDeclaration() && !F.hasOptNone() && hasVectors(F) && Rows(F, FAM).run())
      FAM.invalidate(F, PreservedAnalyses::none());
}
