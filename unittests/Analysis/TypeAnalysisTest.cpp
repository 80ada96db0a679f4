//===- TypeAnalysisTest.cpp - types of memory and integers ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/TypeAnalysis.h"
#include "Catalogue/Catalogue.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueSymbolTable.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <ctime>

using namespace llvm;
using namespace retrograd;

namespace {

/// A module from text and the types of all its functions with bodies.
class Types {
public:
  explicit Types(const std::string &Text) {
    SMDiagnostic Err;
    M = parseAssemblyString(Text, Err, Context);
    if (!M) {
      ADD_FAILURE() << Err.getMessage().str() << " at line " << Err.getLineNo();
      abort();
    }
    SmallVector<Function *, 4> Functions;
    for (Function &F : *M)
      if (!F.isDeclaration())
        Functions.push_back(&F);
    T = std::make_unique<TypeAnalysis>(
        Functions, [](const Function *) { return nullptr; }, Cat,
        /*Outside=*/nullptr, /*KeepJournal=*/true);
  }

  /// "fn.value"; "@name" for globals.
  const Value *value(StringRef Path) const {
    if (Path.consume_front("@"))
      return M->getNamedValue(Path);
    auto [F, Name] = Path.split('.');
    Value *V = M->getFunction(F)->getValueSymbolTable()->lookup(Name);
    EXPECT_NE(V, nullptr) << Path.str();
    return V;
  }

  /// The N-th instruction of this opcode.
  const Instruction *nth(StringRef F, unsigned Opcode, unsigned N = 0) const {
    for (Instruction &I : instructions(*M->getFunction(F)))
      if (I.getOpcode() == Opcode && N-- == 0)
        return &I;
    return nullptr;
  }

  static std::string text(ArrayRef<TypedLeaf> Leaves) {
    std::string S;
    raw_string_ostream OS(S);
    for (const TypedLeaf &L : Leaves) {
      if (!S.empty())
        OS << ' ';
      OS << L.Offset << '+' << L.Size << ':';
      switch (L.Kind.K) {
      case ByteKind::Unknown:
        OS << '?';
        break;
      case ByteKind::Integer:
        OS << "int";
        break;
      case ByteKind::Float:
        L.Kind.FP->print(OS);
        break;
      case ByteKind::Pointer:
        OS << "ptr";
        break;
      case ByteKind::Conflict:
        OS << '!';
        break;
      }
    }
    return S;
  }
  std::string at(StringRef P, uint64_t Size) const {
    return text(T->leavesAt(value(P), Size));
  }
  std::string of(StringRef V) const { return text(T->leavesOf(value(V))); }
  std::string pattern(StringRef P) const {
    auto Result = T->patternAt(value(P));
    if (!Result)
      return "none";
    return std::to_string(Result->Period) + "| " + text(Result->Leaves);
  }
  unsigned object(StringRef P) const { return T->objectOf(value(P)); }
  std::string merges() const {
    std::string S;
    raw_string_ostream OS(S);
    T->printMerges(OS);
    return S;
  }

