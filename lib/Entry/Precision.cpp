//===- Precision.cpp - functions in fewer bits ----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two representations of the new format in a value of the old type:
//
//   operations   the number itself, which the new format happens to hold. An
//                operation rounds its operands, works in the new format and
//                extends the result.
//   memory       the bits of the new format in the low bits of the old type's,
//                zeros above. An operation takes the bits out and puts the
//                result's back. Moves (load, store, phi, select, call, return)
//                stay as they are, so memory of the old layout serves;
//                constants change their bits.
//
// The function is rewritten as the user wrote it, not normalised: what the
// compiler makes of it stands in its place and goes through the host's
// pipeline.
//
//===----------------------------------------------------------------------===//

#include "Entry/Precision.h"
#include "Catalogue/Catalogue.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Request/EntryCalls.h"
#include "Request/EntryFamilies.h"
#include "Request/FunctionOperand.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace retrograd;

/// Names of copies.
static constexpr StringLiteral CopyPrefix = "rg.precision.";

namespace {

/// From and to which type, and how the new one is represented.
struct Format {
  Type *From = nullptr;
  Type *To = nullptr;
  bool InMemory = false;

  bool concerns(Type *T) const { return T->getScalarType() == From; }
  Type *narrow(Type *T) const { return T->getWithNewType(To); }
  bool operator==(const Format &) const = default;
};

/// Conversions between a value of the old type and one of the new.
class Converter {
public:
  Converter(const Format &F, IRBuilder<> &B) : F(F), B(B) {}
  /// The number in the new format.
  Value *take(Value *V) {
    if (!F.InMemory)
      return B.CreateFPTrunc(V, F.narrow(V->getType()));
    Type *Wide = V->getType()->getWithNewType(bits(F.From));
    Type *Narrow = V->getType()->getWithNewType(bits(F.To));
    return B.CreateBitCast(B.CreateTrunc(B.CreateBitCast(V, Wide), Narrow),
                           F.narrow(V->getType()));
  }
  /// A number of the new format as a value of the old type.
  Value *put(Value *V) {
    Type *Old = V->getType()->getWithNewType(F.From);
    if (!F.InMemory)
      return B.CreateFPExt(V, Old);
    Value *Bits = B.CreateBitCast(V, V->getType()->getWithNewType(bits(F.To)));
    return B.CreateBitCast(
        B.CreateZExt(Bits, V->getType()->getWithNewType(bits(F.From))), Old);
  }

private:
  const Format &F;
  IRBuilder<> &B;
  Type *bits(Type *T) {
    return B.getIntNTy(T->getPrimitiveSizeInBits().getFixedValue());
  }
};

/// All copies for one format.
class Reducer {
public:
  Reducer(Module &M, const Catalogue &Cat, DiagnosticEngine &Diags,
          const Format &F)
      : M(M), Cat(Cat), Diags(Diags), F(F) {}

  const Format &format() const { return F; }
  /// Null after a diagnosis, at the user's call.
  Function *copyOf(Function &Original, const CallBase &At);

private:
  Module &M;
  const Catalogue &Cat;
  DiagnosticEngine &Diags;
  const Format F;
  const CallBase *Asked = nullptr;
  bool Failed = false;
  DenseMap<Function *, Function *> Copies;
  SmallVector<Function *, 8> Work;
  DenseMap<Constant *, Constant *> Converted;

  void refuse(const Instruction &I, const Twine &What);
  Function *clone(Function &Original);
  void rewrite(Function &Copy);
  void convertConstants(Instruction &I);
  Constant *convert(Constant *C, const Instruction &I);
  bool holds(Type *T) const;
  bool reachesTables(const Constant *C, unsigned Depth = 0) const;
  void rewriteInstruction(Instruction &I);
  void rewriteCall(CallBase &Call);
  Value *narrowed(Instruction &I, IRBuilder<> &B, Converter &Convert);
};

} // namespace

