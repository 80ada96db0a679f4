//===- LowerExceptions.cpp - exceptions as ordinary control flow ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The variable @rg.exception holds the exception in flight, null if there is
// none: the address of its _Unwind_Exception, which lies right before the thrown
// object, so that what the object leads to has a shadow as everything else.
//
//   invoke f() to N unwind P      invoke f() to C unwind S
//                              C: e = load @rg.exception; e ? P : N   (returned)
//                              S: landingpad catch all; store @rg.exception; P
//   P: landingpad catch T      P: e = load @rg.exception; store null
//                                 selector = which of the clauses matches e
//   resume                        store @rg.exception; return
//
// S is for callees that unwind: library functions, and whatever runs as the user
// compiled it since nothing active passes through. C++'s own runtime tells which
// clause matches: the exception is raised once more, in a function that has just
// these clauses and one for all the rest.
//
//===----------------------------------------------------------------------===//

#include "Pass/LowerExceptions.h"
#include "Catalogue/Catalogue.h"
#include "Pass/PrimalNormalForm.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace retrograd;

/// sizeof(_Unwind_Exception) of the Itanium ABI on 64-bit machines: from the
/// header, which the unwinder passes about, to the object that was thrown.
static constexpr int64_t HeaderBytes = 32;

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

static bool mayUnwind(const CallBase &C) {
  return !C.doesNotThrow() && !isa<IntrinsicInst>(C) && !C.isInlineAsm();
}

bool ExceptionLowering::catches(const Function &F) {
  if (!F.hasPersonalityFn())
    return false;
  auto Returning = blocksThatReturn(F);
  return any_of(F, [&](const BasicBlock &B) { return B.isLandingPad() && Returning.contains(&B); });
}

SmallVector<Function *, 8> ExceptionLowering::watched(const Function &F, bool Leaves) {
  SmallVector<Function *, 8> Found;
  auto Returning = blocksThatReturn(F);
  for (const Instruction &I : instructions(F)) {
    const auto *C = dyn_cast<CallBase>(&I);
    if (!C || !mayUnwind(*C) || !C->getCalledFunction())
      continue;
    const auto *Inv = dyn_cast<InvokeInst>(C);
    if (Leaves || (Inv && Returning.contains(Inv->getUnwindDest())))
      Found.push_back(C->getCalledFunction());
  }
  return Found;
}

//===----------------------------------------------------------------------===//
// What a module has once
//===----------------------------------------------------------------------===//

GlobalVariable *ExceptionLowering::variable() {
  if (!Variable) {
    Type *P = PointerType::get(M.getContext(), 0);
    Variable = new GlobalVariable(M, P, /*isConstant=*/false, GlobalValue::InternalLinkage,
                                  Constant::getNullValue(P), "rg.exception", nullptr,
                                  GlobalValue::GeneralDynamicTLSModel);
  }
  return Variable;
}

unsigned ExceptionLowering::idOf(const Constant *TypeInfo) {
  return Ids.try_emplace(TypeInfo, Ids.size() + 1).first->second;
}

/// i32 f(ptr exception): the number of the type of Pad's clause that catches it;
/// negative: a filter (an exception specification) does; 0: none.
Function *ExceptionLowering::matcher(const LandingPadInst &Pad, Constant *Personality) {
  LLVMContext &Ctx = M.getContext();
  IRBuilder<> B(Ctx);
  FunctionCallee Raise = M.getOrInsertFunction(
      "_Unwind_RaiseException", FunctionType::get(B.getInt32Ty(), {B.getPtrTy()}, false));
  Function *F = Function::Create(FunctionType::get(B.getInt32Ty(), {B.getPtrTy()}, false),
                                 GlobalValue::InternalLinkage, "rg.match", M);
  F->setPersonalityFn(Personality);
  F->setDoesNotThrow();
  F->addFnAttr(Attribute::NoInline);
  F->setUWTableKind(UWTableKind::Async);
  auto *Entry = BasicBlock::Create(Ctx, "", F);
  auto *Never = BasicBlock::Create(Ctx, "", F), *Caught = BasicBlock::Create(Ctx, "", F);
  B.SetInsertPoint(Entry);
  B.CreateInvoke(Raise, Never, Caught, {F->getArg(0)});
  B.SetInsertPoint(Never);
  B.CreateUnreachable();
  B.SetInsertPoint(Caught);
  auto *All = ConstantPointerNull::get(B.getPtrTy());
  LandingPadInst *LP = B.CreateLandingPad(Pad.getType(), Pad.getNumClauses() + 1);
  bool HasAll = false;
  for (unsigned N = 0; N != Pad.getNumClauses(); ++N) {
    LP->addClause(Pad.getClause(N));
    HasAll |= Pad.isCatch(N) && Pad.getClause(N)->isNullValue();
  }
  if (!HasAll)
    LP->addClause(All);
  Value *Selector = B.CreateExtractValue(LP, 1);
  Value *Result = B.CreateSelect(B.CreateICmpSLT(Selector, B.getInt32(0)), Selector, B.getInt32(0));
  for (unsigned N = 0; N != Pad.getNumClauses(); ++N)
    if (Pad.isCatch(N)) {
      Value *Id = B.CreateIntrinsic(Intrinsic::eh_typeid_for, {B.getPtrTy()}, {Pad.getClause(N)});
      Result = B.CreateSelect(B.CreateICmpEQ(Selector, Id), B.getInt32(idOf(Pad.getClause(N))),
                              Result);
    }
  B.CreateRet(Result);
  return F;
}

