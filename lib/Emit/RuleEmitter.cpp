//===- RuleEmitter.cpp - derivatives that call what a rule gives ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   f.aug(arena, x, x.sh)      frame = what the reverse function takes
//                              image = augmented_f(x, x.sh)
//                              tape -> frame;  {frame, primal}
//   f.rev(arena, frame, seed)  gradient_f(x, x.sh, seed, tape)
//
// The conventions are those of docs/CustomRules.md.
//
//===----------------------------------------------------------------------===//

#include "Emit/RuleEmitter.h"
#include "Bitcode/RuntimeLibrary.h"
#include "Request/RuleSignature.h"
#include "Rules/Transfer.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// What the two kinds of rules share: the parameters of the derivative, and the
/// frame that leads from the primal sweep to the reverse sweep.
class RuleEmitter {
protected:
  RuleEmitter(const DerivativeRequest &R, Function &Made, Function *Sweep,
              RuntimeLibrary &Runtime)
      : R(R), F(*R.Primal), Made(Made), Sweep(Sweep), Runtime(Runtime),
        B(F.getContext()), DL(F.getDataLayout()), Lanes(R.Width) {}

  const DerivativeRequest &R;
  Function &F;
  Function &Made, *Sweep;
  RuntimeLibrary &Runtime;
  IRBuilder<> B;
  const DataLayout &DL;
  unsigned Lanes;

  /// Per parameter of the primal, in the function being written; shadows per
  /// lane, empty where the request gives none.
  struct Parameter {
    Value *Primal = nullptr;
    SmallVector<Value *, 1> Shadows;
  };
  SmallVector<Parameter, 8> Parameters;
  /// Per lane; empty if the result is not active.
  SmallVector<Value *, 1> Seeds;
  Value *Arena = nullptr, *Frame = nullptr;
  uint64_t FrameBytes = 0;
  bool OnDevice = false; ///< what the rule is about handles device memory

  bool isDup(unsigned Param) const {
    return R.Args[Param] == ArgActivity::Dup ||
           R.Args[Param] == ArgActivity::DupNoNeed;
  }

  void begin(Function &D, bool InArena) {
    B.SetInsertPoint(BasicBlock::Create(F.getContext(), "", &D));
    Argument *Next = D.arg_begin();
    if (InArena)
      Arena = Next++;
    Parameters.assign(F.arg_size(), {});
    for (Argument &A : F.args()) {
      Parameter &P = Parameters[A.getArgNo()];
      P.Primal = Next++;
      if (isDup(A.getArgNo()))
        for (unsigned Lane = 0; Lane != Lanes; ++Lane)
          P.Shadows.push_back(Next++);
    }
  }

