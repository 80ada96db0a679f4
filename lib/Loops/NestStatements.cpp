//===- NestStatements.cpp - what a nest computes, and for what ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A statement is a store, or the change of a cell, with the instructions that
// have to run for it. A number that is expensive, or that was loaded from
// memory which has changed since, is kept in a cell instead of being computed
// again; then the statements are made once more.
//
//===----------------------------------------------------------------------===//

#include "Loops/Raiser.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

static constexpr unsigned MostStatements = 24, MostSlice = 64;

/// Places of instructions of one block come before those of the next.
static constexpr int64_t Block = 1 << 14;
/// The last places of a block: cells that its terminator sets.
static constexpr int64_t AtEnd = 40;

int64_t Raiser::indexOf(const Instruction *I) const {
  int64_t K = 1;
  for (const Instruction &J : *I->getParent()) {
    if (&J == I)
      break;
    ++K;
  }
  return std::min(K, Block - AtEnd - 1);
}

/// S runs in B, at place Within.
void Raiser::place(Statement &S, const BasicBlock *B, int64_t Within) {
  S.Loops = N.Outer.contains(B) ? loopsAround(B) : SmallVector<Loop *, 4>();
  S.Places.clear();
  for (Loop *L : S.Loops)
    S.Places.push_back(L == &N.Outer ? 0 : Rank[L->getHeader()] * Block);
  S.Places.push_back(N.Outer.contains(B) ? Rank[B] * Block + Within : -1);
  S.Domain =
      N.Outer.contains(B) ? Domains.lookup(B) : universe(C, S.Loops.size());
}

/// Behind all else of the iteration that I is in, but for cells.
int64_t Raiser::latePlace(const Instruction *I) {
  return Rank[N.LI.getLoopFor(I->getParent())->getLoopLatch()] * Block + Block -
         AtEnd;
}

void Raiser::placeAtEnd(Statement &S, const BasicBlock *B) {
  place(S, B, Block - 1);
}

/// Numbers that loops carry.
bool Raiser::findCells() {
  for (BasicBlock *B : Order) {
    Loop *L = N.LI.getLoopFor(B);
    for (PHINode &Phi : B->phis()) {
      if (B != L->getHeader())
        continue;
      if (SE.isSCEVable(Phi.getType())) {
        if (affine(SE.getSCEV(&Phi), loopsAround(B)) ||
            Phi.getType()->isPointerTy())
          continue; // pointers: their accesses tell
        return fail("an integer that is not affine", &Phi);
      }
      if (!Phi.getType()->isFloatingPointTy())
        return fail("a loop carries something unusual", &Phi);
      if (MemoryOf.count(&Phi))
        continue;
      CellOf[&Phi] = N.Cells.size();
      Cell New{&Phi, loopsAround(B), true};
      New.Loops.pop_back();
      N.Cells.push_back(New);
    }
  }
  findMerges();
  for (Value *V : Kept) {
    CellOf[V] = N.Cells.size();
    N.Cells.push_back(
        {V, loopsAround(cast<Instruction>(V)->getParent()), false});
  }
  for (Cell &Each : N.Cells) {
    Each.Array = N.Arrays.size();
    N.Arrays.push_back({});
  }
  return true;
}

static bool takesLong(const Instruction *I) {
  switch (I->getOpcode()) {
  case Instruction::FDiv:
  case Instruction::FRem:
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem:
    return true;
  case Instruction::Call: {
    const auto *II = dyn_cast<IntrinsicInst>(I);
    return !II || (II->getIntrinsicID() != Intrinsic::fmuladd &&
                   II->getIntrinsicID() != Intrinsic::fma &&
                   II->getIntrinsicID() != Intrinsic::fabs &&
                   II->getIntrinsicID() != Intrinsic::minnum &&
                   II->getIntrinsicID() != Intrinsic::maxnum);
  }
  default:
    return false;
  }
}

bool Raiser::keep(Value *V) {
  if (!is_contained(Kept, V))
    Kept.push_back(V);
  return true;
}

bool Raiser::readCell(int Index, Value *V, Statement &S) {
  if (S.FromCells.count(V))
    return true;
  Access A;
  A.CellIndex = Index;
  A.Array = N.Cells[Index].Array;
  A.Where = elementsOf(N.Cells[Index], S);
  if (!A.Where)
    return fail("a number is used out of its loop", V);
  S.FromCells[V] = Index;
  S.Reads.push_back(A);
  return true;
}

