//===- TreeParallel.cpp - loops whose iterations are independent ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// isl tells of each loop that it has made which iterations run in it, and when.
// Two of them that touch the same element, one to write, in different
// iterations of the loop, but the same of all loops around it: the loop carries
// them. Sums whose additions may change places count, too: they change places,
// but not at the same time.
//
// A loop around others is for threads if, besides, each cell that is set in it
// is set and read within one iteration: then each thread has its own.
//
// A loop that carries nothing but sums, to arrays that it does nothing else
// with, is for threads with copies of these arrays.
//
//===----------------------------------------------------------------------===//

#include "Loops/TreeParallel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

static const char *const Mark = "parallel", *const ThreadMark = "threads",
                         *const SumsMark = "sums";

static void add(UnionMap &To, isl_union_map *U) {
  To = UnionMap(To ? isl_union_map_union(To.take(), U) : U);
}

static void add(UnionSet &To, isl_union_set *U) {
  To = UnionSet(To ? isl_union_set_union(To.take(), U) : U);
}

ParallelFinder::ParallelFinder(const Nest &N, const Scheduler &Of,
                               const UnionMap &Times, bool Threads,
                               ArrayRef<unsigned> Copied)
    : Threads(Threads) {
  isl_ctx *C = N.Context;
  // Iterations that fill no lanes have another name (Generator::makeTree).
  auto Name = [&](unsigned Statement, char Kind) {
    return isl_id_alloc(C, (Kind + std::to_string(Statement)).c_str(), nullptr);
  };
  const StringRef Kinds = "SRP";
  auto Add = [&](UnionMap &To, const Dependence &D) {
    for (char From : Kinds)
      for (char Till : Kinds) {
        isl_map *M = D.Pairs.copy();
        M = isl_map_set_tuple_id(M, isl_dim_in, Name(D.From, From));
        M = isl_map_set_tuple_id(M, isl_dim_out, Name(D.To, Till));
        add(To, isl_union_map_from_map(M));
      }
  };
  for (unsigned Array : Threads ? Copied : ArrayRef<unsigned>()) {
    SumPairs P{Array, {}, {}};
    for (unsigned K = 0; K != N.Statements.size(); ++K) {
      const Statement &St = N.Statements[K];
      auto Other = [&](const Access &A) {
        return A.Array == Array &&
               (St.Sum < 0 || (&A != &St.Write && &A != &St.Reads[St.Sum]));
      };
      if (Other(St.Write) || any_of(St.Reads, Other))
        for (char Kind : Kinds)
          add(P.Others, isl_union_set_from_set(isl_set_set_tuple_id(
                            St.Domain.copy(), Name(K, Kind))));
    }
    Sums.push_back(std::move(P));
  }
  for (unsigned K = 0; K != N.Statements.size() && Threads; ++K)
    if (N.Statements[K].SetsErrno)
      for (char Kind : Kinds)
        add(Errno, isl_union_set_from_set(isl_set_set_tuple_id(
                       N.Statements[K].Domain.copy(), Name(K, Kind))));
  for (const Dependence &D : Of.dependences())
    Add(Meet, D);
  MeetInOrder = Meet;
  for (const Dependence &D : Of.sums()) {
    Add(Meet, D);
    auto *To = find_if(Sums, [&](const SumPairs &P) {
                 return P.Array == N.Statements[D.From].Write.Array;
               }).base();
    if (To == Sums.data() + Sums.size())
      Add(MeetInOrder, D);
    else
      Add(To->Pairs, D);
  }
  if (!Threads)
    return;
  for (unsigned Index = 0; Index != N.Cells.size(); ++Index) {
    CellPairs P{{}, {}, any_of(N.Results, [&](auto &R) {
                  return R.second == int(Index);
                })};
    UnionMap Touch;
    for (unsigned K = 0; K != N.Statements.size(); ++K) {
      auto Add = [&](const Access &A, bool Write) {
        if (A.I || A.CellIndex != int(Index))
          return;
        for (char Kind : Kinds) {
          Map M(
              isl_map_set_tuple_id(A.Where.copy(), isl_dim_in, Name(K, Kind)));
          if (Write) {
            add(P.Set, isl_union_set_from_set(isl_map_domain(M.copy())));
          }
          add(Touch, isl_union_map_from_map(M.take()));
        }
      };
      for (const Access &A : N.Statements[K].Reads)
        Add(A, false);
      Add(N.Statements[K].Write, true);
    }
    if (!P.Set)
      continue;
    // Each iteration has one of its two names.
    UnionSet All(isl_union_map_domain(Times.copy()));
    Touch = UnionMap(isl_union_map_intersect_domain(Touch.take(), All.take()));
    P.All = UnionMap(isl_union_map_apply_range(
        Touch.copy(), isl_union_map_reverse(Touch.copy())));
    Cells.push_back(std::move(P));
  }
}

