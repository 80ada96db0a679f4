//===- TapeLayout.cpp - where kept values live ----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/TapeLayout.h"
#include "Plan/Deferrals.h"
#include "Plan/InertRegions.h"
#include "Plan/Recipes.h"
#include "llvm/IR/DataLayout.h"

using namespace llvm;
using namespace retrograd;

SmallVector<const Loop *, 3> Scope::nest() const {
  SmallVector<const Loop *, 3> Chain;
  for (const Loop *L = Of; L; L = L->getParentLoop()) {
    Chain.push_back(L);
    if (L == Nest)
      break;
  }
  std::reverse(Chain.begin(), Chain.end());
  return Chain;
}

/// How far out the arrays of L can be allocated. All counts on the way have to
/// be exact and the same for every iteration; and L has to run in every
/// iteration, or in none, so that nothing is allocated in vain.
const Loop *TapeLayout::nestOf(const Loop *L) const {
  const Loop *Nest = L;
  if (!Subject.Opts.NestArrays || !Subject.Shape.facts(L).Exact)
    return Nest;
  SmallVector<const Value *, 4> Deciders;
  SmallVector<const Loop *, 4> Inside{L};
  // Of a deferred loop one iteration is kept at a time: its count is not asked.
  auto MayServe = [&](const Loop *P) {
    return Subject.Shape.facts(P).Exact || Deferred.isDeferred(P);
  };
  for (const Loop *P = L->getParentLoop(); P && MayServe(P);
       P = P->getParentLoop()) {
    const BasicBlock *B = Nest->getLoopPreheader();
    while (B != P->getHeader() && !Subject.DT.dominates(B, P->getLoopLatch())) {
      const BasicBlock *D = Subject.DT.getNode(B)->getIDom()->getBlock();
      // A loop with one exit always gets there.
      const Loop *Beside = Subject.Shape.loops().getLoopFor(D);
      while (Beside && Beside != P && Beside->getParentLoop() != P)
        Beside = Beside->getParentLoop();
      if (Beside && Beside != P && Beside->getExitingBlock() &&
          Beside->getLoopPreheader()) {
        B = Beside->getLoopPreheader();
        continue;
      }
      const auto *Br = dyn_cast<BranchInst>(D->getTerminator());
      if (!Br)
        return Nest;
      if (Br->isConditional())
        Deciders.push_back(Br->getCondition());
      B = D;
    }
    if (!all_of(Deciders,
                [&](const Value *V) { return P->isLoopInvariant(V); }) ||
        !all_of(Inside,
                [&](const Loop *I) { return How.countHome(I)->contains(P); }))
      return Nest;
    Nest = P;
    Inside.push_back(P);
  }
  return Nest;
}

const Loop *TapeLayout::scopeOf(Need N) const {
  const BasicBlock *B = nullptr;
  if (const auto *I = dyn_cast<Instruction>(N.Of))
    B = I->getParent();
  else if (const auto *BB = dyn_cast<BasicBlock>(N.Of))
    B = BB;
  if (!B)
    return nullptr;
  const Loop *L = Subject.Shape.loops().getLoopFor(B);
  // What belongs to a whole run of a loop lives around it.
  if (N.K == Need::Last || N.K == Need::Won)
    return L->getParentLoop();
  if (N.K == Need::Snapshot)
    return How.snapshotWith(N.Of).Nest->getParentLoop();
  if (N.K == Need::Final)
    return How.settledBy(N.Of)->Of->getParentLoop();
  if (N.K == Need::Count)
    return How.countHome(L)->getParentLoop();
  if (N.K == Need::Records)
    return (scope(L).Nest ? scope(L).Nest : L)->getParentLoop();
  return L;
}

Type *TapeLayout::typeOf(Need N) const {
  LLVMContext &C = Subject.F.getContext();
  switch (N.K) {
  case Need::Final:
    return N.Of->getType();
  case Need::Primal:
  case Need::Shadow: {
    Type *T = N.Of->getType();
    if (N.K == Need::Shadow && Subject.Request.Width != 1)
      return ArrayType::get(T, Subject.Request.Width); // of every lane
    return T->isIntegerTy(1) ? Type::getInt8Ty(C) : T;
  }
  case Need::Pred:
    return How.predecessorsOf(cast<BasicBlock>(N.Of)).size() > 256
               ? Type::getInt32Ty(C)
               : Type::getInt8Ty(C);
  case Need::Tape:
  case Need::Records:
  case Need::Snapshot:
    return PointerType::get(C, 0);
  case Need::Count:
  case Need::Last:
  case Need::Won:
    return Type::getInt64Ty(C);
  }
  llvm_unreachable("all kinds handled");
}