void Reducer::refuse(const Instruction &I, const Twine &What) {
  StringRef Name = I.getFunction()->getName();
  Name.consume_front(CopyPrefix);
  if (!Failed)
    Diags.report(DiagId::PrecisionRefused, Asked, RequestTrail(*Asked, nullptr),
                 {userName(Name), What});
  Failed = true;
}

/// Does memory of type T hold numbers of the old type?
bool Reducer::holds(Type *T) const {
  return T == F.From ||
         any_of(T->subtypes(), [&](Type *Sub) { return holds(Sub); });
}

/// Does C, whose own type holds no numbers, point to constants that do?
bool Reducer::reachesTables(const Constant *C, unsigned Depth) const {
  if (Depth > 8)
    return true;
  if (auto *G = dyn_cast<GlobalVariable>(C))
    return holds(G->getValueType()) ||
           (G->hasInitializer() &&
            reachesTables(G->getInitializer(), Depth + 1));
  if (isa<GlobalValue>(C))
    return false;
  return any_of(C->operands(), [&](const Use &U) {
    auto *Op = dyn_cast<Constant>(U.get());
    return Op && reachesTables(Op, Depth + 1);
  });
}

Function *Reducer::clone(Function &Original) {
  Function *&Copy = Copies[&Original];
  if (Copy)
    return Copy;
  ValueToValueMapTy Map;
  Copy = CloneFunction(&Original, Map);
  Copy->setName(CopyPrefix + Original.getName());
  Copy->setLinkage(GlobalValue::InternalLinkage);
  Copy->setVisibility(GlobalValue::DefaultVisibility);
  Copy->setDSOLocal(true);
  Copy->setComdat(nullptr);
  Work.push_back(Copy);
  return Copy;
}

Function *Reducer::copyOf(Function &Original, const CallBase &At) {
  Asked = &At;
  Failed = false;
  Function *Root = clone(Original);
  while (!Work.empty())
    rewrite(*Work.pop_back_val());
  return Failed ? nullptr : Root;
}

void Reducer::rewrite(Function &Copy) {
  SmallVector<Instruction *, 64> All;
  for (Instruction &I : instructions(Copy))
    All.push_back(&I);
  for (Instruction *I : All) {
    if (F.InMemory)
      convertConstants(*I);
    if (auto *Call = dyn_cast<CallBase>(I))
      rewriteCall(*Call);
    else
      rewriteInstruction(*I);
    if (Failed)
      return;
  }
}

/// Constants and constant tables in the bits of the new format.
Constant *Reducer::convert(Constant *C, const Instruction &I) {
  if (!holds(C->getType())) {
    // A table that is pointed to.
    auto *G = dyn_cast<GlobalVariable>(C);
    if (!G) {
      if (isa<GlobalAlias>(C) ||
          (isa<ConstantAggregate>(C) && reachesTables(C)))
        refuse(I,
               "the address of a table of numbers is part of another constant");
      return C;
    }
    if (!holds(G->getValueType())) {
      if (G->hasInitializer() && reachesTables(G->getInitializer()))
        refuse(I, "a table of numbers is reached through '" +
                      userName(G->getName()) + "'");
      return C;
    }
    if (!G->isConstant() || !G->hasDefinitiveInitializer()) {
      refuse(I, "the variable '" + userName(G->getName()) +
                    "' holds numbers of the full precision");
      return C;
    }
    Constant *&New = Converted[G];
    if (!New) {
      auto *Table = new GlobalVariable(
          M, G->getValueType(), /*isConstant=*/true,
          GlobalValue::PrivateLinkage, convert(G->getInitializer(), I),
          CopyPrefix + G->getName());
      Table->setAlignment(G->getAlign());
      Table->setUnnamedAddr(G->getUnnamedAddr());
      New = Table;
    }
    return New;
  }
  if (C->isNullValue() || isa<UndefValue>(C))
    return C;
  if (auto *Number = dyn_cast<ConstantFP>(C);
      Number && C->getType() == F.From) {
    APFloat Value = Number->getValueAPF();
    bool Lossy;
    Value.convert(F.To->getFltSemantics(), APFloat::rmNearestTiesToEven,
                  &Lossy);
    APInt Bits = Value.bitcastToAPInt().zext(F.From->getPrimitiveSizeInBits());
    return ConstantFP::get(C->getContext(),
                           APFloat(F.From->getFltSemantics(), Bits));
  }
  SmallVector<Constant *, 16> Elements;
  uint64_t N = 0;
  if (auto *V = dyn_cast<FixedVectorType>(C->getType()))
    N = V->getNumElements();
  else if (auto *A = dyn_cast<ArrayType>(C->getType()))
    N = A->getNumElements();
  else
    N = cast<StructType>(C->getType())->getNumElements();
  for (uint64_t K = 0; K != N; ++K) {
    Constant *E = C->getAggregateElement(K);
    if (!E) {
      refuse(I, "a constant whose elements are not known");
      return C;
    }
    Elements.push_back(convert(E, I));
  }
  if (C->getType()->isVectorTy())
    return ConstantVector::get(Elements);
  if (auto *A = dyn_cast<ArrayType>(C->getType()))
    return ConstantArray::get(A, Elements);
  return ConstantStruct::get(cast<StructType>(C->getType()), Elements);
}

