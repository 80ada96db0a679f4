//===- ThreadModel.cpp - who runs a function at the same time -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/ThreadModel.h"
#include "Analysis/ProgramFacts.h"
#include "Target/Target.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace retrograd;

ThreadModel::ThreadModel(const Function &F, const ProgramFacts &Facts,
                         const Options &Opts)
    : Kind(Target(*F.getParent()).manyThreads()      ? Grid
           : Facts.isInTeam(F) || Opts.SharedShadows ? Team
                                                     : Alone) {}

/// An alloca of a kernel is one thread's by what it is. On the host its address
/// may have gone where others find it.
bool ThreadModel::isHidden(const Value *Object) const {
  if (Kind == Grid)
    return isa<AllocaInst>(Object);
  if (!isa<AllocaInst>(Object) && !isNoAliasCall(Object))
    return false;
  auto [It, New] = Hidden.try_emplace(Object, false);
  if (New) {
    bool Captured = PointerMayBeCaptured(Object, /*ReturnCaptures=*/false);
    return Hidden[Object] = !Captured;
  }
  return It->second;
}

bool ThreadModel::isOwn(const Value *P, const LoopInfo *LI) const {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(P, Objects, LI, /*MaxLookup=*/0);
  return all_of(Objects, [&](const Value *O) { return isHidden(O); });
}
