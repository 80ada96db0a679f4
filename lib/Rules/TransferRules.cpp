//===- TransferRules.cpp - memcpy, memmove, memset, realloc ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   memcpy(d, s, n)    for each float in the n bytes:
//                      shadow[s] += shadow[d];  shadow[d] = 0
//   memset(d, c, n)    shadow[d] = 0
//   r = realloc(p, n)  as a copy from p to r of what both hold
//   p = calloc(m, n)   shadow[p] = 0, if there may be another sweep
//
// Pointers among the bytes were copied between the shadows in the primal sweep.
// Where a word may be a double or a pointer, its shadow tells:
// runtime/memory.c.
//
//===----------------------------------------------------------------------===//

#include "Catalogue/Catalogue.h"
#include "Diagnostics/RequestTrail.h"
#include "Rules/RulesInternal.h"
#include "Rules/Transfer.h"
#include "Target/Target.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

const Value *retrograd::renewedHolder(const CallBase &C,
                                      const ProgramFacts &Facts) {
  const OperationRecord *R = Facts.catalogue().lookup(C);
  // The members of held strings look after a shadow's string themselves.
  if (!R || !R->OfCharacters || R->OfRuntime || C.onlyReadsMemory() ||
      C.arg_empty())
    return nullptr;
  // A member function says how large its object is; others, and allocators, do
  // not speak of one that holds a pointer.
  const Value *O = C.getArgOperand(0);
  unsigned Pointer = C.getDataLayout().getPointerSize();
  bool IsObject = O->getType()->isPointerTy() &&
                  C.getParamDereferenceableBytes(0) >= Pointer;
  if (!IsObject)
    return nullptr;
  // The shadow of a string of the caller's is a string of the caller's, which
  // owns its characters.
  TypeAnalysis::ObjectId Of = Facts.types().objectOf(O);
  bool Ours =
      Of == TypeAnalysis::NoObject || Facts.ownedMemory().test(unsigned(Of));
  return Ours ? O : nullptr;
}

Transfer retrograd::transferOf(const CallBase &C, const Catalogue &Cat) {
  HandlerKind H = HandlerKind::None;
  bool OnDevice = false;
  if (const OperationRecord *R = Cat.lookup(C)) {
    H = R->Handler;
    OnDevice = R->Text == "device";
  }
  if (H == HandlerKind::Realloc)
    return {&C, C.getArgOperand(0), C.getArgOperand(1), true, false};
  bool Fill = isa<AnyMemSetInst>(C) || H == HandlerKind::MemSet;
  bool MayOverlap = isa<AnyMemMoveInst>(C) || H == HandlerKind::MemMove;
  return {C.getArgOperand(0), Fill ? nullptr : C.getArgOperand(1),
          C.getArgOperand(2), false,
          MayOverlap,         OnDevice};
}

bool retrograd::movesInterfere(const Transfer &T, const TransferShape &S,
                               function_ref<bool(const TypedLeaf &)> Which) {
  return T.MayOverlap && count_if(S.Leaves, Which) > 1;
}

LeafRange retrograd::leafRange(IRBuilderBase &B, const TransferShape &S,
                               const TypedLeaf &L, Value *Bytes) {
  if (L.Offset < S.Header)
    return {B.getInt64(L.Offset), B.getInt64(0), B.getInt64(L.Size)};
  // A leaf that fills its period is one run over all of the bytes (the runtime
  // stops at their end).
  if (S.Period && L.Offset == S.Header && L.Size == S.Period)
    return {B.getInt64(S.Header), B.getInt64(0), Bytes};
  return {B.getInt64(L.Offset), B.getInt64(S.Period), B.getInt64(L.Size)};
}

