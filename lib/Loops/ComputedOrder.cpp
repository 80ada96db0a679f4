//===- ComputedOrder.cpp - the order that isl's scheduler computes --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search climbs from one order to the next. Some good orders are not on its
// way: loops that are fused or aligned (an iteration of one with the iteration
// of another that needs its result), loops whose counters are sums. isl's
// scheduler solves for such times: linear in the counters, no dependence
// against them, and dependences as short as can be. What it finds is a place to
// climb from like the program's order. Bands of loops that may be interchanged
// and tiled are what it looks for, so the climb has much to do.
//
// Of its tree, each filter of a sequence is a place, and each member of a band
// a loop. Times with parameters in them, or in pieces, are not taken.
//
//===----------------------------------------------------------------------===//

#include "Loops/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <set>

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

/// isl's operations for one order.
static constexpr unsigned long MostSteps = 100'000;

namespace {

/// Makes times of isl's tree.
class TreeReader {
public:
  explicit TreeReader(const Nest &N)
      : Times(N.Statements.size()), N(N), Used(N.Statements.size()),
        Depth(N.Statements.size()) {}
  bool read(isl_schedule *Of);
  std::vector<std::vector<TimeTerm>> Times;

private:
  bool node(isl_schedule_node *Node, ArrayRef<unsigned> Here);
  bool band(isl_schedule_node *Node, ArrayRef<unsigned> Here);
  bool children(isl_schedule_node *Node, ArrayRef<unsigned> Here);

  const Nest &N;
  /// Loops of each statement that have their place.
  std::vector<SmallVector<int, 4>> Used;
  std::vector<int> Depth; ///< sequences since the last loop
};

} // namespace

/// A small integer, or nothing.
static std::optional<int64_t> integer(isl_val *Taken) {
  Isl<isl_val> V(Taken);
  if (!V || isl_val_is_int(V.get()) != isl_bool_true ||
      isl_val_cmp_si(V.get(), 1 << 12) > 0 ||
      isl_val_cmp_si(V.get(), -(1 << 12)) < 0)
    return std::nullopt;
  return isl_val_get_num_si(V.get());
}

/// Which loop is a term's own: the innermost that it counts and that has no
/// place of its own yet. False if there is one, but it is not counted by ones.
static bool own(TimeTerm &T, unsigned Loops, SmallVectorImpl<int> &Used,
                bool First = false) {
  TimeTerm New;
  New.C = T.C;
  bool Others = false;
  for (unsigned K = 0; K != Loops; ++K) {
    const int64_t Times = T.times(K);
    New.Skew.push_back(Times);
    if (!Times || is_contained(Used, K))
      continue;
    if (std::abs(Times) == 1 && (!First || New.Loop < 0))
      New.Loop = K;
    Others = true;
  }
  if (Others && New.Loop < 0)
    return false;
  if (New.Loop >= 0) {
    New.Down = New.Skew[New.Loop] < 0;
    New.Skew[New.Loop] = 0;
    Used.push_back(New.Loop);
  }
  New.Aligned = New.Loop < 0;
  if (all_of(New.Skew, [](int64_t Times) { return Times == 0; }))
    New.Skew.clear();
  T = New;
  return true;
}

/// A as a time of a statement with so many loops, of which some have their own
/// place already.
static std::optional<TimeTerm> termOf(isl_aff *A, unsigned Loops,
                                      SmallVectorImpl<int> &Used) {
  TimeTerm T;
  for (int K = 0, E = isl_aff_dim(A, isl_dim_param); K < E; ++K)
    if (integer(isl_aff_get_coefficient_val(A, isl_dim_param, K)) != 0)
      return std::nullopt;
  std::optional<int64_t> C = integer(isl_aff_get_constant_val(A));
  if (!C || isl_aff_dim(A, isl_dim_div) != 0)
    return std::nullopt;
  T.C = *C;
  for (unsigned K = 0; K != Loops; ++K) {
    std::optional<int64_t> Times =
        integer(isl_aff_get_coefficient_val(A, isl_dim_in, K));
    if (!Times)
      return std::nullopt;
    T.Skew.push_back(*Times);
  }
  if (!own(T, Loops, Used))
    return std::nullopt;
  return T;
}

