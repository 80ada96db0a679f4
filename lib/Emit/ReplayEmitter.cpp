//===- ReplayEmitter.cpp - a tangent sweep that repeats a run -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/ReplayEmitter.h"
#include "Catalogue/Catalogue.h"
#include "Emit/FunctionShell.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

namespace {

class ReplayEmitter {
public:
  ReplayEmitter(const DerivativePlan &Plan, const ForwardEmitter &Tangents,
                Function &D, Function &Recorder, EmitServices &Services)
      : Plan(Plan), Tangents(Tangents), F(Plan.primal()), D(D),
        Recorder(Recorder), Services(Services), DL(F.getDataLayout()) {}
  void run() {
    takeOut();
    sweepUnused();
    read();
    write();
  }

private:
  /// Something that the log may hold.
  struct Entry {
    const Instruction *At;    ///< of the primal
    const PrimalRead *Memory; ///< null: the value of At
    WeakVH Read;         ///< where the replay uses it; null once nobody does
    uint64_t Offset = 0; ///< in the record of its segment
    bool isCopy() const { return Memory && Memory->Length; }
  };
  /// Entries in one record; or one copy of memory; or, without any, nothing.
  struct Segment {
    SmallVector<unsigned, 8> Entries;
    uint64_t Bytes = 0;
    /// In front of it the recorder writes.
    const Instruction *End = nullptr;
  };

  void takeOut();
  void sweepUnused();
  bool isLogged(const Instruction &I) const;
  bool isOtherRecorders(const Instruction &I) const {
    const auto *C = dyn_cast<CallBase>(&I);
    return C && Plan.action(*C) == CallAction::Derivative &&
           Plan.calleeRequest(*C).FromTape;
  }
  void layOut();
  void read();
  void write();
  void keepMemory(ValueToValueMapTy &VMap);

  const DerivativePlan &Plan;
  const ForwardEmitter &Tangents;
  Function &F, &D, &Recorder;
  EmitServices &Services;
  const DataLayout &DL;
  std::vector<Entry> Entries; ///< in the order of the primal's blocks
  std::vector<Segment> Segments;
};

} // namespace

/// Its value is not had again by computing with values that are.
bool ReplayEmitter::isLogged(const Instruction &I) const {
  if (I.getType()->isVoidTy() || I.getType()->isTokenTy() || isa<PHINode>(I) ||
      I.isTerminator() || I.isEHPad())
    return false;
  if (isa<AllocaInst>(I) || isa<FreezeInst>(I) || I.mayReadOrWriteMemory() ||
      I.mayHaveSideEffects())
    return true;
  if (const auto *C = dyn_cast<CallBase>(&I); C && !isa<IntrinsicInst>(C))
    return true;
  // The optimiser may contract here what it does not contract there.
  // Derivatives do not mind the last bit, but the path has to be the same.
  auto HasFloat = [](const Value *V) {
    return V->getType()->isFPOrFPVectorTy();
  };
  return !HasFloat(&I) && any_of(I.operands(), HasFloat);
}

/// Takes the primal's work out of the tangents, and puts reads in its place.
void ReplayEmitter::takeOut() {
  DenseMap<const Instruction *, SmallVector<const PrimalRead *, 1>> Before,
      Behind;
  for (const PrimalRead &R : Tangents.reads())
    (R.Length ? Before : Behind)[R.At].push_back(&R);
  for (BasicBlock &Block : F)
    for (Instruction &I : Block) {
      if (const auto *C = dyn_cast<CallBase>(&I);
          C && Plan.shape().isLive(&Block) &&
          Plan.action(*C) == CallAction::Derivative)
        continue; // gone
      auto *Clone =
          dyn_cast_or_null<Instruction>((Value *)Tangents.primals().lookup(&I));
      if (!Clone || Clone->getFunction() != &D || isa<ReturnInst>(I))
        continue;
      for (const PrimalRead *R : Before[&I]) {
        R->Read->moveBefore(Clone->getIterator());
        Entries.push_back({&I, R, R->Read});
      }
      if (isLogged(I)) {
        FunctionType *T = FunctionType::get(I.getType(), false);
        Function *Reader = Function::Create(T, GlobalValue::ExternalLinkage,
                                            "rg.read", D.getParent());
        auto *Read =
            CallInst::Create(T, Reader, I.getName(), Clone->getIterator());
        Clone->replaceAllUsesWith(Read);
        Entries.push_back({&I, nullptr, Read});
      }
      for (const PrimalRead *R : Behind[&I])
        Entries.push_back({&I, R, R->Read});
      bool Works =
          isLogged(I) || I.mayHaveSideEffects() || I.mayReadOrWriteMemory();
      if (!I.isTerminator() && !I.isEHPad() && Works)
        Clone->eraseFromParent();
    }
}