/// L is no address, and yet copies or stores bring one to a word of it.
static bool mayLead(const TypedLeaf &L, const Value *P,
                    const TypeAnalysis &Types) {
  constexpr uint64_t Word = 8;
  if (L.Kind.K == ByteKind::Pointer || isShared(L))
    return false;
  for (uint64_t At = alignDown(L.Offset, Word); At < L.Offset + L.Size;
       At += Word)
    if (Types.mayLead(P, At))
      return true;
  return false;
}

bool retrograd::movesAddressesOnly(const Transfer &T, const TransferShape &S,
                                   const ActivityAnalysis &A) {
  if (!T.Source || T.IsRealloc || T.OnDevice ||
      (A.isActiveMemory(T.Dest) && A.isActiveMemory(T.Source)))
    return false;
  // Where nothing is active, words can be moved whatever they are.
  return S.Ambiguous || (!A.isActiveMemory(T.Dest) &&
                         any_of(S.Leaves, [&](const TypedLeaf &L) {
                           return mayLead(L, T.Dest, A.facts().types()) ||
                                  mayLead(L, T.Source, A.facts().types());
                         }));
}

bool retrograd::movesUnknown(const Instruction &I, const Transfer &T,
                             const TransferShape &S,
                             const ActivityAnalysis &A) {
  return A.facts().movesUnknownBytes() && couldMoveUnknown(I, T, S, A);
}

bool retrograd::couldMoveUnknown(const Instruction &I, const Transfer &T,
                                 const TransferShape &S,
                                 const ActivityAnalysis &A) {
  if (!T.Source || T.OnDevice || S.Known || S.Ambiguous ||
      none_of(S.Leaves, isUnknown) || !A.isActiveMemory(T.Dest) ||
      !A.isActiveMemory(T.Source))
    return false;
  return !A.facts().hasTeams() && !A.facts().startsThreads() &&
         !Target(*I.getModule()).manyThreads();
}

static const char *floatName(Type *FP) {
  switch (FP->getTypeID()) {
  case Type::HalfTyID:
    return "f16";
  case Type::BFloatTyID:
    return "bf16";
  case Type::FloatTyID:
    return "f32";
  case Type::DoubleTyID:
    return "f64";
  case Type::X86_FP80TyID:
    return "f80";
  case Type::FP128TyID:
    return "f128";
  default:
    return nullptr;
  }
}

static const char *missing(const Instruction &I, const ActivityAnalysis &A) {
  Transfer T = transferOf(cast<CallBase>(I), A.facts().catalogue());
  TransferShape S = transferShape(I, T.Dest, T.Source, T.Length, A.facts());
  for (const TypedLeaf &L : S.Leaves)
    if (L.Kind.K == ByteKind::Float && !floatName(L.Kind.FP))
      return "copy of an unusual floating-point format";
  if (T.OnDevice)
    for (const TypedLeaf &L : S.Leaves)
      if (isShared(L) || (L.Kind.K == ByteKind::Float &&
                          L.Kind.FP->getPrimitiveSizeInBits() > 64))
        return "copy between host and device of numbers of more than 8 bytes, "
               "or of words that hold numbers at one time and pointers or "
               "integers at another";
  if (A.hasShadow(T.Dest) && any_of(S.Leaves, isShared) &&
      Target(*I.getModule()).manyThreads())
    return "copy of words that hold numbers at one time and pointers or "
           "integers at another, in a kernel";
  if (T.IsRealloc && S.Ambiguous)
    return "realloc of memory of mixed type";
  // What is not active at the source becomes a part of the destination's
  // adjoints. Of pointers, these have to stay for another sweep.
  if (movesAddressesOnly(T, S, A) && A.isActiveMemory(T.Dest) &&
      A.hasShadow(T.Source) &&
      (A.facts().manySweeps() || !hasOwnShadow(A.facts(), T.Source)))
    return "copy of constant words of unknown type over active memory";
  return nullptr;
}

static bool sourceActive(const Transfer &T, const ActivityAnalysis &A) {
  return T.Source && A.hasShadow(T.Source);
}

