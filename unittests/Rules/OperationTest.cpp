//===- OperationTest.cpp - rules alone ------------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every operation, run over one instruction %r with contexts that only take
// notes. What holds for all of them is checked for all: the adjoint reads what
// needs declared and nothing else, active operands alone get something, what is
// emitted is IR.
//
//===----------------------------------------------------------------------===//

#include "../PreparedFunction.h"
#include "Emit/FormulaEmitter.h"
#include "Rules/Rules.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Verifier.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// A number that is there.
Value *some(IRBuilderBase &B, Type *T, const Twine &Name) {
  return B.CreateFreeze(PoisonValue::get(T), Name);
}

/// Emits in front of the function's return. Values of the primal are at hand.
class AdjointNotes final : public RuleContext {
public:
  explicit AdjointNotes(PreparedFunction &P)
      : P(P), B(P.F->back().getTerminator()) {}

  SmallVector<Need, 4> Read;
  SmallVector<std::pair<const Value *, Value *>, 4> Given;
  unsigned Taken = 0;

  IRBuilderBase &builder() override { return B; }
  const ActivityAnalysis &activity() const override { return *P.Activity; }
  Value *primal(const Value *V) override {
    if (!isa<Constant>(V))
      Read.push_back({Need::Primal, V});
    return const_cast<Value *>(V);
  }
  Value *shadow(const Value *V) override {
    Read.push_back({Need::Shadow, V});
    return some(B, V->getType(), "shadow");
  }
  Value *tape(const CallBase &) override { return nullptr; }
  const Target &target() const override { return Machine; }
  Accumulation accumulation(const LoadInst &) const override {
    return Accumulation::Plain;
  }
  Value *reach(const LoadInst &) override { return nullptr; }
  bool othersAdd(const Value *) const override { return false; }
  bool addInOrder() const override { return false; }
  Value *owned() override { return B.getTrue(); }
  AtomicPlace atomicPlace(const AtomicRMWInst &) const override {
    return AtomicPlace::Own;
  }
  Value *atomicsOwned() override { return B.getTrue(); }
  bool addAtEnd(const LoadInst &, Value *) override { return false; }
  bool addInStep(const LoadInst &, Value *) override { return false; }
  std::optional<SharedPlace> sharedPlace(Value *) override { return {}; }
  Taking taking(const StoreInst &) const override { return Taking::Plain; }
  Value *addUp(Value *Old, Value *X) override { return B.CreateFAdd(Old, X); }
  void markAdjointAccess(Instruction *) override {}
  Value *take(const Value *V) override {
    ++Taken;
    return some(B, V->getType(), "seed");
  }
  void accumulate(const Value *V, Value *X) override {
    if (activity().isActive(V))
      Given.push_back({V, X});
  }
  Value *partial(const Partial &Of, const Instruction &I,
                 Value *Seed) override {
    return FormulaEmitter(B, P.Cat).emit(
        Of, I, Seed, [&](unsigned N) { return primal(I.getOperand(N)); },
        [&] { return primal(&I); });
  }
  Function *runtime(StringRef) override { return nullptr; }
  Value *arena() override { return nullptr; }
  Function *sweepOf(const CallBase &) override { return nullptr; }
  bool givesAgain(const CallBase &) const override { return false; }
  unsigned width() const override { return 1; }
  void selectLane(unsigned) override {}
  unsigned lane() const override { return 0; }

private:
  PreparedFunction &P;
  IRBuilder<> B;
  Target Machine = Target(*P.M);
};

class TangentNotes final : public TangentContext {
public:
  explicit TangentNotes(PreparedFunction &P)
      : P(P), B(P.F->back().getTerminator()) {}

