//===- PlanRemarks.cpp - the plan told at the user's lines ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/PlanRemarks.h"
#include "Diagnostics/RequestTrail.h"
#include "Plan/DerivativePlan.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace retrograd;

namespace {

class Teller {
public:
  Teller(const DerivativePlan &Plan, const OverwriteAnalysis &Overwrite,
         OptimizationRemarkEmitter &ORE)
      : Plan(Plan), Overwrite(Overwrite), ORE(ORE) {}
  void run();

private:
  void tellSlot(const Slot &S, const Scope &Of);
  void tellRecomputed(Need N);
  void tellLoop(const Loop &L);
  void tellAccumulation(const LoadInst &L);
  std::string why(Need N, std::string &Advice) const;

  const DerivativePlan &Plan;
  const OverwriteAnalysis &Overwrite;
  OptimizationRemarkEmitter &ORE;
};

} // namespace

/// The first place with a line in B, or null.
static const Instruction *placed(const BasicBlock *B) {
  for (const Instruction &I : *B)
    if (I.getDebugLoc() && I.getDebugLoc().getLine())
      return &I;
  return nullptr;
}

/// Where a need is told: a phi has no line of its own.
static const Instruction *placeOf(Need N) {
  if (const auto *B = dyn_cast<BasicBlock>(N.Of))
    return placed(B);
  const auto *I = dyn_cast<Instruction>(N.Of);
  if (!I)
    return nullptr;
  if (I->getDebugLoc() && I->getDebugLoc().getLine())
    return I;
  // The last of what comes in is what the loop or branch made of it.
  const Instruction *Last = nullptr;
  if (const auto *Phi = dyn_cast<PHINode>(I))
    for (const Value *V : Phi->incoming_values())
      if (const auto *In = dyn_cast<Instruction>(V);
          In && In->getDebugLoc() && In->getDebugLoc().getLine() &&
          (!Last ||
           In->getDebugLoc().getLine() > Last->getDebugLoc().getLine()))
        Last = In;
  return Last ? Last : placed(I->getParent());
}

static unsigned lineOf(const Instruction *I) {
  return I && I->getDebugLoc() ? I->getDebugLoc().getLine() : 0;
}

static unsigned lineOf(const Loop &L) {
  if (DebugLoc Start = L.getStartLoc())
    return Start.getLine();
  return lineOf(placed(L.getHeader()));
}

static std::string atLine(const Instruction *I) {
  return lineOf(I) ? " in line " + std::to_string(lineOf(I)) : "";
}

/// In the words of a reader of C; the names of LLVM's instructions are for
/// those who know it.
static std::string operationName(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::Add:
    return "an addition";
  case Instruction::FSub:
  case Instruction::Sub:
    return "a subtraction";
  case Instruction::FMul:
  case Instruction::Mul:
    return "a multiplication";
  case Instruction::FDiv:
  case Instruction::SDiv:
  case Instruction::UDiv:
    return "a division";
  case Instruction::FRem:
  case Instruction::SRem:
  case Instruction::URem:
    return "a remainder";
  case Instruction::FNeg:
    return "a change of sign";
  case Instruction::Select:
    return "a choice";
  case Instruction::FCmp:
  case Instruction::ICmp:
    return "a comparison";
  case Instruction::GetElementPtr:
    return "an address computation";
  case Instruction::ExtractElement:
  case Instruction::InsertElement:
  case Instruction::ShuffleVector:
  case Instruction::ExtractValue:
  case Instruction::InsertValue:
    return "a selection of elements";
  default:
    return isa<CastInst>(I) ? "a conversion" : std::string(I.getOpcodeName());
  }
}

