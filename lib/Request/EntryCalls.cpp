//===- EntryCalls.cpp - decode the user's derivative calls ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry call is a call of a function that exists nowhere, declared by the
// user as it pleased him, and lowered by clang as any other call. So this file
// reads source-level intent back from a calling convention:
//
//   - markers are loads of global variables among the arguments;
//   - without a prototype, float has become double, and char and bool int;
//   - a struct of two doubles is two arguments, one of two floats a vector, a
//     bigger one a pointer marked byval, and a bigger result a pointer marked
//     sret;
//   - C++ forwarding references pass everything, markers too, by address.
//
// Every parameter of the primal takes the next argument (and one more for its
// shadow). What does not fit is diagnosed, never bent: a wrong guess here is a
// wrong derivative everywhere else.
//
//===----------------------------------------------------------------------===//

#include "Request/EntryCalls.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Request/FunctionOperand.h"
#include "Request/Markers.h"
#include "Request/ParameterGroups.h"
#include "Request/ResultLayout.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

namespace {

//===----------------------------------------------------------------------===//
// Decoding one call
//===----------------------------------------------------------------------===//

class Decoder {
public:
  Decoder(CallBase &Call, const EntryPointName &Entry, DiagnosticEngine &Diags,
          function_ref<bool(const Function &)> HasRule,
          const DerivativeRequest *ForTangents = nullptr)
      : Call(Call), Entry(Entry), Diags(Diags), HasRule(HasRule),
        ForTangents(ForTangents), DL(Call.getDataLayout()) {}

  /// None if the call was diagnosed.
  std::optional<EntryCall> decode();

private:
  CallBase &Call;
  const EntryPointName &Entry;
  DiagnosticEngine &Diags;
  function_ref<bool(const Function &)> HasRule;
  /// Of a primal sweep whose tape tangent sweeps read: what they ask for.
  const DerivativeRequest *ForTangents;
  const DataLayout &DL;

  EntryCall Result;
  Function *F = nullptr;         ///< the primal
  unsigned Next = 0;             ///< argument to be read next
  BitVector IsReference;         ///< per argument
  bool MarkersByAddress = false; ///< any
  /// Behind a strided marker: the distance of the lanes.
  Value *Stride = nullptr;
  /// The marker about the result, and how it is spelled.
  std::optional<MarkerRole> Return;
  StringRef ReturnSpelling;
  bool NoReturn = false;
  /// Where enzyme_interleave stands: behind all values, before all shadows.
  std::optional<unsigned> Interleave;
  unsigned NextShadow = 0; ///< with enzyme_interleave: shadow to be read next
  /// After enzyme_byref: the size of what the next argument points to.
  std::optional<uint64_t> ByRefSize;
  std::string EntryName;

  bool isForward() const {
    return Result.Request.Mode == DerivativeMode::Forward;
  }
  bool isBatch() const { return Result.Request.Mode == DerivativeMode::Batch; }
  bool isAugment() const {
    return Result.Request.Mode == DerivativeMode::Augment;
  }
  bool isSweep() const { return Result.Request.Mode == DerivativeMode::Sweep; }
  bool takesTape() const { return isSweep() || Result.Request.FromTape; }
  std::nullopt_t fail(DiagId Id, std::initializer_list<DiagArg> Args) {
    Diags.report(Id, &Call, RequestTrail(Call, F), Args);
    return std::nullopt;
  }
  bool failed(DiagId Id, std::initializer_list<DiagArg> Args) {
    fail(Id, Args);
    return false;
  }
  /// Users count parameters from one, and do not see the one for the result.
  unsigned userIndex(const Argument &P) const {
    return P.getArgNo() + 1 -
           (F->arg_size() && F->getArg(0)->hasStructRetAttr());
  }
  std::string signature() const;

  void findReferences();
  bool findFunction();
  bool readWidth();
  void findInterleave();
  bool readByRef(StringRef Name);
  bool readMarkers(std::optional<MarkerRole> &Activity, StringRef &Spelling);
  bool readParameters(const ParameterGroup &Group);
  bool readOperands(const ParameterGroup &Group, bool IsShadow,
                    SmallVectorImpl<EntryOperand> &Operands);
  bool readLanes(const ParameterGroup &Group,
                 SmallVectorImpl<SmallVector<EntryOperand, 2>> &Lanes);
  bool checkShadow(Argument &P, const EntryOperand &Primal,
                   const EntryOperand &Shadow);
  std::optional<ArgActivity> activityOf(Argument &P, Type *T,
                                        std::optional<MarkerRole> Marker);
  std::optional<EntryOperand> convert(unsigned Index, Argument &P,
                                      bool IsShadow);
  std::optional<EntryOperand> convertByRef(unsigned Index, Argument &P);
  bool checkReturnMarker(Type *Returned);
  bool readReturn();
  bool readTapeMarker(MarkerRole Role, StringRef Name);
  bool readTape();
  bool readSweepOperands();
  bool readTapeOfTangents();
  bool readSeed(Type *Returned);
  bool readJointSeeds();
  bool readSplitReturn(Type *Returned, bool InMemory);
  bool matchResult();
};

} // namespace

