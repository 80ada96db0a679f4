//===- SeveralAtOnce.cpp - iterations that wait for memory together -------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem: An iteration of a reverse loop takes an adjoint from memory, or
// loads what the primal loaded, computes and adds to others. An exchange is a
// round trip to the cache of the whole device, some 700 cycles, a load to
// memory as long, and the next iteration's begins when this one's is over:
// ptxas unrolls loops of loads, as primals are, but none with an atomic
// operation.
//
// Method: Such loops are marked for LLVM to unroll, four iterations at a time.
// What they load and take then stands in one block of code, and loads-first
// brings it in front of what they add.
//
// Not handled: loops in which lanes of a warp work together, since iterations
// that are left over would run apart.
//
//===----------------------------------------------------------------------===//

#include "Polish/PolishSteps.h"
#include "Target/Target.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace retrograd;

/// Iterations at a time: what a warp of 40 registers can hold of exchanges
/// without running fewer warps.
static constexpr unsigned AtOnce = 4;
/// Instructions of an iteration, before the libraries' functions are inlined.
static constexpr unsigned Most = 60;

/// What an iteration waits for: an exchange that takes an adjoint, or a load
/// of memory that all threads share.
static bool waits(const Instruction &I, const Target &T) {
  if (const auto *Load = dyn_cast<LoadInst>(&I)) {
    const Value *From = getUnderlyingObject(Load->getPointerOperand());
    MemorySpace Space = T.spaceOf(*From);
    return Space == MemorySpace::Global ||
           (Space == MemorySpace::Generic && !isa<AllocaInst>(From));
  }
  const auto *A = dyn_cast<AtomicRMWInst>(&I);
  return A && A->getOperation() == AtomicRMWInst::Xchg && !A->use_empty();
}

/// What keeps ptxas from unrolling a loop.
static bool isAtomic(const Instruction &I) { return isa<AtomicRMWInst>(I); }

static bool isWorthIt(const Loop &L, ScalarEvolution &SE, const Target &T) {
  if (!L.isInnermost() || findOptionMDForLoop(&L, "llvm.loop.unroll.disable"))
    return false;
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute, SCEVConstant>(Count))
    return false;
  unsigned Size = 0;
  bool Waits = false, Atomic = false;
  for (const BasicBlock *B : L.blocks())
    for (const Instruction &I : *B) {
      const auto *C = dyn_cast<CallBase>(&I);
      if (++Size > Most || (C && (C->isConvergent() || C->isInlineAsm())))
        return false;
      Waits |= waits(I, T);
      Atomic |= isAtomic(I);
    }
  return Waits && Atomic;
}

bool retrograd::runSeveralAtOnce(Function &F, FunctionAnalysisManager &FAM) {
  Target T(*F.getParent());
  if (!T.addsWithoutResult())
    return false;
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  bool Any = false;
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    if (isWorthIt(*L, SE, T)) {
      addStringMetadataToLoop(L, "llvm.loop.unroll.count", AtOnce);
      Any = true;
    }
  return Any;
}
