//===- LookupTest.cpp - who gets a record, and who does not ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Catalogue/Catalogue.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace retrograd;

namespace {

class Lookup : public testing::Test {
protected:
  /// Ids of the records of the instructions of @f, "-" for none.
  std::vector<std::string> idsOf(StringRef Text) {
    SMDiagnostic Error;
    M = parseAssemblyString(Text, Error, Context);
    EXPECT_TRUE(M) << Error.getMessage().str();
    std::vector<std::string> Ids;
    if (M)
      for (Instruction &I : instructions(*M->getFunction("f")))
        if (!I.isTerminator()) {
          const OperationRecord *R = Cat.lookup(I);
          Ids.push_back(R ? R->Id.str() : "-");
        }
    return Ids;
  }

  LLVMContext Context;
  std::unique_ptr<Module> M;
  Catalogue Cat;
};

using Ids = std::vector<std::string>;

TEST_F(Lookup, ArithmeticByOpcode) {
  EXPECT_EQ(
      idsOf(R"(
    define void @f(double %x, <2 x float> %v, i32 %i) {
      %a = fadd double %x, %x
      %b = fdiv <2 x float> %v, %v
      %c = fneg double %x
      %d = frem double %x, %x
      %h = fdiv <2 x float> <float 1.0, float 1.0>, %v
      %j = fdiv double 2.0, %x
      %e = add i32 %i, %i
      %g = fcmp olt double %x, %x
      ret void
    })"),
      (Ids{"fadd", "fdiv", "fneg", "frem", "reciprocal", "fdiv", "-", "-"}));
}

TEST_F(Lookup, FormsByNameAndPrototype) {
  EXPECT_EQ(idsOf(R"(
    declare double @sin(double)
    declare float @sinf(float)
    declare x86_fp80 @sinl(x86_fp80)
    declare double @cosf(double)
    declare i32 @cos(i32)
    declare double @jn(i32, double)
    declare double @__exp_finite(double)
    declare float @__expf_finite(float)
    declare float @lgammaf_r(float, ptr)
    declare double @sinc(double)
    define void @f(double %x, float %y, x86_fp80 %z, ptr %p) {
      call double @sin(double %x)
      call float @sinf(float %y)
      call x86_fp80 @sinl(x86_fp80 %z)
      call double @cosf(double %x)
      call i32 @cos(i32 1)
      call double @jn(i32 2, double %x)
      call double @__exp_finite(double %x)
      call float @__expf_finite(float %y)
      call float @lgammaf_r(float %y, ptr %p)
      call double @sinc(double %x)
      ret void
    })"),
            (Ids{"sin", "sin", "sin", "-", "-", "jn", "exp", "exp", "lgamma_rf",
                 "-"}));
}

TEST_F(Lookup, TheUsersBodyWins) {
  EXPECT_EQ(idsOf(R"(
    define double @sin(double %x) { ret double %x }
    define internal double @cos(double %x) { ret double %x }
    define available_externally double @tan(double %x) { ret double %x }
    define linkonce_odr double @rg_digamma(double %x) { ret double %x }
    define linkonce_odr ptr @_ZNSt7__cxx1112basic_stringIcE1fEv() { ret ptr null }
    define void @f(double %x) {
      call double @sin(double %x)
      call double @cos(double %x)
      call double @tan(double %x)
      call double @rg_digamma(double %x)
      call ptr @_ZNSt7__cxx1112basic_stringIcE1fEv()
      ret void
    })"),
            (Ids{"-", "-", "tan", "rg_digamma", "-"}));
}

TEST_F(Lookup, IntrinsicsOfEveryType) {
  EXPECT_EQ(idsOf(R"(
    define void @f(half %h, bfloat %b, <4 x float> %v, double %x, x86_fp80 %l) {
      call half @llvm.sin.f16(half %h)
      call bfloat @llvm.exp.bf16(bfloat %b)
      call <4 x float> @llvm.sqrt.v4f32(<4 x float> %v)
      call x86_fp80 @llvm.pow.f80(x86_fp80 %l, x86_fp80 %l)
      call double @llvm.powi.f64.i32(double %x, i32 3)
      call <4 x float> @llvm.fma.v4f32(<4 x float> %v, <4 x float> %v, <4 x float> %v)
      call { double, double } @llvm.modf.f64(double %x)
      call { half, half } @llvm.modf.f16(half %h)
      call float @llvm.vector.reduce.fadd.v4f32(float 0.0, <4 x float> %v)
      call double @llvm.floor.f64(double %x)
      call void @llvm.assume(i1 true)
      ret void
    })"),
            (Ids{"sin", "exp", "sqrt", "pow", "powi", "fma", "llvm_modf_f64",
                 "-", "reduce_fadd", "floor", "markers"}));
}

TEST_F(Lookup, MemoryAndTheRuntime) {
  EXPECT_EQ(idsOf(R"(
    declare ptr @malloc(i64)
    declare ptr @_Znwm(i64)
    declare void @_ZdlPvm(ptr, i64)
    declare void @free(ptr)
    declare i32 @printf(ptr, ...)
    declare ptr @_ZNSolsEd(ptr, double)
    declare ptr @_ZNSirsERd(ptr, ptr)
    declare i64 @fread(ptr, i64, i64, ptr)
    declare i32 @scanf(ptr, ...)
    define void @f(ptr %p, double %x) {
      call ptr @malloc(i64 8)
      call ptr @_Znwm(i64 8)
      call void @_ZdlPvm(ptr %p, i64 8)
      call void @free(ptr %p)
      call i32 (ptr, ...) @printf(ptr %p, double %x)
      call ptr @_ZNSolsEd(ptr %p, double %x)
      call ptr @_ZNSirsERd(ptr %p, ptr %p)
      call i64 @fread(ptr %p, i64 8, i64 1, ptr %p)
      call i32 (ptr, ...) @scanf(ptr %p, ptr %p)
      ret void
    })"),
            (Ids{"malloc", "operator_new", "operator_delete", "free", "output",
                 "streams", "-", "-", "-"}));
  EXPECT_EQ(Cat.byId("calloc")->SizeArgs.size(), 2u);
  EXPECT_TRUE(Cat.byId("calloc")->ZeroFills);
  EXPECT_EQ(Cat.byId("operator_new")->Deallocator, "_ZdlPv");
}

TEST_F(Lookup, DeallocatorsAreKnown) {
  // What an allocation names must be a function that the catalogue frees by.
  // (Exceptions, with their shadows, and the tape are freed by what ends them.)
  for (const OperationRecord &R : Cat.records())
    if (R.Class == RuleClass::Allocation && !R.Deallocator.empty()) {
      Type *Pointer = PointerType::getUnqual(Context);
      Module Other("m", Context);
      FunctionCallee Callee = Other.getOrInsertFunction(
          R.Deallocator,
          FunctionType::get(Type::getVoidTy(Context), Pointer, false));
      const OperationRecord *Free =
          Cat.lookupFunction(*cast<Function>(Callee.getCallee()));
      ASSERT_TRUE(Free) << R.Deallocator.str();
      EXPECT_EQ(Free->Class, RuleClass::Deallocation);
    }
}

} // namespace
