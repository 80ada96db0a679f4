//===- SplitEmitter.cpp - the two halves of a derivative for users --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/SplitEmitter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// Members of what the user holds, in bytes. The first one is known to
/// rg_tape_free. The sweep is kept as an integer, since it is only compared: no
/// analysis needs to follow it where the whole is differentiated again.
enum : uint64_t {
  ArenaAt = 0,
  TapeAt = 8,
  OwnAt = 16,
  SweepAt = 24,
  HandleBytes = 32
};

class SplitEmitter {
public:
  SplitEmitter(const DerivativeRequest &R, Function &Augmented, Function &Sweep,
               RuntimeLibrary &Runtime)
      : R(R), Augmented(Augmented), Sweep(Sweep), Runtime(Runtime),
        M(*Augmented.getParent()), DL(M.getDataLayout()), B(M.getContext()) {
    for (Argument &A : R.Primal->args())
      if (isShadowed(A) && A.getType()->isPointerTy())
        OwnBytes += 8 * R.Width;
  }
  Function *begin();
  Function *finish();
  bool liesInPlace();
  Function *beginInPlace();
  Function *finishInPlace();
  Function *beginForward();
  Function *finishForward();

private:
  bool isShadowed(const Argument &A) const {
    ArgActivity Activity = R.Args[A.getArgNo()];
    return Activity == ArgActivity::Dup || Activity == ArgActivity::DupNoNeed;
  }
  /// A struct in memory that belongs to the call; null for other parameters.
  static Type *inMemory(const Argument &A) {
    return A.hasByValAttr()       ? A.getParamByValType()
           : A.hasStructRetAttr() ? A.getParamStructRetType()
                                  : nullptr;
  }
  Value *at(Value *P, uint64_t Offset) {
    return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), P, Offset);
  }
  void copy(Value *To, Value *From, Type *T) {
    B.CreateMemCpy(To, MaybeAlign(), From, MaybeAlign(),
                   DL.getTypeAllocSize(T).getFixedValue());
  }
  Function *declare(FunctionType *T, StringRef Suffix);
  SmallVector<Type *, 16> parametersOfFinish() const;
  SmallVector<uint64_t, 8> layOutArguments(uint64_t &Bytes);
  void require(Function *D, Value *Holds, StringRef Complaint);
  /// Runs the sweep and returns what it returns.
  void returnSweep(ArrayRef<Value *> Args) {
    CallInst *Call = B.CreateCall(&Sweep, Args);
    if (Call->getType()->isVoidTy())
      B.CreateRetVoid();
    else
      B.CreateRet(Call);
  }
  Constant *name();
  Constant *identity();
  Constant *mark() const;

  const DerivativeRequest &R;
  Function &Augmented, &Sweep;
  RuntimeLibrary &Runtime;
  Module &M;
  const DataLayout &DL;
  IRBuilder<> B;
  uint64_t OwnBytes = 0;
  /// In place: the augmented primal's frame record, and where the mark lies
  /// behind it, if it does.
  CallBase *Frame = nullptr;
  uint64_t FrameBytes = 0;
  std::optional<uint64_t> MarkAt;
  GlobalVariable *Identity = nullptr;
};

} // namespace

Function *SplitEmitter::declare(FunctionType *T, StringRef Suffix) {
  Function *D = Function::Create(T, GlobalValue::InternalLinkage,
                                 "rg." + R.Primal->getName() + Suffix, M);
  for (const Attribute &A : Augmented.getAttributes().getFnAttrs())
    D->addFnAttr(A);
  D->addFnAttr(Attribute::InlineHint);
  B.SetInsertPoint(BasicBlock::Create(M.getContext(), "entry", D));
  return D;
}

