//===- ProgramFacts.cpp - what holds for a whole call graph ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/ProgramFacts.h"
#include "Analysis/KnownOutside.h"
#include "Analysis/LiveBlocks.h"
#include "Catalogue/Catalogue.h"
#include "Catalogue/LibraryNames.h"
#include "Support/CallBinding.h"
#include "Support/DispatchMarks.h"
#include "Support/SourceFact.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

Function *retrograd::directCallee(const CallBase &C) {
  return dyn_cast<Function>(
      C.getCalledOperand()->stripPointerCastsAndAliases());
}

ProgramFacts::ProgramFacts(ArrayRef<Function *> Functions, PreparedOfFn PO,
                           const Catalogue &Cat, const OutsideEvidence *Outside,
                           bool ManySweeps,
                           ArrayRef<OutsideEvidence::HandedIn> Arguments)
    : Cat(Cat), PreparedOf(std::move(PO)),
      Types(Functions, PreparedOf, Cat, Outside), HandedIn(Arguments),
      ManySweeps(ManySweeps) {
  findTeams(Functions);
  findMessages(Functions);
  computeVisible(Functions);
  computeHandled(Functions);
  computeEffects(Functions);
  computeShared(Functions);
  computeOrigins(Functions);
  computeRounding(Functions);
  Root = Functions.empty() ? nullptr : Functions.front();
  Text = std::make_unique<const TextFlow>(Functions, *this);
}

/// A call of which nothing is known: no body, and no record, or one that tells
/// of the derivative only.
static bool isUnknownCall(const Instruction &I, const Catalogue &Cat,
                          const ProgramFacts::PreparedOfFn &PreparedOf) {
  const auto *C = dyn_cast<CallBase>(&I);
  if (const OperationRecord *R = C ? Cat.lookup(I) : nullptr;
      R && R->hasUnknownEffects())
    return !C->onlyAccessesArgMemory();
  return C && !Cat.lookup(I) && !isa<IntrinsicInst>(I) &&
         !(directCallee(*C) && PreparedOf(directCallee(*C)));
}

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

/// A library routine that calls a function of the user.
static bool callsBack(const Instruction &I, const Catalogue &Cat) {
  const OperationRecord *R = isa<CallBase>(I) ? Cat.lookup(I) : nullptr;
  return R && R->CallsBack;
}

/// Calls Visit(pointer, reads, writes) for each memory access of I itself.
template <typename Fn>
static void visitAccesses(const Instruction &I, const Catalogue &Cat,
                          Fn Visit) {
  if (const auto *L = dyn_cast<LoadInst>(&I))
    return Visit(L->getPointerOperand(), true, false);
  if (const auto *S = dyn_cast<StoreInst>(&I))
    return Visit(S->getPointerOperand(), false, true);
  if (const auto *A = dyn_cast<AtomicRMWInst>(&I))
    return Visit(A->getPointerOperand(), true, true);
  if (const auto *A = dyn_cast<AtomicCmpXchgInst>(&I))
    return Visit(A->getPointerOperand(), true, true);
  if (const auto *M = dyn_cast<AnyMemTransferInst>(&I)) {
    Visit(M->getRawDest(), false, true);
    return Visit(M->getRawSource(), true, false);
  }
  if (const auto *M = dyn_cast<AnyMemSetInst>(&I))
    return Visit(M->getRawDest(), false, true);
  if (const auto *C = dyn_cast<CallBase>(&I)) {
    // A catalogued operation touches at most what its pointer operands name.
    const OperationRecord *R = Cat.lookup(I);
    if (R &&
        (R->Class == RuleClass::Handler || R->Class == RuleClass::Inactive) &&
        !R->leavesMemoryAlone())
      for (const auto &[N, A] : enumerate(C->args()))
        if (A->getType()->isPointerTy())
          Visit(A, true, !C->onlyReadsMemory(N));
    // Freed memory holds its bytes no longer: the end of a life is a write.
    if (R && R->Class == RuleClass::Deallocation)
      Visit(C->getArgOperand(R->FreedArg), false, true);
    if (!R && isa<IntrinsicInst>(C) && C->mayReadOrWriteMemory())
      for (const auto &[N, A] : enumerate(C->args()))
        if (A->getType()->isPointerTy())
          Visit(A, true, !C->onlyReadsMemory() && !C->onlyReadsMemory(N));
  }
}

