//===- PrimalSet.h - the primals that belong together -----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The insides of PreparePrimal: the clones that call each other, and the state
// that its steps share. PreparePrimal.cpp has the order of the steps,
// InlinePrimals.cpp brings callees into their callers, SeparateMovers.cpp gives
// calls copies of callees that move memory of unknown type.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_PRIMALSET_H
#define RETROGRAD_PRIMAL_PRIMALSET_H

#include "Bitcode/RuntimeLibrary.h"
#include "Parallel/Forms.h"
#include "Primal/DispatchCalls.h"
#include "Primal/Language/LowerExceptions.h"
#include "Primal/PreparePrimal.h"
#include "Primal/PrimalSteps.h"
#include "Primal/SimplifyPrimal.h"
#include "Support/Options.h"
#include "llvm/ADT/GraphTraits.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Module.h"
#include <memory>
#include <optional>

namespace retrograd {

/// Rounds of inlining and simplifying one function.
inline constexpr unsigned MostRounds = 6;

/// A function of the user and its clone.
struct Primal {
  llvm::Function *Original = nullptr;
  llvm::Function *Clone = nullptr; ///< null: the root of a call graph walk
  /// The user asked that it is not inlined (at -O0, clang asks always; that
  /// does not count).
  bool KeepApart = false;
  /// Marked always_inline: the user's, where the host did not do so already,
  /// and routines of the runtime that shrink where their arguments are known.
  bool InlineAlways = false;
  /// As the front end left it.
  bool Unoptimised = false;
  /// Part of a cycle of the call graph.
  bool Recursive = false;
  /// Exceptions were brought into our form.
  bool Lowered = false;
  /// Calls that name Original, in the bodies that were cloned.
  unsigned CallSites = 0;
  enum { Cloned, Shrunk, Prepared } State = Cloned;
  /// Direct callees; for the walk over the call graph only.
  llvm::SmallVector<Primal *, 4> Callees;
};

} // namespace retrograd

template <> struct llvm::GraphTraits<retrograd::Primal *> {
  using NodeRef = retrograd::Primal *;
  using ChildIteratorType = SmallVectorImpl<retrograd::Primal *>::iterator;
  static NodeRef getEntryNode(retrograd::Primal *P) { return P; }
  static ChildIteratorType child_begin(retrograd::Primal *P) {
    return P->Callees.begin();
  }
  static ChildIteratorType child_end(retrograd::Primal *P) {
    return P->Callees.end();
  }
};

namespace retrograd {

struct PreparePrimal::Impl {
  llvm::Module &M;
  llvm::FunctionAnalysisManager &FAM;
  const Catalogue &Cat;
  const Options &Opts;
  StepRunner Steps;
  RuntimeLibrary Runtime;
  PrimalSimplifier Simplifier;
  /// In the order of cloning.
  llvm::SmallVector<std::unique_ptr<Primal>, 16> Primals;
  llvm::DenseMap<const llvm::Function *, Primal *> ByOriginal, ByClone;
  std::optional<llvm::SmallPtrSet<const llvm::StructType *, 8>>
      InUnions; ///< structsInUnions(M), once asked for
  /// Attributes of library functions as LLVM infers them when optimising; see
  /// describeLibraryCalls. In a module of their own: the user's declarations
  /// are not ours to change.
  llvm::Module LibraryFacts;
  ExceptionLowering Exceptions;
  CallDispatch Dispatch;
  ParallelForms Parallel;
  /// Functions of the user whose exceptions can be caught in differentiated
  /// code: their primals return them.
  llvm::SmallPtrSet<const llvm::Function *, 8> Watched;
  /// One of them was found out when its clone was made already.
  bool WatchedTooLate = false;
  /// The function that prepare() was asked for.
  const llvm::Constant *Asked = nullptr;
  /// Functions of the user to inline whatever speaks against it.
  llvm::SmallPtrSet<const llvm::Function *, 4> Inseparable;
  /// Functions of the user that get a body per call, as far as that fits.
  llvm::SmallPtrSet<const llvm::Function *, 4> PerCall;
  unsigned Separations = 0; ///< how often that set has grown
  /// Functions of the user whose words are moved in memory.
  llvm::SmallPtrSet<const llvm::Function *, 4> WordsInMemory;
  /// Copies that were made for separate calls alone, and the functions of the
  /// user that they are copies of. Their callers share their own bodies still:
  /// what is contested in such a copy has to be inlined like anything else.
  llvm::DenseMap<const llvm::Function *, const llvm::Function *> CopiedPerCall;
  const llvm::Function *originOf(const llvm::Function *F) const {
    const llvm::Function *Origin = CopiedPerCall.lookup(F);
    return Origin ? originOf(Origin) : F;
  }

