//===- UserRules.cpp - the catalogue of one module ------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entry/UserRules.h"
#include "Request/EntryCalls.h"
#include "Request/Registrations.h"
#include "Request/RuleSignature.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// All that was said of one function.
struct Said {
  Function *Augment = nullptr, *Reverse = nullptr, *Forward = nullptr,
           *ForwardAugment = nullptr;
  bool Inactive = false;
  std::string Like, LikeBy;
  std::optional<unsigned> SizeArg, FreedArg;
  Function *Deallocator = nullptr;
};

class Reader {
public:
  Reader(Module &M, DiagnosticEngine &Diags) : M(M), Diags(Diags) {}

  MapVector<Function *, Said> Functions;

  void read();
  bool report(DiagId Id, std::initializer_list<DiagArg> Args) {
    Diags.report(Id, nullptr, trail(), Args);
    return false;
  }

private:
  Module &M;
  DiagnosticEngine &Diags;

  /// Registrations have no line; the first derivative call has.
  RequestTrail trail() const {
    for (Function &F : M)
      for (Instruction &I : instructions(F))
        if (auto *Call = dyn_cast<CallBase>(&I);
            Call && functionOperandOf(*Call))
          return RequestTrail(*Call, nullptr);
    return {};
  }
  bool malformed(const Registration &R, const char *What) {
    return report(DiagId::RegistrationForm, {userName(R.Name), What});
  }
  bool readOne(const Registration &R);
};

} // namespace

/// A number given as pointer, integer, or text.
static std::optional<unsigned> numberOf(Constant *C) {
  if (!C || isa<ConstantPointerNull>(C))
    return 0;
  if (auto *CE = dyn_cast<ConstantExpr>(C); CE && CE->isCast())
    C = CE->getOperand(0);
  if (auto *I = dyn_cast<ConstantInt>(C))
    return I->getZExtValue() < 64 ? std::optional<unsigned>(I->getZExtValue())
                                  : std::nullopt;
  unsigned N;
  if (StringRef Text = registeredText(C);
      !Text.empty() && !Text.getAsInteger(10, N))
    return N;
  return std::nullopt;
}

bool Reader::readOne(const Registration &R) {
  if (R.K == Registration::NoEffect || R.K == Registration::InactiveGlobal)
    return true;
  auto *F = dyn_cast_or_null<Function>(R.Of);
  if (!F)
    return malformed(R, "an array that starts with a function");
  auto FunctionAt = [&](unsigned I) {
    return I < R.Operands.size() ? registeredFunction(R.Operands[I]) : nullptr;
  };
  unsigned N = R.Operands.size();
  Said &S = Functions[F];
  switch (R.K) {
  case Registration::Augment:
    S.Augment = FunctionAt(0);
    return S.Augment || malformed(R, "followed by the augmented function");
  case Registration::Gradient:
    if (!R.InGlobal) {
      S.Reverse = FunctionAt(0);
      return S.Reverse || malformed(R, "followed by the gradient function");
    }
    if (N > 2 && registeredText(R.Operands[2]).starts_with("byref_"))
      return malformed(R, "without 'byref_': a function that takes a pointer "
                          "has a shadow for it");
    if (N != 2 || !FunctionAt(0) || !FunctionAt(1))
      return malformed(R, "three functions: the function, its augmented "
                          "function and its gradient");
    S.Augment = FunctionAt(0);
    S.Reverse = FunctionAt(1);
    return true;
  case Registration::Derivative:
    S.Forward = FunctionAt(0);
    S.ForwardAugment = nullptr;
    return (S.Forward && N == 1) ||
           malformed(R, "two functions: the function and its derivative");
  case Registration::SplitDerivative:
    if (N != 2 || !FunctionAt(0) || !FunctionAt(1))
      return malformed(R, "three functions: the function, its augmented "
                          "function and its derivative");
    // A rule without a tape is the better one.
    if (!S.Forward) {
      S.ForwardAugment = FunctionAt(0);
      S.Forward = FunctionAt(1);
    }
    return true;
  case Registration::Inactive:
    S.Inactive = true;
    return true;
  case Registration::FunctionLike:
    S.Like = N ? registeredText(R.Operands[0]).str() : "";
    S.LikeBy = R.Name;
    return !S.Like.empty() ||
           malformed(
               R,
               "a function and the name of one that is known: {f, \"log1p\"}");
  case Registration::AllocationLike: {
    StringRef Freed = N > 1 ? registeredText(R.Operands[1]) : "";
    S.SizeArg = N ? numberOf(R.Operands[0]) : std::nullopt;
    S.Deallocator = FunctionAt(N > 2 ? 2 : 1);
    if (!S.SizeArg || !S.Deallocator || (N > 2 && Freed != "-1"))
      return malformed(R, "a function, the number of its size operand (from "
                          "0), \"-1\" and the function "
                          "that frees what it returned");
    return true;
  }
  case Registration::Allocator:
    S.SizeArg = N ? numberOf(R.Operands[0]) : 0;
    return S.SizeArg ||
           malformed(R, "followed by the number of its size operand");
  case Registration::Deallocator:
    S.FreedArg = N ? numberOf(R.Operands[0]) : 0;
    return S.FreedArg ||
           malformed(R, "followed by the number of the operand that is freed");
  case Registration::DeallocatorFunction:
    S.Deallocator = FunctionAt(0);
    return S.Deallocator || malformed(R, "followed by a function");
  case Registration::NoEffect:
  case Registration::InactiveGlobal:
    break;
  }
  return true;
}

