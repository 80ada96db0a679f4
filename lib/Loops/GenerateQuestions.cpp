//===- GenerateQuestions.cpp - what is asked at run time ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In front of the new nest stand two questions. Are the parameters such that
// the nest is what it was taken for? Then: do arrays that alias analysis does
// not know to be apart share no byte, and is each array shorter than 2^62
// bytes, so that indices that differ are addresses that differ? The bytes of an
// array are those between the least and the greatest of each index, computed in
// 128 bits.
//
//===----------------------------------------------------------------------===//

#include "Loops/Generator.h"
#include "Loops/TreeReach.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

/// Of arrays that have to be compared, or whose addresses may wrap as far as is
/// known.
bool Generator::findExtents() {
  Extents.resize(N.Arrays.size());
  SmallVector<bool, 16> Wanted(N.Arrays.size(), false);
  for (auto &[X, Y] : N.MayMeet)
    Wanted[X] = Wanted[Y] = true;
  for (unsigned K = 0; K != N.Arrays.size(); ++K) {
    Wanted[K] = Wanted[K] || N.Arrays[K].MayWrap;
    if (Wanted[K])
      for (auto &[Times, Fixed] : N.Arrays[K].Sizes)
        if (Fixed && !canEvaluate(Fixed))
          return false;
  }
  std::vector<std::vector<Set>> Seen(N.Arrays.size());
  isl_ast_build *Build = isl_ast_build_from_context(N.Asked.copy());
  auto Add = [&](const Access &A) {
    if (!A.I || !Wanted[A.Array])
      return true;
    Set Elements(isl_map_range(A.Where.copy()));
    for (const Set &Old : Seen[A.Array])
      if (isl_set_is_subset(Elements.get(), Old.get()) == isl_bool_true)
        return true;
    Seen[A.Array].push_back(Elements);
    SmallVector<Range, 4> Of;
    for (int D = 0, E = N.Arrays[A.Array].Strides.size(); D != E; ++D) {
      PwAff Least(isl_set_dim_min(Elements.copy(), D)),
          Most(isl_set_dim_max(Elements.copy(), D));
      if (!Least || !Most || isl_pw_aff_n_piece(Least.get()) > MostPieces ||
          isl_pw_aff_n_piece(Most.get()) > MostPieces)
        return false;
      Range R{Isl<isl_ast_expr>(
                  isl_ast_build_expr_from_pw_aff(Build, Least.take())),
              Isl<isl_ast_expr>(
                  isl_ast_build_expr_from_pw_aff(Build, Most.take()))};
      double LeastReach = 0, MostReach = 0;
      if (!fits(R.first.get(), LeastReach) || !fits(R.second.get(), MostReach))
        return false;
      // In 128 bits.
      double Bytes =
          std::max(LeastReach, MostReach) * N.Arrays[A.Array].ElementBytes;
      for (auto &[Times, Fixed] : N.Arrays[A.Array].Sizes)
        Bytes *= std::abs(double(Times)) * (Fixed ? double(Nest::Limit) : 1);
      if (Bytes >= 0x1p120)
        return false;
      Of.push_back(R);
    }
    Extents[A.Array].push_back(Of);
    return true;
  };
  bool All = all_of(N.Statements, [&](const Statement &St) {
    return Add(St.Write) && all_of(St.Reads, Add);
  });
  isl_ast_build_free(Build);
  return All && !N.Context.exceeded();
}

/// All parameters are within Nest::Limit, which Check takes for granted.
Value *Generator::withinLimits() {
  Value *All = B.getTrue();
  for (auto &[E, K] : N.Parameters) {
    Value *P = Names.lookup("p" + std::to_string(K));
    Value *Moved = B.CreateAdd(P, B.getInt64(Nest::Limit));
    All = B.CreateAnd(All, B.CreateICmpULE(Moved, B.getInt64(2 * Nest::Limit)));
  }
  return All;
}

/// No two arrays that may meet do, and none is so long that its addresses come
/// round.
Value *Generator::areApart() {
  Type *I128 = B.getInt128Ty();
  Value *All = B.getTrue();
  std::vector<std::pair<Value *, Value *>> Bytes(N.Arrays.size());
  for (unsigned K = 0; K != N.Arrays.size(); ++K) {
    if (Extents[K].empty())
      continue;
    const NestArray &A = N.Arrays[K];
    SmallVector<Value *, 4> Strides{ConstantInt::get(I128, A.ElementBytes)};
    for (auto &[Times, Fixed] : A.Sizes) {
      Value *Stride =
          B.CreateMul(Strides.back(), ConstantInt::getSigned(I128, Times));
      if (Fixed)
        Stride = B.CreateMul(Stride, B.CreateSExt(frozen(Fixed), I128));
      Strides.push_back(Stride);
    }
    std::reverse(Strides.begin(), Strides.end());
    Value *Least = nullptr, *Most = nullptr;
    for (auto &Of : Extents[K]) {
      Value *From = ConstantInt::get(I128, 0), *To = From;
      for (unsigned D = 0; D != Strides.size(); ++D) {
        From = B.CreateAdd(
            From, B.CreateMul(B.CreateSExt(number(Of[D].first.get()), I128),
                              Strides[D]));
        To = B.CreateAdd(
            To, B.CreateMul(B.CreateSExt(number(Of[D].second.get()), I128),
                            Strides[D]));
      }
      Least =
          Least ? B.CreateBinaryIntrinsic(Intrinsic::smin, Least, From) : From;
      Most = Most ? B.CreateBinaryIntrinsic(Intrinsic::smax, Most, To) : To;
    }
    Most = B.CreateAdd(Most, ConstantInt::get(I128, A.ElementBytes));
    All = B.CreateAnd(
        All, B.CreateICmpSLT(B.CreateSub(Most, Least),
                             ConstantInt::get(I128, uint64_t(1) << 62)));
    Value *Base = B.CreateZExt(B.CreatePtrToInt(A.Base, I64), I128);
    Bytes[K] = {B.CreateAdd(Base, Least), B.CreateAdd(Base, Most)};
  }
  for (auto &[X, Y] : N.MayMeet)
    if (Bytes[X].first && Bytes[Y].first)
      All = B.CreateAnd(
          All, B.CreateOr(B.CreateICmpSLE(Bytes[X].second, Bytes[Y].first),
                          B.CreateICmpSLE(Bytes[Y].second, Bytes[X].first)));
  return All;
}