  /// Where the next `Bytes` of the frame are.
  uint64_t reserve(uint64_t Bytes, Align A = Align(16)) {
    uint64_t At = alignTo(FrameBytes, A);
    FrameBytes = At + Bytes;
    return At;
  }
  Value *at(Value *Base, uint64_t Offset) {
    return Offset ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Base, Offset)
                  : Base;
  }
  /// The whole of a value, in memory of this function.
  Value *spill(Value *V) {
    AllocaInst *Memory = memory(V->getType());
    B.CreateStore(V, Memory);
    return Memory;
  }
  AllocaInst *memory(Type *T) {
    BasicBlock &Entry = B.GetInsertBlock()->getParent()->getEntryBlock();
    return IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(T);
  }

  /// Places of the parameters in the frame.
  SmallVector<uint64_t, 8> PrimalAt, ShadowAt;

  void layOutParameters() {
    for (Argument &A : F.args()) {
      uint64_t Bytes = DL.getTypeAllocSize(A.getType()).getFixedValue();
      PrimalAt.push_back(reserve(Bytes, DL.getABITypeAlign(A.getType())));
      ShadowAt.push_back(0);
      if (isDup(A.getArgNo()))
        ShadowAt.back() =
            reserve(Bytes * Lanes, DL.getABITypeAlign(A.getType()));
    }
  }
  void makeFrame() {
    Frame = FrameBytes ? (Value *)B.CreateCall(Runtime.require("rg_tape_alloc"),
                                               {Arena, B.getInt64(FrameBytes)},
                                               "frame")
                       : ConstantPointerNull::get(B.getPtrTy());
  }
  void saveParameters() {
    for (auto [N, P] : enumerate(Parameters)) {
      B.CreateStore(P.Primal, at(Frame, PrimalAt[N]));
      for (auto [Lane, Shadow] : enumerate(P.Shadows))
        B.CreateStore(Shadow, at(Frame, ShadowAt[N] + Lane * bytesOf(N)));
    }
  }
  /// In the reverse half: everything from the frame and the seeds.
  void beginSweep() {
    B.SetInsertPoint(BasicBlock::Create(F.getContext(), "", Sweep));
    Argument *Next = Sweep->arg_begin();
    Arena = Next++;
    Frame = Next++;
    Seeds.clear();
    for (; Next != Sweep->arg_end(); ++Next)
      Seeds.push_back(Next);
    for (auto [N, P] : enumerate(Parameters)) {
      Type *T = F.getArg(N)->getType();
      P.Primal = B.CreateLoad(T, at(Frame, PrimalAt[N]));
      for (auto [Lane, Shadow] : enumerate(P.Shadows))
        Shadow = B.CreateLoad(T, at(Frame, ShadowAt[N] + Lane * bytesOf(N)));
    }
  }
  uint64_t bytesOf(unsigned Param) const {
    return DL.getTypeAllocSize(F.getArg(Param)->getType()).getFixedValue();
  }

  /// The shadow of a pointer as rules get it: null where it has none of its
  /// own.
  Value *ownShadow(unsigned Param, unsigned Lane) {
    Parameter &P = Parameters[Param];
    auto *Null =
        ConstantPointerNull::get(cast<PointerType>(P.Primal->getType()));
    if (P.Shadows.empty())
      return Null;
    Value *Shadow = P.Shadows[Lane];
    if (OnDevice)
      Shadow = shadowOnDevice(
          B, [&](StringRef Name) { return Runtime.require(Name); }, Shadow,
          P.Primal, Lane);
    return B.CreateSelect(B.CreateICmpEQ(Shadow, P.Primal), Null, Shadow);
  }

  CallInst *call(Function &Callee, ArrayRef<Value *> Args) {
    CallInst *C = B.CreateCall(&Callee, Args);
    C->setCallingConv(Callee.getCallingConv());
    C->setAttributes(Callee.getAttributes());
    return C;
  }
  CallInst *callPrimal() {
    SmallVector<Value *, 8> Args;
    for (Parameter &P : Parameters)
      Args.push_back(P.Primal);
    return call(F, Args);
  }

  /// The members of the derivative's result, in order.
  void returnMembers(ArrayRef<Value *> Members) {
    Function &D = *B.GetInsertBlock()->getParent();
    if (D.getReturnType()->isVoidTy()) {
      B.CreateRetVoid();
      return;
    }
    Value *Whole = PoisonValue::get(D.getReturnType());
    for (auto [I, V] : enumerate(Members))
      Whole = B.CreateInsertValue(Whole, V, I);
    B.CreateRet(Whole);
  }
};

//===----------------------------------------------------------------------===//
// Rules of the user
//===----------------------------------------------------------------------===//

class UserRuleEmitter : RuleEmitter {
public:
  UserRuleEmitter(const DerivativeRequest &R, const GivenDerivatives &Given,
                  Function &Made, Function *Sweep, RuntimeLibrary &Runtime)
      : RuleEmitter(R, Made, Sweep, Runtime) {
    S.Primal = &F;
    // Were read when they were registered, and found good.
    if (R.Mode == DerivativeMode::Forward)
      (void)readForwardRule(S, Given.ForwardAugment, *Given.Forward);
    else
      (void)readReverseRule(S, *Given.Augment, *Given.Reverse);
  }

  void run() {
    // Their functions may throw where the primal does not.
    for (Function *D : {&Made, Sweep})
      if (D)
        D->removeFnAttr(Attribute::NoUnwind);
    if (R.Mode == DerivativeMode::Forward)
      return emitForward();
    emitAugment();
    emitSweep();
  }

private:
  RuleSignature S;
  uint64_t TapeAt = 0, TapeStride = 0;

