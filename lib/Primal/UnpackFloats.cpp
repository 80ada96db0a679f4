//===- UnpackFloats.cpp - floats that travel inside of a wider one --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/UnpackFloats.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

static bool isWide(const Type *T) {
  return T->getScalarType()->isDoubleTy() && !isa<ScalableVectorType>(T);
}

/// The same shape with integers of the same width.
static Type *asIntegers(Type *T) {
  return T->getWithNewType(IntegerType::get(T->getContext(), 64));
}

/// Floats narrower than a double, in a type that has the same bits.
static bool hasNarrowFloats(const Type *T) {
  const Type *S = T->getScalarType();
  return S->isFloatTy() || S->isHalfTy() || S->isBFloatTy();
}

/// A piece of the integer Bits becomes a float.
static bool isTakenApart(const Value *Bits) {
  SmallVector<const Value *, 8> Work{Bits};
  SmallPtrSet<const Value *, 16> Seen{Bits};
  while (!Work.empty() && Seen.size() < 32)
    for (const User *U : Work.pop_back_val()->users()) {
      if (isa<BitCastInst>(U) && hasNarrowFloats(U->getType()))
        return true;
      if (isa<BitCastInst, TruncInst, LShrOperator, ExtractElementInst,
              PHINode>(U) &&
          U->getType()->isIntOrIntVectorTy() && Seen.insert(U).second)
        Work.push_back(U);
    }
  return false;
}

/// The integer Bits is put together from floats.
static bool isPutTogether(const Value *Bits) {
  SmallVector<const Value *, 8> Work{Bits};
  SmallPtrSet<const Value *, 16> Seen{Bits};
  while (!Work.empty() && Seen.size() < 32) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I)
      continue;
    if (isa<BitCastInst>(I) && hasNarrowFloats(I->getOperand(0)->getType()))
      return true;
    if (isa<BitCastInst, ZExtInst, InsertElementInst>(I) ||
        match(I, m_Shl(m_Value(), m_ConstantInt())) ||
        match(I, m_Or(m_Value(), m_Value())))
      for (const Value *Of : I->operands())
        if (Seen.insert(Of).second)
          Work.push_back(Of);
  }
  return false;
}

namespace {
/// What is linked with one double.
class Web {
public:
  explicit Web(Instruction &From) { Members.insert(&From); }
  /// Nothing computes with it, and it consists of narrower floats.
  bool carriesFloats();
  void makeIntegers();
  ArrayRef<Instruction *> members() const { return Members.getArrayRef(); }

private:
  SetVector<Instruction *> Members;
  MapVector<Instruction *, Value *> Made;

  bool join(Value *V);
  Value *madeFor(Value *V, IRBuilderBase &B);
};
} // namespace

static bool links(const Instruction &I) {
  return isa<PHINode, SelectInst, FreezeInst, ExtractElementInst,
             InsertElementInst, ShuffleVectorInst>(I) &&
         isWide(I.getType());
}

/// The declared type of the memory is that of the access.
static bool isDeclared(const Instruction &Access) {
  const MDNode *Tag = Access.getMetadata(LLVMContext::MD_tbaa);
  const auto *Type = Tag && Tag->getNumOperands() >= 3
                         ? dyn_cast<MDNode>(Tag->getOperand(1))
                         : nullptr;
  const auto *Name = Type && Type->getNumOperands()
                         ? dyn_cast<MDString>(Type->getOperand(0))
                         : nullptr;
  return Name && Name->getString() == "double";
}

/// False if V is none that may become integers.
bool Web::join(Value *V) {
  if (isa<Constant>(V))
    return true;
  auto *I = dyn_cast<Instruction>(V);
  auto *Load = dyn_cast_or_null<LoadInst>(I);
  if (!I || !(links(*I) || isa<BitCastInst>(I) ||
              (Load && Load->isSimple() && !isDeclared(*Load))))
    return false;
  Members.insert(I);
  return true;
}

