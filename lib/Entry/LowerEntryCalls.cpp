//===- LowerEntryCalls.cpp - replace the user's derivative calls ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mechanical translation of EntryCall: operands are converted, the derivative
// is called, its results are put where the user's declared result type has
// them. Results whose types differ from the declared ones (structs that the
// calling convention turned into vectors, integers or memory) go through
// memory, byte for byte; the simplification that follows makes registers of it
// again.
//
//===----------------------------------------------------------------------===//

#include "Entry/LowerEntryCalls.h"
#include "Emit/SplitEmitter.h"
#include "Emit/StrictFloat.h"
#include "Guard/TapeBytes.h"
#include "Request/Markers.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace retrograd;

/// Erases a call, and what only it used: loads of markers, and the temporaries
/// in which markers were passed by reference.
static void eraseWithOperands(CallBase &Call) {
  SmallVector<WeakTrackingVH, 8> Operands;
  SmallVector<AllocaInst *, 4> Temporaries;
  for (Value *Argument : Call.args()) {
    auto *Slot = dyn_cast<AllocaInst>(Argument);
    if (Slot && isMarker(Slot))
      Temporaries.push_back(Slot);
    else if (isa<Instruction>(Argument))
      Operands.push_back(Argument);
  }
  Call.eraseFromParent();
  for (AllocaInst *Slot : Temporaries) {
    auto IsLeft = [&](const User *U) {
      const auto *S = dyn_cast<StoreInst>(U);
      return (S && S->getPointerOperand() == Slot) ||
             cast<Instruction>(U)->isLifetimeStartOrEnd();
    };
    if (!all_of(Slot->users(), IsLeft))
      continue;
    for (User *U : make_early_inc_range(Slot->users())) {
      if (auto *S = dyn_cast<StoreInst>(U);
          S && isa<Instruction>(S->getValueOperand()))
        Operands.push_back(S->getValueOperand());
      cast<Instruction>(U)->eraseFromParent();
    }
    Slot->eraseFromParent();
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Operands);
}

namespace {

class Lowering {
public:
  Lowering(EntryCall &Entry, Function &Derivative, RuntimeLibrary &Runtime)
      : Entry(Entry), Derivative(Derivative), Runtime(Runtime),
        Old(*Entry.Call), Builder(&Old), DL(Old.getDataLayout()),
        InPlace(inPlaceBytes(Derivative)) {
    beginStrict(Builder, *Old.getFunction());
  }
  void run();

private:
  EntryCall &Entry;
  Function &Derivative;
  RuntimeLibrary &Runtime;
  CallBase &Old;
  IRBuilder<> Builder;
  const DataLayout &DL;
  /// Size of a tape that is no pointer (Emit/SplitEmitter.h); else zero.
  const uint64_t InPlace;
  /// Memory made for parameters, as primal and as shadow; null where none was.
  SmallVector<Value *, 8> PrimalMemory;
  /// Of shadows: per lane.
  SmallVector<SmallVector<Value *, 1>, 8> ShadowMemory;

  AllocaInst *makeMemory(Type *T, const Twine &Name);
  Value *operand(const EntryOperand &Operand, Type *Wanted, Value *&Memory,
                 const Twine &Name);
  Value *makeTape();
  void copyTape(Value *To, MaybeAlign ToAlign, Value *From,
                MaybeAlign FromAlign);
  Value *loadTape();
  void storeTape(Value *Tape);
  Value *seed(unsigned Lane);
  CallBase *callDerivative(ArrayRef<Value *> Arguments);
  Value *resultPart(const EntryResult &Part, CallBase &Call);
  Value *assemble(ArrayRef<Value *> Parts, Type *Declared);
  void storeParts(ArrayRef<Value *> Parts, Value *Memory, Align Alignment);
};

} // namespace

/// One in every number of a type, zero in all else.
static Constant *onesOf(Type *T) {
  if (T->isFPOrFPVectorTy())
    return ConstantFP::get(T, 1.0);
  if (auto *S = dyn_cast<StructType>(T)) {
    SmallVector<Constant *, 4> Members;
    for (Type *Member : S->elements())
      Members.push_back(onesOf(Member));
    return ConstantStruct::get(S, Members);
  }
  if (auto *A = dyn_cast<ArrayType>(T))
    return ConstantArray::get(
        A, SmallVector<Constant *, 4>(A->getNumElements(),
                                      onesOf(A->getElementType())));
  return Constant::getNullValue(T);
}

