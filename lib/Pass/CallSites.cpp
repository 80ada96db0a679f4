//===- CallSites.cpp - what the user's calls tell of arguments ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/CallSites.h"
#include "Analysis/ProgramFacts.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace retrograd;

/// The function around the calls, and what it can reach and be reached from by
/// direct calls: they fill and read the memory that is handed in.
SmallVector<Function *, 8>
retrograd::surroundings(ArrayRef<const EntryCall *> Calls) {
  constexpr unsigned MostInstructions = 30000;
  SmallSetVector<Function *, 8> Found;
  unsigned Size = 0;
  auto Add = [&](Function *F, bool Calls = false) {
    // Derivatives and primals are ours: only the user's functions count. What
    // calls a derivative counts, whatever its name.
    if (!F || F->isDeclaration() ||
        (!Calls && (F->getName().starts_with("rg.") ||
                    F->getName().starts_with("rg_"))) ||
        Size > MostInstructions)
      return;
    if (Found.insert(F))
      Size += F->getInstructionCount();
  };
  for (const EntryCall *E : Calls)
    Add(E->Call->getFunction(), true);
  for (unsigned Next = 0; Next < Found.size(); ++Next) {
    Function *F = Found[Next];
    for (Instruction &I : instructions(*F))
      if (auto *C = dyn_cast<CallBase>(&I))
        Add(directCallee(*C));
    for (User *U : F->users())
      if (auto *C = dyn_cast<CallBase>(U); C && C->getCalledOperand() == F)
        Add(C->getFunction());
  }
  return Found.takeVector();
}

/// What the calls pass for each parameter; a shadow is laid out as its primal.
void retrograd::collectArguments(ArrayRef<const EntryCall *> Calls,
                                 Function &Root, OutsideEvidence &Outside) {
  for (const EntryCall *E : Calls)
    for (auto [Parameter, Of] : zip(Root.args(), E->Parameters)) {
      auto Hand = [&, &P = Parameter](const EntryOperand &Operand) {
        if (!Operand.V)
          return;
        std::optional<uint64_t> LoadedAt;
        if (Operand.How == EntryOperand::Load)
          LoadedAt = Operand.Offset;
        Outside.Arguments.push_back({&P, Operand.V, LoadedAt});
      };
      Hand(Of.Primal);
      for (const EntryOperand &Shadow : Of.Shadows)
        Hand(Shadow);
    }
}

/// What V is a copy of: without optimisation, a parameter is read from a
/// variable that was given it once.
static const Value *givenOnce(const Value *V) {
  V = V->stripPointerCasts();
  const auto *L = dyn_cast<LoadInst>(V);
  const auto *Variable =
      L ? dyn_cast<AllocaInst>(L->getPointerOperand()->stripPointerCasts())
        : nullptr;
  if (!Variable)
    return V;
  const Value *Given = nullptr;
  SmallVector<const Value *, 2> Work{Variable};
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users()) {
      const auto *S = dyn_cast<StoreInst>(U);
      if (isa<AddrSpaceCastInst>(U))
        Work.push_back(U);
      else if (S && !Given && isa<Argument>(S->getValueOperand()))
        Given = S->getValueOperand();
      else if (!isa<LoadInst>(U))
        return V;
    }
  return Given ? Given : V;
}

/// Parameters for which every call hands on a parameter of the kernel around
/// it, or a constant: all threads pass the same.
BitVector retrograd::uniformParameters(ArrayRef<const EntryCall *> Calls) {
  BitVector Uniform(Calls.front()->Parameters.size(), true);
  auto IsUniform = [](const EntryOperand &Operand) {
    if (!Operand.V)
      return true;
    if (Operand.How == EntryOperand::Load)
      return false;
    if (isa<Constant>(Operand.V))
      return true;
    const auto *A = dyn_cast<Argument>(givenOnce(Operand.V));
    return A &&
           (A->getParent()->getCallingConv() == CallingConv::PTX_Kernel ||
            A->getParent()->getCallingConv() == CallingConv::AMDGPU_KERNEL);
  };
  // Another derivative in the same kernel may add to the same shadows in
  // another order.
  auto IsOther = [](const Instruction &I, const EntryCall &E) {
    const auto *C = dyn_cast<CallBase>(&I);
    const Function *Callee = C && C != E.Call ? directCallee(*C) : nullptr;
    return Callee &&
           (isEntryPoint(*Callee) || Callee->getName().starts_with("rg."));
  };
  for (const EntryCall *E : Calls) {
    if (any_of(instructions(*E->Call->getFunction()),
               [&](const Instruction &I) { return IsOther(I, *E); }))
      Uniform.reset();
    for (auto [N, P] : enumerate(E->Parameters))
      if (!IsUniform(P.Primal) || !all_of(P.Shadows, IsUniform))
        Uniform.reset(N);
  }
  return Uniform;
}

BitVector retrograd::apartParameters(ArrayRef<const EntryCall *> Calls) {
  BitVector Apart(Calls.front()->Parameters.size(), true);
  // The restrict parameter that an operand leads into; null where it leads into
  // another parameter, to memory of the call alone, to a variable or nowhere;
  // nothing where that is not known.
  auto LeadsInto =
      [](const EntryOperand &Operand) -> std::optional<const Argument *> {
    if (!Operand.V || Operand.How == EntryOperand::CopyMemory ||
        !Operand.V->getType()->isPointerTy())
      return nullptr;
    const Value *O = getUnderlyingObject(givenOnce(Operand.V), /*MaxLookup=*/0);
    if (Operand.How == EntryOperand::Load)
      return std::nullopt;
    if (isa<Constant>(O))
      return nullptr;
    const auto *A = dyn_cast<Argument>(O);
    if (!A)
      return std::nullopt;
    return A->hasNoAliasAttr() ? A : nullptr;
  };
  for (const EntryCall *E : Calls) {
    DenseMap<const Argument *, unsigned> Uses;
    bool Known = true;
    auto Count = [&](const EntryOperand &Operand) {
      std::optional<const Argument *> Of = LeadsInto(Operand);
      Known &= Of.has_value();
      if (Of && *Of)
        ++Uses[*Of];
    };
    for (const EntryParameter &P : E->Parameters) {
      Count(P.Primal);
      for_each(P.Shadows, Count);
    }
    auto IsOwn = [&](const EntryOperand &Operand) {
      std::optional<const Argument *> Of = LeadsInto(Operand);
      return Of && *Of && Uses.lookup(*Of) == 1;
    };
    for (auto [N, P] : enumerate(E->Parameters))
      if (!Known || !IsOwn(P.Primal) || !all_of(P.Shadows, IsOwn))
        Apart.reset(N);
  }
  return Apart;
}

/// Functions and tables of functions among the arguments.
SmallVector<const Constant *, 4>
retrograd::constantsHandedTo(ArrayRef<const EntryCall *> Calls) {
  SmallVector<const Constant *, 4> Found;
  for (const EntryCall *E : Calls)
    for (const auto &P : E->Parameters)
      if (const Value *V = P.Primal.V)
        if (const auto *C = dyn_cast<Constant>(V))
          Found.push_back(C);
  return Found;
}
