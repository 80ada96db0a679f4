//===- StripGather.cpp - additions of a loop, gathered --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where what is added can be read again, no buffer is needed. The reverse of a
// stencil,
//
//   for i: g = d[i]; d[i] = 0; a[i - 1] += g; a[i] += g; a[i + 1] += g; b[i] -=
//   g
//
// becomes one loop over places instead of iterations,
//
//   for t: a[t] += d[t + 1] + d[t] + d[t - 1]; b[t] -= d[t]
//   at both ends: one by one
//   for i: d[i] = 0
//
// The numbers are made of loads that no store of the loop changes, but for
// those that take what they have just read (d[i] = 0): these run at the end. A
// number that an iteration hands to the next one is read one place further. All
// groups of places run in one loop, so they must not meet: a comparison in
// front of the loop tells, of distances that are mostly the same in all loops
// around.
//
//===----------------------------------------------------------------------===//

#include "Polish/Strips.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace retrograd;
using namespace retrograd::strips;

//===-- Search ------------------------------------------------------------===//

/// What V is, Shift iterations from here, can be computed again.
bool Strips::repeatable(Value *V, int64_t Shift) {
  if (L.isLoopInvariant(V))
    return true;
  auto *I = cast<Instruction>(V);
  if (Moved.contains(I) || Repeated.size() > 128 ||
      !(I->getType()->isFloatTy() || I->getType()->isDoubleTy()))
    return false;
  if (!Repeated.insert({I, Shift}))
    return true;
  if (auto *Phi = dyn_cast<PHINode>(I))
    return repeatable(Phi->getIncomingValueForBlock(Body),
                      Down ? Shift + 1 : Shift - 1);
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    const SCEV *S = SE.getSCEV(Load->getPointerOperand());
    if (SE.isLoopInvariant(S, &L))
      return safeToExpand(S);
    const auto *A = dyn_cast<SCEVAddRecExpr>(S);
    return A && A->getLoop() == &L && A->isAffine() &&
           std::abs(stride(A, SE)) ==
               int64_t(DL.getTypeStoreSize(Load->getType())) &&
           safeToExpand(A->getStart());
  }
  switch (I->getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FNeg:
    break;
  case Instruction::Call: {
    auto *Call = dyn_cast<IntrinsicInst>(I);
    if (!Call || (Call->getIntrinsicID() != Intrinsic::fma &&
                  Call->getIntrinsicID() != Intrinsic::fmuladd))
      return false;
    return all_of(Call->args(),
                  [&](const Use &U) { return repeatable(U, Shift); });
  }
  default:
    return false;
  }
  return all_of(I->operands(),
                [&](Value *Op) { return repeatable(Op, Shift); });
}

/// Stores take what the same iteration has read, and nothing else is read
/// there: they may wait.
bool Strips::findTakes() {
  auto Anywhere = [](const Instruction &Access) {
    MemoryLocation Here = MemoryLocation::get(&Access);
    return MemoryLocation::getBeforeOrAfter(Here.Ptr, Here.AATags);
  };
  for (Instruction *I : Others) {
    auto *S = dyn_cast<StoreInst>(I);
    if (!S)
      continue;
    const auto *A =
        dyn_cast<SCEVAddRecExpr>(SE.getSCEV(S->getPointerOperand()));
    Type *T = S->getValueOperand()->getType();
    if (!isa<ConstantFP>(S->getValueOperand()) || !A || A->getLoop() != &L ||
        !A->isAffine() ||
        std::abs(stride(A, SE)) != int64_t(DL.getTypeStoreSize(T)) ||
        !safeToExpand(A->getStart()))
      return false;
    for (Instruction *J : Others) {
      if (J == I || AA.isNoAlias(Anywhere(*I), Anywhere(*J)))
        continue;
      auto *Load = dyn_cast<LoadInst>(J);
      if (!Load || Load->getType() != T || !Load->comesBefore(S) ||
          SE.getSCEV(Load->getPointerOperand()) != A)
        return false;
    }
    Takes.push_back(S);
  }
  return true;
}

/// What is used behind the loop is known there.
bool Strips::findLeaving() {
  for (Instruction &I : *Body) {
    if (none_of(I.users(), [&](const User *U) {
          return !L.contains(cast<Instruction>(U));
        }))
      continue;
    if (I.getType()->isFloatingPointTy()) {
      if (!repeatable(&I, 0))
        return false;
      continue;
    }
    if (!SE.isSCEVable(I.getType()))
      return false;
    const SCEV *S = SE.getSCEVAtScope(&I, L.getParentLoop());
    if (isa<SCEVCouldNotCompute>(S) || !SE.isLoopInvariant(S, &L) ||
        !safeToExpand(S))
      return false;
    Leaving[&I] = S;
  }
  return true;
}

