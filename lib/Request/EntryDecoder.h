//===- EntryDecoder.h - decode one derivative call --------------*- C++ -*-===//
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

#ifndef RETROGRAD_REQUEST_ENTRYDECODER_H
#define RETROGRAD_REQUEST_ENTRYDECODER_H

#include "Diagnostics/DiagnosticEngine.h"
#include "Request/EntryCalls.h"
#include "Request/Markers.h"
#include "Request/ParameterGroups.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

namespace retrograd {

/// Reads the arguments of one call from left to right: EntryDecoder.cpp has the
/// order and the function, EntryParameters.cpp the parameters and what stands
/// for them, EntryResults.cpp the result, seeds and tapes.
class EntryDecoder {
public:
  EntryDecoder(llvm::CallBase &Call, const EntryPointName &Entry,
               DiagnosticEngine &Diags,
               llvm::function_ref<bool(const llvm::Function &)> HasRule,
               const DerivativeRequest *ForTangents = nullptr)
      : Call(Call), Entry(Entry), Diags(Diags), HasRule(HasRule),
        ForTangents(ForTangents), DL(Call.getDataLayout()) {}

  /// None if the call was diagnosed.
  std::optional<EntryCall> decode();

private:
  llvm::CallBase &Call;
  const EntryPointName &Entry;
  DiagnosticEngine &Diags;
  llvm::function_ref<bool(const llvm::Function &)> HasRule;
  /// Of a primal sweep whose tape tangent sweeps read: what they ask for.
  const DerivativeRequest *ForTangents;
  const llvm::DataLayout &DL;

  EntryCall Result;
  llvm::Function *F = nullptr;   ///< the primal
  unsigned Next = 0;             ///< argument to be read next
  llvm::BitVector IsReference;   ///< per argument
  bool MarkersByAddress = false; ///< any
  /// Behind a strided marker: the distance of the lanes.
  llvm::Value *Stride = nullptr;
  /// The marker about the result, and how it is spelled.
  std::optional<MarkerRole> Return;
  llvm::StringRef ReturnSpelling;
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
  unsigned userIndex(const llvm::Argument &P) const {
    return P.getArgNo() + 1 -
           (F->arg_size() && F->getArg(0)->hasStructRetAttr());
  }
  std::string signature() const;

  void findReferences();
  bool findFunction();
  bool readWidth();
  void findInterleave();
  bool readByRef(llvm::StringRef Name);
  bool readMarkers(std::optional<MarkerRole> &Activity,
                   llvm::StringRef &Spelling);
  bool readParameters(const ParameterGroup &Group);
  bool readOperands(const ParameterGroup &Group, bool IsShadow,
                    llvm::SmallVectorImpl<EntryOperand> &Operands);
  bool
  readLanes(const ParameterGroup &Group,
            llvm::SmallVectorImpl<llvm::SmallVector<EntryOperand, 2>> &Lanes);
  bool checkShadow(llvm::Argument &P, const EntryOperand &Primal,
                   const EntryOperand &Shadow);
  std::optional<ArgActivity> activityOf(llvm::Argument &P, llvm::Type *T,
                                        std::optional<MarkerRole> Marker);
  std::optional<EntryOperand> convert(unsigned Index, llvm::Argument &P,
                                      bool IsShadow);
  std::optional<EntryOperand> convertByRef(unsigned Index, llvm::Argument &P);
  bool checkReturnMarker(llvm::Type *Returned);
  class ResultReader;
  bool readReturn();
  bool readTapeMarker(MarkerRole Role, llvm::StringRef Name);
  bool readTape();
  bool readSweepOperands();
  bool readTapeOfTangents();
  bool readSeed(llvm::Type *Returned);
  bool readJointSeeds();
  bool readSplitReturn(llvm::Type *Returned, bool InMemory);
  bool matchResult();
};

} // namespace retrograd

#endif