/// What has to be there when S computes V.
bool Raiser::collect(Value *V, Statement &S, unsigned Depth) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !N.Outer.contains(I) || S.FromCells.count(V) ||
      S.FromMemory.count(V) || isSliced(V, S))
    return true;
  if (Depth > MostSlice || S.Slice.size() > MostSlice)
    return fail("too much is computed for one store", I);
  auto Known = CellOf.find(V);
  // A kept number is computed where its cell is set.
  if (Known != CellOf.end() &&
      !(S.K == Statement::SetCell && S.CellIndex == Known->second &&
        !N.Cells[Known->second].Carried))
    return readCell(Known->second, V, S);
  if (SE.isSCEVable(V->getType()) && V->getType()->isIntegerTy() &&
      affine(SE.getSCEV(V), S.Loops))
    return true;
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    if (PHINode *Carried = inMemory(Phi))
      return readMemory(Carried, V, S);
    if (PHINode *Carried = MergeOf.lookup(Phi))
      return readCell(CellOf[Carried], V, S);
    if (Phi->getNumIncomingValues() != 1)
      return fail("a number that depends on the way that was taken", I);
    Value *X = Phi->getIncomingValue(0);
    auto *From = dyn_cast<Instruction>(X);
    if (!From || !N.Outer.contains(From) ||
        N.LI.getLoopFor(From->getParent())->contains(Phi))
      return collect(X, S, Depth + 1); // and see Generator::resolve
    Loop *L = N.LI.getLoopFor(From->getParent());
    for (PHINode &Carried : L->getHeader()->phis())
      if (CellOf.count(&Carried) &&
          Carried.getIncomingValueForBlock(L->getLoopLatch()) == X)
        return readCell(CellOf[&Carried], V, S);
    return fail("a number of a loop's last iteration", I);
  }
  Loop *Home = N.LI.getLoopFor(I->getParent());
  if (!is_contained(S.Loops, Home))
    return fail("a number is used out of its loop", I);
  bool Outside = Home != S.Loops.back();
  if (takesLong(I) && Outside)
    return keep(V); // and the statements are made again
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    if (!addRead(Load, S))
      return false;
    S.Slice.push_back(I);
    return true;
  }
  if (mayOnlySetErrno(I))
    S.SetsErrno = true;
  else if (I->mayHaveSideEffects())
    return fail("a value of an unusual kind", I);
  if (I->isTerminator() || I->mayReadFromMemory() ||
      I->getType()->isTokenTy() || I->getType()->isPointerTy())
    return fail("a value of an unusual kind", I);
  for (Value *Op : I->operands())
    if (!collect(Op, S, Depth + 1))
      return false;
  S.Slice.push_back(I);
  return true;
}

/// Is V the read number Start plus something, by additions that may be done in
/// any order?
static bool isSumFrom(Value *V, Value *Start, const Statement &S) {
  for (unsigned Depth = 0; Depth != 8; ++Depth) {
    if (V == Start)
      return Depth != 0;
    auto *B = dyn_cast<BinaryOperator>(V);
    if (!B || !B->hasAllowReassoc() || !is_contained(S.Slice, B))
      return false;
    auto Reaches = [&](Value *X) {
      SmallVector<Value *, 8> Todo{X};
      for (unsigned K = 0; K != Todo.size() && K < 64; ++K) {
        if (Todo[K] == Start)
          return true;
        if (auto *I = dyn_cast<Instruction>(Todo[K]);
            I && is_contained(S.Slice, I) && !isa<LoadInst>(I))
          append_range(Todo, I->operands());
      }
      return Todo.size() >= 64;
    };
    Value *X = B->getOperand(0), *Y = B->getOperand(1);
    if (B->getOpcode() == Instruction::FAdd) {
      bool InX = Reaches(X), InY = Reaches(Y);
      if (InX == InY)
        return false;
      V = InX ? X : Y;
    } else if (B->getOpcode() == Instruction::FSub) {
      if (Reaches(Y))
        return false;
      V = X;
    } else {
      return false;
    }
  }
  return false;
}

void Raiser::findSum(Statement &S) {
  for (unsigned K = 0; K != S.Reads.size(); ++K) {
    const Access &R = S.Reads[K];
    if (R.Array != S.Write.Array)
      continue;
    Value *Start = R.I;
    for (auto &[V, Store] : S.FromMemory)
      if (Store == R.I)
        Start = V;
    if (!Start)
      for (auto &[V, Index] : S.FromCells)
        if (Index == R.CellIndex)
          Start = V;
    if (isl_map_is_equal(R.Where.get(), S.Write.Where.get()) != isl_bool_true ||
        !isSumFrom(S.V, Start, S))
      continue;
    // The same element is not read for something else.
    unsigned Same = count_if(S.Reads, [&](const Access &A) {
      return A.Array == R.Array &&
             isl_map_is_equal(A.Where.get(), R.Where.get()) != isl_bool_false;
    });
    if (Same == 1)
      S.Sum = K;
    return;
  }
}

