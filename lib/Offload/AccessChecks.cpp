//===- AccessChecks.cpp - accesses that the checker sees ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Offload/AccessChecks.h"
#include "Offload/KernelLowering.h"
#include "Offload/OffloadOptions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

void retrograd::checkAccesses(Function &F, const OffloadOptions &Options) {
  Module &D = *F.getParent();
  enum {
    Write = 1,
    Atomic = 2,
    Fences = 4,
    Races = 8,
    Uninitialized = 16
  }; // runtime/cuda/Checks.cpp
  int Always = (Options.CheckRaces ? Races : 0) |
               (Options.CheckUninitialized ? Uninitialized : 0);
  struct Found {
    Instruction *At;
    Value *Address, *Size;
    int Kind;
    Value *Stored = nullptr; ///< by a plain store
  };
  SmallVector<Found, 32> Accesses;
  const DataLayout &DL = D.getDataLayout();
  Type *I32 = Type::getInt32Ty(D.getContext()),
       *I64 = Type::getInt64Ty(D.getContext());
  auto Bytes = [&](Type *T) {
    return ConstantInt::get(I64, DL.getTypeStoreSize(T));
  };
  for (Instruction &I : instructions(F)) {
    if (auto *Load = dyn_cast<LoadInst>(&I))
      Accesses.push_back({&I, Load->getPointerOperand(), Bytes(I.getType()),
                          Load->isAtomic() ? Atomic : 0});
    else if (auto *Store = dyn_cast<StoreInst>(&I))
      Accesses.push_back(
          {&I, Store->getPointerOperand(),
           Bytes(Store->getValueOperand()->getType()),
           Write | (Store->isAtomic() ? Atomic : 0),
           Store->isAtomic() ? nullptr : Store->getValueOperand()});
    else if (auto *RMW = dyn_cast<AtomicRMWInst>(&I))
      Accesses.push_back(
          {&I, RMW->getPointerOperand(), Bytes(I.getType()), Write | Atomic});
    else if (auto *CAS = dyn_cast<AtomicCmpXchgInst>(&I))
      Accesses.push_back({&I, CAS->getPointerOperand(),
                          Bytes(CAS->getNewValOperand()->getType()),
                          Write | Atomic});
    else if (auto *Set = dyn_cast<AnyMemIntrinsic>(&I)) {
      Accesses.push_back({&I, Set->getRawDest(), Set->getLength(), Write});
      if (auto *Copy = dyn_cast<AnyMemTransferInst>(&I))
        Accesses.push_back({&I, Copy->getRawSource(), Copy->getLength(), 0});
    } else if (isa<FenceInst>(I))
      Always |= Fences;
    else if (auto *Call = dyn_cast<CallInst>(&I))
      if (Function *Callee = Call->getCalledFunction())
        if (Callee->getName().starts_with("llvm.nvvm.membar.") &&
            !Callee->getName().ends_with(".cta"))
          Always |= Fences;
  }
  PointerType *Ptr = PointerType::get(D.getContext(), 0);
  FunctionCallee Check = D.getOrInsertFunction("rg_cuda_check_access",
                                               Type::getVoidTy(D.getContext()),
                                               Ptr, I64, I32, Ptr, I64);
  FunctionCallee CheckStore = D.getOrInsertFunction(
      "rg_cuda_check_store", Type::getVoidTy(D.getContext()), Ptr, I64, I32,
      Ptr, I64, Ptr);
  FunctionCallee Number = D.getOrInsertFunction("rg.thread.number", I64);
  // What a store brings, for the checker to compare with what is there.
  AllocaInst *Brought = nullptr;
  uint64_t Largest = 0;
  for (const Found &A : Accesses) {
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(A.Address, Objects);
    constexpr unsigned ConstantSpace = 4, ParameterSpace = 101;
    unsigned Space = A.Address->getType()->getPointerAddressSpace();
    if (Space == ConstantSpace || Space == ParameterSpace ||
        all_of(Objects, [](const Value *O) {
          auto *GV = dyn_cast<GlobalVariable>(O);
          return isa<AllocaInst>(O) || (GV && GV->isConstant());
        }))
      continue;
    IRBuilder<> B(A.At);
    SmallVector<Value *, 6> Args{
        B.CreateAddrSpaceCast(A.Address, Ptr), B.CreateZExtOrTrunc(A.Size, I64),
        B.getInt32(A.Kind | Always), siteOf(D, A.At), B.CreateCall(Number)};
    if (A.Stored && !Brought) {
      Brought = new AllocaInst(B.getInt8Ty(), DL.getAllocaAddrSpace(), nullptr,
                               Align(64), "brought", F.getEntryBlock().begin());
    }
    if (A.Stored) {
      Largest = std::max(
          Largest, DL.getTypeStoreSize(A.Stored->getType()).getFixedValue());
      B.CreateStore(A.Stored, Brought);
      Args.push_back(B.CreateAddrSpaceCast(Brought, Ptr));
    }
    B.CreateCall(A.Stored ? CheckStore : Check, Args);
  }
  if (Brought)
    Brought->setAllocatedType(
        ArrayType::get(Type::getInt8Ty(D.getContext()), Largest));
}