/// Memory in the frame of the function around the call. In the entry block,
/// since the call may stand in a loop.
AllocaInst *Lowering::makeMemory(Type *T, const Twine &Name) {
  BasicBlock &Start = Old.getFunction()->getEntryBlock();
  IRBuilder<> AtStart(&Start, Start.getFirstNonPHIOrDbgOrAlloca());
  return AtStart.CreateAlloca(T, DL.getAllocaAddrSpace(), nullptr, Name);
}

Value *Lowering::operand(const EntryOperand &Operand, Type *Wanted,
                         Value *&Memory, const Twine &Name) {
  Value *V = Operand.V;
  switch (Operand.How) {
  case EntryOperand::Direct:
    return V;
  case EntryOperand::FPTrunc:
    return Builder.CreateFPTrunc(V, Wanted);
  case EntryOperand::FPExtend:
    return Builder.CreateFPExt(V, Wanted);
  case EntryOperand::IntTrunc:
    return Builder.CreateTrunc(V, Wanted);
  case EntryOperand::IntExtend:
    return Builder.CreateZExt(V, Wanted);
  case EntryOperand::Load:
    if (Operand.Offset)
      V = Builder.CreateConstInBoundsGEP1_64(Builder.getInt8Ty(), V,
                                             Operand.Offset);
    return Builder.CreateLoad(Wanted, V);
  case EntryOperand::CopyMemory:
  case EntryOperand::ZeroMemory:
  case EntryOperand::OnesMemory: {
    AllocaInst *Copy = makeMemory(Operand.Memory, Name);
    uint64_t Size = DL.getTypeAllocSize(Operand.Memory);
    if (Operand.How == EntryOperand::OnesMemory) {
      Constant *Ones = onesOf(Operand.Memory);
      auto *G = new GlobalVariable(
          *Old.getModule(), Ones->getType(), /*isConstant=*/true,
          GlobalValue::PrivateLinkage, Ones, "rg.ones");
      G->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
      V = G;
    }
    if (V)
      Builder.CreateMemCpy(Copy, Copy->getAlign(), V, MaybeAlign(), Size);
    else
      Builder.CreateMemSet(Copy, Builder.getInt8(0), Size, Copy->getAlign());
    Memory = Copy;
    return Copy;
  }
  }
  llvm_unreachable("covered switch");
}

/// The new call; the builder then stands where its result may be used.
CallBase *Lowering::callDerivative(ArrayRef<Value *> Arguments) {
  auto *Invoke = dyn_cast<InvokeInst>(&Old);
  if (!Invoke) {
    CallInst *Call = Builder.CreateCall(&Derivative, Arguments);
    Call->setCallingConv(Derivative.getCallingConv());
    return Call;
  }
  // An exception that leaves the primal leaves its derivative, too. The result
  // is taken apart in a block of its own on the normal edge.
  BasicBlock *Before = Old.getParent(), *After = Invoke->getNormalDest();
  BasicBlock *Normal = BasicBlock::Create(Old.getContext(), "derivative.cont",
                                          Before->getParent(), After);
  InvokeInst *Call = Builder.CreateInvoke(&Derivative, Normal,
                                          Invoke->getUnwindDest(), Arguments);
  Call->setCallingConv(Derivative.getCallingConv());
  After->replacePhiUsesWith(Before, Normal);
  Builder.SetInsertPoint(BranchInst::Create(After, Normal));
  Builder.SetCurrentDebugLocation(Old.getDebugLoc());
  return Call;
}

Value *Lowering::resultPart(const EntryResult &Part, CallBase &Call) {
  if (Part.Member)
    return Builder.CreateExtractValue(&Call, *Part.Member);
  Value *Memory = Part.OfShadow ? ShadowMemory[Part.Parameter][Part.Lane]
                                : PrimalMemory[Part.Parameter];
  return Builder.CreateLoad(Part.Ty, Memory);
}

void Lowering::storeParts(ArrayRef<Value *> Parts, Value *Memory,
                          Align Alignment) {
  for (auto [Part, V] : zip(Entry.Results, Parts)) {
    Value *Address = Builder.CreateConstInBoundsGEP1_64(Builder.getInt8Ty(),
                                                        Memory, Part.Offset);
    if (Part.Bytes && InPlace) // V is the address of the tape
      copyTape(Address, commonAlignment(Alignment, Part.Offset), V, Align(16));
    else
      Builder.CreateAlignedStore(V, Address,
                                 commonAlignment(Alignment, Part.Offset));
  }
}