Function *SplitEmitter::begin() {
  FunctionType *T = R.functionType();
  Function *D = declare(T, ".split");
  Value *Arena = B.CreateCall(Runtime.require("rg_split_begin"), {}, "arena");
  Function *Allocate = Runtime.require("rg_tape_alloc");
  Value *Tape =
      B.CreateCall(Allocate, {Arena, B.getInt64(HandleBytes)}, "tape");
  B.CreateStore(Arena, at(Tape, ArenaAt));
  Value *Own = nullptr;
  if (OwnBytes) {
    Own = B.CreateCall(Allocate, {Arena, B.getInt64(OwnBytes)}, "own");
    B.CreateStore(Own, at(Tape, OwnAt));
  }
  SmallVector<Value *, 16> Args{Arena};
  Value *Result = nullptr; // memory of a returned struct
  Value *ResultCopy = nullptr;
  auto Param = D->arg_begin();
  uint64_t Next = 0;
  for (Argument &A : R.Primal->args()) {
    Type *Memory = inMemory(A);
    Value *Bytes = Memory
                       ? B.getInt64(DL.getTypeAllocSize(Memory).getFixedValue())
                       : nullptr;
    Value *V = &*Param++;
    if (Memory) {
      Value *Copy = B.CreateCall(Allocate, {Arena, Bytes});
      copy(Copy, V, Memory);
      if (A.hasStructRetAttr()) {
        Result = V;
        ResultCopy = Copy;
      }
      V = Copy;
    }
    Args.push_back(V);
    if (!isShadowed(A))
      continue;
    for (unsigned Lane = 0; Lane != R.Width; ++Lane) {
      Value *Shadow = &*Param++;
      if (Memory) {
        Value *Copy = B.CreateCall(Allocate, {Arena, Bytes});
        copy(Copy, Shadow, Memory);
        Shadow = Copy;
      }
      Args.push_back(Shadow);
      if (A.getType()->isPointerTy()) {
        B.CreateStore(Shadow, at(Own, Next));
        Next += 8;
      }
    }
  }
  CallInst *Call = B.CreateCall(&Augmented, Args);
  B.CreateStore(B.CreateExtractValue(Call, 0), at(Tape, TapeAt));
  B.CreateStore(identity(), at(Tape, SweepAt));
  if (Result)
    copy(Result, ResultCopy, inMemory(*R.Primal->getArg(0)));
  Value *Members = B.CreateInsertValue(Call, Tape, 0);
  B.CreateRet(Members);
  return D;
}

/// Whose tape it is. Not the address of the sweep: a function whose address is
/// kept may be called by it, for all that others can see, and one with barriers
/// must not be.
Constant *SplitEmitter::identity() {
  if (!Identity)
    Identity = new GlobalVariable(
        M, B.getInt8Ty(), /*isConstant=*/true, GlobalValue::InternalLinkage,
        B.getInt8(0), "rg.tape.of." + R.Primal->getName(), nullptr,
        GlobalValue::NotThreadLocal, DL.getDefaultGlobalsAddressSpace());
  return ConstantExpr::getPtrToInt(Identity, B.getInt64Ty());
}

Constant *SplitEmitter::name() {
  return B.CreateGlobalString(R.Primal->getName(), "rg.name", 0, &M);
}

/// Ends the program with a complaint unless it holds.
void SplitEmitter::require(Function *D, Value *Holds, StringRef Complaint) {
  auto *Bad = BasicBlock::Create(M.getContext(), "wrong", D);
  auto *Good = BasicBlock::Create(M.getContext(), "right", D);
  B.CreateCondBr(Holds, Good, Bad);
  B.SetInsertPoint(Bad);
  B.CreateCall(Runtime.require(Complaint), {name()})->setDoesNotReturn();
  B.CreateUnreachable();
  B.SetInsertPoint(Good);
}

/// The parameters of Finish: the tape, the shadows, the seeds.
SmallVector<Type *, 16> SplitEmitter::parametersOfFinish() const {
  DerivativeRequest S = R;
  S.Mode = DerivativeMode::Sweep;
  FunctionType *OfSweep = S.functionType();
  SmallVector<Type *, 16> Params{OfSweep->getParamType(0)};
  if (!R.UserBytes) // else the sweep takes them, too
    for (Argument &A : R.Primal->args())
      if (isShadowed(A))
        Params.append(R.Width, A.getType());
  append_range(Params, OfSweep->params().drop_front());
  return Params;
}

