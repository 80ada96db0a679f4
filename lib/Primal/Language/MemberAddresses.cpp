//===- MemberAddresses.cpp - addresses of members in variables ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/Language/MemberAddresses.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include <optional>

using namespace llvm;
using namespace retrograd;

/// What is stored in a variable that nothing but loads and stores use; none if
/// there are others.
static std::optional<SmallVector<const Value *, 2>>
contentsOf(const AllocaInst &Variable) {
  SmallVector<const Value *, 2> Stored;
  for (const User *U : Variable.users())
    if (const auto *S = dyn_cast<StoreInst>(U)) {
      if (S->getPointerOperand() != &Variable)
        return std::nullopt;
      Stored.push_back(S->getValueOperand());
    } else if (const auto *I = dyn_cast<IntrinsicInst>(U);
               !(I && I->isLifetimeStartOrEnd()) && !isa<LoadInst>(U)) {
      return std::nullopt;
    }
  return Stored;
}

/// The variable of pointer type that V is loaded from.
static const AllocaInst *loadedFrom(const Value *V) {
  const auto *Load = dyn_cast<LoadInst>(V);
  const auto *A =
      Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  return A && A->getAllocatedType()->isPointerTy() && !A->isArrayAllocation()
             ? A
             : nullptr;
}

/// The argument that V is, as unoptimised code spells it.
static const Argument *argumentOf(const Value *V) {
  if (const AllocaInst *A = loadedFrom(V))
    if (auto Stored = contentsOf(*A); Stored && Stored->size() == 1)
      V = Stored->front();
  return dyn_cast<Argument>(V);
}

static bool isIntegers(const Type *T) {
  while (const auto *A = dyn_cast<ArrayType>(T))
    T = A->getElementType();
  return T->isIntegerTy(32) || T->isIntegerTy(64);
}

/// What the pointer V comes from: true if it is followed, all of From then.
static bool sourcesOf(const Value *V, SmallVectorImpl<const Value *> &From) {
  if (const auto *GEP = dyn_cast<GEPOperator>(V)) {
    if (!isIntegers(GEP->getSourceElementType()))
      return false;
    From.push_back(GEP->getPointerOperand());
    return true;
  }
  if (const AllocaInst *A = loadedFrom(V)) {
    auto Stored = contentsOf(*A);
    if (Stored)
      From.append(Stored->begin(), Stored->end());
    return Stored.has_value();
  }
  if (const auto *Phi = dyn_cast<PHINode>(V)) {
    From.append(Phi->op_begin(), Phi->op_end());
    return true;
  }
  if (const auto *S = dyn_cast<SelectInst>(V)) {
    From.append({S->getTrueValue(), S->getFalseValue()});
    return true;
  }
  if (const auto *A = dyn_cast<Argument>(V)) {
    const Function &F = *A->getParent();
    if (!(F.hasLocalLinkage() || F.hasLinkOnceLinkage()) ||
        A->hasPassPointeeByValueCopyAttr() || A->hasStructRetAttr())
      return false;
    for (const Use &U : F.uses()) {
      const auto *Call = dyn_cast<CallBase>(U.getUser());
      if (!Call || !Call->isCallee(&U) ||
          Call->getFunctionType() != F.getFunctionType())
        return false;
      From.push_back(Call->getArgOperand(A->getArgNo()));
    }
    return true;
  }
  const auto *Call = dyn_cast<CallBase>(V);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  if (!F || F->isDeclaration() || F->isInterposable() ||
      Call->getFunctionType() != F->getFunctionType())
    return false;
  for (const BasicBlock &Block : *F)
    if (const auto *Return = dyn_cast<ReturnInst>(Block.getTerminator())) {
      const Value *Result = Return->getReturnValue();
      const Argument *Same = argumentOf(Result);
      From.push_back(Same ? Call->getArgOperand(Same->getArgNo()) : Result);
    }
  return true;
}

MemberAddresses::MemberAddresses(function_ref<bool(const Value *)> IsMember,
                                 ArrayRef<const Value *> Asked) {
  std::vector<const Value *> Work;
  auto NumberOf = [&](const Value *V) {
    auto [It, New] = Number.try_emplace(V, Nodes.size());
    if (New) {
      Nodes.emplace_back();
      Work.push_back(V);
    }
    return It->second;
  };
  for (const Value *P : Asked)
    NumberOf(P);
  SmallVector<unsigned, 16> Spoiled, Grounded;
  while (!Work.empty()) {
    const Value *V = Work.back();
    Work.pop_back();
    const unsigned N = Number.lookup(V);
    SmallVector<const Value *, 4> From;
    if (IsMember(V)) {
      Nodes[N].Grounded = true;
      Grounded.push_back(N);
    } else if (sourcesOf(V, From)) {
      for (const Value *S : From) {
        const unsigned Source = NumberOf(S);
        Nodes[Source].Users.push_back(N);
      }
    } else {
      Nodes[N].Spoiled = true;
      Spoiled.push_back(N);
    }
  }
  auto Spread = [&](SmallVectorImpl<unsigned> &From, bool Node::*Mark) {
    while (!From.empty())
      for (unsigned User : Nodes[From.pop_back_val()].Users)
        if (!(Nodes[User].*Mark)) {
          Nodes[User].*Mark = true;
          From.push_back(User);
        }
  };
  Spread(Spoiled, &Node::Spoiled);
  Spread(Grounded, &Node::Grounded);
}

bool MemberAddresses::contains(const Value *P) const {
  auto It = Number.find(P);
  return It != Number.end() && Nodes[It->second].Grounded &&
         !Nodes[It->second].Spoiled;
}
