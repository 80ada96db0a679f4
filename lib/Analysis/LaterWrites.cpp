//===- LaterWrites.cpp - what changes after a call has returned -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/LaterWrites.h"
#include "Analysis/LiveBlocks.h"
#include "Analysis/ProgramFacts.h"
#include "Catalogue/Catalogue.h"
#include "Support/CallBinding.h"
#include "Support/ExceptionMarks.h"
#include "Target/Target.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// Sets of objects that are kept of one function at a time: bits. Beyond, all
/// that the function changes is taken to change behind each of its calls.
static constexpr uint64_t MostBits = uint64_t(1) << 31;

LaterWrites::LaterWrites(ArrayRef<Function *> Graph, const ProgramFacts &Facts)
    : Facts(Facts), Functions(Graph.begin(), Graph.end()) {
  if (Functions.empty())
    return;
  AnyTime = Target(*Functions.front()->getParent()).manyThreads() ||
            Facts.startsThreads() || Facts.isInTeam(*Functions.front());
  auto Defers = [&](const Instruction &I) {
    const OperationRecord *R =
        isa<CallBase>(I) ? Facts.catalogue().lookup(I) : nullptr;
    return R && (R->Text.starts_with("device") ||
                 (R->Class == RuleClass::Allocation && !R->Shadow.empty()) ||
                 (R->Handler == HandlerKind::Protocol &&
                  !Facts.isInTeam(*I.getFunction())));
  };
  for (const Function *F : Functions)
    AnyTime = AnyTime || any_of(instructions(*F), Defers);
  if (!AnyTime)
    findLast();
}

/// Frees in the root that run once at most.
void LaterWrites::findLast() {
  const Function &Root = *Functions.front();
  for (const Function *F : Functions)
    for (const Instruction &I : instructions(*F)) {
      const auto *C = dyn_cast<CallBase>(&I);
      const Function *Callee = C ? directCallee(*C) : nullptr;
      if (Callee && Facts.preparedOf(Callee) == &Root)
        return;
    }
  for (auto At = scc_begin(&Root); !At.isAtEnd(); ++At)
    if (!At.hasCycle())
      for (const Instruction &I : *At->front()) {
        const auto *C = dyn_cast<CallBase>(&I);
        const OperationRecord *R = C ? Facts.catalogue().lookup(I) : nullptr;
        if (R && R->Class == RuleClass::Deallocation)
          Last.insert(C);
      }
}

const BitVector &LaterWrites::after(const Function &F) const {
  compute();
  auto It = After.find(&F);
  return It == After.end() ? All : It->second;
}

const BitVector &LaterWrites::own(const Function &F) const {
  compute();
  auto It = Own.find(&F);
  return It == Own.end() ? None : It->second;
}

/// The prepared callee of a call that runs in a derivative, too.
const Function *LaterWrites::calleeOf(const Instruction &I) const {
  const auto *C = dyn_cast<CallBase>(&I);
  const Function *Callee = C ? directCallee(*C) : nullptr;
  const Function *Body = Callee ? Facts.preparedOf(Callee) : nullptr;
  return Body && After.contains(Body) ? Body : nullptr;
}

/// Messages arrive, and requests are started again, where the call says nothing
/// of the memory.
void LaterWrites::findKept() const {
  const TypeAnalysis &Types = Facts.types();
  Global.resize(Types.numObjects());
  Kept.resize(Types.numObjects());
  None.resize(Types.numObjects());
  All.resize(Types.numObjects(), true);
  SmallPtrSet<const GlobalVariable *, 16> Seen;
  for (const Function *F : Functions)
    for (const Instruction &I : instructions(*F)) {
      for (const Value *Op : I.operands())
        if (const auto *G =
                dyn_cast<GlobalVariable>(Op->stripInBoundsOffsets());
            G && Seen.insert(G).second)
          Global |= Facts.reachableFrom(Types.objectOf(G));
      const auto *C = dyn_cast<CallBase>(&I);
      const OperationRecord *R = C ? Facts.catalogue().lookup(I) : nullptr;
      if (R && R->Communicates)
        Kept |= Facts.givenTo(*C);
    }
}

/// What nobody knew before F was called, and nobody can know when it has
/// returned.
BitVector LaterWrites::findOwn(const Function &F) const {
  BitVector Found = Facts.ownedMemory();
  // Other threads, and who catches what is thrown, may know more.
  if (Facts.isInTeam(F) || F.hasFnAttribute(ReturnsExceptions)) {
    Found.reset();
    return Found;
  }
  const TypeAnalysis &Types = Facts.types();
  auto Leaves = [&](const Value &V) {
    if (TypeAnalysis::ObjectId O = Types.objectOf(&V);
        O != TypeAnalysis::NoObject)
      Found.reset(Facts.reachableFrom(O));
  };
  for (const Argument &A : F.args())
    Leaves(A);
  for (const BasicBlock &BB : F)
    if (const auto *R = dyn_cast<ReturnInst>(BB.getTerminator());
        R && R->getReturnValue())
      Leaves(*R->getReturnValue());
  Found.reset(Global);
  Found.reset(Kept);
  Found.reset(Facts.visible());
  Found.reset(Facts.untraceable());
  Found.reset(Facts.unshadowedSources());
  Found.reset(Facts.handled());
  return Found;
}

