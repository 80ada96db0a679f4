//===- NestMemory.cpp - addresses as elements of arrays -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An address is a base and a sum of products. The terms' factors that are
// strides in some access of the array, from the element to the largest, are its
// dimensions (with constants: rows of a fixed length; with parameters: arrays
// whose size the program computes). That an index stays within its dimension is
// asked, too.
//
//===----------------------------------------------------------------------===//

#include "Loops/Raiser.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Module.h"
#include <cmath>
#include <numeric>

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

static constexpr unsigned MostPairs = 12;

/// Multiplied out: modulo 2^64, as everything that S is made of.
bool Raiser::termsOf(const SCEV *S, SmallVectorImpl<Term> &To) {
  constexpr unsigned Most = 16;
  switch (S->getSCEVType()) {
  case scConstant: {
    const APInt &K = cast<SCEVConstant>(S)->getAPInt();
    if (K.getSignificantBits() > 40)
      return false;
    if (!K.isZero())
      To.push_back({K.getSExtValue(), {}});
    return true;
  }
  case scAddExpr:
    return all_of(S->operands(),
                  [&](const SCEV *Op) { return termsOf(Op, To); });
  case scMulExpr: {
    SmallVector<Term, 4> Product{{1, {}}};
    for (const SCEV *Op : S->operands()) {
      SmallVector<Term, 4> Sum, Next;
      if (!termsOf(Op, Sum) || Product.size() * Sum.size() > Most)
        return false;
      for (const Term &X : Product)
        for (const Term &Y : Sum) {
          Term T = X;
          if (MulOverflow(X.C, Y.C, T.C) || std::abs(T.C) > int64_t(1) << 40)
            return false;
          append_range(T.Factors, Y.Factors);
          llvm::sort(T.Factors);
          Next.push_back(T);
        }
      Product = Next;
    }
    append_range(To, Product);
    return To.size() <= Most;
  }
  case scAddRecExpr: {
    // Of a loop around the nest: its counter is a factor like any other.
    const auto *R = cast<SCEVAddRecExpr>(S);
    const SCEV *Counter =
        SE.getAddRecExpr(SE.getZero(S->getType()), SE.getOne(S->getType()),
                         R->getLoop(), SCEV::FlagAnyWrap);
    if (!R->isAffine() || !invariant(R) || R == Counter) {
      To.push_back({1, {S}});
      return true;
    }
    SmallVector<Term, 4> Step;
    if (!termsOf(R->getStart(), To) || !termsOf(R->getStepRecurrence(SE), Step))
      return false;
    for (Term &T : Step) {
      T.Factors.push_back(Counter);
      llvm::sort(T.Factors);
      To.push_back(T);
    }
    return To.size() <= Most;
  }
  default:
    To.push_back({1, {S}});
    return true;
  }
}

/// Terms of the same factors are one.
static void addUp(SmallVectorImpl<Term> &Terms) {
  SmallVector<Term, 4> Sum;
  for (const Term &T : Terms) {
    auto *Same =
        find_if(Sum, [&](const Term &X) { return X.Factors == T.Factors; });
    if (Same == Sum.end())
      Sum.push_back(T);
    else
      Same->C += T.C;
  }
  erase_if(Sum, [](const Term &T) { return T.C == 0; });
  Terms.assign(Sum.begin(), Sum.end());
}

bool Raiser::linear(const SCEV *S, Address &A) {
  if (invariant(S))
    return termsOf(S, A.Rest);
  if (const auto *R = dyn_cast<SCEVAddRecExpr>(S)) {
    const SCEV *Step = R->getStepRecurrence(SE);
    if (!R->isAffine() || !N.Outer.contains(R->getLoop()) || !invariant(Step))
      return false;
    SmallVector<Term, 2> Terms;
    if (!termsOf(Step, Terms))
      return false;
    for (Term &T : Terms)
      A.Strides.push_back({const_cast<Loop *>(R->getLoop()), T});
    return linear(R->getStart(), A);
  }
  if (const auto *Sum = dyn_cast<SCEVAddExpr>(S))
    return all_of(Sum->operands(),
                  [&](const SCEV *Op) { return linear(Op, A); });
  return false;
}

