//===- MergeCopiesTest.cpp - which functions are one ----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Polish/MergeCopies.h"
#include "../ParsedModule.h"
#include "llvm/IR/Verifier.h"

using namespace llvm;
using namespace retrograd;

namespace {

class MergeCopies : public testing::Test {
protected:
  /// The names of the functions with a body that are left, @top aside.
  std::string left(const std::string &Text) {
    Parsed.parse(Text);
    SmallVector<Function *, 8> Fs;
    for (Function &F : *Parsed.M)
      if (!F.isDeclaration())
        Fs.push_back(&F);
    const size_t Before = Fs.size();
    const unsigned Gone =
        mergeCopies(Fs, {Parsed.M->getFunction("top"), nullptr}, Parsed.FAM);
    EXPECT_EQ(Before, Fs.size() + Gone);
    EXPECT_FALSE(verifyModule(*Parsed.M, &errs()));
    std::string Names;
    for (const Function *F : Fs)
      if (F->getName() != "top")
        Names += (Names.empty() ? "" : " ") + F->getName().str();
    return Names;
  }

  /// Whom @top calls, in order.
  std::string called() {
    std::string Names;
    for (const Instruction &I : Parsed.M->getFunction("top")->getEntryBlock())
      if (const auto *Call = dyn_cast<CallBase>(&I))
        Names += (Names.empty() ? "" : " ") +
                 Call->getCalledFunction()->getName().str();
    return Names;
  }

  ParsedModule Parsed;
};

TEST_F(MergeCopies, CallsOfEqualFunctionsLeadToOne) {
  EXPECT_EQ(left(R"(
define internal double @a(double %x) {
  %r = fmul double %x, 3.0
  ret double %r
}
define internal double @b(double %y) {
  %q = fmul double %y, 3.0
  ret double %q
}
define internal double @c(double %y) {
  %q = fmul double %y, 4.0
  ret double %q
}
define void @top() {
  %1 = call double @a(double 1.0)
  %2 = call double @b(double 1.0)
  %3 = call double @c(double 1.0)
  ret void
})"),
            "a c");
  EXPECT_EQ(called(), "a a c");
}

// Each is like its counterpart only if the other two are.
TEST_F(MergeCopies, FunctionsThatCallEachOther) {
  const char *Pair = R"(
define internal double @even.N(i32 %n, double %x) {
  %d = icmp eq i32 %n, 0
  br i1 %d, label %end, label %on
on:
  %m = sub i32 %n, 1
  %r = call double @odd.N(i32 %m, double %x)
  ret double %r
end:
  ret double %x
}
define internal double @odd.N(i32 %n, double %x) {
  %m = sub i32 %n, 1
  %r = call double @even.N(i32 %m, double %x)
  %s = fmul double %r, FACTOR
  ret double %s
}
)";
  auto Copy = [&](const char *N, const char *Factor) {
    std::string Text = Pair;
    for (auto [Name, Value] : {std::pair(".N", N), std::pair("FACTOR", Factor)})
      for (size_t At; (At = Text.find(Name)) != std::string::npos;)
        Text.replace(At, strlen(Name), Value);
    return Text;
  };
  EXPECT_EQ(left(Copy("1", "2.0") + Copy("2", "2.0") + Copy("3", "5.0") + R"(
define void @top() {
  %1 = call double @even1(i32 1, double 1.0)
  %2 = call double @even2(i32 1, double 1.0)
  %3 = call double @even3(i32 1, double 1.0)
  ret void
})"),
            "even1 odd1 even3 odd3");
  EXPECT_EQ(called(), "even1 even1 even3");
}

TEST_F(MergeCopies, RecursionIsOneself) {
  EXPECT_EQ(left(R"(
define internal double @a(double %x) {
  %r = call double @a(double %x)
  ret double %r
}
define internal double @b(double %x) {
  %r = call double @b(double %x)
  ret double %r
}
define void @top() {
  %1 = call double @a(double 1.0)
  %2 = call double @b(double 1.0)
  ret void
})"),
            "a");
}

// Scopes tell accesses of one function apart. LLVM's comparison does not look
// into them.
TEST_F(MergeCopies, ScopesOfAliases) {
  EXPECT_EQ(left(R"(
define internal void @a(ptr %p, ptr %q) {
  store double 1.0, ptr %p, !alias.scope !2
  store double 2.0, ptr %q, !noalias !2
  ret void
}
define internal void @same(ptr %p, ptr %q) {
  store double 1.0, ptr %p, !alias.scope !5
  store double 2.0, ptr %q, !noalias !5
  ret void
}
define internal void @other(ptr %p, ptr %q) {
  store double 1.0, ptr %p, !alias.scope !2
  store double 2.0, ptr %q, !noalias !5
  ret void
}
define void @top(ptr %p, ptr %q) {
  call void @a(ptr %p, ptr %q)
  call void @same(ptr %p, ptr %q)
  call void @other(ptr %p, ptr %q)
  ret void
}
!0 = distinct !{!0}
!1 = distinct !{!1, !0}
!2 = !{!1}
!3 = distinct !{!3}
!4 = distinct !{!4, !3}
!5 = !{!4}
)"),
            "a other");
}

TEST_F(MergeCopies, FunctionsThatAreHandedOn) {
  EXPECT_EQ(left(R"(
declare void @run(ptr)
define internal void @region1() {
  ret void
}
define internal void @region2() {
  ret void
}
define internal void @start1() {
  call void @run(ptr @region1)
  ret void
}
define internal void @start2() {
  call void @run(ptr @region2)
  ret void
}
define void @top() {
  call void @start1()
  call void @start2()
  ret void
})"),
            "region1 start1");
  EXPECT_EQ(called(), "start1 start1");
}

// What a table holds, and what others may see, stays.
TEST_F(MergeCopies, FunctionsInMemory) {
  EXPECT_EQ(left(R"(
@table = internal constant [1 x ptr] [ptr @b]
define internal void @a() {
  ret void
}
define internal void @b() {
  ret void
}
define void @c() {
  ret void
}
define void @top() {
  call void @a()
  call void @b()
  ret void
})"),
            "a b c");
}

TEST_F(MergeCopies, AttributesAndTypes) {
  EXPECT_EQ(left(R"(
define internal void @a(ptr %p) {
  ret void
}
define internal void @b(ptr noalias %p) {
  ret void
}
define internal void @c(i64 %p) {
  ret void
}
define void @top(ptr %p) {
  call void @a(ptr %p)
  call void @b(ptr %p)
  call void @c(i64 0)
  ret void
})"),
            "a b c");
}

} // namespace
