//===- RuleSignature.cpp - what the functions of a rule take and give -----===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Request/RuleSignature.h"
#include "Diagnostics/RequestTrail.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"

using namespace llvm;
using namespace retrograd;

namespace {
/// How a parameter of the primal counts.
enum class Role : uint8_t { Number, Pointer, Other };
} // namespace

static Role roleOf(const Type *T) {
  return T->isFPOrFPVectorTy() ? Role::Number
         : T->isPointerTy()    ? Role::Pointer
                               : Role::Other;
}

/// The numbers that a result consists of: itself, or the members of a struct of
/// two that is returned in registers. Empty if it is none.
static SmallVector<Type *, 2> numbersOf(Type *T) {
  if (T->isFPOrFPVectorTy())
    return {T};
  SmallVector<Type *, 2> Members;
  if (auto *S = dyn_cast<StructType>(T);
      S && all_of(S->elements(), [](Type *E) { return E->isFPOrFPVectorTy(); }))
    Members.append(S->element_begin(), S->element_end());
  return Members;
}

const char *retrograd::cannotHaveRule(const Function &F) {
  if (F.isVarArg())
    return "takes variable arguments";
  for (const Argument &A : F.args()) {
    if (A.hasStructRetAttr())
      return "returns a struct in memory";
    if (A.hasByValAttr())
      return "takes a struct by value in memory";
    if (!A.getType()->isFPOrFPVectorTy() && !A.getType()->isPointerTy() &&
        !A.getType()->isIntOrIntVectorTy())
      return "takes a parameter that is no number and no pointer";
  }
  Type *R = F.getReturnType();
  if (!R->isVoidTy() && !R->isPointerTy() && !R->isIntegerTy() &&
      numbersOf(R).empty())
    return "returns a struct that mixes numbers and other things";
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Prototypes for people
//===----------------------------------------------------------------------===//

static std::string spellC(const Type *T) {
  if (T->isVoidTy())
    return "void ";
  if (T->isDoubleTy())
    return "double ";
  if (T->isFloatTy())
    return "float ";
  if (T->isX86_FP80Ty() || T->isFP128Ty())
    return "long double ";
  if (T->isHalfTy())
    return "_Float16 ";
  if (T->isPointerTy())
    return "T *";
  if (T->isIntegerTy(1))
    return "bool ";
  if (T->isIntegerTy(8))
    return "char ";
  if (T->isIntegerTy(16))
    return "short ";
  if (T->isIntegerTy(32))
    return "int ";
  if (T->isIntegerTy(64))
    return "long ";
  return "T ";
}

static std::string result(ArrayRef<std::string> Members) {
  if (Members.empty())
    return "void ";
  if (Members.size() == 1)
    return StringRef(Members[0]).rsplit(' ').first.str() +
           (StringRef(Members[0]).contains('*') ? " *" : " ");
  std::string Text = "struct { ";
  for (const std::string &M : Members)
    Text += M + "; ";
  return Text + "} ";
}

/// The parameters of the primal, with what follows each.
static std::string parameters(const Function &Primal, bool Tangents) {
  std::string Text;
  for (const Argument &A : Primal.args()) {
    std::string N = std::to_string(A.getArgNo() + 1), T = spellC(A.getType());
    Text.append(Text.empty() ? "" : ", ").append(T).append("x").append(N);
    Role R = roleOf(A.getType());
    if (R == Role::Pointer || (R == Role::Number && Tangents))
      Text.append(", ").append(T).append("dx").append(N);
  }
  return Text;
}

static std::string expectedAugment(const Function &Primal, const Function &F,
                                   bool Tape) {
  std::vector<std::string> Members;
  if (Tape)
    Members.push_back("Tape tape");
  if (!Primal.getReturnType()->isVoidTy()) {
    Members.push_back(spellC(Primal.getReturnType()) + "primal");
    if (Primal.getReturnType()->isPointerTy())
      Members.push_back(spellC(Primal.getReturnType()) + "shadow");
  }
  return result(Members) + userName(F) + "(" + parameters(Primal, false) + ")";
}

static std::string expectedReverse(const Function &Primal, const Function &F,
                                   bool Tape) {
  std::vector<std::string> Members;
  for (const Argument &A : Primal.args())
    if (roleOf(A.getType()) == Role::Number)
      Members.push_back(spellC(A.getType()) + "dx" +
                        std::to_string(A.getArgNo() + 1));
  std::string Text =
      result(Members) + userName(F) + "(" + parameters(Primal, false);
  auto Add = [&](const std::string &More) {
    Text += (Text.back() == '(' ? "" : ", ") + More;
  };
  if (!numbersOf(Primal.getReturnType()).empty())
    Add(spellC(Primal.getReturnType()) + "seed");
  if (Tape)
    Add("Tape tape");
  return Text + ")";
}

static std::string expectedForward(const Function &Primal, const Function &F,
                                   bool Tape) {
  std::vector<std::string> Members;
  Type *R = Primal.getReturnType();
  if (!R->isVoidTy()) {
    Members.push_back(spellC(R) + "primal");
    if (roleOf(R) != Role::Other || !numbersOf(R).empty())
      Members.push_back(spellC(R) + "tangent");
  }
  return result(Members) + userName(F) + "(" + parameters(Primal, true) +
         (Tape ? ", Tape tape)" : ")");
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The result of F as an image, and the parameter that points to it if any.
static unsigned readImage(RuleFunction &R, Function &F) {
  R = RuleFunction();
  R.F = &F;
  if (F.arg_size() && F.hasParamAttribute(0, Attribute::StructRet)) {
    R.Image = F.getParamStructRetType(0);
    R.Operands.push_back({RuleOperand::ResultMemory});
    return 1;
  }
  R.Image = F.getReturnType()->isVoidTy() ? nullptr : F.getReturnType();
  return 0;
}

/// Takes the primal's parameters from parameter Next of R.F on, each followed
/// by a companion if it is a pointer, a number (Tangents), or something else
/// (OfOthers: some tools hand those twice). False if the types do not fit.
static bool readParameters(RuleFunction &R, const Function &Primal,
                           bool Tangents, bool OfOthers, unsigned &Next) {
  auto Take = [&](RuleOperand Operand, Type *T) {
    if (Next == R.F->arg_size() || R.F->getArg(Next)->getType() != T ||
        R.F->getArg(Next)->hasByValAttr())
      return false;
    R.Operands.push_back(Operand);
    ++Next;
    return true;
  };
  for (const Argument &A : Primal.args()) {
    Type *T = A.getType();
    if (!Take({RuleOperand::Primal, A.getArgNo()}, T))
      return false;
    Role Is = roleOf(T);
    if ((Is == Role::Pointer || (Is == Role::Number && Tangents) ||
         (Is == Role::Other && OfOthers)) &&
        !Take({RuleOperand::Shadow, A.getArgNo()}, T))
      return false;
  }
  return true;
}

/// A type as large as the C struct that has it, without padding of the IR's.
static uint64_t storeEnd(Type *T, const DataLayout &DL) {
  if (auto *S = dyn_cast<StructType>(T); S && S->getNumElements()) {
    unsigned Last = S->getNumElements() - 1;
    return DL.getStructLayout(S)->getElementOffset(Last).getFixedValue() +
           storeEnd(S->getElementType(Last), DL);
  }
  return DL.getTypeStoreSize(T).getFixedValue();
}

static Align natural(Type *T, const DataLayout &DL) {
  return DL.getABITypeAlign(T->getScalarType());
}

/// Could an image of this type hold a struct that takes `Bytes`?
static bool holds(Type *Image, uint64_t Bytes, const DataLayout &DL) {
  return Image && storeEnd(Image, DL) <= Bytes &&
         Bytes <= DL.getTypeAllocSize(Image).getFixedValue();
}

/// Reads the parameters from Next on as one tape. None if they are none, else
/// its size; `Aligned` is its alignment at most.
static std::optional<uint64_t> readTape(RuleFunction &R, unsigned Next,
                                        Align &Aligned) {
  const DataLayout &DL = R.F->getDataLayout();
  uint64_t Bytes = 0;
  Aligned = Align(1);
  unsigned Left = R.F->arg_size() - Next;
  for (; Next < R.F->arg_size(); ++Next) {
    const Argument &A = *R.F->getArg(Next);
    Type *T = A.hasByValAttr() ? A.getParamByValType() : A.getType();
    if (A.hasByValAttr() && Left > 1)
      return std::nullopt;
    Align Own = A.hasByValAttr() ? DL.getABITypeAlign(T) : natural(T, DL);
    // The parts of a struct in registers start at multiples of eight.
    Bytes = alignTo(Bytes, std::max<uint64_t>(Own.value(), Bytes ? 8 : 1));
    R.Operands.push_back({RuleOperand::Tape, 0, Bytes});
    Bytes += A.hasByValAttr() ? DL.getTypeAllocSize(T).getFixedValue()
                              : storeEnd(T, DL);
    Aligned = std::max(Aligned, Own);
  }
  return Left > 2 ? std::nullopt : std::optional(Bytes);
}

/// Finds in Augment's image: a tape of that size, the primal result, the
/// shadow.
static bool readAugmentResult(RuleFunction &R, const Function &Primal,
                              uint64_t TapeBytes, Align TapeAlign) {
  const DataLayout &DL = Primal.getDataLayout();
  Type *P = Primal.getReturnType();
  bool PointerAndShadow =
      P->isPointerTy() && R.Image && R.Image->isAggregateType();
  if (!TapeBytes && !PointerAndShadow) {
    if (R.Image == P)
      R.PrimalAt = 0;
    // Else a tape that nobody takes.
    return !R.Image || R.Image == P || R.Image->isPointerTy() ||
           R.Image->isIntegerTy();
  }
  if (TapeBytes && holds(R.Image, TapeBytes, DL))
    return true; // the tape alone
  if (P->isVoidTy() || !R.Image)
    return false;
  uint64_t Size = storeEnd(P, DL);
  // Integers may stand for structs of smaller things.
  for (uint64_t A = TapeAlign.value(); A; A /= 2) {
    uint64_t At = alignTo(TapeBytes, natural(P, DL).value());
    uint64_t Whole = std::max<uint64_t>(A, natural(P, DL).value());
    uint64_t End = At + Size;
    if (holds(R.Image, alignTo(End, Whole), DL) || holds(R.Image, End, DL)) {
      R.PrimalAt = At;
      return true;
    }
    if (!P->isPointerTy())
      continue;
    End = At + 2 * Size;
    if (holds(R.Image, alignTo(End, Whole), DL) || holds(R.Image, End, DL)) {
      R.PrimalAt = At;
      R.ShadowAt = At + Size;
      return true;
    }
  }
  return false;
}

static bool readAugment(RuleFunction &R, Function &F, const Function &Primal,
                        uint64_t TapeBytes, Align TapeAlign) {
  for (bool OfOthers : {false, true}) {
    unsigned Next = readImage(R, F);
    if (readParameters(R, Primal, /*Tangents=*/false, OfOthers, Next) &&
        Next == F.arg_size())
      return readAugmentResult(R, Primal, TapeBytes, TapeAlign);
  }
  return false;
}

/// Finds the adjoints of the primal's numbers in R's image.
static bool readAdjoints(RuleFunction &R, const Function &Primal) {
  const DataLayout &DL = Primal.getDataLayout();
  uint64_t End = 0;
  Align Whole(1);
  for (const Argument &A : Primal.args())
    if (roleOf(A.getType()) == Role::Number) {
      Align Own = natural(A.getType(), DL);
      End = alignTo(End, Own);
      R.Adjoints.push_back({A.getArgNo(), End});
      End += storeEnd(A.getType(), DL);
      Whole = std::max(Whole, Own);
    }
  if (R.Adjoints.empty())
    return !R.Image;
  if (R.Adjoints.size() == 1 &&
      R.Image == Primal.getArg(R.Adjoints[0].first)->getType())
    return true;
  return R.Image &&
         (holds(R.Image, alignTo(End, Whole), DL) || holds(R.Image, End, DL)) &&
         !R.Image->isIntegerTy();
}

std::optional<RuleMismatch> retrograd::readReverseRule(RuleSignature &S,
                                                       Function &Augment,
                                                       Function &Reverse) {
  const Function &Primal = *S.Primal;
  SmallVector<Type *, 2> Seeds = numbersOf(Primal.getReturnType());
  bool Tape =
      !Augment.getReturnType()->isVoidTy() || Augment.hasStructRetAttr();
  RuleMismatch Wrong{&Reverse, expectedReverse(Primal, Reverse, Tape)};
  bool Read = false;
  Align TapeAlign;
  for (bool OfOthers : {false, true}) {
    unsigned Next = readImage(S.Reverse, Reverse);
    if (!readParameters(S.Reverse, Primal, /*Tangents=*/false, OfOthers, Next))
      continue;
    bool Seeded = true;
    for (auto [N, T] : enumerate(Seeds)) {
      Seeded &=
          Next < Reverse.arg_size() && Reverse.getArg(Next)->getType() == T;
      S.Reverse.Operands.push_back({RuleOperand::Seed, unsigned(N)});
      ++Next;
    }
    if (!Seeded)
      continue;
    std::optional<uint64_t> Bytes = readTape(S.Reverse, Next, TapeAlign);
    if (!Bytes)
      continue;
    S.TapeBytes = *Bytes;
    Read = true;
    break;
  }
  if (!Read || !readAdjoints(S.Reverse, Primal))
    return Wrong;
  if (!readAugment(S.Augment, Augment, Primal, S.TapeBytes, TapeAlign))
    return RuleMismatch{&Augment,
                        expectedAugment(Primal, Augment, S.TapeBytes != 0)};
  return std::nullopt;
}

std::optional<RuleMismatch> retrograd::readForwardRule(RuleSignature &S,
                                                       Function *Augment,
                                                       Function &Forward) {
  const Function &Primal = *S.Primal;
  const DataLayout &DL = Primal.getDataLayout();
  RuleMismatch Wrong{&Forward,
                     expectedForward(Primal, Forward, Augment != nullptr)};
  bool Read = false;
  Align TapeAlign;
  for (bool OfOthers : {false, true}) {
    unsigned Next = readImage(S.Forward, Forward);
    if (!readParameters(S.Forward, Primal, /*Tangents=*/true, OfOthers, Next))
      continue;
    std::optional<uint64_t> Bytes = readTape(S.Forward, Next, TapeAlign);
    if (!Bytes || (*Bytes && !Augment))
      continue;
    S.ForwardTapeBytes = *Bytes;
    Read = true;
    break;
  }
  if (!Read)
    return Wrong;
  if (Augment && !readAugment(S.ForwardAugment, *Augment, Primal,
                              S.ForwardTapeBytes, TapeAlign))
    return RuleMismatch{
        Augment, expectedAugment(Primal, *Augment, S.ForwardTapeBytes != 0)};
  Type *P = Primal.getReturnType(), *Image = S.Forward.Image;
  if (P->isVoidTy())
    return Image ? std::optional(Wrong) : std::nullopt;
  if (!Image)
    return Wrong;
  uint64_t Size = storeEnd(P, DL), Pair = alignTo(Size, natural(P, DL)) + Size;
  bool Differentiable = P->isPointerTy() || !numbersOf(P).empty();
  if (Image == P) {
    (Differentiable ? S.Forward.ShadowAt : S.Forward.PrimalAt) = 0;
    return std::nullopt;
  }
  if (!Differentiable || Image->isIntegerTy() || !holds(Image, Pair, DL))
    return Wrong;
  S.Forward.PrimalAt = 0;
  S.Forward.ShadowAt = Pair - Size;
  return std::nullopt;
}
