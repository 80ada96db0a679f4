//===- SpellMatrixAccesses.cpp - matrices column by column ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang's __builtin_matrix_column_major_load and ..._store are calls of
// intrinsics (llvm.matrix.column.major.load), which read or write a matrix that
// is part of a larger one: a column is in one piece, and the columns are a
// stride apart. LLVM lowers them behind derivatives. They become what they are
// lowered to, an access of a vector per column, which the types, the overwrite
// analysis and the operations of lib/Rules know.
//
//===----------------------------------------------------------------------===//

#include "Primal/PrimalSteps.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// The operands of a load from the address on: address, stride, whether it is
/// volatile, rows, columns. A store has the matrix in front of them.
class MatrixAccess {
public:
  MatrixAccess(IntrinsicInst &I, Type *Matrix, unsigned First)
      : B(&I), DL(I.getDataLayout()), Element(Matrix->getScalarType()),
        Address(I.getArgOperand(First)), Stride(I.getArgOperand(First + 1)),
        IsVolatile(cast<ConstantInt>(I.getArgOperand(First + 2))->isOne()),
        Rows(cast<ConstantInt>(I.getArgOperand(First + 3))->getZExtValue()),
        Columns(cast<ConstantInt>(I.getArgOperand(First + 4))->getZExtValue()),
        Aligned(I.getParamAlign(First).value_or(DL.getABITypeAlign(Element))),
        Tags(I.getAAMetadata()) {}

  Value *load() {
    SmallVector<Value *, 8> Loaded;
    for (unsigned Column : seq(Columns)) {
      LoadInst *L =
          B.CreateAlignedLoad(FixedVectorType::get(Element, Rows),
                              addressOf(Column), alignOf(Column), IsVolatile);
      L->setAAMetadata(Tags);
      Loaded.push_back(L);
    }
    return concatenateVectors(B, Loaded);
  }

  void store(Value *Matrix) {
    for (unsigned Column : seq(Columns)) {
      Value *Part = B.CreateShuffleVector(
          Matrix, createSequentialMask(Column * Rows, Rows, 0));
      B.CreateAlignedStore(Part, addressOf(Column), alignOf(Column), IsVolatile)
          ->setAAMetadata(Tags);
    }
  }

private:
  IRBuilder<> B;
  const DataLayout &DL;
  Type *Element;
  Value *Address, *Stride;
  bool IsVolatile;
  unsigned Rows, Columns;
  Align Aligned;
  AAMDNodes Tags;

  Value *addressOf(unsigned Column) {
    if (!Column)
      return Address;
    Value *Elements =
        B.CreateMul(Stride, ConstantInt::get(Stride->getType(), Column));
    return B.CreateGEP(Element, Address, Elements);
  }

  /// The stride is a whole number of elements.
  Align alignOf(unsigned Column) const {
    return Column ? commonAlignment(Aligned, DL.getTypeAllocSize(Element))
                  : Aligned;
  }
};

} // namespace

/// True if there was such an access.
bool retrograd::spellMatrixAccesses(Function &F) {
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *II = dyn_cast<IntrinsicInst>(&I);
    if (!II)
      continue;
    if (II->getIntrinsicID() == Intrinsic::matrix_column_major_load) {
      Value *Matrix = MatrixAccess(*II, II->getType(), 0).load();
      Matrix->takeName(II);
      II->replaceAllUsesWith(Matrix);
    } else if (II->getIntrinsicID() == Intrinsic::matrix_column_major_store) {
      Value *Matrix = II->getArgOperand(0);
      MatrixAccess(*II, Matrix->getType(), 1).store(Matrix);
    } else {
      continue;
    }
    II->eraseFromParent();
    Changed = true;
  }
  return Changed;
}