/// An inactive operation that follows the pointers in what its operands point
/// at.
static bool followsPointers(const CallBase &C, const Catalogue &Cat) {
  const OperationRecord *R = Cat.lookup(C);
  return R && R->Class == RuleClass::Inactive && !R->OneStep && !R->Pure &&
         !C.onlyReadsMemory();
}

bool ProgramFacts::changesBehind(const CallBase &C,
                                 TypeAnalysis::ObjectId O) const {
  return followsPointers(C, Cat) &&
         (O == TypeAnalysis::NoObject || Handled.test(O));
}

bool ProgramFacts::mayOverlap(TypeAnalysis::ObjectId A,
                              TypeAnalysis::ObjectId B) const {
  return A == B || (Visible.test(A) && Visible.test(B)) ||
         (Handled.test(A) && Handled.test(B));
}

bool ProgramFacts::isAmong(TypeAnalysis::ObjectId O,
                           const BitVector &Changes) const {
  return Changes.test(O) || (Visible.test(O) && Visible.anyCommon(Changes)) ||
         (Handled.test(O) && Handled.anyCommon(Changes));
}

void ProgramFacts::computeHandled(ArrayRef<Function *> Functions) {
  Handled.resize(Types.numObjects());
  for (Function *F : Functions)
    for (Instruction &I : instructions(*F)) {
      const auto *C = dyn_cast<CallBase>(&I);
      const OperationRecord *R = C ? Cat.lookup(I) : nullptr;
      if (!R || R->Class != RuleClass::Inactive || R->Pure ||
          !(C->getType()->isPointerTy() || followsPointers(*C, Cat)))
        continue;
      auto Handle = [&](const Value *V) {
        TypeAnalysis::ObjectId O = V->getType()->isPointerTy()
                                       ? Types.objectOf(V)
                                       : TypeAnalysis::NoObject;
        if (O != TypeAnalysis::NoObject)
          Handled |= reachableFrom(O);
      };
      Handle(C);
      for_each(C->args(), Handle);
    }
}

bool ProgramFacts::mayWritePointers(const Instruction &I) const {
  const auto *C = dyn_cast<CallBase>(&I);
  if (const OperationRecord *R = C ? Cat.lookup(I) : nullptr)
    return R->Class != RuleClass::Inactive &&
           R->Class != RuleClass::Deallocation;
  const auto *S = dyn_cast<StoreInst>(&I);
  return !S || S->getValueOperand()->getType()->isPtrOrPtrVectorTy() ||
         carriesPointer(S->getValueOperand()) ||
         shape(S->getValueOperand()).HasUnknown;
}

bool ProgramFacts::mayTouchExternal(const CallBase &C) const {
  const Function *Callee = C.getCalledFunction();
  // A hook that the program was given, and that no function here can be.
  if (!Callee && !C.isInlineAsm() &&
      C.getFunction()->hasFnAttribute(UnseenCallee) && !C.onlyReadsMemory())
    return ReadOutside.any() && !C.doesNotReturn();
  if (!Callee || ReadOutside.none() || !isUnknownCall(C, Cat, PreparedOf) ||
      Cat.lookup(C) || C.doesNotReturn() || C.doesNotAccessMemory() ||
      C.onlyAccessesInaccessibleMemOrArgMem())
    return false;
  return !isOfLanguageLibrary(Callee->getName());
}

BitVector ProgramFacts::givenTo(const CallBase &C) const {
  BitVector Given(Types.numObjects());
  auto Add = [&](const Value *V) {
    TypeAnalysis::ObjectId O =
        carriesPointer(V) ? Types.objectOf(V) : TypeAnalysis::NoObject;
    if (O != TypeAnalysis::NoObject)
      Given |= reachableFrom(O);
  };
  for (const Value *A : C.args())
    Add(A);
  if (!C.getType()->isVoidTy())
    Add(&C);
  return Given;
}

BitVector ProgramFacts::writtenOutside(const CallBase &C) const {
  if (C.onlyReadsMemory())
    return BitVector(Types.numObjects());
  BitVector Written = givenTo(C);
  Written |= External;
  return Written;
}