  /// Calls a function of the rule; the image of its result, or null.
  Value *callRule(const RuleFunction &Rule, unsigned Lane, Value *Tape) {
    SmallVector<Value *, 8> Args;
    Value *Image = nullptr;
    for (auto [N, Operand] : enumerate(Rule.Operands)) {
      Type *T = Rule.F->getArg(N)->getType();
      switch (Operand.K) {
      case RuleOperand::Primal:
        Args.push_back(Parameters[Operand.Param].Primal);
        break;
      case RuleOperand::Shadow: {
        Parameter &P = Parameters[Operand.Param];
        if (T->isPointerTy())
          Args.push_back(ownShadow(Operand.Param, Lane));
        else if (T->isFPOrFPVectorTy())
          Args.push_back(P.Shadows.empty() ? Constant::getNullValue(T)
                                           : P.Shadows[Lane]);
        else
          Args.push_back(P.Primal);
        break;
      }
      case RuleOperand::Seed:
        if (Seeds.empty())
          Args.push_back(Constant::getNullValue(T));
        else
          Args.push_back(
              Seeds[Lane]->getType() == T
                  ? Seeds[Lane]
                  : B.CreateExtractValue(Seeds[Lane], Operand.Param));
        break;
      case RuleOperand::Tape: {
        Value *Part = at(Tape, Operand.Offset);
        Args.push_back(Rule.F->getArg(N)->hasByValAttr()
                           ? Part
                           : B.CreateAlignedLoad(T, Part, Align(1)));
        break;
      }
      case RuleOperand::ResultMemory:
        Image = memory(Rule.Image);
        Args.push_back(Image);
        break;
      }
    }
    CallInst *Result = call(*Rule.F, Args);
    if (!Image && Rule.Image)
      Image = spill(Result);
    return Image;
  }

  Value *member(Value *Image, uint64_t At, Type *T) {
    return B.CreateAlignedLoad(T, at(Image, At), Align(1));
  }

  void emitAugment() {
    begin(Made, /*InArena=*/true);
    layOutParameters();
    TapeStride = alignTo(S.TapeBytes, 16);
    TapeAt = S.TapeBytes ? reserve(TapeStride * Lanes) : 0;
    makeFrame();
    saveParameters();
    Value *Primal = nullptr, *Shadow = nullptr;
    for (unsigned Lane = 0; Lane != Lanes; ++Lane) {
      Value *Image = callRule(S.Augment, Lane, nullptr);
      if (S.TapeBytes)
        B.CreateMemCpy(at(Frame, TapeAt + Lane * TapeStride), Align(16), Image,
                       MaybeAlign(), S.TapeBytes);
      if (S.Augment.PrimalAt)
        Primal = member(Image, *S.Augment.PrimalAt, F.getReturnType());
      if (S.Augment.ShadowAt)
        Shadow = member(Image, *S.Augment.ShadowAt, F.getReturnType());
    }
    SmallVector<Value *, 4> Members{Frame};
    if (R.ReturnPrimal && !F.getReturnType()->isVoidTy()) {
      if (!Primal)
        Primal = callPrimal();
      Members.push_back(Primal);
    }
    // A pointer without a shadow is its own.
    if (R.ShadowReturn)
      Members.append(Lanes, Shadow ? Shadow : Primal ? Primal : callPrimal());
    returnMembers(Members);
  }

  void emitSweep() {
    beginSweep();
    // Adjoints by parameter, then lane.
    SmallVector<SmallVector<Value *, 1>, 8> Adjoints(F.arg_size());
    for (unsigned Lane = 0; Lane != Lanes; ++Lane) {
      Value *Image =
          callRule(S.Reverse, Lane, at(Frame, TapeAt + Lane * TapeStride));
      for (auto [Param, At] : S.Reverse.Adjoints)
        if (R.Args[Param] == ArgActivity::Out)
          Adjoints[Param].push_back(
              member(Image, At, F.getArg(Param)->getType()));
    }
    SmallVector<Value *, 8> Members;
    for (Argument &A : F.args())
      if (R.Args[A.getArgNo()] == ArgActivity::Out) {
        auto &Of = Adjoints[A.getArgNo()];
        if (Of.empty()) // bytes that are no numbers
          Of.append(Lanes, Constant::getNullValue(A.getType()));
        Members.append(Of);
      }
    returnMembers(Members);
  }