  LLVMContext Context;
  std::unique_ptr<Module> M;
  Catalogue Cat;
  std::unique_ptr<TypeAnalysis> T;
};

TEST(TypeAnalysis, ChoiceOfMembersReachesNoOther) {
  Types T(R"(
    define void @f(ptr %node, ptr %data, i1 %c, i1 %d) {
    entry:
      br i1 %d, label %a, label %b
    a:
      br label %b
    b:
      %offset = phi i64 [ 16, %entry ], [ 24, %a ]
      %chosen = getelementptr i8, ptr %node, i64 %offset
      store ptr %node, ptr %chosen
      %other = select i1 %c, i64 2, i64 3
      %link = getelementptr ptr, ptr %node, i64 %other
      %next = load ptr, ptr %link
      %payload = getelementptr i8, ptr %node, i64 32
      store ptr %data, ptr %payload
      store double 1.0, ptr %data
      ret void
    })");
  EXPECT_EQ(T.at("f.node", 40), "0+16:? 16+8:ptr 24+8:ptr 32+8:ptr");
  EXPECT_EQ(T.object("f.node"), T.object("f.next"));
  EXPECT_NE(T.object("f.node"), T.object("f.data"));
}

// Listed in windows, whose ends cut through records: as if all had been listed
// at once.
TEST(TypeAnalysis, LeavesOfMuchMemory) {
  Types T(R"(
    define void @f(ptr %a, i64 %n) {
    entry:
      br label %each
    each:
      %i = phi i64 [ 0, %entry ], [ %next, %each ]
      %x = getelementptr [20 x i8], ptr %a, i64 %i
      %y = getelementptr i8, ptr %x, i64 8
      %k = getelementptr i8, ptr %x, i64 16
      store double 1.0, ptr %x
      store double 2.0, ptr %y
      store float 3.0, ptr %k
      %next = add i64 %i, 1
      %done = icmp eq i64 %next, %n
      br i1 %done, label %end, label %each
    end:
      ret void
    })");
  constexpr uint64_t Records = 1000;
  std::string Want;
  for (uint64_t I = 0; I != 20 * Records; I += 20)
    Want += (I ? " " : "") + std::to_string(I) + "+8:double " +
            std::to_string(I + 8) + "+8:double " + std::to_string(I + 16) +
            "+4:float";
  EXPECT_EQ(T.at("f.a", 20 * Records), Want);
  unsigned Asked = 0;
  EXPECT_FALSE(T.T->allLeavesAt(T.value("f.a"), uint64_t(1) << 40,
                                [&](const TypedLeaf &L) {
                                  ++Asked;
                                  return L.Offset < 8000;
                                }));
  EXPECT_EQ(Asked, 1201u);
}

TEST(TypeAnalysis, CopyThroughIntegerTakesTypeOfEitherEnd) {
  Types T(R"(
    define double @f(ptr %a, ptr %b, ptr %c) {
      %bits = load i64, ptr %a
      store i64 %bits, ptr %b
      %more = load i64, ptr %b
      store i64 %more, ptr %c
      %x = load double, ptr %c
      ret double %x
    })");
  EXPECT_EQ(T.of("f.bits"), "0+8:double");
  EXPECT_EQ(T.at("f.a", 8), "0+8:double");
  EXPECT_EQ(T.at("f.b", 8), "0+8:double");
  EXPECT_NE(T.object("f.a"), T.object("f.b"));
}

TEST(TypeAnalysis, NothingKnownIsUnknown) {
  Types T(R"(
    define void @f(ptr %a, ptr %b) {
      %bits = load i64, ptr %a
      store i64 %bits, ptr %b
      ret void
    })");
  EXPECT_EQ(T.of("f.bits"), "0+8:?");
  EXPECT_EQ(T.text(T.T->leavesOfAccess(T.nth("f", Instruction::Store),
                                       T.value("f.b"), 8)),
            "0+8:?");
  EXPECT_EQ(T.pattern("f.a"), "none");
}

TEST(TypeAnalysis, PointerInsideACopiedStruct) {
  Types T(R"(
    define double @f(ptr %node, ptr %copy) {
      %w0 = load i64, ptr %node
      %n1 = getelementptr i8, ptr %node, i64 8
      %w1 = load i64, ptr %n1
      store i64 %w0, ptr %copy
      %c1 = getelementptr i8, ptr %copy, i64 8
      store i64 %w1, ptr %c1
      %next = load ptr, ptr %c1
      %x = load double, ptr %next
      %y = load double, ptr %copy
      %s = fadd double %x, %y
      ret double %s
    })");
  EXPECT_EQ(T.at("f.node", 16), "0+8:double 8+8:ptr");
  EXPECT_EQ(T.of("f.w1"), "0+8:ptr");
  // What the copied pointer points to is what the original points to.
  auto P = T.T->pointees(T.object("f.node"));
  ASSERT_EQ(P.size(), 1u);
  EXPECT_EQ(P[0], T.object("f.next"));
}

TEST(TypeAnalysis, ArrayOfStructs) {
  Types T(R"(
    define double @f(ptr %p, ptr %q, i64 %n) {
    entry:
      br label %loop
    loop:
      %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
      %s = phi double [ 0.0, %entry ], [ %s2, %loop ]
      %e = getelementptr inbounds nuw [16 x i8], ptr %p, i64 %i
      %x = load double, ptr %e
      %idp = getelementptr i8, ptr %e, i64 8
      %id = load i32, ptr %idp
      %wp = getelementptr i8, ptr %e, i64 12
      %w = load float, ptr %wp
      %idf = sitofp i32 %id to double
      %wd = fpext float %w to double
      %s0 = fadd double %s, %x
      %s1 = fadd double %s0, %idf
      %s2 = fadd double %s1, %wd
      %i1 = add i64 %i, 1
      %c = icmp ult i64 %i1, %n
      br i1 %c, label %loop, label %done
    done:
      %len = mul i64 %n, 16
      call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 %len, i1 false)
      ret double %s2
    }
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1))");
  EXPECT_EQ(T.at("f.e", 16), "0+8:double 8+4:int 12+4:float");
  EXPECT_EQ(T.at("f.p", 32), "0+8:double 8+4:int 12+4:float "
                             "16+8:double 24+4:int 28+4:float");
  EXPECT_EQ(T.pattern("f.p"), "16| 0+8:double 8+4:int 12+4:float");
  // The copy carries the pattern, though nobody reads the destination.
  EXPECT_EQ(T.pattern("f.q"), "16| 0+8:double 8+4:int 12+4:float");
  EXPECT_EQ(T.of("f.i"), "0+8:int");
}

TEST(TypeAnalysis, PointerWalkingAnArray) {
  Types T(R"(
    define double @f(ptr %begin, ptr %end) {
    entry:
      br label %loop
    loop:
      %p = phi ptr [ %begin, %entry ], [ %p1, %loop ]
      %x = load double, ptr %p
      %p1 = getelementptr i8, ptr %p, i64 8
      %c = icmp eq ptr %p1, %end
      br i1 %c, label %done, label %loop
    done:
      ret double %x
    })");
  EXPECT_EQ(T.pattern("f.begin"), "8| 0+8:double");
  EXPECT_EQ(T.at("f.begin", 24), "0+8:double 8+8:double 16+8:double");
}

TEST(TypeAnalysis, HeaderBeforeAnArrayComesOnce) {
  Types T(R"(
    define double @f(ptr %p, i64 %i) {
      %n = load i64, ptr %p
      %m = add i64 %n, %i
      %a = getelementptr i8, ptr %p, i64 8
      %e = getelementptr inbounds nuw double, ptr %a, i64 %m
      %x = load double, ptr %e
      ret double %x
    })");
  EXPECT_EQ(T.at("f.p", 24), "0+8:int 8+8:double 16+8:double");
  EXPECT_EQ(T.pattern("f.p"), "8| 0+8:int 8+8:double");
  EXPECT_EQ(T.pattern("f.a"), "8| 0+8:double");
}