void Reader::read() {
  for (const Registration &R : collectRegistrations(M))
    readOne(R);
}

ModuleCatalogue::ModuleCatalogue(Module &M, DiagnosticEngine &Diags) {
  Reader All(M, Diags);
  All.read();
  for (auto &[F, S] : All.Functions) {
    auto Wrong = [&](const RuleMismatch &W) {
      All.report(DiagId::RuleSignature, {DiagArg(W.F), DiagArg(F), W.Expected});
    };
    if (S.Augment && !S.Reverse)
      All.report(DiagId::RegistrationForm,
                 {"enzyme_augment", "accompanied by enzyme_gradient"});
    if (S.Reverse && !S.Augment)
      All.report(DiagId::RegistrationForm,
                 {"enzyme_gradient", "accompanied by enzyme_augment"});
    bool InReverse = S.Augment && S.Reverse, InForward = S.Forward;
    if (InReverse || InForward) {
      if (const char *Why = cannotHaveRule(*F)) {
        All.report(DiagId::RuleImpossible, {DiagArg(F), Why});
        continue;
      }
      GivenDerivatives &G = Given.emplace_back();
      RuleSignature Signature;
      Signature.Primal = F;
      if (InReverse) {
        G.Augment = S.Augment;
        G.Reverse = S.Reverse;
        if (auto W = readReverseRule(Signature, *S.Augment, *S.Reverse))
          Wrong(*W);
        G.AugmentGivesPrimal = Signature.Augment.PrimalAt.has_value();
      }
      if (InForward) {
        G.Forward = S.Forward;
        G.ForwardAugment = S.ForwardAugment;
        if (auto W = readForwardRule(Signature, S.ForwardAugment, *S.Forward))
          Wrong(*W);
        G.ForwardGivesPrimal =
            Signature.Forward.PrimalAt || Signature.ForwardAugment.PrimalAt;
      }
      if (Diags.reported(DiagId::RuleSignature))
        continue;
      // Where there is no rule for a mode, the body is differentiated.
      bool NoBody = F->isDeclaration();
      OperationRecord R;
      R.Id = "rule";
      R.Class = RuleClass::Rule;
      R.Given = &G;
      R.OfUser = true;
      Cat.declare(*F, R, InForward || NoBody, InReverse || NoBody);
      continue;
    }
    if (S.Inactive) {
      OperationRecord R;
      R.Id = "inactive";
      R.Class = RuleClass::Inactive;
      R.OfUser = true;
      Cat.declare(*F, R, true, true);
    } else if (!S.Like.empty()) {
      if (const OperationRecord *R = Cat.named(S.Like, F->getFunctionType()))
        Cat.declare(*F, *R, true, true);
      else
        All.report(DiagId::RegistrationForm,
                   {userName(S.LikeBy), "followed by the name of a known "
                                        "function of the same type, and '" +
                                            S.Like + "' is none"});
    } else if (S.SizeArg) {
      if (!F->getReturnType()->isPointerTy() || *S.SizeArg >= F->arg_size() ||
          !F->getArg(*S.SizeArg)->getType()->isIntegerTy()) {
        All.report(DiagId::RegistrationForm,
                   {DiagArg(F), "a function that returns a pointer, and its "
                                "size operand an integer"});
        continue;
      }
      OperationRecord R;
      R.Id = "allocation";
      R.Class = RuleClass::Allocation;
      R.SizeArgs = SizeArgs.emplace_back(1, *S.SizeArg);
      R.Deallocator = S.Deallocator ? S.Deallocator->getName() : "free";
      Cat.declare(*F, R, true, true);
      if (S.Deallocator && !All.Functions.contains(S.Deallocator) &&
          S.Deallocator->arg_size() == 1 &&
          S.Deallocator->getArg(0)->getType()->isPointerTy()) {
        OperationRecord Free;
        Free.Id = "deallocation";
        Free.Class = RuleClass::Deallocation;
        Cat.declare(*S.Deallocator, Free, true, true);
      }
    } else if (S.FreedArg) {
      OperationRecord R;
      R.Id = "deallocation";
      R.Class = RuleClass::Deallocation;
      R.FreedArg = *S.FreedArg;
      if (*S.FreedArg < F->arg_size() &&
          F->getArg(*S.FreedArg)->getType()->isPointerTy())
        Cat.declare(*F, R, true, true);
    }
  }
}

void ModuleCatalogue::silenceUnknown(Module &M) {
  for (Function &F : M) {
    if (!F.isDeclaration() || F.isIntrinsic() || isEntryPoint(F) ||
        Cat.lookupFunction(F))
      continue;
    OperationRecord R;
    R.Id = "inactive";
    R.Class = RuleClass::Inactive;
    R.OfUser = true;
    Cat.declare(F, R, true, true);
  }
}
