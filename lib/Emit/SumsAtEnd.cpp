//===- SumsAtEnd.cpp - additions that wait for the end of the sweep -------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The weights of a convolution, the constants of a model: all threads of a
// block read them at places that are known when the function begins, and add
// to their adjoints. An addition where each load is reversed goes to memory as
// often as the loads run, and memory has one addition to a place at a time. So
// a thread adds up in registers, and the sums of all threads are added to
// memory together, when the reverse sweep is over (rg_sums_* in
// runtime/gpu/accumulate.c). AccumulationPlan has the conditions.
//
//===----------------------------------------------------------------------===//

#include "Emit/FunctionShell.h"
#include "Emit/ReverseEmitter.h"
#include "Target/SharedMemory.h"
#include "Target/Target.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// The same place wherever both are computed: of what never changes.
static bool isSamePlace(const Value *P, const Value *Q) {
  const auto *A = dyn_cast<Instruction>(P), *B = dyn_cast<Instruction>(Q);
  return P == Q || (A && B && A->isIdenticalTo(B));
}

bool ReverseEmitter::addAtEnd(const LoadInst &L, Value *X) {
  if (const Argument *A = Plan.copiedForBlock(L)) {
    addInBlock(*A, L, X);
    return true;
  }
  constexpr unsigned MostSums = 16; // each is a register through the sweep
  const Value *Place = L.getPointerOperand();
  auto *Of = find_if(LateSums, [&](const LateSum &S) {
    return isSamePlace(S.Place, Place) &&
           S.Sum->getAllocatedType() == X->getType();
  });
  if (Of == LateSums.end()) {
    if (LateSums.size() == MostSums)
      return false;
    auto Start = [&](Type *T, Constant *Value, const Twine &Name) {
      AllocaInst *A = entryAlloca(D, T, Name);
      IRBuilder<>(A->getNextNode()).CreateStore(Value, A);
      return A;
    };
    if (!LateMask)
      LateMask = Start(B.getInt32Ty(), B.getInt32(0), "sums.mask");
    LateSums.push_back({Place, Start(X->getType(), adjointZero(X->getType()),
                                     Place->getName() + ".sum")});
    Of = &LateSums.back();
  }
  B.CreateStore(addUp(B.CreateLoad(X->getType(), Of->Sum), X), Of->Sum);
  Value *Mask = B.CreateLoad(B.getInt32Ty(), LateMask);
  B.CreateStore(B.CreateOr(Mask, B.getInt32(1u << (Of - LateSums.begin()))),
                LateMask);
  return true;
}

/// V, of the primal, or its shadow, computed here from parameters.
Value *ReverseEmitter::atEnd(const Value *V, bool Shadow) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return Shadow ? Primal.shadow(V, 0) : Primal.primal(V);
  Instruction *C = I->clone();
  for (auto [N, U] : enumerate(I->operands()))
    if (!isa<Function>(U.get()))
      C->setOperand(
          N, atEnd(U.get(), Shadow && U->getType()->isPtrOrPtrVectorTy()));
  C->dropUnknownNonDebugMetadata();
  C->dropPoisonGeneratingFlags();
  B.Insert(C, I->getName() + ".end");
  C->setDebugLoc(B.getCurrentDebugLocation());
  return C;
}

/// Blocks have room for the parts of their warps (11 KiB) beside what kernels
/// with D have in shared memory, which can be no more than 48 KiB.
static bool fits(const Function &D) {
  constexpr uint64_t MostBeside = 36 << 10;
  return 2 * sharedBytesWith(D) <= MostBeside; // each may have a shadow
}

//===----------------------------------------------------------------------===//
// Copies of a block
//===----------------------------------------------------------------------===//

GlobalVariable *ReverseEmitter::blockCopy(const Argument &A, Type *T) {
  constexpr unsigned Numbers = 1024, MostCopies = 4, Spaces = 8;
  auto [At, New] = BlockCopies.try_emplace({&A, T}, nullptr);
  if (!New || BlockCopies.size() > MostCopies || !fits(D))
    return At->second;
  unsigned Space = 0;
  while (Space != Spaces && Machine.space(Space) != MemorySpace::Shared)
    ++Space;
  if (Space == Spaces)
    return nullptr;
  Type *Array = ArrayType::get(T, Numbers);
  At->second = new GlobalVariable(
      *D.getParent(), Array, /*isConstant=*/false, GlobalValue::InternalLinkage,
      PoisonValue::get(Array), "rg.copy." + A.getName(), nullptr,
      GlobalValue::NotThreadLocal, Space);
  At->second->setAlignment(Align(16));
  return At->second;
}

