//===- PrimalEvidence.h - types that unoptimised code knows -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that clang compiled at -O0 has no TBAA, but it has something better as
// long as nobody has optimised it: every access has the type that the
// programmer wrote, and every variable, member access and struct copy names its
// struct. Simplification destroys both. It turns small memcpys into integer
// accesses and forgets the structs that addresses were computed in. So the
// evidence is made explicit in the clone before it is simplified:
//
//  - a copy of at most 128 bytes of known layout becomes one typed load and
//    store per member (padding is not copied);
//  - a larger one carries `!rg.layout
//    !{!"0:f64,8:p,16:i32,20:?4", i64 24}`: the members from the
//    start of the copy (four bytes may be anything), and their
//    period in bytes;
//  - a load or store of an integer of 4 or 8 bytes that the programmer wrote
//    carries `!rg.int !{}`, which tells it from the integers that later stand
//    for the bytes of a copy, and `!rg.int !{!"member"}` if its struct says so.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_LANGUAGE_PRIMALEVIDENCE_H
#define RETROGRAD_PRIMAL_LANGUAGE_PRIMALEVIDENCE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
class Module;
class StructType;
class Type;
} // namespace llvm

namespace retrograd {

/// Named metadata: what clang calls the structs that share the bytes of a union
/// with a number, by its syntax tree (Pass/ClangMembers.h).
inline constexpr llvm::StringLiteral NumbersBeside = "rg.numbers-beside";

/// Structs that may be an alternative of a union: that a member of theirs is an
/// integer does not say that no number lies there.
llvm::SmallPtrSet<const llvm::StructType *, 8>
structsInUnions(const llvm::Module &M);

/// Marks the programmer's own integer accesses. Only for code that no pass has
/// touched since the front end.
void markWrittenIntegers(
    llvm::Function &F,
    const llvm::SmallPtrSetImpl<const llvm::StructType *> &InUnions);

/// Marks accesses to bit-fields, which have no TBAA. For the first code of the
/// front end, when the optimiser is going to run.
void markBitFields(llvm::Module &M);

/// The same of integers in arrays that are members: TBAA names a struct for
/// scalars alone.
void markIntegerElements(
    llvm::Function &F,
    const llvm::SmallPtrSetImpl<const llvm::StructType *> &InUnions);

/// The same of integers that are members, and elements of such arrays, whose
/// address was handed on before the access (MemberAddresses.h). Functions: all
/// in whose accesses there may be any.
void markHandedMembers(
    llvm::ArrayRef<llvm::Function *> Functions,
    const llvm::SmallPtrSetImpl<const llvm::StructType *> &InUnions);

/// Types of variables whose bytes M copies from and to memory
/// (`memcpy(&words[i], &x, sizeof x)`): it may keep them in elements of any
/// other type.
llvm::SmallPtrSet<llvm::Type *, 4> findPuns(const llvm::Module &M);

/// M makes an integer of a variable's number, by a union, another pointer or a
/// copy, and keeps it, or hands it on: any integer in memory may be such bits.
/// Integers that are only asked for a sign or an exponent there are not.
bool keepsBitsOfNumbers(const llvm::Module &M);

/// Labels the copies of structs in F. For the first code of the front end, when
/// the optimiser is going to run: TBAA has no words for arrays in structs.
/// Structs: those of the module, which it takes a walk through all of it to
/// find, as it does Puns.
void labelCopies(llvm::Function &F, llvm::ArrayRef<llvm::StructType *> Structs,
                 const llvm::SmallPtrSetImpl<llvm::Type *> &Puns);

/// Splits or labels the copies of typed memory in F. May run again after
/// inlining, which copies by-value arguments.
void makeCopiesTyped(llvm::Function &F);

} // namespace retrograd

#endif