std::optional<Address> Raiser::addressOf(Instruction *I) {
  const SCEV *P = SE.getSCEV(getLoadStorePointerOperand(I));
  const auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(P));
  if (!Base || !invariant(Base) || P->getType() != Base->getType() ||
      P->getType()->getPointerAddressSpace())
    return std::nullopt;
  const SCEV *Offset = SE.getMinusSCEV(P, Base);
  if (isa<SCEVCouldNotCompute>(Offset) ||
      SE.getTypeSizeInBits(Offset->getType()) != 64)
    return std::nullopt;
  Address A;
  A.Base = Base->getValue();
  if (!linear(Offset, A))
    return std::nullopt;
  addUp(A.Rest);
  return A;
}

/// D's factors are among T's.
bool Raiser::divides(const Term &D, const Term &T, Term &Quotient) {
  if (T.C % D.C)
    return false;
  Quotient = {T.C / D.C, T.Factors};
  for (const SCEV *F : D.Factors) {
    auto *At = find(Quotient.Factors, F);
    if (At == Quotient.Factors.end())
      return false;
    Quotient.Factors.erase(At);
  }
  return true;
}

bool Raiser::findArrays() {
  const DataLayout &DL = N.Outer.getHeader()->getModule()->getDataLayout();
  DenseMap<Value *, unsigned> ByBase;
  for (Instruction *I : Accesses) {
    std::optional<Address> A = addressOf(I);
    if (!A)
      return fail("an address that is not affine", I);
    Type *T = getLoadStoreType(I);
    TypeSize Size = DL.getTypeStoreSize(T);
    if (Size.isScalable() || Size != DL.getTypeAllocSize(T) || T->isVectorTy())
      return fail("an access of an unusual type", I);
    auto [At, New] = ByBase.insert({A->Base, N.Arrays.size()});
    if (New) {
      NestArray Array;
      Array.Base = A->Base;
      Array.ElementBytes = Size.getFixedValue();
      N.Arrays.push_back(Array);
    }
    if (N.Arrays[At->second].ElementBytes != int64_t(Size.getFixedValue()))
      return fail("an array with elements of several sizes", I);
    ArrayOf[I] = At->second;
    Addresses[I] = *A;
  }
  // The dimensions of each array.
  Chains.resize(N.Arrays.size());
  for (unsigned K = 0; K != N.Arrays.size(); ++K) {
    std::vector<Term> Pure;
    for (Instruction *I : Accesses)
      if (ArrayOf[I] == K)
        for (auto &[L, T] : Addresses[I].Strides) {
          Term Abs = T;
          Abs.C = std::abs(Abs.C);
          Pure.push_back(Abs);
        }
    // Every second row, from the first or from the second: rows all the same.
    for (Term &T : Pure) {
      auto Row = [&](const Term &Other) {
        if (!T.Factors.empty() && Other.Factors == T.Factors)
          T.C = std::gcd(T.C, Other.C);
      };
      for (Instruction *I : Accesses)
        if (ArrayOf[I] == K) {
          for (auto &[L, Stride] : Addresses[I].Strides)
            Row(Stride);
          for (const Term &Rest : Addresses[I].Rest)
            Row(Rest);
        }
    }
    llvm::stable_sort(Pure, [](const Term &X, const Term &Y) {
      return std::make_pair(X.Factors.size(), X.C) <
             std::make_pair(Y.Factors.size(), Y.C);
    });
    auto &Chain = Chains[K];
    Chain.push_back({N.Arrays[K].ElementBytes, {}});
    for (const Term &T : Pure) {
      Term Quotient;
      if (!divides(Chain.back(), T, Quotient))
        continue;
      // Steps of a few elements are no dimension.
      if (Quotient.Factors.empty() ? Quotient.C >= 8 : Quotient.C >= 1)
        Chain.push_back(T);
    }
    N.Arrays[K].Strides = Chain;
    for (unsigned D = 0; D + 1 < Chain.size(); ++D) {
      Term Q;
      if (!divides(Chain[D], Chain[D + 1], Q))
        return fail("dimensions that do not divide each other");
      N.Arrays[K].Sizes.push_back(
          {Q.C, Q.Factors.empty() ? nullptr : SE.getMulExpr(Q.Factors)});
    }
    for (Instruction *I : Accesses)
      if (ArrayOf[I] == K) {
        double Reach = 0;
        auto Add = [&](const Term &T, unsigned Counters) {
          Reach += std::abs(double(T.C)) *
                   std::pow(double(Limit), T.Factors.size() + Counters);
        };
        for (auto &[L, T] : Addresses[I].Strides)
          Add(T, 1);
        for (const Term &T : Addresses[I].Rest)
          Add(T, 0);
        N.Arrays[K].MayWrap |= Reach >= 0x1p61;
      }
  }
  return apart();
}

