//===- LowerExceptions.cpp - exceptions as ordinary control flow ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The variable @rg.exception holds the exception in flight, null if there is
// none: the address of its _Unwind_Exception, which lies right before the
// thrown object, so that what the object leads to has a shadow as everything
// else.
//
//   invoke f() to N unwind P      invoke f() to C unwind S
//                              C: e = load @rg.exception; e ? P : N (returned)
//                              S: landingpad catch all; store @rg.exception; P
//   P: landingpad catch T      P: e = load @rg.exception; store null
//                                 selector = which of the clauses matches e
//   resume                        store @rg.exception; return
//
// @rg.exception.handled holds the one whose handler runs.
//
// S is for callees that unwind: library functions, and whatever runs as the
// user compiled it since nothing active passes through. C++'s own runtime tells
// which clause matches: the exception is raised once more, in a function that
// has just these clauses and one for all the rest.
//
//===----------------------------------------------------------------------===//

#include "Primal/Language/LowerExceptions.h"
#include "Analysis/LiveBlocks.h"
#include "Catalogue/Catalogue.h"
#include "Primal/DeadEndUnwinding.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

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

/// What may be promised of a result, which does not hold beside an exception.
static AttributeMask promises() {
  AttributeMask Mask = AttributeFuncs::getUBImplyingAttributes();
  for (Attribute::AttrKind K :
       {Attribute::NonNull, Attribute::NoAlias, Attribute::Alignment,
        Attribute::Range, Attribute::NoFPClass})
    Mask.addAttribute(K);
  return Mask;
}

bool ExceptionLowering::catches(const Function &F) {
  if (!F.hasPersonalityFn())
    return false;
  auto Returning = blocksThatReturn(F);
  return any_of(F, [&](const BasicBlock &B) {
    return B.isLandingPad() && Returning.contains(&B);
  });
}

