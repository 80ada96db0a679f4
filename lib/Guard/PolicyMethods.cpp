//===- PolicyMethods.cpp - loops over the range of a policy ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function template is given a label, a policy, a body and perhaps a result.
// The policy tells the bounds (first, last). The body is called once for each
// index between them:
//
//   loop       body(i)
//   reduction  body(i, value)        each thread has a value of its own; the
//              result is what their sum, or join of a reducer, makes of them
//   scan       body(i, value, last)  last: value is what all before i have
//   added
//
// A value is a number that is added to, or what a reducer says by its members
// init(value) and join(into, from). Bodies with a tag, with init and join of
// their own, and values that are arrays are not handled: no substitute is made.
//
//===----------------------------------------------------------------------===//

#include "Catalogue/ParallelMethods.h"
#include "Guard/MethodSubstitute.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace retrograd;

namespace {
class PolicySubstitute : MethodSubstitute {
public:
  PolicySubstitute(Function &Method, const CxxName &Name,
                   const ParallelMethodRecord &Known, const CxxMembers &All)
      : MethodSubstitute(Method, All), Name(Name), Known(Known) {}
  Function *make();

private:
  bool understand();
  bool understandValue();
  bool understandReducer(StringRef Reducer, StringRef OfValue);
  std::optional<Function *> destructorOf(Type *Result) const;
  Function *makePass(bool Last);
  Value *index(Value *Base, Value *I);
  void start(Value *Reducer, Value *At);
  void add(Value *Reducer, Value *To, Value *From);
  Value *resultOf(Value *Given);

  const CxxName &Name;
  const ParallelMethodRecord &Known;
  SmallVector<std::string, 3> Arguments;
  Function *First = nullptr, *Last = nullptr, *Body = nullptr;
  /// Of a value: its bytes, and either its type, which is a number's, or what a
  /// reducer does.
  uint64_t Size = 0;
  Type *Number = nullptr;
  Function *Init = nullptr, *Join = nullptr, *View = nullptr, *Data = nullptr,
           *EndOfView = nullptr;

  bool isLoop() const { return Known.Kind == ParallelMethodKind::PolicyLoop; }
  bool isScan() const { return Known.Kind == ParallelMethodKind::PolicyScan; }
  /// Between the values of two threads: no cache line is shared.
  uint64_t stride() const { return alignTo(Size, 64); }
};
} // namespace

/// The arguments of the last template in a name.
static SmallVector<std::string, 3> argumentsOf(StringRef Whole) {
  if (!Whole.ends_with(">"))
    return {};
  int Depth = 0;
  size_t Open = Whole.size();
  do {
    --Open;
    Depth += StringRef(">)}]").contains(Whole[Open]);
    Depth -= StringRef("<({[").contains(Whole[Open]);
  } while (Depth && Open);
  return parts(Whole.substr(Open));
}

/// What ends an object of a type, as the method itself does it; null where
/// nothing does. A class may have no destructor of its own: clang calls that of
/// its only base instead.
std::optional<Function *> PolicySubstitute::destructorOf(Type *Result) const {
  std::optional<Function *> Found;
  for (Instruction &I : instructions(Method)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || Call->arg_empty() || Call->getParamStructRetType(0) != Result)
      continue;
    Found = nullptr;
    for (User *U : Call->getArgOperand(0)->users())
      if (auto *Later = dyn_cast<CallBase>(U);
          Later && Later->arg_size() == 1 && Later->getCalledFunction())
        if (std::optional<CxxName> N = demangle(*Later->getCalledFunction());
            N && N->IsStructor && N->Base[0] == '~')
          return Later->getCalledFunction();
  }
  return Found;
}

bool PolicySubstitute::understandReducer(StringRef Reducer, StringRef OfValue) {
  auto Any = [](StringRef) { return true; };
  Init = All.find(Reducer, Known.Init, 2, Any);
  Join = All.find(Reducer, Known.Join, 3, Any);
  View = All.find(Reducer, "view", 2, Any);
  SmallVector<std::string, 3> Own = argumentsOf(Reducer);
  if (!Init || !Join || !View || Own.empty() || !View->getParamStructRetType(0))
    return false;
  const std::string OfView =
      "Kokkos::View<" + OfValue.str() + ", " + Own.back() + ">";
  Data = All.find(OfView, "data", 1, Any);
  std::optional<Function *> End = destructorOf(View->getParamStructRetType(0));
  EndOfView = End.value_or(nullptr);
  Size = Join->getParamDereferenceableBytes(1);
  return Data && End && Size && Size == Init->getParamDereferenceableBytes(1);
}