std::string Decoder::signature() const {
  std::string Text = "(";
  bool First = true;
  for (const Argument &P : F->args()) {
    if (P.hasStructRetAttr())
      continue;
    Text += (First ? "" : ", ") + spell(P.getType());
    First = false;
  }
  return userName(*F) + Text + ")";
}

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
void Decoder::findReferences() {
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

bool Decoder::findFunction() {
  Use *Operand = functionOperandOf(Call);
  if (!Operand)
    return failed(DiagId::NotAFunction, {EntryName, "there is none"});
  FunctionOperand Named = resolveFunction(Operand->get());
  if (Named.Complete && Named.Functions.size() > 1)
    return failed(DiagId::AmbiguousFunction,
                  {EntryName, Named.Functions[0], Named.Functions[1]});
  if (!Named.Complete) {
    Value *V = Operand->get();
    std::string What =
        Named.Parameter ? "a parameter of the function around the call"
        : isa<ConstantPointerNull>(V)  ? "null"
        : isa<LoadInst>(V)             ? "a value read from memory"
        : isa<GlobalVariable>(V)       ? "a variable"
        : !V->getType()->isPointerTy() ? describe(V->getType())
                                       : "a pointer computed at run time";
    return failed(DiagId::NotAFunction, {EntryName, What});
  }
  F = Named.Functions[0];
  if (F->isDeclaration() && (F->isIntrinsic() || !HasRule(*F)))
    return failed(DiagId::FunctionNotVisible, {F});
  if (F->isVarArg())
    return failed(DiagId::VariadicFunction, {F});
  Next = Operand - Call.arg_begin() + 1;
  return true;
}

/// The width counts for all of the call, wherever it stands.
bool Decoder::readWidth() {
  constexpr unsigned Widest = 64;
  bool Read = false;
  for (unsigned I = Next; I < Call.arg_size(); ++I) {
    if (markerOf(Call.getArgOperand(I)) != "enzyme_width")
      continue;
    if (I + 1 == Call.arg_size())
      return failed(DiagId::MarkerWithoutArgument, {"enzyme_width"});
    std::optional<uint64_t> Width = constantOf(Call.getArgOperand(I + 1));
    if (!Width || *Width == 0 || *Width > Widest || Read)
      return failed(DiagId::BadWidth, {unsigned(Widest)});
    Result.Request.Width = *Width;
    Read = true;
  }
  return true;
}

void Decoder::findInterleave() {
  for (unsigned I = Next; I < Call.arg_size(); ++I)
    if (markerOf(Call.getArgOperand(I)) == "enzyme_interleave") {
      Interleave = I;
      NextShadow = I + 1;
      return;
    }
}

/// The size that stands behind enzyme_byref; Next is left on it.
bool Decoder::readByRef(StringRef Name) {
  if (Next + 2 >= Call.arg_size())
    return failed(DiagId::MarkerWithoutArgument, {Name});
  ByRefSize = constantOf(Call.getArgOperand(++Next));
  if (!ByRefSize)
    return failed(DiagId::ByRefSize,
                  {"the number behind it is not a constant"});
  return true;
}

/// Reads markers up to the next value. Activity: the one that governs it.
bool Decoder::readMarkers(std::optional<MarkerRole> &Activity,
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
                                 ", says something else"});
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
                        Known->Role <= MarkerRole::Buffer))
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
std::optional<EntryOperand> Decoder::convert(unsigned Index, Argument &P,
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
std::optional<EntryOperand> Decoder::convertByRef(unsigned Index, Argument &P) {
  Value *V = Call.getArgOperand(Index);
  Type *Want = P.hasByValAttr() ? P.getParamByValType() : P.getType();
  uint64_t Size = DL.getTypeAllocSize(Want);
  auto Wrong = [&](const Twine &Why) { return fail(DiagId::ByRefSize, {Why}); };
  if (!V->getType()->isPointerTy())
    return Wrong("no pointer follows it");
  if (*ByRefSize != Size)
    return Wrong("parameter " + Twine(userIndex(P)) + " of '" + userName(*F) +
                 "' has " + Twine(Size) + " bytes and not " +
                 Twine(*ByRefSize));
  if (P.hasByValAttr())
    return EntryOperand{EntryOperand::CopyMemory, V, Want};
  return EntryOperand{EntryOperand::Load, V, nullptr};
}

/// What is to be done about a parameter whose source type was T, from its
/// marker or its type.
std::optional<ArgActivity>
Decoder::activityOf(Argument &P, Type *T, std::optional<MarkerRole> Marker) {
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
bool Decoder::readOperands(const ParameterGroup &Group, bool IsShadow,
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

bool Decoder::checkShadow(Argument &P, const EntryOperand &Primal,
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
bool Decoder::readLanes(const ParameterGroup &Group,
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
bool Decoder::readParameters(const ParameterGroup &Group) {
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
    Result.Request.Args.push_back(Each);
    Result.Parameters.push_back(Parameter);
  }
  return true;
}

/// A marker about the result must be one that the result can have.
bool Decoder::checkReturnMarker(Type *Returned) {
  if (!Return || *Return == MarkerRole::ConstReturn)
    return true;
  auto Wrong = [&](const Twine &Why) {
    return failed(DiagId::ReturnMarker, {ReturnSpelling, Why});
  };
  if (*Return == MarkerRole::ActiveReturn) {
    if (isForward())
      return Wrong("forward mode seeds no result: use enzyme_dup_return for "
                   "its tangent");
    if (!holdsFloat(Returned) || holdsPointer(Returned))
      return Wrong("'" + userName(*F) + "' returns " + describe(Returned) +
                   " and not floating-point numbers");
    return true;
  }
  if ((isAugment() || isSweep()) && holdsPointer(Returned))
    return true;
  if (!isForward())
    return Wrong("reverse mode returns no shadow of a result: use "
                 "enzyme_active_return for a number");
  if (!holdsFloat(Returned) && !holdsPointer(Returned))
    return Wrong("'" + userName(*F) + "' returns " + describe(Returned) +
                 ", which has no tangent");
  return true;
}

/// What the derivative returns, and what is asked of its return value.
bool Decoder::readReturn() {
  DerivativeRequest &Request = Result.Request;
  bool Discarded = Call.getType()->isVoidTy() && !Result.ResultInMemory;
  bool InMemory = F->arg_size() && F->getArg(0)->hasStructRetAttr();
  Type *Returned =
      InMemory ? F->getArg(0)->getParamStructRetType() : F->getReturnType();
  if (!checkReturnMarker(Returned))
    return false;
  const bool ReturnConst = Return == MarkerRole::ConstReturn;
  if (NoReturn)
    Request.ReturnPrimal = false;

  const unsigned Width = Request.Width;
  auto FromMemory = [&](bool OfShadow) {
    for (unsigned Lane = 0; Lane < (OfShadow ? Width : 1); ++Lane) {
      EntryResult R;
      R.Ty = Returned;
      R.Parameter = 0;
      R.OfShadow = OfShadow;
      R.Lane = Lane;
      Result.Results.push_back(R);
    }
  };
  unsigned Member = 0;
  auto FromMember = [&](Type *T) {
    EntryResult R;
    R.Ty = T;
    R.Member = Member++;
    Result.Results.push_back(R);
  };
  auto FromLanes = [&](Type *T) {
    for (unsigned Lane = 0; Lane < Width; ++Lane)
      FromMember(T);
  };
  auto MakeShadows = [&](EntryParameter &P) {
    P.Shadows.assign(Width,
                     EntryOperand{EntryOperand::ZeroMemory, nullptr, Returned});
  };

  auto AdjointResults = [&] {
    for (Argument &P : F->args()) {
      unsigned I = P.getArgNo();
      if (Request.Args[I] == ArgActivity::Out) {
        FromLanes(P.getType());
      } else if (P.hasByValAttr() && !Result.Parameters[I].Shadows.empty() &&
                 Result.Parameters[I].Shadows[0].How ==
                     EntryOperand::ZeroMemory) {
        for (unsigned Lane = 0; Lane < Width; ++Lane) {
          EntryResult R;
          R.Ty = P.getParamByValType();
          R.Parameter = I;
          R.OfShadow = true;
          R.Lane = Lane;
          Result.Results.push_back(R);
        }
      }
    }
  };

  if (isBatch()) {
    if (InMemory) {
      Request.Args[0] = ArgActivity::Dup;
      MakeShadows(Result.Parameters[0]);
      FromMemory(/*OfShadow=*/true);
    } else if (!Returned->isVoidTy()) {
      FromLanes(Returned);
    }
    return true;
  }
  bool Primal = Request.ReturnPrimal && !Returned->isVoidTy();
  if (isForward()) {
    bool Active = !ReturnConst && !Discarded &&
                  (holdsFloat(Returned) || holdsPointer(Returned));
    if (InMemory) {
      if (Primal && Request.FromTape)
        return failed(DiagId::MarkerElsewhere,
                      {"enzyme_primal_return", EntryName});
      Request.ReturnPrimal = false;
      Request.Args[0] = Active ? ArgActivity::Dup : ArgActivity::Const;
      if (Active)
        MakeShadows(Result.Parameters[0]);
      if (Primal)
        FromMemory(/*OfShadow=*/false);
      if (Active)
        FromMemory(/*OfShadow=*/true);
      return true;
    }
    Request.ActiveReturn = Active;
    if (Primal)
      FromMember(Returned);
    if (Active)
      FromLanes(Returned);
    return true;
  }

  if (isAugment() || isSweep()) {
    if (!readSplitReturn(Returned, InMemory))
      return false;
    if (isAugment()) {
      // {tape, primal?, shadow?}
      auto Add = [&](Type *T) {
        FromMember(T);
        return &Result.Results.back();
      };
      Add(PointerType::getUnqual(F->getContext()));
      if (InMemory)
        FromMemory(/*OfShadow=*/false);
      else if (!Returned->isVoidTy())
        Add(Returned);
      if (Request.ShadowReturn)
        FromLanes(Returned);
      if (NoReturn && !Returned->isVoidTy())
        Result.Results.erase(Result.Results.begin() + 1);
      return true;
    }
    AdjointResults();
    return true;
  }
  bool Numbers = !ReturnConst && holdsFloat(Returned);
  if (Numbers && holdsPointer(Returned))
    return failed(DiagId::ReturnNotNumbers, {F, describe(Returned)});
  Request.ActiveReturn = Numbers && !InMemory;
  if (InMemory) {
    Request.ReturnPrimal = false;
    if (Numbers) {
      Request.Args[0] = ArgActivity::Dup;
      for (unsigned Lane = 0; Lane < Width; ++Lane)
        Result.Parameters[0].Shadows.push_back(
            Result.Seeds.empty()
                ? EntryOperand{EntryOperand::OnesMemory, nullptr, Returned}
                : EntryOperand{EntryOperand::CopyMemory,
                               Result.Seeds[Lane][0].V, Returned});
    }
    if (Primal)
      FromMemory(/*OfShadow=*/false);
  } else if (Primal) {
    FromMember(Returned);
  }
  AdjointResults();
  return true;
}

/// enzyme_tape, enzyme_allocated and enzyme_nofree, which do not stand before
/// an argument of the function.
bool Decoder::readTapeMarker(MarkerRole Role, StringRef Name) {
  if (!isAugment() && !takesTape())
    return failed(DiagId::MarkerElsewhere, {Name, EntryName});
  EntryTape &Of = Result.OfTape;
  if (Role == MarkerRole::KeepTape) {
    Of.Keep = true;
    return true;
  }
  if (++Next == Call.arg_size() || isMarker(Call.getArgOperand(Next)))
    return failed(DiagId::MarkerWithoutArgument, {Name});
  Value *V = Call.getArgOperand(Next);
  if (Role == MarkerRole::Tape) {
    if (Of.Tape)
      return failed(DiagId::RepeatedMarker, {Name, Name});
    return readTape();
  }
  if (!V->getType()->isIntegerTy() &&
      !(IsReference[Next] && V->getType()->isPointerTy()))
    return failed(DiagId::TapeBytes,
                  {unsigned(TapeHandleBytes), describe(V->getType())});
  if (std::optional<uint64_t> Known = constantOf(V);
      Known && *Known < TapeHandleBytes)
    return failed(DiagId::TapeBytes,
                  {unsigned(TapeHandleBytes), unsigned(*Known)});
  Of.MemoryBytes = V;
  Of.UserBytes = constantOf(V).value_or(0);
  Of.InMemory = true;
  return true;
}

/// The tape, from the next argument; Next is left on its last one. A pointer is
/// the tape, or the address of memory for it. A struct is what the first half
/// returned: it comes as a copy in memory, as a reference, or in one or two
/// registers.
bool Decoder::readTape() {
  EntryTape &Of = Result.OfTape;
  Value *V = Call.getArgOperand(Next);
  Type *Have = V->getType();
  auto Wrong = [&](Type *T) {
    return failed(DiagId::TapeOperand, {EntryName, describe(T)});
  };
  auto ByValue = [&](EntryOperand::Conversion How) {
    if (!takesTape())
      return Wrong(Call.isByValArgument(Next) ? Call.getParamByValType(Next)
                                              : Have);
    Of.Tape = EntryOperand{How, V};
    Of.InMemory = false;
    return true;
  };
  if (Have->isPointerTy()) {
    if (Call.isByValArgument(Next)) {
      Type *T = Call.getParamByValType(Next);
      Of.UserBytes = DL.getTypeAllocSize(T);
      return Of.UserBytes < TapeHandleBytes ? Wrong(T)
                                            : ByValue(EntryOperand::Load);
    }
    if (IsReference[Next] &&
        Call.getParamDereferenceableBytes(Next) > TapeHandleBytes)
      return ByValue(EntryOperand::Load);
    Of.Tape = EntryOperand{
        IsReference[Next] ? EntryOperand::Load : EntryOperand::Direct, V};
    return true;
  }
  // Without its size nothing tells a struct from an integer.
  std::optional<uint64_t> Bytes =
      Of.MemoryBytes ? constantOf(Of.MemoryBytes) : std::nullopt;
  if (!Bytes || *Bytes > 16 || DL.getTypeStoreSize(Have) != TapeHandleBytes)
    return Wrong(Have);
  if (!ByValue(EntryOperand::Direct))
    return false;
  if (*Bytes > TapeHandleBytes) {
    // The rest of the struct says nothing.
    if (++Next == Call.arg_size() || isMarker(Call.getArgOperand(Next)) ||
        DL.getTypeStoreSize(Call.getArgOperand(Next)->getType()) >
            TapeHandleBytes)
      return Wrong(Have);
  }
  return true;
}

/// What follows the arguments of the function in a reverse sweep: the adjoint
/// of its result, and the tape unless a marker named it.
bool Decoder::readSweepOperands() {
  bool InMemory = F->arg_size() && F->getArg(0)->hasStructRetAttr();
  Type *Returned =
      InMemory ? F->getArg(0)->getParamStructRetType() : F->getReturnType();
  EntryTape &Of = Result.OfTape;
  std::optional<MarkerRole> Marker;
  StringRef Spelling;
  while (Next != Call.arg_size()) {
    Value *V = Call.getArgOperand(Next);
    bool WantsSeed = Return != MarkerRole::ConstReturn &&
                     holdsFloat(Returned) &&
                     Result.Seeds.size() < Result.Request.Width;
    // A pointer can only be the tape where numbers are passed by value, and a
    // struct only where the result has another size.
    bool MayBeSeed =
        IsReference[Next] || !V->getType()->isPointerTy() || InMemory;
    if (Call.isByValArgument(Next))
      MayBeSeed =
          WantsSeed && DL.getTypeAllocSize(Call.getParamByValType(Next)) ==
                           DL.getTypeAllocSize(Returned);
    bool Last = Next + 1 == Call.arg_size();
    if (WantsSeed && MayBeSeed && !(InMemory && !Of.Tape && Last)) {
      if (!readSeed(InMemory ? PointerType::getUnqual(F->getContext())
                             : Returned))
        return false;
    } else if (!Of.Tape &&
               (V->getType()->isPointerTy() || Of.InMemory || Last)) {
      if (!readTape())
        return false;
      ++Next;
    } else {
      return true; // too many
    }
    if (!readMarkers(Marker, Spelling))
      return false;
    if (Marker)
      return failed(DiagId::MarkerWithoutArgument, {Spelling});
  }
  if (!Of.Tape)
    return failed(DiagId::TapeMissing, {EntryName, F});
  if (!Result.Seeds.empty() && Result.Seeds.size() != Result.Request.Width)
    return failed(DiagId::SeedMissing, {F, describe(Returned)});
  if (InMemory && Result.Seeds.empty() && Return != MarkerRole::ConstReturn &&
      holdsFloat(Returned))
    return failed(DiagId::SeedMissing, {F, describe(Returned)});
  return true;
}

/// What follows the arguments of the function in a tangent sweep: the tape,
/// unless a marker named it. Null stands for a run that is still to be done:
/// this is forward mode as ever.
bool Decoder::readTapeOfTangents() {
  EntryTape &Of = Result.OfTape;
  if (!Of.Tape) {
    if (Next == Call.arg_size())
      return failed(DiagId::TapeMissing, {EntryName, F});
    if (!readTape())
      return false;
    ++Next;
    std::optional<MarkerRole> Marker;
    StringRef Spelling;
    if (!readMarkers(Marker, Spelling))
      return false;
    if (Marker)
      return failed(DiagId::MarkerWithoutArgument, {Spelling});
  }
  if (!Of.InMemory && Of.Tape->How == EntryOperand::Direct &&
      isa<ConstantPointerNull>(Of.Tape->V)) {
    Of = {};
    Result.Request.FromTape = false;
  }
  return true;
}

/// In a joint derivative the adjoint of a result of several numbers may follow
/// the arguments; that of one number is 1.
bool Decoder::readJointSeeds() {
  bool InMemory = F->arg_size() && F->getArg(0)->hasStructRetAttr();
  Type *Returned =
      InMemory ? F->getArg(0)->getParamStructRetType() : F->getReturnType();
  if (Return == MarkerRole::ConstReturn || Returned->isFloatingPointTy() ||
      !holdsFloat(Returned) || holdsPointer(Returned))
    return true;
  while (Next != Call.arg_size() &&
         Result.Seeds.size() < Result.Request.Width) {
    if (InMemory && !IsReference[Next] && !Call.isByValArgument(Next))
      break; // one too many
    if (!readSeed(InMemory ? PointerType::getUnqual(F->getContext())
                           : Returned))
      return false;
  }
  if (!Result.Seeds.empty() && Result.Seeds.size() != Result.Request.Width)
    return failed(DiagId::SeedMissing, {F, describe(Returned)});
  return true;
}

/// The next arguments as the adjoint of the result, in one lane.
bool Decoder::readSeed(Type *Returned) {
  SmallVector<EntryOperand, 1> &Seed = Result.Seeds.emplace_back();
  auto Wrong = [&](Type *Have) {
    return failed(DiagId::SeedKind, {F, describe(Returned), describe(Have)});
  };
  Value *V = Call.getArgOperand(Next);
  Type *Have = V->getType();
  if (Have == Returned) {
    Seed.push_back({EntryOperand::Direct, V});
  } else if (Have->isPointerTy() &&
             (IsReference[Next] || Call.isByValArgument(Next))) {
    Seed.push_back({EntryOperand::Load, V});
  } else if (Have->isFloatingPointTy() && Returned->isFloatingPointTy()) {
    bool Wider =
        Have->getPrimitiveSizeInBits() > Returned->getPrimitiveSizeInBits();
    if (Wider && !Have->isDoubleTy())
      return Wrong(Have);
    Seed.push_back({Wider ? EntryOperand::FPTrunc : EntryOperand::FPExtend, V});
  } else if (auto *S = dyn_cast<StructType>(Returned)) {
    // A small struct is passed member by member.
    for (Type *Member : S->elements()) {
      if (Next == Call.arg_size() || isMarker(Call.getArgOperand(Next)))
        return Wrong(Have);
      V = Call.getArgOperand(Next++);
      if (V->getType() != Member)
        return Wrong(V->getType());
      Seed.push_back({EntryOperand::Direct, V});
    }
    return true;
  } else {
    return Wrong(Have);
  }
  ++Next;
  return true;
}

/// Both halves of a split derivative have to ask for the same: nothing here may
/// depend on what the caller does with one half's result.
bool Decoder::readSplitReturn(Type *Returned, bool InMemory) {
  DerivativeRequest &Request = Result.Request;
  const bool ReturnConst = Return == MarkerRole::ConstReturn;
  bool Numbers = !ReturnConst && holdsFloat(Returned);
  bool Pointers = !ReturnConst && !ForTangents && holdsPointer(Returned);
  if (Numbers && Pointers)
    return failed(DiagId::ReturnNotNumbers, {F, describe(Returned)});
  if (InMemory) {
    if (Pointers)
      return failed(DiagId::ReturnNotNumbers, {F, describe(Returned)});
    Request.ReturnPrimal = false;
    if (!Numbers)
      return true;
    Request.Args[0] = ArgActivity::Dup;
    for (unsigned Lane = 0; Lane < Request.Width; ++Lane)
      Result.Parameters[0].Shadows.push_back(
          isAugment()
              ? EntryOperand{EntryOperand::ZeroMemory, nullptr, Returned}
              : Result.Seeds[Lane][0]);
    return true;
  }
  Request.ReturnPrimal = !Returned->isVoidTy();
  Request.ActiveReturn = Numbers;
  Request.ShadowReturn = Pointers;
  return true;
}

/// Where each result lies in the type that the user declared.
bool Decoder::matchResult() {
  Type *Declared =
      Result.ResultInMemory ? Result.ResultInMemory : Call.getType();
  // A result that nobody looks at may be declared as anything: one declaration
  // of the entry point often serves several calls.
  bool Unused = !Result.ResultInMemory && Call.use_empty();
  if (Declared->isVoidTy() || Unused) {
    Result.Results.clear();
    return true;
  }
  if (Result.Results.empty())
    return failed(DiagId::NothingReturned, {EntryName, F});
  auto Matches = [&](MutableArrayRef<EntryResult> Results) {
    if (Results.empty())
      return false;
    bool Found =
        Results.size() == 1 &&
        (Results[0].Ty == Declared ||
         (Results[0].Ty->isFloatingPointTy() && Declared->isFloatingPointTy() &&
          Results[0].Ty->getPrimitiveSizeInBits() <
              Declared->getPrimitiveSizeInBits()));
    for (bool PackVectors : {false, true})
      Found = Found ||
              fits(Results, layOut(Results, PackVectors, DL), Declared, DL);
    if (Found)
      Result.Results =
          SmallVector<EntryResult, 4>(Results.begin(), Results.end());
    return Found;
  };
  MutableArrayRef<EntryResult> Results = Result.Results;
  // A tape returned by value is a struct in front of the rest.
  auto MatchesTapeOf = [&](uint64_t Bytes) {
    Results[0].Bytes = Bytes;
    for (MutableArrayRef<EntryResult> Wanted = Results; !Wanted.empty();
         Wanted = Wanted.drop_back())
      if (Matches(Wanted)) {
        Result.OfTape.UserBytes = Bytes;
        return true;
      }
    Results[0].Bytes = 0;
    return false;
  };
  if (Result.OfTape.ValueBytes && MatchesTapeOf(Result.OfTape.ValueBytes))
    return true;
  // A tape in memory of the user's need not be returned, too; and who wants the
  // tape alone need not declare what comes behind it.
  if (Result.OfTape.InMemory && isAugment() && Matches(Results.drop_front()))
    return true;
  if (Matches(Results))
    return true;
  // The tape behind the numbers: the types tell them apart.
  if (isAugment() && Results[0].Ty->isPointerTy() &&
      none_of(Results.drop_front(),
              [](const EntryResult &R) { return holdsPointer(R.Ty); })) {
    SmallVector<EntryResult, 4> TapeLast(Results.drop_front());
    TapeLast.push_back(Results[0]);
    if (Matches(TapeLast))
      return true;
  }
  if (isAugment())
    for (MutableArrayRef<EntryResult> First = Results.drop_back();
         !First.empty(); First = First.drop_back())
      if (Matches(First))
        return true;
  // Nobody said how large its struct is: the first member, or all there is.
  // Numbers in it are none of the tape's.
  if (auto *S = dyn_cast<StructType>(Declared);
      S && isAugment() && !Result.OfTape.Tape) {
    for (Type *T : {S->getNumElements() ? S->getElementType(0) : S, Declared})
      if (uint64_t Bytes = DL.getTypeAllocSize(T);
          Bytes >= TapeHandleBytes && !holdsFloat(T) && !holdsPointer(T) &&
          MatchesTapeOf(Bytes))
        return true;
  }
  std::string List;
  for (const EntryResult &R : Result.Results)
    List += (List.empty() ? "" : ", ") + describe(R.Ty);
  return failed(DiagId::ResultMismatch,
                {EntryName, F, List, describe(Declared)});
}

std::optional<EntryCall> Decoder::decode() {
  EntryName = userName(*entryCallee(Call));
  Result.Call = &Call;
  Result.Request.Mode =
      Entry.Role == EntryRole::Forward   ? DerivativeMode::Forward
      : Entry.Role == EntryRole::Batch   ? DerivativeMode::Batch
      : Entry.Role == EntryRole::Augment ? DerivativeMode::Augment
      : Entry.Role == EntryRole::Sweep   ? DerivativeMode::Sweep
                                         : DerivativeMode::ReverseJoint;
  if (Entry.Role == EntryRole::ForwardFromTape) {
    Result.Request.Mode = DerivativeMode::Forward;
    Result.Request.FromTape = true;
  }
  if (Entry.Role == EntryRole::ErrorEstimate) {
    Result.Request.Mode = DerivativeMode::Forward;
    Result.Request.ErrorEstimate = true;
  }
  if (Entry.Role == EntryRole::Probabilistic)
    return fail(DiagId::Probabilistic, {EntryName, Entry.What});
  // What could be folded is gone by now.
  if (Entry.Role == EntryRole::Sum || Entry.Role == EntryRole::Product)
    return fail(DiagId::ViewForm, {EntryName, "numbers, of which it returns " +
                                                  std::string(Entry.What)});
  // The inactive ones that were understood are gone by now.
  if (Entry.Role == EntryRole::NotYet || Entry.Role == EntryRole::Itself ||
      Entry.Role == EntryRole::CallInactive ||
      Entry.Role == EntryRole::IgnoreDerivatives)
    return fail(DiagId::EntryCallNotYet, {Entry.Name, Entry.What});
  if (Call.arg_size() && Call.paramHasAttr(0, Attribute::StructRet))
    Result.ResultInMemory = Call.getParamStructRetType(0);

  if (!findFunction())
    return std::nullopt;
  Result.Request.Primal = F;
  findReferences();
  if (!readWidth())
    return std::nullopt;
  findInterleave();

  for (const ParameterGroup &Group : parameterGroups(*F)) {
    Argument &P = *F->getArg(Group.First);
    if (P.hasStructRetAttr()) {
      EntryParameter Parameter;
      Parameter.Primal = {EntryOperand::ZeroMemory, nullptr,
                          P.getParamStructRetType()};
      Result.Parameters.push_back(Parameter);
      Result.Request.Args.push_back(ArgActivity::Const);
      continue;
    }
    if (!readParameters(Group))
      return std::nullopt;
  }
  // Options may stand at the end, too.
  std::optional<MarkerRole> Marker;
  StringRef Spelling;
  if (!readMarkers(Marker, Spelling))
    return std::nullopt;
  if (Interleave && Next == *Interleave) {
    Next = NextShadow;
    Interleave.reset();
    if (!readMarkers(Marker, Spelling))
      return std::nullopt;
  }
  if (Marker && Next == Call.arg_size())
    return fail(DiagId::MarkerWithoutArgument, {Spelling});
  if (isSweep() && !readSweepOperands())
    return std::nullopt;
  if (Result.Request.FromTape && !readTapeOfTangents())
    return std::nullopt;
  if (Result.Request.Mode == DerivativeMode::ReverseJoint && !readJointSeeds())
    return std::nullopt;
  if (isAugment() && Result.OfTape.InMemory != Result.OfTape.Tape.has_value()) {
    // Without memory of the user's the tape is returned as a struct of that
    // size.
    EntryTape &Of = Result.OfTape;
    std::optional<uint64_t> Bytes =
        Of.InMemory ? constantOf(Of.MemoryBytes) : std::nullopt;
    Type *Declared =
        Result.ResultInMemory ? Result.ResultInMemory : Call.getType();
    if (!Bytes || Declared->isVoidTy() || Declared->isPointerTy())
      return fail(DiagId::TapeMissing, {EntryName, F});
    Of.InMemory = false;
    Of.ValueBytes = *Bytes;
  }
  if (Next != Call.arg_size())
    return fail(
        DiagId::TooManyArguments,
        {F, unsigned(Call.arg_size() - Next),
         "the parameters are " + signature() +
             (isBatch() ? "; one that is a vector is passed once per lane"
              : isForward()
                  ? "; each number is followed by its tangent"
                  : "; in reverse mode a number has no shadow, its adjoint is "
                    "part of the result")});

  if (!readReturn() || !matchResult())
    return std::nullopt;
  // Who is handed the pointer may use it.
  if (isAugment() && any_of(Result.Results, [](const EntryResult &R) {
        return R.Member == 0 && !R.Bytes;
      }))
    Result.OfTape.UserBytes = 0;
  if (!isBatch() && F->arg_size() &&
      all_of(Result.Request.Args,
             [](ArgActivity A) { return A == ArgActivity::Const; }))
    Diags.report(DiagId::NoActiveArgument, &Call, RequestTrail(Call, F), {F});
  if (ForTangents) {
    // The run is the same for all shadows, which come with the tangent sweep.
    for (EntryParameter &P : Result.Parameters)
      P.Shadows.clear();
    Result.Request = augmentOf(*ForTangents);
    Result.Tangents = *ForTangents;
  } else if (Result.Request.FromTape) {
    Result.Tangents = Result.Request;
  }
  return std::move(Result);
}

//===----------------------------------------------------------------------===//
// All calls of a module
//===----------------------------------------------------------------------===//

Use *retrograd::functionOperandOf(CallBase &Call) {
  if (!entryCallee(Call))
    return nullptr;
  unsigned First =
      Call.arg_size() && Call.paramHasAttr(0, Attribute::StructRet);
  return First < Call.arg_size() ? &Call.getArgOperandUse(First) : nullptr;
}

/// Innermost first, see the header. Within that, in the order of the module.
static void sortInnermostFirst(SmallVectorImpl<EntryCall> &Calls) {
  DenseMap<const Function *, SmallVector<unsigned, 2>> Inside;
  for (unsigned I = 0; I < Calls.size(); ++I)
    Inside[Calls[I].Call->getFunction()].push_back(I);

  SmallVector<EntryCall, 4> Sorted;
  SmallVector<bool, 8> Placed(Calls.size(), false);
  SmallPtrSet<const Function *, 16> Visited;
  // Places the calls in F and in all that F reaches. A function that is being
  // visited already is part of a cycle, which no order can satisfy.
  auto Visit = [&](auto &&Self, const Function *F) -> void {
    if (!Visited.insert(F).second)
      return;
    for (const Instruction &I : instructions(*F))
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (const Function *Callee = Call->getCalledFunction();
            Callee && !Callee->isDeclaration())
          Self(Self, Callee);
    if (auto It = Inside.find(F); It != Inside.end())
      for (unsigned I : It->second) {
        Self(Self, Calls[I].Request.Primal);
        if (!Placed[I]) {
          Placed[I] = true;
          Sorted.push_back(Calls[I]);
        }
      }
  };
  for (unsigned I = 0; I < Calls.size(); ++I)
    Visit(Visit, Calls[I].Call->getFunction());
  Calls = std::move(Sorted);
}

/// Which calls stand in functions that others differentiate.
static void findNested(MutableArrayRef<EntryCall> Calls) {
  SmallPtrSet<const Function *, 16> Differentiated;
  SmallVector<const Function *, 16> Work;
  for (const EntryCall &E : Calls)
    Work.push_back(E.Request.Primal);
  while (!Work.empty()) {
    const Function *F = Work.pop_back_val();
    if (Differentiated.insert(F).second)
      for (const Instruction &I : instructions(*F))
        if (auto *Call = dyn_cast<CallBase>(&I))
          if (const Function *Callee = Call->getCalledFunction();
              Callee && !Callee->isDeclaration())
            Work.push_back(Callee);
  }
  for (EntryCall &E : Calls)
    E.Again = Differentiated.contains(E.Call->getFunction());
}

/// Where one reverse sweep of a function keeps its tape, all its tapes are made
/// to be swept again: any of them may be the one.
static void keepTapes(MutableArrayRef<EntryCall> Calls) {
  SmallPtrSet<const Function *, 4> Kept;
  for (const EntryCall &E : Calls)
    if (E.OfTape.Keep && !E.Request.FromTape)
      Kept.insert(E.Request.Primal);
  for (EntryCall &E : Calls)
    if (!E.Request.FromTape && (E.Request.Mode == DerivativeMode::Augment ||
                                E.Request.Mode == DerivativeMode::Sweep))
      E.Request.ManySweeps = Kept.contains(E.Request.Primal);
}

/// Where the tape that Call returns is seen to go: the calls that take it as an
/// argument. False if it may go elsewhere. Local variables are followed, since
/// at -O0 all goes through them.
static bool seesReaders(const CallBase &Call,
                        SmallPtrSetImpl<const CallBase *> &Readers) {
  SmallSetVector<const Value *, 8> Values, Memory;
  Values.insert(&Call);
  auto Variable = [](const Value *P) {
    return dyn_cast<AllocaInst>(P->stripInBoundsOffsets());
  };
  auto Follow = [&](const Value *V, const User *U, bool IsMemory) {
    if (const auto *E = dyn_cast<ExtractValueInst>(U)) {
      if (E->getIndices().front() == 0)
        Values.insert(E);
      return true;
    }
    if (const auto *S = dyn_cast<StoreInst>(U)) {
      if (S->getValueOperand() != V)
        return true; // another value for the variable
      const AllocaInst *A =
          IsMemory ? nullptr : Variable(S->getPointerOperand());
      return A && (Memory.insert(A), true);
    }
    if (IsMemory && isa<GetElementPtrInst>(U))
      return Memory.insert(U), true;
    if (const auto *L = dyn_cast<LoadInst>(U); L && IsMemory) {
      if (!L->getType()->isFloatingPointTy())
        Values.insert(L);
      return true;
    }
    if (const auto *T = dyn_cast<MemTransferInst>(U); T && IsMemory) {
      if (T->getRawSource() != V)
        return true;
      const AllocaInst *A = Variable(T->getRawDest());
      return A && (Memory.insert(A), true);
    }
    if (const auto *I = dyn_cast<IntrinsicInst>(U);
        I && I->isLifetimeStartOrEnd())
      return true;
    const auto *Reader = dyn_cast<CallBase>(U);
    return Reader && entryCallee(*Reader) && (Readers.insert(Reader), true);
  };
  for (size_t V = 0, M = 0; V != Values.size() || M != Memory.size();) {
    bool IsMemory = V == Values.size();
    const Value *Next = IsMemory ? Memory[M++] : Values[V++];
    for (const User *U : Next->users())
      if (!Follow(Next, U, IsMemory))
        return false;
  }
  return !Readers.empty();
}

namespace {
/// Who may read the tapes that are made of one function.
struct TapeReaders {
  SmallVector<DerivativeRequest, 1> Tangents;
  SmallVector<const CallBase *, 2> TangentCalls;
  bool Sweeps = false;
};
} // namespace

/// A shadow of null says that no reverse sweep follows: it would have nowhere
/// to add to.
static bool hasNullShadow(const CallBase &Call) {
  for (unsigned I = 0; I + 2 < Call.arg_size(); ++I) {
    StringRef Marker = markerOf(Call.getArgOperand(I));
    if ((Marker == "enzyme_dup" || Marker == "enzyme_dupnoneed") &&
        isa<ConstantPointerNull>(Call.getArgOperand(I + 2)))
      return true;
  }
  return false;
}

/// The tangent sweeps that read the tape of an augmented call; null if reverse
/// sweeps do. None after a diagnosed failure.
static std::optional<const DerivativeRequest *>
tangentsOf(CallBase &Call, const TapeReaders &Of, DiagnosticEngine &Diags,
           Function &F) {
  if (Of.Tangents.empty())
    return nullptr;
  auto Wrong = [&](const char *Whom) {
    Diags.report(DiagId::TwoReadersOfTape, &Call, RequestTrail(Call, &F),
                 {DiagArg(&F), Whom});
    return std::nullopt;
  };
  SmallPtrSet<const CallBase *, 2> Readers;
  bool Tangents = true, Sweeps = Of.Sweeps;
  if (Sweeps && seesReaders(Call, Readers)) {
    auto IsTangent = [&](const CallBase *C) {
      return is_contained(Of.TangentCalls, C);
    };
    Tangents = any_of(Readers, IsTangent);
    Sweeps = !all_of(Readers, IsTangent);
  }
  if (Tangents && Sweeps && !hasNullShadow(Call))
    return Wrong("both __enzyme_reverse and __enzyme_fwdsplit");
  if (!Tangents)
    return nullptr;
  if (Of.Tangents.size() > 1)
    return Wrong("calls of __enzyme_fwdsplit with different markers");
  return &Of.Tangents.front();
}

EntryCalls
retrograd::collectEntryCalls(Module &M, DiagnosticEngine &Diags,
                             function_ref<bool(const Function &)> HasRule) {
  EntryCalls Found;
  if (!hasEntryCalls(M))
    return Found;
  struct Undecoded {
    CallBase *Call;
    const EntryPointName *Entry; ///< null for a name that is not known
    std::optional<EntryCall> Decoded;
  };
  std::vector<Undecoded> All;
  for (Function &Around : M)
    for (Instruction &I : instructions(Around)) {
      auto *Call = dyn_cast<CallBase>(&I);
      Function *Callee = Call ? entryCallee(*Call) : nullptr;
      if (!Callee)
        continue;
      const EntryPointName *Entry = entryPointOf(Callee->getName());
      if (Entry && (Entry->Role == EntryRole::TapeSize ||
                    Entry->Role == EntryRole::View))
        continue; // a constant, an address: no derivative
      All.push_back({Call, Entry, std::nullopt});
    }
  // What makes a tape comes last where tangent sweeps read it: it is made for
  // them.
  const bool AnyTangents = any_of(All, [](const Undecoded &U) {
    return U.Entry && U.Entry->Role == EntryRole::ForwardFromTape;
  });
  DenseMap<const Function *, TapeReaders> Readers;
  for (bool Augments : {false, true})
    for (Undecoded &U : All) {
      if ((AnyTangents && U.Entry && U.Entry->Role == EntryRole::Augment) !=
          Augments)
        continue;
      if (!U.Entry) {
        Diags.report(DiagId::UnknownEntryCall, U.Call,
                     RequestTrail(*U.Call, nullptr), {entryCallee(*U.Call)});
        continue;
      }
      const DerivativeRequest *Tangents = nullptr;
      if (Augments) {
        FunctionOperand Named =
            resolveFunction(functionOperandOf(*U.Call)->get());
        if (Named.Complete && Named.Functions.size() == 1) {
          auto Of = tangentsOf(*U.Call, Readers[Named.Functions[0]], Diags,
                               *Named.Functions[0]);
          if (!Of)
            continue;
          Tangents = *Of;
        }
      }
      U.Decoded = Decoder(*U.Call, *U.Entry, Diags, HasRule, Tangents).decode();
      if (!U.Decoded || Augments)
        continue;
      const DerivativeRequest &R = U.Decoded->Request;
      if (R.Mode == DerivativeMode::Sweep)
        Readers[R.Primal].Sweeps = true;
      if (!R.FromTape)
        continue;
      TapeReaders &Of = Readers[R.Primal];
      Of.TangentCalls.push_back(U.Call);
      if (!is_contained(Of.Tangents, R))
        Of.Tangents.push_back(R);
    }
  for (Undecoded &U : All)
    if (U.Decoded)
      Found.Calls.push_back(std::move(*U.Decoded));
    else
      Found.Refused.push_back(U.Call);
  keepTapes(Found.Calls);
  sortInnermostFirst(Found.Calls);
  findNested(Found.Calls);
  return Found;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void print(raw_ostream &OS, const EntryOperand &Operand) {
  static constexpr StringLiteral Spelling[] = {
      "",      "fptrunc ", "inttrunc ", "fpextend ", "intextend ",
      "load ", "copy of ", "zeros",     "ones"};
  OS << Spelling[Operand.How];
  if (Operand.V)
    Operand.V->printAsOperand(OS, /*PrintType=*/true);
  if (Operand.Memory)
    OS << (Operand.V ? " as " : " of type ") << DiagArg(Operand.Memory).Text;
  if (Operand.Offset)
    OS << " + " << Operand.Offset;
  if (Operand.Stride) {
    OS << " + " << Operand.Lane << " * ";
    Operand.Stride->printAsOperand(OS, /*PrintType=*/true);
  }
}

void EntryCall::print(raw_ostream &OS) const {
  Request.print(OS);
  OS << ", asked in " << Call->getFunction()->getName() << "\n";
  for (unsigned I = 0; I < Parameters.size(); ++I) {
    OS << "  " << spelling(Request.Args[I]) << ": ";
    ::print(OS, Parameters[I].Primal);
    for (const EntryOperand &Shadow : Parameters[I].Shadows) {
      OS << ", shadow ";
      ::print(OS, Shadow);
    }
    OS << "\n";
  }
  for (const EntryResult &R : Results) {
    OS << "  result: " << *R.Ty << " at " << R.Offset << " from ";
    if (R.Member)
      OS << "member " << *R.Member;
    else
      OS << (R.OfShadow ? "shadow of parameter " : "memory of parameter ")
         << R.Parameter;
    OS << "\n";
  }
}
