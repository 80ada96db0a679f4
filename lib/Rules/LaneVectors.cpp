//===- LaneVectors.cpp - vectors that hold several lanes ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules/LaneVectors.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

unsigned retrograd::elementCount(Type *T) {
  auto *V = dyn_cast<FixedVectorType>(T);
  return V ? V->getNumElements() : 1;
}

Value *retrograd::repeatElements(IRBuilderBase &B, Value *V, unsigned Times) {
  if (Times == 1)
    return V;
  if (!V->getType()->isVectorTy())
    return B.CreateVectorSplat(Times, V);
  SmallVector<int, 32> Mask;
  for (unsigned I = 0, E = elementCount(V->getType()); I != E; ++I)
    Mask.append(Times, int(I));
  return B.CreateShuffleVector(V, Mask);
}