  void emitForward() {
    begin(Made, /*InArena=*/false);
    Value *Primal = nullptr;
    SmallVector<Value *, 1> Tangents;
    for (unsigned Lane = 0; Lane != Lanes; ++Lane) {
      Value *Tape = nullptr;
      if (S.ForwardAugment) {
        Tape = callRule(S.ForwardAugment, Lane, nullptr);
        if (S.ForwardAugment.PrimalAt)
          Primal = member(Tape, *S.ForwardAugment.PrimalAt, F.getReturnType());
      }
      Value *Image = callRule(S.Forward, Lane, Tape);
      if (S.Forward.PrimalAt)
        Primal = member(Image, *S.Forward.PrimalAt, F.getReturnType());
      if (S.Forward.ShadowAt)
        Tangents.push_back(
            member(Image, *S.Forward.ShadowAt, F.getReturnType()));
    }
    SmallVector<Value *, 4> Members;
    if (R.ReturnPrimal && !F.getReturnType()->isVoidTy())
      Members.push_back(Primal ? Primal : callPrimal());
    if (R.ActiveReturn) {
      if (Tangents.empty())
        Tangents.append(Lanes, Constant::getNullValue(F.getReturnType()));
      Members.append(Tangents);
    }
    returnMembers(Members);
  }
};

//===----------------------------------------------------------------------===//
// Rules of the runtime
//===----------------------------------------------------------------------===//

class RuntimeRuleEmitter : RuleEmitter {
public:
  RuntimeRuleEmitter(const DerivativeRequest &R, const OperationRecord &Rule,
                     Function &Made, Function *Sweep, RuntimeLibrary &Runtime)
      : RuleEmitter(R, Made, Sweep, Runtime), Rule(Rule) {
    OnDevice = Rule.Text.starts_with("device");
  }

  bool run() {
    if (Rule.Communicates)
      return emitMessage();
    return R.Mode == DerivativeMode::Forward ? emitForward()
                                             : emitAugment() && emitSweep();
  }

private:
  const OperationRecord &Rule;

  /// One function serves the primal sweep and forward mode; it is given the
  /// shadows of buffers, and keeps what the reverse sweep needs.
  bool emitMessage() {
    bool Forward = R.Mode == DerivativeMode::Forward;
    begin(Made, /*InArena=*/!Forward);
    SmallVector<Value *, 16> Args{Forward ? null() : Arena, B.getInt64(Lanes)};
    for (unsigned Op = 0; Op != numOperands(); ++Op) {
      Value *V = Parameters[Op].Primal;
      // Handles are pointers or integers, as the library has it.
      if (Rule.Prototype.drop_front()[Op] == '?')
        V = V->getType()->isPointerTy() ? B.CreatePtrToInt(V, B.getInt64Ty())
                                        : B.CreateSExt(V, B.getInt64Ty());
      Args.push_back(V);
      if (hasShadow(Op))
        Args.push_back(shadowsOf(Op));
    }
    Type *T = F.getReturnType();
    AllocaInst *Result = nullptr;
    if (!T->isVoidTy())
      Args.push_back(Result = memory(T));
    watchBuffers(/*Brings=*/false);
    Value *Tape;
    // At the start of the program, where all processes are. Fortran's libraries
    // are there where Fortran calls them.
    for (StringRef Start : routinesAtStart())
      if (!Start.ends_with("_") || F.getParent()->getFunction(Start))
        Runtime.require(Start);
    if (!callRuntime(Forward ? Rule.Forward : Rule.Augment, B.getPtrTy(), Args,
                     Tape))
      return false;
    watchBuffers(/*Brings=*/true);
    SmallVector<Value *, 4> Members;
    if (!Forward)
      Members.push_back(Tape);
    if (R.ReturnPrimal && Result)
      Members.push_back(B.CreateLoad(T, Result));
    if (Forward && R.ActiveReturn)
      Members.append(Lanes, Constant::getNullValue(T));
    returnMembers(Members);
    if (Forward)
      return true;
    B.SetInsertPoint(BasicBlock::Create(F.getContext(), "", Sweep));
    Value *Nothing;
    if (!callRuntime(Rule.Reverse, B.getVoidTy(), {Sweep->getArg(1)}, Nothing))
      return false;
    SmallVector<Value *, 4> Adjoints;
    for (Argument &A : F.args())
      if (R.Args[A.getArgNo()] == ArgActivity::Out)
        Adjoints.append(Lanes, Constant::getNullValue(A.getType()));
    returnMembers(Adjoints);
    return true;
  }

