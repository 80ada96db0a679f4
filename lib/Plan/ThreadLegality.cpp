//===- ThreadLegality.cpp - what threads do that no rule reverses ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Catalogue/Catalogue.h"
#include "Diagnostics/RequestTrail.h"
#include "Plan/AccumulationPlan.h"
#include "Plan/CallPlan.h"
#include "Plan/Legality.h"
#include "Rules/MessageShape.h"
#include "Rules/Rules.h"
#include "Rules/Transfer.h"
#include "Support/CallBinding.h"
#include "Support/ExceptionMarks.h"
#include "Support/Kernels.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

/// A pointer that one thread hands to another in one step: its shadow would
/// come in another step. Where the compiler sees threads, and that it is a
/// pointer, it is handed over in a turn (Parallel/OrderAtomics.h).
void Legality::checkHandedPointer(const Instruction &I) {
  if (!I.isAtomic() || isa<FenceInst>(I))
    return;
  auto WasPointer = [](const Value *V) {
    return V->getType()->isPointerTy() || isa<PtrToIntInst>(V);
  };
  bool Pointer =
      I.getType()->isPointerTy() ||
      any_of(I.users(), [](const User *U) { return isa<IntToPtrInst>(U); });
  const auto *X = dyn_cast<AtomicRMWInst>(&I);
  const Value *Written = X ? X->getValOperand() : nullptr;
  if (const auto *S = dyn_cast<StoreInst>(&I))
    Written = S->getValueOperand();
  else if (const auto *C = dyn_cast<AtomicCmpXchgInst>(&I))
    Written = C->getNewValOperand();
  Pointer |= Written && WasPointer(Written);
  const Value *P = getLoadStorePointerOperand(&I);
  if (!P)
    P = I.getOperand(0);
  // A word that is read as an integer, and then put where addresses lie:
  // nothing here says that it is one, so it has had no turn.
  if (!Pointer && Written && Written->getType()->isIntegerTy(64) &&
      isa<LoadInst>(Written))
    Pointer = Subject.facts().types().holdsPointers(P, 0, 8);
  // Nobody follows an address whose bits are set one by one.
  const bool Bits = X && WasPointer(X->getValOperand());
  if ((Pointer && Subject.Activity.hasShadow(P)) || Bits)
    refuse(
        RefusalKind::Threads, I,
        "an atomic operation on a pointer to numbers that is no load, store, "
        "exchange, comparison or addition: another thread would see it "
        "without its shadow; use a mutex");
}

/// An atomic addition exists for numbers of this type, or of its elements.
static bool addsAtomically(const Type *T) {
  T = T->getScalarType();
  return T->isDoubleTy() || T->isFloatTy();
}

static bool addAtomically(ArrayRef<TypedLeaf> Floats) {
  return all_of(Floats, [](const TypedLeaf &F) {
    return F.Kind.FP && addsAtomically(F.Kind.FP);
  });
}

/// Refuses routines that have no derivative at all, or none here. Whether
/// derivatives flow through a call or not: device memory has to be what it was
/// when the reverse sweep comes to the launches in front of it. True if C was
/// refused.
bool Legality::refusesRoutine(const CallBase &C, const OperationRecord &R) {
  if (R.Handler == HandlerKind::RefusedByName) {
    refuse(RefusalKind::Launch, C,
           ("'" + directCallee(C)->getName() + "', " + R.Text).str());
    return true;
  }
  if (R.Handler == HandlerKind::Refused && R.Id == "launch") {
    refuse(RefusalKind::Launch, C, R.Text.str());
    return true;
  }
  // What is rolled back is rolled back once. Threads of the program do so in
  // the order in which they have changed it (runtime/hostdevice.c).
  if ((R.Id == "launch" || R.Id == "gpu_keep") &&
      Subject.Request.Mode != DerivativeMode::Forward) {
    const char *Where =
        Subject.facts().manySweeps()
            ? "in a function whose tape may be swept more than once"
        : Accumulations.company() == ThreadModel::Team &&
                !Subject.facts().hasThreadsAlone()
            ? "in a parallel region"
            : nullptr;
    if (Where) {
      refuse(RefusalKind::Launch, C,
             std::string("device memory is changed ") + Where);
      return true;
    }
  }
  if (R.Handler == HandlerKind::Refused && !isa<IntrinsicInst>(C)) {
    refuse(RefusalKind::Threads, C, R.Text.str());
    return true;
  }
  return false;
}