/// The function that P is, if it is the same everywhere.
static Aff onlyPiece(const PwAff &P) {
  Aff Only;
  if (P && isl_pw_aff_n_piece(P.get()) == 1)
    isl_pw_aff_foreach_piece(
        P.get(),
        [](isl_set *Where, isl_aff *A, void *To) {
          isl_set_free(Where);
          *static_cast<Aff *>(To) = Aff(A);
          return isl_stat_ok;
        },
        &Only);
  return Only;
}

bool TreeReader::band(isl_schedule_node *Node, ArrayRef<unsigned> Here) {
  isl_multi_union_pw_aff *Members =
      isl_schedule_node_band_get_partial_schedule(Node);
  bool Fine = Members;
  for (int K = 0, E = isl_schedule_node_band_n_member(Node); K < E && Fine;
       ++K) {
    isl_union_pw_aff *Member =
        isl_multi_union_pw_aff_get_union_pw_aff(Members, K);
    for (unsigned X : Here) {
      isl_space *Space = isl_set_get_space(N.Statements[X].Domain.get());
      Space = isl_space_align_params(Space, isl_union_pw_aff_get_space(Member));
      Space = isl_space_add_dims(isl_space_from_domain(Space), isl_dim_out, 1);
      PwAff Of(isl_union_pw_aff_extract_pw_aff(Member, Space));
      Aff A = onlyPiece(Of);
      if (Times[X].size() % 2 == 0)
        Times[X].push_back({});
      std::optional<TimeTerm> T;
      if (A)
        T = termOf(A.get(), N.Statements[X].Loops.size(), Used[X]);
      if (!T) {
        Fine = false;
        break;
      }
      Times[X].push_back(*T);
    }
    isl_union_pw_aff_free(Member);
  }
  isl_multi_union_pw_aff_free(Members);
  return Fine && children(Node, Here);
}

bool TreeReader::children(isl_schedule_node *Node, ArrayRef<unsigned> Here) {
  const isl_schedule_node_type Type = isl_schedule_node_get_type(Node);
  const bool Order =
      Type == isl_schedule_node_sequence || Type == isl_schedule_node_set;
  bool Fine = true;
  for (int K = 0, E = isl_schedule_node_n_children(Node); K < E && Fine; ++K) {
    isl_schedule_node *Child = isl_schedule_node_get_child(Node, K);
    SmallVector<unsigned, 8> Members(Here);
    if (isl_schedule_node_get_type(Child) == isl_schedule_node_filter) {
      UnionSet Filter(isl_schedule_node_filter_get_filter(Child));
      erase_if(Members, [&](unsigned X) {
        Set Of(isl_union_set_extract_set(
            Filter.get(), isl_set_get_space(N.Statements[X].Domain.get())));
        return isl_set_is_empty(Of.get()) != isl_bool_false;
      });
    }
    if (Order)
      for (unsigned X : Members) {
        // A sequence within another: one place for both.
        auto &Time = Times[X];
        if (Time.size() % 2 == 0) {
          Time.push_back({});
          Depth[X] = 0;
        }
        Time.back().C += int64_t(K) << std::max(0, 48 - 8 * Depth[X]++);
      }
    Fine = node(Child, Members);
    isl_schedule_node_free(Child);
  }
  return Fine;
}

bool TreeReader::node(isl_schedule_node *Node, ArrayRef<unsigned> Here) {
  switch (isl_schedule_node_get_type(Node)) {
  case isl_schedule_node_band:
    return band(Node, Here);
  case isl_schedule_node_leaf:
    return true;
  case isl_schedule_node_domain:
  case isl_schedule_node_filter:
  case isl_schedule_node_sequence:
  case isl_schedule_node_set:
    return children(Node, Here);
  default:
    return false;
  }
}

