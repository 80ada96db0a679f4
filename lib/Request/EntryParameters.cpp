//===- EntryParameters.cpp - the parameters of a derivative call ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics/DiagnosticEngine.h"
#include "Request/EntryDecoder.h"
#include "Request/Markers.h"
#include "Request/ParameterGroups.h"
#include "Request/ResultLayout.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// The types of the parameters that a mangled name tells, as C++ spells them:
/// "(void*, double*&, int&)". Empty for other names.
static SmallVector<std::string, 8> parametersInName(StringRef Name) {
  SmallVector<std::string, 8> Types;
  ItaniumPartialDemangler D;
  if (D.partialDemangle(Name.str().c_str()) || !D.isFunction())
    return Types;
  size_t Size = 0;
  char *Buffer = D.getFunctionParameters(nullptr, &Size);
  if (!Buffer)
    return Types;
  StringRef Text = StringRef(Buffer).drop_front().drop_back(); // parentheses
  for (int Depth = 0; char C : Text) {
    if (Types.empty() || (Depth == 0 && C == ','))
      Types.emplace_back();
    if (Depth != 0 || (C != ',' && (C != ' ' || !Types.back().empty())))
      Types.back() += C;
    Depth += StringRef("(<[{").contains(C) - StringRef(")>]}").contains(C);
  }
  std::free(Buffer);
  return Types;
}

/// A reference to an object. One to an array or a function is passed as the
/// pointer that it decays to.
static bool isReferenceType(StringRef Type) {
  return Type.ends_with("&") || Type.contains("(*&");
}

/// A struct by value may be any number of arguments, also none.
static bool isClassType(StringRef Type) {
  static constexpr StringRef Numbers[] = {
      "bool",   "char",        "signed char", "short",
      "int",    "long",        "long long",   "float",
      "double", "long double", "__int128",    "_Float16"};
  return !Type.ends_with("&") && !Type.ends_with("*") && !Type.ends_with(")") &&
         !Type.ends_with("]") && !is_contained(Numbers, Type) &&
         !Type.starts_with("unsigned ");
}

/// Which arguments are references, as the mangled name of the entry point tells
/// for templates over forwarding references, and wherever markers are passed by
/// reference. A marker by its address alone says nothing of what follows it.
void EntryDecoder::findReferences() {
  IsReference.resize(Call.arg_size());
  StringRef Name = entryCallee(Call)->getName();
  SmallVector<std::string, 8> Types = parametersInName(Name);
  const unsigned First =
      Call.arg_size() && Call.paramHasAttr(0, Attribute::StructRet);
  const unsigned Passed = Call.arg_size() - First;
  // From both ends, up to what is not one argument.
  bool Whole = Types.size() == Passed;
  for (unsigned I = 0; I < Types.size() && I < Passed; ++I) {
    if (!Whole && (isClassType(Types[I]) || Types[I] == "..."))
      break;
    IsReference[First + I] = isReferenceType(Types[I]);
  }
  if (!Whole && (Types.empty() || Types.back() != "..."))
    for (unsigned I = 1; I <= Types.size() && I <= Passed; ++I) {
      StringRef Type = Types[Types.size() - I];
      if (isClassType(Type))
        break;
      IsReference[Call.arg_size() - I] = isReferenceType(Type);
    }
  bool ByReference = Name.contains("Dp");
  for (unsigned I = Next; I < Call.arg_size(); ++I) {
    bool Address = false;
    if (!markerOf(Call.getArgOperand(I), &Address).empty() && Address) {
      MarkersByAddress = true;
      ByReference |= IsReference[I];
    }
  }
  if (!ByReference)
    IsReference.reset();
}

void EntryDecoder::findInterleave() {
  for (unsigned I = Next; I < Call.arg_size(); ++I)
    if (markerOf(Call.getArgOperand(I)) == "enzyme_interleave") {
      Interleave = I;
      NextShadow = I + 1;
      return;
    }
}

/// The size that stands behind enzyme_byref; Next is left on it.
bool EntryDecoder::readByRef(StringRef Name) {
  if (Next + 2 >= Call.arg_size())
    return failed(DiagId::MarkerWithoutArgument, {Name});
  ByRefSize = constantOf(Call.getArgOperand(++Next));
  if (!ByRefSize)
    return failed(DiagId::ByRefSize,
                  {"the number behind it is not a constant"});
  return true;
}