void Legality::checkMessage(const CallBase &C, const OperationRecord &R) {
  const ProgramFacts &Facts = Subject.facts();
  for (unsigned Op = 0; Op != C.arg_size(); ++Op) {
    const char Element = elementBehind(C, Op, R);
    const Value *P = C.getArgOperand(Op);
    // Nobody would send its adjoint.
    if (Element == 'I' && R.memoryBehind(Op).TypeAt &&
        Subject.Activity.isActiveMemory(P) &&
        any_of(Facts.types().leavesAt(P, 4),
               [](const TypedLeaf &L) { return L.Kind.K == ByteKind::Float; }))
      refuse(RefusalKind::Threads, C,
             "a message whose datatype is integers or characters and whose "
             "contents are numbers; give it the datatype of the numbers, or "
             "of bytes");
    const bool Packed = Element == 'K' && R.memoryBehind(Op).TypeAt;
    if ((Element != 'B' && !Packed) ||
        Subject.Request.Mode == DerivativeMode::Forward ||
        !Subject.Activity.isActiveMemory(P) || !Facts.movesNumbers(C, Op, R))
      continue;
    TransferShape S = messageShape(C, Op, R, Facts);
    // Of packed bytes the running program knows what they are.
    if (!Packed && !knowsBytes(P, S, Facts))
      refuse(RefusalKind::UnknownType, C, "a message of bytes");
    else if (const char *Why = refusedBytes(C, Op, R, S))
      refuse(RefusalKind::Threads, C, Why);
  }
}

/// Threads of teams are the same in both sweeps, and clear their shadows when
/// they come (Pass/ShadowGlobals.h). Others are new ones in the reverse sweep,
/// and a task may run on any. An exception in flight, or handled, is a pointer,
/// which the thread that wrote it reads in the same sweep.
void Legality::checkThreadLocals(const Instruction &I) {
  if (!Subject.facts().changesThreads())
    return;
  for (const Use &U : I.operands())
    if (const auto *G = dyn_cast<GlobalVariable>(U->stripInBoundsOffsets());
        G && G->isThreadLocal() && !G->hasAttribute(ExceptionVariable) &&
        Subject.Activity.hasShadow(G) && Subject.Activity.isActiveMemory(G) &&
        RefusedGlobals.insert(G).second)
      refuse(RefusalKind::Threads, I,
             "the threadprivate or thread_local variable '" +
                 G->getName().str() +
                 "' holds active numbers, in a program with tasks or "
                 "threads of its own");
}

/// C runs its callee on other threads.
void Legality::checkHandedNumbers(const CallBase &C, const Function &Callee) {
  auto IsNumber = [&](const Value *A) {
    return !Subject.Activity.hasShadow(A) && Subject.Activity.isVaried(A);
  };
  if (startsWork(Callee)) {
    if (Subject.Overwrite.isUserSplit())
      refuse(RefusalKind::Threads, C,
             "a thread or task that is started in one half of a split "
             "derivative; its reverse would be in the other");
    for (const Value *A : C.args())
      if (IsNumber(A))
        refuse(RefusalKind::Threads, C,
               "a number that is passed to a thread as the bits of a pointer");
  }
  if (any_of(C.args(), [&](const Value *A) {
        return IsNumber(A) && !addAtomically(Subject.facts().shape(A).Floats);
      }))
    refuse(
        RefusalKind::Threads, C,
        "each thread gets a copy of a number that is neither float nor double");
}

/// A load of memory that threads share: they all add to its adjoint.
void Legality::checkSharedLoad(const LoadInst &L) {
  if (L.getType()->isFPOrFPVectorTy()
          ? addsAtomically(L.getType())
          : addAtomically(Subject.facts().shape(&L).Floats))
    return;
  refuse(RefusalKind::Threads, L,
         "numbers that are neither float nor double lie in memory that threads "
         "share: nothing can be added to their adjoints atomically");
}

/// A copy out of memory that threads may share.
void Legality::checkSharedCopy(const CallBase &C) {
  Transfer T = transferOf(C, Subject.facts().catalogue());
  if (!T.Source || !Subject.Activity.hasShadow(T.Source) ||
      Accumulations.isThreadsOwn(T.Source))
    return;
  TransferShape S =
      transferShape(C, T.Dest, T.Source, T.Length, Subject.facts());
  // A block that holds integers alone has no adjoints to hand back.
  const bool Integers =
      !S.Leaves.empty() && all_of(S.Leaves, [](const TypedLeaf &L) {
        return L.Kind.K == ByteKind::Integer;
      });
  if (T.IsRealloc && !Integers)
    refuse(
        RefusalKind::Threads, C,
        "a block that threads share is replaced by another, and its numbers "
        "move; resize it outside of the region, or give each thread its own");
  else if (any_of(S.Leaves, [&](const TypedLeaf &L) {
             return L.Kind.K == ByteKind::Float && !addsAtomically(L.Kind.FP);
           }))
    refuse(RefusalKind::Threads, C,
           "numbers that are neither float nor double are copied from memory "
           "that threads share");
}