Map Raiser::time(const Statement &S, ArrayRef<int64_t> Places, unsigned Depth) {
  const unsigned Dims = S.Loops.size();
  std::vector<PwAff> Parts;
  for (unsigned K = 0; K != MostDepth + 1; ++K) {
    Parts.push_back(constant(K < Places.size() ? Places[K] : 0, Dims));
    Parts.push_back(K < Depth ? counter(K, Dims) : constant(0, Dims));
  }
  Map M = mapTo(C, std::move(Parts), Dims, 0);
  return Map(isl_map_reset_tuple_id(M.take(), isl_dim_out));
}

/// W is in the loops around B, and in no other.
bool Raiser::runsWhere(const Statement &W, const BasicBlock *B) {
  return W.Loops == loopsAround(B);
}

/// A load that S repeats must find what it found at its own place.
bool Raiser::findMoved(Statement &S, bool &NeedsMore) {
  for (Access &R : S.Reads) {
    if (!R.I)
      continue;
    Value *Read = R.I;
    for (auto &[V, Store] : S.FromMemory)
      if (Store == R.I)
        Read = V;
    PHINode *Carried = Read == R.I ? nullptr : inMemory(Read);
    Statement Own;
    if (Carried)
      placeInMemory(Carried, Read, Own);
    else
      place(Own, R.I->getParent(), indexOf(R.I));
    Map Begin = time(S, Own.Places, Own.Loops.size()),
        Run = time(S, S.Places, S.Loops.size());
    // The store behind a loop stores something else than the loop.
    const bool Behind = Carried && MemoryOf.lookup(Carried).Behind;
    for (Statement &W : N.Statements) {
      if (W.Write.Array != R.Array || W.K != Statement::Store ||
          (W.At == R.I && !(Behind && runsWhere(W, R.I->getParent()))))
        continue;
      Map Meets(isl_map_apply_range(R.Where.copy(),
                                    isl_map_reverse(W.Write.Where.copy())));
      Meets = Map(isl_map_intersect_domain(Meets.take(), S.Domain.copy()));
      Meets = Map(isl_map_intersect_range(Meets.take(), W.Domain.copy()));
      Map At = time(W, W.Places, W.Loops.size());
      isl_space *Time = isl_space_range(isl_map_get_space(At.get()));
      auto Before = [&](const Map &X, const Map &Y) {
        return isl_map_apply_range(
            isl_map_apply_range(X.copy(), isl_map_lex_lt(isl_space_copy(Time))),
            isl_map_reverse(Y.copy()));
      };
      Meets = Map(isl_map_intersect(Meets.take(), Before(Begin, At)));
      Meets = Map(
          isl_map_intersect(Meets.take(), isl_map_reverse(Before(At, Run))));
      isl_space_free(Time);
      isl_bool Empty = isl_map_is_empty(Meets.get());
      if (Empty == isl_bool_error)
        return fail("this takes too long");
      if (!Empty) {
        if (Carried) {
          // Behind its loop it may still be kept from where it is there.
          const bool Inside =
              N.LI.isLoopHeader(cast<PHINode>(Read)->getParent());
          if (Inside || (S.K == Statement::SetCell && S.V == Read))
            notInMemory(Carried);
          else
            keep(Read);
          NeedsMore = true;
          break;
        }
        if (waits(W, *R.I)) {
          NeedsMore = Again = true;
          break;
        }
        // A kept load cannot be kept again.
        if (S.K == Statement::SetCell && S.V == R.I)
          return fail("a number changes before it is used", R.I);
        NeedsMore = true;
        keep(R.I);
        break;
      }
    }
  }
  return true;
}

bool Raiser::addStatement(Statement S) {
  if (N.Statements.size() == MostStatements)
    return fail("too many statements");
  if (!collect(S.V, S))
    return false;
  if (S.K == Statement::Store) {
    S.Write.I = S.At;
    S.Write.Array = ArrayOf[S.At];
    S.Write.Where = elements(S.At, S);
    S.Write.Strides = strides(S.At, S);
  } else {
    S.Write.CellIndex = S.CellIndex;
    S.Write.Array = N.Cells[S.CellIndex].Array;
    S.Write.Where = elementsOf(N.Cells[S.CellIndex], S);
  }
  if (!S.Write.Where)
    return fail("an address that is not affine", S.At);
  findSum(S);
  N.Statements.push_back(std::move(S));
  return true;
}

