//===- Refusal.cpp - the messages of refusals -----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics/Refusal.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "llvm/IR/Function.h"

using namespace llvm;
using namespace retrograd;

void retrograd::tell(const Refusal &R, bool Forward,
                     function_ref<void(DiagId, ArrayRef<DiagArg>)> Tell) {
  auto Say = [&](DiagId Id, std::initializer_list<DiagArg> Args) {
    Tell(Id, ArrayRef<DiagArg>(Args.begin(), Args.size()));
  };
  switch (R.Kind) {
  case RefusalKind::NoBody:
    Say(DiagId::CallWithoutBody, {userName(R.Detail)});
    break;
  case RefusalKind::RuleWithoutResult:
    Say(DiagId::RuleWithoutResult, {userName(R.Detail)});
    break;
  case RefusalKind::RuleOfOneLane:
    Say(DiagId::RuleOfOneLane, {userName(R.Detail)});
    break;
  case RefusalKind::RuleOfOtherMode:
    Say(DiagId::RuleOfOtherMode,
        {userName(R.Detail), Forward ? "forward" : "reverse",
         Forward ? "__enzyme_register_derivative"
                 : "__enzyme_register_gradient"});
    break;
  case RefusalKind::IndirectCall:
    Say(DiagId::IndirectCall, {R.Detail});
    break;
  case RefusalKind::InlineAsm:
    Say(DiagId::InlineAssembly, {R.Detail});
    break;
  case RefusalKind::UnknownType:
    Say(DiagId::TypeUnknown,
        {userName(R.At->getFunction()->getName()), R.Detail});
    break;
  case RefusalKind::Format:
    Say(DiagId::NumberFormat, {R.Detail});
    break;
  case RefusalKind::Instruction:
    if (R.At->isAtomic())
      Say(DiagId::AtomicOperation, {R.Detail});
    else
      Say(DiagId::UnsupportedInstruction, {R.At->getOpcodeName(), R.Detail});
    break;
  case RefusalKind::Unshadowed:
    Say(DiagId::ShadowNotAvailable, {R.Detail});
    break;
  case RefusalKind::NoErrorBound:
    Say(DiagId::ErrorEstimateRefused,
        {userName(R.At->getFunction()->getName()), R.Detail});
    break;
  case RefusalKind::ExceptionPath:
    Say(DiagId::ExceptionPath, {});
    break;
  case RefusalKind::VarArg:
    Say(DiagId::VariadicCall, {userName(R.Detail)});
    break;
  case RefusalKind::Device:
    Say(DiagId::DeviceOperation, {R.Detail});
    break;
  case RefusalKind::Threads:
    Say(DiagId::ParallelConstruct, {R.Detail});
    break;
  case RefusalKind::Launch:
    Say(DiagId::HostLaunch, {R.Detail});
    break;
  case RefusalKind::Seed:
    Say(DiagId::SeedNotKept, {R.Detail});
    break;
  case RefusalKind::FromTape:
    Say(DiagId::ForwardFromTape,
        {userName(R.At->getFunction()->getName()), R.Detail});
    break;
  case RefusalKind::Memory:
    Say(DiagId::TapeTooLarge,
        {userName(R.At->getFunction()->getName()), R.Detail});
    break;
  case RefusalKind::ControlFlow:
    Say(DiagId::UnsupportedControlFlow, {R.Detail});
    break;
  }
}