/// Reads markers up to the next value. Activity: the one that governs it.
bool EntryDecoder::readMarkers(std::optional<MarkerRole> &Activity,
                               StringRef &Spelling) {
  for (; Next < Call.arg_size(); ++Next) {
    StringRef Name = markerOf(Call.getArgOperand(Next));
    if (Name.empty())
      return true;
    const MarkerName *Known = find_if(
        markerNames(), [&](const MarkerName &M) { return M.Name == Name; });
    if (Known == markerNames().end())
      return failed(DiagId::UnknownMarker, {Name});
    switch (Known->Role) {
    case MarkerRole::NotYet:
      return failed(DiagId::MarkerNotYet, {Name});
    case MarkerRole::NoEffect:
      break;
    case MarkerRole::PrimalReturn:
      Result.Request.ReturnPrimal = true;
      break;
    case MarkerRole::ConstReturn:
    case MarkerRole::ActiveReturn:
    case MarkerRole::DupReturn:
      if (Return && *Return != Known->Role)
        return failed(DiagId::ReturnMarker,
                      {Name, "another marker, " + ReturnSpelling.str() +
                                 ", contradicts it"});
      Return = Known->Role;
      ReturnSpelling = Known->Name;
      break;
    case MarkerRole::NoReturn:
      NoReturn = true;
      break;
    case MarkerRole::Interleave:
      if (Next == Interleave)
        return true; // no value is left
      return failed(DiagId::RepeatedMarker, {Name, Name});
    case MarkerRole::ByRef:
      if (!readByRef(Name))
        return false;
      break;
    case MarkerRole::Pattern:
      if (!isForward())
        return failed(DiagId::MarkerElsewhere, {Name, EntryName});
      Result.Request.Dependencies = true;
      break;
    case MarkerRole::Tape:
    case MarkerRole::Allocated:
    case MarkerRole::KeepTape:
      if (!readTapeMarker(Known->Role, Name))
        return false;
      break;
    case MarkerRole::Width: // see readWidth()
      ++Next;
      break;
    case MarkerRole::DupStrided:
    case MarkerRole::DupNoNeedStrided:
    case MarkerRole::Buffer:
      if (Next + 1 == Call.arg_size())
        return failed(DiagId::MarkerWithoutArgument, {Name});
      Stride = Call.getArgOperand(Next + 1);
      if (std::optional<uint64_t> Known = constantOf(Stride))
        Stride = ConstantInt::get(Type::getInt64Ty(F->getContext()), *Known);
      if (!Stride->getType()->isIntegerTy() || isMarker(Stride))
        return failed(DiagId::BadStride, {Name});
      [[fallthrough]];
    default:
      if (Activity)
        return failed(DiagId::RepeatedMarker, {Spelling, Name});
      if (isBatch() != (Known->Role >= MarkerRole::Scalar &&
                        Known->Role <= MarkerRole::Buffer) ||
          (Known->Role == MarkerRole::Seed &&
           Result.Request.Mode != DerivativeMode::ReverseJoint))
        return failed(DiagId::MarkerElsewhere, {Name, EntryName});
      Activity = Known->Role;
      Spelling = Name;
      if (Stride)
        ++Next;
    }
  }
  return true;
}