bool retrograd::namesPrimal(const Transfer &T, const Value *P,
                            const ActivityAnalysis &A) {
  return T.OnDevice || A.isMixed(P);
}

static void needs(const Instruction &I, const ActivityAnalysis &A,
                  NeedSink Sink) {
  Transfer T = transferOf(cast<CallBase>(I), A.facts().catalogue());
  Sink({Need::Shadow, T.Dest});
  Sink({Need::Primal, T.Length});
  if (namesPrimal(T, T.Dest, A))
    Sink({Need::Primal, T.Dest});
  if (T.IsRealloc)
    Sink({Need::Primal, T.Source});
  if (!sourceActive(T, A))
    return;
  Sink({Need::Shadow, T.Source});
  if (namesPrimal(T, T.Source, A))
    Sink({Need::Primal, T.Source});
}

void retrograd::emitClear(IRBuilderBase &B,
                          function_ref<FunctionCallee(StringRef)> Runtime,
                          Value *Dest, Value *DestPrimal, Value *Bytes,
                          LeafRange R, bool OnDevice) {
  auto IsZero = [](const Value *V) { return match(V, m_Zero()); };
  if (!OnDevice && IsZero(DestPrimal) && IsZero(R.Offset) && IsZero(R.Period) &&
      R.Run == Bytes)
    B.CreateMemSet(Dest, B.getInt8(0), Bytes, MaybeAlign());
  else
    B.CreateCall(Runtime(OnDevice ? "rg_gpu_adjoint_zero" : "rg_adjoint_zero"),
                 {Dest, DestPrimal, Bytes, R.Offset, R.Period, R.Run});
}

Value *
retrograd::shadowOnDevice(IRBuilderBase &B,
                          function_ref<FunctionCallee(StringRef)> Runtime,
                          Value *Shadow, Value *Primal, unsigned Lane) {
  return B.CreateCall(Runtime("rg_gpu_shadow_of"),
                      {Shadow, Primal, B.getInt64(Lane)});
}