bool TreeReader::read(isl_schedule *Of) {
  isl_schedule_node *Root = isl_schedule_get_root(Of);
  SmallVector<unsigned, 8> All;
  for (unsigned K = 0; K != Times.size(); ++K)
    All.push_back(K);
  const bool Fine = Root && node(Root, All);
  isl_schedule_node_free(Root);
  size_t Most = 0;
  for (auto &Time : Times) {
    if (Time.size() % 2 == 0)
      Time.push_back({});
    Most = std::max(Most, Time.size());
  }
  for (unsigned K = 0; K != Times.size(); ++K) {
    Times[K].resize(Most);
    if (Used[K].size() != N.Statements[K].Loops.size())
      return false;
  }
  return Fine;
}

std::optional<Schedule> Scheduler::computed() {
  // One of its operations is a row of a linear program.
  isl_ctx_set_max_operations(N.Context, MostSteps);
  std::optional<Schedule> S = compute();
  isl_ctx_set_max_operations(N.Context, Nest::Quota);
  N.Context.restart();
  return S;
}

std::optional<Schedule> Scheduler::compute() {
  UnionSet Domain;
  UnionMap Pairs;
  auto Add = [&](Map M) {
    UnionMap U(isl_union_map_from_map(M.take()));
    Pairs = Pairs ? UnionMap(isl_union_map_union(Pairs.take(), U.take())) : U;
  };
  for (const Statement &St : N.Statements) {
    UnionSet U(isl_union_set_from_set(St.Domain.copy()));
    Domain =
        Domain ? UnionSet(isl_union_set_union(Domain.take(), U.take())) : U;
  }
  for (const Dependence &D : Dependences)
    Add(D.Pairs);
  UnionMap Ordered = Pairs ? Pairs
                           : UnionMap(isl_union_map_empty(
                                 isl_union_set_get_space(Domain.get())));
  for (const Dependence &D : Sums)
    Add(D.Pairs);
  if (!Pairs)
    return std::nullopt;
  // Simple: what follows from others is left out, and what holds for all.
  auto Simple = [&](const UnionMap &All) {
    UnionMap Two(isl_union_map_apply_range(All.copy(), All.copy()));
    UnionMap U(isl_union_map_subtract(All.copy(), Two.take()));
    U = UnionMap(isl_union_map_coalesce(U.take()));
    U = UnionMap(isl_union_map_gist_params(U.take(), N.Asked.copy()));
    U = UnionMap(isl_union_map_gist_domain(U.take(), Domain.copy()));
    return UnionMap(isl_union_map_gist_range(U.take(), Domain.copy()));
  };
  Ordered = Simple(Ordered);
  Pairs = Simple(Pairs);
  isl_options_set_schedule_max_coefficient(N.Context, 4);
  isl_options_set_schedule_max_constant_term(N.Context, 4);
  isl_schedule_constraints *Wanted =
      isl_schedule_constraints_on_domain(Domain.take());
  Wanted = isl_schedule_constraints_set_context(Wanted, N.Asked.copy());
  Wanted = isl_schedule_constraints_set_validity(Wanted, Ordered.take());
  Wanted = isl_schedule_constraints_set_proximity(Wanted, Pairs.copy());
  Wanted = isl_schedule_constraints_set_coincidence(Wanted, Pairs.take());
  isl_schedule *Found = isl_schedule_constraints_compute_schedule(Wanted);
  if (!Found)
    return std::nullopt;
  TreeReader Reader(N);
  const bool Fine = Reader.read(Found);
  isl_schedule_free(Found);
  if (!Fine)
    return std::nullopt;
  Schedule S{std::move(Reader.Times), {}};
  renumber(S);
  return S;
}

