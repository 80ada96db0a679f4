//===- LaterWritesTest.cpp - what changes after a call has returned -------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/LaterWrites.h"
#include "../ParsedModule.h"
#include "Analysis/ProgramFacts.h"
#include "Catalogue/Catalogue.h"
#include "Support/CallBinding.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueSymbolTable.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// A program whose functions are all prepared; @f is the root.
class Program : public ParsedModule {
public:
  explicit Program(
      const std::string &Text,
      function_ref<void(Module &)> Change = [](Module &) {}) {
    parse(Text);
    Change(*M);
    SmallVector<Function *, 8> Graph{M->getFunction("f")};
    for (Function &F : *M)
      if (!F.isDeclaration() && F.getName() != "f")
        Graph.push_back(&F);
    Facts = std::make_unique<ProgramFacts>(
        Graph,
        [](const Function *Of) {
          return Of->isDeclaration() ? nullptr : const_cast<Function *>(Of);
        },
        Cat);
  }
  /// The root's variable Name may change when a call of Callee has returned.
  bool changes(StringRef Name, StringRef Callee) const {
    return Facts->isAmong(object(Name, "f"),
                          Facts->later().after(*M->getFunction(Callee)));
  }
  bool owns(StringRef Callee, StringRef Name) const {
    return Facts->later()
        .own(*M->getFunction(Callee))
        .test(object(Name, Callee));
  }

  Catalogue Cat;
  std::unique_ptr<ProgramFacts> Facts;

private:
  TypeAnalysis::ObjectId object(StringRef Name, StringRef In) const {
    return Facts->types().objectOf(
        M->getFunction(In)->getValueSymbolTable()->lookup(Name));
  }
};

const std::string Callee = R"(
  define void @use(ptr %p) {
    %x = load i64, ptr %p
    ret void
  }
  define void @set(ptr %p) {
    store i64 1, ptr %p
    ret void
  }
  define void @uses(ptr %p) {
    call void @use(ptr %p)
    ret void
  }
)";

} // namespace

TEST(LaterWrites, WhatRunsBehindTheCall) {
  Program P(Callee + R"(
    define void @f() {
      %before = alloca i64
      %behind = alloca i64
      store i64 1, ptr %before
      store i64 1, ptr %behind
      call void @use(ptr %before)
      call void @set(ptr %behind)
      ret void
    })");
  EXPECT_FALSE(P.changes("before", "use"));
  EXPECT_TRUE(P.changes("behind", "use"));
  EXPECT_FALSE(P.changes("behind", "set"));
  EXPECT_FALSE(P.changes("behind", "f"));
}

TEST(LaterWrites, ALoopIsBehindItsCalls) {
  Program P(Callee + R"(
    define void @f(i1 %c) {
      %table = alloca i64
      %state = alloca i64
      store i64 1, ptr %table
      br label %loop
    loop:
      store i64 2, ptr %state
      br label %rest
    rest:
      call void @use(ptr %table)
      br i1 %c, label %loop, label %exit
    exit:
      ret void
    })");
  EXPECT_FALSE(P.changes("table", "use"));
  EXPECT_TRUE(P.changes("state", "use"));
}

TEST(LaterWrites, OfTwoWaysEachIsBehindItself) {
  Program P(Callee + R"(
    define void @two(ptr %p, ptr %q) {
      %y = load i64, ptr %q
      call void @use(ptr %p)
      ret void
    }
    define void @f(i1 %c) {
      %a = alloca i64
      %b = alloca i64
      br i1 %c, label %one, label %other
    one:
      call void @use(ptr %a)
      store i64 1, ptr %a
      ret void
    other:
      call void @two(ptr %a, ptr %b)
      store i64 1, ptr %b
      ret void
    })");
  EXPECT_TRUE(P.changes("a", "use"));
  EXPECT_FALSE(P.changes("a", "two"));
  EXPECT_TRUE(P.changes("b", "two"));
  EXPECT_TRUE(P.changes("b", "use")); // which @two calls
}

TEST(LaterWrites, CallersOfCallersCount) {
  Program P(Callee + R"(
    define void @deep(ptr %p) {
      call void @uses(ptr %p)
      ret void
    }
    define void @f() {
      %a = alloca i64
      %b = alloca i64
      call void @deep(ptr %a)
      call void @set(ptr %a)
      store i64 1, ptr %b
      call void @uses(ptr %b)
      ret void
    })");
  EXPECT_TRUE(P.changes("a", "use"));
  EXPECT_TRUE(P.changes("a", "deep"));
  // @use is called by way of @deep, too, and that comes first.
  EXPECT_TRUE(P.changes("b", "use"));
}

