//===- StepSums.cpp - one sum for all lanes that reverse in step ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pixels of a tile go through one list of splats, which lies in shared memory:
// lane by lane they read the same row in the same iteration. Some skip it, some
// have stopped before. If each adds to the row's adjoint where its load is
// reversed, parts of a warp add, find out who is there, and add up in trees.
// Lanes that reverse the loop in step (LoopsInStep.h) are together at the end
// of each iteration, those that wait as well. So what is added to places that
// follow from the iteration's number alone waits in a register until then; who
// skipped or waits has 0 there, and all lanes add up all places by exchanges
// (rg_step_sum_* in runtime/gpu/accumulate.c). Nobody has to ask who is there:
// it is known from the beginning of the loop.
//
//===----------------------------------------------------------------------===//

#include "Emit/FormulaEmitter.h"
#include "Emit/FunctionShell.h"
#include "Emit/LoopsInStep.h"
#include "Emit/ReverseEmitter.h"

using namespace llvm;
using namespace retrograd;

void ReverseEmitter::beginStepSums(const Loop &L, InStep &S) {
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block) {
      const auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load || !Plan.shape().isLive(Block) ||
          Plan.shape().loops().getLoopFor(Block) != &L ||
          !hasReverse(I, Plan.activity()) || !addsInStep(*Load, Plan))
        continue;
      Type *T = Load->getType();
      AllocaInst *Sum = entryAlloca(D, T, Load->getName() + ".sum");
      IRBuilder<>(Sum->getNextNode()).CreateStore(adjointZero(T), Sum);
      S.Sums[Load] = Sum;
    }
  if (S.Sums.empty())
    return;
  S.Ranks = entryAlloca(D, FixedVectorType::get(B.getInt32Ty(), 4), "rg.ranks");
  // if (any) do ... while (): who did not enter.
  const BasicBlock *Guard = L.getLoopPreheader()->getSinglePredecessor(),
                   *Exit = L.getUniqueExitBlock(),
                   *After = Exit ? Exit->getSingleSuccessor() : nullptr;
  if (!Guard || !After || !After->hasNPredecessors(2) ||
      Plan.shape().loops().getLoopFor(Guard) != L.getParentLoop() ||
      Plan.shape().loops().isLoopHeader(After) ||
      !is_contained(predecessors(After), Guard) || !Plan.shape().isLive(Guard))
    return;
  S.Guard = Guard;
  S.After = After;
  S.Past = entryAlloca(D, B.getInt1Ty(), "rg.past");
}

/// The loop in step that From -> To goes past.
ReverseEmitter::InStep *ReverseEmitter::past(const BasicBlock &From,
                                             const BasicBlock &To) {
  for (auto &[L, S] : Steps)
    if (S.Guard == &From && S.After == &To)
      return &S;
  return nullptr;
}

bool ReverseEmitter::addInStep(const LoadInst &L, Value *X) {
  auto Of = Steps.find(Plan.shape().loops().getLoopFor(L.getParent()));
  AllocaInst *Sum = Of == Steps.end() ? nullptr : Of->second.Sums.lookup(&L);
  if (Sum)
    B.CreateStore(addUp(B.CreateLoad(X->getType(), Sum), X), Sum);
  return Sum;
}

/// The least size of a call that has room for so many numbers.
static unsigned sizeFor(size_t Numbers) {
  for (unsigned Size : {2, 4, 6, 8, 10, 12, 16})
    if (Numbers <= Size)
      return Size;
  llvm_unreachable("as many as there is a call for");
}

/// At the end of an iteration, whose number the counter still has.
void ReverseEmitter::emitStepSums(InStep &S) {
  constexpr size_t Most = 16; // additions of one call
  if (S.Sums.empty())
    return;
  Met.clear();
  struct Place {
    uint32_t Offset;
    Value *X;
  };
  struct Row {
    Value *Of;
    VaryingPart Key;
    Type *T;
    SmallVector<Place, 16> Places;
  };
  SmallVector<Row, 2> Rows;
  for (auto &[Load, Sum] : S.Sums) {
    Type *T = Sum->getAllocatedType();
    std::optional<SharedAddress> A =
        takeApart(lookup({Need::Shadow, Load->getPointerOperand()}));
    assert(A && "the address of a variable");
    auto R = find_if(Rows, [&](const Row &R) {
      return R.Of == A->Of && R.Key == A->Key && R.T == T;
    });
    if (R == Rows.end()) {
      Rows.push_back({A->Of, A->Key, T, {}});
      R = std::prev(Rows.end());
    }
    Value *X = B.CreateLoad(T, Sum);
    B.CreateStore(adjointZero(T), Sum);
    auto Same = find_if(R->Places,
                        [&](const Place &P) { return P.Offset == A->Offset; });
    if (Same == R->Places.end())
      R->Places.push_back({A->Offset, X});
    else
      Same->X = addUp(Same->X, X);
  }
  Value *Ranks = B.CreateLoad(S.Ranks->getAllocatedType(), S.Ranks);
  for (Row &R : Rows) {
    sort(R.Places,
         [](const Place &P, const Place &Q) { return P.Offset < Q.Offset; });
    Value *Row = B.CreateGEP(B.getInt8Ty(), R.Of, sumOf(R.Key));
    for (ArrayRef<Place> Rest = R.Places; !Rest.empty();) {
      ArrayRef<Place> Now = Rest.take_front(Most);
      Rest = Rest.drop_front(Now.size());
      const unsigned Size = sizeFor(Now.size());
      Value *Numbers = Constant::getNullValue(FixedVectorType::get(R.T, Size));
      SmallVector<Constant *, 16> Offsets(Size, B.getInt32(~0u)); // nowhere
      for (auto [I, P] : enumerate(Now)) {
        Numbers = B.CreateInsertElement(Numbers, P.X, I);
        Offsets[I] = B.getInt32(P.Offset);
      }
      Function *Add = runtime(
          ((R.T->isFloatTy() ? "rg_step_sum_f32x" : "rg_step_sum_f64x") +
           Twine(Size))
              .str());
      markAdjointAccess(B.CreateCall(
          Add, {B.CreateAddrSpaceCast(Row, Add->getArg(0)->getType()),
                ConstantVector::get(Offsets), Numbers, Ranks}));
    }
  }
  Met.clear();
}