/// Where some storage within a deferred loop has not one size for the whole
/// run, all of it is an iteration's own.
void TapeLayout::shareStorage() {
  Rewinding.clear();
  auto Within = [&](const Loop *L) -> const Loop * {
    return L && !Deferred.isDeferred(L) &&
                   Deferred.isDeferred(L->getOutermostLoop())
               ? L->getOutermostLoop()
               : nullptr;
  };
  for (auto &[L, S] : Scopes)
    if (const Loop *Outer = Within(L); Outer && !S.Slots.empty() && !S.Reused)
      Rewinding.insert(Outer);
  for (auto &[L, S] : Scopes)
    S.Reused = S.Reused && (S.InFrame || !Rewinding.contains(Within(L)));
}

/// Loops that may end early, but have few iterations at most: what one run of L
/// keeps, the only one at a time, has room in the frame of a kernel, that is,
/// in local memory, where lanes lie side by side.
bool TapeLayout::fitsFrame(const Loop &L, const Scope &S,
                           uint64_t &Room) const {
  const uint64_t Most = Subject.Shape.facts(&L).MostTrips;
  const Loop *Around = L.getParentLoop();
  if (!Subject.Opts.FrameArrays || !Subject.Machine.prefersRecomputation() ||
      Subject.Split || !Most || Deferred.isDeferred(&L) ||
      (Around && !Deferred.isDeferred(Around)))
    return false;
  uint64_t Bytes = 16; // in front of the arrays
  for (const Slot &Sl : S.Slots)
    Bytes = SaturatingAdd<uint64_t>(
        Bytes, SaturatingMultiply<uint64_t>(
                   Most, Subject.F.getDataLayout().getTypeAllocSize(Sl.Ty)));
  if (S.Slots.empty() || Bytes > Room)
    return false;
  Room -= Bytes;
  return true;
}

/// Arrays of numbers are what vectors of iterations read. Threads of a GPU have
/// no such vectors, and many registers go to the arrays' addresses: there an
/// iteration's numbers lie side by side, at one address and constants. Padding
/// shall not cost more than it saves.
void TapeLayout::choosePlaces(Scope &S) const {
  const DataLayout &DL = Subject.F.getDataLayout();
  const bool Linked = S.Of && !S.IsArray && !Deferred.isDeferred(S.Of);
  auto Place = [&](bool Aligned) {
    uint64_t Offset = Linked ? 8 : 0; // link to the record before
    for (Slot &Sl : S.Slots) {
      if (Aligned)
        Offset = alignTo(
            Offset, std::min<uint64_t>(16, DL.getABITypeAlign(Sl.Ty).value()));
      Sl.Offset = Offset;
      Offset += DL.getTypeAllocSize(Sl.Ty).getFixedValue();
    }
    return Offset;
  };
  S.Bytes = Place(!S.IsArray);
  if (!S.IsArray || S.Slots.size() < 2 ||
      !Subject.Machine.prefersRecomputation())
    return;
  const uint64_t Packed = S.Bytes, Record = Place(/*Aligned=*/true);
  const Align Largest =
      std::min(Align(16), DL.getABITypeAlign(S.Slots.front().Ty));
  for (Align A : {Align(16), Largest})
    if (uint64_t Step = alignTo(Record, A); Step <= Packed + Packed / 8) {
      S.InRecords = true;
      S.Bytes = Step;
      return;
    }
  Place(/*Aligned=*/false);
}

Align Scope::alignmentOf(const Slot &S, const DataLayout &DL) const {
  const Align Natural = std::min(Align(16), DL.getABITypeAlign(S.Ty));
  return InRecords ? std::max(Natural,
                              commonAlignment(commonAlignment(Align(16), Bytes),
                                              S.Offset))
                   : Natural;
}