  /// What a message sends from memory that has no shadow at run time, and what
  /// it brings there.
  void watchBuffers(bool Brings) {
    Constant *Routine = nullptr;
    uint32_t Which = 0;
    for (unsigned Op = 0; Op != numOperands(); ++Op) {
      OperandMemory Memory = Rule.memoryBehind(Op);
      const uint32_t Number = Memory.TypeAt ? Which++ : 0;
      if (!(Brings ? Memory.Writes : Memory.Reads) || Memory.Element != '@' ||
          !isActive(Op) || Parameters[Op].Shadows.empty() || !Memory.TypeAt)
        continue;
      // Of each rank another number, or one for all.
      Value *Count = Parameters[Memory.TypeAt - 1].Primal,
            *Type = Parameters[Memory.TypeAt].Primal;
      if (!Count->getType()->isIntegerTy(32))
        Count = B.getInt32(1);
      Type = Type->getType()->isPointerTy()
                 ? B.CreatePtrToInt(Type, B.getInt64Ty())
                 : B.CreateSExt(Type, B.getInt64Ty());
      if (!Routine)
        Routine = Runtime.text("rg.routine.",
                               ("a call of '" + F.getName() + "'").str());
      B.CreateCall(Runtime.require("rg_mpi_watch"),
                   {Parameters[Op].Primal, Parameters[Op].Shadows[0], Count,
                    Type, B.getInt32(Brings), B.getInt32(Number), Routine});
    }
  }

  /// Operands that the rule is handed: not those under a '*'.
  unsigned numOperands() const {
    StringRef Letters = Rule.Prototype.drop_front();
    return Letters.size() - Letters.ends_with("*");
  }
  /// Operands that may carry a derivative.
  bool hasShadow(unsigned Op) const {
    Type *T = F.getArg(Op)->getType();
    return T->isFPOrFPVectorTy() ||
           (T->isPointerTy() && Rule.memoryBehind(Op).Element);
  }
  bool isActive(unsigned Op) const {
    return hasShadow(Op) && R.Args[Op] != ArgActivity::Const;
  }

  /// An array with one element per lane.
  Value *lanesOf(ArrayRef<Value *> Values) {
    AllocaInst *Array = memory(ArrayType::get(Values[0]->getType(), Lanes));
    for (auto [Lane, V] : enumerate(Values))
      B.CreateStore(
          V,
          at(Array, Lane * DL.getTypeAllocSize(V->getType()).getFixedValue()));
    return Array;
  }
  Value *null() { return ConstantPointerNull::get(B.getPtrTy()); }

  Value *shadowsOf(unsigned Op) {
    if (!isActive(Op) || Parameters[Op].Shadows.empty())
      return null();
    SmallVector<Value *, 1> Shadows(Parameters[Op].Shadows);
    if (F.getArg(Op)->getType()->isPointerTy())
      for (unsigned Lane = 0; Lane != Lanes; ++Lane)
        Shadows[Lane] = ownShadow(Op, Lane);
    return lanesOf(Shadows);
  }

  /// Null unless the runtime has a function of that name and type.
  bool callRuntime(StringRef Name, Type *Result, ArrayRef<Value *> Args,
                   Value *&Made) {
    Function *Callee = Runtime.require(Name);
    if (!Callee || Callee->getReturnType() != Result ||
        Callee->arg_size() != Args.size())
      return false;
    for (auto [Parameter, Arg] : zip(Callee->args(), Args))
      if (Parameter.getType() != Arg->getType())
        return false;
    Made = call(*Callee, Args);
    return true;
  }

  bool emitAugment() {
    begin(Made, /*InArena=*/true);
    layOutParameters();
    uint64_t TapeAt =
        reserve(DL.getPointerSize(), DL.getPointerABIAlignment(0));
    makeFrame();
    saveParameters();
    uint64_t Active = 0;
    SmallVector<Value *, 16> Args{Arena, nullptr, B.getInt64(0)};
    for (unsigned Op = 0; Op != numOperands(); ++Op) {
      // Rules of more operands (launches) do not ask.
      if (Op < 64)
        Active |= uint64_t(isActive(Op)) << Op;
      Args.push_back(Parameters[Op].Primal);
      if (Rule.AugmentShadows && hasShadow(Op))
        Args.push_back(F.getArg(Op)->getType()->isPointerTy() ? shadowsOf(Op)
                                                              : null());
    }
    Args[1] = B.getInt64(Active);
    if (Rule.AugmentShadows)
      Args[2] = B.getInt64(Lanes);
    AllocaInst *Result = nullptr;
    if (!F.getReturnType()->isVoidTy())
      Args.push_back(Result = memory(F.getReturnType()));
    Value *Tape;
    if (!callRuntime(Rule.Augment, B.getPtrTy(), Args, Tape))
      return false;
    B.CreateStore(Tape, at(Frame, TapeAt));
    this->TapeAt = TapeAt;
    SmallVector<Value *, 2> Members{Frame};
    if (R.ReturnPrimal && Result)
      Members.push_back(B.CreateLoad(F.getReturnType(), Result));
    returnMembers(Members);
    return true;
  }
  uint64_t TapeAt = 0;