/// A function that only throws does return in our form; LLVM must not be told
/// that it does not. The user's functions stay as they are, so this is a copy.
Function *ExceptionLowering::returningTwin(Function &NoReturn) {
  Function *&Twin = Twins[&NoReturn];
  if (!Twin) {
    ValueToValueMapTy Map;
    Twin = CloneFunction(&NoReturn, Map);
    Twin->setLinkage(GlobalValue::InternalLinkage);
    Twin->setComdat(nullptr);
    Twin->setVisibility(GlobalValue::DefaultVisibility);
    Twin->removeFnAttr(Attribute::NoReturn);
    Twin->setName(NoReturn.getName());
  }
  return Twin;
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

namespace retrograd {
class FunctionLowering {
public:
  FunctionLowering(ExceptionLowering &L, Function &F, bool Leaves,
                   ExceptionLowering::FunctionPredicate HasBody,
                   ExceptionLowering::FunctionPredicate ReturnsThem)
      : L(L), M(L.M), Ctx(F.getContext()), F(F), Leaves(Leaves), HasBody(HasBody),
        ReturnsThem(ReturnsThem) {}

  void run();
  void checkPlainCalls();

private:
  /// C is a call of the service of the C++ runtime with that record.
  bool isService(const CallBase &C, StringRef Id) const {
    const OperationRecord *R = L.Cat.lookup(C);
    return R && R == L.Cat.byId(Id);
  }
  FunctionCallee service(StringRef Name, Type *Result, ArrayRef<Type *> Params) {
    FunctionCallee C = M.getOrInsertFunction(Name, FunctionType::get(Result, Params, false));
    return C;
  }
  void findHandlersOfRethrows();
  void lowerPad(LandingPadInst &Pad);
  void lowerInvoke(InvokeInst &Inv, BasicBlock &To);
  void lowerCall(CallInst &C);
  void lowerRuntimeCall(CallBase &C);
  void checkAfter(CallInst &C);
  BasicBlock *leave();
  void set(IRBuilderBase &B, Value *E) { B.CreateStore(E, L.variable()); }
  Value *get(IRBuilderBase &B) { return B.CreateLoad(B.getPtrTy(), L.variable(), "exception"); }

  ExceptionLowering &L;
  Module &M;
  LLVMContext &Ctx;
  Function &F;
  bool Leaves;
  ExceptionLowering::FunctionPredicate HasBody, ReturnsThem;
  BasicBlock *LeaveBlock = nullptr;
  /// From a __cxa_rethrow to the __cxa_begin_catch whose handler it stands in.
  DenseMap<const CallBase *, CallBase *> HandlerOf;
};
} // namespace retrograd

/// The block by which an exception, which is in the variable, leaves.
BasicBlock *FunctionLowering::leave() {
  if (LeaveBlock)
    return LeaveBlock;
  LeaveBlock = BasicBlock::Create(Ctx, "exception.leaves", &F);
  IRBuilder<> B(LeaveBlock);
  if (DISubprogram *SP = F.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(Ctx, 0, 0, SP));
  if (Leaves) {
    if (F.getReturnType()->isVoidTy())
      B.CreateRetVoid();
    else
      B.CreateRet(Constant::getNullValue(F.getReturnType()));
    return LeaveBlock;
  }
  // From here on it unwinds: the derivative as a whole is left.
  Value *E = get(B);
  set(B, ConstantPointerNull::get(B.getPtrTy()));
  CallInst *Raise = B.CreateCall(service("rg_exception_raise", B.getVoidTy(), {B.getPtrTy()}), {E});
  Raise->setDoesNotReturn();
  B.CreateUnreachable();
  return LeaveBlock;
}

/// What a `throw;` throws: the exception of the innermost handler around it.
void FunctionLowering::findHandlersOfRethrows() {
  DenseMap<BasicBlock *, SmallVector<CallBase *, 2>> Open;
  SmallVector<BasicBlock *, 16> Work{&F.getEntryBlock()};
  Open[&F.getEntryBlock()];
  while (!Work.empty()) {
    BasicBlock *B = Work.pop_back_val();
    SmallVector<CallBase *, 2> Stack = Open[B];
    for (Instruction &I : *B) {
      auto *C = dyn_cast<CallBase>(&I);
      if (!C)
        continue;
      if (isService(*C, "exception_begin_catch"))
        Stack.push_back(C);
      else if (isService(*C, "exception_end_catch") && !Stack.empty())
        Stack.pop_back();
      else if (isService(*C, "exception_rethrow") && !Stack.empty())
        HandlerOf[C] = Stack.back();
    }
    for (BasicBlock *S : successors(B))
      if (Open.try_emplace(S, Stack).second)
        Work.push_back(S);
  }
  DominatorTree DT(F);
  for (auto [Rethrow, Begin] : make_early_inc_range(HandlerOf))
    if (!DT.dominates(Begin, Rethrow))
      HandlerOf.erase(Rethrow);
}

/// Exceptions of Inv go to the block To, whose phis know Inv's block.
void FunctionLowering::lowerInvoke(InvokeInst &Inv, BasicBlock &To) {
  BasicBlock *From = Inv.getParent(), *Normal = Inv.getNormalDest();
  Function *Callee = Inv.getCalledFunction();
  if (Callee && Callee->doesNotReturn() && HasBody(*Callee)) {
    Inv.setCalledFunction(L.returningTwin(*Callee));
    Inv.removeFnAttr(Attribute::NoReturn);
  }
  // Thrown for real.
  BasicBlock *Stub = BasicBlock::Create(Ctx, "exception.thrown", &F, &To);
  IRBuilder<> B(Stub);
  B.SetCurrentDebugLocation(Inv.getDebugLoc());
  LandingPadInst *LP =
      B.CreateLandingPad(StructType::get(Ctx, {B.getPtrTy(), B.getInt32Ty()}), 1);
  LP->addClause(ConstantPointerNull::get(B.getPtrTy()));
  Value *E = nullptr;
  if (isService(Inv, "exception_throw")) {
    E = B.CreateConstGEP1_64(B.getInt8Ty(), Inv.getArgOperand(0), -HeaderBytes, "exception");
  } else if (isService(Inv, "exception_rethrow")) {
    if (CallBase *Begin = HandlerOf.lookup(&Inv))
      E = Begin->getArgOperand(0);
    else
      Inv.addFnAttr(Attribute::get(Ctx, ExceptionUnsupported));
  }
  if (!E)
    E = B.CreateExtractValue(LP, 0, "exception");
  set(B, E);
  B.CreateBr(&To);
  Inv.setUnwindDest(Stub);
  To.replacePhiUsesWith(From, Stub);
  // Returned.
  if (Callee && !HasBody(*Callee))
    return;
  Inv.addFnAttr(Attribute::get(Ctx, ExceptionChecked));
  BasicBlock *Check = BasicBlock::Create(Ctx, "exception.returned", &F, Normal);
  B.SetInsertPoint(Check);
  B.CreateCondBr(B.CreateIsNotNull(get(B)), &To, Normal);
  Inv.setNormalDest(Check);
  Normal->replacePhiUsesWith(From, Check);
  for (PHINode &Phi : To.phis())
    Phi.addIncoming(Phi.getIncomingValueForBlock(Stub), Check);
}

void FunctionLowering::lowerPad(LandingPadInst &Pad) {
  BasicBlock *P = Pad.getParent();
  SmallVector<InvokeInst *, 4> Invokes;
  for (BasicBlock *Pred : predecessors(P))
    Invokes.push_back(cast<InvokeInst>(Pred->getTerminator()));
  for (InvokeInst *Inv : Invokes)
    lowerInvoke(*Inv, *P);

  IRBuilder<> B(&Pad);
  Value *E = get(B);
  set(B, ConstantPointerNull::get(B.getPtrTy()));
  Value *Selector = B.getInt32(0);
  bool CatchesAll = Pad.getNumClauses() && Pad.isCatch(0) && Pad.getClause(0)->isNullValue();
  if (CatchesAll) {
    Selector = B.getInt32(L.idOf(Pad.getClause(0)));
  } else if (Pad.getNumClauses()) {
    Function *Match = L.matcher(Pad, F.getPersonalityFn());
    CallInst *Ask = B.CreateCall(
        service("rg_exception_match", B.getInt32Ty(), {B.getPtrTy(), B.getPtrTy()}), {E, Match},
        "selector");
    Ask->setDoesNotThrow();
    Ask->addParamAttr(0, Attribute::ReadOnly);
    Ask->addParamAttr(1, Attribute::ReadOnly);
    Selector = Ask;
  }
  Value *Both = B.CreateInsertValue(PoisonValue::get(Pad.getType()), E, 0);
  Both = B.CreateInsertValue(Both, Selector, 1);
  Pad.replaceAllUsesWith(Both);
  bool Passes = !Pad.isCleanup() && !CatchesAll;
  Pad.eraseFromParent();
  if (!Passes)
    return;
  // No clause fits, and there is nothing to clean up: on to the caller.
  auto *Next = cast<Instruction>(Both)->getNextNode();
  BasicBlock *Rest = SplitBlock(P, Next);
  BasicBlock *Pass = BasicBlock::Create(Ctx, "exception.passes", &F, Rest);
  P->getTerminator()->eraseFromParent();
  B.SetInsertPoint(P);
  B.SetCurrentDebugLocation(Next->getDebugLoc());
  B.CreateCondBr(B.CreateICmpEQ(Selector, B.getInt32(0)), Pass, Rest);
  B.SetInsertPoint(Pass);
  set(B, E);
  B.CreateBr(leave());
}

/// A call outside of any try, in a function that exceptions leave by a return.
void FunctionLowering::lowerCall(CallInst &C) {
  BasicBlock *From = C.getParent();
  BasicBlock *Normal = SplitBlock(From, C.getNextNode());
  From->getTerminator()->eraseFromParent();
  SmallVector<OperandBundleDef, 1> Bundles;
  C.getOperandBundlesAsDefs(Bundles);
  SmallVector<Value *, 8> Args(C.args());
  BasicBlock *To = leave();
  auto *Inv = InvokeInst::Create(C.getFunctionType(), C.getCalledOperand(), Normal, To, Args,
                                 Bundles, "", From);
  Inv->setCallingConv(C.getCallingConv());
  Inv->setAttributes(C.getAttributes());
  Inv->copyMetadata(C);
  Inv->takeName(&C);
  C.replaceAllUsesWith(Inv);
  C.eraseFromParent();
  lowerInvoke(*Inv, *To);
}

/// A call of a function that returns its exceptions, in one that does not.
void FunctionLowering::checkAfter(CallInst &C) {
  C.addFnAttr(Attribute::get(Ctx, ExceptionChecked));
  if (C.doesNotReturn()) {
    if (Function *Callee = C.getCalledFunction(); Callee && Callee->doesNotReturn())
      C.setCalledFunction(L.returningTwin(*Callee));
    C.removeFnAttr(Attribute::NoReturn);
  }
  BasicBlock *From = C.getParent();
  BasicBlock *Normal = SplitBlock(From, C.getNextNode());
  From->getTerminator()->eraseFromParent();
  IRBuilder<> B(From);
  B.SetCurrentDebugLocation(C.getDebugLoc());
  B.CreateCondBr(B.CreateIsNotNull(get(B)), leave(), Normal);
}

void FunctionLowering::checkPlainCalls() {
  SmallVector<CallInst *, 8> Calls;
  for (Instruction &I : instructions(F))
    if (auto *C = dyn_cast<CallInst>(&I))
      if (Function *Callee = C->getCalledFunction();
          Callee && ReturnsThem(*Callee) && !C->hasFnAttr(ExceptionChecked))
        Calls.push_back(C);
  for (CallInst *C : Calls)
    checkAfter(*C);
}

/// The C++ runtime's services for handlers, with the exception of our form.
void FunctionLowering::lowerRuntimeCall(CallBase &C) {
  IRBuilder<> B(&C);
  bool Begin = isService(C, "exception_begin_catch");
  if (Begin || isService(C, "exception_get_pointer")) {
    Value *E = C.getArgOperand(0);
    CallInst *Found = B.CreateCall(
        service(Begin ? "rg_exception_begin" : "rg_exception_pointer", B.getPtrTy(), {B.getPtrTy()}),
        {E});
    Found->setDoesNotThrow();
    Found->addParamAttr(0, Attribute::ReadOnly);
    if (!C.use_empty()) {
      // The object lies behind the header, unless somebody else threw it or it
      // is caught by a base class that lies elsewhere in it.
      CallInst *Behind = B.CreateCall(
          service("rg_exception_is_behind", B.getInt1Ty(), {B.getPtrTy(), B.getPtrTy()}), {E, Found});
      Behind->setDoesNotThrow();
      Behind->addParamAttr(0, Attribute::ReadOnly);
      Behind->addParamAttr(1, Attribute::ReadOnly);
      Value *Object = B.CreateConstGEP1_64(B.getInt8Ty(), E, HeaderBytes);
      C.replaceAllUsesWith(B.CreateSelect(Behind, Object, Found, "caught"));
    }
    for (auto &[Rethrow, Of] : HandlerOf)
      if (Of == &C)
        Of = Found;
    C.eraseFromParent();
    return;
  }
  if (isService(C, "exception_allocate"))
    C.addRetAttr(Attribute::NoAlias);
}

void FunctionLowering::run() {
  findHandlersOfRethrows();
  SmallVector<CallBase *, 16> RuntimeCalls;
  SmallVector<CallInst *, 16> Calls;
  SmallVector<LandingPadInst *, 8> Pads;
  SmallVector<ResumeInst *, 4> Resumes;
  SmallVector<IntrinsicInst *, 4> Ids;
  for (Instruction &I : instructions(F)) {
    if (auto *LP = dyn_cast<LandingPadInst>(&I))
      Pads.push_back(LP);
    else if (auto *R = dyn_cast<ResumeInst>(&I))
      Resumes.push_back(R);
    else if (auto *II = dyn_cast<IntrinsicInst>(&I);
             II && II->getIntrinsicID() == Intrinsic::eh_typeid_for)
      Ids.push_back(II);
    auto *C = dyn_cast<CallBase>(&I);
    if (!C)
      continue;
    if (isService(*C, "exception_begin_catch") || isService(*C, "exception_get_pointer") ||
        isService(*C, "exception_allocate"))
      RuntimeCalls.push_back(C);
    else if (isService(*C, "exception_end_catch") && isa<CallInst>(C))
      C->setDoesNotThrow(); // a destructor that throws ends the program
    else if (auto *Plain = dyn_cast<CallInst>(C);
             Plain && mayUnwind(*C) && !Plain->isMustTailCall() && !C->hasFnAttr(ExceptionChecked))
      Calls.push_back(Plain);
  }
  for (IntrinsicInst *II : Ids) {
    auto *T = cast<Constant>(II->getArgOperand(0)->stripPointerCasts());
    II->replaceAllUsesWith(ConstantInt::get(II->getType(), L.idOf(T)));
    II->eraseFromParent();
  }
  for (CallBase *C : RuntimeCalls)
    lowerRuntimeCall(*C);
  for (LandingPadInst *LP : Pads)
    lowerPad(*LP);
  if (Leaves)
    for (CallInst *C : Calls)
      lowerCall(*C);
  else
    checkPlainCalls();
  for (ResumeInst *R : Resumes) {
    IRBuilder<> B(R);
    set(B, B.CreateExtractValue(R->getValue(), 0));
    B.CreateBr(leave());
    R->eraseFromParent();
  }
  if (!F.hasPersonalityFn() &&
      any_of(F, [](const BasicBlock &B) { return B.isLandingPad(); }))
    F.setPersonalityFn(cast<Constant>(
        M.getOrInsertFunction("__gxx_personality_v0", FunctionType::get(Type::getInt32Ty(Ctx), true))
            .getCallee()));
  if (Leaves)
    F.addFnAttr(ReturnsExceptions);
}

void ExceptionLowering::lower(Function &F, bool Leaves, FunctionPredicate HasBody,
                              FunctionPredicate ReturnsThem) {
  // What is only cleaned up after in a function that goes no further.
  if (!Leaves)
    dropDeadEndUnwinding(F);
  FunctionLowering Lowering(*this, F, Leaves, HasBody, ReturnsThem);
  if (Leaves || catches(F))
    Lowering.run();
  else
    Lowering.checkPlainCalls();
}

void ExceptionLowering::checkCalls(Function &F, FunctionPredicate ReturnsThem) {
  auto Any = [](const Function &) { return true; };
  FunctionLowering(*this, F, F.hasFnAttribute(ReturnsExceptions), Any, ReturnsThem).checkPlainCalls();
}
