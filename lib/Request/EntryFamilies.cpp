//===- EntryFamilies.cpp - calls that ask for no derivative ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Request/EntryFamilies.h"
#include "Request/EntryPoints.h"

using namespace llvm;
using namespace retrograd;

InactiveCall retrograd::inactiveCallOf(const CallBase &Call) {
  const Function *Callee = entryCallee(Call);
  const EntryPointName *Entry =
      Callee ? entryPointOf(Callee->getName()) : nullptr;
  switch (Entry ? Entry->Role : EntryRole::NotYet) {
  case EntryRole::CallInactive:
    return InactiveCall::CallInactive;
  case EntryRole::IgnoreDerivatives:
    return InactiveCall::IgnoreDerivatives;
  default:
    return InactiveCall::None;
  }
}

std::optional<Hint> retrograd::hintOf(const CallBase &Call) {
  const Function *Callee = entryCallee(Call);
  const EntryPointName *Entry =
      Callee ? entryPointOf(Callee->getName()) : nullptr;
  if (!Entry || Entry->Role != EntryRole::Hint)
    return std::nullopt;
#define HINT(Symbol, Says, Holds, Bytes)                                       \
  if (Entry->Name == (Symbol))                                                 \
    return Hint{Hint::Says, Holds, Bytes};
#include "Request/EntryPoints.def"
  return std::nullopt;
}

PrecisionCall retrograd::precisionCallOf(const CallBase &Call) {
  const Function *Callee = entryCallee(Call);
  const EntryPointName *Entry =
      Callee ? entryPointOf(Callee->getName()) : nullptr;
  switch (Entry ? Entry->Role : EntryRole::NotYet) {
  case EntryRole::TruncateMemory:
    return PrecisionCall::MemoryOf;
  case EntryRole::TruncateOperations:
    return PrecisionCall::OperationsOf;
  case EntryRole::TruncateValue:
    return PrecisionCall::TruncateValue;
  case EntryRole::ExpandValue:
    return PrecisionCall::ExpandValue;
  default:
    return PrecisionCall::None;
  }
}

bool retrograd::makesView(const CallBase &Call) {
  const Function *Callee = entryCallee(Call);
  const EntryPointName *Entry =
      Callee ? entryPointOf(Callee->getName()) : nullptr;
  return Entry && Entry->Role == EntryRole::View;
}

FoldCall retrograd::foldCallOf(const CallBase &Call) {
  const Function *Callee = entryCallee(Call);
  const EntryPointName *Entry =
      Callee ? entryPointOf(Callee->getName()) : nullptr;
  switch (Entry ? Entry->Role : EntryRole::NotYet) {
  case EntryRole::Sum:
    return FoldCall::Sum;
  case EntryRole::Product:
    return FoldCall::Product;
  default:
    return FoldCall::None;
  }
}

bool retrograd::isItsArgument(const Function &F) {
  if (!isEntryPoint(F))
    return false;
  const EntryPointName *Entry = entryPointOf(F.getName());
  return Entry && Entry->Role == EntryRole::Itself;
}

bool retrograd::isTapeSizeCall(const CallBase &Call) {
  const Function *Callee = entryCallee(Call);
  const EntryPointName *Entry =
      Callee ? entryPointOf(Callee->getName()) : nullptr;
  return Entry && Entry->Role == EntryRole::TapeSize;
}