static std::string nameOf(Need N) {
  switch (N.K) {
  case Need::Shadow:
    return "the address of a derivative";
  case Need::Pred:
    return "which branch led here";
  case Need::Tape:
    return "the tape of a call";
  case Need::Count:
    return "the number of iterations of a loop";
  case Need::Last:
    return "the iteration that a loop chose";
  case Need::Won:
    return "which iteration has the minimum or maximum";
  case Need::Final:
    return "the last maximum or minimum of a loop";
  case Need::Records:
    return "the address of a loop's storage";
  case Need::Snapshot:
    return "the address of a copy of an array";
  case Need::Primal:
    break;
  }
  if (isa<Argument>(N.Of))
    return "an argument";
  const auto *I = cast<Instruction>(N.Of);
  if (isa<LoadInst>(I))
    return "a number that was read from memory";
  if (isa<PHINode>(I))
    return "a variable that changes in a loop or branch";
  if (const auto *C = dyn_cast<CallBase>(I))
    if (const Function *F = directCallee(*C)) {
      if (!F->isIntrinsic())
        return "the result of " + userName(*F);
      StringRef Base = Intrinsic::getBaseName(F->getIntrinsicID());
      Base.consume_front("llvm.");
      return "the result of " + Base.str();
    }
  return "the result of " + operationName(*I);
}

std::string Teller::why(Need N, std::string &Advice) const {
  switch (N.K) {
  case Need::Pred:
    return "no single condition tells it in the reverse sweep";
  case Need::Tape:
    Advice =
        "a callee that is small enough to be inlined has no tape of its own";
    return "the called function has a derivative of its own";
  case Need::Count:
    return "it is not a constant";
  case Need::Last:
  case Need::Won:
    return "it tells which of the iterations has a derivative";
  case Need::Final:
    return "the loop is reversed with it alone";
  case Need::Records:
    return "the loop keeps values";
  case Need::Snapshot:
    return "the loops behind it read the array, which is overwritten later";
  case Need::Primal:
  case Need::Shadow:
    break;
  }
  const auto *I = dyn_cast<Instruction>(N.Of);
  if (!I)
    return "the reverse sweep is a function of its own";
  if (const auto *L = dyn_cast<LoadInst>(I)) {
    const Instruction *W = Overwrite.overwriter(*L);
    if (!W)
      return Plan.recipe(N).K == Recipe::Compute
                 ? "reading it again would need more on the tape"
                 : "the caller may write there before the reverse sweep";
    const Value *From = getUnderlyingObject(L->getPointerOperand(), 0);
    const Value *To =
        getLoadStorePointerOperand(W)
            ? getUnderlyingObject(getLoadStorePointerOperand(W), 0)
            : nullptr;
    if (To && From != To && isa<Argument>(From) != isa<Argument>(To))
      Advice = "declare the pointer parameter restrict if no other pointer "
               "leads to its memory";
    else if (To && From != To && isa<Argument>(From) && isa<Argument>(To))
      Advice = "declare both pointer parameters restrict if their memory never "
               "overlaps";
    return "the memory may be written" + atLine(W) +
           " before the reverse sweep";
  }
  if (isa<PHINode>(I))
    return "it depends on iterations or branches that are not run again";
  if (isa<CallBase>(I))
    return "calling it again would cost more than keeping its result";
  return Plan.recipe(N).K == Recipe::Compute
             ? "the values that it is computed from take more memory"
             : "it cannot be computed again";
}

void Teller::tellSlot(const Slot &S, const Scope &Of) {
  const Instruction *At = placeOf(S.Holds);
  // In a joint derivative what the function keeps once stays in registers.
  if (!At || ((!Of.Of || Plan.isDeferred(Of.Of)) && !Plan.isSplit()))
    return;
  const uint64_t Bytes =
      At->getDataLayout().getTypeAllocSize(S.Ty).getFixedValue();
  std::string Advice, Why = why(S.Holds, Advice);
  ORE.emit([&] {
    OptimizationRemark R("retrograd", "Kept", At);
    R << "keeps " << nameOf(S.Holds) << ": " << ore::NV("Bytes", Bytes)
      << (Bytes == 1 ? " byte per " : " bytes per ");
    if (Of.Of)
      R << "iteration of the loop in line " << ore::NV("Per", lineOf(*Of.Of))
        << ", in "
        << ore::NV("Storage", Of.IsArray ? "arrays" : "linked records");
    else
      R << "call";
    R << ", because " << ore::NV("Why", Why);
    if (!Advice.empty())
      R << "; " << ore::NV("Advice", Advice);
    return R;
  });
}