  bool emitSweep() {
    beginSweep();
    SmallVector<Value *, 16> Args{
        Arena, B.getInt64(Lanes),
        B.CreateLoad(B.getPtrTy(), at(Frame, TapeAt))};
    SmallVector<Value *, 8> Adjoints(F.arg_size());
    for (unsigned Op = 0; Op != numOperands(); ++Op) {
      Args.push_back(Parameters[Op].Primal);
      Type *T = F.getArg(Op)->getType();
      if (!hasShadow(Op))
        continue;
      if (T->isPointerTy()) {
        Args.push_back(shadowsOf(Op));
      } else if (R.Args[Op] == ArgActivity::Out) {
        Args.push_back(Adjoints[Op] = lanesOf(SmallVector<Value *, 1>(
                           Lanes, Constant::getNullValue(T))));
      } else {
        Args.push_back(null());
      }
    }
    if (F.getReturnType()->isFPOrFPVectorTy())
      Args.push_back(Seeds.empty() ? null() : lanesOf(Seeds));
    Value *Nothing;
    if (!callRuntime(Rule.Reverse, B.getVoidTy(), Args, Nothing))
      return false;
    SmallVector<Value *, 8> Members;
    for (Argument &A : F.args())
      if (R.Args[A.getArgNo()] == ArgActivity::Out)
        for (unsigned Lane = 0; Lane != Lanes; ++Lane)
          Members.push_back(
              Adjoints[A.getArgNo()]
                  ? B.CreateLoad(A.getType(), at(Adjoints[A.getArgNo()],
                                                 Lane * bytesOf(A.getArgNo())))
                  : (Value *)Constant::getNullValue(A.getType()));
    returnMembers(Members);
    return true;
  }

  bool emitForward() {
    begin(Made, /*InArena=*/false);
    SmallVector<Value *, 16> Args{B.getInt64(Lanes)};
    for (unsigned Op = 0; Op != numOperands(); ++Op) {
      Args.push_back(Parameters[Op].Primal);
      if (hasShadow(Op))
        Args.push_back(shadowsOf(Op));
    }
    Type *T = F.getReturnType();
    AllocaInst *Result = nullptr, *Tangents = nullptr;
    if (!T->isVoidTy()) {
      Args.push_back(Result = memory(T));
      if (T->isFPOrFPVectorTy())
        Args.push_back(Tangents = memory(ArrayType::get(T, Lanes)));
    }
    Value *Nothing;
    if (!callRuntime(Rule.Forward, B.getVoidTy(), Args, Nothing))
      return false;
    SmallVector<Value *, 4> Members;
    if (R.ReturnPrimal && Result)
      Members.push_back(B.CreateLoad(T, Result));
    if (R.ActiveReturn)
      for (unsigned Lane = 0; Lane != Lanes; ++Lane)
        Members.push_back(
            Tangents ? B.CreateLoad(
                           T, at(Tangents,
                                 Lane * DL.getTypeAllocSize(T).getFixedValue()))
                     : (Value *)Constant::getNullValue(T));
    returnMembers(Members);
    return true;
  }
};

} // namespace

bool retrograd::emitRule(const DerivativeRequest &R,
                         const OperationRecord &Rule, Function &Made,
                         Function *Sweep, RuntimeLibrary &Runtime) {
  if (!Rule.Given)
    return RuntimeRuleEmitter(R, Rule, Made, Sweep, Runtime).run();
  UserRuleEmitter(R, *Rule.Given, Made, Sweep, Runtime).run();
  return true;
}
