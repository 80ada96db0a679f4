//===- ClangCode.cpp - all code of a unit that runs -----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/ClangCode.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecordLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace clang;

bool retrograd::hasLayout(const RecordDecl &R) {
  return R.isCompleteDefinition() && !R.isInvalidDecl() &&
         !R.isDependentContext();
}

uint64_t retrograd::offsetOf(const ASTContext &Ctx, const RecordDecl &R,
                             const FieldDecl &Field) {
  return Ctx
      .toCharUnitsFromBits(
          Ctx.getASTRecordLayout(&R).getFieldOffset(Field.getFieldIndex()))
      .getQuantity();
}

namespace {
/// A number or an integer of four bytes and more in a type.
struct Scalar {
  uint64_t Begin, End;
  bool IsNumber;
};
} // namespace

/// Adds those of T, which lies At bytes from the beginning. Unions are either
/// by turns, and pointers to them are no news.
static void addScalars(const ASTContext &Ctx, QualType T, uint64_t At,
                       llvm::SmallVectorImpl<Scalar> &Found) {
  constexpr unsigned Most = 64;
  if (Found.size() > Most || T->isIncompleteType() || T->isDependentType())
    return;
  const uint64_t Size = Ctx.getTypeSizeInChars(T).getQuantity();
  if (const auto *A = Ctx.getAsConstantArrayType(T)) {
    const uint64_t Each =
        Ctx.getTypeSizeInChars(A->getElementType()).getQuantity();
    for (uint64_t I = 0; Each && I < Size && I / Each < Most; I += Each)
      addScalars(Ctx, A->getElementType(), At + I, Found);
  } else if (const auto *C = T->getAs<ComplexType>()) {
    addScalars(Ctx, C->getElementType(), At, Found);
    addScalars(Ctx, C->getElementType(), At + Size / 2, Found);
  } else if (T->isRealFloatingType() ||
             (T->isIntegerType() && Size >= sizeof(float))) {
    Found.push_back({At, At + Size, T->isRealFloatingType()});
  } else if (const RecordDecl *R = T->getAsRecordDecl();
             R && (R = R->getDefinition()) && retrograd::hasLayout(*R) &&
             !R->isUnion()) {
    const ASTRecordLayout &Layout = Ctx.getASTRecordLayout(R);
    if (const auto *Class = dyn_cast<CXXRecordDecl>(R))
      for (const CXXBaseSpecifier &Base : Class->bases())
        if (const auto *Of = Base.getType()->getAsCXXRecordDecl();
            Of && !Base.isVirtual())
          addScalars(Ctx, Base.getType(),
                     At + Layout.getBaseClassOffset(Of).getQuantity(), Found);
    for (const FieldDecl *Field : R->fields())
      if (!Field->isBitField())
        addScalars(Ctx, Field->getType(),
                   At + retrograd::offsetOf(Ctx, *R, *Field), Found);
  }
}
bool retrograd::holdsIntegersForNumbers(const ASTContext &Ctx, QualType A,
                                        QualType B) {
  if (A->isIncompleteType() || B->isIncompleteType() || A->isDependentType() ||
      B->isDependentType())
    return false;
  if (Ctx.getTypeSizeInChars(A) < Ctx.getTypeSizeInChars(B))
    std::swap(A, B);
  llvm::SmallVector<Scalar, 16> Large, Small;
  addScalars(Ctx, A, 0, Large);
  addScalars(Ctx, B, 0, Small);
  const uint64_t Period = Ctx.getTypeSizeInChars(B).getQuantity();
  return Period && llvm::any_of(Large, [&](const Scalar &L) {
           // A record that only begins as another is no array of it.
           const uint64_t From =
               B->isRecordType() ? 0 : L.Begin / Period * Period;
           return llvm::any_of(Small, [&](const Scalar &S) {
             return S.IsNumber != L.IsNumber && From + S.Begin < L.End &&
                    L.Begin < From + S.End;
           });
         });
}