  IRBuilderBase &builder() override { return B; }
  const ActivityAnalysis &activity() const override { return *P.Activity; }
  TangentKind kind() const override { return TangentKind::Derivative; }
  Value *primal(const Value *V) const override {
    return const_cast<Value *>(V);
  }
  bool hasCompanion(const Value *V) const override {
    return P.Activity->isActive(V) || P.Activity->hasShadow(V);
  }
  Value *companion(const Value *V) override {
    return hasCompanion(V) ? some(B, V->getType(), V->getName() + ".t")
                           : Constant::getNullValue(V->getType());
  }
  Value *companionInto(const Instruction &, const Value *V) override {
    return companion(V);
  }
  Type *typeHere(const Value *V) const override { return V->getType(); }
  unsigned lanesAtOnce() const override { return 1; }
  FastMathFlags flags(const Instruction &) const override { return {}; }
  Value *partial(const Partial &Of, const Instruction &I,
                 Value *Seed) override {
    return FormulaEmitter(B, P.Cat).emit(
        Of, I, Seed, [&](unsigned N) { return I.getOperand(N); },
        [&] { return primal(&I); });
  }
  Value *again(const Instruction &I) override {
    Repeated = true;
    return some(B, I.getType(), "again");
  }
  Function *runtime(StringRef) override { return nullptr; }
  Value *nowhere(Type *) override { return nullptr; }

  bool Repeated = false;

private:
  PreparedFunction &P;
  IRBuilder<> B;
};

/// Runs adjoint and tangent of %r in a function of these parameters, whose
/// result is %s; gives back the names of what the adjoint gave to.
std::string run(StringRef Parameters, StringRef Body, StringRef Result,
                StringRef Declarations = "") {
  PreparedFunction P((Declarations + "\ndefine " + Result + " @f(" +
                      Parameters + ") {\n" + Body + "\nret " + Result +
                      " %s\n}")
                         .str());
  Instruction &I = P.instruction("r");
  EXPECT_TRUE(hasReverse(I, *P.Activity));
  if (const char *What = missingRule(I, *P.Activity))
    return std::string("missing: ") + What;
  SmallVector<Need, 4> Declared;
  visitNeeds(I, *P.Activity, [&](Need N) { Declared.push_back(N); });
  AdjointNotes Notes(P);
  emitReverse(I, Notes);
  for (Need N : Notes.Read)
    EXPECT_TRUE(is_contained(Declared, N))
        << "not declared: " << N.Of->getName().str();
  std::string Names;
  for (auto [V, X] : Notes.Given) {
    EXPECT_EQ(V->getType(), X->getType());
    Names += (Names.empty() ? "" : " ") + V->getName().str();
  }
  TangentNotes Tangents(P);
  Value *T = emitTangent(I, Tangents);
  if (!I.getType()->isVoidTy()) {
    EXPECT_NE(T, nullptr);
    if (T) {
      EXPECT_EQ(T->getType(), I.getType());
    }
  }
  std::string Broken;
  raw_string_ostream OS(Broken);
  EXPECT_FALSE(verifyFunction(*P.F, &OS)) << Broken;
  return Names;
}

} // namespace

TEST(Operation, formulas) {
  EXPECT_EQ(run("double %a, double %b",
                "%r = fmul double %a, %b\n"
                "%s = fadd double %r, 0.0",
                "double"),
            "a b");
  EXPECT_EQ(run("double %a, double %b",
                "%r = fsub double %a, 1.0\n"
                "%s = fadd double %r, %b",
                "double"),
            "a");
  EXPECT_EQ(run("double %a",
                "%r = call double @llvm.sqrt.f64(double %a)\n"
                "%s = fadd double %r, 0.0",
                "double", "declare double @llvm.sqrt.f64(double)"),
            "a");
}

TEST(Operation, moves) {
  EXPECT_EQ(run("double %a, double %b, i1 %c",
                "%r = select i1 %c, double %a, double %b\n"
                "%s = fadd double %r, 0.0",
                "double"),
            "a b");
  EXPECT_EQ(run("float %a",
                "%r = fpext float %a to double\n"
                "%s = fadd double %r, 0.0",
                "double"),
            "a");
}

