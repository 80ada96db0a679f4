//===- FormatWatch.cpp - which number lies where, at run time -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/FormatWatch.h"
#include "Analysis/NumberUses.h"
#include "Bitcode/RuntimeLibrary.h"
#include "Catalogue/Catalogue.h"
#include "Emit/ConstantMemory.h"
#include "Rules/Transfer.h"
#include "Target/Target.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// As runtime/formats.c has them. 0 for what it does not know.
static unsigned formatOf(const Type *T) {
  switch (T->getScalarType()->getTypeID()) {
  case Type::FloatTyID:
    return 1;
  case Type::DoubleTyID:
    return 2;
  case Type::X86_FP80TyID:
    return 3;
  case Type::HalfTyID:
    return 4;
  case Type::BFloatTyID:
    return 5;
  case Type::FP128TyID:
    return 6;
  default:
    return 0;
  }
}

FormatWatch::FormatWatch(const DerivativePlan &Plan, RuntimeLibrary &Runtime,
                         const ValueToValueMapTy &VMap)
    : Plan(Plan), Runtime(Runtime), VMap(VMap),
      Looks(Plan.facts().types().mixesFormats() &&
            !Target(*Plan.primal().getParent()).manyThreads()) {}

Value *FormatWatch::clone(const Value *V) const {
  auto It = VMap.find(V);
  if (It != VMap.end())
    return It->second;
  return const_cast<Value *>(V); // constants map to themselves
}

CallInst *FormatWatch::call(IRBuilderBase &B, StringRef Name,
                            ArrayRef<Value *> Args) const {
  return B.CreateCall(Runtime.require(Name), Args);
}

static uint64_t sizeOf(const Instruction &Access) {
  return Access.getDataLayout()
      .getTypeStoreSize(getLoadStoreType(&Access))
      .getFixedValue();
}

/// That of At, or of its function.
static void setLocation(IRBuilderBase &B, const Instruction &At) {
  B.SetCurrentDebugLocation(At.getDebugLoc());
  if (DISubprogram *SP = At.getFunction()->getSubprogram();
      SP && !At.getDebugLoc())
    B.SetCurrentDebugLocation(DILocation::get(At.getContext(), 0, 0, SP));
}

/// Ends the program at Use if Written is a format.
void FormatWatch::tell(const NumberUse &Use, Value *Written, const Type *Read,
                       const Instruction &Place) const {
  auto *At = dyn_cast_or_null<Instruction>(clone(Use.At));
  if (!At)
    return; // cloning has seen that nobody gets there
  IRBuilder<> B(At);
  setLocation(B, *At);
  for (const UseCondition &C : Use.If) {
    Value *Condition = clone(C.Condition);
    Written = C.Holds ? B.CreateSelect(Condition, Written, B.getInt32(0))
                      : B.CreateSelect(Condition, B.getInt32(0), Written);
  }
  call(B, "rg_format_tell",
       {Written, B.getInt32(formatOf(Read)), placeInUser(Runtime, Place)});
}

void FormatWatch::emitReads() const {
  for (const FormatTrap &T : Plan.formatTraps())
    tell(T.Use,
         ConstantInt::get(Type::getInt32Ty(T.Taker->getContext()),
                          formatOf(T.From)),
         T.To, *T.Taker);
  if (!Looks)
    return;
  for (const Instruction &I : instructions(Plan.primal()))
    if (const auto *L = dyn_cast<LoadInst>(&I))
      emitRead(*L);
}

void FormatWatch::emitRead(const LoadInst &L) const {
  const ProgramFacts &Facts = Plan.facts();
  const Value *P = L.getPointerOperand();
  auto *Clone = dyn_cast_or_null<Instruction>(clone(&L));
  if (!Clone || !formatOf(L.getType()) ||
      isa<ScalableVectorType>(L.getType()) || !Facts.watchesFormats(P) ||
      !Plan.activity().isActive(&L))
    return;
  const auto Uses = usesOfNumber(L, Plan.shape().loops());
  if (Uses.empty())
    return;
  IRBuilder<> B(Clone->getNextNode());
  setLocation(B, *Clone);
  Value *Size = B.getInt64(sizeOf(L)),
        *Format = B.getInt32(formatOf(L.getType()));
  if (any_of(Uses, [&](const NumberUse &Use) {
        return Use.At->getParent() == L.getParent() &&
               all_of(Use.If, [](const UseCondition &C) { return C.EndsLoop; });
      })) {
    // What nobody writes while the derivative runs is what it was read as.
    const Function *Root = Facts.root();
    const bool Stays =
        Root && !Facts.effects(Root).Changes.test(Facts.types().objectOf(P));
    call(B, Stays ? "rg_format_see" : "rg_format_read",
         {clone(P), Size, Format, placeInUser(Runtime, L)});
    return;
  }
  Value *Other = call(B, "rg_format_look", {clone(P), Size, Format});
  for (const NumberUse &Use : Uses)
    tell(Use, Other, L.getType(), L);
}