/// One argument of the call as an operand of parameter P.
std::optional<EntryOperand> EntryDecoder::convert(unsigned Index, Argument &P,
                                                  bool IsShadow) {
  Value *V = Call.getArgOperand(Index);
  Type *Have = V->getType(), *Want = P.getType();
  const char *Role = IsShadow && !isBatch() ? "the shadow" : "the value";
  auto Wrong = [&](const Twine &Advice) {
    return fail(DiagId::ArgumentKind, {F, userIndex(P), describe(Want), Role,
                                       describe(Have), Advice});
  };
  std::string SeePrototype = "the derivative call takes the arguments of " +
                             signature() +
                             ", each followed by its shadow where it has one";

  if (P.hasByValAttr()) {
    if (!Have->isPointerTy())
      return Wrong(SeePrototype);
    return EntryOperand{EntryOperand::CopyMemory, V, P.getParamByValType()};
  }
  if (Have->isPointerTy() && Call.isByValArgument(Index) &&
      !Want->isPointerTy())
    return Wrong("pass a pointer to the struct, and let '" + userName(*F) +
                 "' take a pointer");

  // A C++ reference says how much lies behind it; a pointer does not.
  bool Refers =
      Have->isPointerTy() &&
      (IsReference[Index] || (MarkersByAddress && !Want->isPointerTy()) ||
       (!Want->isPointerTy() && Want->isSized() &&
        Call.getParamDereferenceableBytes(Index) >= DL.getTypeStoreSize(Want)));
  if (Refers && (!Want->isPointerTy() || !P.getDereferenceableBytes()))
    return EntryOperand{EntryOperand::Load, V, nullptr};

  if (Have == Want)
    return EntryOperand{EntryOperand::Direct, V, nullptr};
  if (Have->isFloatingPointTy() && Want->isFloatingPointTy()) {
    TypeSize HaveBits = Have->getPrimitiveSizeInBits(),
             WantBits = Want->getPrimitiveSizeInBits();
    if (HaveBits < WantBits)
      return EntryOperand{EntryOperand::FPExtend, V, nullptr};
    if (Have->isDoubleTy() && HaveBits > WantBits)
      return EntryOperand{EntryOperand::FPTrunc, V, nullptr};
    return Wrong("pass " + describe(Want));
  }
  if (Have->isIntegerTy() && Want->isIntegerTy()) {
    if (Have->getIntegerBitWidth() > Want->getIntegerBitWidth())
      return EntryOperand{EntryOperand::IntTrunc, V, nullptr};
    // Signed and unsigned look alike here, so the value must say it is neither;
    // a truth value has no sign, and a template passes it as it is.
    if (Have->isIntegerTy(1) || isKnownNonNegative(V, SimplifyQuery(DL, &Call)))
      return EntryOperand{EntryOperand::IntExtend, V, nullptr};
    return Wrong("without a prototype C passes an int as it is: cast the "
                 "argument to the type of "
                 "the parameter");
  }
  if (isa<ConstantInt>(V) && Want->isPointerTy()) {
    if (IsShadow && ForTangents && cast<ConstantInt>(V)->isZero())
      return EntryOperand{EntryOperand::Direct, V, nullptr}; // not looked at
    if (IsShadow && cast<ConstantInt>(V)->isZero())
      return fail(DiagId::NullShadow, {F, userIndex(P)});
    return fail(DiagId::FoldedMarker,
                {DiagArg(V), userIndex(P), F, describe(Want)});
  }
  if (Have->isIntegerTy() && Want->isFloatingPointTy())
    return Wrong("without a prototype C does not convert an integer to a "
                 "floating-point number: "
                 "write 3.0 instead of 3, or cast the argument; if it was "
                 "meant as a marker, "
                 "declare the marker 'extern int'");
  if (IsShadow && Want->isFloatingPointTy() && Have->isPointerTy())
    return Wrong("the tangent of a number is a number");
  return Wrong(SeePrototype);
}

/// The same for an argument given by its address after enzyme_byref.
std::optional<EntryOperand> EntryDecoder::convertByRef(unsigned Index,
                                                       Argument &P) {
  Value *V = Call.getArgOperand(Index);
  Type *Want = P.hasByValAttr() ? P.getParamByValType() : P.getType();
  uint64_t Size = DL.getTypeAllocSize(Want);
  auto Wrong = [&](const Twine &Why) { return fail(DiagId::ByRefSize, {Why}); };
  if (!V->getType()->isPointerTy())
    return Wrong("no pointer follows it");
  const uint64_t Given = ByRefSize.value_or(0);
  if (Given != Size)
    return Wrong("parameter " + Twine(userIndex(P)) + " of '" + userName(*F) +
                 "' has " + Twine(Size) + " bytes and not " + Twine(Given));
  if (P.hasByValAttr())
    return EntryOperand{EntryOperand::CopyMemory, V, Want};
  return EntryOperand{EntryOperand::Load, V, nullptr};
}

/// What is to be done about a parameter whose source type was T, from its
/// marker or its type.
std::optional<ArgActivity>
EntryDecoder::activityOf(Argument &P, Type *T,
                         std::optional<MarkerRole> Marker) {
  if (isBatch())
    return Marker.value_or(MarkerRole::Vector) == MarkerRole::Scalar
               ? ArgActivity::Const
               : ArgActivity::Dup;
  if (!Marker) {
    if (!holdsFloat(T) && !holdsPointer(T))
      return ArgActivity::Const;
    if (isForward() || holdsPointer(T))
      return ArgActivity::Dup;
    return ArgActivity::Out;
  }
  switch (*Marker) {
  case MarkerRole::Const:
    return ArgActivity::Const;
  case MarkerRole::Out:
    if (isForward())
      return fail(DiagId::OutInForward, {});
    if (!holdsFloat(T) || holdsPointer(T))
      return fail(DiagId::OutNotFloating, {F, userIndex(P), describe(T)});
    return ArgActivity::Out;
  default:
    if (!isForward() && !ForTangents && !holdsPointer(T))
      return fail(DiagId::DupByValue, {F, userIndex(P)});
    return *Marker == MarkerRole::Dup || *Marker == MarkerRole::DupStrided
               ? ArgActivity::Dup
               : ArgActivity::DupNoNeed;
  }
}