/// All that the augmented primal keeps is a frame record, and that fits into
/// the user's memory.
bool SplitEmitter::liesInPlace() {
  if (!R.UserBytes || R.Width != 1 ||
      any_of(R.Primal->args(), [](const Argument &A) { return inMemory(A); }) ||
      !Augmented.use_empty() || !Sweep.use_empty() ||
      !Sweep.getArg(0)->use_empty())
    return false;
  Argument *Arena = Augmented.getArg(0);
  if (!Arena->use_empty()) {
    auto *Allocation =
        Arena->hasOneUse() ? dyn_cast<CallBase>(*Arena->user_begin()) : nullptr;
    const Function *Callee =
        Allocation ? Allocation->getCalledFunction() : nullptr;
    auto *Bytes = Callee && Callee->getName() == "rg_tape_alloc"
                      ? dyn_cast<ConstantInt>(Allocation->getArgOperand(1))
                      : nullptr;
    if (!Bytes || Bytes->getZExtValue() > R.UserBytes)
      return false;
    Frame = Allocation;
    FrameBytes = Bytes->getZExtValue();
  }
  if (uint64_t At = alignTo(FrameBytes, 4); At + 4 <= R.UserBytes) {
    MarkAt = At;
    FrameBytes = At + 4;
  }
  return true;
}

/// Tells the tapes of this pair from others where there is room for it. Not an
/// address: bytes that are copied about, perhaps by a program that looks at
/// them.
Constant *SplitEmitter::mark() const {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << FrameBytes << ' ';
  R.print(OS);
  return ConstantInt::get(Type::getInt32Ty(M.getContext()),
                          uint32_t(xxh3_64bits(Text)) | 1);
}

static constexpr StringRef InPlace = "rg-tape-in-place";

uint64_t retrograd::inPlaceBytes(const Function &Half) {
  return Half.getFnAttributeAsParsedInteger(InPlace, 0);
}

Function *SplitEmitter::beginInPlace() {
  if (Frame) {
    Frame->replaceAllUsesWith(Augmented.getArg(0));
    Frame->eraseFromParent();
  }
  FunctionType *Of = R.functionType();
  SmallVector<Type *, 16> Params{B.getPtrTy()};
  append_range(Params, Of->params());
  Function *D =
      declare(FunctionType::get(Of->getReturnType(), Params, false), ".split");
  D->addFnAttr(InPlace, std::to_string(FrameBytes));
  SmallVector<Value *, 16> Args;
  for (Argument &A : D->args())
    Args.push_back(&A);
  CallInst *Call = B.CreateCall(&Augmented, Args);
  if (MarkAt)
    B.CreateStore(mark(), at(D->getArg(0), *MarkAt));
  B.CreateRet(Call);
  return D;
}

Function *SplitEmitter::finishInPlace() {
  Function *D = declare(
      FunctionType::get(Sweep.getReturnType(), parametersOfFinish(), false),
      ".split.rev");
  D->addFnAttr(InPlace, std::to_string(FrameBytes));
  if (MarkAt)
    require(
        D,
        B.CreateICmpEQ(B.CreateLoad(B.getInt32Ty(), at(D->getArg(0), *MarkAt)),
                       mark()),
        "rg_split_wrong_tape");
  SmallVector<Value *, 16> Args{
      Constant::getNullValue(Sweep.getArg(0)->getType())};
  for (Argument &A : D->args())
    Args.push_back(&A);
  returnSweep(Args);
  return D;
}

