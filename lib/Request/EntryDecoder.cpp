//===- EntryDecoder.cpp - decode one derivative call ----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Request/EntryDecoder.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Request/FunctionOperand.h"
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

std::string EntryDecoder::signature() const {
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

bool EntryDecoder::findFunction() {
  Use *Operand = functionOperandOf(Call);
  if (!Operand)
    return failed(DiagId::NotAFunction, {EntryName, "missing"});
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
bool EntryDecoder::readWidth() {
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

std::optional<EntryCall> EntryDecoder::decode() {
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