void Reducer::convertConstants(Instruction &I) {
  for (Use &U : I.operands()) {
    auto *C = dyn_cast<Constant>(U.get());
    if (!C || isa<Function>(C))
      continue;
    if (auto *E = dyn_cast<ConstantExpr>(C)) {
      // Part of a table: the address is computed by an instruction instead.
      bool Table = false;
      for (Value *Op : E->operands())
        if (auto *G = dyn_cast<GlobalVariable>(Op))
          Table |= holds(G->getValueType());
      if (!Table)
        continue;
      if (isa<PHINode>(I)) {
        refuse(I, "a table is chosen by control flow");
        return;
      }
      Instruction *Address = E->getAsInstruction();
      Address->insertBefore(I.getIterator());
      convertConstants(*Address);
      U.set(Address);
      continue;
    }
    U.set(convert(C, I));
  }
}

/// The operation in the new format: its result; null if there is none to make.
Value *Reducer::narrowed(Instruction &I, IRBuilder<> &B, Converter &Convert) {
  if (auto *Op = dyn_cast<BinaryOperator>(&I))
    return B.CreateBinOp(Op->getOpcode(), Convert.take(Op->getOperand(0)),
                         Convert.take(Op->getOperand(1)));
  if (auto *Op = dyn_cast<UnaryOperator>(&I))
    return B.CreateUnOp(Op->getOpcode(), Convert.take(Op->getOperand(0)));
  if (isa<SIToFPInst>(I) || isa<UIToFPInst>(I))
    return B.CreateCast(cast<CastInst>(I).getOpcode(), I.getOperand(0),
                        F.narrow(I.getType()));
  return B.CreateFPCast(I.getOperand(0),
                        F.narrow(I.getType())); // from another format
}

void Reducer::rewriteInstruction(Instruction &I) {
  IRBuilder<> B(&I);
  Converter Convert(F, B);
  if (isa<FPMathOperator>(I))
    B.setFastMathFlags(I.getFastMathFlags());
  bool Gives = F.concerns(I.getType());
  bool Takes = I.getNumOperands() && F.concerns(I.getOperand(0)->getType());
  if (isa<AtomicRMWInst>(I) && Gives &&
      cast<AtomicRMWInst>(I).isFloatingPointOperation())
    return refuse(I, "an atomic operation on numbers");
  if (isa<VAArgInst>(I) && Gives)
    return refuse(I, "a number among variable arguments");
  if (auto *Compare = dyn_cast<FCmpInst>(&I); Compare && Takes) {
    Value *New =
        B.CreateFCmp(Compare->getPredicate(), Convert.take(I.getOperand(0)),
                     Convert.take(I.getOperand(1)));
    I.replaceAllUsesWith(New);
    I.eraseFromParent();
    return;
  }
  if (auto *Cast = dyn_cast<CastInst>(&I)) {
    bool Number = Cast->getSrcTy()->isFPOrFPVectorTy() ||
                  Cast->getDestTy()->isFPOrFPVectorTy();
    if (!Number || (!Gives && !Takes))
      return;
    if (isa<BitCastInst>(I)) {
      if (F.InMemory && !(Gives && Takes))
        refuse(I, "the bits of a number are used as an integer");
      return;
    }
    if (Takes) { // to an integer or another format
      Value *From = Convert.take(I.getOperand(0));
      Value *New = I.getType()->isFPOrFPVectorTy()
                       ? B.CreateFPCast(From, I.getType())
                       : B.CreateCast(Cast->getOpcode(), From, I.getType());
      I.replaceAllUsesWith(New);
      I.eraseFromParent();
      return;
    }
  } else if (!Gives || !(isa<BinaryOperator>(I) || isa<UnaryOperator>(I))) {
    return; // a move
  }
  Value *New = Convert.put(narrowed(I, B, Convert));
  New->takeName(&I);
  I.replaceAllUsesWith(New);
  I.eraseFromParent();
}