/// A call by a thread of a team whose adjoints go to memory.
void Legality::checkSharedCall(const CallBase &C) {
  CallAction A = Calls.action(C);
  if (A == CallAction::Memory || A == CallAction::Realloc) {
    checkSharedCopy(C);
    return;
  }
  // Adjoints that come in messages are added atomically in regions of OpenMP.
  // Those of launches one after the other.
  const OperationRecord *R = Subject.facts().catalogue().lookup(C);
  const bool MayMeet =
      (Subject.facts().communicates(C) && !Subject.facts().changesThreads()) ||
      (R && R->Id == "launch" && Subject.facts().hasThreadsAlone());
  if (A == CallAction::Derivative && Calls.hasRule(C) && !MayMeet &&
      any_of(C.args(), [&](const Value *P) {
        return P->getType()->isPointerTy() && Subject.Activity.hasShadow(P) &&
               !Accumulations.isThreadsOwn(P);
      }))
    refuse(RefusalKind::Threads, C,
           "'" + userName(*directCallee(C)) +
               "' is called on memory that threads share, and its rule adds to "
               "adjoints as if it were alone; call it outside of the region, "
               "or on a copy of the thread's own");
}

/// I is run by a thread of a team, and reversed.
void Legality::checkSharing(const Instruction &I) {
  if (isa<FenceInst>(I))
    refuse(RefusalKind::Threads, I,
           "a fence: threads that wait for each other by memory cannot be "
           "reversed");
  if (!hasReverse(I, Subject.Activity))
    return;
  // A word that something else shows to be an integer may be given any number.
  auto HoldsIntegers = [&](const Value *P) {
    auto Bytes = Subject.facts().types().patternAt(P);
    return Bytes && !Bytes->Leaves.empty() &&
           all_of(Bytes->Leaves, [](const TypedLeaf &L) {
             return L.Kind.K == ByteKind::Integer;
           });
  };
  if (isa<LoadInst, StoreInst>(I) && I.isAtomic() &&
      !getLoadStoreType(&I)->isIntegerTy(8) && // no number's
      !HoldsIntegers(getLoadStorePointerOperand(&I)))
    refuse(RefusalKind::Threads, I,
           "an atomic read or write of a number in a form that is not known; "
           "use critical");
  if (const auto *L = dyn_cast<LoadInst>(&I)) {
    if (!Accumulations.isThreadsOwn(L->getPointerOperand()))
      checkSharedLoad(*L);
  } else if (const auto *C = dyn_cast<CallBase>(&I)) {
    checkSharedCall(*C);
  }
}

/// Under -rg-deterministic: what comes in an order that each run chooses anew.
void Legality::checkOrder(const Instruction &I, bool InTeam) {
  const auto *C = dyn_cast<CallBase>(&I);
  const OperationRecord *R =
      C ? Subject.facts().catalogue().lookup(I) : nullptr;
  const Function *Callee = C ? directCallee(*C) : nullptr;
  const char *What = nullptr;
  if (R && R->Handler == HandlerKind::Protocol)
    What = is_contained({"team_barrier", "inorder_begin", "inorder_end",
                         "serial_begin", "serial_end"},
                        R->Id)
               ? nullptr
           : R->Id.starts_with("task_")
               ? "a task, or a wait for tasks"
               : "a critical or ordered region, a lock, or atomic operations "
                 "that have to keep their order";
  else if (Callee && startsWork(*Callee))
    What = "a thread or task that goes on by itself";
  else if (InTeam && I.isAtomic() &&
           !Accumulations.isThreadsOwn(I.getOperand(isa<StoreInst>(I))) &&
           hasReverse(I, Subject.Activity))
    What = "an atomic addition";
  if (What)
    refuse(RefusalKind::Threads, I,
           std::string("-rg-deterministic was given, and each run has another "
                       "order of ") +
               What + "; use a reduction, or leave the flag out");
}