void ReverseEmitter::addInBlock(const Argument &A, const LoadInst &L,
                                Value *X) {
  StringRef Name = X->getType()->isFloatTy() ? "f32" : "f64";
  Value *Place = shadow(L.getPointerOperand());
  GlobalVariable *Copy = blockCopy(A, X->getType());
  // The last operand: whole blocks begin and end the sweep (Polish/BlockSums).
  CallInst *Add =
      Copy ? B.CreateCall(runtime(("rg_block_add_" + Name).str()),
                          {Copy, Primal.shadow(&A, 0), Place, X, B.getInt32(0)})
           : B.CreateCall(runtime(("rg_accumulate_" + Name).str()), {Place, X});
  markAdjointAccess(Add);
}

void ReverseEmitter::emitBlockCopies() {
  for (auto &[Of, Copy] : BlockCopies) {
    if (!Copy)
      continue;
    StringRef Name = Of.second->isFloatTy() ? "f32" : "f64";
    BasicBlock &Entry = D.getEntryBlock();
    IRBuilder<> AtBegin(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
    AtBegin.SetCurrentDebugLocation(B.getCurrentDebugLocation());
    AtBegin.CreateCall(runtime(("rg_block_begin_" + Name).str()),
                       {Copy, B.getInt32(0)});
    B.CreateCall(runtime(("rg_block_end_" + Name).str()),
                 {Copy, Primal.shadow(Of.first, 0), B.getInt32(0)});
  }
}

void ReverseEmitter::emitLateSums() {
  const bool Together =
      Plan.options().MergeOnDevice && Machine.addsFloatsByLoop() && fits(D);
  for (Type *T : {B.getFloatTy(), B.getDoubleTy()}) {
    StringRef Name = T->isFloatTy() ? "f32" : "f64";
    SmallVector<std::pair<Value *, Value *>, 8> Sums;
    Value *Mask = nullptr;
    for (auto [Bit, S] : enumerate(LateSums)) {
      if (S.Sum->getAllocatedType() != T)
        continue;
      Value *Has =
          B.CreateAnd(B.CreateLShr(B.CreateLoad(B.getInt32Ty(), LateMask), Bit),
                      B.getInt32(1));
      Value *Place = atEnd(S.Place, /*Shadow=*/true);
      Value *Sum = B.CreateLoad(T, S.Sum);
      if (!Together) {
        markAdjointAccess(
            B.CreateCall(runtime(("rg_accumulate_if_" + Name).str()),
                         {Place, Sum, B.CreateTrunc(Has, B.getInt1Ty())}));
        continue;
      }
      Value *Moved = B.CreateShl(Has, Sums.size());
      Mask = Mask ? B.CreateOr(Mask, Moved) : Moved;
      Sums.push_back({Place, Sum});
    }
    if (Sums.empty())
      continue;
    // As many as a routine of the runtime takes; the others nobody has.
    const unsigned N = std::max(4u, unsigned(PowerOf2Ceil(Sums.size())));
    Value *Places =
        ConstantAggregateZero::get(FixedVectorType::get(B.getInt64Ty(), N));
    Value *Values = ConstantAggregateZero::get(FixedVectorType::get(T, N));
    for (auto [K, S] : enumerate(Sums)) {
      Places = B.CreateInsertElement(
          Places, B.CreatePtrToInt(S.first, B.getInt64Ty()), K);
      Values = B.CreateInsertElement(Values, S.second, K);
    }
    // The last operand: all threads of the block come here (Polish/BlockSums).
    B.CreateCall(
        runtime(("rg_sums_" + Name + "x" + Twine(N)).str()),
        {Places, Values, Mask, B.getInt32(Sums.size()), B.getInt32(0)});
  }
}