TEST(TypeAnalysis, AllThatMemoryIsByTurns) {
  Types T(R"(
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
    define void @f(ptr %a, ptr %b, ptr %c, ptr %o, ptr %other, i64 %n) {
      %x = load double, ptr %a
      %a1 = getelementptr i8, ptr %a, i64 8
      %p = load ptr, ptr %a1
      %a2 = getelementptr i8, ptr %a, i64 16
      %k = load i32, ptr %a2
      %l = mul i32 %k, 3
      call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %a, i64 %n, i1 false)
      call void @llvm.memcpy.p0.p0.i64(ptr %c, ptr %b, i64 %n, i1 false)
      %q = load ptr, ptr %c
      %o1 = getelementptr i8, ptr %o, i64 4
      %y = load double, ptr %o1
      %z = load float, ptr %other
      ret void
    }
  )");
  auto Kinds = [&](StringRef P) {
    TypeAnalysis::Kinds K = T.T->kindsFrom(T.value(P));
    return std::string(K.Doubles ? "d" : "") + (K.Singles ? "f" : "") +
           (K.Pointers ? "p" : "") + (K.Integers ? "i" : "") +
           (K.Others ? "!" : "");
  };
  EXPECT_EQ(Kinds("f.a"), "dpi");
  // A pointer at its end keeps the double from being carried: nothing says
  // where it came to lie.
  EXPECT_EQ(Kinds("f.c"), "pi!");
  EXPECT_EQ(Kinds("f.o"), "d!"); // not at a whole number of words
  EXPECT_EQ(Kinds("f.o1"), "d");
  EXPECT_EQ(Kinds("f.other"), "f");
}

TEST(TypeAnalysis, BlocksAlignedByHandBeginWhereTheyAreUsed) {
  Types T(R"(
    declare noalias ptr @malloc(i64)
    define void @f(i64 %n, i64 %i, double %x) {
      %m = call noalias ptr @malloc(i64 %n)
      %bits = ptrtoint ptr %m to i32
      %low = and i32 %bits, 63
      %wide = zext i32 %low to i64
      %down = sub i64 0, %wide
      %from = getelementptr i8, ptr %m, i64 %down
      %p = getelementptr i8, ptr %from, i64 64
      %kept = getelementptr i8, ptr %p, i64 -8
      store ptr %m, ptr %kept
      %at = getelementptr inbounds nuw double, ptr %p, i64 %i
      store double %x, ptr %at
      ret void
    }
  )");
  EXPECT_EQ(T.at("f.p", 16), "0+8:double 8+8:double");
  EXPECT_EQ(T.at("f.kept", 8), "0+8:ptr");
}

TEST(TypeAnalysis, DeclaredArraysEnd) {
  Types T(R"(
    %S = type { [4 x double], i32, i32 }
    define double @f(ptr %s, i64 %i) {
      %e = getelementptr inbounds %S, ptr %s, i64 0, i32 0, i64 %i
      %x = load double, ptr %e
      ret double %x
    })");
  EXPECT_EQ(T.at("f.s", 40), "0+8:double 8+8:double 16+8:double 24+8:double "
                             "32+8:int");
}

TEST(TypeAnalysis, TwoFloatsInOneInteger) {
  Types T(R"(
    define float @f(ptr %p) {
      %both = load i64, ptr %p
      %lo = trunc i64 %both to i32
      %x = bitcast i32 %lo to float
      %sh = lshr i64 %both, 32
      %hi = trunc i64 %sh to i32
      %y = bitcast i32 %hi to float
      %s = fadd float %x, %y
      ret float %s
    }
    define i64 @g(float %a, float %b) {
      %ai = bitcast float %a to i32
      %bi = bitcast float %b to i32
      %az = zext i32 %ai to i64
      %bz = zext i32 %bi to i64
      %bs = shl i64 %bz, 32
      %r = or disjoint i64 %bs, %az
      ret i64 %r
    })");
  EXPECT_EQ(T.of("f.both"), "0+4:float 4+4:float");
  EXPECT_EQ(T.at("f.p", 8), "0+4:float 4+4:float");
  EXPECT_EQ(T.of("g.r"), "0+4:float 4+4:float");
}

TEST(TypeAnalysis, VectorsAndAggregates) {
  Types T(R"(
    define void @f(ptr %p, ptr %q, ptr %r) {
      %v = load <2 x i32>, ptr %p
      store <2 x i32> %v, ptr %q
      %x = load double, ptr %q
      %a = load { double, ptr, i64 }, ptr %r
      %n = extractvalue { double, ptr, i64 } %a, 2
      %m = mul i64 %n, 3
      ret void
    })");
  EXPECT_EQ(T.of("f.v"), "0+8:double");
  EXPECT_EQ(T.at("f.p", 8), "0+8:double");
  EXPECT_EQ(T.of("f.a"), "0+8:double 8+8:ptr 16+8:int");
  EXPECT_EQ(T.at("f.r", 24), "0+8:double 8+8:ptr 16+8:int");
}

// Memory that holds integers and floats by turns is moved as floats: only those
// have derivatives.
TEST(TypeAnalysis, UnionsAreFloats) {
  Types T(R"(
    define double @f(ptr %u, ptr %o) {
      %x = load double, ptr %u
      %n = load i64, ptr %u
      %m = add i64 %n, 1
      store i64 %m, ptr %o
      ret double %x
    })");
  EXPECT_EQ(T.text(T.T->leavesOfAccess(T.nth("f", Instruction::Load, 1),
                                       T.value("f.u"), 8)),
            "0+8:double");
}

TEST(TypeAnalysis, ArithmeticOnTheBitsOfAFloat) {
  Types T(R"(
    define float @rsqrt(float %x) {
      %i = bitcast float %x to i32
      %h = lshr i32 %i, 1
      %m = sub i32 1597463007, %h
      %y = bitcast i32 %m to float
      ret float %y
    }
    define double @flip(double %x) {
      %i = bitcast double %x to i64
      %n = xor i64 %i, -9223372036854775808
      %y = bitcast i64 %n to double
      ret double %y
    })");
  EXPECT_EQ(T.of("rsqrt.m"), "0+4:float"); // and no rule for it
  EXPECT_EQ(T.of("flip.i"), "0+8:double");
  EXPECT_EQ(T.of("flip.n"), "0+8:double");
}

