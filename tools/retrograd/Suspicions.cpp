//===- Suspicions.cpp - what the user said of a function ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suspicions.h"
#include "Request/EntryPoints.h"
#include "Request/Markers.h"
#include "UserModule.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// Where the mark R stands: "damped.c:7, __enzyme_inactivefn_damped".
static std::string placeOfMark(const Invocation &I, const Module &M,
                               const Registration &R) {
  unsigned Line = R.Line;
  if (const GlobalVariable *G =
          R.InGlobal ? M.getGlobalVariable(R.Name, true) : nullptr) {
    SmallVector<DIGlobalVariableExpression *, 1> Info;
    G->getDebugInfo(Info);
    if (!Info.empty())
      Line = Info[0]->getVariable()->getLine();
  }
  return (Line ? place(I, Line) + ": " : "") + R.Name;
}

std::vector<Suspicion> retrograd::suspicionsOf(const Invocation &I,
                                               const Function &F,
                                               const Findings &Found,
                                               ArrayRef<Registration> All) {
  std::vector<Suspicion> Result;
  const Function *Augmented = nullptr;
  for (const Registration &R : All)
    if (R.Of == &F &&
        (R.K == Registration::Augment || R.K == Registration::Gradient))
      if (Function *A = R.Operands.empty() ||
                                (R.K == Registration::Gradient && !R.InGlobal)
                            ? nullptr
                            : registeredFunction(R.Operands.front()))
        Augmented = A;
  for (const Registration &R : All) {
    if (R.Of != &F)
      continue;
    const Function *Rule =
        R.Operands.empty() ? nullptr : registeredFunction(R.Operands.back());
    switch (R.K) {
    case Registration::Gradient: {
      if (Found.ReverseValue)
        Result.push_back({"the augmented function that is registered for it "
                          "computes something else than it does",
                          lineOf(Augmented)});
      if (!Found.Reverse)
        break;
      // The gradient takes what the augmented function takes, the seed, and the
      // tape.
      bool Tape = Rule && Augmented &&
                  Rule->arg_size() > Augmented->arg_size() +
                                         F.getReturnType()->isFloatingPointTy();
      Result.push_back(
          {"the reverse rule that is registered for it does not fit it",
           lineOf(Rule),
           Tape && !Found.ReverseValue
               ? "or its augmented function, " + place(I, lineOf(Augmented)) +
                     ", which makes the tape"
               : ""});
      break;
    }
    case Registration::Derivative:
    case Registration::SplitDerivative:
      if (Found.ForwardValue)
        Result.push_back({"the forward rule that is registered for it computes "
                          "something else than it does",
                          lineOf(Rule)});
      if (Found.Forward)
        Result.push_back(
            {"the forward rule that is registered for it does not fit it",
             lineOf(Rule)});
      break;
    case Registration::Inactive:
      if (Found.Reverse || Found.Forward)
        Result.push_back(
            {"it is marked as inactive, so its derivative is dropped", 0,
             "the mark: " + placeOfMark(I, *F.getParent(), R)});
      break;
    case Registration::FunctionLike:
      if (Found.wrong())
        Result.push_back(
            {"it is declared to be like another function, and is not", 0,
             "the claim: " + placeOfMark(I, *F.getParent(), R)});
      break;
    default:
      break;
    }
  }
  return Result;
}

std::string retrograd::markOf(const Invocation &I, const Instruction &Inst,
                              ArrayRef<Registration> All) {
  const Module &M = *Inst.getModule();
  auto Find = [&](const Value *V,
                  Registration::Kind K) -> const Registration * {
    for (const Registration &R : All)
      if (R.Of == V && R.K == K)
        return &R;
    return nullptr;
  };
  if (const auto *C = dyn_cast<CallBase>(&Inst)) {
    const Function *Callee = C->getCalledFunction();
    if (!Callee)
      return {};
    if (Callee->isDeclaration())
      if (const EntryPointName *Name = entryPointOf(Callee->getName())) {
        if (Name->Role == EntryRole::IgnoreDerivatives)
          return "__enzyme_ignore_derivatives drops the derivative of its "
                 "argument here";
        if (Name->Role == EntryRole::CallInactive)
          return "__enzyme_call_inactive drops the derivative of this call";
        if (any_of(C->args(), [](const Use &U) {
              return markerOf(U.get()).ends_with("_const");
            }))
          return "this derivative call marks an argument as constant: what "
                 "flows through it is dropped";
      }
    if (const Registration *R = Find(Callee, Registration::Inactive))
      return "the derivative of this call is dropped, for '" +
             demangle(Callee->getName()) +
             "' is marked as inactive\n  the mark: " + placeOfMark(I, M, *R);
    return {};
  }
  const Value *P = getLoadStorePointerOperand(&Inst);
  const Type *Moved = P ? getLoadStoreType(&Inst) : nullptr;
  if (!Moved || !Moved->isFPOrFPVectorTy())
    return {};
  const Value *Global = getUnderlyingObject(P);
  if (const Registration *R = Find(Global, Registration::InactiveGlobal))
    return "what goes through '" + demangle(Global->getName()) +
           "' has no derivative, for it is marked as inactive\n  the mark: " +
           placeOfMark(I, M, *R);
  return {};
}
