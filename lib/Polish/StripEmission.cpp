//===- StripEmission.cpp - writes the strips of a loop of additions -------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks in front of the loop, the loop of iterations that fill the
// buffers, and per group of places the loop that adds them up.
//
//===----------------------------------------------------------------------===//

#include "Polish/Strips.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace retrograd;
using namespace retrograd::strips;

/// From the lowest address to behind the highest one of [From, To] elements
/// from Address, in all iterations.
Strips::Ends Strips::range(IRBuilder<> &B, const SCEV *Address, uint64_t Bytes,
                           int64_t From, int64_t To) {
  Instruction *Here = &*B.GetInsertPoint();
  const SCEV *Low = Address, *High = Address;
  if (const auto *A = dyn_cast<SCEVAddRecExpr>(Address);
      A && A->getLoop() == &L) {
    const SCEV *N = SE.getTruncateOrZeroExtend(
        Backedges, A->getStepRecurrence(SE)->getType());
    Low = A->getStart();
    High = SE.getAddExpr(Low, SE.getMulExpr(N, A->getStepRecurrence(SE)));
    if (stride(A, SE) < 0)
      std::swap(Low, High);
  }
  Type *Word = DL.getIndexType(Low->getType());
  Low = SE.getAddExpr(Low, SE.getConstant(Word, From * int64_t(Bytes), true));
  High = SE.getAddExpr(High,
                       SE.getConstant(Word, (To + 1) * int64_t(Bytes), true));
  return {Expand.expandCodeFor(Low, B.getPtrTy(), Here),
          Expand.expandCodeFor(High, B.getPtrTy(), Here)};
}

/// Pointer as it is in the first or the last iteration, computed in front of
/// the loop.
Value *Strips::at(Value *V, bool Last, DenseMap<Value *, Value *> &Map) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I))
    return V;
  if (Value *Known = Map.lookup(V))
    return Known;
  Instruction *Here = Before->getTerminator();
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    Value *X = Phi->getIncomingValueForBlock(Before);
    if (Last) {
      const auto *A = cast<SCEVAddRecExpr>(SE.getSCEV(Phi));
      const SCEV *N = SE.getTruncateOrZeroExtend(Backedges, A->getType());
      X = Expand.expandCodeFor(
          SE.getAddExpr(A->getStart(),
                        SE.getMulExpr(N, A->getStepRecurrence(SE))),
          Phi->getType(), Here);
    }
    return Map[V] = X;
  }
  SmallVector<Value *, 4> Operands;
  for (Value *Op : I->operands())
    Operands.push_back(at(Op, Last, Map));
  Instruction *Again = I->clone();
  for (auto [N, Op] : enumerate(Operands))
    Again->setOperand(N, Op);
  Again->dropPoisonGeneratingFlags();
  Again->setDebugLoc(DebugLoc());
  Again->insertBefore(Here->getIterator());
  return Map[V] = Again;
}