SmallVector<Function *, 8> ExceptionLowering::watched(const Function &F,
                                                      bool Leaves) {
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

/// A handler for pointers gets the pointer itself, not the object that holds
/// it. Type information has the mangled name of its type, P for pointers.
static bool isPointerType(const Value *TypeInfo) {
  const auto *G = dyn_cast<GlobalVariable>(TypeInfo->stripPointerCasts());
  return G && G->getName().starts_with("_ZTIP");
}

/// The thrown object may be caught as a base class that does not lie at its
/// start. By the ABI, the type information of a class is { kind, name }, with
/// one base { ..., base }, and else { ..., flags, count, { base, offset << 8 |
/// how }... }, where how is 1 for a virtual base and 2 for a public one.
static bool hasBasesElsewhere(const Value *TypeInfo, unsigned Depth = 0) {
  const auto *G = dyn_cast<GlobalVariable>(TypeInfo->stripPointerCasts());
  const auto *Members = G && G->hasInitializer()
                            ? dyn_cast<ConstantStruct>(G->getInitializer())
                            : nullptr;
  if (!Members || Depth == 64)
    return Depth == 64;
  if (Members->getNumOperands() == 3)
    return hasBasesElsewhere(Members->getOperand(2), Depth + 1);
  for (unsigned N = 4; N + 1 < Members->getNumOperands(); N += 2) {
    const auto *Where = dyn_cast<ConstantInt>(Members->getOperand(N + 1));
    int64_t Bits = Where ? Where->getSExtValue() : 3;
    if (!(Bits & 2))
      continue; // nobody can catch it
    if ((Bits & 1) || Bits >> 8 ||
        hasBasesElsewhere(Members->getOperand(N), Depth + 1))
      return true;
  }
  return false;
}

/// The type information of a class of namespace std that is no template. Those
/// that are thrown begin with a std::exception.
static bool isOfLibrary(StringRef Name) {
  const bool Nested = Name.consume_front("_ZTINSt");
  if (!Nested && !Name.consume_front("_ZTISt"))
    return false;
  unsigned Length = 0;
  while (!Name.consumeInteger(10, Length)) {
    if (Length > Name.size())
      return false;
    Name = Name.drop_front(Length);
    Name.consume_front("B"); // a tag of the ABI
  }
  return Name == (Nested ? "E" : "");
}

/// The class is std::exception, or one whose objects begin with one: its
/// virtual table has what() at the place where that one's is.
static bool isStandardException(const Value *TypeInfo, unsigned Depth = 0) {
  const auto *G = dyn_cast<GlobalVariable>(TypeInfo->stripPointerCasts());
  if (!G || Depth == 64)
    return false;
  if (isOfLibrary(G->getName()))
    return true;
  const auto *Members = G->hasInitializer()
                            ? dyn_cast<ConstantStruct>(G->getInitializer())
                            : nullptr;
  if (!Members || Members->getNumOperands() < 3)
    return false;
  if (Members->getNumOperands() == 3)
    return isStandardException(Members->getOperand(2), Depth + 1);
  const auto *Where = Members->getNumOperands() > 5
                          ? dyn_cast<ConstantInt>(Members->getOperand(5))
                          : nullptr;
  return Where && Where->getSExtValue() == 2 &&
         isStandardException(Members->getOperand(4), Depth + 1);
}

//===----------------------------------------------------------------------===//
// What a module has once
//===----------------------------------------------------------------------===//

GlobalVariable *ExceptionLowering::variable(VariableKind Kind) {
  GlobalVariable *&Variable = Variables[Kind];
  if (!Variable) {
    Type *P = PointerType::get(M.getContext(), 0);
    Variable = new GlobalVariable(
        M, P, /*isConstant=*/false, GlobalValue::InternalLinkage,
        Constant::getNullValue(P),
        Kind == InFlight ? "rg.exception" : "rg.exception.handled", nullptr,
        GlobalValue::GeneralDynamicTLSModel);
    Variable->addAttribute(ExceptionVariable,
                           Kind == InFlight ? "in flight" : "handled");
  }
  return Variable;
}

unsigned ExceptionLowering::idOf(const Constant *TypeInfo) {
  return Ids.try_emplace(TypeInfo, Ids.size() + 1).first->second;
}

/// i32 f(ptr exception): the number of the type of Pad's clause that catches
/// it; negative: a filter (an exception specification) does; 0: none.
Function *ExceptionLowering::matcher(const LandingPadInst &Pad,
                                     Constant *Personality) {
  LLVMContext &Ctx = M.getContext();
  IRBuilder<> B(Ctx);
  FunctionCallee Raise = M.getOrInsertFunction(
      "_Unwind_RaiseException",
      FunctionType::get(B.getInt32Ty(), {B.getPtrTy()}, false));
  Function *F =
      Function::Create(FunctionType::get(B.getInt32Ty(), {B.getPtrTy()}, false),
                       GlobalValue::InternalLinkage, "rg.match", M);
  F->setPersonalityFn(Personality);
  F->setDoesNotThrow();
  F->addFnAttr(Attribute::NoInline);
  F->setUWTableKind(UWTableKind::Async);
  auto *Entry = BasicBlock::Create(Ctx, "", F);
  auto *Never = BasicBlock::Create(Ctx, "", F),
       *Caught = BasicBlock::Create(Ctx, "", F);
  B.SetInsertPoint(Entry);
  B.CreateInvoke(Raise, Never, Caught, {F->getArg(0)});
  B.SetInsertPoint(Never);
  B.CreateUnreachable();
  B.SetInsertPoint(Caught);
  auto *All = ConstantPointerNull::get(B.getPtrTy());
  LandingPadInst *LP =
      B.CreateLandingPad(Pad.getType(), Pad.getNumClauses() + 1);
  bool HasAll = false;
  for (unsigned N = 0; N != Pad.getNumClauses(); ++N) {
    LP->addClause(Pad.getClause(N));
    HasAll |= Pad.isCatch(N) && Pad.getClause(N)->isNullValue();
  }
  if (!HasAll)
    LP->addClause(All);
  Value *Selector = B.CreateExtractValue(LP, 1);
  Value *Result = B.CreateSelect(B.CreateICmpSLT(Selector, B.getInt32(0)),
                                 Selector, B.getInt32(0));
  for (unsigned N = 0; N != Pad.getNumClauses(); ++N)
    if (Pad.isCatch(N)) {
      Value *Id = B.CreateIntrinsic(Intrinsic::eh_typeid_for, {B.getPtrTy()},
                                    {Pad.getClause(N)});
      Result = B.CreateSelect(B.CreateICmpEQ(Selector, Id),
                              B.getInt32(idOf(Pad.getClause(N))), Result);
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
      : L(L), M(L.M), Ctx(F.getContext()), F(F), Leaves(Leaves),
        HasBody(HasBody), ReturnsThem(ReturnsThem) {}

  void run();
  void checkPlainCalls();
  void lowerHolders();

private:
  /// C is a call of the service of the C++ runtime with that record.
  bool isService(const CallBase &C, StringRef Id) const {
    const OperationRecord *R = L.Cat.lookup(C);
    return R && R == L.Cat.byId(Id);
  }
  FunctionCallee service(StringRef Name, Type *Result,
                         ArrayRef<Type *> Params) {
    FunctionCallee C =
        M.getOrInsertFunction(Name, FunctionType::get(Result, Params, false));
    return C;
  }
  void findHandlers();
  bool catchesStandard(BasicBlock &B, const DominatorTree &DT);
  void lowerPad(LandingPadInst &Pad);
  void throwAgain(InvokeInst &Inv, BasicBlock &To);
  void lowerInvoke(InvokeInst &Inv, BasicBlock &To);
  void lowerCall(CallInst &C);
  void lowerRuntimeCall(CallBase &C);
  Value *caughtObject(Value *E, CallInst *Found, IRBuilderBase &B);
  void checkAfter(CallInst &C);
  BasicBlock *leave();
  void set(IRBuilderBase &B, Value *E,
           ExceptionLowering::VariableKind K = ExceptionLowering::InFlight) {
    B.CreateStore(E, L.variable(K));
  }
  Value *get(IRBuilderBase &B,
             ExceptionLowering::VariableKind K = ExceptionLowering::InFlight) {
    return B.CreateLoad(B.getPtrTy(), L.variable(K), "exception");
  }
  Value *ask(IRBuilderBase &B, StringRef Service, Value *E, Value *Other);

  ExceptionLowering &L;
  Module &M;
  LLVMContext &Ctx;
  Function &F;
  bool Leaves;
  ExceptionLowering::FunctionPredicate HasBody, ReturnsThem;
  BasicBlock *LeaveBlock = nullptr;
  /// Some handler of F is for a type of pointers.
  bool CatchesPointers = false;
  /// From a __cxa_rethrow or __cxa_end_catch to the __cxa_begin_catch of the
  /// handler that it stands in.
  DenseMap<CallBase *, CallBase *> HandlerOf;
  /// Each __cxa_begin_catch of a std::exception.
  SmallPtrSet<CallBase *, 4> Standard;
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
  CallInst *Raise = B.CreateCall(
      service("rg_exception_raise", B.getVoidTy(), {B.getPtrTy()}), {E});
  Raise->setDoesNotReturn();
  B.CreateUnreachable();
  return LeaveBlock;
}

/// Which __cxa_begin_catch began the innermost handler around each `throw;`,
/// and each end of a handler.
void FunctionLowering::findHandlers() {
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
        HandlerOf[C] = Stack.pop_back_val();
      else if (isService(*C, "exception_rethrow") && !Stack.empty())
        HandlerOf[C] = Stack.back();
    }
    for (BasicBlock *S : successors(B))
      if (Open.try_emplace(S, Stack).second)
        Work.push_back(S);
  }
  DominatorTree DT(F);
  for (auto [Inside, Begin] : make_early_inc_range(HandlerOf))
    if (!DT.dominates(Begin, Inside))
      HandlerOf.erase(Inside);
  for (BasicBlock &B : F)
    for (Instruction &I : B)
      if (auto *C = dyn_cast<CallBase>(&I);
          C && isService(*C, "exception_begin_catch") && catchesStandard(B, DT))
        Standard.insert(C);
}