Function *SplitEmitter::finish() {
  FunctionType *OfSweep = Sweep.getFunctionType();
  FunctionType *T =
      FunctionType::get(OfSweep->getReturnType(), parametersOfFinish(), false);
  Function *D = declare(T, ".split.rev");
  Value *Tape = D->getArg(0);
  auto Require = [&](Value *Holds, StringRef Complaint) {
    require(D, Holds, Complaint);
  };
  Require(B.CreateICmpEQ(B.CreateLoad(B.getInt64Ty(), at(Tape, SweepAt)),
                         identity()),
          "rg_split_wrong_tape");

  Value *Own = OwnBytes ? B.CreateLoad(B.getPtrTy(), at(Tape, OwnAt)) : nullptr;
  struct InMemory {
    Value *Kept, *Passed;
    Type *Ty;
  };
  SmallVector<InMemory, 2> Structs;
  auto Param = std::next(D->arg_begin());
  uint64_t Next = 0;
  Value *Same = nullptr;
  SmallVector<Value *, 8> Shadows; // where the sweep takes them
  for (Argument &A : R.Primal->args()) {
    if (!isShadowed(A))
      continue;
    for (unsigned Lane = 0; Lane != R.Width; ++Lane) {
      Value *Passed = &*Param++;
      if (R.UserBytes)
        Shadows.push_back(Passed);
      if (!A.getType()->isPointerTy())
        continue;
      Value *Kept = B.CreateLoad(B.getPtrTy(), at(Own, Next));
      Next += 8;
      if (inMemory(A) && R.UserBytes)
        Shadows.back() = Kept;
      if (A.hasStructRetAttr()) {
        copy(Kept, Passed, A.getParamStructRetType());
      } else if (A.hasByValAttr()) {
        Structs.push_back({Kept, Passed, A.getParamByValType()});
      } else {
        Value *Equal = B.CreateICmpEQ(Kept, Passed);
        Same = Same ? B.CreateAnd(Same, Equal) : Equal;
      }
    }
  }
  if (Same)
    Require(Same, "rg_split_wrong_shadow");

  SmallVector<Value *, 4> Args{B.CreateLoad(B.getPtrTy(), at(Tape, ArenaAt)),
                               B.CreateLoad(B.getPtrTy(), at(Tape, TapeAt))};
  append_range(Args, Shadows);
  for (; Param != D->arg_end(); ++Param)
    Args.push_back(&*Param);
  CallInst *Call = B.CreateCall(&Sweep, Args);
  // Here and not where the tape is released, which may be without a sweep.
  if (M.getFunction("rg_note_released") || M.getFunction("rg_note_moved"))
    B.CreateCall(Runtime.require("rg_settle_replaced"), {Args[0]});
  // A second sweep of the same tape starts from zero again.
  for (const InMemory &Of : Structs) {
    copy(Of.Passed, Of.Kept, Of.Ty);
    B.CreateMemSet(Of.Kept, B.getInt8(0),
                   DL.getTypeAllocSize(Of.Ty).getFixedValue(), MaybeAlign());
  }
  if (Call->getType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Call);
  return D;
}

/// Where the tape keeps the primal's arguments.
SmallVector<uint64_t, 8> SplitEmitter::layOutArguments(uint64_t &Bytes) {
  SmallVector<uint64_t, 8> At;
  Bytes = 0;
  for (Argument &A : R.Primal->args()) {
    At.push_back(alignTo(Bytes, DL.getABITypeAlign(A.getType())));
    Bytes = At.back() + DL.getTypeStoreSize(A.getType()).getFixedValue();
  }
  return At;
}