TEST(Operation, elements) {
  EXPECT_EQ(run("<4 x double> %a, double %b, i32 %i",
                "%r = insertelement <4 x double> %a, double %b, i32 %i\n"
                "%s = fadd <4 x double> %r, %a",
                "<4 x double>"),
            "b a");
  EXPECT_EQ(run("<4 x double> %a, <4 x double> %b",
                "%r = shufflevector <4 x double> %a, <4 x double> %b, "
                "<4 x i32> <i32 0, i32 0, i32 5, i32 poison>\n"
                "%s = fadd <4 x double> %r, %a",
                "<4 x double>"),
            "a b");
  EXPECT_EQ(run("double %a, <4 x double> %b",
                "%r = call double @llvm.vector.reduce.fmul.v4f64(double %a, "
                "<4 x double> %b)\n%s = fadd double %r, %a",
                "double",
                "declare double @llvm.vector.reduce.fmul.v4f64(double, <4 x "
                "double>)"),
            "a b");
}

TEST(Operation, elementsThatAMaskChooses) {
  constexpr StringLiteral Compress =
      "declare <4 x double> @llvm.experimental.vector.compress.v4f64("
      "<4 x double>, <4 x i1>, <4 x double>)";
  EXPECT_EQ(run("<4 x double> %a, <4 x i1> %m, <4 x double> %b",
                "%r = call <4 x double> "
                "@llvm.experimental.vector.compress.v4f64(<4 x double> %a, "
                "<4 x i1> %m, <4 x double> %b)\n"
                "%s = fadd <4 x double> %r, %a",
                "<4 x double>", Compress),
            "a b");
  EXPECT_EQ(run("<4 x double> %a, <4 x i1> %m",
                "%r = call <4 x double> "
                "@llvm.experimental.vector.compress.v4f64(<4 x double> %a, "
                "<4 x i1> %m, <4 x double> poison)\n"
                "%s = fadd <4 x double> %r, %a",
                "<4 x double>", Compress),
            "a");
  EXPECT_EQ(run("<4 x double> %a, <4 x i1> %m, double %b",
                "%r = call double "
                "@llvm.experimental.vector.extract.last.active.v4f64("
                "<4 x double> %a, <4 x i1> %m, double %b)\n"
                "%s = fadd double %r, %b",
                "double",
                "declare double "
                "@llvm.experimental.vector.extract.last.active.v4f64("
                "<4 x double>, <4 x i1>, double)"),
            "a b");
}

TEST(Operation, productsOfMatrices) {
  constexpr StringLiteral Product =
      "declare <6 x double> @llvm.matrix.multiply.v6f64.v8f64.v12f64("
      "<8 x double>, <12 x double>, i32, i32, i32)";
  constexpr StringLiteral Body =
      "%r = call <6 x double> @llvm.matrix.multiply.v6f64.v8f64.v12f64("
      "<8 x double> %a, <12 x double> %b, i32 2, i32 4, i32 3)\n"
      "%s = fadd <6 x double> %r, %r";
  EXPECT_EQ(
      run("<8 x double> %a, <12 x double> %b", Body, "<6 x double>", Product),
      "a b");
  EXPECT_EQ(run("<8 x double> %a",
                "%r = call <6 x double> "
                "@llvm.matrix.multiply.v6f64.v8f64.v12f64("
                "<8 x double> %a, <12 x double> splat (double 3.0), i32 2, "
                "i32 4, i32 3)\n"
                "%s = fadd <6 x double> %r, %r",
                "<6 x double>", Product),
            "a");
}

TEST(Operation, accesses) {
  PreparedFunction P(R"(
    define double @f(double %x, ptr %p) {
      store double %x, ptr %p
      %r = load double, ptr %p
      ret double %r
    })");
  EXPECT_TRUE(hasReverse(*P.F->begin()->begin(), *P.Activity));
  AdjointNotes Notes(P);
  emitReverse(*P.F->begin()->begin(), Notes);
  ASSERT_EQ(Notes.Given.size(), 1u);
  EXPECT_EQ(Notes.Given[0].first, P.value("x"));
  EXPECT_EQ(Notes.Taken, 0u); // a store has no adjoint of its own
}