/// The parts as one value of the declared type.
Value *Lowering::assemble(ArrayRef<Value *> Parts, Type *Declared) {
  if (Parts.size() == 1) {
    if (Parts[0]->getType() == Declared)
      return Parts[0];
    if (Declared->isFloatingPointTy() &&
        Parts[0]->getType()->isFloatingPointTy())
      return Builder.CreateFPExt(Parts[0], Declared);
  }
  if (auto *S = dyn_cast<StructType>(Declared);
      S && S->getNumElements() == Parts.size() && !InPlace &&
      all_of(enumerate(Parts), [&](auto P) {
        return P.value()->getType() == S->getElementType(P.index());
      })) {
    Value *Whole = PoisonValue::get(S);
    for (auto [I, V] : enumerate(Parts))
      Whole = Builder.CreateInsertValue(Whole, V, I);
    return Whole;
  }
  AllocaInst *Memory = makeMemory(Declared, "derivative.result");
  storeParts(Parts, Memory, Memory->getAlign());
  return Builder.CreateLoad(Declared, Memory);
}

/// Aligned memory for a tape in place: the program's may have any alignment.
Value *Lowering::makeTape() {
  holdTape(*Old.getFunction());
  AllocaInst *Tape =
      makeMemory(ArrayType::get(Builder.getInt8Ty(), InPlace), "tape.here");
  Tape->setAlignment(Align(16));
  return Tape->getAddressSpace()
             ? Builder.CreateAddrSpaceCast(Tape, Builder.getPtrTy())
             : Tape;
}

void Lowering::copyTape(Value *To, MaybeAlign ToAlign, Value *From,
                        MaybeAlign FromAlign) {
  Builder.CreateMemCpy(To, ToAlign, From, FromAlign, InPlace);
}

/// The tape that a sweep was given.
Value *Lowering::loadTape() {
  Value *Memory = nullptr;
  assert(Entry.OfTape.Tape && "a sweep that is given a tape");
  const EntryOperand &Of = *Entry.OfTape.Tape;
  if (InPlace) {
    // A struct by value is here in memory, or else was refused.
    Value *Tape = makeTape();
    Value *From = Of.How == EntryOperand::Load && !Entry.OfTape.InMemory
                      ? (Value *)Of.V
                      : operand(Of, Builder.getPtrTy(), Memory, "");
    copyTape(Tape, Align(16), From, Align(1));
    return Tape;
  }
  // A struct by value may have any alignment.
  if (Of.How == EntryOperand::Load && !Entry.OfTape.InMemory)
    return Builder.CreateAlignedLoad(Builder.getPtrTy(), Of.V, Align(1),
                                     "tape");
  Value *P = operand(Of, Builder.getPtrTy(), Memory, "");
  if (!P->getType()->isPointerTy()) {
    // Through memory: at -O0 a bit cast from a vector register to a pointer
    // that is used behind a call comes out wrong.
    AllocaInst *Slot = makeMemory(P->getType(), "tape.value");
    Builder.CreateStore(P, Slot);
    return Builder.CreateAlignedLoad(Builder.getPtrTy(), Slot, Slot->getAlign(),
                                     "tape");
  }
  return Entry.OfTape.InMemory ? Builder.CreateAlignedLoad(Builder.getPtrTy(),
                                                           P, Align(1), "tape")
                               : P;
}

/// The tape that the user has memory for.
void Lowering::storeTape(Value *Tape) {
  Value *Memory = nullptr;
  assert(Entry.OfTape.Tape && "memory for a tape");
  Value *P = operand(*Entry.OfTape.Tape, Builder.getPtrTy(), Memory, "");
  if (InPlace)
    return copyTape(P, Align(1), Tape, Align(16));
  Value *Bytes = Entry.OfTape.MemoryBytes;
  // Behind a C++ reference is an int or a long: its lower half says enough.
  if (Bytes->getType()->isPointerTy())
    Bytes = Builder.CreateLoad(Builder.getInt32Ty(), Bytes);
  Builder.CreateCall(
      Runtime.require("rg_split_put"),
      {P, Builder.CreateZExtOrTrunc(Bytes, Builder.getInt64Ty()), Tape});
}

