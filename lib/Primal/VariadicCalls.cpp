//===- VariadicCalls.cpp - variable arguments become memory ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/VariadicCalls.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace retrograd;

static constexpr StringLiteral FixedCopy = "rg-fixed-copy";

/// The list of x86-64: what of the register area is used up, arguments in
/// memory, the register area.
static constexpr uint64_t AtIntegers = 0, AtFloats = 4, AtMemory = 8,
                          AtRegisters = 16;
static constexpr uint32_t IntegersUsedUp = 48, FloatsUsedUp = 176;

/// F reads its arguments, and as clang has it on this machine: by arithmetic.
static bool readsItsList(const Function &F) {
  return any_of(instructions(F),
                [](const Instruction &I) { return isa<VAStartInst>(I); }) &&
         none_of(instructions(F),
                 [](const Instruction &I) { return isa<VAArgInst>(I); });
}

/// F has no use for its variable arguments (`[](T &x, ...) -> T & { return x;
/// }` of std::visit).
static bool ignoresItsList(const Function &F) {
  return none_of(instructions(F), [](const Instruction &I) {
    const auto *Call = dyn_cast<CallInst>(&I);
    return isa<VAStartInst, VAArgInst>(I) || (Call && Call->isMustTailCall());
  });
}

/// F with the address of its variable arguments as one more argument.
static Function *fixedCopy(Function &F) {
  Module &M = *F.getParent();
  std::string Name = ("rg.fixed." + F.getName()).str();
  if (Function *Made = M.getFunction(Name))
    return Made;
  SmallVector<Type *, 8> Params(F.getFunctionType()->params());
  Params.push_back(PointerType::get(M.getContext(), 0));
  Function *Copy = Function::Create(
      FunctionType::get(F.getReturnType(), Params, false),
      GlobalValue::InternalLinkage, F.getAddressSpace(), Name, &M);
  ValueToValueMapTy Map;
  for (auto [Old, New] : zip(F.args(), Copy->args())) {
    New.setName(Old.getName());
    Map[&Old] = &New;
  }
  Argument *Arguments = Copy->getArg(F.arg_size());
  Arguments->setName("arguments");
  SmallVector<ReturnInst *, 2> Returns;
  CloneFunctionInto(Copy, &F, Map, CloneFunctionChangeType::LocalChangesOnly,
                    Returns);
  Copy->setLinkage(GlobalValue::InternalLinkage);
  Copy->setVisibility(GlobalValue::DefaultVisibility);
  Copy->setDSOLocal(true);
  Copy->setComdat(nullptr);
  Copy->removeFnAttr(Attribute::Memory); // it reads the caller's memory now
  Copy->addFnAttr(FixedCopy);
  for (Instruction &I : make_early_inc_range(instructions(*Copy))) {
    IRBuilder<> B(&I);
    auto Put = [&](Value *List, uint64_t At, Value *V) {
      B.CreateStore(V, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), List, At));
    };
    if (auto *Start = dyn_cast<VAStartInst>(&I)) {
      Put(Start->getArgList(), AtIntegers, B.getInt32(IntegersUsedUp));
      Put(Start->getArgList(), AtFloats, B.getInt32(FloatsUsedUp));
      Put(Start->getArgList(), AtMemory, Arguments);
      Put(Start->getArgList(), AtRegisters, Arguments);
    } else if (auto *Other = dyn_cast<VACopyInst>(&I)) {
      for (uint64_t At : {AtIntegers, AtFloats})
        Put(Other->getDest(), At,
            B.CreateLoad(B.getInt32Ty(),
                         B.CreateConstInBoundsGEP1_64(B.getInt8Ty(),
                                                      Other->getSrc(), At)));
      for (uint64_t At : {AtMemory, AtRegisters})
        Put(Other->getDest(), At,
            B.CreateLoad(B.getPtrTy(),
                         B.CreateConstInBoundsGEP1_64(B.getInt8Ty(),
                                                      Other->getSrc(), At)));
    } else if (!isa<VAEndInst>(I)) {
      continue;
    }
    I.eraseFromParent();
  }
  return Copy;
}