bool PolicySubstitute::understandValue() {
  StringRef OfBody = Arguments[1];
  // A body may say how its values begin and what is done with two of them.
  for (StringRef Own : {Known.Init, Known.Join, StringRef("final")})
    if (All.has(OfBody, Own))
      return false;
  std::optional<CxxName> Called = demangle(*Body);
  SmallVector<std::string, 3> Params =
      Called ? parts(Called->Params) : SmallVector<std::string, 3>();
  if (Params.size() < 2)
    return false;
  StringRef Of = Params[1];
  if (!Of.consume_back("&"))
    return false;
  Number =
      StringSwitch<Type *>(Of)
          .Case("double", B.getDoubleTy())
          .Case("float", B.getFloatTy())
          .Cases({"int", "unsigned int"}, B.getInt32Ty())
          .Cases({"long", "unsigned long", "long long", "unsigned long long"},
                 B.getInt64Ty())
          .Default(nullptr);
  const bool HasResult = Arguments.size() > 2 && Arguments[2] != "void";
  const bool IsNumber = HasResult && Arguments[2] == Of;
  if (HasResult && !IsNumber) {
    Number = nullptr;
    StringRef Reducer = Arguments[2];
    Reducer.consume_back(" const");
    return !isScan() && understandReducer(Reducer, Of) &&
           Size == Body->getParamDereferenceableBytes(2);
  }
  if (!Number || HasResult != (Method.arg_size() == 4))
    return false;
  Size = M.getDataLayout().getTypeStoreSize(Number);
  return Size == Body->getParamDereferenceableBytes(2);
}

bool PolicySubstitute::understand() {
  Arguments = argumentsOf(isLoop() || isScan() ? Name.Whole : Name.Class);
  if (Arguments.size() < 2 || Method.arg_size() < 3 || Method.arg_size() > 4)
    return false;
  StringRef OfPolicy = Arguments[0];
  if (!OfPolicy.consume_front(Known.Policy) || !OfPolicy.starts_with("<") ||
      !all_of(Method.args(),
              [](const Argument &A) { return A.getType()->isPointerTy(); }))
    return false;
  auto Any = [](StringRef) { return true; };
  First = All.find(Arguments[0], Known.First, 1, Any);
  Last = All.find(Arguments[0], Known.Last, 1, Any);
  Body = All.findCallable(Arguments[1], isLoop() ? 0 : isScan() ? 2 : 1);
  if (!First || !Last || !Body || !First->getReturnType()->isIntegerTy() ||
      First->getReturnType() != Last->getReturnType() ||
      First->getReturnType()->getIntegerBitWidth() > 64 ||
      First->getReturnType()->getIntegerBitWidth() <
          Body->getArg(1)->getType()->getIntegerBitWidth())
    return false;
  return isLoop() ? Method.arg_size() == 3 : understandValue();
}

/// The index that is I behind the first one, as the body takes it.
Value *PolicySubstitute::index(Value *Base, Value *I) {
  Value *At = B.CreateAdd(Base, B.CreateTrunc(I, Base->getType()));
  return B.CreateTrunc(At, Body->getArg(1)->getType());
}

void PolicySubstitute::start(Value *Reducer, Value *At) {
  if (Number)
    B.CreateStore(Constant::getNullValue(Number), At);
  else
    ask(*Init, {Reducer, At});
}

void PolicySubstitute::add(Value *Reducer, Value *To, Value *From) {
  if (!Number) {
    ask(*Join, {Reducer, To, From});
    return;
  }
  Value *A = B.CreateLoad(Number, To), *C = B.CreateLoad(Number, From);
  B.CreateStore(
      Number->isFloatingPointTy() ? B.CreateFAdd(A, C) : B.CreateAdd(A, C), To);
}

/// Where the result goes: Given itself, or what a reducer refers to.
Value *PolicySubstitute::resultOf(Value *Given) {
  if (Number)
    return Given;
  Value *Space = B.CreateAlloca(View->getParamStructRetType(0));
  CallInst *Call = B.CreateCall(View, {Space, Given});
  Call->addParamAttr(
      0, View->getAttributes().getParamAttr(0, Attribute::StructRet));
  Value *Result = ask(*Data, {Space});
  if (EndOfView)
    ask(*EndOfView, {Space});
  return Result;
}