Function *SplitEmitter::beginForward() {
  Function *D = declare(augmentOf(R).functionType(), ".split");
  Value *Arena = B.CreateCall(Runtime.require("rg_split_begin"), {}, "arena");
  Function *Allocate = Runtime.require("rg_tape_alloc");
  Value *Tape =
      B.CreateCall(Allocate, {Arena, B.getInt64(HandleBytes)}, "tape");
  Value *Log = B.CreateCall(Runtime.require("rg_log_begin"), {Arena}, "log");
  uint64_t Bytes;
  SmallVector<uint64_t, 8> Places = layOutArguments(Bytes);
  Value *Own = B.CreateCall(Allocate, {Arena, B.getInt64(Bytes)}, "own");
  B.CreateStore(Arena, at(Tape, ArenaAt));
  B.CreateStore(Log, at(Tape, TapeAt));
  B.CreateStore(Own, at(Tape, OwnAt));
  B.CreateStore(identity(), at(Tape, SweepAt));
  SmallVector<Value *, 8> Args{Log};
  for (auto [A, At] : zip(D->args(), Places)) {
    Args.push_back(&A);
    B.CreateAlignedStore(&A, at(Own, At), commonAlignment(Align(16), At));
  }
  Value *Result = B.CreateCall(&Augmented, Args);
  B.CreateCall(Runtime.require("rg_log_end"), {Log});
  Value *Members =
      B.CreateInsertValue(PoisonValue::get(D->getReturnType()), Tape, 0);
  if (!Result->getType()->isVoidTy())
    Members = B.CreateInsertValue(Members, Result, 1);
  B.CreateRet(Members);
  return D;
}

Function *SplitEmitter::finishForward() {
  Function *D = declare(R.functionType(), ".split.fwd");
  Value *Tape = D->getArg(0);
  require(D, B.CreateIsNotNull(Tape), "rg_split_wrong_log");
  require(D,
          B.CreateICmpEQ(B.CreateLoad(B.getInt64Ty(), at(Tape, SweepAt)),
                         identity()),
          "rg_split_wrong_log");
  Value *Own = B.CreateLoad(B.getPtrTy(), at(Tape, OwnAt));
  Value *Reader = B.CreateAlloca(
      B.getInt8Ty(), B.CreateCall(Runtime.require("rg_log_bytes"), {}));
  cast<AllocaInst>(Reader)->setAlignment(Align(16));
  B.CreateCall(Runtime.require("rg_log_rewind"),
               {Reader, B.CreateLoad(B.getPtrTy(), at(Tape, TapeAt))});
  uint64_t Bytes;
  SmallVector<uint64_t, 8> Places = layOutArguments(Bytes);
  SmallVector<Value *, 16> Args{Reader};
  auto Param = std::next(D->arg_begin());
  for (auto [A, At] : zip(R.Primal->args(), Places)) {
    ++Param; // as it is now: the tape has what it was
    Args.push_back(B.CreateAlignedLoad(A.getType(), at(Own, At),
                                       commonAlignment(Align(16), At)));
    for (unsigned Lane = 0; isShadowed(A) && Lane != R.Width; ++Lane)
      Args.push_back(&*Param++);
  }
  returnSweep(Args);
  return D;
}

void retrograd::emitSplitEnd(IRBuilderBase &B, Value *Tape,
                             RuntimeLibrary &Runtime) {
  B.CreateCall(Runtime.require("rg_split_end"),
               {B.CreateLoad(B.getPtrTy(), B.CreateConstInBoundsGEP1_64(
                                               B.getInt8Ty(), Tape, ArenaAt))});
}

SplitPair retrograd::emitSplit(const DerivativeRequest &Request,
                               Function &Augmented, Function &Sweep,
                               RuntimeLibrary &Runtime) {
  SplitEmitter Emitter(Request, Augmented, Sweep, Runtime);
  if (Emitter.liesInPlace())
    return {Emitter.beginInPlace(), Emitter.finishInPlace()};
  SplitPair Pair;
  Pair.Begin = Emitter.begin();
  Pair.Finish = Emitter.finish();
  return Pair;
}

SplitPair retrograd::emitSplitForward(const DerivativeRequest &Request,
                                      Function &Recorder, Function &Replay,
                                      RuntimeLibrary &Runtime) {
  SplitEmitter Emitter(Request, Recorder, Replay, Runtime);
  SplitPair Pair;
  Pair.Begin = Emitter.beginForward();
  Pair.Finish = Emitter.finishForward();
  return Pair;
}