/// Whether the loop may run in strips.
Value *Strips::check(IRBuilder<> &B) {
  Instruction *Here = &*B.GetInsertPoint();
  Value *Taken = Expand.expandCodeFor(Backedges, B.getInt64Ty(), Here);
  Trips = B.CreateAdd(Taken, B.getInt64(1), "rg.trips");
  Value *Holds = B.CreateICmpULT(B.CreateSub(Taken, B.getInt64(Least - 1)),
                                 B.getInt64(uint64_t(1) << 31));
  for (const SCEVPredicate *P : Preconditions)
    Holds =
        B.CreateAnd(Holds, B.CreateNot(Expand.expandCodeForPredicate(P, Here)));
  SmallPtrSet<const SCEV *, 4> Asked;
  for (auto &[S, When] : Wraps) {
    if (!Asked.insert(When).second)
      continue;
    Value *N = B.CreateZExtOrTrunc(
        Expand.expandCodeFor(When, When->getType(), Here), B.getInt64Ty());
    Holds = B.CreateAnd(Holds, B.CreateOr(B.CreateICmpEQ(N, B.getInt64(0)),
                                          B.CreateICmpUGE(N, Taken)));
  }
  for (const Group &G : Groups) {
    Base[&G] = Expand.expandCodeFor(G.Address->getStart(), B.getPtrTy(), Here);
    for (const Place *P : G.Places)
      if (P->Guessed) {
        Value *Start =
            Expand.expandCodeFor(P->Address->getStart(), B.getPtrTy(), Here);
        Value *Guess = B.CreatePtrAdd(
            Base[&G],
            B.getInt64(P->Offset * int64_t(DL.getTypeStoreSize(G.Ty))));
        Holds = B.CreateAnd(Holds, B.CreateICmpEQ(Start, Guess));
      }
  }
  for (const Place &P : Places)
    if (P.Wraps) {
      Value *Pointer = P.Additions.front()->Pointer;
      AtEnds[&P] = {at(Pointer, false, InFirst), at(Pointer, true, InLast)};
    }
  for (FixedPlace &P : FixedPlaces)
    P.At = Expand.expandCodeFor(P.Address, B.getPtrTy(), Here);
  DenseMap<const Group *, Ends> Ranges;
  auto RangeOf = [&](const Group &G) {
    auto [It, New] = Ranges.try_emplace(&G);
    if (New) {
      auto [Low, High] =
          range(B, G.Address, DL.getTypeStoreSize(G.Ty), G.first(), G.last());
      for (const Place *P : G.Places)
        if (P->Wraps)
          for (Value *End : {AtEnds[P].first, AtEnds[P].second}) {
            Low = B.CreateSelect(B.CreateICmpULT(End, Low), End, Low);
            Value *Behind =
                B.CreatePtrAdd(End, B.getInt64(DL.getTypeStoreSize(G.Ty)));
            High = B.CreateSelect(B.CreateICmpUGT(Behind, High), Behind, High);
          }
      It->second = {Low, High};
    }
    return It->second;
  };
  SmallSet<std::pair<const SCEV *, const Group *>, 16> Compared;
  for (Instruction *I : Others) {
    const SCEV *S = SE.getSCEV(getLoadStorePointerOperand(I));
    std::optional<Ends> Its;
    for (const Group &G : Groups) {
      bool Meets = any_of(G.Places, [&](const Place *P) {
        return any_of(P->Additions,
                      [&](const Addition *A) { return meets(*A, *I); });
      });
      if (!Meets || !Compared.insert({S, &G}).second)
        continue;
      if (!Its)
        Its = range(B, S, DL.getTypeStoreSize(getLoadStoreType(I)), 0, 0);
      auto [Low, High] = RangeOf(G);
      Holds = B.CreateAnd(Holds, B.CreateOr(B.CreateICmpULE(Its->second, Low),
                                            B.CreateICmpULE(High, Its->first)));
    }
    for (const FixedPlace &P : FixedPlaces) {
      if (none_of(P.Additions,
                  [&](const Addition *A) { return meets(*A, *I); }))
        continue;
      if (!Its)
        Its = range(B, S, DL.getTypeStoreSize(getLoadStoreType(I)), 0, 0);
      Value *Behind =
          B.CreatePtrAdd(P.At, B.getInt64(DL.getTypeStoreSize(
                                   P.Additions.front()->Load->getType())));
      Holds =
          B.CreateAnd(Holds, B.CreateOr(B.CreateICmpULE(Its->second, P.At),
                                        B.CreateICmpULE(Behind, Its->first)));
    }
  }
  return Holds;
}

void Strips::hint(Instruction *Back, Type *Number) {
  LLVMContext &C = F.getContext();
  auto *One = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(C), 1));
  auto Say = [&](StringRef Name, ConstantAsMetadata *What) {
    return MDNode::get(C, {MDString::get(C, Name), What});
  };
  SmallVector<Metadata *, 4> Words = {nullptr,
                                      Say("llvm.loop.interleave.count", One)};
  // Half of the longest vectors: the rest of a row, number by number, is half
  // as long, and what is read from a buffer at another place than it was
  // written is less often what two stores have left.
  constexpr unsigned Longest = 512;
  if (Number && VectorBits >= Longest)
    Words.push_back(Say("llvm.loop.vectorize.width",
                        ConstantAsMetadata::get(ConstantInt::get(
                            Type::getInt32Ty(C),
                            Longest / 2 / Number->getScalarSizeInBits()))));
  MDNode *Id = MDNode::getDistinct(C, Words);
  Id->replaceOperandWith(0, Id);
  Back->setMetadata(LLVMContext::MD_loop, Id);
}

