//===- ModuleSessionTest.cpp - from a module to its requests --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/ModuleSession.h"
#include "PassFixture.h"

using namespace llvm;
using namespace retrograd;

namespace {

struct Sessions : PassFixture {
  Options Opts;
  std::unique_ptr<ModuleSession> Session;

  EntryCalls open(const std::string &Text) {
    parse(Text);
    Session = std::make_unique<ModuleSession>(*M, MAM, Opts,
                                              DiagnosticEngine::Silent);
    return Session->requests();
  }
  bool reported(DiagId Id) { return Session->diagnostics().reported(Id); }
};

TEST_F(Sessions, equalRequestsAreAlike) {
  EntryCalls Entries = open(R"(
    @enzyme_const = external global i32
    declare double @__enzyme_autodiff(ptr, ...)
    define double @f(double %x, double %y) {
      %r = fmul double %x, %y
      ret double %r
    }
    define void @use(double %x) {
      %c = load i32, ptr @enzyme_const
      %1 = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x, i32 %c, double 2.0)
      %2 = call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %c, double %x, double 2.0)
      %3 = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double 7.0, i32 %c, double %x)
      ret void
    })");
  ASSERT_EQ(Entries.Calls.size(), 3u);
  EXPECT_TRUE(Entries.Refused.empty());
  const DerivativeRequest &R = Entries.Calls[0].Request;
  EXPECT_EQ(R.Primal, &function("f"));
  EXPECT_EQ(R.Args[0], ArgActivity::Out);
  EXPECT_EQ(R.Args[1], ArgActivity::Const);
  auto First = alike(Entries.Calls, 0);
  ASSERT_EQ(First.size(), 2u);
  EXPECT_EQ(First[1], &Entries.Calls[2]); // other values, the same request
  EXPECT_EQ(alike(Entries.Calls, 1).size(), 1u);
}

TEST_F(Sessions, innerCallsComeFirst) {
  EntryCalls Entries = open(R"(
    declare double @__enzyme_autodiff(ptr, ...)
    define double @f(double %x) {
      %r = fmul double %x, %x
      ret double %r
    }
    define double @use(double %x) {
      %d = call double (ptr, ...) @__enzyme_autodiff(ptr @slope, double %x)
      ret double %d
    }
    define double @slope(double %x) {
      %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x)
      ret double %d
    })");
  ASSERT_EQ(Entries.Calls.size(), 2u);
  EXPECT_EQ(Entries.Calls[0].Request.Primal, &function("f"));
  EXPECT_TRUE(Entries.Calls[0].Again);
  EXPECT_FALSE(Entries.Calls[1].Again);
}

TEST_F(Sessions, whatCannotBeDecodedIsTold) {
  EntryCalls Entries = open(R"(
    declare double @__enzyme_autodiff(ptr, ...)
    define double @f(double %x) { ret double %x }
    define double @use() {
      %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f)
      ret double %d
    })");
  EXPECT_TRUE(Entries.Calls.empty());
  EXPECT_EQ(Entries.Refused.size(), 1u);
}

TEST_F(Sessions, unknownFunctionsAreInactiveOnlyIfTheUserSaysSo) {
  const char *const Text = R"(
    declare double @__enzyme_autodiff(ptr, ...)
    declare double @elsewhere(double)
    define double @f(double %x) {
      %r = call double @elsewhere(double %x)
      ret double %r
    }
    define double @use(double %x) {
      %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x)
      ret double %d
    })";
  open(Text);
  EXPECT_EQ(Session->catalogue().lookupFunction(function("elsewhere")),
            nullptr);
  Opts.EmptyFunctionsInactive = true;
  open(Text);
  const OperationRecord *R =
      Session->catalogue().lookupFunction(function("elsewhere"));
  ASSERT_NE(R, nullptr);
  EXPECT_EQ(R->Class, RuleClass::Inactive);
}

// Each half has memory of its own size: any tape may come to any sweep, so only
// the least of them is there. On the host a tape is a pointer.
TEST_F(Sessions, tapesOfKernelsHaveTheLeastMemoryOfTheirHalves) {
  const std::string Text = R"(
    @enzyme_dup = external global i32
    @enzyme_tape = external global i32
    @enzyme_allocated = external global i32
    declare void @__enzyme_augmentfwd(ptr, ...)
    declare void @__enzyme_reverse(ptr, ...)
    define void @f(ptr %x) {
      %v = load double, ptr %x
      %w = fmul double %v, %v
      store double %w, ptr %x
      ret void
    }
    define void @use(ptr %x, ptr %d, ptr %t) {
      %dup = load i32, ptr @enzyme_dup
      %tape = load i32, ptr @enzyme_tape
      %allocated = load i32, ptr @enzyme_allocated
      call void (ptr, ...) @__enzyme_augmentfwd(ptr @f, i32 %allocated, i64 40, i32 %tape, ptr %t, i32 %dup, ptr %x, ptr %d)
      call void (ptr, ...) @__enzyme_reverse(ptr @f, i32 %allocated, i64 24, i32 %tape, ptr %t, i32 %dup, ptr %x, ptr %d)
      ret void
    })";
  for (bool Device : {false, true}) {
    EntryCalls Entries =
        open((Device ? "target triple = \"nvptx64-nvidia-cuda\"" : "") + Text);
    ASSERT_EQ(Entries.Calls.size(), 2u);
    EXPECT_EQ(Entries.Calls[0].OfTape.UserBytes, 40u);
    for (const EntryCall &E : Entries.Calls)
      EXPECT_EQ(E.Request.UserBytes, Device ? 24u : 0u);
  }
}

TEST_F(Sessions, stepsThatAreNeededOrUnknownCannotBeDisabled) {
  const char *const Text = "define void @nothing() { ret void }";
  Opts.DisabledSteps = {"peel-first"};
  open(Text);
  Session->reportOptions();
  EXPECT_FALSE(reported(DiagId::CannotDisable));
  for (const char *Name : {"no-such-step", "resolve-calls"}) {
    Opts.DisabledSteps = {Name};
    open(Text);
    Session->reportOptions();
    EXPECT_TRUE(reported(DiagId::CannotDisable)) << Name;
  }
}

} // namespace
