//===- AccessTags.h - what a front end calls an access ----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TBAA metadata name the types of a language. The names are clang's, which
// flang shares as far as it has any.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_CATALOGUE_ACCESSTAGS_H
#define RETROGRAD_CATALOGUE_ACCESSTAGS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace llvm {
class Instruction;
class LLVMContext;
class MDNode;
class Type;
class Value;
} // namespace llvm

namespace retrograd {

/// The name of a type node; empty if it has none.
llvm::StringRef tagTypeName(const llvm::MDNode *Type);

/// The name of the scalar that Access reads or writes, by its tag; empty if the
/// tag names none.
llvm::StringRef accessTypeName(const llvm::Instruction &Access);

/// The type of characters, by which any memory may be accessed: says nothing.
bool namesAnything(llvm::StringRef TypeName);

/// A pointer to anything, to one type, or to a virtual table.
bool namesPointer(llvm::StringRef TypeName);

/// The parent of the scalar types that stand for pointers in the hierarchy.
bool namesParentOfPointers(llvm::StringRef TypeName);

/// A truth value: 0 or 1.
bool namesTruthValue(llvm::StringRef TypeName);

/// The type of the scalar that Access, of a word, reads or writes by its tag: a
/// double, a pointer, an integer; void if the tag tells nothing.
llvm::Type *taggedType(const llvm::Instruction &Access);

/// A tag that names a type (OfMember: that of a struct's member) and tells
/// nothing of aliases; null without a name.
llvm::MDNode *writtenTag(llvm::StringRef TypeName, bool OfMember,
                         llvm::LLVMContext &Ctx);

/// Tag is that of a member, made by writtenTag: it does not say of which
/// struct.
bool namesNoStruct(const llvm::MDNode &Tag);

/// A word: a double, a pointer, or an integer in which both fit.
bool isWord(const llvm::Type &T);

/// A load or store of a word whose type nobody wrote: a part of a copy, which
/// the optimiser moves as whatever else suits it. A union holds a number or a
/// pointer there.
bool isBareWord(const llvm::Instruction &Access);

/// V as it was before it was taken for a word of another type.
const llvm::Value *beforeCasts(const llvm::Value *V);

/// The type of Size bytes which the tag's name stands for; null if it tells
/// nothing.
llvm::Type *namedScalar(llvm::StringRef TypeName, uint64_t Size,
                        llvm::LLVMContext &Ctx);

} // namespace retrograd

#endif
