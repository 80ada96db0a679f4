//===- PrimalCalls.cpp - calls in the primal sweep ------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocations have shadows, frees wait for the reverse sweep, copies are done
// on shadows too, and calls that are differentiated run the augmented callee.
//
//===----------------------------------------------------------------------===//

#include "Catalogue/Catalogue.h"
#include "Emit/ConstantMemory.h"
#include "Emit/PrimalEmitter.h"
#include "Rules/MessageShape.h"
#include "Rules/Rules.h"
#include "Rules/Transfer.h"
#include "Support/ExceptionMarks.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

void PrimalEmitter::emitCall(CallBase &C) {
  switch (Plan.action(C)) {
  case CallAction::Allocate:
    forLanes([&] { emitAllocation(C); });
    return watchNumbers(C);
  case CallAction::Free:
    return emitFree(C);
  case CallAction::Memory:
    forLanes([&] { emitTransfer(C); });
    return watch(C);
  case CallAction::Realloc:
    emitRealloc(C);
    return watchNumbers(C);
  case CallAction::Tape:
    return emitTapeScope(C);
  case CallAction::Derivative:
    return emitDerivativeCall(C);
  case CallAction::Primal:
  case CallAction::Drop:
  case CallAction::Formula:
    if (const OperationRecord *R = Services.catalogue().lookup(C);
        R && R->Handler == HandlerKind::Reach)
      return emitReach(C);
    if (C.hasFnAttr(ExceptionKept)) {
      IRBuilder<> B(D.getContext());
      placeAfter(B, C);
      B.CreateCall(Services.runtime().require("rg_exception_keep"), {Arena});
    }
    // A pointer from outside has no shadow but itself.
    if (!C.getType()->isVoidTy() && Activity.hasShadow(&C))
      forLanes([&] { shadowSlot(&C) = primal(&C); });
    if (const Value *O = renewedHolder(C, Activity.facts());
        O && Activity.hasShadow(O)) {
      IRBuilder<> B(D.getContext());
      placeAfter(B, C);
      Value *Renewed = B.CreateLoad(B.getPtrTy(), primal(O));
      forLanes([&] { B.CreateStore(Renewed, shadow(O)); });
    }
    emitLife(C);
    return watchNumbers(C);
  }
}

/// A string begins or ends: so does the one in the shadow, which is empty or
/// the caller's.
void PrimalEmitter::emitLife(CallBase &C) {
  const OperationRecord *R = Services.catalogue().lookup(C);
  if (!R || R->Class != RuleClass::Inactive || R->Shadow.empty() ||
      !Activity.hasShadow(C.getArgOperand(0)))
    return;
  const Value *O = C.getArgOperand(0);
  IRBuilder<> B(clone(&C));
  Value *Own =
      Activity.isMixed(O) ? primal(O) : ConstantPointerNull::get(B.getPtrTy());
  forLanes([&] {
    B.CreateCall(Services.runtime().require(R->Shadow), {shadow(O), Own});
  });
}

/// A thread tells where the adjoints lie.
void PrimalEmitter::emitReach(CallBase &C) {
  auto *Clone = cast<CallBase>(clone(&C));
  const Value *P = C.getArgOperand(0);
  if (Plan.addsWithinReach() && Activity.hasShadow(P))
    Clone->setArgOperand(0, shadow(P));
  else
    Clone->eraseFromParent();
}

void PrimalEmitter::emitAllocation(CallBase &C) {
  const OperationRecord &R = *Services.catalogue().lookup(C);
  auto *Clone = cast<CallBase>(clone(&C));
  IRBuilder<> B(D.getContext());
  placeAfter(B, C);
  if (R.ShadowBehind) {
    shadowSlot(&C) = shadowBehind(*Clone, R, Lane, B);
    return;
  }
  SmallVector<Value *, 3> Args(Clone->args());
  auto *Sh = R.Shadow.empty()
                 ? B.CreateCall(Clone->getFunctionType(),
                                Clone->getCalledOperand(), Args)
                 : B.CreateCall(Services.runtime().require(R.Shadow), Args);
  Sh->setName(C.getName() + ".sh");
  Sh->setAttributes(Clone->getAttributes());
  Sh->setCallingConv(Clone->getCallingConv());
  shadowSlot(&C) = Sh;
  if (!R.Shadow.empty())
    return;
  Value *Bytes = B.getInt64(1);
  for (unsigned A : R.SizeArgs)
    Bytes = B.CreateMul(Bytes, B.CreateZExtOrTrunc(Args[A], B.getInt64Ty()));
  if (Plan.facts().mayBeReleased(C))
    B.CreateCall(Services.runtime().require("rg_note_made"),
                 {Arena, Sh, Bytes});
  if (!R.ZeroFills)
    B.CreateMemSet(Sh, B.getInt8(0), Bytes, MaybeAlign(8));
}