void Reducer::rewriteCall(CallBase &Call) {
  bool Numbers = F.concerns(Call.getType()) ||
                 any_of(Call.args(),
                        [&](const Use &U) { return F.concerns(U->getType()); });
  if (Call.isInlineAsm()) {
    if (Numbers)
      refuse(Call, "inline assembly on numbers");
    return;
  }
  auto *Callee = dyn_cast<Function>(
      Call.getCalledOperand()->stripPointerCastsAndAliases());
  if (!Callee)
    return refuse(Call, "a call through a pointer");
  if (isEntryPoint(*Callee))
    return refuse(Call, "the call of '" + userName(*Callee) + "'");
  const OperationRecord *Known = Cat.lookup(Call);
  bool Formula = Known && Known->Class == RuleClass::Formula;
  if (!Callee->isDeclaration() && !Formula)
    return Call.setCalledFunction(clone(*Callee));
  if (!Numbers) {
    bool Harmless = !F.InMemory || Callee->isIntrinsic() || Known ||
                    none_of(Call.args(), [](const Use &U) {
                      return U->getType()->isPointerTy();
                    });
    if (!Harmless)
      refuse(Call, "the call of '" + userName(*Callee) +
                       "', which may read or write memory");
    return;
  }
  if (isa<ConstrainedFPIntrinsic>(Call))
    return refuse(Call, "arithmetic in a given rounding mode");
  IRBuilder<> B(&Call);
  Converter Convert(F, B);
  if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call);
      Intrinsic && F.concerns(Call.getType())) {
    // The same intrinsic in the new format.
    SmallVector<Value *, 4> Arguments;
    for (Value *A : Call.args())
      Arguments.push_back(F.concerns(A->getType()) ? Convert.take(A) : A);
    B.setFastMathFlags(Call.getFastMathFlags());
    Value *New = B.CreateIntrinsic(F.narrow(Call.getType()),
                                   Intrinsic->getIntrinsicID(), Arguments);
    Call.replaceAllUsesWith(Convert.put(New));
    Call.eraseFromParent();
    return;
  }
  if (!Formula || !Call.getType()->isFPOrFPVectorTy() ||
      isa<InvokeInst>(Call)) {
    if (F.InMemory)
      refuse(Call, "the call of '" + userName(*Callee) +
                       "', which takes or returns numbers");
    return;
  }
  // A library routine: the old format's on rounded operands, rounded.
  for (Use &U : Call.args())
    if (F.concerns(U->getType()))
      U.set(B.CreateFPExt(Convert.take(U.get()), U->getType()));
  if (!F.concerns(Call.getType()))
    return;
  B.SetInsertPoint(Call.getNextNode());
  Value *Rounded = B.CreateFPTrunc(&Call, F.narrow(Call.getType()));
  Value *New = Convert.put(Rounded);
  Call.replaceUsesWithIf(New, [&](Use &U) { return U.getUser() != Rounded; });
}

//===----------------------------------------------------------------------===//
// The calls
//===----------------------------------------------------------------------===//

