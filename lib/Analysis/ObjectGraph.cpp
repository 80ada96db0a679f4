//===- ObjectGraph.cpp - abstract memory objects and pointers -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the graph and runs pointers to their fixpoint: objects and cells
// merge, positions flow along edges. What is known of the bytes is in
// ObjectEvidence.cpp.
//
//===----------------------------------------------------------------------===//

#include "Analysis/ObjectGraph.h"
#include <algorithm>
#include <tuple>
#include <utility>

using namespace llvm;
using namespace retrograd;

// A bound that keeps moving belongs to a loop; after this many moves it is
// taken as infinite.
static constexpr unsigned GrowthLimit = 3;
// Chains of copies are as many rounds long as they run against the order of
// the program; more than this is a cycle.
static constexpr unsigned MostRounds = 24;
// How far from its start a copy of unknown length carries single cells; stops
// cycles of overlapping copies.
static constexpr int64_t OpenEndedReach = 4096;

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

unsigned ObjectGraph::newObject() {
  Objects.emplace_back();
  Objects.back().Parent = Objects.size() - 1;
  if (Notes)
    Notes->Births.push_back({CurrentSource, Position()});
  return Objects.size() - 1;
}

ObjectGraph::Var ObjectGraph::newVar() {
  Vars.emplace_back();
  Vars.back().Parent = Vars.size() - 1;
  return Vars.size() - 1;
}

ObjectGraph::Var ObjectGraph::newPointer() {
  Var V = newVar();
  Vars[V].Pos = Position::at(newObject(), 0);
  return V;
}

void ObjectGraph::addEdge(Var From, Var To, Step S) {
  if (From == NoVar || To == NoVar)
    return;
  From = find(From);
  To = find(To);
  bool Plain = !S.Const && !S.Stride;
  if (Plain && (From == To || !PlainEdges.insert({From, To}).second))
    return;
  Vars[From].Out.push_back({To, CurrentSource, S});
  enqueue(From);
}

void ObjectGraph::addDisplacement(Var From, Var To, Step S,
                                  ArrayRef<PointerDifference> Differences) {
  if (From == NoVar || To == NoVar)
    return;
  unsigned Id = Displacements.size();
  Displacements.push_back({From, To, CurrentSource, S, {}});
  auto Watch = [&](Var V) {
    Vars[find(V)].Displacements.push_back(Id);
    enqueue(find(V));
  };
  Watch(From);
  for (const PointerDifference &D : Differences) {
    if (D.A == NoVar || D.B == NoVar)
      continue; // a distance from null: the program is not running this
    Displacements[Id].Differences.push_back(D);
    Watch(D.A);
    Watch(D.B);
  }
}

void ObjectGraph::addLoad(Var Addr, int64_t Off, Var Val) {
  if (Addr == NoVar)
    return;
  Derefs.push_back({Addr, CurrentSource, Off, Val, false});
  Vars[find(Addr)].Derefs.push_back(Derefs.size() - 1);
  enqueue(find(Addr));
}

void ObjectGraph::addStore(Var Addr, int64_t Off, Var Val) {
  if (Addr == NoVar)
    return;
  Derefs.push_back({Addr, CurrentSource, Off, Val, true});
  Vars[find(Addr)].Derefs.push_back(Derefs.size() - 1);
  enqueue(find(Addr));
}

void ObjectGraph::addLink(Var Dst, int64_t DstOff, Var Src, int64_t SrcOff,
                          int64_t Size, bool WithPointers) {
  if (Dst == NoVar || Src == NoVar || Size == 0)
    return;
  Links.push_back(
      {Dst, DstOff, Src, SrcOff, Size, CurrentOrigin, CurrentSource});
  Links.back().WithPointers = WithPointers;
}

void ObjectGraph::addElementLink(Var Dst, Var Src, int64_t Size) {
  if (Dst == NoVar || Src == NoVar || Size == 0)
    return;
  Links.push_back({Dst, 0, Src, 0, Unbounded, CurrentOrigin, CurrentSource});
  Links.back().Element = Size;
}