bool Web::carriesFloats() {
  constexpr unsigned Most = 1024;
  bool Found = false;
  for (unsigned Next = 0; Next != Members.size(); ++Next) {
    Instruction &I = *Members[Next];
    if (Members.size() > Most)
      return false;
    if (isa<BitCastInst>(I)) {
      Value *From = I.getOperand(0);
      if (isWide(From->getType())) {
        if (!join(From))
          return false;
      } else {
        Found |= hasNarrowFloats(From->getType()) || isPutTogether(From);
      }
    } else if (links(I)) {
      for (Value *Of : I.operands())
        if (isWide(Of->getType()) && !join(Of))
          return false;
    }
    for (User *U : I.users()) {
      auto *By = cast<Instruction>(U);
      if (auto *Store = dyn_cast<StoreInst>(By)) {
        if (!Store->isSimple() || isDeclared(*Store))
          return false;
      } else if (isa<BitCastInst>(By) && !isWide(By->getType())) {
        Found |= hasNarrowFloats(By->getType()) || isTakenApart(By);
      } else if (!(links(*By) || isa<BitCastInst>(By)) || !join(By)) {
        return false;
      }
    }
  }
  return Found;
}

Value *Web::madeFor(Value *V, IRBuilderBase &B) {
  if (auto *I = dyn_cast<Instruction>(V))
    if (auto It = Made.find(I); It != Made.end())
      return It->second;
  if (isa<Constant>(V) && isWide(V->getType()))
    return B.CreateBitCast(V, asIntegers(V->getType()));
  return V;
}

void Web::makeIntegers() {
  // Copies first, whose operands are the old ones: they meet in phis.
  for (Instruction *I : Members) {
    IRBuilder<> B(I);
    Type *T = asIntegers(I->getType());
    Value *New;
    if (auto *Load = dyn_cast<LoadInst>(I)) {
      LoadInst *Bits =
          B.CreateAlignedLoad(T, Load->getPointerOperand(), Load->getAlign());
      Bits->copyMetadata(*Load, {LLVMContext::MD_dbg, LLVMContext::MD_tbaa,
                                 LLVMContext::MD_alias_scope,
                                 LLVMContext::MD_noalias});
      New = Bits;
    } else {
      Instruction *Copy = I->clone();
      if (isa<FPMathOperator>(Copy))
        Copy->copyFastMathFlags(FastMathFlags());
      Copy->mutateType(T);
      Copy->dropUnknownNonDebugMetadata();
      Copy->insertBefore(I->getIterator());
      New = Copy;
    }
    New->takeName(I);
    Made[I] = New;
  }
  SmallVector<Instruction *, 8> Dead;
  for (auto [I, New] : Made) {
    auto *Copy = cast<Instruction>(New);
    if (isa<LoadInst>(I))
      continue;
    IRBuilder<> B(Copy);
    for (Use &U : Copy->operands())
      U.set(madeFor(U.get(), B));
    // What was integers of this shape already.
    if (isa<BitCastInst>(Copy) &&
        Copy->getOperand(0)->getType() == Copy->getType())
      Dead.push_back(Copy);
  }
  for (auto [I, New] : Made)
    for (User *U : make_early_inc_range(I->users())) {
      auto *By = cast<Instruction>(U);
      if (Made.contains(By))
        continue;
      By->replaceUsesOfWith(I, New); // a store, or a cast to something else
      if (isa<BitCastInst>(By) && By->getType() == New->getType()) {
        By->replaceAllUsesWith(New);
        Dead.push_back(By);
      }
    }
  for (auto [I, New] : Made)
    I->replaceAllUsesWith(PoisonValue::get(I->getType()));
  for (auto [I, New] : Made)
    I->eraseFromParent();
  for (Instruction *Cast : Dead) {
    Cast->replaceAllUsesWith(Cast->getOperand(0));
    Cast->eraseFromParent();
  }
}

void retrograd::unpackFloats(Function &F) {
  SmallSetVector<Instruction *, 16> Asked;
  for (Instruction &I : instructions(F))
    if (isWide(I.getType()) && (links(I) || isa<BitCastInst, LoadInst>(I)))
      Asked.insert(&I);
  SmallPtrSet<Instruction *, 16> Seen;
  for (Instruction *I : Asked) {
    if (Seen.contains(I))
      continue;
    Web W(*I);
    const bool Carries = W.carriesFloats();
    Seen.insert_range(W.members());
    if (Carries)
      W.makeIntegers();
  }
}