void ProgramFacts::computeEffects(ArrayRef<Function *> Functions) {
  unsigned N = Types.numObjects();
  BitsAreHandled = any_of(Functions, [&](Function *F) {
    return any_of(instructions(*F),
                  [&](const Instruction &I) { return handlesBits(I); });
  });
  BitsAreMade = any_of(Functions, [&](Function *F) {
    return any_of(instructions(*F),
                  [&](const Instruction &I) { return makesBits(I); });
  });
  for (Function *F : Functions) {
    Effects &E = EffectsOf[F];
    E.Reads.resize(N);
    E.Writes.resize(N);
    E.Changes.resize(N);
    E.Pointers.resize(N);
    E.Numbers.resize(N);
    // No derivative comes back from where an error is reported.
    const SmallPtrSet<const BasicBlock *, 32> Live = blocksThatReturn(*F);
    for (Instruction &I : instructions(*F)) {
      if (!Live.contains(I.getParent()))
        continue;
      bool Pointers = mayWritePointers(I);
      addNumbersWritten(I, E.Numbers);
      visitAccesses(I, Cat, [&](const Value *P, bool R, bool W) {
        TypeAnalysis::ObjectId O = Types.objectOf(P);
        if (O == TypeAnalysis::NoObject)
          return;
        if (R)
          E.Reads.set(O);
        if (W)
          E.Writes.set(O);
        if (W && Pointers)
          E.Pointers.set(O);
      });
    }
    for (Instruction &I : instructions(*F)) {
      const auto *C = dyn_cast<CallBase>(&I);
      if (!C || !Live.contains(C->getParent()))
        continue;
      // A function that nobody knows may write whatever it can see.
      if (callsBack(I, Cat) ||
          (isUnknownCall(I, Cat, PreparedOf) && !C->onlyReadsMemory()))
        E.Writes |= Visible;
      if (const OperationRecord *R = Cat.lookup(I);
          R && R->Class == RuleClass::Rule) {
        const Effects &OfCall = *effects(*C);
        E.Reads |= OfCall.Reads;
        E.Writes |= OfCall.Writes;
        E.Pointers |= OfCall.Pointers;
      }
      if (followsPointers(*C, Cat))
        E.Changes |= Handled;
      if (mayTouchExternal(*C)) {
        E.Reads |= ReadOutside;
        E.Numbers |= writtenOutside(*C);
      }
    }
    E.Changes |= E.Writes;
  }
  // Callees' effects, to a fixpoint over the call graph.
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Function *F : Functions) {
      Effects &E = EffectsOf[F];
      auto Size = [&] {
        return E.Reads.count() + E.Writes.count() + E.Changes.count() +
               E.Pointers.count() + E.Numbers.count();
      };
      unsigned Before = Size();
      for (Instruction &I : instructions(*F))
        if (auto *C = dyn_cast<CallBase>(&I))
          if (Function *Callee = directCallee(*C))
            if (Function *P = PreparedOf(Callee)) {
              auto It = EffectsOf.find(P);
              if (It == EffectsOf.end())
                continue;
              E.Reads |= It->second.Reads;
              E.Writes |= It->second.Writes;
              E.Changes |= It->second.Changes;
              E.Pointers |= It->second.Pointers;
              E.Numbers |= It->second.Numbers;
            }
      Changed |= Size() != Before;
    }
  }
}

