//===- FormulaEmitterTest.cpp - formulas as IR ----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Emit/FormulaEmitter.h"
#include "../../lib/Catalogue/Catalogue.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace retrograd;

namespace {

class Emitter : public testing::Test {
protected:
  /// Emits all partials of the instruction %r of @f with the seed %s, and
  /// returns what was emitted, one instruction per line.
  std::string emit(StringRef Text) {
    SMDiagnostic Error;
    M = parseAssemblyString(Text, Error, Context);
    if (!M)
      return Error.getMessage().str();
    Function &F = *M->getFunction("f");
    Instruction *Primal = nullptr;
    Value *Seed = nullptr;
    for (Instruction &I : instructions(F))
      if (I.getName() == "r")
        Primal = &I;
    for (Argument &A : F.args())
      if (A.getName() == "s")
        Seed = &A;
    const OperationRecord *R = Cat.lookup(*Primal);
    if (!R)
      return "no record";
    SmallPtrSet<Instruction *, 16> Old;
    for (Instruction &I : instructions(F))
      Old.insert(&I);
    IRBuilder<> B(F.back().getTerminator());
    FormulaEmitter Emit(B, Cat);
    for (const Partial &P : R->Partials) {
      unsigned Asked = 0;
      Value *Share = Emit.emit(
          P, *Primal, Seed,
          [&](unsigned I) {
            EXPECT_TRUE(R->argsReadByPartial(P.Operand) >> I & 1);
            EXPECT_FALSE(Asked >> I & 1);
            Asked |= 1u << I;
            return Primal->getOperand(I);
          },
          [&]() -> Value * {
            EXPECT_TRUE(R->resultReadByPartial(P.Operand));
            return Primal;
          });
      EXPECT_EQ(Share->getType(), Primal->getType());
    }
    EXPECT_FALSE(verifyModule(*M, &errs()));
    std::string Out;
    raw_string_ostream OS(Out);
    for (Instruction &I : instructions(F))
      if (!Old.contains(&I))
        OS << I << "\n";
    return Out;
  }