bool Strips::findGathers() {
  if (!FixedPlaces.empty() || Mixed || Groups.size() > MostApart ||
      any_of(Groups, [](const Group &G) { return G.wraps(); }))
    return false;
  bool Carries = false;
  for (PHINode &Phi : Body->phis())
    if (Phi.getType()->isFloatingPointTy()) {
      if (dependsOn(Phi.getIncomingValueForBlock(Body), Phi))
        return false;
      Carries = true;
    }
  // Otherwise the vectoriser does it, with checks of its own.
  if (!Carries &&
      none_of(Groups, [](const Group &G) { return G.first() != G.last(); }))
    return false;
  for (const Place &P : Places)
    for (const Addition *A : P.Additions)
      for (auto *Numbers : {&A->Plus, &A->Minus})
        for (Value *V : *Numbers)
          if (!repeatable(V, -P.Offset))
            return false;
  // In units of half a load; a store is two loads.
  SmallPtrSet<Value *, 16> Once;
  uint64_t Again = 0, InBuffers = 4 * BufferTypes.size() + 2 * Places.size();
  for (auto [V, Shift] : Repeated) {
    LeastShift = std::min(LeastShift, Shift);
    MostShift = std::max(MostShift, Shift);
    const unsigned Costs = isa<PHINode>(V) ? 0 : isa<LoadInst>(V) ? 2 : 1;
    Again += Costs;
    InBuffers += Once.insert(V).second ? Costs : 0;
  }
  for (const Place &P : Places) {
    LeastShift = std::min(LeastShift, -P.Offset);
    MostShift = std::max(MostShift, -P.Offset);
  }
  Least = std::max<int64_t>(LeastTrips, MostShift - LeastShift + 2);
  return Again <= InBuffers && Least <= 2 * LeastTrips && findTakes() &&
         findLeaving();
}

//===-- Emission ----------------------------------------------------------===//

/// No two groups have a place in common.
Value *Strips::apart(IRBuilder<> &B) {
  Instruction *Here = &*B.GetInsertPoint();
  Value *Holds = B.getTrue();
  for (auto [N, G] : enumerate(Groups))
    for (const Group &H : drop_begin(Groups, N + 1)) {
      if (none_of(G.Places, [&](const Place *P) {
            return any_of(P->Additions, [&](const Addition *A) {
              return any_of(H.Places, [&](const Place *Q) {
                return any_of(Q->Additions, [&](const Addition *C) {
                  return meets(*A, *C->Store);
                });
              });
            });
          }))
        continue;
      const int64_t Size = DL.getTypeStoreSize(G.Ty);
      const SCEV *Between =
          G.Ty == H.Ty
              ? SE.getMinusSCEV(G.Address->getStart(), H.Address->getStart())
              : SE.getCouldNotCompute();
      if (!isa<SCEVCouldNotCompute>(Between) && safeToExpand(Between)) {
        Value *Bytes = B.CreateSExtOrTrunc(
            Expand.expandCodeFor(Between, Between->getType(), Here),
            B.getInt64Ty());
        auto Elements = [&](Value *X, int64_t More) {
          return B.CreateMul(B.CreateAdd(X, B.getInt64(More)),
                             B.getInt64(Size));
        };
        Value *Above =
            B.CreateICmpSGE(Bytes, Elements(Trips, H.last() - G.first()));
        Value *Below = B.CreateICmpSLE(
            Bytes, Elements(B.CreateNeg(Trips), H.first() - G.last()));
        Holds = B.CreateAnd(Holds, B.CreateOr(Above, Below));
        continue;
      }
      auto [Low, High] = range(B, G.Address, Size, G.first(), G.last());
      auto [OtherLow, OtherHigh] =
          range(B, H.Address, DL.getTypeStoreSize(H.Ty), H.first(), H.last());
      Holds = B.CreateAnd(Holds, B.CreateOr(B.CreateICmpULE(High, OtherLow),
                                            B.CreateICmpULE(OtherHigh, Low)));
    }
  return Holds;
}

/// The address of what the row has first, in the order of the additions'
/// addresses.
Value *Strips::lowest(IRBuilder<> &B, const SCEV *Address) {
  Instruction *Here = Before->getTerminator();
  const auto *A = dyn_cast<SCEVAddRecExpr>(Address);
  if (!A || A->getLoop() != &L)
    return Expand.expandCodeFor(Address, B.getPtrTy(), Here);
  Value *Start = Expand.expandCodeFor(A->getStart(), B.getPtrTy(), Here);
  if (!Down)
    return Start;
  return B.CreatePtrAdd(Start, B.CreateMul(B.CreateSub(Trips, B.getInt64(1)),
                                           B.getInt64(stride(A, SE))));
}

Value *Strips::index(IRBuilder<> &B, Row At) {
  Value *Shift = B.getInt64(At.Shift);
  return At.From ? B.CreateAdd(At.From, Shift) : Shift;
}

