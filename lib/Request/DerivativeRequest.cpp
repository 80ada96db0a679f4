//===- DerivativeRequest.cpp - what is to be differentiated, and how ------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Request/DerivativeRequest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

Type *DerivativeRequest::resultType() const {
  LLVMContext &Context = Primal->getContext();
  Type *PrimalType = Primal->getReturnType();
  bool ReturnsPrimal = ReturnPrimal && !PrimalType->isVoidTy();
  SmallVector<Type *, 8> Members;

  switch (Mode) {
  case DerivativeMode::Forward:
    if (ReturnsPrimal)
      Members.push_back(PrimalType);
    if (ActiveReturn)
      Members.append(Width, PrimalType);
    break;
  case DerivativeMode::Batch:
    if (!PrimalType->isVoidTy())
      Members.append(Width, PrimalType);
    break;
  case DerivativeMode::Augment:
    Members.push_back(PointerType::getUnqual(Context));
    if (ReturnsPrimal)
      Members.push_back(PrimalType);
    if (ShadowReturn)
      Members.append(Width, PrimalType);
    break;
  case DerivativeMode::ReverseJoint:
    if (ReturnsPrimal)
      Members.push_back(PrimalType);
    [[fallthrough]];
  case DerivativeMode::Sweep:
    for (const Argument &A : Primal->args())
      if (Args[A.getArgNo()] == ArgActivity::Out)
        Members.append(Width, A.getType());
    break;
  }
  if (Members.empty())
    return Type::getVoidTy(Context);
  return StructType::get(Context, Members);
}

FunctionType *DerivativeRequest::functionType() const {
  assert(Args.size() == Primal->arg_size() && "one activity per parameter");
  SmallVector<Type *, 16> Parameters;
  bool TakesTape = Mode == DerivativeMode::Sweep ||
                   (Mode == DerivativeMode::Forward && FromTape);
  if (TakesTape)
    Parameters.push_back(PointerType::getUnqual(Primal->getContext()));
  const bool IsSweep = Mode == DerivativeMode::Sweep;
  if (!IsSweep || UserBytes || ArgsAgain) {
    for (const Argument &A : Primal->args()) {
      if (IsSweep && ArgsAgain && !takesAgain(A))
        continue;
      ArgActivity Activity = Args[A.getArgNo()];
      bool HasLanes =
          Activity == ArgActivity::Dup || Activity == ArgActivity::DupNoNeed;
      if (IsSweep ? ArgsAgain : (Mode != DerivativeMode::Batch || !HasLanes))
        Parameters.push_back(A.getType());
      if (HasLanes)
        Parameters.append(Width, A.getType());
    }
  }
  bool TakesSeed = IsSweep || Mode == DerivativeMode::ReverseJoint;
  if (TakesSeed && ActiveReturn)
    Parameters.append(Width, Primal->getReturnType());
  return FunctionType::get(resultType(), Parameters, /*isVarArg=*/false);
}

void DerivativeRequest::print(raw_ostream &OS) const {
  OS << spelling(Mode) << " ";
  if (Width != 1)
    OS << "x" << Width << " ";
  if (Dependencies)
    OS << "dependencies of ";
  if (ErrorEstimate)
    OS << "errors of ";
  if (ManySweeps)
    OS << "many times ";
  if (UserBytes)
    OS << "with a tape of " << UserBytes << " bytes ";
  if (ArgsAgain)
    OS << "with arguments again ";
  if (FromTape)
    OS << (Mode == DerivativeMode::Forward ? "from a tape "
                                           : "for forward mode ");
  OS << Primal->getName() << "(";
  for (unsigned I = 0; I < Args.size(); ++I)
    OS << (I ? ", " : "")
       << (is_contained(Seeds, I) ? "seed" : spelling(Args[I]));
  OS << ")";
  if (ActiveReturn || ReturnPrimal || ShadowReturn) {
    OS << " ->";
    if (ReturnPrimal)
      OS << " primal";
    if (ActiveReturn)
      OS << " active";
    if (ShadowReturn)
      OS << " shadow";
  }
}

DerivativeRequest retrograd::augmentOf(const DerivativeRequest &R) {
  DerivativeRequest A;
  A.Primal = R.Primal;
  A.Mode = DerivativeMode::Augment;
  A.Args.assign(R.Args.size(), ArgActivity::Const);
  A.ReturnPrimal = !R.Primal->getReturnType()->isVoidTy();
  A.FromTape = true;
  return A;
}

StringRef retrograd::spelling(ArgActivity A) {
  switch (A) {
  case ArgActivity::Const:
    return "const";
  case ArgActivity::Out:
    return "out";
  case ArgActivity::Dup:
    return "dup";
  case ArgActivity::DupNoNeed:
    return "dupnoneed";
  }
  llvm_unreachable("covered switch");
}

StringRef retrograd::spelling(DerivativeMode M) {
  switch (M) {
  case DerivativeMode::Forward:
    return "forward";
  case DerivativeMode::ReverseJoint:
    return "reverse";
  case DerivativeMode::Augment:
    return "augment";
  case DerivativeMode::Sweep:
    return "sweep";
  case DerivativeMode::Batch:
    return "batch";
  }
  llvm_unreachable("covered switch");
}
