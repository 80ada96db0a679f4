//===- ThreadOwnership.cpp - memory that no two threads touch -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/ThreadOwnership.h"
#include "Catalogue/ThreadIdentity.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// Constant + sum of coefficient * index. `Valid` is false for anything else.
struct Linear {
  bool Valid = true;
  int64_t Constant = 0;
  int64_t Of[ThreadOwnership::NumIndices] = {};
  /// Extent of the block along one axis, alone: only a factor.
  int Extent = -1;

  static Linear none() {
    Linear L;
    L.Valid = false;
    return L;
  }
  bool isConstant() const {
    return Valid && Extent < 0 && all_of(Of, [](int64_t C) { return C == 0; });
  }
};

class Reader {
public:
  Linear read(const Value *V, unsigned Depth = 0) const {
    if (Depth > 24)
      return Linear::none();
    auto Operand = [&](unsigned N) {
      return read(cast<User>(V)->getOperand(N), Depth + 1);
    };
    if (const auto *C = dyn_cast<ConstantInt>(V)) {
      Linear L;
      // Far from the ends of 32 bits: see fits().
      if (C->getBitWidth() > 64 || C->getValue().getSignificantBits() > 31)
        return Linear::none();
      L.Constant = C->getSExtValue();
      return L;
    }
    const auto *I = dyn_cast<Instruction>(V);
    if (!I)
      return Linear::none();
    switch (I->getOpcode()) {
    case Instruction::SExt:
    case Instruction::Freeze:
      return Operand(0);
    case Instruction::ZExt: {
      Linear L = Operand(0); // of a negative number it would be another one
      return L.Constant < 0 ? Linear::none() : L;
    }
    case Instruction::Add:
      return sum(Operand(0), Operand(1), 1);
    case Instruction::Sub:
      return sum(Operand(0), Operand(1), -1);
    case Instruction::Or:
      return cast<PossiblyDisjointInst>(I)->isDisjoint()
                 ? sum(Operand(0), Operand(1), 1)
                 : Linear::none();
    case Instruction::Mul:
      return product(Operand(0), Operand(1));
    case Instruction::Shl: {
      const auto *By = dyn_cast<ConstantInt>(I->getOperand(1));
      if (!By || By->getZExtValue() > 24)
        return Linear::none();
      Linear Factor;
      Factor.Constant = int64_t(1) << By->getZExtValue();
      return product(Operand(0), Factor);
    }
    case Instruction::Call:
      return index(*cast<CallInst>(I));
    default:
      return Linear::none();
    }
  }

  static Linear sum(Linear A, const Linear &B, int64_t Sign) {
    if (!A.Valid || !B.Valid || A.Extent >= 0 || B.Extent >= 0)
      return Linear::none();
    A.Constant += Sign * B.Constant;
    for (unsigned K = 0; K != ThreadOwnership::NumIndices; ++K)
      A.Of[K] += Sign * B.Of[K];
    return A;
  }
  static Linear product(Linear A, Linear B) {
    if (!A.Valid || !B.Valid)
      return Linear::none();
    if (!B.isConstant())
      std::swap(A, B);
    if (B.isConstant()) {
      if (A.Extent >= 0)
        return Linear::none();
      constexpr int64_t Large = int64_t(1)
                                << 31; // and no product of two overflows
      if (std::abs(A.Constant) > Large || std::abs(B.Constant) > Large ||
          any_of(A.Of, [](int64_t C) { return std::abs(C) > Large; }))
        return Linear::none();
      A.Constant *= B.Constant;
      for (int64_t &C : A.Of)
        C *= B.Constant;
      return A;
    }
    // blockIdx.a * blockDim.a: becomes an index of the grid with threadIdx.a.
    if (A.Extent < 0)
      std::swap(A, B);
    if (A.Extent < 0 || B.Extent >= 0 || B.Constant || A.Constant)
      return Linear::none();
    Linear Result;
    for (unsigned K = 0; K != ThreadOwnership::NumIndices; ++K)
      if (B.Of[K]) {
        if (K != ThreadOwnership::OfBlock + unsigned(A.Extent))
          return Linear::none();
        Result.Of[ThreadOwnership::InGrid + A.Extent] = B.Of[K];
      }
    return Result;
  }

private:
  Linear index(const CallInst &C) const {
    std::optional<ThreadIdentity> Who = ThreadIdentity::of(C);
    if (!Who)
      return Linear::none();
    Linear L;
    switch (Who->Asks) {
    case ThreadIdentity::ThreadIndex:
      L.Of[ThreadOwnership::InBlock + Who->Axis] = 1;
      return L;
    case ThreadIdentity::BlockIndex:
      L.Of[ThreadOwnership::OfBlock + Who->Axis] = 1;
      return L;
    case ThreadIdentity::BlockSize:
      L.Extent = Who->Axis;
      return L;
    case ThreadIdentity::GridSize:
      return Linear::none();
    }
    llvm_unreachable("all questions are answered above");
  }
};

} // namespace