const ProgramFacts::Effects *ProgramFacts::effects(const CallBase &C) const {
  const OperationRecord *R = Cat.lookup(C);
  if (!R || R->Class != RuleClass::Rule) {
    Function *Callee = directCallee(C);
    Function *Prepared = Callee ? PreparedOf(Callee) : nullptr;
    return Prepared ? &effects(Prepared) : nullptr;
  }
  std::unique_ptr<Effects> &Slot = RuleEffects[&C];
  if (Slot)
    return Slot.get();
  auto E = std::make_unique<Effects>();
  E->Reads.resize(Types.numObjects());
  E->Writes.resize(Types.numObjects());
  BitVector Numbers(Types.numObjects());
  for (const auto &[N, A] : enumerate(C.args())) {
    TypeAnalysis::ObjectId O = A->getType()->isPointerTy()
                                   ? Types.objectOf(A)
                                   : TypeAnalysis::NoObject;
    if (O == TypeAnalysis::NoObject)
      continue;
    if (!R->Given) {
      OperandMemory M = R->memoryBehind(N);
      if (M.Reads)
        E->Reads.set(O);
      if (M.Writes)
        E->Writes.set(O);
      // Of messages, the rest is handles, statuses and integers.
      if (M.Writes && (!R->Communicates || movesNumbers(C, N, *R)))
        Numbers.set(O);
      continue;
    }
    // The user's function may follow pointers; attributes speak of the first
    // step only.
    BitVector Further = reachableFrom(O);
    Further.reset(O);
    E->Reads |= Further;
    E->Writes |= Further;
    if (!C.doesNotAccessMemory(N))
      E->Reads.set(O);
    if (!C.onlyReadsMemory(N) && !C.doesNotAccessMemory(N))
      E->Writes.set(O);
  }
  if (C.onlyReadsMemory()) {
    E->Writes.reset();
    Numbers.reset();
  }
  E->Numbers = R->Given ? E->Writes : Numbers;
  E->Pointers = R->Communicates ? E->Numbers : E->Writes;
  return (RuleEffects[&C] = std::move(E)).get();
}

void ProgramFacts::computeShared(ArrayRef<Function *> Functions) {
  Shared.resize(Types.numObjects());
  if (Functions.size() < 2)
    return;
  for (Function *F : Functions)
    for (Instruction &I : instructions(*F))
      for (Value *Op : I.operands()) {
        auto *G = dyn_cast<GlobalVariable>(Op->stripInBoundsOffsets());
        TypeAnalysis::ObjectId O =
            G && !G->isConstant() ? Types.objectOf(G) : TypeAnalysis::NoObject;
        if (O != TypeAnalysis::NoObject)
          Shared |= reachableFrom(O);
      }
  // Only where one of them may have put a number: memory of strings and
  // pointers carries no derivative from one function to another.
  Shared &= effects(Functions.front()).Numbers;
}

/// Functions that say nothing of the rounding mode (they are not strict) may
/// take it that others do not change it.
void ProgramFacts::computeRounding(ArrayRef<Function *> Functions) {
  for (Function *F : Functions)
    for (Instruction &I : instructions(*F)) {
      const auto *C = dyn_cast<CallBase>(&I);
      const OperationRecord *R = C ? Cat.lookup(I) : nullptr;
      ChangesRounding |= R ? R->SetsRounding
                           : C && F->hasFnAttribute(Attribute::StrictFP) &&
                                 isUnknownCall(I, Cat, PreparedOf);
    }
}

bool ProgramFacts::handlesBits(const Instruction &I) const {
  auto IsFloat = [&](const Value *V) {
    return carriesFloat(V) || shape(V).HasUnknown;
  };
  if (const auto *S = dyn_cast<StoreInst>(&I))
    return !isa<Constant>(S->getValueOperand()) && isPunned(I) &&
           !IsFloat(S->getValueOperand());
  if (isa<LoadInst>(I))
    return I.getType()->isIntOrIntVectorTy() && !IsFloat(&I) && isPunned(I);
  return makesBits(I);
}

/// An integer that is computed from the bits of a float.
bool ProgramFacts::makesBits(const Instruction &I) const {
  auto IsFloat = [&](const Value *V) {
    return carriesFloat(V) || shape(V).HasUnknown;
  };
  if (!I.getType()->isIntOrIntVectorTy() || isa<CmpInst, LoadInst>(I) ||
      IsFloat(&I))
    return false;
  return !isa<FPToSIInst, FPToUIInst>(I) &&
         any_of(I.operands(), [&](const Value *Op) {
           return !isa<Constant>(Op) && IsFloat(Op) &&
                  (Op->getType()->isIntOrIntVectorTy() || isa<BitCastInst>(I));
         });
}

