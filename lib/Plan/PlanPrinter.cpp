//===- PlanPrinter.cpp - the plan as text, and its verifier ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form that tests and reviewers read: per scope its storage and slots, then
// every need with how it is met. The verifier follows the same recipes that
// emission will follow.
//
//===----------------------------------------------------------------------===//

#include "Plan/DeferredLoops.h"
#include "Plan/DerivativePlan.h"
#include "Rules/Rules.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

static void printNeed(raw_ostream &OS, Need N) {
  switch (N.K) {
  case Need::Primal:
    break;
  case Need::Shadow:
    OS << "shadow of ";
    break;
  case Need::Pred:
    OS << "predecessor of ";
    break;
  case Need::Tape:
    OS << "tape of ";
    break;
  case Need::Count:
    OS << "count of ";
    break;
  case Need::Last:
    OS << "last choice of ";
    break;
  case Need::Won:
    OS << "extremum of ";
    break;
  case Need::Final:
    OS << "last value of ";
    break;
  case Need::Records:
    OS << "records of ";
    break;
  case Need::Snapshot:
    OS << "array read by ";
    break;
  }
  N.Of->printAsOperand(OS, false);
}

void DerivativePlan::print(raw_ostream &OS) const {
  OS << "plan for " << primal().getName()
     << (isSplit() ? " (split)" : " (joint)") << ":\n";
  for (const Refusal &R : Refusals)
    OS << "  refused: " << R.Detail << " at" << *R.At << '\n';
  if (!Refusals.empty())
    return;
  auto PrintScope = [&](const Loop *L) {
    const Scope &S = scope(L);
    if (S.Slots.empty())
      return;
    OS << "  scope ";
    if (L)
      L->getHeader()->printAsOperand(OS, false);
    else
      OS << "function";
    OS << ": " << S.Bytes << " bytes"
       << (!L              ? ""
           : isDeferred(L) ? " of one iteration"
           : S.InRecords   ? " per iteration, array of records"
           : S.IsArray     ? " per iteration, arrays"
                           : " per iteration, records");
    if (S.Nest && S.Nest != L) {
      OS << " over all of ";
      S.Nest->getHeader()->printAsOperand(OS, false);
    }
    if (S.InFrame)
      OS << " in the frame";
    if (S.Reused)
      OS << ", used again";
    OS << '\n';
    for (const Slot &Sl : S.Slots) {
      OS << "    +" << Sl.Offset << ' ' << *Sl.Ty << ' ';
      printNeed(OS, Sl.Holds);
      OS << '\n';
    }
  };
  for (const Loop *L : Deferred.Loops) {
    OS << "  loop ";
    L->getHeader()->printAsOperand(OS, false);
    OS << (runsAgain(L) ? " runs again in the reverse sweep"
                        : " runs in the reverse sweep")
       << (carriesResults(L) ? " and carries its results\n" : "\n");
  }
  for (const RunningPivot *R : Settled)
    if (How.settledBy(R->Pivot)) {
      OS << "  last of all: ";
      R->Pivot->printAsOperand(OS, false);
      OS << '\n';
    }
  PrintScope(nullptr);
  for (const Loop *L : shape().loops().getLoopsInPreorder())
    PrintScope(L);
  for (const Original &O : Originals)
    if (O.Used) {
      OS << "  kept by place: ";
      O.Load->printAsOperand(OS, false);
      OS << '\n';
    }
  for (auto &[N, Blocks] : Tape.needs()) {
    OS << "  need ";
    printNeed(OS, N);
    Recipe R = recipe(N);
    OS << (isKept(N)                  ? ": keep"
           : R.K == Recipe::Available ? ": at hand"
                                      : ": recompute")
       << '\n';
  }
  for (Instruction &I : instructions(primal()))
    if (auto *C = dyn_cast<CallBase>(&I);
        C && shape().isLive(C->getParent()) &&
        action(*C) == CallAction::Derivative) {
      OS << "  call ";
      calleeRequest(*C).print(OS);
      OS << '\n';
    }
}

std::optional<std::string> DerivativePlan::verify() const {
  std::string Problem;
  raw_string_ostream OS(Problem);
  // Follows recipes from N; Depth bounds a recipe that leads to itself, which
  // emission would follow for ever.
  DenseSet<Need> Done;
  SmallVector<std::pair<Need, const BasicBlock *>, 16> Work;
  for (auto &[N, Blocks] : Tape.needs())
    for (const BasicBlock *B : Blocks)
      Work.push_back({N, B});
  while (!Work.empty()) {
    auto [N, B] = Work.pop_back_val();
    N = canonical(N);
    // Read outside of the loops it varies with, a slot would be that of no
    // particular iteration.
    if (const Loop *L = scopeOf(N); L && !L->contains(B)) {
      printNeed(OS, N);
      OS << " is needed outside of its loop, in ";
      B->printAsOperand(OS, false);
      return Problem;
    }
    if (isKept(N) || !Done.insert(N).second)
      continue;
    Recipe R = recipe(N);
    if (R.K == Recipe::Source) {
      printNeed(OS, N);
      OS << " is neither kept nor can it be made";
      return Problem;
    }
    for (Need In : R.Inputs)
      if (!isa<Constant>(In.Of))
        Work.push_back({In, B});
  }
  DenseSet<Need> Read = Tape.readable();
  LoopDeferral Deferral(Subject, Calls, How, Deferred, unneededStores(), Read);
  SmallVector<const StoreInst *, 4> Once;
  for (const Loop *L : Deferred.Loops)
    if (LateUses Late; runsAgain(L) ? !Deferral.canRunAgain(*L, Once)
                                    : !Deferral.isDeferrable(*L, Late) ||
                                          Late.any() != carriesResults(L)) {
      L->getHeader()->printAsOperand(OS, false);
      OS << " cannot run backwards";
      return Problem;
    }
  return std::nullopt;
}
