//===- ThreadIdentityTest.cpp - what a thread asks of itself --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Catalogue/ThreadIdentity.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// What the only call of a function asks that calls Name.
std::optional<ThreadIdentity> asked(const std::string &Name) {
  LLVMContext Context;
  SMDiagnostic Error;
  std::unique_ptr<Module> M = parseAssemblyString(
      "declare i32 @" + Name + "()\ndefine i32 @f() {\n  %r = call i32 @" +
          Name + "()\n  ret i32 %r\n}\n",
      Error, Context);
  EXPECT_TRUE(M) << Error.getMessage().str();
  for (Instruction &I : instructions(*M->getFunction("f")))
    if (auto *C = dyn_cast<CallBase>(&I))
      return ThreadIdentity::of(*C);
  return std::nullopt;
}

TEST(ThreadIdentityTest, TellsQuestionsAndAxesApart) {
  const std::pair<const char *, ThreadIdentity::Question> All[] = {
      {"llvm.nvvm.read.ptx.sreg.tid.", ThreadIdentity::ThreadIndex},
      {"llvm.nvvm.read.ptx.sreg.ctaid.", ThreadIdentity::BlockIndex},
      {"llvm.nvvm.read.ptx.sreg.ntid.", ThreadIdentity::BlockSize},
      {"llvm.nvvm.read.ptx.sreg.nctaid.", ThreadIdentity::GridSize},
      {"llvm.amdgcn.workitem.id.", ThreadIdentity::ThreadIndex},
      {"llvm.amdgcn.workgroup.id.", ThreadIdentity::BlockIndex}};
  for (auto [Name, Question] : All)
    for (unsigned Axis = 0; Axis != 3; ++Axis) {
      std::optional<ThreadIdentity> Who =
          asked(std::string(Name) + char('x' + Axis));
      ASSERT_TRUE(Who) << Name;
      EXPECT_EQ(*Who, (ThreadIdentity{Question, Axis})) << Name;
      EXPECT_EQ(Who->isSameInBlock(), Question != ThreadIdentity::ThreadIndex);
    }
}

TEST(ThreadIdentityTest, OtherCallsAskNothing) {
  EXPECT_FALSE(asked("llvm.nvvm.read.ptx.sreg.laneid"));
  EXPECT_FALSE(asked("llvm.nvvm.read.ptx.sreg.warpsize"));
  // A function of the user's whose name looks like one.
  EXPECT_FALSE(asked("my.ctaid.x"));
}

} // namespace
