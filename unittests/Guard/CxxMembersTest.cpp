//===- CxxMembersTest.cpp - what names of C++ say -------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard/CxxMembers.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace retrograd;

TEST(CxxMembers, parts) {
  auto Parts = parts("pair<int, map<int, double>, array<int, (3)> >");
  ASSERT_EQ(Parts.size(), 3u);
  EXPECT_EQ(Parts[0], "int");
  EXPECT_EQ(Parts[1], "map<int, double>");
  EXPECT_EQ(Parts[2], "array<int, (3)>");
  EXPECT_EQ(parts("(long, body&)").size(), 2u);
  EXPECT_TRUE(parts("()").empty());
  EXPECT_TRUE(parts("plain").empty());
}

// struct range { range(range &, split); bool empty() const; ~range(); void
// operator()(int); }; and two overloads of a member.
static const char *const Program = R"(
  define void @_ZN5rangeC2ERS_5split(ptr %this, ptr %other) { ret void }
  define void @_ZN5rangeC1ERS_5split(ptr %this, ptr %other) { ret void }
  define zeroext i1 @_ZNK5range5emptyEv(ptr %this) { ret i1 true }
  define void @_ZN5rangeD2Ev(ptr %this) { ret void }
  define void @_ZN5rangeclEi(ptr %this, i32 %i) { ret void }
  define void @_ZN5range4joinERS_(ptr %this, ptr %other) { ret void }
  define void @_ZN5range4joinERK4body(ptr %this, ptr %other) { ret void }
  define void @plain(ptr %this) { ret void }
)";

TEST(CxxMembers, cxxNameIn) {
  auto Of = [](StringRef Text) {
    std::optional<CxxName> N = cxxNameIn(Text);
    return N ? N->Class + " | " + N->Base + " | " + N->Params + " | " +
                   N->Whole + (N->IsStructor ? " | structor" : "")
             : "none";
  };
  EXPECT_EQ(Of("n::c<n::d<int>, (n::e)0>::run(n::c<int>&, "
               "f(int)::{lambda(auto:1)#1})"),
            "n::c<n::d<int>, (n::e)0> | run | (n::c<int>&, "
            "f(int)::{lambda(auto:1)#1}) | "
            "n::c<n::d<int>, (n::e)0>::run");
  EXPECT_EQ(Of("auto f(double*)::$_0::operator()<int>(int) "
               "const::{lambda(auto:1)#1}::"
               "operator()<long>(long) const"),
            "f(double*)::$_0::operator()<int>(int) const::{lambda(auto:1)#1} | "
            "operator() | "
            "(long) | f(double*)::$_0::operator()<int>(int) "
            "const::{lambda(auto:1)#1}::operator()<long>");
  EXPECT_EQ(Of("void n::(anonymous namespace)::f<int>(int)"),
            "n::(anonymous namespace) | f | (int) | n::(anonymous "
            "namespace)::f<int>");
  EXPECT_EQ(Of("n::c<a(b)>::c(n::c<a(b)> const&)"),
            "n::c<a(b)> | c | (n::c<a(b)> const&) | n::c<a(b)>::c | structor");
  EXPECT_EQ(Of("n::c::~c()"), "n::c | ~c | () | n::c::~c | structor");
  EXPECT_EQ(Of("bool n::operator< <int>(n::c<int> const&, int)"),
            "n | operator< | (n::c<int> const&, int) | n::operator< <int>");
  EXPECT_EQ(Of("n::c::operator->() const"),
            "n::c | operator-> | () | n::c::operator->");
  EXPECT_EQ(Of("f(int)"), " | f | (int) | f");
  EXPECT_EQ(Of("f(int)::x"), "none");
  EXPECT_EQ(Of("vtable for n::c"), "none");
}

TEST(CxxMembers, find) {
  LLVMContext Context;
  SMDiagnostic Error;
  std::unique_ptr<Module> M = parseAssemblyString(Program, Error, Context);
  ASSERT_TRUE(M) << Error.getMessage().str();
  EXPECT_FALSE(demangle(*M->getFunction("plain")));
  CxxMembers All(*M);
  auto Any = [](StringRef) { return true; };
  EXPECT_EQ(All.find("range", "empty", 1, Any),
            M->getFunction("_ZNK5range5emptyEv"));
  EXPECT_EQ(All.find("range", "empty", 2, Any), nullptr);
  EXPECT_EQ(All.find("body", "empty", 1, Any), nullptr);
  // Two members are called so: the parameters tell, or nobody knows.
  EXPECT_EQ(All.find("range", "join", 2, Any), nullptr);
  EXPECT_EQ(All.find("range", "join", 2,
                     [](StringRef Params) { return Params == "(range&)"; }),
            M->getFunction("_ZN5range4joinERS_"));
  // A constructor has two names, and either will do.
  Function *Split = All.find("range", "", 2, [](StringRef Params) {
    return Params == "(range&, split)";
  });
  ASSERT_TRUE(Split);
  EXPECT_TRUE(Split->getName().starts_with("_ZN5rangeC"));
  EXPECT_EQ(All.destructor("range"), M->getFunction("_ZN5rangeD2Ev"));
  EXPECT_EQ(All.findCallable("range"), M->getFunction("_ZN5rangeclEi"));
}