bool ThreadOwnership::analyse(ArrayRef<const Instruction *> Accesses,
                              function_ref<bool(const Argument &)> IsUniform) {
  if (Accesses.empty())
    return false;
  const DataLayout &DL = Accesses.front()->getDataLayout();
  Reader Read;
  struct Place {
    const Argument *Base;
    Linear At;
    uint64_t Size;
  };
  SmallVector<Place, 16> Places;
  for (const Instruction *Access : Accesses) {
    Linear At;
    const auto *M = dyn_cast<AtomicRMWInst>(Access);
    const Value *P =
        M ? M->getPointerOperand() : getLoadStorePointerOperand(Access);
    while (const auto *G = dyn_cast<GEPOperator>(P)) {
      SmallMapVector<Value *, APInt, 4> Offsets;
      APInt Fixed(64, 0);
      if (!G->collectOffset(DL, 64, Offsets, Fixed))
        return false;
      At.Constant += Fixed.getSExtValue();
      for (auto &[V, Scale] : Offsets) {
        Linear Factor;
        Factor.Constant = Scale.getSExtValue();
        At = Reader::sum(At, Reader::product(Read.read(V), Factor), 1);
        if (!At.Valid)
          return false;
      }
      P = G->getPointerOperand();
    }
    const auto *Base = dyn_cast<Argument>(P);
    if (!Base || !IsUniform(*Base))
      return false;
    Places.push_back(
        {Base, At, DL.getTypeStoreSize(Access->getType()).getFixedValue()});
  }
  // One form for all, but for the constant.
  Linear Form = Places.front().At;
  for (const Place &P : Places) {
    if (!std::equal(std::begin(Form.Of), std::end(Form.Of),
                    std::begin(P.At.Of)))
      return false;
    Found.Size = std::max(Found.Size, P.Size);
    Found.Reach = std::max<uint64_t>(Found.Reach, std::abs(P.At.Constant));
    if (!is_contained(Found.Bases, P.Base))
      Found.Bases.push_back(P.Base);
  }
  if (Found.Reach >= uint64_t(1) << 40)
    return false;
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    int64_t &Thread = Form.Of[InBlock + Axis], &Block = Form.Of[OfBlock + Axis],
            &Grid = Form.Of[InGrid + Axis];
    if (Grid) {
      if (Grid != Thread || Block)
        return false;
      Thread = 0;
    } else {
      Found.Single |= !Thread ? 1u << Axis : 0;
      Found.Single |= !Block ? 8u << Axis : 0;
    }
  }
  for (unsigned K = 0; K != NumIndices; ++K) {
    if (Form.Of[K] < 0 || Form.Of[K] >= int64_t(1) << 32)
      return false;
    if (Form.Of[K])
      Found.Order.push_back({K, uint64_t(Form.Of[K])});
  }
  llvm::stable_sort(Found.Order, [](const auto &A, const auto &B) {
    return A.second < B.second;
  });
  if (Found.Order.empty() || Found.Order.front().second < Found.Size)
    return false;
  for (const Place &A : Places)
    for (const Place &B : Places)
      if (A.Base == B.Base && A.At.Constant != B.At.Constant) {
        uint64_t D = std::abs(A.At.Constant - B.At.Constant);
        Found.Distance = Found.Distance ? std::min(Found.Distance, D) : D;
      }
  return true;
}