/// Removes the values that nobody uses, reads among them.
void ReplayEmitter::sweepUnused() {
  SmallPtrSet<const Value *, 32> Reads;
  for (const Entry &E : Entries)
    Reads.insert(E.Read);
  SmallPtrSet<Instruction *, 32> Live;
  SmallVector<Instruction *, 32> Work;
  auto Need = [&](Value *V) {
    if (auto *I = dyn_cast<Instruction>(V); I && Live.insert(I).second)
      Work.push_back(I);
  };
  for (Instruction &I : instructions(D))
    if (I.isTerminator() || (!Reads.contains(&I) && I.mayHaveSideEffects()))
      Need(&I);
  while (!Work.empty())
    for (Value *V : Work.pop_back_val()->operands())
      Need(V);
  for (Instruction &I : make_early_inc_range(instructions(D)))
    if (!Live.contains(&I)) {
      I.replaceAllUsesWith(PoisonValue::get(I.getType()));
      auto *C = dyn_cast<CallInst>(&I);
      Function *Reader =
          C && Reads.contains(C) ? C->getCalledFunction() : nullptr;
      I.eraseFromParent();
      if (Reader)
        Reader->eraseFromParent();
    }
}

/// Which values go together. A copy of memory is a record of its own.
void ReplayEmitter::layOut() {
  size_t Next = 0;
  for (BasicBlock &Block : F) {
    Segment Open;
    auto Close = [&](const Instruction &End) {
      Open.End = &End;
      if (!Open.Entries.empty())
        Segments.push_back(Open);
      Open = {};
    };
    for (Instruction &I : Block) {
      if (Plan.shape().isLive(&Block) && isOtherRecorders(I))
        Close(I);
      for (; Next != Entries.size() && Entries[Next].At == &I; ++Next) {
        Entry &E = Entries[Next];
        if (!E.Read)
          continue;
        if (E.isCopy()) {
          Close(I);
          Open.Entries.push_back(Next);
          Close(I);
          continue;
        }
        Type *T = E.Memory ? PointerType::get(F.getContext(), 0) : I.getType();
        E.Offset = alignTo(Open.Bytes, DL.getABITypeAlign(T));
        Open.Bytes = E.Offset + DL.getTypeStoreSize(T).getFixedValue();
        Open.Entries.push_back(Next);
      }
      if (I.isTerminator())
        Close(I);
    }
  }
}

void ReplayEmitter::read() {
  layOut();
  RuntimeLibrary &RT = Services.runtime();
  Value *Log = D.getArg(0);
  for (const Segment &S : Segments) {
    Value *Record = nullptr;
    for (unsigned N : S.Entries) {
      Entry &E = Entries[N];
      auto *Read = cast<CallInst>(E.Read);
      IRBuilder<> B(Read);
      Value *V;
      if (E.isCopy()) {
        auto *Length = const_cast<Value *>(E.Memory->Length);
        if (Value *Mapped = Tangents.primals().lookup(Length))
          Length = Mapped;
        V = B.CreateCall(RT.require("rg_log_read"),
                         {Log, B.CreateZExtOrTrunc(Length, B.getInt64Ty())});
      } else {
        if (!Record)
          Record = B.CreateCall(RT.require("rg_log_read"),
                                {Log, B.getInt64(S.Bytes)});
        Type *T = Read->getType();
        V = B.CreateAlignedLoad(
            T, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Record, E.Offset),
            commonAlignment(Align(16), E.Offset));
      }
      V->takeName(Read);
      Function *Reader = Read->getCalledFunction();
      Read->replaceAllUsesWith(V);
      Read->eraseFromParent();
      Reader->eraseFromParent();
    }
  }
}