/// The next arguments as operands of a group of parameters.
bool EntryDecoder::readOperands(const ParameterGroup &Group, bool IsShadow,
                                SmallVectorImpl<EntryOperand> &Operands) {
  Argument &First = *F->getArg(Group.First);
  unsigned &Next = IsShadow && Interleave ? NextShadow : this->Next;
  auto Missing = [&] {
    if (IsShadow)
      return failed(DiagId::MissingShadow,
                    {F, userIndex(First), describe(First.getType())});
    return failed(DiagId::TooFewArguments,
                  {F, userIndex(First),
                   userIndex(*F->getArg(F->arg_size() - 1)),
                   describe(First.getType()),
                   "the derivative call takes the arguments of " + signature() +
                       ", each followed by its shadow where it has one; a "
                       "shadow left out "
                       "earlier moves all later arguments"});
  };
  if (Next == Call.arg_size() || isMarker(Call.getArgOperand(Next)))
    return Missing();

  // A struct in registers there may be one in memory here.
  Value *Address = Call.getArgOperand(Next);
  if (Group.Size > 1 && Address->getType()->isPointerTy() &&
      (IsReference[Next] || ByRefSize || Call.isByValArgument(Next))) {
    SmallVector<Type *, 2> Pieces;
    for (unsigned I = 0; I < Group.Size; ++I)
      Pieces.push_back(F->getArg(Group.First + I)->getType());
    const StructLayout *Layout =
        DL.getStructLayout(StructType::get(F->getContext(), Pieces));
    if (ByRefSize && *ByRefSize > Layout->getSizeInBytes())
      return failed(DiagId::ByRefSize,
                    {"parameter " + Twine(userIndex(First)) + " of '" +
                     userName(*F) + "' has at most " +
                     Twine(Layout->getSizeInBytes().getFixedValue()) +
                     " bytes and not " + Twine(*ByRefSize)});
    for (unsigned I = 0; I < Group.Size; ++I)
      Operands.push_back(
          {EntryOperand::Load, Address, nullptr, Layout->getElementOffset(I)});
    ++Next;
    return true;
  }

  for (unsigned I = 0; I < Group.Size; ++I, ++Next) {
    if (Next == Call.arg_size() || (I && isMarker(Call.getArgOperand(Next))))
      return Missing();
    Argument &P = *F->getArg(Group.First + I);
    std::optional<EntryOperand> Operand =
        ByRefSize ? convertByRef(Next, P) : convert(Next, P, IsShadow);
    if (!Operand)
      return false;
    Operands.push_back(*Operand);
  }
  return true;
}

bool EntryDecoder::checkShadow(Argument &P, const EntryOperand &Primal,
                               const EntryOperand &Shadow) {
  if (Shadow.How != EntryOperand::Direct || !P.getType()->isPointerTy())
    return true;
  Value *PrimalPointer = Primal.V->stripPointerCasts();
  Value *ShadowPointer = Shadow.V->stripPointerCasts();
  bool PrimalIsNull = isa<ConstantPointerNull>(PrimalPointer);
  if (isa<ConstantPointerNull>(ShadowPointer) && !PrimalIsNull)
    return failed(DiagId::NullShadow, {F, userIndex(P)});
  if (PrimalPointer == ShadowPointer && !PrimalIsNull)
    Diags.report(DiagId::ShadowIsPrimal, &Call, RequestTrail(Call, F),
                 {F, userIndex(P)});
  return true;
}