TEST(TypeAnalysis, StructPathOfTBAATellsTheNeighbours) {
  Types T(R"(
    define i32 @f(ptr %id) {
      %n = load i32, ptr %id, !tbaa !0
      ret i32 %n
    }
    !0 = !{!1, !4, i64 8}
    !1 = !{!"P", !2, i64 0, !4, i64 8, !5, i64 16}
    !2 = !{!"double", !3, i64 0}
    !3 = !{!"omnipotent char", !6, i64 0}
    !4 = !{!"int", !3, i64 0}
    !5 = !{!"p1 double", !7, i64 0}
    !6 = !{!"Simple C++ TBAA"}
    !7 = !{!"any pointer", !3, i64 0})");
  // Padding after an int passes for more ints.
  EXPECT_EQ(T.at("f.id", 16), "0+8:int 8+8:ptr");
  EXPECT_EQ(T.of("f.n"), "0+4:int");
}

TEST(TypeAnalysis, FieldsOfACopyTagged) {
  Types T(R"(
    define void @f(ptr %d, ptr %s) {
      call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 24, i1 false), !tbaa.struct !0
      ret void
    }
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
    !0 = !{i64 0, i64 16, !1, i64 16, i64 4, !2}
    !1 = !{!3, !3, i64 0}
    !2 = !{!4, !4, i64 0}
    !3 = !{!"double", !5, i64 0}
    !4 = !{!"int", !5, i64 0}
    !5 = !{!"omnipotent char", !6, i64 0}
    !6 = !{!"Simple C/C++ TBAA"})");
  const Instruction *Copy = T.nth("f", Instruction::Call);
  EXPECT_EQ(T.text(T.T->leavesOfAccess(Copy, T.value("f.d"), 24)),
            "0+8:double 8+8:double 16+8:int"); // no field: padding
  EXPECT_EQ(T.at("f.s", 20), "0+8:double 8+8:double 16+4:int");
}

TEST(TypeAnalysis, UnionsInsideTaggedCopiesAreNotGuessed) {
  Types T(R"(
    define void @f(ptr %d, ptr %s) {
      call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 16, i1 false), !tbaa.struct !0
      ret void
    }
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
    !0 = !{i64 0, i64 8, !1, i64 0, i64 8, !2, i64 8, i64 8, !1}
    !1 = !{!3, !3, i64 0}
    !2 = !{!4, !4, i64 0}
    !3 = !{!"double", !5, i64 0}
    !4 = !{!"long", !5, i64 0}
    !5 = !{!"omnipotent char", !6, i64 0}
    !6 = !{!"Simple C/C++ TBAA"})");
  const Instruction *Copy = T.nth("f", Instruction::Call);
  EXPECT_EQ(T.text(T.T->leavesOfAccess(Copy, T.value("f.d"), 16)),
            "0+8:double 8+8:double");
}

TEST(TypeAnalysis, LayoutOfAPreparedCopy) {
  Types T(R"(
    define void @f(ptr %d, ptr %s, i64 %n) {
      call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 %n, i1 false), !rg.layout !0
      ret void
    }
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
    !0 = !{!"0:f64,8:p,16:i32", i64 24})");
  EXPECT_EQ(T.pattern("f.d"), "24| 0+8:double 8+8:ptr 16+8:int");
  EXPECT_EQ(T.pattern("f.s"), "24| 0+8:double 8+8:ptr 16+8:int");
}

TEST(TypeAnalysis, MarkedIntegers) {
  Types T(R"(
    define void @f(ptr %d, ptr %s) {
      %n = load i32, ptr %s, !rg.int !0
      store i32 %n, ptr %d
      ret void
    }
    !0 = !{})");
  EXPECT_EQ(T.at("f.s", 4), "0+4:int");
  EXPECT_EQ(T.at("f.d", 4), "0+4:int");
}

TEST(TypeAnalysis, GrowthOfAVectorKeepsTheStep) {
  // The heart of std::vector<T>::push_back after inlining; T is 16 bytes.
  Types T(R"(
    define void @f(ptr %v, double %x, i32 %n) {
      %endp = getelementptr i8, ptr %v, i64 8
      %begin = load ptr, ptr %v
      %end = load ptr, ptr %endp
      %e = ptrtoint ptr %end to i64
      %b = ptrtoint ptr %begin to i64
      %bytes = sub i64 %e, %b
      %cap = add i64 %bytes, 16
      %new = call ptr @malloc(i64 %cap)
      %slot = getelementptr inbounds i8, ptr %new, i64 %bytes
      store double %x, ptr %slot
      %f1 = getelementptr i8, ptr %slot, i64 8
      store i32 %n, ptr %f1
      %m = add i32 %n, 1
      call void @llvm.memmove.p0.p0.i64(ptr %new, ptr %begin, i64 %bytes, i1 false)
      store ptr %new, ptr %v
      %newend = getelementptr i8, ptr %slot, i64 16
      store ptr %newend, ptr %endp
      ret void
    }
    declare ptr @malloc(i64)
    declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1))");
  EXPECT_EQ(T.pattern("f.new"), "16| 0+8:double 8+4:int 12+4:?");
  EXPECT_EQ(T.pattern("f.begin"), "16| 0+8:double 8+4:int 12+4:?");
  EXPECT_EQ(T.of("f.bytes"), "0+8:int");
}