void ReplayEmitter::write() {
  DerivativeRequest Alone = Plan.request();
  Alone.Args.assign(Alone.Args.size(), ArgActivity::Const);
  ValueToValueMapTy VMap;
  LaneMaps None;
  clonePrimal(Recorder, F, Alone, VMap, None);
  RuntimeLibrary &RT = Services.runtime();
  Value *Log = Recorder.getArg(0);
  auto Of = [&](const Value *V) -> Value * {
    if (Value *Mapped = VMap.lookup(V))
      return Mapped;
    return const_cast<Value *>(V);
  };
  // Values behind a call in its segment are stored after it: its record is
  // written where the segment ends, and there all of them are known.
  for (const Segment &S : Segments) {
    IRBuilder<> B(cast<Instruction>(Of(S.End)));
    const Entry &First = Entries[S.Entries.front()];
    if (First.isCopy()) {
      B.CreateCall(
          RT.require("rg_log_copy"),
          {Log, Of(First.Memory->Address),
           B.CreateZExtOrTrunc(Of(First.Memory->Length), B.getInt64Ty())});
      continue;
    }
    // Memory is read where the primal has just been there.
    DenseMap<unsigned, Value *> Pointers;
    for (unsigned N : S.Entries)
      if (const Entry &E = Entries[N]; E.Memory) {
        BasicBlock::iterator At = afterDefinition(cast<Instruction>(Of(E.At)));
        IRBuilder<> Behind(At->getParent(), At);
        Pointers[N] =
            Behind.CreateLoad(Behind.getPtrTy(), Of(E.Memory->Address));
      }
    Value *Record =
        B.CreateCall(RT.require("rg_log_write"), {Log, B.getInt64(S.Bytes)});
    for (unsigned N : S.Entries) {
      const Entry &E = Entries[N];
      B.CreateAlignedStore(
          E.Memory ? Pointers[N] : Of(E.At),
          B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Record, E.Offset),
          commonAlignment(Align(16), E.Offset));
    }
  }
  for (Instruction &I : instructions(F)) {
    if (!Plan.shape().isLive(I.getParent()) || !isOtherRecorders(I))
      continue;
    auto *Call = cast<CallBase>(Of(&I));
    SmallVector<Value *, 8> Args{Log};
    append_range(Args, Call->args());
    Function *Callee = Services.recorder(Plan.calleeRequest(cast<CallBase>(I)));
    IRBuilder<> B(Call);
    CallInst *New = B.CreateCall(Callee, Args);
    New->takeName(Call);
    Call->replaceAllUsesWith(New);
    Call->eraseFromParent();
  }
  keepMemory(VMap);
}

/// Where shadow and primal may be one they are told apart by their addresses.
/// So the memory of the run lives as long as its tape: an address that was free
/// again could be that of a shadow.
void ReplayEmitter::keepMemory(ValueToValueMapTy &VMap) {
  RuntimeLibrary &RT = Services.runtime();
  Value *Log = Recorder.getArg(0);
  for (Instruction &I : instructions(F)) {
    auto *Clone = dyn_cast_or_null<Instruction>((Value *)VMap.lookup(&I));
    if (!Clone || Clone->getFunction() != &Recorder)
      continue;
    IRBuilder<> B(Clone);
    if (auto *A = dyn_cast<AllocaInst>(Clone)) {
      Value *Bytes = B.CreateMul(
          B.CreateZExtOrTrunc(A->getArraySize(), B.getInt64Ty()),
          B.getInt64(
              DL.getTypeAllocSize(A->getAllocatedType()).getFixedValue()));
      for (User *U : make_early_inc_range(A->users()))
        if (auto *L = cast<Instruction>(U); L->isLifetimeStartOrEnd())
          L->eraseFromParent();
      A->replaceAllUsesWith(
          B.CreateCall(RT.require("rg_log_memory"),
                       {Log, Bytes, B.getInt64(A->getAlign().value())}));
      A->eraseFromParent();
      continue;
    }
    auto *C = dyn_cast<CallBase>(&I);
    const OperationRecord *R = C ? Services.catalogue().lookup(*C) : nullptr;
    if (!R)
      continue;
    auto *Call = cast<CallBase>(Clone);
    if (R->Class == RuleClass::Deallocation) {
      StringRef Name =
          R->Deallocator.empty() ? directCallee(*C)->getName() : R->Deallocator;
      FunctionCallee Dealloc = Recorder.getParent()->getOrInsertFunction(
          Name, FunctionType::get(B.getVoidTy(), {B.getPtrTy()}, false));
      B.CreateCall(
          RT.require("rg_log_free"),
          {Log, Call->getArgOperand(R->FreedArg), Dealloc.getCallee()});
    } else if (R->Class == RuleClass::Handler &&
               R->Handler == HandlerKind::Realloc) {
      Call->replaceAllUsesWith(B.CreateCall(
          RT.require("rg_log_realloc"),
          {Log, Call->getArgOperand(0),
           B.CreateZExtOrTrunc(Call->getArgOperand(1), B.getInt64Ty())}));
    } else {
      continue;
    }
    Call->eraseFromParent();
  }
}

void retrograd::emitReplay(const DerivativePlan &Plan,
                           const ForwardEmitter &Tangents, Function &D,
                           Function &Recorder, EmitServices &Services) {
  ReplayEmitter(Plan, Tangents, D, Recorder, Services).run();
}