/// The handler that begins in B is reached only where an exception was found to
/// be a std::exception. (Around it may be handlers of others.)
bool FunctionLowering::catchesStandard(BasicBlock &B, const DominatorTree &DT) {
  for (auto *N = DT.getNode(&B); N; N = N->getIDom()) {
    const auto *Br = dyn_cast<BranchInst>(N->getBlock()->getTerminator());
    const auto *Is = Br && Br->isConditional()
                         ? dyn_cast<ICmpInst>(Br->getCondition())
                         : nullptr;
    if (!Is || Is->getPredicate() != CmpInst::ICMP_EQ)
      continue;
    for (const Value *Side : Is->operands())
      if (const auto *Id = dyn_cast<IntrinsicInst>(Side);
          Id && Id->getIntrinsicID() == Intrinsic::eh_typeid_for &&
          DT.dominates(BasicBlockEdge(N->getBlock(), Br->getSuccessor(0)), &B))
        return isStandardException(Id->getArgOperand(0));
  }
  return false;
}

/// std::rethrow_exception. The library would throw another header, which leads
/// to the object by a way that has no shadow. What the exception_ptr holds
/// leads there with its shadow.
void FunctionLowering::throwAgain(InvokeInst &Inv, BasicBlock &To) {
  IRBuilder<> B(&Inv);
  Value *Object = B.CreateLoad(B.getPtrTy(), Inv.getArgOperand(0), "object"),
        *E = B.CreateConstGEP1_64(B.getInt8Ty(), Object, -HeaderBytes,
                                  "exception");
  CallInst *Again = B.CreateCall(
      service("rg_exception_again", B.getVoidTy(), {B.getPtrTy()}), {E});
  Again->setDoesNotThrow();
  set(B, E);
  B.CreateBr(&To);
  Inv.getNormalDest()->removePredecessor(Inv.getParent());
  Inv.eraseFromParent();
}