bool Raiser::findStatements() {
  auto SetCell = [&](int Index, Value *V, BasicBlock *B, int64_t Within) {
    Statement S;
    S.K = Statement::SetCell;
    S.CellIndex = Index;
    S.V = V;
    S.At = B->getTerminator();
    place(S, B, Within);
    return addStatement(std::move(S));
  };
  for (int K = 0, E = N.Cells.size(); K != E; ++K) {
    if (!N.Cells[K].Carried)
      continue;
    auto *Phi = cast<PHINode>(N.Cells[K].V);
    Loop *L = N.LI.getLoopFor(Phi->getParent());
    Value *Next = Phi->getIncomingValueForBlock(L->getLoopLatch());
    // All phis of a header change at once; cells do one after the other: what
    // reads others is kept first, and a copy comes before its source changes.
    int64_t Before = 0;
    for (auto *Of = Phi; Of; ++Before) {
      auto *From =
          dyn_cast<PHINode>(Of->getIncomingValueForBlock(L->getLoopLatch()));
      Of = From && From != Of && From->getParent() == L->getHeader() ? From
                                                                     : nullptr;
      if (Before + 2 == AtEnd)
        return fail("numbers that a loop carries change places", Phi);
    }
    BasicBlock *Merged = FirstAt.lookup(Phi);
    if (!SetCell(K, Phi->getIncomingValueForBlock(L->getLoopPreheader()),
                 Merged ? Merged : L->getLoopPreheader(), Block - 1) ||
        !SetCell(K, Next, L->getLoopLatch(), Block - 1 - Before))
      return false;
    if (!isa<PHINode>(Next))
      for (auto &[V, Index] : N.Statements.back().FromCells)
        if (Index != K && N.Cells[Index].Carried &&
            cast<PHINode>(N.Cells[Index].V)->getParent() == Phi->getParent())
          keep(Next);
  }
  for (int K = 0, E = N.Cells.size(); K != E; ++K)
    if (!N.Cells[K].Carried) {
      auto *I = cast<Instruction>(N.Cells[K].V);
      if (!SetCell(K, I, I->getParent(), indexOf(I)))
        return false;
    }
  const SmallVector<std::pair<PHINode *, InMemory>, 4> Sums(MemoryOf.begin(),
                                                            MemoryOf.end());
  for (auto [Carried, Of] : Sums) {
    if (!Of.Behind || !MemoryOf.count(Carried))
      continue;
    if (Of.storesFirst()) {
      Statement S;
      S.At = Of.Next;
      S.V = Carried->getIncomingValueForBlock(
          loopOf(Carried, Of)->getLoopPreheader());
      placeAtEnd(S, Of.From->getParent());
      if (!addStatement(std::move(S)))
        return false;
    }
    BasicBlock *Latch = loopOf(Carried, Of)->getLoopLatch();
    Statement S;
    S.At = Of.Next;
    S.V = Carried->getIncomingValueForBlock(Latch);
    placeAtEnd(S, Latch);
    if (!addStatement(std::move(S)))
      return false;
    // All that the loop carries changes at once.
    auto IsOther = [Carried = Carried](Value *V) {
      auto *Phi = dyn_cast<PHINode>(V);
      return Phi && Phi != Carried && Phi->getParent() == Carried->getParent();
    };
    const Statement &Made = N.Statements.back();
    if (any_of(Made.FromCells, [&](auto &X) { return IsOther(X.first); }) ||
        any_of(Made.FromMemory, [&](auto &X) { return IsOther(X.first); }))
      return notInMemory(Carried);
  }
  for (BasicBlock *B : Order)
    for (Instruction &I : *B)
      if (auto *Store = dyn_cast<StoreInst>(&I)) {
        Statement S;
        S.At = Store;
        S.V = Store->getValueOperand();
        place(S, B, indexOf(&I));
        if (Waiting.contains(Store))
          S.Places.back() = latePlace(Store);
        if (!addStatement(std::move(S)))
          return false;
      }
  // Each call runs whenever it ran.
  for (CallBase *Call : Errno)
    if (none_of(N.Statements, [&](const Statement &S) {
          return is_contained(S.Slice, Call) &&
                 S.At->getParent() == Call->getParent();
        }))
      return fail("a call", Call);
  return true;
}
