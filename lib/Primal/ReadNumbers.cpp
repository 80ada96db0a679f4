//===- ReadNumbers.cpp - numbers from text and files ----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem: scanf, fread, >> of streams and their like write numbers that depend
// on no input. Where those lie among active ones, the adjoints of what was
// there end, which nothing in the code says.
//
// Method: Code behind the call says so. A number that a format or a type names
// goes through a variable of its own, which is not active. A block is filled
// again, to analyses, by a routine that leaves it as it is (runtime/reading.c).
// What is left of the call is an operation without a derivative.
//
// Not handled: formats that are not constant, or that name memory which the
// routine allocates. Such a call stays, and is refused where it is active.
//
//===----------------------------------------------------------------------===//

#include "Bitcode/RuntimeLibrary.h"
#include "Catalogue/ReadingRoutines.h"
#include "Primal/PrimalSteps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <optional>

using namespace llvm;
using namespace retrograd;

namespace {
/// What a format asks for at one of the addresses behind it.
struct Conversion {
  /// A number of this many bytes; 0 for what is none.
  unsigned Float = 0;
  /// It is among those that the routine counts.
  bool Counts = true;
};
} // namespace

/// What Format, of the scanf family, asks for; none where it has something
/// that is not known here (positions, memory that the routine allocates).
static std::optional<SmallVector<Conversion, 8>> conversionsOf(StringRef Format,
                                                               Type *Long) {
  SmallVector<Conversion, 8> All;
  while (!Format.empty()) {
    if (!Format.consume_front("%")) {
      Format = Format.drop_front();
      continue;
    }
    if (Format.consume_front("%"))
      continue;
    const bool Skipped = Format.consume_front("*");
    Format = Format.drop_while(isDigit);
    unsigned Float = 4;
    if (Format.consume_front("ll") || Format.consume_front("L"))
      Float = unsigned(Long->getPrimitiveSizeInBits() / 8);
    else if (Format.consume_front("l"))
      Float = 8;
    else
      (void)(Format.consume_front("hh") || Format.consume_front("h") ||
             Format.consume_front("j") || Format.consume_front("z") ||
             Format.consume_front("t"));
    if (Format.empty())
      return std::nullopt;
    const char Letter = Format.front();
    Format = Format.drop_front();
    Conversion C;
    if (StringRef("aAeEfFgG").contains(Letter)) {
      // Of old, %as is a string that the routine allocates.
      if (Letter == 'a' && !Format.empty() &&
          StringRef("sS[").contains(Format.front()))
        return std::nullopt;
      C.Float = Float;
    } else if (Letter == '[') {
      (void)Format.consume_front("^");
      (void)Format.consume_front("]");
      size_t End = Format.find(']');
      if (End == StringRef::npos)
        return std::nullopt;
      Format = Format.drop_front(End + 1);
    } else if (Letter == 'n') {
      C.Counts = false;
    } else if (!StringRef("diouxXcsCS").contains(Letter)) {
      return std::nullopt;
    }
    if (!Skipped)
      All.push_back(C);
  }
  return All;
}

/// In front of what runs next when Call has returned.
static Instruction *behind(CallBase &Call) {
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    return SplitEdge(Invoke->getParent(), Invoke->getNormalDest())
        ->getTerminator();
  return Call.getNextNode();
}

/// In front of what runs next when Call has thrown; null if it cannot.
static Instruction *behindThrown(CallBase &Call) {
  auto *Invoke = dyn_cast<InvokeInst>(&Call);
  if (!Invoke)
    return nullptr;
  BasicBlock *Pad = Invoke->getUnwindDest();
  if (!Pad->getSinglePredecessor()) {
    SmallVector<BasicBlock *, 2> Made;
    SplitLandingPadPredecessors(Pad, Invoke->getParent(), ".read", ".others",
                                Made);
    Pad = Made.front();
  }
  return &*Pad->getFirstInsertionPt();
}