/// V as it is in the iteration of the place At.
Value *Strips::numberAt(IRBuilder<> &B, Value *V, Row At,
                        DenseMap<std::pair<Value *, int64_t>, Value *> &Known) {
  if (L.isLoopInvariant(V))
    return V;
  if (Value *Found = Known.lookup({V, At.Shift}))
    return Found;
  auto *I = cast<Instruction>(V);
  Value *Made = nullptr;
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    const bool IsFirst =
        Down ? At.AtEnd && At.Shift == -1 : !At.From && At.Shift == 0;
    Made = IsFirst ? Phi->getIncomingValueForBlock(Before)
                   : numberAt(B, Phi->getIncomingValueForBlock(Body),
                              At + (Down ? 1 : -1), Known);
  } else if (auto *Load = dyn_cast<LoadInst>(I)) {
    Value *Pointer = Lowest.lookup(Load);
    const auto *A =
        dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Load->getPointerOperand()));
    if (A && A->getLoop() == &L) {
      Value *Index = index(B, At);
      if ((stride(A, SE) < 0) != Down)
        Index = B.CreateNeg(Index);
      Pointer = B.CreateGEP(Load->getType(), Pointer, Index);
    }
    auto *Again = cast<LoadInst>(Load->clone());
    Again->setOperand(0, Pointer);
    Again->setMetadata(LLVMContext::MD_access_group, nullptr);
    Made = B.Insert(Again);
  } else {
    Instruction *Again = I->clone();
    for (Use &U : Again->operands())
      if (!isa<Constant>(U))
        U.set(numberAt(B, U, At, Known));
    Made = B.Insert(Again);
  }
  return Known[{V, At.Shift}] = Made;
}

/// All that goes to place T of these groups.
void Strips::gatherAt(IRBuilder<> &B, ArrayRef<const Group *> At, Row T,
                      MDNode *Together) {
  DenseMap<std::pair<Value *, int64_t>, Value *> Known;
  Instruction *Last =
      B.GetInsertBlock()->empty() ? nullptr : &B.GetInsertBlock()->back();
  for (const Group *G : At) {
    AAMDNodes Tags =
        G->Places.front()->Additions.front()->Store->getAAMetadata();
    Align Alignment = DL.getABITypeAlign(G->Ty);
    FastMathFlags Flags;
    Flags.setAllowReassoc();
    Flags.setAllowContract(true);
    Value *X = nullptr;
    for (const Place *P : G->Places)
      for (const Addition *A : P->Additions) {
        Tags = Tags.merge(A->Store->getAAMetadata())
                   .merge(A->Load->getAAMetadata());
        Alignment =
            std::min({Alignment, A->Store->getAlign(), A->Load->getAlign()});
        for (const Instruction *Sum : A->Chain)
          if (!Sum->hasAllowContract())
            Flags.setAllowContract(false);
      }
    B.setFastMathFlags(Flags);
    for (const Place *P : G->Places) {
      const Row Of = T + -P->Offset;
      // Beyond an end of the row.
      if (T.AtEnd ? Of.Shift >= 0 : !T.From && Of.Shift < 0)
        continue;
      for (const Addition *A : P->Additions) {
        for (Value *V : A->Plus) {
          Value *Y = numberAt(B, V, Of, Known);
          X = X ? B.CreateFAdd(X, Y) : Y;
        }
        for (Value *V : A->Minus) {
          Value *Y = numberAt(B, V, Of, Known);
          X = X ? B.CreateFSub(X, Y) : B.CreateFNeg(Y);
        }
      }
    }
    if (!X)
      continue;
    Value *Address = B.CreateGEP(
        G->Ty, Lowest.lookup(G->Places.front()->Additions.front()->Store),
        index(B, T));
    LoadInst *Old = B.CreateAlignedLoad(G->Ty, Address, Alignment);
    StoreInst *New =
        B.CreateAlignedStore(B.CreateFAdd(Old, X), Address, Alignment);
    Old->setAAMetadata(Tags);
    New->setAAMetadata(Tags);
  }
  B.clearFastMathFlags();
  if (!Together)
    return;
  BasicBlock *Block = B.GetInsertBlock();
  for (Instruction &I :
       make_range(Last ? std::next(Last->getIterator()) : Block->begin(),
                  Block->end()))
    if (I.mayReadOrWriteMemory())
      I.setMetadata(LLVMContext::MD_access_group, Together);
}

