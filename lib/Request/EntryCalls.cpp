//===- EntryCalls.cpp - find the user's derivative calls ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Request/EntryCalls.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Request/EntryDecoder.h"
#include "Request/FunctionOperand.h"
#include "Request/Markers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

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
    return Wrong("__enzyme_reverse and by __enzyme_fwdsplit");
  if (!Tangents)
    return nullptr;
  if (Of.Tangents.size() > 1)
    return Wrong("two calls of __enzyme_fwdsplit that have different markers");
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
      U.Decoded =
          EntryDecoder(*U.Call, *U.Entry, Diags, HasRule, Tangents).decode();
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