  Impl(llvm::Module &M, llvm::ModuleAnalysisManager &MAM, const Catalogue &Cat,
       const Options &Opts)
      : M(M), FAM(MAM.getResult<llvm::FunctionAnalysisManagerModuleProxy>(M)
                      .getManager()),
        Cat(Cat), Opts(Opts), Steps(Opts), Runtime(M),
        LibraryFacts("rg.library.facts", M.getContext()), Exceptions(M, Cat),
        Dispatch(M, Cat), Parallel(M, Opts.Deterministic) {
    LibraryFacts.setDataLayout(M.getDataLayout());
    LibraryFacts.setTargetTriple(M.getTargetTriple());
  }

  Primal *primalOf(const llvm::Function *Original) const {
    return ByOriginal.lookup(Original);
  }

  /// Calls of F are looked into: it has a body, and neither the user nor, of
  /// the runtime's own routines, the catalogue says more.
  bool isTransparent(const llvm::Function &F) const;
  void cloneReachable(llvm::Function &F, llvm::SmallVectorImpl<Primal *> &New);
  void shrink(llvm::ArrayRef<Primal *> New);
  void shrinkOne(Primal &P);
  void prepareFrom(Primal &Root);
  void separateMovers(Primal &Asked);

  Primal *clone(llvm::Function &F);
  void runClonedSteps(Primal &P);
  bool runSettledSteps(Primal &P);
  bool runLateSteps(Primal &P);
  void runNormalSteps(Primal &P);
  void resolveCalls(llvm::Function &Clone);
  void replaceAssembly(llvm::CallBase &Assembly);
  void describeLibraryCalls(llvm::Function &Clone);
  void noteNoUnwind(Primal &P);
  bool inlineCalls(Primal &Caller);
  /// The calls of one callee in a caller, all of them and those that work on
  /// the same memory.
  struct CallCounts {
    unsigned All = 0, Alike = 0;
  };
  bool wantInline(llvm::CallBase &Call, const Primal &Caller,
                  const Primal &Callee, unsigned CallerSize, CallCounts Here);
  bool cloneNewCallees(Primal &P);
  bool mayBecomePrimal(const llvm::Function &F) const;
  bool watch(Primal &P);
  void noteThoseThatCannotThrow(llvm::ArrayRef<Primal *> New);
  void lowerExceptions(llvm::ArrayRef<Primal *> New);
  void disposeOfClones();
  void verify(const llvm::Function &Clone, llvm::StringRef Stage);
};

/// The calls of F that name their callee.
llvm::SmallVector<std::pair<llvm::CallBase *, llvm::Function *>, 16>
directCalls(llvm::Function &F);

/// What decides where the memory is that a call works on: what may lead to
/// memory, and indices if `Exactly`. Another call of the same caller that hands
/// over the same may share its body: all that the two bring together is
/// together anyway. Nothing if the callee may return memory of its own.
std::optional<llvm::SmallVector<const llvm::Value *, 4>>
placesHandedBy(const llvm::CallBase &Call, bool Exactly);

/// F copies memory of its caller's, of a length and thus of a type that only
/// its calls tell: memcpy(to, from, n). Such a helper may move records for one
/// caller and numbers for another. One body for both would have one type for
/// all bytes, so each call gets a body of its own: by inlining, or, where that
/// cannot be (a recursive helper, a large one), by separateMovers.
bool movesBytesOfItsCaller(const llvm::Function &F);

/// Marks copies of the user's functions that separateMovers made.
inline constexpr llvm::StringLiteral CopyOfMover = "rg-copy-of-mover";

} // namespace retrograd

#endif