/// What belongs to each lane: that many arguments, or one address and the
/// stride.
bool EntryDecoder::readLanes(
    const ParameterGroup &Group,
    SmallVectorImpl<SmallVector<EntryOperand, 2>> &Lanes) {
  Lanes.resize(Result.Request.Width);
  Argument &First = *F->getArg(Group.First);
  if (!Stride) {
    for (SmallVector<EntryOperand, 2> &Lane : Lanes)
      if (!readOperands(Group, /*IsShadow=*/true, Lane))
        return false;
    return true;
  }
  auto Refuse = [&] {
    return failed(DiagId::StrideOfNoPointer,
                  {F, userIndex(First), describe(First.getType())});
  };
  SmallVector<EntryOperand, 2> Base;
  if (Group.Size != 1 || !First.getType()->isPointerTy())
    return Refuse();
  if (!readOperands(Group, /*IsShadow=*/true, Base))
    return false;
  // A struct that is copied here has no lanes behind it.
  if (Base[0].How != EntryOperand::Direct && Base[0].How != EntryOperand::Load)
    return Refuse();
  for (auto [I, Lane] : enumerate(Lanes)) {
    EntryOperand Each = Base[0];
    if (I)
      Each.Stride = Stride;
    Each.Lane = I;
    Lane.push_back(Each);
  }
  return true;
}

/// Marker, value and shadow of what was one parameter in the source.
bool EntryDecoder::readParameters(const ParameterGroup &Group) {
  Argument &First = *F->getArg(Group.First);
  std::optional<MarkerRole> Marker;
  StringRef Spelling;
  Stride = nullptr;
  ByRefSize.reset();
  if (!readMarkers(Marker, Spelling))
    return false;
  if (Marker && Next == Call.arg_size())
    return failed(DiagId::MarkerWithoutArgument, {Spelling});

  Type *InMemory = First.hasByValAttr() ? First.getParamByValType() : nullptr;
  SmallVector<Type *, 2> Pieces;
  for (unsigned I = 0; I < Group.Size; ++I)
    Pieces.push_back(F->getArg(Group.First + I)->getType());
  Type *Whole = InMemory          ? InMemory
                : Group.Size == 1 ? Pieces[0]
                                  : StructType::get(F->getContext(), Pieces);
  std::optional<ArgActivity> Activity = activityOf(First, Whole, Marker);
  if (!Activity)
    return false;
  // Default of a struct with floats inside integers is "const" by its IR type.
  if (!isBatch() && Group.FloatsInIntegers &&
      (*Activity != ArgActivity::Const || !Marker))
    return failed(DiagId::FloatInsideInteger, {F, userIndex(First)});
  bool HasShadow =
      *Activity == ArgActivity::Dup || *Activity == ArgActivity::DupNoNeed;
  // A struct by value that holds numbers and pointers has nowhere to leave the
  // adjoints of its numbers, for the shadow that the user passes is a copy.
  if (HasShadow && !isForward() && !isBatch() && (InMemory || Group.Size > 1) &&
      holdsFloat(Whole))
    return failed(DiagId::DupByValue, {F, userIndex(First)});

  SmallVector<EntryOperand, 2> Primals(Group.Size);
  SmallVector<SmallVector<EntryOperand, 2>, 1> Lanes;
  if (!isBatch() || !HasShadow) {
    Primals.clear();
    if (!readOperands(Group, /*IsShadow=*/false, Primals))
      return false;
  }
  if (HasShadow && !readLanes(Group, Lanes))
    return false;

  for (unsigned I = 0; I < Group.Size; ++I) {
    EntryParameter Parameter{Primals[I], {}};
    ArgActivity Each = *Activity;
    if (InMemory && Each == ArgActivity::Out) {
      // The derivative sees memory; its adjoint is what the shadow holds at the
      // end.
      Parameter.Shadows.assign(
          Result.Request.Width,
          EntryOperand{EntryOperand::ZeroMemory, nullptr, InMemory});
      Each = ArgActivity::Dup;
    } else if (!isBatch() && Group.Size > 1 && Pieces[I]->isIntegerTy()) {
      Each = ArgActivity::Const;
    } else if (HasShadow) {
      for (ArrayRef<EntryOperand> Lane : Lanes) {
        Parameter.Shadows.push_back(Lane[I]);
        if (!isBatch() && !ForTangents &&
            !checkShadow(*F->getArg(Group.First + I), Primals[I], Lane[I]))
          return false;
      }
    }
    if (Marker == MarkerRole::Seed && Each == ArgActivity::DupNoNeed)
      Result.Request.Seeds.push_back(Result.Request.Args.size());
    Result.Request.Args.push_back(Each);
    Result.Parameters.push_back(Parameter);
  }
  return true;
}