void Teller::tellRecomputed(Need N) {
  if (N.K != Need::Primal)
    return;
  const Instruction *At = placeOf(N);
  if (!At)
    return;
  ORE.emit([&] {
    return OptimizationRemark("retrograd", "Recomputed", At)
           << (isa<LoadInst>(N.Of) ? "reads the number from memory"
                                   : "computes " + nameOf(N))
           << " again in the reverse sweep";
  });
}

void Teller::tellAccumulation(const LoadInst &L) {
  StringRef Why = Plan.reasonOfAccumulation(L);
  if (Why.empty())
    return;
  Accumulation Kind = Plan.accumulation(L);
  ORE.emit([&] {
    return OptimizationRemark("retrograd", "Accumulated", &L)
           << "adds to the derivative of what is read here "
           << ore::NV("How",
                      Kind == Accumulation::Whole ? "atomically"
                      : Kind == Accumulation::InOrder
                          ? "after the threads with greater numbers"
                      : Kind == Accumulation::Plain
                          ? "without atomic operations"
                          : "without atomic operations: where several threads "
                            "read a place, each adds to its own copy")
           << ", because " << ore::NV("Why", Why);
  });
}

void Teller::tellLoop(const Loop &L) {
  const Scope &S = Plan.scope(&L);
  const Instruction *At = placed(L.getHeader());
  if (!At || S.IsArray || S.Slots.empty() || Plan.isDeferred(&L))
    return;
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  const Instruction *Decides = nullptr;
  for (const BasicBlock *B : Exiting)
    if (isa<SCEVCouldNotCompute>(Plan.shape().evolution().getExitCount(&L, B)))
      Decides = B->getTerminator();
  ORE.emit([&] {
    OptimizationRemark R("retrograd", "Loop", At);
    R << "keeps one linked record per iteration of the loop in line "
      << ore::NV("Line", lineOf(L)) << ", because "
      << ore::NV("Why",
                 "its number of iterations is not known before it starts" +
                     (Decides ? "; the exit" + atLine(Decides) +
                                    " depends on what it computes"
                              : std::string()))
      << "; "
      << ore::NV("Advice", "a loop whose number of iterations is known before "
                           "it starts keeps arrays, which can be vectorised");
    return R;
  });
}

void Teller::run() {
  auto Scopes = [&](const Loop *L) {
    for (const Slot &S : Plan.scope(L).Slots)
      tellSlot(S, Plan.scope(L));
  };
  Scopes(nullptr);
  for (const Loop *L : Plan.deferredLoops())
    if (const Instruction *At = placed(L->getHeader()))
      ORE.emit([&] {
        return OptimizationRemark("retrograd", "Deferred", At)
               << "runs the loop in line " << ore::NV("Line", lineOf(*L))
               << " in the reverse sweep: each iteration runs just before its "
                  "reverse, so that the values of one iteration are kept at "
                  "a time";
      });
  for (const Loop *L : Plan.shape().loops().getLoopsInPreorder()) {
    Scopes(L);
    tellLoop(*L);
  }
  for (const BasicBlock &B : Plan.primal())
    for (const Instruction &I : B)
      if (const auto *L = dyn_cast<LoadInst>(&I);
          L && Plan.shape().isLive(&B) && hasReverse(I, Plan.activity()))
        tellAccumulation(*L);
  for (Need N : Plan.needs())
    if (!Plan.isKept(N) && Plan.recipe(N).K == Recipe::Compute)
      tellRecomputed(N);
}

void retrograd::remark(const DerivativePlan &Plan,
                       const OverwriteAnalysis &Overwrite) {
  OptimizationRemarkEmitter ORE(&Plan.primal());
  if (ORE.allowExtraAnalysis("retrograd"))
    Teller(Plan, Overwrite, ORE).run();
}