TEST(TypeAnalysis, AVectorThatStartsEmpty) {
  // As above after promotion to registers: everything begins as null.
  Types T(R"(
    define double @f(double %x, i1 %c) {
    entry:
      br label %loop
    loop:
      %begin = phi ptr [ null, %entry ], [ %new, %loop ]
      %end = phi ptr [ null, %entry ], [ %end1, %loop ]
      %e = ptrtoint ptr %end to i64
      %b = ptrtoint ptr %begin to i64
      %bytes = sub i64 %e, %b
      %new = call ptr @malloc(i64 %bytes)
      %slot = getelementptr inbounds i8, ptr %new, i64 %bytes
      store double %x, ptr %slot
      %end1 = getelementptr i8, ptr %slot, i64 8
      br i1 %c, label %loop, label %done
    done:
      %y = load double, ptr %new
      ret double %y
    }
    declare ptr @malloc(i64))");
  EXPECT_EQ(T.object("f.slot"), T.object("f.new"));
  EXPECT_EQ(T.object("f.end"), T.object("f.new"));
  EXPECT_EQ(T.pattern("f.new"), "8| 0+8:double");
}

TEST(TypeAnalysis, WhatIsAccessedExists) {
  Types T(R"(
    define double @f(i1 %c) {
    entry:
      br label %loop
    loop:
      %p = phi ptr [ null, %entry ], [ %q, %loop ]
      %q = getelementptr i8, ptr %p, i64 8
      %x = load double, ptr %q
      br i1 %c, label %loop, label %done
    done:
      ret double %x
    })");
  EXPECT_NE(T.object("f.q"), TypeAnalysis::NoObject);
  EXPECT_EQ(T.at("f.q", 8), "0+8:double");
}

TEST(TypeAnalysis, CallsPassTypesBothWays) {
  Types T(R"(
    define internal i64 @get(ptr %p) {
      %v = load i64, ptr %p
      ret i64 %v
    }
    define internal ptr @same(ptr %p) {
      ret ptr %p
    }
    define double @f(ptr %a, ptr %b) {
      %v = call i64 @get(ptr %a)
      %d = bitcast i64 %v to double
      %q = call ptr @same(ptr %b)
      %x = load float, ptr %q
      ret double %d
    })");
  EXPECT_EQ(T.at("f.a", 8), "0+8:double");
  EXPECT_EQ(T.at("get.p", 8), "0+8:double");
  EXPECT_EQ(T.at("f.b", 4), "0+4:float");
  EXPECT_EQ(T.object("get.p"), T.object("f.a"));
  EXPECT_EQ(T.object("f.q"), T.object("f.b"));
}

TEST(TypeAnalysis, AddressesNobodyLooksThroughDoNotMerge) {
  Types T(R"(
    define internal void @ignore(ptr %allocator) {
      ret void
    }
    define double @f(ptr %a, ptr %b) {
      %x = load double, ptr %a
      %n = load i64, ptr %b
      %m = mul i64 %n, 2
      call void @ignore(ptr %a)
      call void @ignore(ptr %b)
      ret double %x
    })");
  EXPECT_NE(T.object("f.a"), T.object("f.b"));
  EXPECT_EQ(T.at("f.a", 8), "0+8:double");
  EXPECT_EQ(T.at("f.b", 8), "0+8:int");
}

TEST(TypeAnalysis, OwnEvidenceGoesBeforeThatOfOtherFunctions) {
  // norm() merges the insides of two structs at different offsets.
  Types T(R"(
    define internal double @norm(ptr %v) {
      %x = load double, ptr %v
      ret double %x
    }
    define double @f(ptr %p, ptr %o) {
      %v = getelementptr i8, ptr %p, i64 8
      %r = call double @norm(ptr %v)
      %n = load i64, ptr %p, !rg.int !0
      %m = mul i64 %n, 3
      call void @llvm.memcpy.p0.p0.i64(ptr %o, ptr %p, i64 16, i1 false)
      ret double %r
    }
    define double @g(ptr %q) {
      %v = getelementptr i8, ptr %q, i64 16
      %r = call double @norm(ptr %v)
      %w = getelementptr i8, ptr %q, i64 8
      %y = load double, ptr %w
      ret double %r
    }
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
    !0 = !{})");
  EXPECT_EQ(T.at("f.p", 16), "0+8:int 8+8:double");
  EXPECT_EQ(T.at("g.w", 8), "0+8:double");
}

TEST(TypeAnalysis, IntegersThatAreOnlyMovedGiveWay) {
  // The accesses of b say int and are never used; those of n are.
  Types T(R"(
    define double @f(ptr %a, ptr %b, ptr %n) {
      %i = load i64, ptr %a, !tbaa !0
      store i64 %i, ptr %b, !tbaa !0
      %x = load double, ptr %b
      %k = load i64, ptr %n, !tbaa !0
      %l = add i64 %k, 1
      store i64 %l, ptr %n, !tbaa !0
      ret double %x
    }
    define void @g(ptr %a, ptr %b) {
      %i = load i64, ptr %a, !tbaa !0
      store i64 %i, ptr %b, !tbaa !0
      ret void
    }
    !0 = !{!1, !1, i64 0}
    !1 = !{!"long", !2, i64 0}
    !2 = !{!"omnipotent char", !3, i64 0}
    !3 = !{!"Simple C/C++ TBAA"})");
  EXPECT_EQ(T.of("f.i"), "0+8:double");
  EXPECT_EQ(T.at("f.a", 8), "0+8:double");
  EXPECT_EQ(T.at("f.n", 8), "0+8:int");
  EXPECT_EQ(T.at("g.a", 8), "0+8:int"); // nobody knows better
}