/// Different arrays share no memory, or will be asked. What is told about
/// bases, which do not change in the nest, holds for any two iterations.
bool Raiser::apart() {
  for (unsigned X = 0; X != Accesses.size(); ++X)
    for (unsigned Y = X + 1; Y != Accesses.size(); ++Y) {
      Instruction *A = Accesses[X], *B = Accesses[Y];
      if (ArrayOf[A] == ArrayOf[B] || (isa<LoadInst>(A) && isa<LoadInst>(B)))
        continue;
      auto Anywhere = [&](Instruction *I) {
        AAMDNodes Tags = I->getAAMetadata();
        if (N.DeclaresScopes)
          Tags.Scope = Tags.NoAlias = nullptr;
        return MemoryLocation::getBeforeOrAfter(N.Arrays[ArrayOf[I]].Base,
                                                Tags);
      };
      if (N.AA.isNoAlias(Anywhere(A), Anywhere(B)))
        continue;
      std::pair<unsigned, unsigned> Pair = std::minmax(ArrayOf[A], ArrayOf[B]);
      if (is_contained(N.MayMeet, Pair))
        continue;
      if (N.MayMeet.size() == MostPairs)
        return fail("too many arrays that may overlap", A);
      N.MayMeet.push_back(Pair);
    }
  return true;
}

Map loops::mapTo(isl_ctx *C, std::vector<PwAff> Parts, unsigned Dims,
                 unsigned Array) {
  Map M(isl_map_from_domain(universe(C, Dims).take()));
  for (PwAff &P : Parts)
    M = Map(
        isl_map_flat_range_product(M.take(), isl_map_from_pw_aff(P.take())));
  return Map(isl_map_set_tuple_id(M.take(), isl_dim_out, named(C, "A", Array)));
}