/// The adjoint of the result in one lane.
Value *Lowering::seed(unsigned Lane) {
  Type *T = Entry.Request.Primal->getReturnType();
  if (Entry.Seeds.empty())
    return onesOf(T);
  ArrayRef<EntryOperand> Pieces = Entry.Seeds[Lane];
  Value *Memory = nullptr;
  if (Pieces.size() == 1)
    return operand(Pieces[0], T, Memory, "");
  Value *Whole = PoisonValue::get(T);
  for (auto [I, Piece] : enumerate(Pieces))
    Whole = Builder.CreateInsertValue(Whole, Piece.V, I);
  return Whole;
}

void Lowering::run() {
  const DerivativeRequest &Request = Entry.Request;
  SmallVector<Value *, 16> Arguments;
  const bool IsSweep = Request.Mode == DerivativeMode::Sweep;
  const bool TakesTape =
      IsSweep || (Request.Mode == DerivativeMode::Forward && Request.FromTape);
  Value *Tape = TakesTape ? Arguments.emplace_back(loadTape()) : nullptr;
  if (InPlace && !TakesTape)
    Tape = Arguments.emplace_back(makeTape());
  for (auto [P, Parameter] : zip(Request.Primal->args(), Entry.Parameters)) {
    Value *&OfPrimal = PrimalMemory.emplace_back(nullptr);
    // Of a batch, what has lanes has no other value; of a sweep, none has one.
    if (!IsSweep &&
        (Request.Mode != DerivativeMode::Batch || Parameter.Shadows.empty()))
      Arguments.push_back(
          operand(Parameter.Primal, P.getType(), OfPrimal, P.getName()));
    auto &OfShadow =
        ShadowMemory.emplace_back(Parameter.Shadows.size(), nullptr);
    for (auto [Shadow, Memory] : zip(Parameter.Shadows, OfShadow)) {
      Value *V = operand(Shadow, P.getType(), Memory, P.getName() + ".sh");
      if (Shadow.Stride) {
        Value *Bytes = Builder.CreateMul(
            Builder.CreateSExtOrTrunc(Shadow.Stride, Builder.getInt64Ty()),
            Builder.getInt64(Shadow.Lane));
        V = Builder.CreateGEP(Builder.getInt8Ty(), V, Bytes);
      }
      Arguments.push_back(V);
    }
  }
  if ((IsSweep || Request.Mode == DerivativeMode::ReverseJoint) &&
      Request.ActiveReturn)
    for (unsigned Lane = 0; Lane != Request.Width; ++Lane)
      Arguments.push_back(seed(Lane));

  CallBase *Call = callDerivative(Arguments);
  if (TakesTape && !Entry.OfTape.Keep && !InPlace)
    emitSplitEnd(Builder, Tape, Runtime);
  else if (Request.Mode == DerivativeMode::Augment && Entry.OfTape.InMemory)
    storeTape(Builder.CreateExtractValue(Call, 0));
  SmallVector<Value *, 4> Parts;
  for (const EntryResult &Part : Entry.Results)
    Parts.push_back(resultPart(Part, *Call));
  if (!Parts.empty()) {
    if (Entry.ResultInMemory)
      storeParts(Parts, Old.getArgOperand(0),
                 Old.getParamAlign(0).valueOrOne());
    else
      Old.replaceAllUsesWith(assemble(Parts, Old.getType()));
  } else if (!Old.use_empty()) {
    // Kept in variables that nobody reads.
    Old.replaceAllUsesWith(Constant::getNullValue(Old.getType()));
  }

  // The old call goes, and with it the loads of markers that only it used.
  eraseWithOperands(Old);
  Entry.Call = nullptr;
}

void retrograd::lowerEntryCall(EntryCall &Entry, Function &Derivative,
                               RuntimeLibrary &Runtime) {
  Lowering(Entry, Derivative, Runtime).run();
}

void retrograd::removeRefusedCall(CallBase &Call) {
  if (!Call.getType()->isVoidTy())
    Call.replaceAllUsesWith(Constant::getNullValue(Call.getType()));
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
    BranchInst::Create(Invoke->getNormalDest(), Invoke->getIterator());
    Invoke->getUnwindDest()->removePredecessor(Invoke->getParent());
  }
  eraseWithOperands(Call);
}

void retrograd::removeUnusedEntryDeclarations(Module &M) {
  for (Function &F : make_early_inc_range(M))
    if (F.isDeclaration() && F.use_empty() && isEntryPoint(F))
      F.eraseFromParent();
  for (GlobalVariable &G : make_early_inc_range(M.globals())) {
    G.removeDeadConstantUsers();
    if (G.isDeclaration() && G.use_empty() && isMarker(&G))
      G.eraseFromParent();
  }
}