  LLVMContext Context;
  std::unique_ptr<Module> M;
  Catalogue Cat;
};

TEST_F(Emitter, CopiesTheFlagsOfThePrimal) {
  EXPECT_EQ(emit("define double @f(double %x, double %y, double %s) {\n"
                 "  %r = fmul nnan contract double %x, %y\n"
                 "  ret double %r\n}"),
            "  %1 = fmul nnan contract double %s, %y\n"
            "  %2 = fmul nnan contract double %s, %x\n");
  EXPECT_EQ(emit("define double @f(double %x, double %y, double %s) {\n"
                 "  %r = fmul double %x, %y\n"
                 "  ret double %r\n}"),
            "  %1 = fmul double %s, %y\n"
            "  %2 = fmul double %s, %x\n");
}

TEST_F(Emitter, AdditionCostsNothing) {
  EXPECT_EQ(emit("define double @f(double %x, double %y, double %s) {\n"
                 "  %r = fadd double %x, %y\n"
                 "  ret double %r\n}"),
            "");
}

TEST_F(Emitter, GuardsWhatMayBeSpeculated) {
  std::string Guarded =
      emit("define double @f(double %x, double %y, double %s, i1 %c) {\n"
           "  %r = fdiv double %x, %y\n"
           "  %z = select i1 %c, double %r, double 0.0\n"
           "  ret double %z\n}");
  EXPECT_NE(Guarded.find("fcmp oeq double %s, 0.0"), std::string::npos)
      << Guarded;
  std::string Plain =
      emit("define double @f(double %x, double %y, double %s) {\n"
           "  %r = fdiv double %x, %y\n"
           "  ret double %r\n}");
  EXPECT_EQ(Plain.find("fcmp"), std::string::npos) << Plain;
  auto HasGuard = [&](const char *IR) {
    return emit(std::string("define double @f(double %x, double %y, double %s, "
                            "i1 %c) {\n") +
                IR + "  ret double %z\n}")
               .find("fcmp oeq double %s") != std::string::npos;
  };
  // What a product multiplies may be infinite, and it may go by other
  // arithmetic to where it is chosen.
  EXPECT_TRUE(HasGuard("  %r = fmul double %x, %y\n"
                       "  %t = fadd double %r, 1.0\n"
                       "  %z = select i1 %c, double %t, double 0.0\n"));
  // The program forms it whatever is chosen: it compares it, or adds it up.
  EXPECT_FALSE(HasGuard("  %r = fmul double %x, %y\n"
                        "  %p = fcmp ogt double %r, 0.0\n"
                        "  %z = select i1 %p, double %r, double 0.0\n"));
  EXPECT_FALSE(HasGuard("  %r = fmul double %x, %y\n"
                        "  %t = select i1 %c, double %r, double 0.0\n"
                        "  %z = fadd double %t, %r\n"));
}

TEST_F(Emitter, LongDoubleConstantsKeepAllDigits) {
  // ln 2 rounded to 64 bits, and not by way of double.
  EXPECT_NE(emit("declare x86_fp80 @exp2l(x86_fp80)\n"
                 "define x86_fp80 @f(x86_fp80 %x, x86_fp80 %s) {\n"
                 "  %r = call x86_fp80 @exp2l(x86_fp80 %x)\n"
                 "  ret x86_fp80 %r\n}")
                .find("0xK3FFEB17217F7D1CF79AC"),
            std::string::npos);
}

TEST_F(Emitter, LibraryCallsLaneByLane) {
  std::string Out =
      emit("declare <2 x double> @llvm.asin.v2f64(<2 x double>)\n"
           "define <2 x double> @f(<2 x double> %x, <2 x double> %s) {\n"
           "  %r = call <2 x double> @llvm.atan2.v2f64(<2 x double> %x, "
           "<2 x double> %x)\n"
           "  ret <2 x double> %r\n}");
  EXPECT_NE(Out.find("fdiv <2 x double>"), std::string::npos);
  IRBuilder<> B(M->getFunction("f")->back().getTerminator());
  Value *X = M->getFunction("f")->getArg(0);
  Value *H = FormulaEmitter(B, Cat).emitCall("hypot", X->getType(), {X, X});
  EXPECT_EQ(H->getType(), X->getType());
  EXPECT_TRUE(M->getFunction("hypot"));
  EXPECT_FALSE(verifyModule(*M, &errs()));
}

/// Every formula of an intrinsic that every machine has, in every type that it
/// may have, is valid IR. Those of one machine have one type.
TEST_F(Emitter, AllFormulasInAllTypes) {
  Type *Types[] = {Type::getHalfTy(Context),
                   Type::getBFloatTy(Context),
                   Type::getFloatTy(Context),
                   Type::getDoubleTy(Context),
                   Type::getX86_FP80Ty(Context),
                   FixedVectorType::get(Type::getFloatTy(Context), 4),
                   FixedVectorType::get(Type::getHalfTy(Context), 2)};
  unsigned Count = 0;
  for (const OperationRecord &R : Cat.records()) {
    if (R.Class != RuleClass::Formula || R.IntrinsicName.empty() ||
        R.IntrinsicName.contains("x86") || R.IntrinsicName.contains("nvvm") ||
        R.IntrinsicName.contains("amdgcn"))
      continue;
    for (Type *T : Types) {
      Type *Int = Type::getInt32Ty(Context);
      Module Fresh("m", Context);
      SmallVector<Type *, 4> Params;
      for (char Letter : R.Prototype.drop_front())
        Params.push_back(Letter == 'F' ? T : Int);
      Params.push_back(T);
      Function *F = Function::Create(FunctionType::get(T, Params, false),
                                     Function::ExternalLinkage, "f", Fresh);
      IRBuilder<> B(BasicBlock::Create(Context, "", F));
      FormulaEmitter Emit(B, Cat);
      SmallVector<Value *, 3> Args;
      for (unsigned I = 0; I + 1 < Params.size(); ++I)
        Args.push_back(F->getArg(I));
      if (R.Id == "ldexp" && T->isVectorTy())
        Args[1] = B.CreateVectorSplat(cast<VectorType>(T)->getElementCount(),
                                      Args[1]);
      Value *Result = Emit.emitCall(R.Id, T, Args);
      const auto *Primal = cast<Instruction>(Result);
      EXPECT_EQ(Cat.lookup(*Primal), &R) << R.Id.str();
      Value *Sum = Result;
      for (const Partial &P : R.Partials)
        Sum = B.CreateFAdd(Sum, Emit.emit(
                                    P, *Primal, F->getArg(Params.size() - 1),
                                    [&](unsigned I) { return Args[I]; },
                                    [&] { return Result; }));
      B.CreateRet(Sum);
      EXPECT_FALSE(verifyModule(Fresh, &errs())) << R.Id.str();
      ++Count;
    }
  }
  EXPECT_GT(Count, 200u);
}

} // namespace