TEST(TypeAnalysis, IndicesTakenApart) {
  // for (i = 24; ...; i += 24): a step of 24 bytes, not of 8; a number of
  // elements out of a distance in bytes, which is 24 times that number again.
  Types T(R"(
    define void @f(ptr %p, ptr %e, i1 %c) {
    entry:
      br label %loop
    loop:
      %i = phi i64 [ 24, %entry ], [ %n, %loop ]
      %q = getelementptr i8, ptr %p, i64 %i
      store double 0.0, ptr %q
      %n = add i64 %i, 24
      br i1 %c, label %loop, label %done
    done:
      %from = ptrtoint ptr %q to i64
      %to = ptrtoint ptr %p to i64
      %bytes = sub i64 %from, %to
      %count = sdiv exact i64 %bytes, -24
      %r = getelementptr [24 x i8], ptr %q, i64 %count
      store double 1.0, ptr %r
      ret void
    })");
  EXPECT_EQ(T.at("f.q", 24), "0+8:double 8+16:?");
  EXPECT_EQ(T.at("f.r", 24), "0+8:double 8+16:?");
}

TEST(TypeAnalysis, AllocationsAreObjectsOfTheirOwn) {
  Types T(R"(
    define void @f(i64 %n) {
      %a = call ptr @malloc(i64 %n)
      %b = call ptr @malloc(i64 %n)
      %c = call ptr @realloc(ptr %a, i64 %n)
      store double 1.0, ptr %a
      store i64 0, ptr %b
      ret void
    }
    declare ptr @malloc(i64)
    declare ptr @realloc(ptr, i64))");
  EXPECT_NE(T.object("f.a"), T.object("f.b"));
  EXPECT_EQ(T.at("f.c", 8), "0+8:double");
  EXPECT_EQ(T.at("f.b", 8), "0+8:?"); // storing zero is no evidence
  EXPECT_EQ(T.of("f.n"), "0+8:int");
}

TEST(TypeAnalysis, Globals) {
  Types T(R"(
    @table = constant [3 x double] [double 1.0, double 2.0, double 3.0]
    @list = constant { ptr, i64 } { ptr @table, i64 3 }
    define ptr @f(ptr %o) {
      %w = load i64, ptr @list
      store i64 %w, ptr %o
      %t = load ptr, ptr @list
      %x = load i64, ptr @table
      %y = load i64, ptr getelementptr (i8, ptr @table, i64 8)
      ret ptr %t
    })");
  EXPECT_EQ(T.of("f.w"), "0+8:ptr");
  EXPECT_EQ(T.of("f.x"), "0+8:double");
  EXPECT_EQ(T.of("f.y"), "0+8:double");
  EXPECT_EQ(T.object("f.t"), T.object("@table"));
  EXPECT_EQ(
      T.T->objectOf(ConstantPointerNull::get(PointerType::get(T.Context, 0))),
      TypeAnalysis::NoObject);
}

TEST(TypeAnalysis, BytesCarriedAndBytesCounted) {
  Types T(R"(
    define double @f(ptr %d, ptr %s, i64 %n) {
    entry:
      br label %loop
    loop:
      %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
      %sp = getelementptr i8, ptr %s, i64 %i
      %b = load i8, ptr %sp
      %dp = getelementptr i8, ptr %d, i64 %i
      store i8 %b, ptr %dp
      %i1 = add i64 %i, 1
      %c = icmp ult i64 %i1, %n
      br i1 %c, label %loop, label %done
    done:
      %x = load double, ptr %d
      ret double %x
    }
    define i8 @g(ptr %p) {
      %b = load i8, ptr %p
      %c = add i8 %b, 1
      ret i8 %c
    })");
  // A byte of a double is no double: the size says so.
  EXPECT_EQ(T.text(T.T->leavesOfAccess(T.nth("f", Instruction::Load),
                                       T.value("f.sp"), 1)),
            "0+1:double");
  EXPECT_EQ(T.at("f.s", 8), "0+8:double");
  EXPECT_EQ(T.of("g.b"), "0+1:int");
}

TEST(TypeAnalysis, OverlappingCopiesComeToAnEnd) {
  Types T(R"(
    define ptr @f(ptr %p, ptr %q, i64 %n) {
      %p8 = getelementptr i8, ptr %p, i64 8
      %q24 = getelementptr i8, ptr %q, i64 24
      call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %p8, i64 %n, i1 false)
      call void @llvm.memcpy.p0.p0.i64(ptr %q24, ptr %p, i64 %n, i1 false)
      call void @llvm.memcpy.p0.p0.i64(ptr %p8, ptr %q, i64 %n, i1 false)
      %e = getelementptr [4 x ptr], ptr %p, i64 0, i64 %n
      %x = load ptr, ptr %e
      ret ptr %x
    }
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
    declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1))");
  EXPECT_EQ(T.at("f.p", 16), "0+8:ptr 8+8:ptr");
  EXPECT_EQ(T.pattern("f.p"), "8| 0+8:ptr");
}

