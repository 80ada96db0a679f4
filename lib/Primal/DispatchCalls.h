//===- DispatchCalls.h - calls through pointers become direct ---*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call through a pointer in a primal becomes a call of a dispatcher, a
// function that compares the address with those of all functions that it can be
// and calls the one it is:
//
//   double rg.dispatch.0(args..., ptr callee) {
//     if (callee == &f) return f(args...);
//     if (callee == &g) return g(args...);
//     rg_unknown_callee(callee, where);  // or the call itself, see below
//   }
//
// So analyses, plans and emission meet direct calls only, the user's own
// addresses are all that is looked at (no shadow of a function or of a virtual
// table exists), and what the address was compared with tells the reverse sweep
// which function to reverse.
//
// Candidates are the functions of the module whose address is taken and whose
// type is that of the call. Where the address comes from a fixed place of a
// table (a virtual call), functions that only stand in virtual tables have to
// stand at that place in one. The same for tables that are written by hand:
// where the address is a member of a struct, by the access's type, functions
// that initialisers and stores put into members only have to stand at that
// distance from the beginning of a struct; not so where the program takes what
// their member holds elsewhere (`a->f = b->g`), or the member's address: clang
// says so (Pass/ClangMembers). Without its word all are candidates.
//
// What only a library's parallel method refers to (its tasks) is no candidate
// where the method has a substitute (Guard/Methods.h).
//
// Integers that a call passes as constants, and that a candidate chooses by,
// are part of a dispatcher's identity: the managers of std::function and
// std::any get an object and what to do with it (copy it, destroy it, tell its
// address), and one function that did all of it would take an object for its
// address.
//
// An address that is none of them: where floating-point numbers are involved it
// ends the program with a message; elsewhere (a hook that logs) it is called as
// it is, as long as no derivative is asked of it.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_DISPATCHCALLS_H
#define RETROGRAD_PRIMAL_DISPATCHCALLS_H

#include "Bitcode/RuntimeLibrary.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include <optional>

namespace retrograd {
class Catalogue;

/// What Pass/ClangMembers knows of a unit. A module flag, 1 where all units say
/// the rest.
inline constexpr llvm::StringLiteral MembersAreKnown = "rg.members";
/// The same, 1 where no unit makes a pointer to a virtual member function, or
/// one to a member of another class: each is the address of a function.
inline constexpr llvm::StringLiteral MemberPointersAreAddresses =
    "rg.members.addresses";
/// Named metadata, an integer per node: at these distances from the beginning
/// of a struct, members that are function pointers are taken elsewhere, by
/// value or by their address. The same for members that are pointers to data,
/// and whether some function is made one.
inline constexpr llvm::StringLiteral MovedMembers = "rg.members.moved";
inline constexpr llvm::StringLiteral MovedDataMembers = "rg.members.data";
inline constexpr llvm::StringLiteral FunctionsAsData = "rg.functions.as.data";

class CallDispatch {
public:
  CallDispatch(llvm::Module &M, const Catalogue &Cat)
      : M(M), Cat(Cat), Runtime(M) {}

  /// Replaces the calls through pointers in the clone F that have candidates,
  /// in blocks that may return. True if there was one.
  bool dispatchCalls(llvm::Function &F);
  /// Calls of dispatchers in F whose address is known by now become direct.
  void resolveKnown(llvm::Function &F);
  /// May Callee be inlined into a dispatcher? Only what cannot be refused: a
  /// refusal within the dispatcher would be one of all candidates.
  bool isHarmless(const llvm::Function &Callee) const;
  /// May the (prepared) dispatcher be inlined into its callers? When it calls
  /// nothing any more that might be refused.
  bool isClosed(const llvm::Function &Dispatcher) const;
  /// No call through a pointer was met that has candidates.
  bool empty() const { return Dispatchers.empty(); }
  /// Dispatchers made from now on have candidates in Among only, if there are
  /// some; null: all of the module's. What is left out ends the program like an
  /// address that nobody knows.
  void
  narrow(std::optional<llvm::SmallPtrSet<const llvm::Function *, 32>> Among);
  /// Would dispatchers that are in use have fewer candidates then?
  bool
  hasOthersThan(const llvm::SmallPtrSetImpl<const llvm::Function *> &Among);
  /// Removes dispatchers that nobody calls.
  void finish();

private:
  struct Dispatcher {
    llvm::Function *F;
    // What calls through it have in common.
    llvm::FunctionType *Type;
    llvm::AttributeList PassedAs;
    llvm::CallingConv::ID Convention;
    std::optional<int64_t> Slot;
    std::optional<uint64_t> Member;
    /// Per parameter: the integer that is passed for it, where candidates
    /// choose by it; null elsewhere.
    llvm::SmallVector<llvm::ConstantInt *, 4> Fixed;
    /// How often candidates had been narrowed when it was made.
    unsigned Epoch;
    /// The runtime calls: what is none of the candidates ends the program.
    bool ByRuntime;
    /// It ends an object: an address that is none of the candidates ends the
    /// program.
    bool DropsObject;
    /// What only stands in virtual tables is not called.
    bool ByAddress = false;
    /// It asks an exception for its text: what is none of the candidates is
    /// called without a derivative.
    bool AsksException = false;
  };
  std::optional<uint64_t> memberCalled(const llvm::CallBase &Call) const;
  /// Its address is loaded behind a loaded pointer, as from a virtual table.
  static bool isVirtual(const Dispatcher &D);
  /// Beside: it is one of several calls of the function, of which others have
  /// candidates. Null if Call stays as it is.
  Dispatcher *dispatcherFor(llvm::CallBase &Call, bool Beside);
  /// Callee as it is for the fixed arguments of D.
  llvm::Function *specialise(const Dispatcher &D, llvm::Function &Callee);
  /// Whom calls of one type (and slot) may reach: thousands of virtual calls
  /// share a few of these.
  struct CandidateSet {
    llvm::FunctionType *Type;
    llvm::CallingConv::ID Convention;
    std::optional<int64_t> Slot;
    std::optional<uint64_t> Member;
    bool ByAddress;
    llvm::SmallVector<llvm::Function *, 8> Found;
    bool Choosing; ///< one of them chooses by integers
    bool Seen;     ///< one of them has a body or a record
    bool Virtual;  ///< a function of this type stands in a virtual table
  };
  /// Valid until the next call.
  const CandidateSet &candidates(const Dispatcher &D);
  void findCandidates(const Dispatcher &D, CandidateSet &Set) const;
  bool settleMembers(llvm::Function &F);
  void writeBody(Dispatcher &D, llvm::ArrayRef<llvm::Function *> Candidates,
                 bool LeftOut, const llvm::CallBase &First);
  llvm::Function *makeUnseen(const Dispatcher &D, llvm::Function *Callee);
  llvm::Value *callFrom(llvm::IRBuilderBase &B, const Dispatcher &D,
                        llvm::Value *Callee, llvm::Function &In) const;

  llvm::Module &M;
  const Catalogue &Cat;
  RuntimeLibrary Runtime;
  llvm::SmallVector<Dispatcher, 4> Dispatchers;
  llvm::SmallVector<CandidateSet, 4> Sets;
  std::optional<llvm::SmallPtrSet<const llvm::Function *, 32>> Only;
  /// What primals have substitutes for, once somebody asks.
  std::optional<llvm::SmallPtrSet<const llvm::Function *, 32>> OfMethods;
  unsigned Epoch = 0;
};

} // namespace retrograd

#endif