/// Exceptions of Inv go to the block To, whose phis know Inv's block.
void FunctionLowering::lowerInvoke(InvokeInst &Inv, BasicBlock &To) {
  BasicBlock *From = Inv.getParent(), *Normal = Inv.getNormalDest();
  if (isService(Inv, "exception_again")) {
    throwAgain(Inv, To);
    return;
  }
  Function *Callee = Inv.getCalledFunction();
  if (Callee && Callee->doesNotReturn() && HasBody(*Callee)) {
    Inv.setCalledFunction(L.returningTwin(*Callee));
    Inv.removeFnAttr(Attribute::NoReturn);
  }
  // Thrown for real.
  BasicBlock *Stub = BasicBlock::Create(Ctx, "exception.thrown", &F, &To);
  IRBuilder<> B(Stub);
  B.SetCurrentDebugLocation(Inv.getDebugLoc());
  LandingPadInst *LP = B.CreateLandingPad(
      StructType::get(Ctx, {B.getPtrTy(), B.getInt32Ty()}), 1);
  LP->addClause(ConstantPointerNull::get(B.getPtrTy()));
  Value *E = nullptr;
  if (isService(Inv, "exception_throw")) {
    if (hasBasesElsewhere(Inv.getArgOperand(1)))
      Inv.addFnAttr(Attribute::get(Ctx, ExceptionUnsupported));
    E = B.CreateConstGEP1_64(B.getInt8Ty(), Inv.getArgOperand(0), -HeaderBytes,
                             "exception");
  } else if (isService(Inv, "exception_rethrow")) {
    Value *Thrown = B.CreateExtractValue(LP, 0);
    if (CallBase *Begin = HandlerOf.lookup(&Inv)) {
      E = Begin->getArgOperand(0);
      ask(B, "rg_exception_is", E, Thrown); // notes what was really thrown
    } else {
      // Of a handler in a caller, if it is one of ours.
      Value *Handled = get(B, ExceptionLowering::Handled);
      E = B.CreateSelect(ask(B, "rg_exception_is", Handled, Thrown), Handled,
                         Thrown);
    }
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
  Inv.setAttributes(Inv.getAttributes().removeRetAttributes(Ctx, promises()));
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
  bool CatchesAll =
      Pad.getNumClauses() && Pad.isCatch(0) && Pad.getClause(0)->isNullValue();
  if (CatchesAll) {
    Selector = B.getInt32(L.idOf(Pad.getClause(0)));
  } else if (Pad.getNumClauses()) {
    Function *Match = L.matcher(Pad, F.getPersonalityFn());
    CallInst *Ask = B.CreateCall(service("rg_exception_match", B.getInt32Ty(),
                                         {B.getPtrTy(), B.getPtrTy()}),
                                 {E, Match}, "selector");
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
  auto *Inv = InvokeInst::Create(C.getFunctionType(), C.getCalledOperand(),
                                 Normal, To, Args, Bundles, "", From);
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
  C.setAttributes(C.getAttributes().removeRetAttributes(Ctx, promises()));
  if (C.doesNotReturn()) {
    if (Function *Callee = C.getCalledFunction();
        Callee && Callee->doesNotReturn())
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
  // What only cleans up after a callee that returns its exceptions is left out:
  // it would have to ask as well.
  SmallVector<InvokeInst *, 4> Invokes;
  for (Instruction &I : instructions(F))
    if (auto *Inv = dyn_cast<InvokeInst>(&I))
      if (Function *Callee = Inv->getCalledFunction();
          Callee && ReturnsThem(*Callee) && !Inv->hasFnAttr(ExceptionChecked))
        Invokes.push_back(Inv);
  if (!Invokes.empty()) {
    auto Returning = blocksThatReturn(F);
    for (InvokeInst *Inv : Invokes)
      if (!Returning.contains(Inv->getUnwindDest()))
        changeToCall(Inv);
    removeUnreachableBlocks(F);
  }
  for (Instruction &I : instructions(F))
    if (auto *C = dyn_cast<CallInst>(&I))
      if (Function *Callee = C->getCalledFunction();
          Callee && ReturnsThem(*Callee) && !C->hasFnAttr(ExceptionChecked))
        Calls.push_back(C);
  for (CallInst *C : Calls)
    checkAfter(*C);
}

/// A question to the runtime about two addresses.
Value *FunctionLowering::ask(IRBuilderBase &B, StringRef Service, Value *E,
                             Value *Other) {
  CallInst *Answer = B.CreateCall(
      service(Service, B.getInt1Ty(), {B.getPtrTy(), B.getPtrTy()}),
      {E, Other});
  Answer->setDoesNotThrow();
  Answer->addParamAttr(0, Attribute::ReadOnly);
  Answer->addParamAttr(1, Attribute::ReadOnly);
  return Answer;
}

/// What the handler gets, where the runtime says that it is at Found: the whole
/// object, which lies behind the header; or the pointer that is the object; or
/// something in an exception that somebody else made.
Value *FunctionLowering::caughtObject(Value *E, CallInst *Found,
                                      IRBuilderBase &B) {
  Value *Object = B.CreateConstGEP1_64(B.getInt8Ty(), E, HeaderBytes),
        *Other = Found;
  if (CatchesPointers) {
    // Read where there is one only: the object may be smaller than a pointer.
    IRBuilder<> Entry(&F.getEntryBlock(), F.getEntryBlock().begin());
    AllocaInst *None = Entry.CreateAlloca(B.getPtrTy(), nullptr, "no.pointer");
    B.CreateStore(ConstantPointerNull::get(B.getPtrTy()), None);
    Value *IsPointer = ask(B, "rg_exception_is_pointer", E, Found);
    Value *Held =
        B.CreateLoad(B.getPtrTy(), B.CreateSelect(IsPointer, Object, None));
    Other = B.CreateSelect(IsPointer, Held, Other);
  }
  return B.CreateSelect(ask(B, "rg_exception_is_behind", E, Found), Object,
                        Other, "caught");
}

/// The C++ runtime's services for handlers, with the exception of our form.
void FunctionLowering::lowerRuntimeCall(CallBase &C) {
  IRBuilder<> B(&C);
  bool Begin = isService(C, "exception_begin_catch");
  if (Begin || isService(C, "exception_get_pointer")) {
    Value *E = C.getArgOperand(0);
    CallInst *Found = B.CreateCall(
        service(Begin ? "rg_exception_begin" : "rg_exception_pointer",
                B.getPtrTy(), {B.getPtrTy()}),
        {E});
    Found->setDoesNotThrow();
    if (Begin)
      Found->addFnAttr(Attribute::get(Ctx, ExceptionKept));
    if (Standard.contains(&C))
      Found->addFnAttr(Attribute::get(Ctx, StandardException));
    Found->addParamAttr(0, Attribute::ReadOnly);
    if (!C.use_empty())
      C.replaceAllUsesWith(caughtObject(E, Found, B));
    if (Begin) {
      // The handler's own, for a `throw;` in a callee.
      Value *Outer = get(B, ExceptionLowering::Handled);
      set(B, E, ExceptionLowering::Handled);
      for (auto &[Inside, Of] : HandlerOf)
        if (Of == &C) {
          Of = Found;
          if (isService(*Inside, "exception_end_catch")) {
            IRBuilder<> AtEnd(Inside);
            set(AtEnd, Outer, ExceptionLowering::Handled);
          }
        }
    }
    C.eraseFromParent();
    return;
  }
  if (isService(C, "exception_allocate"))
    C.addRetAttr(Attribute::NoAlias);
}

/// What makes an std::exception_ptr in libstdc++'s library: in our form it
/// holds an address with its shadow.
void FunctionLowering::lowerHolders() {
  SmallVector<CallBase *, 2> Calls;
  for (Instruction &I : instructions(F))
    if (auto *C = dyn_cast<CallBase>(&I);
        C &&
        (isService(*C, "exception_current") ||
         isService(*C, "exception_holder") || isService(*C, "exception_init")))
      Calls.push_back(C);
  for (CallBase *C : Calls) {
    IRBuilder<> B(C);
    if (isService(*C, "exception_init")) {
      if (hasBasesElsewhere(C->getArgOperand(1)))
        C->addFnAttr(Attribute::get(Ctx, ExceptionUnsupported));
      continue;
    }
    if (isService(*C, "exception_holder")) {
      // exception_ptr(object): one owner more.
      B.CreateCall(service("rg_exception_hold", B.getVoidTy(), {B.getPtrTy()}),
                   {C->getArgOperand(1)})
          ->setDoesNotThrow();
      B.CreateStore(C->getArgOperand(1), C->getArgOperand(0));
    } else {
      // That of the handler around, whose object lies behind its header.
      Value *E = get(B, ExceptionLowering::Handled);
      CallInst *Found =
          B.CreateCall(service("rg_exception_current", B.getPtrTy(), {}));
      Found->setDoesNotThrow();
      Value *Object = B.CreateConstGEP1_64(B.getInt8Ty(), E, HeaderBytes);
      B.CreateStore(B.CreateSelect(ask(B, "rg_exception_is_behind", E, Found),
                                   Object, Found),
                    C->getArgOperand(0));
    }
    if (auto *Inv = dyn_cast<InvokeInst>(C))
      C = changeToCall(Inv);
    C->eraseFromParent();
  }
}

void FunctionLowering::run() {
  findHandlers();
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
    if (isService(*C, "exception_begin_catch") ||
        isService(*C, "exception_get_pointer") ||
        isService(*C, "exception_allocate"))
      RuntimeCalls.push_back(C);
    else if (isService(*C, "exception_end_catch") && isa<CallInst>(C))
      C->setDoesNotThrow(); // a destructor that throws ends the program
    else if (auto *Plain = dyn_cast<CallInst>(C);
             Plain && mayUnwind(*C) && !Plain->isMustTailCall() &&
             !C->hasFnAttr(ExceptionChecked))
      Calls.push_back(Plain);
  }
  for (IntrinsicInst *II : Ids) {
    auto *T = cast<Constant>(II->getArgOperand(0)->stripPointerCasts());
    II->replaceAllUsesWith(ConstantInt::get(II->getType(), L.idOf(T)));
    II->eraseFromParent();
  }
  for (LandingPadInst *LP : Pads)
    for (unsigned N = 0; N != LP->getNumClauses(); ++N)
      CatchesPointers |= LP->isCatch(N) && isPointerType(LP->getClause(N));
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
        M.getOrInsertFunction("__gxx_personality_v0",
                              FunctionType::get(Type::getInt32Ty(Ctx), true))
            .getCallee()));
  if (!Leaves)
    return;
  F.addFnAttr(ReturnsExceptions);
  F.setAttributes(F.getAttributes().removeRetAttributes(Ctx, promises()));
}

void ExceptionLowering::lower(Function &F, bool Leaves,
                              FunctionPredicate HasBody,
                              FunctionPredicate ReturnsThem) {
  if (!Leaves)
    dropDeadEndUnwinding(F, Cat);
  FunctionLowering Lowering(*this, F, Leaves, HasBody, ReturnsThem);
  Lowering.lowerHolders();
  if (Leaves || catches(F))
    Lowering.run();
  else
    Lowering.checkPlainCalls();
}

void ExceptionLowering::checkCalls(Function &F, FunctionPredicate ReturnsThem) {
  auto Any = [](const Function &) { return true; };
  FunctionLowering(*this, F, F.hasFnAttribute(ReturnsExceptions), Any,
                   ReturnsThem)
      .checkPlainCalls();
}