void ObjectGraph::unify(Var A, Var B) {
  if (A == NoVar || B == NoVar)
    return;
  PendingMerges.push_back({A, B, {GraphEvent::Value, CurrentSource}});
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

ObjectGraph::Var ObjectGraph::find(Var V) const {
  while (Vars[V].Parent != V) {
    Vars[V].Parent = Vars[Vars[V].Parent].Parent;
    V = Vars[V].Parent;
  }
  return V;
}

std::pair<unsigned, int64_t> ObjectGraph::findObject(unsigned O) const {
  unsigned Root = O;
  int64_t Delta = 0;
  while (Objects[Root].Parent != Root) {
    Delta += Objects[Root].Delta;
    Root = Objects[Root].Parent;
  }
  // Compress: every member on the way points to the root directly.
  int64_t Rest = Delta;
  while (Objects[O].Parent != O && Objects[O].Parent != Root) {
    unsigned Next = Objects[O].Parent;
    int64_t Step = Objects[O].Delta;
    Objects[O].Parent = Root;
    Objects[O].Delta = Rest;
    Rest -= Step;
    O = Next;
  }
  return {Root, Delta};
}

unsigned ObjectGraph::representative(unsigned Obj) const {
  return findObject(Obj).first;
}

Position ObjectGraph::normalise(Position P) const {
  if (!P.valid())
    return P;
  auto [Root, Delta] = findObject(P.Obj);
  Position Q = P.shifted(Delta);
  Q.Obj = Root;
  Q.canonicalise();
  return Q;
}

Position ObjectGraph::positionOf(Var V) const {
  if (V == NoVar)
    return Position();
  return normalise(Vars[find(V)].Pos);
}

void ObjectGraph::enqueue(Var V) {
  if (Vars[V].Queued)
    return;
  Vars[V].Queued = true;
  Worklist.push_back(V);
}

/// All that depends on V has to look again.
void ObjectGraph::tellAll(Var V) {
  VarNode &N = Vars[V];
  N.EdgesTold = N.DerefsTold = N.DisplacementsTold = 0;
}

/// V points to more places, or to more than one from the beginning.
void ObjectGraph::noteWider(Var V, const Position &Before,
                            const Position &After) {
  if (!Notes ||
      (Before.valid() && Before.Stride == After.Stride &&
       (Before.Lo <= Position::NegInf) == (After.Lo <= Position::NegInf)))
    return;
  Notes->Events.push_back({Now.Why, Now.By, Now.After, Before, After, V});
}

/// V may also point to P; Stepped: which the statement itself computes.
void ObjectGraph::join(Var V, Position P, bool Stepped) {
  V = find(V);
  if (!P.valid())
    return;
  VarNode &N = Vars[V];
  if (!N.Pos.valid()) {
    N.Pos = normalise(P);
    tellAll(V);
    if (Stepped && !N.Pos.exact())
      noteWider(V, Position(), N.Pos);
    enqueue(V);
    return;
  }
  Position A = normalise(N.Pos);
  Position B = normalise(P);
  if (A.Obj != B.Obj) {
    unifyObjects(A.Obj, A.Off, B.Obj, B.Off);
    A = normalise(A);
    B = normalise(B);
  }
  Position R = A;
  R.Stride = commonStride(commonStride(A.Stride, B.Stride), A.Off - B.Off);
  R.Lo = std::min(A.Lo, B.Lo);
  R.Hi = std::max(A.Hi, B.Hi);
  if (R.Stride) {
    R.Off = std::min(A.Off, B.Off);
    if ((R.Lo < A.Lo || R.Off < A.Off) && ++N.LoGrowth > GrowthLimit) {
      R.Lo = Position::NegInf;
      R.Off = A.Off;
    }
    if (R.Hi > A.Hi && ++N.HiGrowth > GrowthLimit)
      R.Hi = Position::PosInf;
  }
  R.canonicalise();
  if (R == A)
    return;
  noteWider(V, A, R);
  N.Pos = R;
  tellAll(V);
  enqueue(V);
}

void ObjectGraph::unifyObjects(unsigned A, int64_t OffA, unsigned B,
                               int64_t OffB) {
  auto [RA, DA] = findObject(A);
  auto [RB, DB] = findObject(B);
  if (RA == RB)
    return;
  OffA += DA;
  OffB += DB;
  auto Weight = [&](unsigned O) {
    return Objects[O].ExactCells.size() + Objects[O].StridedCells.size();
  };
  unsigned Winner = RA, Loser = RB;
  int64_t Delta = OffA - OffB; // Loser's byte 0 in Winner
  if (Weight(RB) > Weight(RA) || (Weight(RB) == Weight(RA) && RB < RA)) {
    std::swap(Winner, Loser);
    Delta = -Delta;
  }
  ++MergedObjects;
  const Reason Outer = Now;
  if (Notes) {
    Notes->Events.push_back({Now.Why, Now.By, Now.After, Position::at(RA, OffA),
                             Position::at(RB, OffB)});
    Now.Why = GraphEvent::Owners;
    Now.After = Notes->Events.size() - 1;
  }
  Objects[Loser].Parent = Winner;
  Objects[Loser].Delta = Delta;
  Objects[Winner].CellVersion = ++Stamp;
  auto Exact = std::move(Objects[Loser].ExactCells);
  auto Strided = std::move(Objects[Loser].StridedCells);
  Objects[Loser].ExactCells.clear();
  Objects[Loser].StridedCells.clear();
  for (auto &[Off, V] : Exact)
    cellAt(Position::at(Winner, Off + Delta), V);
  for (CellView &C : Strided) {
    Position P = C.Where.shifted(Delta);
    P.Obj = Winner;
    P.canonicalise();
    cellAt(P, C.Pointee);
  }
  Now = Outer;
}

/// May the two sets of places (of one object) have an element in common?
static bool mayOverlap(const Position &A, const Position &B) {
  int64_t G = commonStride(A.Stride, B.Stride);
  if (G == 0)
    return A.Off == B.Off;
  return (A.Off - B.Off) % G == 0 &&
         std::max(A.Lo, B.Lo) < std::min(A.Hi, B.Hi);
}

static Position unite(const Position &A, const Position &B) {
  Position R = A;
  R.Stride = commonStride(commonStride(A.Stride, B.Stride), A.Off - B.Off);
  R.Lo = std::min(A.Lo, B.Lo);
  R.Hi = std::max(A.Hi, B.Hi);
  R.Off = std::min(A.Off, B.Off);
  R.canonicalise();
  return R;
}

ObjectGraph::Var ObjectGraph::cellAt(Position P, Var Existing) {
  ObjectNode &O = Objects[P.Obj];
  Var Found = Existing;
  auto Merge = [&](Var V) {
    if (Found == NoVar)
      Found = V;
    else if (find(Found) != find(V))
      PendingMerges.push_back({Found, V, Now});
  };
  // The union of overlapping cells may overlap further ones: repeat.
  bool Covered = false;
  for (bool Again = true; Again && !Covered;) {
    Again = false;
    for (unsigned I = 0; I < O.StridedCells.size();) {
      CellView C = O.StridedCells[I];
      if (!mayOverlap(C.Where, P)) {
        ++I;
        continue;
      }
      Merge(C.Pointee);
      Position U = unite(C.Where, P);
      if (U == C.Where) { // P is inside C; nothing else can overlap it
        Covered = true;
        break;
      }
      P = U;
      O.StridedCells.erase(O.StridedCells.begin() + I);
      Again = true;
    }
    if (Covered)
      break;
    if (P.exact()) {
      auto It = O.ExactCells.find(P.Off);
      if (It != O.ExactCells.end()) {
        Merge(It->second);
        Covered = true;
      }
      continue;
    }
    auto It = O.ExactCells.lower_bound(P.Lo);
    while (It != O.ExactCells.end() && It->first < P.Hi) {
      if ((It->first - P.Off) % P.Stride == 0) {
        Merge(It->second);
        It = O.ExactCells.erase(It);
      } else {
        ++It;
      }
    }
  }
  if (Covered)
    return Found;
  O.CellVersion = ++Stamp;
  if (Found == NoVar) {
    Found = newPointer();
    if (Notes)
      Notes->Births.back().LedToBy = P;
  }
  // newPointer may have moved the objects: O is stale from here on.
  ObjectNode &Node = Objects[P.Obj];
  if (P.exact())
    Node.ExactCells[P.Off] = Found;
  else
    Node.StridedCells.push_back({P, Found});
  return Found;
}

void ObjectGraph::mergeVars(Var A, Var B) {
  A = find(A);
  B = find(B);
  if (A == B)
    return;
  if (Vars[A].Out.size() + Vars[A].Derefs.size() <
      Vars[B].Out.size() + Vars[B].Derefs.size())
    std::swap(A, B);
  Vars[B].Parent = A;
  auto &NA = Vars[A];
  auto &NB = Vars[B];
  NA.Out.append(NB.Out.begin(), NB.Out.end());
  NA.Derefs.append(NB.Derefs.begin(), NB.Derefs.end());
  NA.Displacements.append(NB.Displacements.begin(), NB.Displacements.end());
  NB.Out.clear();
  NB.Derefs.clear();
  NB.Displacements.clear();
  NA.LoGrowth = std::max(NA.LoGrowth, NB.LoGrowth);
  NA.HiGrowth = std::max(NA.HiGrowth, NB.HiGrowth);
  Position PB = NB.Pos;
  join(A, PB);
  enqueue(A);
}

void ObjectGraph::evaluate(const Deref &D) {
  Position P = positionOf(D.Addr);
  if (!P.valid())
    return;
  Now = {GraphEvent::Access, D.Source};
  CurrentSource = D.Source;
  P = P.shifted(D.Off);
  P.canonicalise();
  Var C = cellAt(P);
  if (D.Val == NoVar)
    return;
  if (D.IsStore)
    addEdge(D.Val, C);
  else
    addEdge(C, D.Val);
}

void ObjectGraph::displace(const Displacement &D) {
  Position P = positionOf(D.From);
  if (!P.valid())
    return;
  Step S = D.S;
  for (const PointerDifference &Diff : D.Differences) {
    Position A = positionOf(Diff.A), B = positionOf(Diff.B);
    // Not known yet, or null: a vector that is still empty has no length, and
    // its end may be known only by way of this displacement.
    if (!A.valid() || !B.valid())
      continue;
    if (A.Obj != B.Obj) {
      // Usually not unified yet; see solvePointers for what remains.
      if (D.Unrelated) {
        S.Stride = 1;
        S.Below = S.Above = Position::PosInf;
      }
      continue;
    }
    S.Const += (A.Off - B.Off) * Diff.Scale;
    int64_t Stride = commonStride(A.Stride, B.Stride) * std::abs(Diff.Scale);
    if (!Stride)
      continue;
    S.Stride = commonStride(S.Stride, Stride);
    S.Above = Position::PosInf;
    // A starts at its least element: the distance from an exact B does, too.
    if (!B.exact() || A.Lo <= Position::NegInf || Diff.Scale < 0)
      S.Below = Position::PosInf;
  }
  Now = {GraphEvent::Distance, D.Source};
  join(D.To, S.apply(P), /*Stepped=*/true);
}

void ObjectGraph::drain() {
  while (true) {
    if (!PendingMerges.empty()) {
      auto [A, B, For] = PendingMerges.back();
      PendingMerges.pop_back();
      Now = For;
      mergeVars(A, B);
      continue;
    }
    if (Worklist.empty())
      return;
    Var V = Worklist.back();
    Worklist.pop_back();
    Vars[V].Queued = false;
    if (find(V) != V)
      continue;
    Position P = positionOf(V);
    if (!P.valid())
      continue;
    // Evaluation may add edges to V itself, or move it; both enqueue V again.
    VarNode &N = Vars[V];
    const unsigned EdgesEnd = N.Out.size(), DerefsEnd = N.Derefs.size(),
                   DisplacementsEnd = N.Displacements.size();
    unsigned Next = std::exchange(N.EdgesTold, EdgesEnd),
             NextDeref = std::exchange(N.DerefsTold, DerefsEnd),
             NextDisplacement =
                 std::exchange(N.DisplacementsTold, DisplacementsEnd);
    for (; Next != EdgesEnd; ++Next) {
      Edge Ed = Vars[V].Out[Next];
      Now = {GraphEvent::Flow, Ed.Source};
      if (find(Ed.To) != V || Ed.S.Const || Ed.S.Stride)
        join(Ed.To, Ed.S.apply(P), Ed.S.Stride != 0);
    }
    for (; NextDeref != DerefsEnd; ++NextDeref)
      evaluate(Derefs[Vars[V].Derefs[NextDeref]]);
    for (; NextDisplacement != DisplacementsEnd; ++NextDisplacement)
      displace(Displacements[Vars[V].Displacements[NextDisplacement]]);
  }
}

/// Window offsets in [0, Size) at which the places C lie, seen from P.
static void windowOffsets(const Position &P, const Position &C, int64_t Size,
                          SmallVectorImpl<int64_t> &Out) {
  int64_t G = commonStride(P.Stride, C.Stride);
  int64_t D = C.Off - P.Off;
  if (G == 0) {
    if (D >= 0 && (Size == ObjectGraph::Unbounded || D < Size))
      Out.push_back(D);
    return;
  }
  if (Size == ObjectGraph::Unbounded)
    Size = G;
  // An exact pointer sees a strided set only within its bounds.
  for (int64_t W = floorMod(D, G); W < Size; W += G)
    if (!P.exact() || (P.Off + W >= C.Lo && P.Off + W < C.Hi))
      Out.push_back(W);
}

bool ObjectGraph::carryCells(Link &L) {
  if (!L.WithPointers)
    return false;
  Position D = positionOf(L.Dst), S = positionOf(L.Src);
  if (!D.valid() || !S.valid())
    return false;
  if (L.Element && (D.Stride != L.Element || S.Stride != L.Element))
    return false;
  unsigned VD = Objects[D.Obj].CellVersion, VS = Objects[S.Obj].CellVersion;
  if (L.SeenDst == VD && L.SeenSrc == VS)
    return false;
  L.SeenDst = VD;
  L.SeenSrc = VS;
  Now = {GraphEvent::Copy, L.Source};
  CurrentSource = L.Source;
  D = D.shifted(L.DstOff);
  S = S.shifted(L.SrcOff);
  if (L.Size == Unbounded) {
    // Where from the start of the copy on do the ends hold pointers? The start
    // is any of an end's places: seen from there, a cell repeats with their
    // stride.
    SmallVector<Position, 8> Wanted;
    auto Collect = [&](const Position &P) {
      for (CellView &C : cellsOf(P.Obj)) {
        Position W = C.Where;
        if (W.exact() && P.exact()) {
          if (W.Off < P.Off || W.Off - P.Off > OpenEndedReach)
            continue;
        } else {
          W.Stride = commonStride(W.Stride, P.Stride);
          if (C.Where.exact())
            W.Lo = P.Lo;
          // From here to wherever the copy ends: bounds that moved with every
          // copy would never settle.
          W.Lo = std::max(W.Lo, P.Off);
          W.Hi = Position::PosInf;
        }
        W.canonicalise();
        Wanted.push_back(W.shifted(-P.Off));
      }
    };
    Collect(D);
    Collect(S);
    bool Same = D.Obj == S.Obj;
    if (Same && D.exact() && D == S)
      return true;
    // Moved within one object: every shift of a cell is a cell.
    int64_t Shift =
        Same ? commonStride(commonStride(D.Stride, S.Stride), D.Off - S.Off)
             : 0;
    auto CellIn = [&](const Position &P, Position W) {
      W.Stride = commonStride(commonStride(W.Stride, P.Stride), Shift);
      if (W.Stride)
        W.Hi = Position::PosInf;
      W = W.shifted(P.Off);
      if (P.Lo <= Position::NegInf)
        W.Lo = Position::NegInf;
      W.Obj = P.Obj;
      W.canonicalise();
      return cellAt(W);
    };
    for (Position W : Wanted) {
      Var CS = CellIn(S, W);
      Var CD = CellIn(D, W);
      addEdge(CS, CD);
    }
    return true;
  }
  SmallVector<int64_t, 8> Offsets;
  for (CellView &C : cellsOf(D.Obj))
    windowOffsets(D, C.Where, L.Size - PointerSize + 1, Offsets);
  for (CellView &C : cellsOf(S.Obj))
    windowOffsets(S, C.Where, L.Size - PointerSize + 1, Offsets);
  llvm::sort(Offsets);
  Offsets.erase(std::unique(Offsets.begin(), Offsets.end()), Offsets.end());
  for (int64_t W : Offsets) {
    Position WS = normalise(S.shifted(W)), WD = normalise(D.shifted(W));
    Var CS = cellAt(WS);
    Var CD = cellAt(WD);
    addEdge(CS, CD);
  }
  return !Offsets.empty();
}

bool ObjectGraph::ground(Var V) {
  V = find(V);
  if (Vars[V].Pos.valid())
    return false;
  Vars[V].Pos = Position::at(newObject(), 0);
  enqueue(V);
  return true;
}

void ObjectGraph::solvePointers() {
  unsigned Rounds = 0, MergedWhenDisplaced = 0;
  for (bool Changed = true; Changed;) {
    drain();
    Changed = false;
    // Pointers whose distance was not defined may have come to lie in one
    // object without having moved themselves.
    if (MergedWhenDisplaced != MergedObjects) {
      MergedWhenDisplaced = MergedObjects;
      for (unsigned I = 0; I != Displacements.size(); ++I)
        displace(Displacements[I]);
      Changed = true;
      continue;
    }
    ++Rounds;
    for (unsigned I = 0; I != Links.size(); ++I) {
      if (!carryCells(Links[I]))
        continue;
      Changed = true;
      // Copies that keep on handing cells around move them within one object
      // in effect; saying so ends it.
      if (Rounds > MostRounds) {
        Position D = positionOf(Links[I].Dst).shifted(Links[I].DstOff);
        Position S = positionOf(Links[I].Src).shifted(Links[I].SrcOff);
        Now = {GraphEvent::Copy, Links[I].Source};
        unifyObjects(D.Obj, D.Off, S.Obj, S.Off);
      }
      drain();
    }
    if (Changed)
      continue;
    // The distance of pointers that have nothing to do with each other can be
    // anything.
    for (Displacement &D : Displacements) {
      if (D.Unrelated)
        continue;
      for (const PointerDifference &Diff : D.Differences) {
        Position A = positionOf(Diff.A), B = positionOf(Diff.B);
        D.Unrelated |= A.valid() && B.valid() && A.Obj != B.Obj;
      }
      if (D.Unrelated) {
        tellAll(find(D.From));
        enqueue(find(D.From));
        Changed = true;
        break; // it may relate the others
      }
    }
  }
  for (Link &L : Links)
    L.SeenDst = L.SeenSrc = 0;
}

SmallVector<ObjectGraph::CellView, 4> ObjectGraph::cellsOf(unsigned Rep) const {
  SmallVector<CellView, 4> Result;
  const ObjectNode &O = Objects[Rep];
  for (auto &[Off, V] : O.ExactCells)
    Result.push_back({Position::at(Rep, Off), V});
  Result.append(O.StridedCells.begin(), O.StridedCells.end());
  llvm::stable_sort(Result, [](const CellView &A, const CellView &B) {
    return std::tie(A.Where.Off, A.Where.Stride) <
           std::tie(B.Where.Off, B.Where.Stride);
  });
  return Result;
}