void PrimalEmitter::notePlaces(IRBuilderBase &B, Value *Place, Value *Bytes) {
  B.CreateCall(Services.runtime().require("rg_note_places"),
               {Arena, Place, Bytes});
}

void PrimalEmitter::emitFree(CallBase &C) {
  const OperationRecord &R = *Services.catalogue().lookup(C);
  auto *Clone = cast<CallBase>(clone(&C));
  IRBuilder<> B(Clone);
  const Value *P = C.getArgOperand(R.FreedArg);
  FunctionCallee Dealloc = D.getParent()->getOrInsertFunction(
      R.Deallocator.empty() ? directCallee(C)->getName() : R.Deallocator,
      FunctionType::get(B.getVoidTy(), {B.getPtrTy()}, false));
  forLanes([&] {
    B.CreateCall(Services.runtime().require(Lane ? "rg_defer_free_shadow"
                                                 : "rg_defer_free_both"),
                 {Arena, primal(P),
                  Activity.hasShadow(P) ? shadow(P) : primal(P),
                  Dealloc.getCallee()});
    if (Activity.hasShadow(P) && Plan.facts().releasesGiven(C))
      B.CreateCall(Services.runtime().require("rg_note_released"),
                   {Arena, primal(P), shadow(P),
                    B.CreateCall(Services.runtime().require("rg_block_bytes"),
                                 {shadow(P)})});
  });
  if (auto *Inv = dyn_cast<InvokeInst>(Clone)) {
    B.CreateBr(Inv->getNormalDest());
    Inv->getUnwindDest()->removePredecessor(Inv->getParent());
  }
  Clone->eraseFromParent();
}

/// A derivative inside of the primal. All that it tapes has to last until our
/// own reverse sweep, so its scopes become one with ours: it allocates from our
/// arena, and what it frees late is freed when ours is.
void PrimalEmitter::emitTapeScope(CallBase &C) {
  auto *Clone = cast<CallBase>(clone(&C));
  switch (Services.catalogue().lookup(C)->Handler) {
  case HandlerKind::TapeBegin:
    Clone->replaceAllUsesWith(Arena);
    VMap[&C] = Arena;
    Clone->eraseFromParent();
    return;
  case HandlerKind::TapeEnd:
    Clone->eraseFromParent();
    return;
  default:
    const Value *P = C.getArgOperand(1);
    if (!Activity.hasShadow(P))
      return;
    forLanes([&] {
      IRBuilder<> B(Clone);
      B.CreateCall(Services.runtime().require("rg_defer_shadow"),
                   {Arena, primal(P), shadow(P), Clone->getArgOperand(2)});
    });
  }
}

void PrimalEmitter::emitTransfer(CallBase &C) {
  Transfer T = transferOf(C, Services.catalogue());
  if (!C.getType()->isVoidTy() && Activity.hasShadow(&C))
    shadowSlot(&C) = shadow(T.Dest);
  if (!Activity.hasShadow(T.Dest))
    return;
  IRBuilder<> B(D.getContext());
  placeAfter(B, C);
  TransferShape S = transferShape(C, T.Dest, T.Source, T.Length, Plan.facts());
  if (movesAddressesOnly(T, S, Activity)) {
    S.Header = 0;
    S.Period = D.getDataLayout().getPointerSize();
    S.Leaves = {{0, S.Period, {ByteKind::Pointer, nullptr}}};
  }
  Value *Dest = shadow(T.Dest);
  if (Dest == primal(T.Dest))
    return;
  Value *DestPrimal = namesPrimal(T, T.Dest, Activity)
                          ? primal(T.Dest)
                          : ConstantPointerNull::get(B.getPtrTy());
  Value *Bytes = B.CreateZExtOrTrunc(primal(T.Length), B.getInt64Ty());
  RuntimeLibrary &RT = Services.runtime();
  if (!T.OnDevice && Plan.facts().mayHoldReleased(*T.Dest) &&
      any_of(S.Leaves, mayHoldPointers))
    notePlaces(B, Dest, Bytes);
  Value *Source = T.Source ? shadow(T.Source) : nullptr, *From = Source;
  if (Source && movesInterfere(T, S, mayHoldPointers))
    From =
        B.CreateCall(RT.require("rg_apart"), {Source, Dest, DestPrimal, Bytes});
  // Half of an address that was here would be an adjoint of the float.
  for (const TypedLeaf &L : S.Leaves)
    if (Source && !T.OnDevice && takesAddressesPlace(L, T.Dest, Plan.facts()))
      emitClear(
          B, [&](StringRef Name) { return RT.require(Name); }, Dest, DestPrimal,
          Bytes, leafRange(B, S, L, Bytes), T.OnDevice);
  for (const TypedLeaf &L : make_filter_range(S.Leaves, mayHoldPointers)) {
    LeafRange R = leafRange(B, S, L, Bytes);
    if (Source)
      B.CreateCall(RT.require(isShared(L)  ? "rg_shadow_move_shared"
                              : T.OnDevice ? "rg_gpu_shadow_move_pointers"
                                           : "rg_shadow_move_pointers"),
                   {Dest, DestPrimal, From, Bytes, R.Offset, R.Period, R.Run});
    else
      emitClear(
          B, [&](StringRef Name) { return RT.require(Name); }, Dest, DestPrimal,
          Bytes, R, T.OnDevice);
  }
  if (movesUnknown(C, T, S, Activity))
    for (const TypedLeaf &L : make_filter_range(S.Leaves, isUnknown)) {
      LeafRange R = leafRange(B, S, L, Bytes);
      B.CreateCall(
          RT.require("rg_shadow_move_unknown"),
          {Dest, DestPrimal, Source, Bytes, R.Offset, R.Period, R.Run});
    }
  if (From != Source)
    B.CreateCall(RT.require("rg_apart_end"), {From, Source});
}