bool Legality::checkTeam(const Instruction &I) {
  const bool InTeam = Accumulations.company() == ThreadModel::Team;
  const auto *C = dyn_cast<CallBase>(&I);
  if (const OperationRecord *R =
          C ? Subject.facts().catalogue().lookup(I) : nullptr) {
    if (refusesRoutine(*C, *R))
      return false;
    if (R->Communicates)
      checkMessage(*C, *R);
  }
  if (Subject.Opts.Deterministic)
    checkOrder(I, InTeam);
  if (InTeam)
    checkThreadLocals(I);
  const Function *Callee = C ? directCallee(*C) : nullptr;
  const bool Elsewhere = Callee && runsElsewhere(*Callee);
  if (Subject.Request.FromTape && Elsewhere) {
    refuse(RefusalKind::FromTape, I, "it contains a parallel region");
    return false;
  }
  if (InTeam)
    checkHandedPointer(I);
  if (Subject.Request.Mode == DerivativeMode::Forward)
    return true;
  if (Elsewhere)
    checkHandedNumbers(*C, *Callee);
  if (InTeam)
    checkSharing(I);
  return true;
}

/// What threads do together and no rule reverses. Reverse mode would go wrong
/// without a sign, so whatever of a GPU is not known is refused. False if there
/// is no more to say of I.
bool Legality::checkThreads(const Instruction &I) {
  if (!Subject.Machine.manyThreads())
    return checkTeam(I);
  for (const Use &U : I.operands()) {
    // Of a variable of the whole machine, who would clear the shadow, and when?
    const auto *G = dyn_cast<GlobalVariable>(U->stripInBoundsOffsets());
    if (!G || G->isConstant() || !Subject.Activity.hasShadow(G) ||
        !Subject.Activity.isActiveMemory(G))
      continue;
    MemorySpace S = Subject.Machine.space(G->getAddressSpace());
    if (S == MemorySpace::Shared &&
        Subject.facts().types().objectOf(G) != TypeAnalysis::NoObject &&
        any_of(Subject.facts().types().pointees(
                   Subject.facts().types().objectOf(G)),
               [](TypeAnalysis::ObjectId O) {
                 return O != TypeAnalysis::NoObject;
               }))
      refuse(RefusalKind::Device, I,
             "pointers in shared memory ('" + G->getName().str() + "')");
    // How large it is, only the launch knows.
    if (S == MemorySpace::Shared && G->isDeclaration() &&
        !Subject.Machine.growsSharedMemory() && RefusedGlobals.insert(G).second)
      refuse(RefusalKind::Device, I,
             "dynamic shared memory ('" + G->getName().str() +
                 "') has no shadow on this machine");
    if (S != MemorySpace::Shared && RefusedGlobals.insert(G).second)
      refuse(RefusalKind::Unshadowed, I,
             "the __device__ or __constant__ variable '" + G->getName().str() +
                 "'");
    break;
  }
  // The host finds out at run time whether such memory was lost
  // (docs/KnownGaps.md). Of what a launch does, it has seen what is active.
  if (const Value *P = getLoadStorePointerOperand(&I);
      P && Subject.Activity.isMixed(P) && Subject.Activity.hasShadow(P) &&
      Subject.facts().root() &&
      !Subject.facts().root()->hasFnAttribute(LaunchedAlone)) {
    TypeAnalysis::ObjectId O = Subject.facts().types().objectOf(P);
    const ProgramFacts::Effects &E =
        Subject.facts().effects(Subject.facts().root());
    if (O != TypeAnalysis::NoObject && E.Reads.test(O) && E.Writes.test(O))
      refuse(RefusalKind::Unshadowed, I,
             "memory that is written and read here may be memory without a "
             "shadow");
  }
  if (Subject.Request.ErrorEstimate || Subject.Request.Dependencies)
    if (isa<AtomicRMWInst>(I) && hasReverse(I, Subject.Activity))
      refuse(RefusalKind::Device, I,
             "atomic operations in an estimate of rounding errors or in a "
             "sparsity pattern");
  if (Subject.Request.Mode == DerivativeMode::Forward)
    return true;
  if (isa<FenceInst>(I))
    refuse(RefusalKind::Device, I,
           "a fence: threads that wait for each other by memory cannot be "
           "reversed");
  const auto *C = dyn_cast<IntrinsicInst>(&I);
  if (!C)
    return true;
  const OperationRecord *R = Subject.facts().catalogue().lookup(I);
  if (R && R->Handler == HandlerKind::Refused) {
    refuse(RefusalKind::Device, I, R->Text.str());
    return false;
  }
  StringRef Name = C->getCalledFunction()->getName();
  if (R || !C->getCalledFunction()->isTargetIntrinsic() ||
      C->doesNotAccessMemory())
    return true;
  refuse(RefusalKind::Device, I, ("'" + Name + "' is not known").str());
  return false;
}