isl_ast_build *ParallelFinder::watch(isl_ast_build *Build) {
  return isl_ast_build_set_after_each_for(
      Build,
      [](isl_ast_node *For, isl_ast_build *Build, void *This) {
        return static_cast<ParallelFinder *>(This)->finish(For, Build);
      },
      this);
}

/// Is there a loop in A? A loop of one iteration is none.
static bool hasLoop(isl_ast_node *A) {
  bool Has = false;
  isl_ast_node_foreach_descendant_top_down(
      A,
      [](isl_ast_node *X, void *Has) {
        if (isl_ast_node_get_type(X) == isl_ast_node_for &&
            isl_ast_node_for_is_degenerate(X) != isl_bool_true)
          *static_cast<bool *>(Has) = true;
        return isl_bool_true;
      },
      &Has);
  return Has;
}

/// Is each cell that is set in a loop its iteration's own?
bool ParallelFinder::areOwn(isl_union_map *Times) {
  UnionSet Here(isl_union_map_domain(isl_union_map_copy(Times)));
  for (const CellPairs &P : Cells) {
    UnionSet Sets(isl_union_set_intersect(P.Set.copy(), Here.copy()));
    isl_bool None = isl_union_set_is_empty(Sets.get());
    if (None == isl_bool_true)
      continue;
    if (None == isl_bool_error || P.Result)
      return false;
    // Both ways are in All.
    UnionMap Pairs(isl_union_map_intersect_domain(P.All.copy(), Here.copy()));
    UnionSet Others(isl_union_map_range(Pairs.copy()));
    if (isl_union_set_is_subset(Others.get(), Here.get()) != isl_bool_true)
      return false;
    UnionMap At(isl_union_map_apply_range(
        isl_union_map_apply_domain(Pairs.take(), isl_union_map_copy(Times)),
        isl_union_map_copy(Times)));
    Map M(isl_map_from_union_map(At.take()));
    Map Same(isl_map_identity(isl_map_get_space(M.get())));
    if (isl_map_is_subset(M.get(), Same.get()) != isl_bool_true)
      return false;
  }
  return true;
}

/// Do two iterations of the loop, the last of Times, meet by Pairs, that are
/// in the same one of all loops around it? True where that takes too long.
bool ParallelFinder::carries(const UnionMap &Pairs, const UnionMap &Times) {
  if (!Pairs)
    return false;
  UnionMap At(isl_union_map_apply_range(
      isl_union_map_apply_domain(Pairs.copy(), Times.copy()), Times.copy()));
  isl_bool None = isl_union_map_is_empty(At.get());
  if (None != isl_bool_false)
    return None == isl_bool_error;
  Map M(isl_map_from_union_map(At.take()));
  const int Last = isl_map_dim(M.get(), isl_dim_out) - 1;
  for (int K = 0; K < Last; ++K)
    M = Map(isl_map_equate(M.take(), isl_dim_in, K, isl_dim_out, K));
  Map Forwards(isl_map_order_lt(M.copy(), isl_dim_in, Last, isl_dim_out, Last)),
      Backwards(
          isl_map_order_gt(M.take(), isl_dim_in, Last, isl_dim_out, Last));
  return Last < 0 || isl_map_is_empty(Forwards.get()) != isl_bool_true ||
         isl_map_is_empty(Backwards.get()) != isl_bool_true;
}