static void emit(const Instruction &I, RuleContext &C) {
  IRBuilderBase &B = C.builder();
  const ActivityAnalysis &A = C.activity();
  Transfer T = transferOf(cast<CallBase>(I), A.facts().catalogue());
  TransferShape S = transferShape(I, T.Dest, T.Source, T.Length, A.facts());
  Constant *Null = ConstantPointerNull::get(B.getPtrTy());
  auto Runtime = [&](StringRef Name) { return C.runtime(Name); };
  Value *Bytes = B.CreateZExtOrTrunc(C.primal(T.Length), B.getInt64Ty());
  if (T.IsRealloc)
    Bytes =
        B.CreateCall(C.runtime("rg_common_size"), {C.primal(T.Source), Bytes});
  // A null primal tells the runtime that the shadow is known to be one.
  Value *Dest = C.shadow(T.Dest),
        *DestPrimal = namesPrimal(T, T.Dest, A) ? C.primal(T.Dest) : Null;
  bool Copies = sourceActive(T, A);
  Value *Source = Copies ? C.shadow(T.Source) : Null;
  if (T.OnDevice && A.isMixed(T.Dest))
    Dest = shadowOnDevice(B, Runtime, Dest, DestPrimal, C.lane());
  if (T.OnDevice && Copies && A.isMixed(T.Source))
    Source = shadowOnDevice(B, Runtime, Source, C.primal(T.Source), C.lane());
  // The heap may have given the shadow's block less to spare.
  if (T.IsRealloc && Copies)
    Bytes = B.CreateCall(C.runtime("rg_common_size"), {Source, Bytes});
  Value *SourcePrimal =
      Copies && namesPrimal(T, T.Source, A) ? C.primal(T.Source) : Null;
  // What was here before has been overwritten, whatever it was.
  if (movesAddressesOnly(T, S, A))
    return emitClear(B, Runtime, Dest, DestPrimal, Bytes,
                     {B.getInt64(0), B.getInt64(0), Bytes}, T.OnDevice);
  auto IsFloat = [](const TypedLeaf &L) { return L.Kind.K == ByteKind::Float; };
  Value *Taken = Dest;
  if (Copies && movesInterfere(T, S, IsFloat)) {
    Taken = B.CreateCall(C.runtime("rg_apart"),
                         {Dest, Source, SourcePrimal, Bytes});
    for (const TypedLeaf &L : make_filter_range(S.Leaves, IsFloat)) {
      auto [Offset, Period, Run] = leafRange(B, S, L, Bytes);
      B.CreateCall(C.runtime("rg_apart_zero"),
                   {Taken, Dest, Bytes, Offset, Period, Run});
    }
  }
  const bool Unknown = Copies && movesUnknown(I, T, S, A);
  for (const TypedLeaf &L : S.Leaves) {
    if (isUnknown(L) && Unknown) {
      LeafRange R = leafRange(B, S, L, Bytes);
      B.CreateCall(
          C.runtime("rg_adjoint_move_unknown"),
          {Dest, DestPrimal, Source, SourcePrimal, Bytes, R.Offset, R.Period,
           R.Run,
           B.CreateGlobalString(userName(I.getFunction()->getName()), "rg.name",
                                0, B.GetInsertBlock()->getModule())});
      continue;
    }
    if (isShared(L)) {
      if (Copies) {
        auto [Offset, Period, Run] = leafRange(B, S, L, Bytes);
        const bool OthersAdd = C.othersAdd(T.Source);
        if (OthersAdd && C.addInOrder())
          B.CreateCall(C.runtime("rg_inorder_wait"), {});
        B.CreateCall(C.runtime((Twine(OthersAdd ? "rg_adjoint_share_"
                                                : "rg_adjoint_move_") +
                                (mayHoldPointers(L) ? "shared" : "words"))
                                   .str()),
                     {Dest, DestPrimal, Source, SourcePrimal, Bytes, Offset,
                      Period, Run});
      } else {
        auto [Offset, Period, Run] = leafRange(B, S, L, Bytes);
        B.CreateCall(C.runtime(mayHoldPointers(L) ? "rg_adjoint_zero_shared"
                                                  : "rg_adjoint_zero"),
                     {Dest, DestPrimal, Bytes, Offset, Period, Run});
      }
      continue;
    }
    bool Zero = !Copies && L.Kind.K != ByteKind::Pointer &&
                L.Kind.K != ByteKind::Integer;
    if (L.Kind.K == ByteKind::Pointer && !T.OnDevice &&
        holdsSmallFloats(T.Dest, L.Offset, L.Size, A.facts())) {
      emitClear(B, Runtime, Dest, DestPrimal, Bytes, leafRange(B, S, L, Bytes),
                T.OnDevice);
      continue;
    }
    if (L.Kind.K != ByteKind::Float && !Zero)
      continue;
    LeafRange R = leafRange(B, S, L, Bytes);
    if (Copies && !T.OnDevice && C.othersAdd(T.Source) && C.addInOrder())
      B.CreateCall(C.runtime("rg_inorder_wait"), {});
    if (Copies)
      B.CreateCall(
          C.runtime((Twine(T.OnDevice              ? "rg_gpu_adjoint_move_"
                           : C.othersAdd(T.Source) ? "rg_adjoint_share_"
                                                   : "rg_adjoint_move_") +
                     floatName(L.Kind.FP))
                        .str()),
          {Taken, DestPrimal, Source, SourcePrimal, Bytes, R.Offset, R.Period,
           R.Run});
    else
      emitClear(B, Runtime, Dest, DestPrimal, Bytes, R, T.OnDevice);
  }
  if (Taken != Dest)
    B.CreateCall(C.runtime("rg_apart_end"), {Taken, Dest});
  // A fill of memory whose type nothing tells: zero is right for floats, and
  // nobody reads the shadow of anything else.
  if (!Copies && S.Leaves.empty())
    emitClear(B, Runtime, Dest, DestPrimal, Bytes,
              {B.getInt64(0), B.getInt64(0), Bytes}, T.OnDevice);
}

