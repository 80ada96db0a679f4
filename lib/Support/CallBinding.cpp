//===- CallBinding.cpp - how often a call runs its callee -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/CallBinding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;
using namespace retrograd;

static constexpr StringLiteral BindingAttribute = "rg-binding";
static constexpr StringLiteral PoolAttribute = "rg-pool";

StringRef retrograd::nameOf(CallBinding B) {
  switch (B) {
  case CallBinding::Once:
    return "once";
  case CallBinding::Team:
    return "team";
  case CallBinding::Thread:
    return "thread";
  case CallBinding::Task:
    return "task";
  }
  llvm_unreachable("covered switch");
}

CallBinding retrograd::bindingOf(const Function &F) {
  if (!F.hasFnAttribute(BindingAttribute))
    return CallBinding::Once;
  const StringRef Name = F.getFnAttribute(BindingAttribute).getValueAsString();
  for (CallBinding B :
       {CallBinding::Team, CallBinding::Thread, CallBinding::Task})
    if (Name == nameOf(B))
      return B;
  return CallBinding::Once;
}

void retrograd::bind(Function &F, CallBinding B) {
  if (B == CallBinding::Once)
    F.removeFnAttr(BindingAttribute);
  else
    F.addFnAttr(BindingAttribute, nameOf(B));
}

void retrograd::bindToPool(Function &F) {
  bind(F, CallBinding::Team);
  F.addFnAttr(PoolAttribute);
}

bool retrograd::runsInPool(const Function &F) {
  return F.hasFnAttribute(PoolAttribute);
}

bool retrograd::forksPools(const Module &M) { return any_of(M, runsInPool); }
