//===- SeparateMovers.cpp - a copy per call of what moves memory ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A helper that copies bytes of its caller's has one body and one set of types.
// Each call of it gets a copy where it cannot be inlined.
//
//===----------------------------------------------------------------------===//

#include "Primal/ClonePrimal.h"
#include "Primal/PrimalSet.h"
#include "Support/CallBinding.h"
#include "Support/SourceFact.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace retrograd;

/// Address may lie in memory that an argument leads to, also where a loop moves
/// it on.
static bool mayBeOfCaller(const Value *Address) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Address, Objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return any_of(Objects, [](const Value *O) { return isa<Argument>(O); });
}

bool retrograd::movesBytesOfItsCaller(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    const auto *Copy = dyn_cast<AnyMemTransferInst>(&I);
    return Copy && !isa<ConstantInt>(Copy->getLength()) &&
           !hasFact(*Copy, SourceFact::Elements) &&
           (mayBeOfCaller(Copy->getRawDest()) ||
            mayBeOfCaller(Copy->getRawSource()));
  });
}

/// A function of the module that stands for F in one call.
static Function *copyOfMover(Function &F, bool WithBody) {
  Function *Copy;
  if (WithBody) {
    ValueToValueMapTy Map;
    Copy = CloneFunction(&F, Map);
    Copy->setLinkage(GlobalValue::InternalLinkage);
  } else {
    Copy = Function::Create(F.getFunctionType(), GlobalValue::ExternalLinkage,
                            F.getAddressSpace(), "", F.getParent());
  }
  Copy->setName(F.getName() + ".rg.copy");
  Copy->setVisibility(GlobalValue::DefaultVisibility);
  Copy->setComdat(nullptr);
  Copy->addFnAttr(CopyOfMover);
  return Copy;
}

std::optional<SmallVector<const Value *, 4>>
retrograd::placesHandedBy(const CallBase &Call, bool Exactly) {
  const DataLayout &DL = Call.getDataLayout();
  auto MayLead = [&](Type *T) {
    return !T->isVoidTy() && !T->isFPOrFPVectorTy() &&
           !(T->isIntegerTy() &&
             T->getScalarSizeInBits() < DL.getPointerSizeInBits(/*AS=*/0));
  };
  if (MayLead(Call.getType()))
    return std::nullopt;
  SmallVector<const Value *, 4> Handed;
  for (const Use &A : Call.args())
    if (Exactly ? !A->getType()->isFPOrFPVectorTy()
                : MayLead(A->getType()) && !isa<ConstantInt>(A))
      Handed.push_back(A);
  return Handed;
}