static bool hasAdjoint(const Instruction &I, const ActivityAnalysis &A) {
  const auto &C = cast<CallBase>(I);
  return A.isActiveMemory(transferOf(C, A.facts().catalogue()).Dest);
}

const Operation operations::Transfers = {
    .Missing = missing,
    .Needs = needs,
    .Adjoint = emit,
    .HasAdjoint = hasAdjoint,
};

//===----------------------------------------------------------------------===//
// Memory that is allocated as zeros
//===----------------------------------------------------------------------===//

static ArrayRef<unsigned> sizeArgs(const Instruction &I,
                                   const ActivityAnalysis &A) {
  return A.facts().catalogue().lookup(I)->SizeArgs;
}

static TransferShape zeroedShape(const Instruction &I,
                                 const ActivityAnalysis &A) {
  const auto &C = cast<CallBase>(I);
  const Value *Length = C.getArgOperand(sizeArgs(I, A).front());
  uint64_t Product = 1;
  for (unsigned Arg : sizeArgs(I, A)) {
    const auto *N = dyn_cast<ConstantInt>(C.getArgOperand(Arg));
    if (!N)
      return transferShape(I, &I, nullptr, C.getArgOperand(Arg), A.facts());
    Product *= N->getZExtValue();
  }
  return transferShape(I, &I, nullptr,
                       ConstantInt::get(Length->getType(), Product), A.facts());
}

static const char *missingZeroed(const Instruction &I,
                                 const ActivityAnalysis &A) {
  // Shadows of pointers among the adjoints have to stay.
  return zeroedShape(I, A).Ambiguous
             ? "zeroed memory of mixed type, in a function with a tape"
             : nullptr;
}

static void needsZeroed(const Instruction &I, const ActivityAnalysis &A,
                        NeedSink Sink) {
  Sink({Need::Shadow, &I});
  for (unsigned Arg : sizeArgs(I, A))
    Sink({Need::Primal, cast<CallBase>(I).getArgOperand(Arg)});
}

static void emitZeroed(const Instruction &I, RuleContext &C) {
  IRBuilderBase &B = C.builder();
  TransferShape S = zeroedShape(I, C.activity());
  Value *Bytes = B.getInt64(1);
  for (unsigned Arg : sizeArgs(I, C.activity()))
    Bytes = B.CreateMul(
        Bytes,
        B.CreateZExtOrTrunc(C.primal(cast<CallBase>(I).getArgOperand(Arg)),
                            B.getInt64Ty()));
  for (const TypedLeaf &L : S.Leaves) {
    if (L.Kind.K == ByteKind::Pointer || L.Kind.K == ByteKind::Integer)
      continue;
    emitClear(
        B, [&](StringRef Name) { return C.runtime(Name); }, C.shadow(&I),
        ConstantPointerNull::get(B.getPtrTy()), Bytes,
        leafRange(B, S, L, Bytes));
  }
}

/// What the program finds zero in memory takes an adjoint that nothing reads;
/// only a second sweep would take it for its own.
static bool hasAdjointOfZeroed(const Instruction &I,
                               const ActivityAnalysis &A) {
  const OperationRecord &R = *A.facts().catalogue().lookup(I);
  return R.ZeroFills && !R.SizeArgs.empty() && A.facts().manySweeps() &&
         A.isActiveMemory(&I) && A.hasShadow(&I);
}

const Operation operations::Zeroed = {
    .Missing = missingZeroed,
    .Needs = needsZeroed,
    .Adjoint = emitZeroed,
    .HasAdjoint = hasAdjointOfZeroed,
};