/// Places in small numbers.
void Scheduler::renumber(Schedule &S) {
  std::map<std::vector<int64_t>, std::set<int64_t>> Siblings;
  auto PrefixOf = [&](unsigned X, unsigned P) {
    std::vector<int64_t> Prefix;
    for (unsigned Q = 0; Q < P; Q += 2)
      Prefix.push_back(S.Times[X][Q].C);
    return Prefix;
  };
  for (unsigned P = 0; P < S.Times.front().size(); P += 2) {
    Siblings.clear();
    for (unsigned X = 0; X != S.Times.size(); ++X)
      Siblings[PrefixOf(X, P)].insert(S.Times[X][P].C);
    for (unsigned X = 0; X != S.Times.size(); ++X) {
      const auto &Set = Siblings[PrefixOf(X, P)];
      S.Times[X][P].C = std::distance(Set.begin(), Set.find(S.Times[X][P].C));
    }
  }
}

/// After loops have changed places.
void Scheduler::findOwn(Schedule &S) const {
  for (unsigned X = 0; X != S.Times.size(); ++X) {
    const unsigned Count =
        count_if(S.Times[X], [](const TimeTerm &T) { return T.Loop >= 0; });
    // A sum of counters may be the loop of one of them or of another: all loops
    // have a place.
    for (bool First : {false, true}) {
      auto Time = S.Times[X];
      SmallVector<int, 4> Used;
      bool Fine = true;
      for (unsigned P = 1; P < Time.size() && Fine; P += 2)
        Fine = !Time[P].Tile &&
               (!Time[P].isLoop() ||
                own(Time[P], N.Statements[X].Loops.size(), Used, First));
      if (Fine && Used.size() == Count) {
        S.Times[X] = Time;
        break;
      }
    }
  }
}

/// What is in the loop of Group at Place has one loop there: an iteration of it
/// is a value of an index of what is written, a row or a column.
bool Scheduler::fuse(Schedule &S, ArrayRef<unsigned> Group, unsigned Place,
                     unsigned Index) {
  const unsigned Inner = Place + 2;
  if (Inner >= S.Times.front().size())
    return false;
  bool Any = false, Same = true;
  for (unsigned X : Group) {
    const auto &Time = S.Times[X];
    Same &= Time[Place + 1].C == S.Times[Group.front()][Place + 1].C &&
            Time[Inner].isLoop();
    Any |= Time[Inner].isLoop();
    if (!N.Statements[X].Write.I ||
        N.Statements[X].Write.Array !=
            N.Statements[Group.front()].Write.Array ||
        Time[Inner].Tile)
      return false;
  }
  if (!Any || Same)
    return false;
  for (unsigned X : Group) {
    const Statement &St = N.Statements[X];
    auto &Time = S.Times[X];
    SmallVector<int, 4> Used;
    for (unsigned P = 1; P < Time.size(); P += 2)
      if (Time[P].Loop >= 0 && P != Inner)
        Used.push_back(Time[P].Loop);
    const unsigned Before = Used.size();
    isl_pw_multi_aff *Indices =
        isl_pw_multi_aff_from_map(St.Write.Where.copy());
    PwAff Of;
    if (Indices && int(Index) < isl_pw_multi_aff_dim(Indices, isl_dim_out))
      Of = PwAff(isl_pw_multi_aff_get_pw_aff(Indices, Index));
    isl_pw_multi_aff_free(Indices);
    Aff A = onlyPiece(Of);
    std::optional<TimeTerm> T;
    if (A)
      T = termOf(A.get(), St.Loops.size(), Used);
    if (!T || (Used.size() != Before) != (Time[Inner].Loop >= 0))
      return false;
    // Each comes in its turn.
    Time[Inner] = *T;
    Time[Inner + 1].C += Time[Place + 1].C << 32;
    Time[Place + 1].C = 0;
  }
  renumber(S);
  return true;
}