void ProgramFacts::addNumbersWritten(const Instruction &I,
                                     BitVector &To) const {
  if (const auto *S = dyn_cast<StoreInst>(&I)) {
    const Value *V = S->getValueOperand();
    // Integers are bits of numbers only where some code makes them so.
    bool IsNumber = carriesFloat(V) || shape(V).HasUnknown ||
                    (BitsAreHandled && V->getType()->isIntOrIntVectorTy() &&
                     !isa<Constant>(V));
    if (!IsNumber || hasFact(I, SourceFact::Characters))
      return;
  }
  const auto *C = dyn_cast<CallBase>(&I);
  const OperationRecord *R = C ? Cat.lookup(I) : nullptr;
  if (isa<AnyMemSetInst>(I) || (R && (R->Class == RuleClass::Inactive ||
                                      R->Class == RuleClass::Deallocation)))
    return;
  if (callsBack(I, Cat) || (R && isUnknownCall(I, Cat, PreparedOf)))
    To |= Visible;
  else if (R && R->Class == RuleClass::Rule)
    To |= effects(*C)->Numbers;
  visitAccesses(I, Cat, [&](const Value *P, bool, bool Writes) {
    if (TypeAnalysis::ObjectId O = Types.objectOf(P);
        Writes && O != TypeAnalysis::NoObject)
      To.set(O);
  });
}

/// An address that was computed as an integer, in a way that preparation could
/// not undo: the type analysis does not know where it points.
static bool pointsAnywhere(const IntToPtrInst &I) {
  SmallVector<const Value *, 8> Work{I.getOperand(0)};
  SmallPtrSet<const Value *, 8> Seen;
  while (!Work.empty()) {
    const auto *V = dyn_cast<Instruction>(Work.pop_back_val());
    if (!V || !Seen.insert(V).second)
      continue;
    if (isa<BinaryOperator>(V))
      return true;
    if (isa<PHINode, SelectInst, FreezeInst, ZExtInst, TruncInst>(V))
      append_range(Work, V->operands());
  }
  return false;
}

void ProgramFacts::computeOrigins(ArrayRef<Function *> Functions) {
  Unshadowed.resize(Types.numObjects());
  Owned.resize(Types.numObjects());
  auto Mark = [&](BitVector &Set, const Value *P) {
    if (TypeAnalysis::ObjectId O = Types.objectOf(P);
        O != TypeAnalysis::NoObject)
      Set |= reachableFrom(O);
  };
  auto Own = [&](const Value *P) {
    if (TypeAnalysis::ObjectId O = Types.objectOf(P);
        O != TypeAnalysis::NoObject)
      Owned.set(O);
  };
  Untraceable.resize(Types.numObjects());
  for (Function *F : Functions)
    for (Instruction &I : instructions(*F)) {
      if (const auto *Cast = dyn_cast<IntToPtrInst>(&I);
          Cast && pointsAnywhere(*Cast))
        Mark(Untraceable, Cast);
      if (isa<AllocaInst>(I))
        Own(&I);
      if (const auto *C = dyn_cast<CallBase>(&I); C && carriesPointer(C)) {
        const OperationRecord *R = Cat.lookup(I);
        Function *Callee = directCallee(*C);
        if (R ? R->Class == RuleClass::Inactive || R->Class == RuleClass::Rule
              : !(Callee && PreparedOf(Callee)))
          Mark(Unshadowed, C);
        else if (R)
          Own(C);
      }
      for (const Value *Op : I.operands()) {
        const auto *G = dyn_cast<GlobalVariable>(Op->stripInBoundsOffsets());
        if (!G)
          continue;
        if (G->isConstant())
          Mark(Unshadowed, G);
        else
          Own(G);
        TypeAnalysis::ObjectId O = Types.objectOf(G);
        if (G->isConstant() || O == TypeAnalysis::NoObject)
          continue;
        for (TypeAnalysis::ObjectId P : Types.pointees(O))
          if (P != TypeAnalysis::NoObject)
            Unshadowed |= reachableFrom(P);
      }
    }
}