/// Where an argument lies that is passed in memory; none for what the machine's
/// rules say more of.
static std::optional<std::pair<uint64_t, Align>>
slotOf(CallBase &Call, unsigned N, const DataLayout &DL) {
  Type *T = Call.getArgOperand(N)->getType();
  if (Call.isByValArgument(N))
    return {{DL.getTypeAllocSize(Call.getParamByValType(N)).getFixedValue(),
             std::max(Align(8), Call.getParamAlign(N).valueOrOne())}};
  if (T->isX86_FP80Ty())
    return {{16, Align(16)}};
  if (T->isVectorTy() ? DL.getTypeSizeInBits(T) == TypeSize::getFixed(64)
                      : T->isDoubleTy() || T->isPointerTy() ||
                            (T->isIntegerTy() && T->getIntegerBitWidth() <= 64))
    return {{8, Align(8)}};
  return std::nullopt;
}

void retrograd::fixVariadicCalls(Function &F) {
  const Triple &Machine = F.getParent()->getTargetTriple();
  if (Machine.getArch() != Triple::x86_64 || Machine.isOSWindows() ||
      Machine.isX32())
    return;
  const DataLayout &DL = F.getDataLayout();
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !Callee->isVarArg() || Callee->isDeclaration() ||
        Callee->isInterposable() ||
        Callee->getFunctionType() != Call->getFunctionType() ||
        Call->isMustTailCall() || isa<CallBrInst>(Call))
      continue;
    const bool Ignored = ignoresItsList(*Callee);
    if (!Ignored && !readsItsList(*Callee))
      continue;
    SmallVector<uint64_t, 8> At;
    uint64_t Bytes = 0;
    const unsigned End = Ignored ? Callee->arg_size() : Call->arg_size();
    for (unsigned N = Callee->arg_size(); N != End; ++N) {
      auto Slot = slotOf(*Call, N, DL);
      if (!Slot)
        break;
      At.push_back(alignTo(Bytes, Slot->second));
      Bytes = alignTo(At.back() + Slot->first, 8);
    }
    if (At.size() != End - Callee->arg_size())
      continue;
    // A call without any (`info("done")`) hands on a place that nobody reads.
    Bytes = std::max<uint64_t>(Bytes, 8);
    BasicBlock &Start = F.getEntryBlock();
    IRBuilder<> B(&Start, Start.getFirstNonPHIOrDbgOrAlloca());
    AllocaInst *Memory =
        B.CreateAlloca(ArrayType::get(B.getInt8Ty(), Bytes),
                       DL.getAllocaAddrSpace(), nullptr, "variable.arguments");
    Memory->setAlignment(Align(16));
    B.SetInsertPoint(Call);
    for (auto [N, Offset] : enumerate(At)) {
      unsigned Operand = Callee->arg_size() + N;
      Value *V = Call->getArgOperand(Operand),
            *Place =
                B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Memory, Offset);
      Align A = commonAlignment(Align(16), Offset);
      if (Call->isByValArgument(Operand))
        B.CreateMemCpy(Place, A, V, Call->getParamAlign(Operand),
                       DL.getTypeAllocSize(Call->getParamByValType(Operand))
                           .getFixedValue());
      else
        B.CreateAlignedStore(V, Place, A);
    }
    SmallVector<Value *, 8> Operands(Call->arg_begin(),
                                     Call->arg_begin() + Callee->arg_size());
    Operands.push_back(Memory);
    Function *Copy = fixedCopy(*Callee);
    CallBase *New;
    if (auto *Invoke = dyn_cast<InvokeInst>(Call))
      New = B.CreateInvoke(Copy, Invoke->getNormalDest(),
                           Invoke->getUnwindDest(), Operands);
    else
      New = B.CreateCall(Copy, Operands);
    AttributeList Old = Call->getAttributes();
    SmallVector<AttributeSet, 8> OfOperands;
    for (unsigned N = 0; N != Callee->arg_size(); ++N)
      OfOperands.push_back(Old.getParamAttrs(N));
    New->setAttributes(AttributeList::get(
        F.getContext(),
        Old.getFnAttrs().removeAttribute(F.getContext(), Attribute::Memory),
        Old.getRetAttrs(), OfOperands));
    New->setCallingConv(Call->getCallingConv());
    New->takeName(Call);
    Call->replaceAllUsesWith(New);
    Call->eraseFromParent();
  }
}

void retrograd::removeFixedCopies(Module &M, FunctionAnalysisManager &FAM) {
  for (Function &F : make_early_inc_range(M))
    if (F.hasFnAttribute(FixedCopy) && F.use_empty() &&
        !F.getName().starts_with("rg.primal.")) {
      FAM.clear(F, F.getName());
      F.eraseFromParent();
    }
}