/// Adds a strip's numbers to the places of G. In elements from the group's base
/// in this strip, iteration at Index of the strip (from the lowest address)
/// adds to Index + Offset.
void Strips::addGroup(IRBuilder<> &B, const Group &G) {
  const int64_t Size = DL.getTypeStoreSize(G.Ty), First = G.first(),
                Last = G.last(), Ends = G.wraps();
  const StoreInst *Like = G.Places.front()->Additions.front()->Store;
  const AAMDNodes Tags = G.Places.size() == 1 ? Like->getAAMetadata() : [&] {
    AAMDNodes Common = Like->getAAMetadata();
    for (const Place *P : G.Places)
      for (const Addition *A : P->Additions)
        Common = Common.merge(A->Store->getAAMetadata())
                     .merge(A->Load->getAAMetadata());
    return Common;
  }();
  Align Alignment = Like->getAlign();
  for (const Place *P : G.Places)
    for (const Addition *A : P->Additions)
      Alignment =
          std::min({Alignment, A->Store->getAlign(), A->Load->getAlign()});
  FastMathFlags Flags;
  Flags.setAllowReassoc();
  B.setFastMathFlags(Flags);
  auto Int = [&](int64_t X) { return B.getInt64(X); };
  auto AddAt = [&](Value *Address,
                   ArrayRef<std::pair<unsigned, Value *>> Numbers) {
    Value *X = nullptr;
    for (auto [Buffer, Index] : Numbers) {
      LoadInst *Y = B.CreateLoad(G.Ty, element(B, G.Ty, Buffer, Index));
      toBuffer(Y);
      X = X ? B.CreateFAdd(X, Y) : Y;
    }
    LoadInst *Old = B.CreateAlignedLoad(G.Ty, Address, Alignment);
    StoreInst *New =
        B.CreateAlignedStore(B.CreateFAdd(Old, X), Address, Alignment);
    Old->setAAMetadata(Tags);
    New->setAAMetadata(Tags);
    notToBuffer(Old);
    notToBuffer(New);
  };
  // Of the lowest address of the strip.
  Value *Low = G.Down ? B.CreateSub(B.CreateSub(Int(1), Done), Now) : Done;
  Value *Start =
      B.CreatePtrAdd(Base[&G], B.CreateMul(Low, Int(Size)), "rg.strip.base");

  // Where all places of the group reach.
  Value *From = Int(Last + Ends), *To = B.CreateAdd(Now, Int(First - Ends));
  // In the order in which the buffers were filled: what was written last waits
  // for the memory, and is read last.
  Value *HighEnd = G.Down ? B.CreateSub(To, Int(1)) : nullptr;
  BasicBlock *In = B.GetInsertBlock();
  BasicBlock *Add =
      BasicBlock::Create(F.getContext(), "rg.strip.add", &F, After);
  BasicBlock *Edges =
      BasicBlock::Create(F.getContext(), "rg.strip.added", &F, After);
  B.CreateBr(Add);
  B.SetInsertPoint(Add);
  PHINode *T = B.CreatePHI(B.getInt64Ty(), 2, "rg.place");
  T->addIncoming(G.Down ? HighEnd : From, In);
  SmallVector<std::pair<unsigned, Value *>, 8> Numbers;
  for (const Place *P : G.Places)
    Numbers.push_back({P->Buffer, B.CreateSub(T, Int(P->Offset))});
  AddAt(B.CreateGEP(G.Ty, Start, T), Numbers);
  Value *Next = G.Down ? B.CreateAdd(T, Int(-1), "", false, true)
                       : B.CreateAdd(T, Int(1), "", true, true);
  T->addIncoming(Next, Add);
  Instruction *Back = B.CreateCondBr(
      G.Down ? B.CreateICmpEQ(T, From) : B.CreateICmpEQ(Next, To), Edges, Add);
  hint(Back, G.Ty);

  // And where only some do.
  B.SetInsertPoint(Edges);
  for (int64_t Place = First; Place != Last + Ends; ++Place) {
    Numbers.clear();
    for (const struct Place *P : G.Places)
      if (Place - P->Offset >= (P->Wraps ? 1 : 0))
        Numbers.push_back({P->Buffer, Int(Place - P->Offset)});
    if (!Numbers.empty())
      AddAt(B.CreateGEP(G.Ty, Start, Int(Place)), Numbers);
  }
  for (int64_t Place = First - Ends; Place != Last; ++Place) { // from Now on
    Numbers.clear();
    for (const struct Place *P : G.Places)
      if (Place - P->Offset < (P->Wraps ? -1 : 0))
        Numbers.push_back(
            {P->Buffer, B.CreateAdd(Now, Int(Place - P->Offset))});
    if (!Numbers.empty())
      AddAt(B.CreateGEP(G.Ty, Start, B.CreateAdd(Now, Int(Place))), Numbers);
  }
  for (const Place *P : G.Places)
    if (P->Wraps) {
      Value *Lowest = Int(0), *Highest = B.CreateSub(Now, Int(1));
      auto AddEnd = [&](Value *Index, Value *IsEnd, Value *There) {
        Value *Regular =
            B.CreateGEP(G.Ty, Start, B.CreateAdd(Index, Int(P->Offset)));
        AddAt(B.CreateSelect(IsEnd, There, Regular), {{P->Buffer, Index}});
      };
      AddEnd(G.Down ? Highest : Lowest, B.CreateICmpEQ(Done, Int(0)),
             AtEnds[P].first);
      AddEnd(G.Down ? Lowest : Highest,
             B.CreateICmpEQ(B.CreateAdd(Done, Now), Trips), AtEnds[P].second);
    }
}