bool ProgramFacts::setsFirst(const Function &F, const GlobalVariable &G,
                             uint64_t Offset) const {
  // A function that comes back to itself sets nothing first.
  auto [Known, New] = SetFirst.try_emplace({&F, &G, Offset}, false);
  if (!New)
    return Known->second;
  TypeAnalysis::ObjectId O = Types.objectOf(&G);
  const DataLayout &DL = Types.dataLayout();
  SmallVector<const Instruction *, 16> Readers, Setters;
  for (const Instruction &I : instructions(F)) {
    if (const auto *S = dyn_cast<StoreInst>(&I);
        S && S->getValueOperand()->getType()->isPointerTy()) {
      APInt Off(64, 0);
      if (S->getPointerOperand()->stripAndAccumulateConstantOffsets(
              DL, Off, true) == &G &&
          Off == Offset)
        Setters.push_back(S);
    }
    bool Reads = isUnknownCall(I, Cat, PreparedOf) || isa<ReturnInst>(I);
    visitAccesses(I, Cat, [&](const Value *P, bool R, bool) {
      Reads |= R && Types.objectOf(P) == O;
    });
    if (const auto *C = dyn_cast<CallBase>(&I))
      if (Function *Callee = directCallee(*C))
        if (Function *P = PreparedOf(Callee)) {
          Reads |= effects(P).Reads.test(O);
          if (effects(P).Pointers.test(O) && setsFirst(*P, G, Offset))
            Setters.push_back(&I);
        }
    if (Reads)
      Readers.push_back(&I);
  }
  if (Setters.empty())
    return false;
  DominatorTree DT(const_cast<Function &>(F));
  bool First = any_of(Setters, [&](const Instruction *S) {
    return all_of(Readers, [&](const Instruction *R) {
      return R == S || !DT.isReachableFromEntry(R->getParent()) ||
             DT.dominates(S, R);
    });
  });
  return SetFirst[{&F, &G, Offset}] = First;
}

bool ProgramFacts::isSetFirst(const GlobalVariable &G) const {
  if (!Root || Types.objectOf(&G) == TypeAnalysis::NoObject)
    return false;
  uint64_t Size =
      Types.dataLayout().getTypeAllocSize(G.getValueType()).getFixedValue();
  return all_of(Types.leavesAt(&G, Size), [&](const TypedLeaf &L) {
    if (L.Kind.K == ByteKind::Float || L.Kind.K == ByteKind::Integer)
      return true;
    return L.Kind.K == ByteKind::Pointer &&
           L.Size == Types.dataLayout().getPointerSize() &&
           setsFirst(*Root, G, L.Offset);
  });
}

const BitVector &ProgramFacts::reachableFrom(TypeAnalysis::ObjectId O) const {
  auto It = Reach.find(O);
  if (It != Reach.end())
    return It->second;
  BitVector Set(Types.numObjects());
  if (O != TypeAnalysis::NoObject) {
    SmallVector<TypeAnalysis::ObjectId, 8> Work{O};
    Set.set(O);
    while (!Work.empty())
      for (TypeAnalysis::ObjectId P : Types.pointees(Work.pop_back_val()))
        if (P != TypeAnalysis::NoObject && !Set.test(P)) {
          Set.set(P);
          Work.push_back(P);
        }
  }
  return Reach[O] = std::move(Set);
}