void PrimalEmitter::emitRealloc(CallBase &C) {
  auto *Clone = cast<CallBase>(clone(&C));
  IRBuilder<> B(Clone);
  const Value *Old = C.getArgOperand(0);
  Value *Bytes = B.CreateZExtOrTrunc(Clone->getArgOperand(1), B.getInt64Ty());
  Value *P = B.CreateCall(Services.runtime().require("rg_tape_realloc"),
                          {Arena, primal(Old), Bytes}, C.getName());
  // What the old block had beyond the size that was asked for comes along, and
  // nobody cleared its shadow. Pointers there are written before they are read;
  // adjoints are added to.
  Transfer T = transferOf(C, Services.catalogue());
  TransferShape S = transferShape(C, T.Dest, T.Source, T.Length, Plan.facts());
  RuntimeLibrary &RT = Services.runtime();
  forLanes([&] {
    Value *Sh = B.CreateCall(RT.require("rg_shadow_realloc"),
                             {Arena, shadow(Old), primal(Old), P, Bytes},
                             C.getName() + ".sh");
    shadowSlot(&C) = Sh;
    if (Plan.facts().releasesGiven(C))
      B.CreateCall(RT.require("rg_note_moved"),
                   {Arena, primal(Old), shadow(Old), Sh, Bytes});
    Constant *Own = ConstantPointerNull::get(B.getPtrTy());
    for (const TypedLeaf &L : S.Leaves) {
      LeafRange R = leafRange(B, S, L, Bytes);
      if (isShared(L) && mayHoldPointers(L))
        B.CreateCall(RT.require("rg_adjoint_zero_shared"),
                     {Sh, Own, Bytes, R.Offset, R.Period, R.Run});
      else if (L.Kind.K == ByteKind::Float || isShared(L))
        emitClear(
            B, [&](StringRef Name) { return RT.require(Name); }, Sh, Own, Bytes,
            R);
    }
  });
  Clone->replaceAllUsesWith(P);
  VMap[&C] = P;
  if (auto *Inv = dyn_cast<InvokeInst>(Clone)) {
    B.CreateBr(Inv->getNormalDest());
    Inv->getUnwindDest()->removePredecessor(Inv->getParent());
  }
  Clone->eraseFromParent();
}

void PrimalEmitter::emitDerivativeCall(CallBase &C) {
  DerivativeRequest R = Plan.calleeRequest(C);
  Function *Augmented = Services.derivative(R);
  auto *Clone = cast<CallBase>(clone(&C));
  SmallVector<Value *, 8> Args{Arena};
  for (auto [N, A] : enumerate(C.args())) {
    Args.push_back(Clone->getArgOperand(N));
    if (R.Args[N] == ArgActivity::Dup)
      forLanes([&] { Args.push_back(shadow(A)); });
  }
  IRBuilder<> B(Clone);
  tellBytes(
      B, C, Plan.facts(), /*Forward=*/false,
      [&](StringRef Name) { return Services.runtime().require(Name); },
      [&](StringRef T) { return Services.runtime().text("rg.bytes.", T); });
  CallBase *Call;
  if (auto *Inv = dyn_cast<InvokeInst>(Clone))
    Call = B.CreateInvoke(Augmented, Inv->getNormalDest(), Inv->getUnwindDest(),
                          Args);
  else
    Call = B.CreateCall(Augmented, Args);
  BasicBlock::iterator At = afterDefinition(Call);
  B.SetInsertPoint(At->getParent(), At);
  B.SetCurrentDebugLocation(Clone->getDebugLoc());
  unsigned Next = 0;
  Tapes[&C] = B.CreateExtractValue(Call, Next++, C.getName() + ".tape");
  if (!C.getType()->isVoidTy()) {
    Value *P = B.CreateExtractValue(Call, Next++, C.getName());
    Clone->replaceAllUsesWith(P);
    VMap[&C] = P;
  }
  if (R.ShadowReturn)
    forLanes([&] {
      shadowSlot(&C) = B.CreateExtractValue(Call, Next++, C.getName() + ".sh");
    });
  Clone->eraseFromParent();
}
