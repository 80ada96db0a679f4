//===- SourceFact.h - what the source says, carried by the IR ---*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The source of a program knows types that the IR does not: this word is an
// integer member, this copy moves elements of that type. The folders that know
// a language (Primal/Language, Entry) note such facts, analyses and plans read
// them, and this header is the only way to do either.
//
// A fact is metadata. LLVM's passes may drop metadata and never invent it, so a
// fact may be missing and is never wrong: readers treat a missing fact as "not
// known". See lib/Support/README.md, "Facts of the source".
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_SUPPORT_SOURCEFACT_H
#define RETROGRAD_SUPPORT_SOURCEFACT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace llvm {
class Instruction;
class LLVMContext;
class Module;
class StructType;
class Type;
class raw_ostream;
} // namespace llvm

namespace retrograd {

enum class SourceFact {
#define SOURCE_FACT(Id, Metadata) Id,
#include "Support/SourceFacts.def"
};

/// What lies in memory, again after each Period bytes. Members are
/// "place:type,...", with places in bytes and the types f16, bf16, f32, f64,
/// f80, f128, p (a pointer), i and a number of bits, ? and a number of bytes of
/// which nothing is known: "0:f64,8:p,16:i32,20:?4". What no member covers is
/// padding.
struct MemoryLayout {
  llvm::StringRef Members;
  int64_t Period = 0;
};

/// The kind of metadata that carries Fact.
llvm::StringRef metadataOf(SourceFact Fact);

void noteFact(llvm::Instruction &I, SourceFact Fact);
bool hasFact(const llvm::Instruction &I, SourceFact Fact);
/// To moves what lies in memory as From does.
void copyFacts(llvm::Instruction &To, const llvm::Instruction &From);

/// SourceFact::Integer of an access; Declared where a member is declared to be
/// an integer.
void noteInteger(llvm::Instruction &Access, bool Declared);
/// Of accesses with SourceFact::Integer: is the integer a declared member?
/// Nothing where the fact is missing.
std::optional<bool> declaredInteger(const llvm::Instruction &Access);

/// A member of a layout. Bytes of which nothing is known have no type.
struct LayoutMember {
  int64_t Offset;
  int64_t Bytes; ///< of a member without type, or of integers
  llvm::Type *Ty;
};

/// Writes one member as MemoryLayout has it.
void writeMember(llvm::raw_ostream &OS, const LayoutMember &Member);
/// Reads the members of Layout in order; false if its text cannot be read to
/// the end.
bool readMembers(const MemoryLayout &Layout, llvm::LLVMContext &Ctx,
                 llvm::SmallVectorImpl<LayoutMember> &Members);

/// SourceFact::Layout, SourceFact::Declared or SourceFact::Elements.
void noteLayout(llvm::Instruction &Copy, SourceFact Fact, MemoryLayout Layout);
std::optional<MemoryLayout> layoutFact(const llvm::Instruction &Copy,
                                       SourceFact Fact);

/// SourceFact::CopiesBits, SourceFact::PlainIntegers,
/// SourceFact::PlainAddresses, SourceFact::PlainMembers.
void noteFact(llvm::Module &M, SourceFact Fact);
bool hasFact(const llvm::Module &M, SourceFact Fact);

/// SourceFact::Text: the members of Struct at Offsets are arrays of characters,
/// which nobody takes for storage of something else.
void noteText(llvm::Module &M, llvm::StructType &Struct,
              llvm::ArrayRef<uint64_t> Offsets);
/// Such members, by struct.
llvm::DenseMap<const llvm::StructType *, llvm::SmallVector<uint64_t, 2>>
textMembers(const llvm::Module &M);

} // namespace retrograd

#endif