Map Raiser::elements(Instruction *I, const Statement &S) {
  const Address &A = Addresses[I];
  const auto &Chain = Chains[ArrayOf[I]];
  const unsigned Dims = S.Loops.size();
  std::vector<PwAff> Index;
  for (unsigned K = 0; K != Chain.size(); ++K)
    Index.push_back(constant(0, Dims));
  auto Add = [&](unsigned K, isl_pw_aff *X) {
    Index[K] = PwAff(isl_pw_aff_add(Index[K].take(), X));
  };
  auto Split = [&](Term T, Loop *L) {
    for (unsigned K = Chain.size(); K-- && T.C;) {
      const Term &D = Chain[K];
      Term Q, Part = T;
      // The nearest multiple; what is left belongs to smaller dimensions.
      if (D.Factors.size() == T.Factors.size())
        Part.C =
            K ? int64_t(std::llround(double(T.C) / double(D.C))) * D.C : T.C;
      if (!Part.C || !divides(D, Part, Q))
        continue;
      T.C -= Part.C;
      PwAff X = constant(Q.C, Dims);
      if (L) {
        const auto *At = find(S.Loops, L);
        if (!Q.Factors.empty() || At == S.Loops.end())
          return false;
        X = PwAff(isl_pw_aff_mul(X.take(),
                                 counter(At - S.Loops.begin(), Dims).take()));
      } else if (!Q.Factors.empty()) {
        SmallVector<const SCEV *, 2> F(Q.Factors.begin(), Q.Factors.end());
        PwAff P = affine(SE.getMulExpr(F), S.Loops);
        if (!P)
          return false;
        X = PwAff(isl_pw_aff_mul(X.take(), P.take()));
      }
      Add(K, X.take());
    }
    return T.C == 0;
  };
  for (auto &[L, T] : A.Strides)
    if (!Split(T, L))
      return Map();
  for (const Term &T : A.Rest)
    if (!Split(T, nullptr))
      return Map();
  // Within the dimension, all but the first: an index that never is, by a
  // multiple of the dimension, belongs to a row before or behind.
  const Set Domain(isl_set_intersect_params(S.Domain.copy(), N.Asked.copy()));
  auto Never = [&](isl_set *Where) {
    Set Some(isl_set_intersect(Domain.copy(), Where));
    return isl_set_is_empty(Some.get()) == isl_bool_true;
  };
  for (unsigned K = 0; K + 1 < Chain.size(); ++K) {
    auto [Times, Fixed] = N.Arrays[ArrayOf[I]].Sizes[K];
    PwAff Size = constant(Times, Dims);
    if (Fixed) {
      PwAff P = affine(Fixed, S.Loops);
      if (!P)
        return Map();
      Size = PwAff(isl_pw_aff_mul(Size.take(), P.take()));
    }
    int64_t Rows = 0;
    if (!Fixed) {
      Isl<isl_val> Least(isl_pw_aff_min_val(
          isl_pw_aff_intersect_domain(Index[K].copy(), Domain.copy())));
      if (Least && isl_val_is_int(Least.get()) == isl_bool_true &&
          std::abs(isl_val_get_d(Least.get())) < 0x1p50)
        Rows = std::floor(isl_val_get_d(Least.get()) / double(Times));
    } else if (Never(isl_pw_aff_ge_set(Index[K].copy(),
                                       constant(0, Dims).take()))) {
      Rows = -1;
    } else if (Never(isl_pw_aff_lt_set(Index[K].copy(), Size.copy()))) {
      Rows = 1;
    }
    if (Rows) {
      PwAff Moved(
          isl_pw_aff_scale_val(Size.copy(), isl_val_int_from_si(C, Rows)));
      Index[K] = PwAff(isl_pw_aff_sub(Index[K].take(), Moved.take()));
      Add(K + 1, constant(Rows, Dims).take());
    }
    ask(Set(isl_set_intersect(
        S.Domain.copy(),
        isl_pw_aff_lt_set(Index[K].copy(), constant(0, Dims).take()))));
    ask(Set(isl_set_intersect(
        S.Domain.copy(), isl_pw_aff_ge_set(Index[K].copy(), Size.take()))));
  }
  std::reverse(Index.begin(), Index.end());
  return mapTo(C, std::move(Index), Dims, ArrayOf[I]);
}

bool Raiser::addRead(Instruction *I, Statement &S) {
  Access A;
  A.I = I;
  A.Array = ArrayOf[I];
  A.Where = elements(I, S);
  if (!A.Where)
    return fail("an address that is not affine", I);
  A.Strides = strides(I, S);
  S.Reads.push_back(A);
  return true;
}

SmallVector<int64_t, 4> Raiser::strides(Instruction *I, const Statement &S) {
  SmallVector<int64_t, 4> Bytes(S.Loops.size(), 0);
  for (auto &[L, T] : Addresses[I].Strides) {
    const auto *At = find(S.Loops, L);
    if (At != S.Loops.end())
      Bytes[At - S.Loops.begin()] += T.Factors.empty() ? T.C : Access::Far;
  }
  return Bytes;
}

Map Raiser::elementsOf(const Cell &Of, const Statement &S) {
  std::vector<PwAff> Index;
  for (Loop *L : Of.Loops) {
    const auto *At = find(S.Loops, L);
    if (At == S.Loops.end())
      return Map();
    Index.push_back(counter(At - S.Loops.begin(), S.Loops.size()));
  }
  return mapTo(C, std::move(Index), S.Loops.size(), Of.Array);
}