BasicBlock *Strips::gather() {
  LLVMContext &C = F.getContext();
  formLCSSA(L, DT, &LI, &SE);
  IRBuilder<> B(Before->getTerminator());
  Value *Holds = check(B);
  Holds = B.CreateAnd(Holds, apart(B));
  for (const Group &G : Groups)
    Lowest[G.Places.front()->Additions.front()->Store] = lowest(B, G.Address);
  for (auto [V, Shift] : Repeated)
    if (auto *Load = dyn_cast<LoadInst>(V); Load && !Lowest.contains(Load))
      Lowest[Load] = lowest(B, SE.getSCEV(Load->getPointerOperand()));
  for (StoreInst *S : Takes)
    Lowest[S] = lowest(B, SE.getSCEV(S->getPointerOperand()));
  for (auto &[V, S] : Leaving)
    Lowest[V] = Expand.expandCodeFor(S, V->getType(), Before->getTerminator());
  auto Block = [&](const Twine &Name) {
    return BasicBlock::Create(C, Name, &F, After);
  };
  BasicBlock *Enter = Block("rg.gather"), *Each = Block("rg.gather.add"),
             *Edges = Block("rg.gathered");
  B.CreateCondBr(Holds, Enter, Body);
  Before->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Enter);
  Value *To = B.CreateSub(Trips, B.getInt64(MostShift));
  B.CreateBr(Each);

  // From First to in front of Behind.
  auto Loop = [&](BasicBlock *In, Value *First, Value *Behind, BasicBlock *Next,
                  function_ref<void(Value *, MDNode *)> Do) {
    B.SetInsertPoint(In->getSinglePredecessor()->getTerminator());
    Value *Highest = Down ? B.CreateSub(Behind, B.getInt64(1)) : nullptr;
    B.SetInsertPoint(In);
    PHINode *T = B.CreatePHI(B.getInt64Ty(), 2, "rg.place");
    T->addIncoming(Down ? Highest : First, In->getSinglePredecessor());
    MDNode *Together = MDNode::getDistinct(C, {});
    Do(T, Together);
    // In the order of iterations, which goes on in the next row.
    Value *Further = B.CreateAdd(T, B.getInt64(Down ? -1 : 1), "", !Down, true);
    T->addIncoming(Further, In);
    Instruction *Back = B.CreateCondBr(
        B.CreateICmpEQ(Down ? T : Further, Down ? First : Behind), Next, In);
    hint(Back);
    MDNode *Said = Back->getMetadata(LLVMContext::MD_loop);
    MDNode *Apart = MDNode::get(
        C, {MDString::get(C, "llvm.loop.parallel_accesses"), Together});
    SmallVector<Metadata *, 4> Words(Said->op_begin(), Said->op_end());
    Words.push_back(Apart);
    MDNode *Id = MDNode::getDistinct(C, Words);
    Id->replaceOperandWith(0, Id);
    Back->setMetadata(LLVMContext::MD_loop, Id);
  };
  SmallVector<const Group *, 8> All(make_pointer_range(Groups));
  Loop(Each, B.getInt64(-LeastShift), To, Edges,
       [&](Value *T, MDNode *Together) {
         gatherAt(B, All, {T, 0, false}, Together);
       });

  B.SetInsertPoint(Edges);
  for (const Group &G : Groups) {
    for (int64_t T = G.first(); T < -LeastShift; ++T)
      gatherAt(B, &G, {nullptr, T, false}, nullptr);
    for (int64_t T = -MostShift; T < G.last(); ++T)
      gatherAt(B, &G, {Trips, T, true}, nullptr);
  }
  DenseMap<std::pair<Value *, int64_t>, Value *> Known;
  const Row LastOne = Down ? Row{nullptr, 0, false} : Row{Trips, -1, true};
  DenseMap<PHINode *, Value *> Left;
  for (PHINode &Phi : After->phis()) {
    Value *V = Phi.getIncomingValueForBlock(Body);
    Value *Final = Lowest.lookup(V);
    Left[&Phi] = Leaving.contains(V) ? Final : numberAt(B, V, LastOne, Known);
  }
  BasicBlock *End = Edges;
  if (!Takes.empty()) {
    BasicBlock *Taking = Block("rg.gather.take");
    End = Block("rg.gather.taken");
    B.CreateBr(Taking);
    Loop(Taking, B.getInt64(0), Trips, End, [&](Value *T, MDNode *Together) {
      for (StoreInst *S : Takes) {
        Type *Ty = S->getValueOperand()->getType();
        const auto *A =
            cast<SCEVAddRecExpr>(SE.getSCEV(S->getPointerOperand()));
        Value *Index = (stride(A, SE) < 0) != Down ? B.CreateNeg(T) : T;
        auto *Again = cast<StoreInst>(S->clone());
        Again->setOperand(1, B.CreateGEP(Ty, Lowest.lookup(S), Index));
        Again->setMetadata(LLVMContext::MD_access_group, Together);
        B.Insert(Again);
      }
    });
    B.SetInsertPoint(End);
  }
  B.CreateBr(After);
  for (auto [Phi, V] : Left)
    Phi->addIncoming(V, End);
  return Each;
}
