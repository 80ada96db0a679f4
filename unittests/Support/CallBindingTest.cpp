//===- CallBindingTest.cpp ------------------------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/CallBinding.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace retrograd;

TEST(CallBinding, WhatWasBoundIsRead) {
  LLVMContext Ctx;
  Module M("m", Ctx);
  Function *F = Function::Create(FunctionType::get(Type::getVoidTy(Ctx), false),
                                 GlobalValue::InternalLinkage, "f", M);
  EXPECT_EQ(bindingOf(*F), CallBinding::Once);
  for (CallBinding B : {CallBinding::Team, CallBinding::Thread,
                        CallBinding::Task, CallBinding::Once}) {
    bind(*F, B);
    EXPECT_EQ(bindingOf(*F), B);
    EXPECT_EQ(runsElsewhere(*F), B != CallBinding::Once);
    EXPECT_EQ(startsWork(*F),
              B == CallBinding::Thread || B == CallBinding::Task);
  }
  EXPECT_FALSE(F->hasFnAttribute("rg-binding"));
}

// Attributes of a region's own function are copied to the functions that run
// it; the binding is copied with them and replaced.
TEST(CallBinding, ALaterBindingReplacesAnEarlierOne) {
  LLVMContext Ctx;
  Module M("m", Ctx);
  Function *F = Function::Create(FunctionType::get(Type::getVoidTy(Ctx), false),
                                 GlobalValue::InternalLinkage, "f", M);
  bind(*F, CallBinding::Team);
  bind(*F, CallBinding::Task);
  EXPECT_EQ(bindingOf(*F), CallBinding::Task);
}