static AllocaInst *variable(Function &F, Type *T) {
  BasicBlock &Entry = F.getEntryBlock();
  IRBuilder<> B(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
  return B.CreateAlloca(T, F.getDataLayout().getAllocaAddrSpace(), nullptr,
                        "read");
}

/// What is left of Call is Operation.
static void becomes(CallBase &Call, StringRef Operation) {
  Call.addFnAttr(Attribute::get(Call.getContext(), IsOperation, Operation));
  // It may be given a variable of the caller's now.
  if (auto *Plain = dyn_cast<CallInst>(&Call))
    Plain->setTailCallKind(CallInst::TCK_None);
}

static Type *longDouble(Module &M) {
  LLVMContext &Ctx = M.getContext();
  switch (M.getTargetTriple().getArch()) {
  case Triple::x86:
  case Triple::x86_64:
    return Type::getX86_FP80Ty(Ctx);
  default:
    return Type::getFP128Ty(Ctx);
  }
}

/// The type of a number of a scanf format.
static Type *numberOf(unsigned Bytes, Module &M) {
  LLVMContext &Ctx = M.getContext();
  if (Bytes == 4)
    return Type::getFloatTy(Ctx);
  return Bytes == 8 ? Type::getDoubleTy(Ctx) : longDouble(M);
}

static bool readByFormat(CallBase &Call, const ReadingRoutineRecord &R) {
  StringRef Format;
  if (Call.arg_size() <= R.At ||
      Call.getFunctionType()->getNumParams() != R.At + 1 ||
      !Call.getType()->isIntegerTy() ||
      !getConstantStringInfo(Call.getArgOperand(R.At), Format))
    return false;
  Module &M = *Call.getModule();
  auto All = conversionsOf(Format, longDouble(M));
  if (!All || All->size() > Call.arg_size() - R.At - 1)
    return false;
  becomes(Call, R.Operation);
  Instruction *Next = nullptr;
  unsigned Counted = 0;
  for (auto [N, C] : enumerate(*All)) {
    const unsigned Operand = R.At + 1 + N;
    const unsigned Before = Counted;
    Counted += C.Counts;
    Value *To = Call.getArgOperand(Operand);
    if (!C.Float || !To->getType()->isPointerTy())
      continue;
    Type *T = numberOf(C.Float, M);
    AllocaInst *Own = variable(*Call.getFunction(), T);
    Call.setArgOperand(Operand, Own);
    if (!Next)
      Next = behind(Call);
    IRBuilder<> B(Next);
    Value *IsRead =
        B.CreateICmpSGT(&Call, ConstantInt::get(Call.getType(), Before));
    Instruction *Then = SplitBlockAndInsertIfThen(IsRead, Next, false);
    B.SetInsertPoint(Then);
    B.CreateStore(B.CreateLoad(T, Own), To);
  }
  return true;
}

static bool readBlock(CallBase &Call, const ReadingRoutineRecord &R,
                      RuntimeLibrary &Runtime) {
  if (Call.arg_size() <= R.At || Call.getFunctionType()->isVarArg() ||
      !Call.getArgOperand(R.At)->getType()->isPointerTy() ||
      (R.Size >= 0 && Call.arg_size() <= unsigned(R.Size)))
    return false;
  Module &M = *Call.getModule();
  Function *Constants = Runtime.require("rg_constants_here");
  if (!Constants)
    return false;
  IRBuilder<> B(behind(Call));
  Value *Count = &Call;
  if (!R.Counter.empty())
    Count = B.CreateCall(
        M.getOrInsertFunction(R.Counter, B.getInt64Ty(), B.getPtrTy()),
        {Call.getArgOperand(0)});
  if (!Count->getType()->isIntegerTy())
    return false;
  becomes(Call, R.Operation);
  // -1 says that nothing could be read.
  Count = B.CreateSExtOrTrunc(Count, B.getInt64Ty());
  Count = B.CreateBinaryIntrinsic(Intrinsic::smax, Count, B.getInt64(0));
  if (R.Size >= 0)
    Count = B.CreateMul(
        Count, B.CreateZExtOrTrunc(Call.getArgOperand(R.Size), B.getInt64Ty()));
  B.CreateCall(Constants, {Call.getArgOperand(R.At), B.getInt32(-1), Count});
  return true;
}

static bool readValue(CallBase &Call, const ReadingRoutineRecord &R,
                      RuntimeLibrary &Runtime) {
  if (Call.arg_size() <= R.At ||
      !Call.getArgOperand(R.At)->getType()->isPointerTy())
    return false;
  Module &M = *Call.getModule();
  Type *T = nullptr;
  switch (R.Letter) {
  case 'G':
    T = Type::getFloatTy(M.getContext());
    break;
  case 'D':
    T = Type::getDoubleTy(M.getContext());
    break;
  case 'X':
    T = longDouble(M);
    break;
  default:
    becomes(Call, R.Operation);
    return true;
  }
  // Whether something is written, the routine does not say: so it finds there
  // what it would never write.
  Function *Mark = Runtime.require("rg_mark_unread");
  Function *IsMarked = Runtime.require("rg_is_unread");
  if (!Mark || !IsMarked)
    return false;
  becomes(Call, R.Operation);
  Value *To = Call.getArgOperand(R.At);
  AllocaInst *Own = variable(*Call.getFunction(), T);
  Value *Bytes = ConstantInt::get(
      Type::getInt64Ty(M.getContext()),
      T->isX86_FP80Ty() ? 10 : T->getPrimitiveSizeInBits().getFixedValue() / 8);
  IRBuilder<>(&Call).CreateCall(Mark, {Own, Bytes});
  Call.setArgOperand(R.At, Own);
  for (Instruction *Next : {behindThrown(Call), behind(Call)}) {
    if (!Next)
      continue;
    IRBuilder<> B(Next);
    Value *Unread = B.CreateCall(IsMarked, {Own, Bytes});
    Instruction *Then =
        SplitBlockAndInsertIfThen(B.CreateIsNull(Unread), Next, false);
    B.SetInsertPoint(Then);
    B.CreateStore(B.CreateLoad(T, Own), To);
  }
  return true;
}

bool retrograd::readNumbers(Function &F, RuntimeLibrary &Runtime) {
  SmallVector<std::pair<CallBase *, const ReadingRoutineRecord *>, 4> Calls;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !Callee->isDeclaration() || isa<CallBrInst>(Call) ||
        Call->isMustTailCall() || Call->getAttributes().hasFnAttr(IsOperation))
      continue;
    if (const ReadingRoutineRecord *R = readingRoutine(Callee->getName()))
      Calls.push_back({Call, R});
  }
  bool Changed = false;
  for (auto [Call, R] : Calls)
    switch (R->Kind) {
    case ReadingKind::Format:
      Changed |= readByFormat(*Call, *R);
      break;
    case ReadingKind::Block:
      Changed |= readBlock(*Call, *R, Runtime);
      break;
    case ReadingKind::Value:
      Changed |= readValue(*Call, *R, Runtime);
      break;
    }
  return Changed;
}