/// Adds what can run behind each call in the caller to its callee's.
void LaterWrites::addBehindCalls(const Function &Caller) const {
  const SmallPtrSet<const BasicBlock *, 32> Live = blocksThatReturn(Caller);
  auto IsCall = [&](const Instruction &I) { return calleeOf(I) != nullptr; };
  if (none_of(instructions(Caller), IsCall))
    return;
  const unsigned N = Facts.types().numObjects();
  auto AddTo = [&](const Instruction &Call, const BitVector &Behind) {
    if (const Function *Callee = calleeOf(Call))
      After.find(Callee)->second |= Behind;
  };
  if (Caller.size() * uint64_t(N) > MostBits) {
    for (const Instruction &I : instructions(Caller))
      AddTo(I, Facts.effects(&Caller).Changes);
    return;
  }
  // Cycles of blocks, from the last to the first: what they and all that comes
  // behind them change. Equal sets are one.
  using Set = std::shared_ptr<const BitVector>;
  DenseMap<const BasicBlock *, Set> From;
  const Set Nothing = std::make_shared<const BitVector>(None);
  for (auto At = scc_begin(&Caller); !At.isAtEnd(); ++At) {
    Set Behind;
    BitVector Joined;
    for (const BasicBlock *BB : *At)
      for (const BasicBlock *Next : successors(BB)) {
        auto It = From.find(Next); // not there: of this cycle
        if (It == From.end() || It->second == Behind)
          continue;
        if (!Behind) {
          Behind = It->second;
        } else {
          Joined = *Behind;
          Joined |= *It->second;
          Behind = std::make_shared<const BitVector>(Joined);
        }
      }
    if (!Behind)
      Behind = Nothing;
    BitVector Now = *Behind;
    if (At.hasCycle()) {
      for (const BasicBlock *BB : *At)
        if (Live.contains(BB))
          for (const Instruction &I : *BB)
            Facts.addChanges(I, Now);
      for (const BasicBlock *BB : *At)
        if (Live.contains(BB))
          for (const Instruction &I : *BB)
            AddTo(I, Now);
    } else if (const BasicBlock *BB = At->front(); Live.contains(BB)) {
      for (const Instruction &I : reverse(*BB)) {
        AddTo(I, Now);
        Facts.addChanges(I, Now);
      }
    }
    if (Now != *Behind)
      Behind = std::make_shared<const BitVector>(std::move(Now));
    for (const BasicBlock *BB : *At)
      From[BB] = Behind;
  }
}

void LaterWrites::compute() const {
  if (std::exchange(Computed, true))
    return;
  assert(!AnyTime && "nothing is known");
  findKept();
  const unsigned N = Facts.types().numObjects();
  for (const Function *F : Functions)
    After[F].resize(N);
  for (const Function *F : Functions) {
    Own[F] = findOwn(*F);
    BitVector &Later = After.find(F)->second;
    Later |= Kept;
    // The others of a team go on while one is done.
    if (runsElsewhere(*F))
      Later |= Facts.effects(F).Changes;
  }
  for (const Function *F : Functions)
    addBehindCalls(*F);
  // What runs behind the callers' calls: callers before what they call, again
  // while calls that lead back bring more.
  DenseMap<const Function *, SmallSetVector<const Function *, 4>> Callees;
  for (const Function *F : Functions)
    for (const Instruction &I : instructions(*F))
      if (const Function *Callee = calleeOf(I))
        Callees[F].insert(Callee);
  SmallVector<const Function *, 0> Order;
  SmallPtrSet<const Function *, 32> Seen;
  for (const Function *F : Functions) {
    SmallVector<std::pair<const Function *, unsigned>, 32> Path;
    if (Seen.insert(F).second)
      Path.push_back({F, 0});
    while (!Path.empty()) {
      auto &[At, Next] = Path.back();
      const auto &Calls = Callees[At];
      if (Next == Calls.size()) {
        Order.push_back(At);
        Path.pop_back();
      } else if (const Function *Callee = Calls[Next++];
                 Seen.insert(Callee).second) {
        Path.push_back({Callee, 0});
      }
    }
  }
  for (bool Grew = true; Grew;) {
    Grew = false;
    for (const Function *F : reverse(Order)) {
      BitVector Later = After.find(F)->second;
      Later.reset(Own.find(F)->second);
      for (const Function *Callee : Callees[F]) {
        BitVector &OfCallee = After.find(Callee)->second;
        if (Later.test(OfCallee)) {
          OfCallee |= Later;
          Grew = true;
        }
      }
    }
  }
}