/// What lay where L read.
Value *FormatWatch::notesOf(const LoadInst &L) const {
  auto *Clone = dyn_cast_or_null<Instruction>(clone(&L));
  if (!Clone || !Plan.facts().watchesFormats(L.getPointerOperand()) ||
      isa<ScalableVectorType>(L.getType()))
    return nullptr;
  IRBuilder<> B(Clone->getNextNode());
  setLocation(B, *Clone);
  return call(B, "rg_format_take",
              {clone(L.getPointerOperand()), B.getInt64(sizeOf(L))});
}

void FormatWatch::emitStore(IRBuilderBase &B, const StoreInst &S) const {
  const ActivityAnalysis &A = Plan.activity();
  const Value *P = S.getPointerOperand(), *V = S.getValueOperand();
  Type *T = V->getType();
  if (!Plan.facts().watchesFormats(P) || isa<ScalableVectorType>(T))
    return;
  Value *Size = B.getInt64(sizeOf(S));
  const bool IsNumber =
      formatOf(T) && A.isVaried(V) && !isa<Constant>(V) && isMadeAsNumber(*V);
  // What is only moved stays what it was.
  if (const auto *From = dyn_cast<LoadInst>(V); From && !IsNumber)
    if (Value *Notes = notesOf(*From)) {
      call(B, "rg_format_put", {clone(P), Size, Notes});
      return;
    }
  call(B, "rg_format_write",
       {clone(P), Size, B.getInt32(IsNumber ? formatOf(T) : 0)});
}

void FormatWatch::emitWrites(IRBuilderBase &B, const Instruction &I) const {
  if (!Looks)
    return;
  const ProgramFacts &Facts = Plan.facts();
  if (const auto *S = dyn_cast<StoreInst>(&I))
    return emitStore(B, *S);
  const auto *C = dyn_cast<CallBase>(&I);
  if (!C)
    return;
  auto Bytes = [&](const Value *Length) {
    return B.CreateZExtOrTrunc(clone(Length), B.getInt64Ty());
  };
  const OperationRecord *R = Facts.catalogue().lookup(I);
  if (R && R->Class == RuleClass::Allocation) {
    if (!Facts.watchesFormats(&I) || R->SizeArgs.empty())
      return;
    Value *Size = B.getInt64(1);
    for (unsigned Arg : R->SizeArgs)
      Size = B.CreateMul(Size, Bytes(C->getArgOperand(Arg)));
    call(B, "rg_format_write", {clone(&I), Size, B.getInt32(0)});
    return;
  }
  if (R && R->Handler == HandlerKind::Realloc) {
    if (Facts.watchesFormats(&I))
      call(B, "rg_format_write",
           {clone(&I), Bytes(C->getArgOperand(1)), B.getInt32(0)});
    return;
  }
  const Function *Callee = directCallee(*C);
  if (Callee && !R) {
    // It is not differentiated, so nobody watches what it writes.
    if (const Function *Body = Facts.preparedOf(Callee))
      for (unsigned O : Facts.effects(Body).Changes.set_bits())
        if (Facts.types().mixedFormats(O)) {
          call(B, "rg_format_begin", {});
          return;
        }
  }
  if (!isa<AnyMemIntrinsic>(I) && !(R && (R->Handler == HandlerKind::MemCpy ||
                                          R->Handler == HandlerKind::MemMove ||
                                          R->Handler == HandlerKind::MemSet)))
    return;
  const Transfer T = transferOf(*C, Facts.catalogue());
  if (!Facts.watchesFormats(T.Dest))
    return;
  if (T.Source)
    call(B, "rg_format_move",
         {clone(T.Dest), clone(T.Source), Bytes(T.Length)});
  else
    call(B, "rg_format_write", {clone(T.Dest), Bytes(T.Length), B.getInt32(0)});
}

void retrograd::beginFormatWatch(Function &D, RuntimeLibrary &Runtime) {
  const Function *Writes = D.getParent()->getFunction("rg_format_write");
  if (!Writes || Writes->use_empty())
    return;
  IRBuilder<> B(&*D.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  if (DISubprogram *SP = D.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(D.getContext(), 0, 0, SP));
  B.CreateCall(Runtime.require("rg_format_begin"), {});
}
