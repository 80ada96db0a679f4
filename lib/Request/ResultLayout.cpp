//===- ResultLayout.cpp - numbers in the types of a call ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Request/ResultLayout.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"

using namespace llvm;
using namespace retrograd;

static bool holds(Type *T, function_ref<bool(Type *)> What) {
  if (What(T))
    return true;
  return any_of(T->subtypes(), [&](Type *Sub) { return holds(Sub, What); });
}
bool retrograd::holdsFloat(Type *T) {
  return holds(T, [](Type *Sub) { return Sub->isFloatingPointTy(); });
}
bool retrograd::holdsPointer(Type *T) {
  return holds(T, [](Type *Sub) { return Sub->isPointerTy(); });
}

std::string retrograd::describe(Type *T) {
  if (T->isPointerTy())
    return "a pointer";
  if (T->isDoubleTy())
    return "a double";
  if (T->isFloatTy())
    return "a float";
  if (T->isX86_FP80Ty() || T->isFP128Ty() || T->isPPC_FP128Ty())
    return "a long double";
  if (T->isHalfTy() || T->isBFloatTy())
    return "a 16-bit floating-point number";
  if (T->isIntegerTy())
    return "an integer of " + std::to_string(T->getIntegerBitWidth()) + " bits";
  if (T->isVoidTy())
    return "nothing";
  if (T->isVectorTy())
    return "a vector or small struct (" + DiagArg(T).Text + ")";
  return "a struct (" + DiagArg(T).Text + ")";
}

std::string retrograd::spell(Type *T) {
  if (T->isPointerTy())
    return "pointer";
  if (T->isIntegerTy())
    return std::to_string(T->getIntegerBitWidth()) + "-bit integer";
  if (T->isX86_FP80Ty() || T->isFP128Ty() || T->isPPC_FP128Ty())
    return "long double";
  return DiagArg(T).Text;
}

namespace {

/// One scalar at its offset.
struct Leaf {
  uint64_t Offset;
  Type *Ty;
};

} // namespace

/// The scalars of a type as they lie in memory. PackVectors: a vector is what
/// clang made of a small struct, so it is aligned as its elements are.
static void flatten(Type *T, uint64_t Offset, const DataLayout &DL,
                    SmallVectorImpl<Leaf> &Leaves) {
  if (auto *S = dyn_cast<StructType>(T)) {
    const StructLayout *Layout = DL.getStructLayout(S);
    for (unsigned I = 0; I < S->getNumElements(); ++I)
      flatten(S->getElementType(I), Offset + Layout->getElementOffset(I), DL,
              Leaves);
    return;
  }
  Type *Element = nullptr;
  uint64_t Count = 0;
  if (auto *A = dyn_cast<ArrayType>(T)) {
    Element = A->getElementType();
    Count = A->getNumElements();
  } else if (auto *V = dyn_cast<FixedVectorType>(T)) {
    Element = V->getElementType();
    Count = V->getNumElements();
  }
  if (!Element) {
    Leaves.push_back({Offset, T});
    return;
  }
  uint64_t Stride = DL.getTypeAllocSize(Element);
  for (uint64_t I = 0; I < Count && I < 4096; ++I)
    flatten(Element, Offset + I * Stride, DL, Leaves);
}

static Align alignmentOf(Type *T, bool PackVectors, const DataLayout &DL) {
  if (auto *V = dyn_cast<VectorType>(T); V && PackVectors)
    return DL.getABITypeAlign(V->getElementType());
  return DL.getABITypeAlign(T);
}

uint64_t retrograd::layOut(MutableArrayRef<EntryResult> Results,
                           bool PackVectors, const DataLayout &DL) {
  uint64_t Offset = 0;
  for (EntryResult &R : Results) {
    Offset = alignTo(Offset, alignmentOf(R.Ty, PackVectors, DL));
    R.Offset = Offset;
    // A long double's padding belongs to it, as in an array.
    Offset += R.Bytes ? R.Bytes
              : R.Ty->isX86_FP80Ty()
                  ? DL.getTypeAllocSize(R.Ty).getFixedValue()
                  : DL.getTypeStoreSize(R.Ty).getFixedValue();
  }
  return Offset;
}

bool retrograd::fits(ArrayRef<EntryResult> Results, uint64_t End,
                     Type *Declared, const DataLayout &DL) {
  SmallVector<Leaf, 8> Want, Have;
  // What a result takes as a whole may be declared as anything.
  uint64_t Free = 0;
  for (const EntryResult &R : Results)
    if (R.Bytes)
      Free = R.Offset + R.Bytes;
    else
      flatten(R.Ty, R.Offset, DL, Want);
  flatten(Declared, 0, DL, Have);
  erase_if(Have, [&](const Leaf &L) {
    return L.Offset + DL.getTypeStoreSize(L.Ty) <= Free;
  });
  // Clang pads the last element of a coerced struct to a full register: the
  // leaves say what is there, the size may only differ by padding.
  uint64_t Size = DL.getTypeAllocSize(Declared).getFixedValue();
  if (End > Size || Size - End >= 16)
    return false;
  size_t J = 0;
  for (const Leaf &W : Want) {
    uint64_t WantEnd = W.Offset + DL.getTypeStoreSize(W.Ty);
    while (J < Have.size() &&
           Have[J].Offset + DL.getTypeStoreSize(Have[J].Ty) <= W.Offset) {
      // A number of the declared result that nothing would be written to.
      ++J;
    }
    if (J == Have.size())
      return false;
    const Leaf &H = Have[J];
    uint64_t HaveEnd = H.Offset + DL.getTypeStoreSize(H.Ty);
    bool Same = H.Ty == W.Ty && H.Offset == W.Offset;
    bool Covered =
        H.Ty->isIntegerTy() && H.Offset <= W.Offset && WantEnd <= HaveEnd;
    if (!Same && !Covered)
      return false;
  }
  // Every declared number must be one of ours.
  for (const Leaf &H : Have)
    if (H.Ty->isFloatingPointTy() && none_of(Want, [&](const Leaf &W) {
          return W.Offset == H.Offset && W.Ty == H.Ty;
        }))
      return false;
  return true;
}