/// Does the loop carry nothing but sums that may be copied? Which: their
/// arrays.
bool ParallelFinder::findSums(const UnionMap &Times, std::string &Which) {
  if (Sums.empty() || carries(MeetInOrder, Times))
    return false;
  UnionSet Here(isl_union_map_domain(Times.copy()));
  for (const SumPairs &P : Sums) {
    if (!carries(P.Pairs, Times))
      continue;
    if (P.Others) {
      UnionSet Both(isl_union_set_intersect(P.Others.copy(), Here.copy()));
      if (isl_union_set_is_empty(Both.get()) != isl_bool_true)
        return false;
    }
    Which += " " + std::to_string(P.Array);
  }
  return !Which.empty();
}

isl_ast_node *ParallelFinder::finish(isl_ast_node *For, isl_ast_build *Build) {
  Isl<isl_ast_node> Body(isl_ast_node_for_get_body(For));
  if (isl_ast_node_for_is_degenerate(For) == isl_bool_true)
    return For;
  const bool Innermost = !hasLoop(Body.get());
  if (!Innermost && !Threads)
    return For;
  UnionMap Times(isl_ast_build_get_schedule(Build));
  // Each thread has an errno of its own.
  if (!Innermost && Errno) {
    UnionSet Here(isl_union_map_domain(Times.copy()));
    Here = UnionSet(isl_union_set_intersect(Here.take(), Errno.copy()));
    if (isl_union_set_is_empty(Here.get()) != isl_bool_true)
      return For;
  }
  std::string Annotation = Innermost ? Mark : ThreadMark;
  if (carries(Meet, Times)) {
    std::string Which;
    if (Innermost || !findSums(Times, Which))
      return For;
    Annotation = SumsMark + Which;
  }
  if (!Innermost && !areOwn(Times.get()))
    return For;
  return isl_ast_node_set_annotation(
      For,
      isl_id_alloc(isl_ast_node_get_ctx(For), Annotation.c_str(), nullptr));
}

static bool hasMark(isl_ast_node *For, StringRef Wanted) {
  Isl<isl_id> Id(isl_ast_node_get_annotation(For));
  return Id && isl_id_get_name(Id.get()) == Wanted;
}

bool loops::isParallel(isl_ast_node *For) { return hasMark(For, Mark); }

bool loops::isForThreads(isl_ast_node *For) { return hasMark(For, ThreadMark); }

SmallVector<unsigned, 2> loops::sumsForThreads(isl_ast_node *For) {
  SmallVector<unsigned, 2> Arrays;
  Isl<isl_id> Id(isl_ast_node_get_annotation(For));
  StringRef Words = Id ? isl_id_get_name(Id.get()) : "";
  if (!Words.consume_front(SumsMark))
    return Arrays;
  for (StringRef Word : split(Words.ltrim(), ' ')) {
    Arrays.push_back(0);
    Word.getAsInteger(10, Arrays.back());
  }
  return Arrays;
}

bool loops::hasLoopForThreads(isl_ast_node *A, bool Sums) {
  struct Seen {
    bool Sums, Has;
  } S{Sums, false};
  isl_ast_node_foreach_descendant_top_down(
      A,
      [](isl_ast_node *X, void *Of) {
        auto &S = *static_cast<Seen *>(Of);
        if (isl_ast_node_get_type(X) == isl_ast_node_for &&
            (isForThreads(X) || (S.Sums && !sumsForThreads(X).empty())))
          S.Has = true;
        return isl_bool_true;
      },
      &S);
  return S.Has;
}