/// The machine's type of this width, or of this exponent and significand.
/// No bfloat: conversions to it need a newer support library than many have.
static Type *typeOf(LLVMContext &C, ArrayRef<uint64_t> Widths) {
  struct Known {
    Type *T;
    uint64_t Bits, Exponent, Significand;
  };
  for (const Known &K : {Known{Type::getDoubleTy(C), 64, 11, 52},
                         Known{Type::getFloatTy(C), 32, 8, 23},
                         Known{Type::getHalfTy(C), 16, 5, 10}})
    if (Widths.size() == 1
            ? Widths[0] == K.Bits
            : Widths[0] == K.Exponent && Widths[1] == K.Significand)
      return K.T;
  return nullptr;
}

void retrograd::lowerPrecisionCalls(Module &M, const Catalogue &Cat,
                                    DiagnosticEngine &Diags) {
  SmallVector<CallBase *, 4> Calls;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I);
          Call && precisionCallOf(*Call) != PrecisionCall::None)
        Calls.push_back(Call);
  SmallVector<std::unique_ptr<Reducer>, 2> Reducers;
  for (CallBase *Call : Calls) {
    if (auto *Invoke = dyn_cast<InvokeInst>(Call))
      Call = changeToCall(Invoke);
    PrecisionCall What = precisionCallOf(*Call);
    auto Answer = [&]() -> Value * {
      auto Wrong = [&](const Twine &Why) -> Value * {
        Diags.report(DiagId::PrecisionCall, Call, RequestTrail(*Call, nullptr),
                     {userName(Call->getCalledFunction()->getName()), Why});
        return nullptr;
      };
      if (Call->arg_size() < 3 || Call->arg_size() > 4)
        return Wrong("it takes a function or value, the old and the new width");
      SmallVector<uint64_t, 3> Widths;
      for (unsigned K = 1; K != Call->arg_size(); ++K) {
        auto *Width = dyn_cast<ConstantInt>(Call->getArgOperand(K));
        if (!Width)
          return Wrong("a width is not a constant");
        Widths.push_back(Width->getZExtValue());
      }
      Format F;
      F.From = typeOf(M.getContext(), Widths[0]);
      F.To = typeOf(M.getContext(), ArrayRef(Widths).drop_front());
      F.InMemory = What != PrecisionCall::OperationsOf;
      if (!F.From || !F.To ||
          F.To->getPrimitiveSizeInBits() >= F.From->getPrimitiveSizeInBits())
        return Wrong("the machine has no such types: old widths are 64 and 32, "
                     "new ones 32 and 16 "
                     "or the exponent and significand of these (8, 23; 5, 10)");
      Value *First = Call->getArgOperand(0);
      if (What == PrecisionCall::TruncateValue ||
          What == PrecisionCall::ExpandValue) {
        if (First->getType() != F.From || Call->getType() != F.From)
          return Wrong(
              "the value must have the old type, and be returned as it");
        IRBuilder<> B(Call);
        Converter Convert(F, B);
        return What == PrecisionCall::TruncateValue
                   ? Convert.put(B.CreateFPTrunc(First, F.To))
                   : B.CreateFPExt(Convert.take(First), F.From);
      }
      FunctionOperand Named = resolveFunction(First);
      if (!Named.Complete || Named.Functions.size() != 1 ||
          Named.Functions[0]->isDeclaration())
        return Wrong("its first argument must be one function with a body");
      auto Known = find_if(Reducers, [&](auto &R) { return R->format() == F; });
      Reducer &R = Known != Reducers.end()
                       ? **Known
                       : *Reducers.emplace_back(
                             std::make_unique<Reducer>(M, Cat, Diags, F));
      return R.copyOf(*Named.Functions[0], *Call);
    };
    Value *New = Answer();
    if (!Call->getType()->isVoidTy())
      Call->replaceAllUsesWith(New && New->getType() == Call->getType()
                                   ? New
                                   : Constant::getNullValue(Call->getType()));
    Call->eraseFromParent();
  }
}
