//===- Apart.cpp - pointers to one of several objects ---------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/Apart.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

bool retrograd::areApart(
    const Value *P, const Value *Q, const LoopInfo &LI,
    function_ref<bool(const MemoryLocation &, const MemoryLocation &)>
        IsNoAlias) {
  SmallVector<const Value *, 4> Ps, Qs;
  getUnderlyingObjects(P, Ps, &LI, /*MaxLookup=*/0);
  getUnderlyingObjects(Q, Qs, &LI, /*MaxLookup=*/0);
  auto IsNone = [](const Value *V) { return isa<UndefValue>(V); };
  erase_if(Ps, IsNone);
  erase_if(Qs, IsNone);
  return all_of(Ps, [&](const Value *A) {
    return all_of(Qs, [&](const Value *B) {
      return IsNoAlias(MemoryLocation::getBeforeOrAfter(A),
                       MemoryLocation::getBeforeOrAfter(B));
    });
  });
}