/// Each call of a function that moves its caller's bytes gets a copy of the
/// function, and of those that it recurses through, where a call from outside
/// of the recursion has taken the first one.
void PreparePrimal::Impl::separateMovers(Primal &Asked) {
  SmallPtrSet<const Primal *, 8> Movers, Taken;
  // Who recurses through whom, and who moves bytes, callees first: also by
  // handing an argument on to a mover.
  SmallVector<Primal *, 16> Reached{&Asked};
  SmallPtrSet<const Primal *, 16> Seen{&Asked};
  for (unsigned Next = 0; Next < Reached.size(); ++Next) {
    Reached[Next]->Callees.clear();
    for (auto [Call, Callee] : directCalls(*Reached[Next]->Clone))
      if (Primal *C = primalOf(Callee)) {
        Reached[Next]->Callees.push_back(C);
        if (Seen.insert(C).second)
          Reached.push_back(C);
      }
  }
  auto Moves = [&](const Primal &P) {
    if (runsElsewhere(*P.Original))
      return false; // a call of it is many
    return Inseparable.contains(P.Original) ||
           movesBytesOfItsCaller(*P.Clone) ||
           any_of(directCalls(*P.Clone), [&](auto &Found) {
             const Primal *C = primalOf(Found.second);
             return C && Movers.contains(C) &&
                    any_of(Found.first->args(), [](const Use &A) {
                      return A->getType()->isPointerTy() && mayBeOfCaller(A);
                    });
           });
  };
  using Cycle = std::vector<Primal *>;
  DenseMap<const Primal *, std::shared_ptr<Cycle>> CycleOf;
  for (auto SCC = scc_begin(&Asked); !SCC.isAtEnd(); ++SCC) {
    auto Together = std::make_shared<Cycle>(*SCC);
    for (Primal *P : *SCC)
      CycleOf[P] = Together;
    if (any_of(*SCC, [&](Primal *P) { return Moves(*P); }))
      Movers.insert(SCC->begin(), SCC->end());
  }
  // What gets a body per call without need: memory that one body for all would
  // make one object. With what such a function hands its caller's memory on to.
  SmallPtrSet<const Primal *, 8> Apart;
  SmallVector<const Primal *, 8> Work;
  auto KeepApart = [&](Primal &P) {
    if (!runsElsewhere(*P.Original) && &P != &Asked)
      for (const Primal *Member : *CycleOf[&P])
        if (Apart.insert(Member).second)
          Work.push_back(Member);
  };
  if (!PerCall.empty())
    for (Primal *P : Reached)
      if (PerCall.contains(P->Original))
        KeepApart(*P);
  while (!Work.empty())
    for (auto [Call, Callee] : directCalls(*Work.pop_back_val()->Clone))
      if (Primal *C = primalOf(Callee);
          C && any_of(Call->args(), [](const Use &A) {
            return A->getType()->isPointerTy() && mayBeOfCaller(A);
          }))
        KeepApart(*C);
  if (Movers.empty() && Apart.empty())
    return;

  // A copy for each way that leads there could be many.
  constexpr unsigned MostCopiedInstructions = 200000;
  // Without need: as much as makes a large program a few times larger.
  constexpr unsigned MostApart = 50000;
  unsigned CopiedInstructions = 0;
  for (unsigned Next = 0; Next < Reached.size(); ++Next) {
    Primal &P = *Reached[Next];
    // Who got a body for what was handed over, and which.
    std::map<std::pair<Function *, SmallVector<const Value *, 4>>, Function *>
        BodyFor;
    for (auto [Call, Callee] : directCalls(*P.Clone)) {
      Primal *C = primalOf(Callee);
      if (!C || !(Movers.contains(C) || Apart.contains(C)) ||
          CycleOf[C] == CycleOf[&P])
        continue;
      const bool Needed = Movers.contains(C);
      auto Handed = placesHandedBy(*Call, /*Exactly=*/Needed);
      Function **Body = Handed ? &BodyFor[{Callee, *Handed}] : nullptr;
      if (Body && *Body) {
        if (*Body != Callee) {
          Call->setCalledFunction(*Body);
          FAM.invalidate(*P.Clone, PreservedAnalyses::none());
        }
        continue;
      }
      if (Body)
        *Body = Callee;
      const Cycle Members = *CycleOf[C];
      bool First = true;
      for (Primal *Member : Members)
        First &= Taken.insert(Member).second;
      if (First || (!Needed && CopiedInstructions >= MostApart))
        continue;
      auto Together = std::make_shared<Cycle>();
      SmallVector<std::pair<Function *, Function *>, 4> Renamed;
      for (Primal *Member : Members) {
        Function *Original = Member->Original;
        bool Fits = CopiedInstructions < MostCopiedInstructions;
        Function *Copy = copyOfMover(*Original, Fits);
        Renamed.push_back({Original, Copy});
        if (!Needed)
          CopiedPerCall[Copy] = Original;
        if (!Fits)
          continue; // a call without a body
        auto Owned = std::make_unique<Primal>(*Member);
        Owned->Original = Copy;
        Owned->Clone = clonePrimal(*Member->Clone);
        Owned->Clone->setName("rg.primal." + Copy->getName());
        CopiedInstructions += Owned->Clone->getInstructionCount();
        ByOriginal[Copy] = Owned.get();
        ByClone[Owned->Clone] = Owned.get();
        Together->push_back(Owned.get());
        Reached.push_back(Owned.get());
        (Needed ? Movers : Apart).insert(Owned.get());
        Taken.insert(Owned.get());
        CycleOf[Owned.get()] = Together;
        Primals.push_back(std::move(Owned));
      }
      for (auto [Original, Copy] : Renamed) {
        if (Callee == Original) {
          Call->setCalledFunction(Copy);
          if (Body)
            *Body = Copy;
          FAM.invalidate(*P.Clone, PreservedAnalyses::none());
        }
        for (Primal *Member : *Together)
          for (auto [Inner, Name] : directCalls(*Member->Clone))
            if (Name == Original)
              Inner->setCalledFunction(Copy);
      }
      for (Primal *Member : *Together)
        verify(*Member->Clone, "separation of copying functions");
    }
  }
}