void ProgramFacts::computeVisible(ArrayRef<Function *> Functions) {
  Visible.resize(Types.numObjects());
  Exposed.resize(Types.numObjects());
  External.resize(Types.numObjects());
  auto See = [&](const Value *V, bool Unseen = false) {
    TypeAnalysis::ObjectId O = Types.objectOf(V);
    if (O == TypeAnalysis::NoObject)
      return;
    Visible |= reachableFrom(O);
    if (Unseen || Exposed.test(O))
      return;
    SmallVector<TypeAnalysis::ObjectId, 8> Work{O};
    Exposed.set(O);
    while (!Work.empty())
      for (TypeAnalysis::ObjectId P :
           Types.pointeesBesideFloats(Work.pop_back_val()))
        if (!Exposed.test(P)) {
          Exposed.set(P);
          Work.push_back(P);
        }
  };
  if (Functions.empty())
    return;
  auto AddTo = [&](BitVector &Set, const Value *P) {
    if (TypeAnalysis::ObjectId O = Types.objectOf(P);
        O != TypeAnalysis::NoObject)
      Set |= reachableFrom(O);
  };
  DenseMap<const GlobalVariable *, bool> Known;
  auto IsKnown = [&](const GlobalVariable &G) {
    auto [It, New] = Known.try_emplace(&G, false);
    if (New)
      It->second = isKnownOutside(G, Cat, [&](const Function &F) {
        return PreparedOf(&F) == Functions.front();
      });
    return It->second;
  };
  // The root comes first: what its caller passes in, or gets back.
  for (Argument &A : Functions.front()->args())
    See(&A);
  for (Instruction &I : instructions(*Functions.front()))
    if (auto *R = dyn_cast<ReturnInst>(&I); R && R->getReturnValue())
      See(R->getReturnValue());
  for (Function *F : Functions) {
    const bool Unseen = F->hasFnAttribute(UnseenCallee);
    const auto Returning = blocksThatReturn(*F);
    for (Instruction &I : instructions(*F)) {
      if (!Returning.contains(I.getParent()))
        continue; // what somebody sees who does not return is no matter
      bool UnknownCall = isUnknownCall(I, Cat, PreparedOf);
      for (Value *Op : I.operands()) {
        const auto *G = dyn_cast<GlobalVariable>(Op->stripInBoundsOffsets());
        // A text or a table of numbers leads nowhere: where it shares an object
        // with memory of ours (characters that a string may point to), nobody
        // sees that by its name.
        const bool Leaf = G && G->isConstant() && G->hasInitializer() &&
                          !G->getInitializer()->needsRelocation();
        if (G || UnknownCall)
          See(Op, Unseen || (Leaf && !UnknownCall));
        if (G && !G->isConstant() && IsKnown(*G))
          AddTo(External, Op);
      }
      if (UnknownCall)
        See(&I, Unseen);
    }
  }
  // A parameter may be such memory under another name.
  ReadOutside = External;
  for (const OutsideEvidence::HandedIn &H : HandedIn) {
    const Value *From = getUnderlyingObject(H.Passed, /*MaxLookup=*/0);
    if (const auto *L = dyn_cast<LoadInst>(From))
      From = getUnderlyingObject(L->getPointerOperand(), /*MaxLookup=*/0);
    if (const auto *G = dyn_cast<GlobalVariable>(From);
        G && !G->isConstant() && IsKnown(*G))
      AddTo(ReadOutside, H.Parameter);
  }
}

const ValueShape &ProgramFacts::shape(const Value *V) const {
  std::unique_ptr<ValueShape> &Slot = Shapes[V];
  if (Slot)
    return *Slot;
  auto Shape = std::make_unique<ValueShape>();
  Type *T = V->getType();
  if (T->isPointerTy()) {
    Shape->HasPointer = true;
  } else if (T->isFloatingPointTy()) {
    const DataLayout &DL = Types.dataLayout();
    Shape->Floats.push_back(
        {0, DL.getTypeStoreSize(T).getFixedValue(), {ByteKind::Float, T}});
  } else if (T->isFirstClassType() && !T->isTokenTy() && !T->isMetadataTy() &&
             !T->isLabelTy() &&
             !(T->isIntegerTy() && T->getIntegerBitWidth() < 8)) {
    for (const TypedLeaf &L : Types.leavesOf(V)) {
      // A piece of a float is no float.
      bool Whole =
          L.Kind.K == ByteKind::Float &&
          L.Size ==
              Types.dataLayout().getTypeStoreSize(L.Kind.FP).getFixedValue();
      if (Whole)
        Shape->Floats.push_back(L);
      else if (L.Kind.K == ByteKind::Float)
        Shape->HasUnknown = Shape->HasPiece = true;
      Shape->HasPointer |= L.Kind.K == ByteKind::Pointer;
      Shape->HasUnknown |=
          L.Kind.K == ByteKind::Unknown || L.Kind.K == ByteKind::Conflict;
    }
  }
  // Re-index: leavesOf may have grown the map.
  return *(Shapes[V] = std::move(Shape));
}

bool ProgramFacts::isPunned(const Instruction &Access) const {
  const Value *P = getLoadStorePointerOperand(&Access);
  Type *T = P ? getLoadStoreType(&Access) : nullptr;
  if (!P || !T->isIntOrIntVectorTy())
    return false;
  if (Types.isIndexPlace(P))
    return false;
  uint64_t Size = Types.dataLayout().getTypeStoreSize(T).getFixedValue();
  // Programs keep bits of numbers in members that are integers by declaration
  // (memcpy to the address of one).
  if (Types.isDeclaredInteger(Access))
    return Types.storesFloat(P, Size);
  return Types.touchesFloat(P, Size) ||
         any_of(Types.leavesAt(P, Size), [](const TypedLeaf &L) {
           return L.Kind.K == ByteKind::Conflict;
         });
}