BasicBlock *Strips::fillAndAdd() {
  LLVMContext &C = F.getContext();
  formLCSSA(L, DT, &LI, &SE);
  // Of all that is computed in front of the loop, nothing is in the way of the
  // old one.
  IRBuilder<> B(Before->getTerminator());
  Value *Holds = check(B);
  for (Type *T : BufferTypes) {
    IRBuilder<> Entry(&F.getEntryBlock(), F.getEntryBlock().begin());
    Buffers.push_back(
        Entry.CreateAlloca(ArrayType::get(T, MostTrips), nullptr, "rg.strip"));
    Buffers.back()->setAlignment(Align(64));
  }

  MDBuilder Scopes(C);
  BufferScope =
      MDNode::get(C, Scopes.createAnonymousAliasScope(
                         Scopes.createAnonymousAliasScopeDomain("rg.strip")));
  auto Block = [&](const Twine &Name) {
    return BasicBlock::Create(C, Name, &F, After);
  };
  BasicBlock *Enter = Block("rg.strips"), *Head = Block("rg.strip"),
             *Compute = Block("rg.strip.compute"),
             *Added = Block("rg.strip.computed");
  B.CreateCondBr(Holds, Enter, Body);
  Before->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Enter);
  B.CreateBr(Head);

  // A strip.
  B.SetInsertPoint(Head);
  PHINode *Begun = B.CreatePHI(B.getInt64Ty(), 2, "rg.done");
  Begun->addIncoming(B.getInt64(0), Enter);
  Done = Begun;
  ValueToValueMapTy Map;
  SmallVector<std::pair<PHINode *, PHINode *>, 8>
      Carried; // of the loop, of the strips
  for (PHINode &Phi : Body->phis()) {
    PHINode *Outer = B.CreatePHI(Phi.getType(), 2);
    Outer->addIncoming(Phi.getIncomingValueForBlock(Before), Enter);
    Carried.push_back({&Phi, Outer});
  }
  Value *Left = B.CreateSub(Trips, Done);
  Now = B.CreateSelect(B.CreateICmpUGT(Left, B.getInt64(MostTrips)),
                       B.getInt64(StripTrips), Left, "rg.now");
  B.CreateBr(Compute);

  // Its iterations, without the additions.
  B.SetInsertPoint(Compute);
  PHINode *Index = B.CreatePHI(B.getInt64Ty(), 2, "rg.index");
  Index->addIncoming(B.getInt64(0), Head);
  for (auto [Phi, Outer] : Carried) {
    PHINode *Inner = B.CreatePHI(Phi->getType(), 2);
    Inner->addIncoming(Outer, Head);
    Map[Phi] = Inner;
  }
  SmallVector<PHINode *, 4> Sums;
  for (const FixedPlace &P : FixedPlaces) {
    Type *T = P.Additions.front()->Load->getType();
    Sums.push_back(B.CreatePHI(T, 2, "rg.sum"));
    Sums.back()->addIncoming(ConstantFP::getZero(T, /*Negative=*/true), Head);
  }
  for (Instruction &I : *Body) {
    if (isa<PHINode>(I) || I.isTerminator() || Moved.contains(&I))
      continue;
    Instruction *Again = I.clone();
    B.Insert(Again);
    Map[&I] = Again;
    if (I.mayReadOrWriteMemory())
      notToBuffer(Again);
    RemapInstruction(Again, Map,
                     RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  }
  auto Mapped = [&](Value *V) {
    Value *X = Map.lookup(V);
    return X ? X : V;
  };
  FastMathFlags Flags;
  Flags.setAllowReassoc();
  B.setFastMathFlags(Flags);
  auto Position = [&](const Place &P) {
    return goesDown(P) ? B.CreateSub(B.CreateSub(Now, B.getInt64(1)), Index)
                       : Index;
  };
  auto AddUp = [&](Value *X, ArrayRef<const Addition *> From) {
    for (const Addition *A : From) {
      for (Value *V : A->Plus)
        X = X ? B.CreateFAdd(X, Mapped(V)) : Mapped(V);
      for (Value *V : A->Minus)
        X = X ? B.CreateFSub(X, Mapped(V)) : B.CreateFNeg(Mapped(V));
    }
    return X;
  };
  SmallVector<Value *, 4> SumsNext;
  for (auto [P, Sum] : zip(FixedPlaces, Sums)) {
    SumsNext.push_back(AddUp(Sum, P.Additions));
    Sum->addIncoming(SumsNext.back(), Compute);
  }
  SmallSet<unsigned, 8> Filled;
  for (const Place &P : Places) {
    if (!Filled.insert(P.Buffer).second)
      continue;
    toBuffer(B.CreateStore(
        AddUp(nullptr, P.Additions),
        element(B, BufferTypes[P.Buffer], P.Buffer, Position(P))));
  }
  B.clearFastMathFlags();
  Value *Next = B.CreateAdd(Index, B.getInt64(1), "", true, true);
  Index->addIncoming(Next, Compute);
  for (auto [Phi, Outer] : Carried)
    cast<PHINode>(Map[Phi])->addIncoming(
        Mapped(Phi->getIncomingValueForBlock(Body)), Compute);
  hint(B.CreateCondBr(B.CreateICmpEQ(Next, Now), Added, Compute),
       Groups.front().Ty);
  for (Instruction &I : make_early_inc_range(reverse(*Compute)))
    if (isInstructionTriviallyDead(&I)) // addresses
      I.eraseFromParent();

  // The additions.
  B.SetInsertPoint(Added);
  for (auto [P, Sum] : zip(FixedPlaces, SumsNext)) {
    const Addition &A = *P.Additions.front();
    LoadInst *Old =
        B.CreateAlignedLoad(Sum->getType(), P.At, A.Load->getAlign());
    B.CreateAlignedStore(B.CreateFAdd(Old, Sum), P.At, A.Store->getAlign());
  }
  // Wide groups read across what the buffers were filled with, which they can
  // only when it has left the processor: last of all.
  SmallVector<const Group *, 8> InOrder(make_pointer_range(Groups));
  stable_sort(InOrder, [](const Group *A, const Group *B) {
    return A->last() - A->first() < B->last() - B->first();
  });
  for (const Group *G : InOrder)
    addGroup(B, *G);
  BasicBlock *End = B.GetInsertBlock();
  Value *Further = B.CreateAdd(Done, Now, "", true, true);
  Begun->addIncoming(Further, End);
  for (auto [Phi, Outer] : Carried)
    Outer->addIncoming(Mapped(Phi->getIncomingValueForBlock(Body)), End);
  B.CreateCondBr(B.CreateICmpEQ(Further, Trips), After, Head);
  for (PHINode &Phi : After->phis())
    Phi.addIncoming(Mapped(Phi.getIncomingValueForBlock(Body)), End);
  return Compute;
}