// Copies say nothing of a word that holds numbers and pointers by turns: what
// they connect it with may hold either, also where nothing accesses it, and
// where it is accessed as the one.
TEST(TypeAnalysis, WordsByTurns) {
  Types T(R"(
    define double @f(ptr %v, double %d, ptr %q, ptr %w, i64 %n) {
      %t = alloca [16 x i8], align 8
      %u = alloca [16 x i8], align 8
      %last = alloca [16 x i8], align 8
      %m = call ptr @malloc(i64 %n)
      %tag = load i64, ptr %v
      %i = add i64 %tag, 1
      %word = getelementptr i8, ptr %v, i64 8
      store double %d, ptr %word
      store ptr %q, ptr %word
      call void @llvm.memcpy.p0.p0.i64(ptr %t, ptr %v, i64 16, i1 false)
      call void @llvm.memcpy.p0.p0.i64(ptr %u, ptr %t, i64 16, i1 false)
      call void @llvm.memcpy.p0.p0.i64(ptr %last, ptr %u, i64 16, i1 false)
      call void @llvm.memcpy.p0.p0.i64(ptr %m, ptr %u, i64 %n, i1 false)
      %number = getelementptr i8, ptr %last, i64 8
      %x = load double, ptr %number
      %inu = getelementptr i8, ptr %u, i64 8
      %inm = getelementptr i8, ptr %m, i64 8
      %y = load double, ptr %w
      ret double %x
    }
    define void @g(ptr %v, double %d, ptr %q) {
      %t = alloca [8 x i8], align 8
      %u = alloca [8 x i8], align 8
      store double %d, ptr %v
      store ptr %q, ptr %v
      call void @llvm.memcpy.p0.p0.i64(ptr %t, ptr %v, i64 8, i1 false)
      call void @llvm.memcpy.p0.p0.i64(ptr %u, ptr %t, i64 8, i1 false)
      ret void
    }
    declare ptr @malloc(i64)
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1))");
  EXPECT_EQ(T.at("g.u", 8), "0+8:!");
  EXPECT_EQ(T.at("f.t", 16), "0+8:int 8+8:double"); // by the load from %last
  for (const char *Place : {"f.word", "f.inu", "f.number", "f.inm"}) {
    EXPECT_TRUE(T.T->isByTurns(T.value(Place))) << Place;
    EXPECT_NE(T.T->sharedWithPointers(T.value(Place), 0, 8, false), nullptr)
        << Place;
  }
  for (const char *Place : {"f.v", "f.u", "f.w", "f.q"})
    EXPECT_FALSE(T.T->isByTurns(T.value(Place))) << Place;
}

// Copies of unknown length in a circle move an array's bounds further with each
// round.
TEST(TypeAnalysis, ArraysByTurnsInACircleComeToAnEnd) {
  Types T(R"(
    define void @f(ptr %p, ptr %q, ptr %r, double %d, i64 %i, i64 %n) {
      %a = getelementptr [4 x ptr], ptr %p, i64 0, i64 %i
      store double %d, ptr %a
      store ptr %r, ptr %a
      %q24 = getelementptr i8, ptr %q, i64 24
      %p40 = getelementptr i8, ptr %p, i64 40
      call void @llvm.memcpy.p0.p0.i64(ptr %q24, ptr %p, i64 %n, i1 false)
      call void @llvm.memcpy.p0.p0.i64(ptr %p40, ptr %q, i64 %n, i1 false)
      ret void
    }
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1))");
  EXPECT_TRUE(T.T->isByTurns(T.value("f.a")));
  EXPECT_TRUE(T.T->isByTurns(T.value("f.q24")));
}

TEST(TypeAnalysis, PrintsTheSameEveryTime) {
  const char *Text = R"(
    define double @f(ptr %p, i64 %i) {
      %e = getelementptr inbounds nuw [16 x i8], ptr %p, i64 %i
      %x = load double, ptr %e
      %np = getelementptr i8, ptr %e, i64 8
      %n = load ptr, ptr %np
      %w = load i64, ptr %n
      ret double %x
    })";
  auto Print = [&] {
    Types T(Text);
    std::string S;
    raw_string_ostream OS(S);
    T.T->print(OS);
    return S;
  };
  std::string First = Print();
  EXPECT_EQ(First, Print());
  EXPECT_NE(First.find("types of @f:"), std::string::npos);
  EXPECT_NE(First.find("%e -> #0+0 step 16"), std::string::npos) << First;
  EXPECT_NE(First.find("+0 step 16: 8 x double"), std::string::npos) << First;
}

TEST(TypeAnalysis, FiftyThousandInstructions) {
  std::string Text = "define double @f(ptr %p, ptr %q, ptr %r) {\n";
  for (unsigned K = 0; K != 10000; ++K) {
    std::string N = std::to_string(K), Off = std::to_string(K % 4000 * 8);
    Text += "%a" + N + " = getelementptr i8, ptr %p, i64 " + Off + "\n";
    Text += "%v" + N + " = load i64, ptr %a" + N + "\n";
    Text += "%b" + N + " = getelementptr i8, ptr %q, i64 " + Off + "\n";
    Text += "store i64 %v" + N + ", ptr %b" + N + "\n";
    Text += "%x" + N + " = load double, ptr %b" + N + "\n";
  }
  Text += "ret double %x9\n}\n";
  std::clock_t Start =
      std::clock(); // processor time: other work on the machine does not count
  Types T(Text);
  double Took = double(std::clock() - Start) / CLOCKS_PER_SEC;
  EXPECT_EQ(T.of("f.v77"), "0+8:double");
  EXPECT_LT(Took, 5.0); // well under one second when idle
}

// Many functions say the same of one array, and each copies parts of it.
TEST(TypeAnalysis, EchoesOfManyFunctions) {
  constexpr unsigned Functions = 1000, Copies = 20;
  std::string Text = "@g = global [4096 x i8] zeroinitializer\n"
                     "@n = global i64 0\n";
  for (unsigned F = 0; F != Functions; ++F) {
    std::string Id = std::to_string(F);
    Text += "@h" + Id + " = global [4096 x i8] zeroinitializer\n";
    Text += "define double @f" + Id + "() {\n";
    Text += "%n = load i64, ptr @n\n"
            "%at = getelementptr double, ptr @g, i64 %n\n"
            "store double 1.0, ptr %at\n";
    for (unsigned K = 0; K != Copies; ++K) {
      std::string N = std::to_string(K),
                  Off = std::to_string((F * Copies + K) % 500 * 8);
      Text += "%a" + N + " = getelementptr i8, ptr @g, i64 " + Off + "\n";
      Text += "%v" + N + " = load i64, ptr %a" + N + "\n";
      Text +=
          "%b" + N + " = getelementptr i8, ptr @h" + Id + ", i64 " + Off + "\n";
      Text += "store i64 %v" + N + ", ptr %b" + N + "\n";
    }
    Text += "%x = load double, ptr %b0\nret double %x\n}\n";
  }
  std::clock_t Start = std::clock();
  Types T(Text);
  double Took = double(std::clock() - Start) / CLOCKS_PER_SEC;
  EXPECT_EQ(T.of("f77.v3"), "0+8:double");
  EXPECT_LT(Took, 10.0); // one second when idle
}