TEST(LaterWrites, Recursion) {
  Program P(Callee + R"(
    define void @down(ptr %p, i64 %n) {
      call void @use(ptr %p)
      %c = icmp eq i64 %n, 0
      br i1 %c, label %exit, label %again
    again:
      %m = sub i64 %n, 1
      call void @down(ptr %p, i64 %m)
      store i64 %n, ptr %p
      br label %exit
    exit:
      ret void
    }
    define void @f() {
      %a = alloca i64
      %b = alloca i64
      store i64 1, ptr %b
      call void @down(ptr %a, i64 3)
      ret void
    })");
  EXPECT_TRUE(P.changes("a", "use"));
  EXPECT_TRUE(P.changes("a", "down"));
  EXPECT_FALSE(P.changes("b", "use"));
}

TEST(LaterWrites, MemoryOfOneRun) {
  Program P(Callee + R"(
    declare noalias ptr @malloc(i64)
    declare void @free(ptr)
    @kept = internal global ptr null
    define void @own() {
      %mine = call ptr @malloc(i64 8)
      %local = alloca i64
      store i64 1, ptr %mine
      call void @use(ptr %mine)
      call void @use(ptr %local)
      ret void
    }
    define ptr @gives() {
      %mine = call ptr @malloc(i64 8)
      store i64 2, ptr %mine
      ret ptr %mine
    }
    define void @keeps() {
      %mine = call ptr @malloc(i64 8)
      store ptr %mine, ptr @kept
      ret void
    }
    define void @stores(ptr %to) {
      %mine = call ptr @malloc(i64 8)
      store ptr %mine, ptr %to
      ret void
    }
    define void @f(i1 %c) {
      %box = alloca ptr
      br label %loop
    loop:
      call void @own()
      %given = call ptr @gives()
      call void @keeps()
      call void @stores(ptr %box)
      br i1 %c, label %loop, label %exit
    exit:
      ret void
    })");
  EXPECT_TRUE(P.owns("own", "mine"));
  EXPECT_TRUE(P.owns("own", "local"));
  EXPECT_FALSE(P.owns("gives", "mine"));
  EXPECT_FALSE(P.owns("keeps", "mine"));
  EXPECT_FALSE(P.owns("stores", "mine"));
}

TEST(LaterWrites, WhatIsFreedHasChangedButAtTheEnd) {
  const std::string Memory = R"(
    declare noalias ptr @malloc(i64)
    declare void @free(ptr)
  )";
  Program Late(Memory + Callee + R"(
    define void @f() {
      %p = call ptr @malloc(i64 8)
      call void @use(ptr %p)
      call void @free(ptr %p)
      ret void
    })");
  EXPECT_FALSE(Late.changes("p", "use"));
  Program Loop(Memory + Callee + R"(
    define void @f(i1 %c) {
      br label %loop
    loop:
      %p = call ptr @malloc(i64 8)
      call void @use(ptr %p)
      call void @free(ptr %p)
      br i1 %c, label %loop, label %exit
    exit:
      ret void
    })");
  EXPECT_TRUE(Loop.changes("p", "use"));
}

TEST(LaterWrites, UnknownCodeWritesWhatItCanSee) {
  Program P(Callee + R"(
    declare void @unknown()
    declare void @take(ptr)
    define void @f() {
      %hidden = alloca i64
      %given = alloca i64
      call void @take(ptr %given)
      call void @use(ptr %hidden)
      call void @unknown()
      ret void
    })");
  EXPECT_FALSE(P.changes("hidden", "use"));
  EXPECT_TRUE(P.changes("given", "use"));
}

TEST(LaterWrites, AStreamIsNoMemoryOfTheProgram) {
  const std::string Print = R"(
    @stderr = external global ptr
    @mine = internal global ptr null
    @format = private constant [3 x i8] c"%g\00"
    declare i32 @fprintf(ptr, ptr, ...)
    define void @f(ptr %table) {
      call void @use(ptr %table)
      %to = load ptr, ptr )";
  const std::string Rest = R"(
      call i32 (ptr, ptr, ...) @fprintf(ptr %to, ptr @format, double 1.0)
      ret void
    })";
  EXPECT_FALSE(
      Program(Callee + Print + "@stderr" + Rest).changes("table", "use"));
  // A stream of the program's own may be one over its memory.
  EXPECT_TRUE(Program(Callee + Print + "@mine" + Rest).changes("table", "use"));
}

TEST(LaterWrites, ATeamGoesOn) {
  const std::string Text = Callee + R"(
    define void @region(i64 %n, ptr %p, ptr %q) {
      call void @set(ptr %q)
      call void @use(ptr %p)
      ret void
    }
    define void @f() {
      %read = alloca i64
      %written = alloca i64
      call void @region(i64 0, ptr %read, ptr %written)
      ret void
    })";
  Program P(Text, [](Module &M) {
    bind(*M.getFunction("region"), CallBinding::Team);
  });
  ASSERT_FALSE(P.Facts->later().anyTime());
  EXPECT_FALSE(P.changes("read", "use"));
  EXPECT_TRUE(P.changes("written", "use"));
  // A thread goes on when its call has returned.
  Program Thread(Text, [](Module &M) {
    bind(*M.getFunction("region"), CallBinding::Thread);
  });
  EXPECT_TRUE(Thread.Facts->later().anyTime());
}
