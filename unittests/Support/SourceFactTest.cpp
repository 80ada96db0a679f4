//===- SourceFactTest.cpp -------------------------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/SourceFact.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Utils/Local.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// Two loads of one place, and two copies.
struct Accesses : testing::Test {
  LLVMContext Ctx;
  SMDiagnostic Error;
  std::unique_ptr<Module> M = parseAssemblyString(R"(
    define void @f(ptr %d, ptr %s) {
      %a = load i64, ptr %s
      %b = load i64, ptr %s
      call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 24, i1 false), !rg.layout !0
      call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 24, i1 false), !rg.layout !1
      ret void
    }
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
    !0 = !{!"0:f64,8:p,16:i32", i64 24}
    !1 = !{i64 24})",
                                                  Error, Ctx);
  Instruction &at(unsigned N) {
    return *std::next(M->getFunction("f")->getEntryBlock().begin(), N);
  }
};

} // namespace

TEST_F(Accesses, FactsHaveDifferentMetadata) {
  StringSet<> Names;
#define SOURCE_FACT(Id, Metadata)                                              \
  EXPECT_TRUE(Names.insert(metadataOf(SourceFact::Id)).second);
#include "Support/SourceFacts.def"
}

TEST_F(Accesses, OneFactSaysNothingOfAnother) {
  noteFact(at(0), SourceFact::Characters);
  EXPECT_TRUE(hasFact(at(0), SourceFact::Characters));
  EXPECT_FALSE(hasFact(at(0), SourceFact::Steps));
  EXPECT_FALSE(hasFact(at(1), SourceFact::Characters));
}

TEST_F(Accesses, IntegersAreDeclaredOrNot) {
  EXPECT_EQ(declaredInteger(at(0)), std::nullopt);
  noteInteger(at(0), /*Declared=*/false);
  EXPECT_EQ(declaredInteger(at(0)), false);
  noteInteger(at(0), /*Declared=*/true);
  EXPECT_EQ(declaredInteger(at(0)), true);
}

TEST_F(Accesses, LayoutsAreReadAsTheyWereWritten) {
  auto Layout = layoutFact(at(2), SourceFact::Layout);
  ASSERT_TRUE(Layout);
  EXPECT_EQ(Layout->Members, "0:f64,8:p,16:i32");
  EXPECT_EQ(Layout->Period, 24);
  EXPECT_FALSE(layoutFact(at(2), SourceFact::Elements));
  noteLayout(at(2), SourceFact::Elements, {"0:f32", 4});
  EXPECT_EQ(layoutFact(at(2), SourceFact::Elements)->Members, "0:f32");
  EXPECT_EQ(layoutFact(at(2), SourceFact::Layout)->Period, 24);
}

// IR may come from a file.
TEST_F(Accesses, AMalformedLayoutIsNone) {
  EXPECT_FALSE(layoutFact(at(3), SourceFact::Layout));
}

// What LLVM does when it makes one access of two: a fact of one of them is not
// known of both.
TEST_F(Accesses, MergedAccessesLoseTheFactOfOne) {
  noteInteger(at(1), /*Declared=*/true);
  combineMetadataForCSE(&at(0), &at(1), /*DoesKMove=*/false);
  EXPECT_EQ(declaredInteger(at(0)), std::nullopt);
}

TEST_F(Accesses, ModulesHaveFacts) {
  EXPECT_FALSE(hasFact(*M, SourceFact::CopiesBits));
  noteFact(*M, SourceFact::CopiesBits);
  EXPECT_TRUE(hasFact(*M, SourceFact::CopiesBits));
}
