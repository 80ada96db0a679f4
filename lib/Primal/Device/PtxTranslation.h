//===- PtxTranslation.h - one inline assembly, on its way to IR -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of a translation, by file: PtxAssembly reads the statements,
// PtxRegisters knows operands and registers, PtxArithmetic, PtxBits and
// PtxMemory the operations.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_DEVICE_PTXTRANSLATION_H
#define RETROGRAD_PRIMAL_DEVICE_PTXTRANSLATION_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace retrograd {

/// What stands before an operand's number; `$`, LLVM's mark, may be part of a
/// name in PTX.
inline constexpr llvm::StringLiteral OperandMark = "\x01";

/// A type as PTX spells it.
struct PtxType {
  llvm::Type *T = nullptr;
  bool Signed = false, Float = false;
  unsigned bits() const { return T->getPrimitiveSizeInBits(); }
  explicit operator bool() const { return T; }
};

class PtxTranslation {
public:
  PtxTranslation(llvm::CallInst &Call, bool SharedNumbers)
      : Call(Call), B(&Call), C(Call.getContext()),
        SharedNumbers(SharedNumbers) {}
  bool run();

private:
  bool collectOperands();
  bool translate(llvm::StringRef Text);
  bool declare(llvm::StringRef Rest);
  bool statement(llvm::StringRef Text);
  bool operation();

  // Operations; each says whether it knew the statement.
  bool move();
  bool arithmetic();
  bool bitwise();
  bool compare();
  bool convert();
  bool memory();
  bool hint(); // what caches may do early: nothing here
  bool threads();
  bool shuffle();
  bool packed();

  PtxType typeOf(llvm::StringRef Name) const;
  /// The bits of V as T; integers of another width are cut or filled with
  /// zeros.
  llvm::Value *as(llvm::Value *V, llvm::Type *T);
  llvm::Value *read(llvm::StringRef Operand, llvm::Type *T);
  llvm::Value *readAddress(llvm::StringRef Operand);
  /// Whether the statement's address is one of shared memory.
  bool inShared() const { return has("shared") || has("shared::cta"); }
  /// The pointer that a number is, or a pointer of that memory.
  llvm::Value *sharedPointer(llvm::Value *V) {
    llvm::PointerType *Shared = llvm::PointerType::get(C, 3);
    if (V->getType() == Shared)
      return V;
    return B.CreateIntToPtr(as(V, B.getInt64Ty()), Shared);
  }
  bool convertAddress();
  bool copyAsync();
  bool write(llvm::StringRef Operand, llvm::Value *V);
  llvm::Value **place(llvm::StringRef Operand);
  /// An intrinsic of NVPTX by its name, or null.
  llvm::Value *intrinsic(llvm::StringRef Name,
                         llvm::ArrayRef<llvm::Value *> Args,
                         llvm::Type *Overload = nullptr);
  /// Of a float, by way of single precision where it is shorter.
  llvm::Value *fastUnit(llvm::StringRef Name, llvm::Value *X);
  llvm::Value *limited(llvm::Value *X);
  bool has(llvm::StringRef Modifier) const {
    return llvm::is_contained(Modifiers, Modifier);
  }
  bool onlyModifiers(llvm::ArrayRef<llvm::StringRef> Known) const {
    return llvm::all_of(Modifiers, [&](llvm::StringRef M) {
      return typeOf(M) || llvm::is_contained(Known, M);
    });
  }
  /// The Nth type among the modifiers.
  PtxType type(unsigned N = 0) const {
    for (llvm::StringRef M : Modifiers)
      if (PtxType T = typeOf(M); T && !N--)
        return T;
    return {};
  }

  llvm::CallInst &Call;
  llvm::IRBuilder<> B;
  llvm::LLVMContext &C;
  const bool SharedNumbers;
  llvm::SmallVector<llvm::Value *, 8>
      Operands; ///< by number; of outputs what was written last
  llvm::SmallVector<llvm::Type *, 4> OutputTypes;
  llvm::SmallVector<llvm::StringMap<std::pair<unsigned, llvm::Value *>>, 2>
      Scopes; ///< registers: width, value

  // The statement at hand.
  llvm::StringRef Opcode;
  llvm::SmallVector<llvm::StringRef, 6> Modifiers, Args;
  llvm::Value *Predicate = nullptr;
};

/// Splits at commas outside of brackets.
void splitOperands(llvm::StringRef Text,
                   llvm::SmallVectorImpl<llvm::StringRef> &Out);

/// The comparison that PTX calls Name, of operands of type T.
llvm::CmpInst::Predicate predicateOf(llvm::StringRef Name, const PtxType &T);

} // namespace retrograd

#endif
