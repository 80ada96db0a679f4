//===- Hints.cpp - what the user tells about the program ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entry/Hints.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Request/EntryCalls.h"
#include "Request/EntryFamilies.h"
#include "Support/SourceFact.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace retrograd;

// Catalogue/LibC.td has the records of all.
static constexpr StringLiteral LayoutHint = "rg_hint_layout";
static constexpr StringLiteral IterationHint = "rg_hint_iterations";
static constexpr StringLiteral FormatHint = "rg_hint_formats.";

static Function *declare(Module &M, const Twine &Name, FunctionType *Type,
                         MemoryEffects Effects) {
  auto *F = cast<Function>(M.getOrInsertFunction(Name.str(), Type).getCallee());
  F->setMemoryEffects(Effects);
  F->setDoesNotThrow();
  F->setWillReturn();
  F->setNoSync();
  F->setDoesNotFreeMemory();
  return F;
}

/// The call that stands for Call from now on; null after a diagnosis.
static CallInst *rewrite(CallBase &Call, const Hint &H,
                         DiagnosticEngine &Diags) {
  Module &M = *Call.getModule();
  IRBuilder<> B(&Call);
  auto Wrong = [&](const char *What) -> CallInst * {
    Diags.report(DiagId::BadHint, &Call, RequestTrail(Call, nullptr),
                 {userName(Call.getCalledFunction()->getName()), What});
    return nullptr;
  };
  Value *First = Call.arg_size() ? Call.getArgOperand(0) : nullptr;
  if (H.What == Hint::Iterations) {
    Type *T = Call.getType();
    if (Call.arg_size() != 2 || !T->isIntegerTy() || First->getType() != T ||
        !Call.getArgOperand(1)->getType()->isIntegerTy())
      return Wrong("two integers, the first of the type that it returns");
    Value *Step = B.CreateSExtOrTrunc(Call.getArgOperand(1), T);
    Function *F =
        declare(M, IterationHint + ".i" + Twine(T->getIntegerBitWidth()),
                FunctionType::get(T, {T, T}, false), MemoryEffects::none());
    return B.CreateCall(F, {First, Step});
  }
  auto *Bytes = Call.arg_size() == 2
                    ? dyn_cast<ConstantInt>(Call.getArgOperand(1))
                    : B.getInt64(H.Size);
  if (!First || !First->getType()->isPointerTy() || Call.arg_size() > 2 ||
      !Bytes)
    return Wrong("a pointer, and the number of bytes as a constant");
  int64_t Known = Bytes->getSExtValue();
  if (Known >= 0 && (Known == 0 || Known % H.Size))
    return Wrong("a number of bytes that holds whole elements");
  Function *F = declare(
      M, LayoutHint,
      FunctionType::get(B.getVoidTy(), {B.getPtrTy(), B.getInt64Ty()}, false),
      MemoryEffects::inaccessibleMemOnly());
  CallInst *New = B.CreateCall(F, {First, B.getInt64(Known < 0 ? -1 : Known)});
  New->addParamAttr(0, Attribute::ReadNone);
  New->addParamAttr(
      0, Attribute::getWithCaptureInfo(M.getContext(), CaptureInfo::none()));
  noteLayout(*New, SourceFact::Layout, {H.Members, int64_t(H.Size)});
  return New;
}

void retrograd::rewriteHints(Module &M, DiagnosticEngine &Diags) {
  SmallVector<std::pair<CallBase *, Hint>, 8> Calls;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (std::optional<Hint> H = hintOf(*Call))
          Calls.push_back({Call, *H});
  for (auto [Call, H] : Calls) {
    if (auto *Invoke = dyn_cast<InvokeInst>(Call))
      Call = changeToCall(Invoke);
    CallInst *New = rewrite(*Call, H, Diags);
    if (New)
      New->setDebugLoc(Call->getDebugLoc());
    if (!Call->getType()->isVoidTy())
      Call->replaceAllUsesWith(New && New->getType() == Call->getType()
                                   ? static_cast<Value *>(New)
                                   : Constant::getNullValue(Call->getType()));
    Call->eraseFromParent();
  }
}

void retrograd::hintFormats(MemTransferInst &Copy, Type &From, Type &To) {
  Module &M = *Copy.getModule();
  IRBuilder<> B(Copy.getNextNode());
  B.SetCurrentDebugLocation(Copy.getDebugLoc());
  Type *Ends[] = {Copy.getRawDest()->getType(), Copy.getRawSource()->getType()};
  std::string Name = FormatHint.str();
  raw_string_ostream(Name) << From << '.' << To;
  // Nobody may read the source instead of the destination.
  Function *F = declare(
      M, Name,
      FunctionType::get(B.getVoidTy(), {Ends[0], Ends[1], &From, &To}, false),
      MemoryEffects::argMemOnly());
  CallInst *Call = B.CreateCall(F, {Copy.getRawDest(), Copy.getRawSource(),
                                    Constant::getNullValue(&From),
                                    Constant::getNullValue(&To)});
  Call->addParamAttr(1, Attribute::ReadNone);
  for (unsigned End : {0, 1})
    Call->addParamAttr(End, Attribute::getWithCaptureInfo(M.getContext(),
                                                          CaptureInfo::none()));
}

void retrograd::advanceIterations(Function &F) {
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I))
      if (Function *Callee = Call->getCalledFunction();
          Callee && Callee->getName().starts_with(IterationHint))
        Call->setArgOperand(
            0, IRBuilder<>(Call).CreateAdd(Call->getArgOperand(0),
                                           Call->getArgOperand(1)));
}

void retrograd::removeHints(Module &M) {
  for (Function &F : make_early_inc_range(M)) {
    bool Iterations = F.getName().starts_with(IterationHint);
    if (!F.isDeclaration() || (!Iterations && F.getName() != LayoutHint &&
                               !F.getName().starts_with(FormatHint)))
      continue;
    for (User *U : make_early_inc_range(F.users())) {
      auto *Call = cast<CallInst>(U);
      if (Iterations)
        Call->replaceAllUsesWith(Call->getArgOperand(0));
      Call->eraseFromParent();
    }
    F.eraseFromParent();
  }
}
