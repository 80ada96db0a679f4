//===- ProgramTeams.cpp - teams and messages of a call graph --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which functions threads of a team run, and which take part in messages of
// other processes.
//
//===----------------------------------------------------------------------===//

#include "Analysis/ProgramFacts.h"
#include "Catalogue/Catalogue.h"
#include "Support/CallBinding.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

/// A function that forks hands all that it calls to a team. Work that is shared
/// outside of any fork seen here belongs to a team of the caller's: then all
/// functions run in it.
void ProgramFacts::findTeams(ArrayRef<Function *> Functions) {
  SmallVector<const Function *, 8> Work;
  auto Reach = [&](const Function *From, auto Enters) {
    SmallPtrSet<const Function *, 8> Found;
    if (Enters(*From) && Found.insert(From).second)
      Work.push_back(From);
    while (!Work.empty())
      for (const Instruction &I : instructions(*Work.pop_back_val())) {
        const auto *C = dyn_cast<CallBase>(&I);
        const Function *Callee = C ? directCallee(*C) : nullptr;
        const Function *Body = Callee ? PreparedOf(Callee) : nullptr;
        if (Body && Enters(*Body) && Found.insert(Body).second)
          Work.push_back(Body);
      }
    return Found;
  };
  auto Forks = [](const Function &F) { return runsElsewhere(F); };
  if (Functions.empty())
    return;
  auto Outside =
      Reach(Functions.front(), [&](const Function &F) { return !Forks(F); });
  bool Orphans = any_of(Outside, [&](const Function *F) {
    return any_of(instructions(*F), [&](const Instruction &I) {
      const OperationRecord *R = isa<CallBase>(I) ? Cat.lookup(I) : nullptr;
      return R && (R->Id == "team_worksharing" || R->Id == "team_barrier" ||
                   R->Id == "task_barrier");
    });
  });
  // Who starts a thread goes on, and so may all that calls it.
  StartsThreads =
      any_of(Functions, [](const Function *F) { return startsWork(*F); });
  UsesPool =
      any_of(Functions, [](const Function *F) { return runsInPool(*F); });
  HasOtherTeams = Orphans || any_of(Functions, [](const Function *F) {
                    return bindingOf(*F) == CallBinding::Team ||
                           bindingOf(*F) == CallBinding::Task;
                  });
  Orphans |= StartsThreads;
  for (const Function *F : Functions)
    if (Orphans)
      InTeam.insert(F);
    else if (Forks(*F))
      InTeam.insert_range(Reach(F, [](const Function &) { return true; }));
  for (const Function *F : InTeam) {
    if (Orphans)
      InTeams.insert(F);
    for (const Instruction &I : instructions(*F)) {
      const auto *C = dyn_cast<CallBase>(&I);
      const Function *Callee = C ? directCallee(*C) : nullptr;
      const Function *Body = Callee ? PreparedOf(Callee) : nullptr;
      if (Body && Forks(*Body))
        InTeams.insert_range(
            Reach(Body, [](const Function &) { return true; }));
    }
  }
  auto WaitsAt = [&](const Instruction &I) {
    const auto *C = dyn_cast<CallBase>(&I);
    if (!C)
      return false;
    if (const OperationRecord *R = Cat.lookup(I))
      return R->Handler == HandlerKind::Protocol;
    const Function *Callee = directCallee(*C);
    return Callee && Waits.contains(PreparedOf(Callee));
  };
  for (bool Grew = true; Grew;) {
    Grew = false;
    for (const Function *F : InTeam)
      if (!Waits.contains(F) && any_of(instructions(*F), WaitsAt))
        Grew |= Waits.insert(F).second;
  }
}

bool ProgramFacts::communicates(const CallBase &C) const {
  if (const OperationRecord *R = Cat.lookup(C)) {
    if (!R->Communicates)
      return false;
    if (R->Text == "standing")
      return true;
    bool Moves = false;
    for (unsigned Op = 0; Op != C.arg_size(); ++Op) {
      if (movesNumbers(C, Op, *R))
        return true;
      Moves |= R->memoryBehind(Op).Element != 0;
    }
    return !Moves; // waits for what others have started
  }
  const Function *Callee = directCallee(C);
  const Function *Body = Callee ? PreparedOf(Callee) : nullptr;
  return Body && Communicates.contains(Body);
}

bool ProgramFacts::movesNumbers(const CallBase &C, unsigned Op,
                                const OperationRecord &R) const {
  char Element = elementBehind(C, Op, R);
  if (Element != 'B')
    return Element && Element != 'I';
  std::optional<TypeAnalysis::Pattern> Bytes =
      Types.patternAt(C.getArgOperand(Op));
  return !Bytes || !all_of(Bytes->Leaves, [](const TypedLeaf &L) {
    return L.Kind.K == ByteKind::Integer;
  });
}

void ProgramFacts::findMessages(ArrayRef<Function *> Functions) {
  for (bool Grew = true; Grew;) {
    Grew = false;
    for (const Function *F : Functions)
      if (!Communicates.contains(F) &&
          any_of(instructions(*F), [&](const Instruction &I) {
            const auto *C = dyn_cast<CallBase>(&I);
            return C && communicates(*C);
          }))
        Grew |= Communicates.insert(F).second;
  }
}