/// fork(threads, count, first index, body, values, reducer): each thread calls
/// the body on its part of the indices.
Function *PolicySubstitute::makePass(bool Last) {
  Type *P = B.getPtrTy(), *L = B.getInt64Ty();
  return makeFork(
      "method", {L, First->getReturnType(), P, P, P},
      [&](ArrayRef<Value *> Operands) { return Operands[0]; },
      [&](ArrayRef<Value *> Operands, Value *Thread, Value *From, Value *To) {
        Value *Base = Operands[1], *Object = Operands[2];
        if (isLoop()) {
          loop(From, To,
               [&](Value *I) { ask(*Body, {Object, index(Base, I)}); });
          return;
        }
        // In a variable of the thread, while it is added to.
        Value *Mine = nth(Operands[3], stride(), Thread);
        AllocaInst *Local = B.CreateAlloca(
            Number ? Number : ArrayType::get(B.getInt8Ty(), Size));
        Local->setAlignment(Align(16));
        if (Last && isScan())
          B.CreateMemCpy(Local, Align(16), Mine, Align(16), Size);
        else
          start(Operands[4], Local);
        loop(From, To, [&](Value *I) {
          SmallVector<Value *, 4> Args{Object, index(Base, I), Local};
          if (isScan())
            Args.push_back(ConstantInt::get(Body->getArg(3)->getType(), Last));
          ask(*Body, Args);
        });
        if (Number)
          B.CreateStore(B.CreateLoad(Number, Local), Mine);
        else
          B.CreateMemCpy(Mine, Align(16), Local, Align(16), Size);
      });
}

Function *PolicySubstitute::make() {
  if (!understand())
    return nullptr;
  Type *P = B.getPtrTy(), *L = B.getInt64Ty();
  Function *Pass = makePass(!isScan());
  Function *LastPass = isScan() ? makePass(true) : nullptr;
  Function *F = begin();
  Value *Policy = F->getArg(1), *Object = F->getArg(2);
  Value *Given = F->arg_size() == 4 ? (Value *)F->getArg(3)
                                    : ConstantPointerNull::get(B.getPtrTy());
  Value *From = ask(*First, {Policy}), *To = ask(*Last, {Policy});
  Value *Some = B.CreateICmpSGT(B.CreateSub(To, From),
                                ConstantInt::get(From->getType(), 0));
  Value *Count = B.CreateSelect(Some, B.CreateZExt(B.CreateSub(To, From), L),
                                B.getInt64(0));
  Value *Result = F->arg_size() == 4 ? resultOf(Given) : nullptr;
  BasicBlock *Go = BasicBlock::Create(M.getContext(), "", F);
  BasicBlock *None = BasicBlock::Create(M.getContext(), "", F);
  BasicBlock *End = BasicBlock::Create(M.getContext(), "", F);
  B.CreateCondBr(Some, Go, None);
  B.SetInsertPoint(None);
  if (Result)
    start(Given, Result);
  B.CreateBr(End);
  B.SetInsertPoint(Go);
  Value *Threads = teamFor(Count), *Ends = B.CreateZExt(Threads, L);
  Value *Values = ConstantPointerNull::get(B.getPtrTy());
  if (!isLoop())
    Values = routine("malloc", P, {B.CreateMul(Ends, B.getInt64(stride()))});
  SmallVector<Value *, 6> Operands{Threads, Count, From, Object, Values, Given};
  B.CreateCall(Pass, Operands);
  if (isScan()) {
    // What all threads before t have added, in the value of t.
    AllocaInst *Sum = B.CreateAlloca(Number), *Own = B.CreateAlloca(Number);
    start(Given, Sum);
    loop(B.getInt64(0), Ends, [&](Value *T) {
      Value *At = nth(Values, stride(), T);
      B.CreateStore(B.CreateLoad(Number, At), Own);
      B.CreateStore(B.CreateLoad(Number, Sum), At);
      add(Given, Sum, Own);
    });
    if (Result)
      B.CreateStore(B.CreateLoad(Number, Sum), Result);
    B.CreateCall(LastPass, Operands);
  } else if (Result) {
    start(Given, Result);
    loop(B.getInt64(0), Ends,
         [&](Value *T) { add(Given, Result, nth(Values, stride(), T)); });
  }
  if (!isLoop())
    routine("free", B.getVoidTy(), {Values});
  B.CreateBr(End);
  B.SetInsertPoint(End);
  B.CreateRetVoid();
  return F;
}

Function *retrograd::substituteOfPolicy(Function &Method, const CxxName &Name,
                                        const ParallelMethodRecord &Known,
                                        const CxxMembers &All) {
  return PolicySubstitute(Method, Name, Known, All).make();
}
