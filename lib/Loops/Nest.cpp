//===- Nest.cpp - from LLVM IR to sets of iterations ----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops and blocks first, then arrays, then statements, in rounds: what has to
// be kept in a cell shows when statements are made. At the end, all sets get
// the name of their statement, and what cannot hold for any parameters is no
// nest.
//
//===----------------------------------------------------------------------===//

#include "Loops/Raiser.h"
#include "llvm/IR/DataLayout.h"

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

/// It would store what is there.
static bool isIdle(const Statement &S) {
  const auto *Store = dyn_cast<StoreInst>(S.At);
  return S.K == Statement::Store && S.Slice.empty() &&
         S.FromMemory.lookup(S.V) == Store;
}

bool Raiser::run() {
  N.Known = N.Asked = Set(isl_set_universe(isl_space_params_alloc(C, 0)));
  if (!checkLoops() || !findDomains() || !findArrays())
    return false;
  findInMemory();
  const size_t NumArrays = N.Arrays.size();
  for (unsigned Round = 0;; ++Round) {
    if (Round == 12)
      return fail("numbers depend on each other in an unusual way");
    N.Statements.clear();
    N.Cells.clear();
    CellOf.clear();
    N.Arrays.resize(NumArrays);
    size_t Before = Kept.size();
    Again = false;
    if (!findCells() || !findStatements())
      return false;
    bool More = Again || Kept.size() != Before;
    if (!More)
      for (Statement &S : N.Statements)
        if (!findMoved(S, More))
          return false;
    if (!More) {
      const auto *Seen = find_if(MemoryOf, [&](auto &Of) {
        return Of.second.Behind && isSeenBetween(Of.second);
      });
      if (Seen != MemoryOf.end())
        More = notInMemory(Seen->first);
    }
    if (!More)
      for (const Statement &S : N.Statements)
        if (Waiting.contains(S.At) && S.K == Statement::Store && isMissed(S)) {
          Waiting.remove(S.At);
          Impatient.insert(S.At);
          More = Again = true;
        }
    if (!More)
      break;
    if (!Again && Kept.size() == Before)
      return fail("numbers depend on each other in an unusual way");
  }
  erase_if(N.Statements, isIdle);
  // What is used behind the nest.
  for (PHINode &Phi : N.Outer.getExitBlock()->phis()) {
    Value *X = Phi.getIncomingValue(0);
    auto *I = dyn_cast<Instruction>(X);
    if (!I || !N.Outer.contains(I))
      continue;
    auto *At = find_if(N.Cells, [&](const Cell &Each) {
                 return Each.Carried && Each.Loops.empty() &&
                        cast<PHINode>(Each.V)->getIncomingValueForBlock(
                            N.Outer.getLoopLatch()) == X;
               }).base();
    if (At == N.Cells.data() + N.Cells.size())
      return fail("a number of the last iteration is used behind", &Phi);
    N.Results.push_back({&Phi, int(At - N.Cells.data())});
  }
  if (N.Statements.empty())
    return fail("nothing is computed in it");
  // Names, and iterations that do not exist are no matter.
  for (unsigned K = 0; K != N.Statements.size(); ++K) {
    Statement &S = N.Statements[K];
    S.Domain = Set(isl_set_set_tuple_id(
        isl_set_intersect_params(S.Domain.take(), N.Asked.copy()),
        named(C, "S", K)));
    auto Name = [&](Access &A) {
      A.Where = Map(
          isl_map_set_tuple_id(A.Where.take(), isl_dim_in, named(C, "S", K)));
      A.Where = Map(isl_map_intersect_domain(A.Where.take(), S.Domain.copy()));
    };
    for (Access &A : S.Reads)
      Name(A);
    Name(S.Write);
    if (!S.Domain || !S.Write.Where)
      return fail("this takes too long");
  }
  N.Asked = Set(isl_set_coalesce(N.Asked.take()));
  if (!N.Asked || isl_set_is_empty(N.Asked.get()) != isl_bool_false)
    return fail("indices that leave their array's dimension");
  return true;
}

/// Bytes from one element of C to the next, by each loop of St.
static SmallVector<int64_t, 4> stridesInMemory(const Nest &N, const Cell &C,
                                               const Statement &St) {
  SmallVector<int64_t, 4> Strides;
  for (Loop *L : St.Loops)
    Strides.push_back(!is_contained(C.Loops, L) ? 0
                      : L == C.Loops.back()     ? N.Arrays[C.Array].ElementBytes
                                                : Access::Far);
  return Strides;
}

/// Cells that are computed once, and read in a loop further in.
static void findOuterNumbers(Nest &N, bool InMemory) {
  for (unsigned K = 0; K != N.Cells.size(); ++K) {
    Cell &C = N.Cells[K];
    auto IsTo = [&](const Access &A) { return A.CellIndex == int(K); };
    if (C.Carried || C.Loops.empty() || !C.V->getType()->isFloatingPointTy() ||
        none_of(N.Statements, [&](const Statement &St) {
          return St.Loops.size() > C.Loops.size() && any_of(St.Reads, IsTo);
        }))
      continue;
    N.HasOuterNumbers = true;
    if (!InMemory)
      continue;
    C.InMemory = true;
    N.Arrays[C.Array].ElementBytes =
        N.Outer.getHeader()->getDataLayout().getTypeAllocSize(C.V->getType());
    for (Statement &St : N.Statements) {
      for (Access &A : St.Reads)
        if (IsTo(A))
          A.Strides = stridesInMemory(N, C, St);
      if (IsTo(St.Write))
        St.Write.Strides = stridesInMemory(N, C, St);
    }
  }
}

std::unique_ptr<Nest> loops::raise(Loop &L, LoopInfo &LI, ScalarEvolution &SE,
                                   AAResults &AA, DominatorTree &DT,
                                   RaiseOptions How, std::string &WhyNot,
                                   Instruction *&WhyNotAt) {
  auto N = std::make_unique<Nest>(L, LI, SE, AA, DT);
  if (Raiser(*N, How.SumsInMemory).run()) {
    findOuterNumbers(*N, How.CellsInMemory);
    return N;
  }
  WhyNot = N->Context.exceeded() ? "this takes too long" : N->WhyNot;
  WhyNotAt = N->WhyNotAt;
  return nullptr;
}