// An object in which much has met leads to itself by each of its pointers, and
// nobody knows what most of it is.
TEST(TypeAnalysis, OutsideObjectThatLeadsToItself) {
  constexpr unsigned Pointers = 60;
  std::string Text = "define void @f(ptr %o) {\n"
                     "store double 1.0, ptr %o\n"
                     "%in = getelementptr i8, ptr %o, i64 16\n";
  for (unsigned K = 0; K != Pointers; ++K) {
    std::string N = std::to_string(K), Off = std::to_string(16 + 8 * K);
    Text += "%p" + N + " = getelementptr i8, ptr %o, i64 " + Off + "\n";
    Text += "%c" + N + " = getelementptr i8, ptr %p" + N + ", i64 4\n";
    Text += "store ptr %in, ptr %p" + N + "\n";
    Text += "store double 1.0, ptr %c" + N + "\n";
  }
  Text += "ret void\n}\n"
          "define void @g(ptr %a) {\n"
          "%x = load i64, ptr %a\n"
          "ret void\n}\n";
  Types Around(Text);
  Function *Inner = Around.M->getFunction("g");
  OutsideEvidence Outside;
  Outside.Types = Around.T.get();
  Outside.Arguments.push_back(
      {Inner->getArg(0), Around.value("f.o"), std::nullopt});
  std::clock_t Start = std::clock();
  TypeAnalysis T(
      {Inner}, [](const Function *) { return nullptr; }, Around.Cat, &Outside);
  double Took = double(std::clock() - Start) / CLOCKS_PER_SEC;
  EXPECT_EQ(Types::text(T.leavesAt(Around.value("g.a"), 8)), "0+8:double");
  EXPECT_LT(Took, 5.0); // well under one second when idle
}

// A helper is given another member of one object by each of two functions, and
// is seen before their caller tells that it is one.
TEST(TypeAnalysis, MembersForAHelper) {
  Types T(R"(
    define void @f() {
      %l = alloca [40 x i8]
      call void @a(ptr %l)
      call void @b(ptr %l)
      ret void
    }
    define void @a(ptr %s) {
      %m = getelementptr i8, ptr %s, i64 8
      call void @h(ptr %m)
      %c = getelementptr i8, ptr %s, i64 24
      store i32 7, ptr %c
      ret void
    }
    define void @b(ptr %s) {
      %m = getelementptr i8, ptr %s, i64 16
      call void @h(ptr %m)
      %d = getelementptr i8, ptr %s, i64 24
      %v = load i32, ptr %d
      %w = add i32 %v, 1
      store i32 %w, ptr %d
      ret void
    }
    define void @h(ptr %v) {
      store double 1.0, ptr %v
      ret void
    })");
  EXPECT_EQ(T.at("f.l", 32), "0+8:? 8+8:double 16+8:double 24+4:int 28+4:?");
  EXPECT_EQ(T.at("b.s", 32), "0+8:? 8+8:double 16+8:double 24+4:int 28+4:?");
  EXPECT_EQ(T.at("b.d", 8), "0+4:int 4+4:?");
}

// The three lines that lead from a choice of two pointers to an object of
// everything.
TEST(TypeAnalysis, TellsWhichInstructionMergedObjects) {
  Types T(R"(
    define void @f(ptr %a, ptr %b, ptr %in, i64 %n, i1 %c) {
      %at = getelementptr i8, ptr %b, i64 16
      store ptr %in, ptr %at
      %either = select i1 %c, ptr %a, ptr %b
      %where = getelementptr ptr, ptr %either, i64 %n
      %some = load ptr, ptr %where
      store double 1.0, ptr %some
      ret void
    })");
  EXPECT_EQ(T.merges(),
            "merges of @f:\n"
            "  %where begins as %b+0 step 8 from below: flow, %where = "
            "getelementptr ptr, ptr %either, i64 %n in @f\n"
            "  1. what (%b+0 step 8 from below) leads to+0 (1) is %in+0 (1): "
            "flow, store ptr %in, ptr %at, align 8 in @f\n"
            "  2. %b+0 (1) is %a+0 (1): flow, %either = select i1 %c, ptr %a, "
            "ptr %b in @f\n");
}

TEST(TypeAnalysis, TellsThatObjectsMergedSinceTheirOwnersDid) {
  Types T(R"(
    define void @f(ptr %a, ptr %b, i1 %c) {
      %x = load ptr, ptr %a
      %y = load ptr, ptr %b
      %a8 = getelementptr i8, ptr %a, i64 8
      %b8 = getelementptr i8, ptr %b, i64 8
      %either = select i1 %c, ptr %a8, ptr %b8
      ret void
    })");
  EXPECT_EQ(T.merges(),
            "merges of @f:\n"
            "  1. %b+8 (1) is %a+8 (1): flow, %either = select i1 %c, ptr %a8, "
            "ptr %b8 in @f\n"
            "  2. what (%b+0) leads to+0 (1) is what (%a+0) leads to+0 (1): "
            "since 1\n");
}

} // namespace
