//===- EntryResults.cpp - result, seeds and tape of a derivative call -----===//
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
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// A marker about the result must be one that the result can have.
bool EntryDecoder::checkReturnMarker(Type *Returned) {
  if (!Return || *Return == MarkerRole::ConstReturn)
    return true;
  auto Wrong = [&](const Twine &Why) {
    return failed(DiagId::ReturnMarker, {ReturnSpelling, Why});
  };
  if (*Return == MarkerRole::ActiveReturn) {
    if (isForward())
      return Wrong(
          "in forward mode a result has no adjoint: use enzyme_dup_return for "
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

namespace retrograd {

/// Lists what the derivative returns, in the order of its members.
class EntryDecoder::ResultReader {
public:
  ResultReader(EntryDecoder &Decoder, Type *Returned, bool InMemory)
      : D(Decoder), Request(D.Result.Request), Returned(Returned),
        InMemory(InMemory), Const(D.Return == MarkerRole::ConstReturn),
        Primal(Request.ReturnPrimal && !Returned->isVoidTy()) {}

  bool read() {
    if (D.isBatch())
      return readBatch();
    if (D.isForward())
      return readTangents();
    if (!D.isAugment() && !D.isSweep())
      return readJoint();
    if (!D.readSplitReturn(Returned, InMemory))
      return false;
    if (D.isAugment())
      addAugmented();
    else
      addAdjoints();
    return true;
  }

private:
  /// The result is what the memory behind a parameter holds, or its shadows.
  void addMemory(Type *T, unsigned Parameter, bool OfShadow) {
    for (unsigned Lane = 0; Lane < (OfShadow ? Request.Width : 1); ++Lane) {
      EntryResult R;
      R.Ty = T;
      R.Parameter = Parameter;
      R.OfShadow = OfShadow;
      R.Lane = Lane;
      D.Result.Results.push_back(R);
    }
  }
  /// The memory that the primal's result is written to.
  void addReturned(bool OfShadow) { addMemory(Returned, 0, OfShadow); }
  /// The result is the derivative's next member.
  void addMember(Type *T) {
    EntryResult R;
    R.Ty = T;
    R.Member = Member++;
    D.Result.Results.push_back(R);
  }
  void addLanes(Type *T) {
    for (unsigned Lane = 0; Lane < Request.Width; ++Lane)
      addMember(T);
  }
  /// Memory for the shadows of the result, which begins as zero.
  void makeShadows() {
    Request.Args[0] = ArgActivity::Dup;
    D.Result.Parameters[0].Shadows.assign(
        Request.Width,
        EntryOperand{EntryOperand::ZeroMemory, nullptr, Returned});
  }

  bool readBatch() {
    if (InMemory) {
      makeShadows();
      addReturned(/*OfShadow=*/true);
    } else if (!Returned->isVoidTy()) {
      addLanes(Returned);
    }
    return true;
  }

  bool readTangents() {
    bool Discarded = D.Call.getType()->isVoidTy() && !D.Result.ResultInMemory;
    bool Active = !Const && !Discarded &&
                  (holdsFloat(Returned) || holdsPointer(Returned));
    if (!InMemory) {
      Request.ActiveReturn = Active;
      if (Primal)
        addMember(Returned);
      if (Active)
        addLanes(Returned);
      return true;
    }
    if (Primal && Request.FromTape)
      return D.failed(DiagId::MarkerElsewhere,
                      {"enzyme_primal_return", D.EntryName});
    Request.ReturnPrimal = false;
    Request.Args[0] = ArgActivity::Const;
    if (Active)
      makeShadows();
    if (Primal)
      addReturned(/*OfShadow=*/false);
    if (Active)
      addReturned(/*OfShadow=*/true);
    return true;
  }

  /// {tape, primal?, shadow?}
  void addAugmented() {
    addMember(PointerType::getUnqual(D.F->getContext()));
    if (InMemory)
      addReturned(/*OfShadow=*/false);
    else if (!Returned->isVoidTy())
      addMember(Returned);
    if (Request.ShadowReturn)
      addLanes(Returned);
    if (D.NoReturn && !Returned->isVoidTy())
      D.Result.Results.erase(D.Result.Results.begin() + 1);
  }

  bool readJoint() {
    bool Numbers = !Const && holdsFloat(Returned);
    if (Numbers && holdsPointer(Returned))
      return D.failed(DiagId::ReturnNotNumbers, {D.F, describe(Returned)});
    Request.ActiveReturn = Numbers && !InMemory;
    if (InMemory) {
      Request.ReturnPrimal = false;
      if (Numbers)
        makeSeeds();
      if (Primal)
        addReturned(/*OfShadow=*/false);
    } else if (Primal) {
      addMember(Returned);
    }
    addAdjoints();
    return true;
  }

  /// The shadows of the result hold the seeds, or ones.
  void makeSeeds() {
    Request.Args[0] = ArgActivity::Dup;
    for (unsigned Lane = 0; Lane < Request.Width; ++Lane)
      D.Result.Parameters[0].Shadows.push_back(
          D.Result.Seeds.empty()
              ? EntryOperand{EntryOperand::OnesMemory, nullptr, Returned}
              : EntryOperand{EntryOperand::CopyMemory,
                             D.Result.Seeds[Lane][0].V, Returned});
  }

  /// The adjoints of what is passed by value.
  void addAdjoints() {
    for (Argument &P : D.F->args()) {
      unsigned I = P.getArgNo();
      ArrayRef<EntryOperand> Shadows = D.Result.Parameters[I].Shadows;
      if (Request.Args[I] == ArgActivity::Out)
        addLanes(P.getType());
      else if (P.hasByValAttr() && !Shadows.empty() &&
               Shadows[0].How == EntryOperand::ZeroMemory)
        addMemory(P.getParamByValType(), I, /*OfShadow=*/true);
    }
  }

  EntryDecoder &D;
  DerivativeRequest &Request;
  Type *const Returned;
  const bool InMemory, Const;
  const bool Primal; ///< the primal's result is asked for
  unsigned Member = 0;
};

} // namespace retrograd

/// What the derivative returns, and what is asked of its return value.
bool EntryDecoder::readReturn() {
  bool InMemory = F->arg_size() && F->getArg(0)->hasStructRetAttr();
  Type *Returned =
      InMemory ? F->getArg(0)->getParamStructRetType() : F->getReturnType();
  if (!checkReturnMarker(Returned))
    return false;
  if (NoReturn)
    Result.Request.ReturnPrimal = false;
  return ResultReader(*this, Returned, InMemory).read();
}

/// enzyme_tape, enzyme_allocated and enzyme_nofree, which do not stand before
/// an argument of the function.
bool EntryDecoder::readTapeMarker(MarkerRole Role, StringRef Name) {
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
bool EntryDecoder::readTape() {
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
bool EntryDecoder::readSweepOperands() {
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
bool EntryDecoder::readTapeOfTangents() {
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
  if (Of.Tape && !Of.InMemory && Of.Tape->How == EntryOperand::Direct &&
      isa<ConstantPointerNull>(Of.Tape->V)) {
    Of = {};
    Result.Request.FromTape = false;
  }
  return true;
}

/// In a joint derivative the adjoint of a result of several numbers may follow
/// the arguments; that of one number is 1.
bool EntryDecoder::readJointSeeds() {
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
bool EntryDecoder::readSeed(Type *Returned) {
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
bool EntryDecoder::readSplitReturn(Type *Returned, bool InMemory) {
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

/// Nobody looks at what Call returns: at most it is stored to variables that
/// are never read, as unoptimised code has it.
static bool isNeverRead(const CallBase &Call) {
  auto OnlyWritten = [](const AllocaInst &Variable) {
    return all_of(Variable.users(), [&](const User *U) {
      const auto *S = dyn_cast<StoreInst>(U);
      return (S && S->getPointerOperand() == &Variable &&
              S->getValueOperand() != &Variable && !S->isVolatile()) ||
             cast<Instruction>(U)->isLifetimeStartOrEnd();
    });
  };
  return all_of(Call.users(), [&](const User *U) {
    const auto *S = dyn_cast<StoreInst>(U);
    const auto *Variable =
        S ? dyn_cast<AllocaInst>(S->getPointerOperand()) : nullptr;
    return Variable && OnlyWritten(*Variable);
  });
}

/// Where each result lies in the type that the user declared.
bool EntryDecoder::matchResult() {
  Type *Declared =
      Result.ResultInMemory ? Result.ResultInMemory : Call.getType();
  // A result that nobody looks at may be declared as anything: one declaration
  // of the entry point often serves several calls.
  bool Unused = !Result.ResultInMemory && Call.use_empty();
  if (Declared->isVoidTy() || Unused) {
    Result.Results.clear();
    return true;
  }
  // What does not fit may be kept in a variable, if nobody asks for it there.
  auto NeverRead = [&] {
    if (Result.ResultInMemory || !isNeverRead(Call))
      return false;
    Result.Results.clear();
    return true;
  };
  if (Result.Results.empty())
    return NeverRead() || failed(DiagId::NothingReturned, {EntryName, F});
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
  if (!isAugment() && NeverRead())
    return true;
  std::string List;
  for (const EntryResult &R : Result.Results)
    List += (List.empty() ? "" : ", ") + describe(R.Ty);
  return failed(DiagId::ResultMismatch,
                {EntryName, F, List, describe(Declared)});
}
