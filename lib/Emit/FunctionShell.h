//===- FunctionShell.h - signatures, argument mapping, cloning --*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal split derivatives take the arena as first argument, in front of what
// DerivativeRequest.h says:
//
//   Augment   {ptr tape, primal?, shadow?} (ptr arena, a [, a.sh] ...)
//   Sweep     {adj(a) ...}                 (ptr arena, ptr tape [, seed])
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_FUNCTIONSHELL_H
#define RETROGRAD_EMIT_FUNCTIONSHELL_H

#include "Catalogue/Catalogue.h"
#include "Request/DerivativeRequest.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace retrograd {

/// Of a derivative that has all tangents of a number in one vector.
constexpr llvm::StringLiteral LanesAttribute = "rg-lanes";

/// The type of the function that answers R, with the hidden arena of split
/// modes.
llvm::FunctionType *derivativeType(const DerivativeRequest &R);
/// From primal values to what belongs to them, one map per lane.
using LaneMaps =
    llvm::SmallVector<llvm::DenseMap<const llvm::Value *, llvm::Value *>, 1>;

/// Declares the function that answers R.
llvm::Function *declareDerivative(const DerivativeRequest &R, llvm::Module &M);

/// Declares the recorder that belongs to the tangent sweep that answers R,
/// which is Forward and FromTape:  primal (ptr log, a ...)
llvm::Function *declareRecorder(const DerivativeRequest &R, llvm::Module &M);

/// Clones the prepared primal F into the declared function D (Forward,
/// ReverseJoint, Augment). VMap gets F's values, Shadows its shadowed
/// arguments.
void clonePrimal(llvm::Function &D, llvm::Function &F,
                 const DerivativeRequest &R, llvm::ValueToValueMapTy &VMap,
                 LaneMaps &Shadows);

/// What the primal F reaches by a restrict parameter it reaches by no other,
/// and so it is in its clone: what derivatives add goes to shadows. Not so for
/// these: memory that is only read may be handed over twice, and is written as
/// a shadow. Of a primal with DisjointShadows that was looked for.
void keepRestrict(const llvm::Function &F, llvm::ValueToValueMapTy &VMap,
                  LaneMaps &Shadows);

/// The place right after the definition of clone I where code may be put:
/// behind the phis, in the normal destination of an invoke.
llvm::BasicBlock::iterator afterDefinition(llvm::Instruction *I);

/// A variable of D, in front of everything else in it.
llvm::AllocaInst *entryAlloca(llvm::Function &D, llvm::Type *T,
                              const llvm::Twine &Name);

/// The pointer P in the address space that pointers of unknown origin have.
llvm::Value *inGenericSpace(llvm::IRBuilderBase &B, llvm::Value *P);

/// The shadow, in the lane given, of the block that Allocation makes, whose
/// record says that it lies behind the primal: enlarges the block, and clears
/// the new part at B, which stands where the result may be used. Lanes come in
/// order.
llvm::Value *shadowBehind(llvm::CallBase &Allocation, const OperationRecord &R,
                          unsigned Lane, llvm::IRBuilderBase &B);

} // namespace retrograd

#endif