void TapeLayout::layOut(const SetVector<Need> &Keep) {
  uint64_t Room = 2048; // bytes of local memory for arrays
  Scopes.clear();
  SlotIndex.clear();
  const DataLayout &DL = Subject.F.getDataLayout();
  auto ScopeFor = [&](const Loop *L) -> Scope & {
    Scope &S = Scopes[L];
    S.Of = L;
    return S;
  };
  auto Add = [&](Need N) {
    ScopeFor(scopeOf(N)).Slots.push_back({N, typeOf(N)});
  };
  ScopeFor(nullptr);
  for (Need N : Keep)
    Add(N);
  // Inner loops first: a loop with slots puts its own storage into the scope
  // around it, and a loop whose count is not constant its count.
  SmallVector<Loop *, 8> Loops = Subject.Shape.loops().getLoopsInPreorder();
  for (Loop *L : reverse(Loops)) {
    if (!Subject.Shape.isLive(L->getHeader()) || Inert.contains(L->getHeader()))
      continue;
    Scope &S = ScopeFor(L);
    S.IsArray = !Deferred.isDeferred(L) && Subject.Opts.TapeArrays &&
                Subject.Shape.facts(L).BackedgeBound != nullptr;
    S.InFrame = !Subject.Shape.facts(L).BackedgeBound &&
                Subject.Opts.TapeArrays && fitsFrame(*L, S, Room);
    if (S.InFrame) {
      S.IsArray = S.Reused = true;
      S.Nest = L;
    } else if (S.IsArray) {
      S.Nest = nestOf(L);
    }
    if (const Loop *Outer = L->getOutermostLoop();
        S.IsArray && !S.InFrame && Outer != L && Deferred.isDeferred(Outer)) {
      S.Reused = S.Nest == Outer;
      if (S.Reused)
        for (S.Nest = L; S.Nest->getParentLoop() != Outer;)
          S.Nest = S.Nest->getParentLoop();
    }
    if (!How.constantCount(L) && !How.countInputs(L)) // else a need like others
      Add({Need::Count, L->getHeader()});
    if (!Scopes[L].Slots.empty() && !Deferred.isDeferred(L))
      Add({Need::Records, L->getHeader()});
  }
  shareStorage();
  for (auto &[L, S] : Scopes) {
    // Large alignments first: then every array starts aligned whatever N is.
    stable_sort(S.Slots, [&](const Slot &A, const Slot &B) {
      return DL.getABITypeAlign(A.Ty) > DL.getABITypeAlign(B.Ty);
    });
    choosePlaces(S);
    for (auto [I, Sl] : enumerate(S.Slots))
      SlotIndex[Sl.Holds] = {L, (unsigned)I};
  }
}

uint64_t TapeLayout::certainBytes() const {
  uint64_t Sum = 0;
  for (auto &[L, S] : Scopes) {
    if (!L || S.Slots.empty())
      continue;
    const BasicBlock *Last = nullptr;
    for (const BasicBlock &B : Subject.F)
      if (isa<ReturnInst>(B.getTerminator()))
        Last = &B;
    uint64_t Bytes = S.Bytes;
    for (const Loop *K = L; K && Bytes && !Deferred.isDeferred(K);
         K = K->getParentLoop()) {
      const BasicBlock *Next =
          K->getParentLoop() ? K->getParentLoop()->getLoopLatch() : Last;
      std::optional<uint64_t> Count = How.constantCount(K);
      bool Runs = Count && Next && K->getLoopPreheader() &&
                  Subject.DT.dominates(K->getLoopPreheader(), Next);
      Bytes = Runs ? SaturatingMultiply<uint64_t>(Bytes, *Count + 1) : 0;
    }
    Sum = SaturatingAdd(Sum, Bytes);
  }
  return Sum;
}

const Scope &TapeLayout::scope(const Loop *L) const {
  static const Scope Empty;
  auto It = Scopes.find(L);
  return It == Scopes.end() ? Empty : It->second;
}

const Slot *TapeLayout::slot(Need N) const {
  auto It = SlotIndex.find(How.canonical(N));
  return It == SlotIndex.end()
             ? nullptr
             : &scope(It->second.first).Slots[It->second.second];
}

uint64_t TapeLayout::mostBytesWithin(const Loop &L) const {
  uint64_t Sum = 0;
  for (const auto &[K, S] : Scopes) {
    if (!K || K == &L || !L.contains(K) || S.Slots.empty())
      continue;
    uint64_t Bytes = S.Bytes;
    for (const Loop *Of = K; Of != L.getParentLoop(); Of = Of->getParentLoop())
      Bytes = SaturatingMultiply<uint64_t>(
          Bytes, SaturatingAdd<uint64_t>(
                     How.constantCount(Of).value_or(UINT64_MAX), 1));
    Sum = SaturatingAdd(Sum, Bytes);
  }
  return Sum;
}

uint64_t TapeLayout::bytesOfIteration(const Loop &L) const {
  auto It = Scopes.find(&L);
  return It == Scopes.end() || It->second.Slots.empty() ? 0 : It->second.Bytes;
}

bool TapeLayout::keepsWithin(const Loop &L) const {
  return any_of(Scopes, [&](const auto &Entry) {
    return Entry.first && L.contains(Entry.first) &&
           !Entry.second.Slots.empty();
  });
}
