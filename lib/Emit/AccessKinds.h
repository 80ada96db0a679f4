//===- AccessKinds.h - primal, shadow and tape never overlap ----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A derivative touches three kinds of memory, and vectorisation of its loops
// depends on the optimiser knowing that they are apart:
//
//   tape     slots of loop scopes and frames: nobody else has their address
//   shadow   adjoints of floats. A shadow that is its own primal is never
//            accumulated into, and pointers lie at other places than floats
//   primal   everything else
//
// Told by LLVM's scoped alias metadata: an access of one kind carries that
// kind's scope and is marked as not aliasing the others'.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_ACCESSKINDS_H
#define RETROGRAD_EMIT_ACCESSKINDS_H

#include "llvm/IR/Instruction.h"
#include "llvm/IR/MDBuilder.h"

namespace retrograd {

class AccessKinds {
public:
  /// The name of the scope of adjoints in the IR.
  static constexpr llvm::StringLiteral ShadowScope = "rg.shadow";
  /// Says nothing unless Tell.
  AccessKinds(llvm::LLVMContext &C, bool Tell) : Tell(Tell) {
    llvm::MDBuilder B(C);
    llvm::MDNode *Domain = B.createAnonymousAliasScopeDomain("rg");
    llvm::MDNode *T = B.createAnonymousAliasScope(Domain, "rg.tape");
    llvm::MDNode *S = B.createAnonymousAliasScope(Domain, ShadowScope);
    Tape = llvm::MDNode::get(C, {T});
    Shadow = llvm::MDNode::get(C, {S});
    Both = llvm::MDNode::get(C, {T, S});
  }

  void tape(llvm::Instruction *I) const { mark(I, Tape, Shadow); }
  void shadow(llvm::Instruction *I) const { mark(I, Shadow, Tape); }
  /// A primal access repeated in the reverse sweep.
  void repeated(llvm::Instruction *I) const { mark(I, nullptr, Both); }
  /// An access of the primal sweep, which sees no adjoints anyway.
  void primal(llvm::Instruction *I) const { mark(I, nullptr, Tape); }

private:
  void mark(llvm::Instruction *I, llvm::MDNode *Scope,
            llvm::MDNode *Apart) const {
    using llvm::LLVMContext;
    using llvm::MDNode;
    if (!Tell)
      return;
    if (Scope)
      I->setMetadata(LLVMContext::MD_alias_scope, Scope);
    I->setMetadata(
        LLVMContext::MD_noalias,
        MDNode::concatenate(I->getMetadata(LLVMContext::MD_noalias), Apart));
  }

  bool Tell;
  llvm::MDNode *Tape, *Shadow, *Both;
};

/// The same for a tangent sweep: the primal and the shadows of each lane are
/// apart from each other. Where a shadow may be its own primal nothing is said.
class LaneKinds {
public:
  LaneKinds(llvm::LLVMContext &C, unsigned Width, bool Tell) : Tell(Tell) {
    llvm::MDBuilder B(C);
    llvm::MDNode *Domain = B.createAnonymousAliasScopeDomain("rg");
    llvm::SmallVector<llvm::Metadata *, 8> Scopes;
    for (unsigned L = 0; L != Width; ++L)
      Scopes.push_back(
          B.createAnonymousAliasScope(Domain, AccessKinds::ShadowScope));
    All = llvm::MDNode::get(C, Scopes);
    for (unsigned L = 0; L != Width; ++L) {
      llvm::SmallVector<llvm::Metadata *, 8> Others(Scopes);
      Others.erase(Others.begin() + L);
      Own.push_back(llvm::MDNode::get(C, {Scopes[L]}));
      Apart.push_back(llvm::MDNode::get(C, Others));
    }
  }

  void primal(llvm::Instruction *I) const {
    using llvm::LLVMContext;
    if (!Tell)
      return;
    I->setMetadata(LLVMContext::MD_noalias,
                   llvm::MDNode::concatenate(
                       I->getMetadata(LLVMContext::MD_noalias), All));
  }
  void shadow(llvm::Instruction *I, unsigned Lane) const {
    using llvm::LLVMContext;
    if (!Tell)
      return;
    I->setMetadata(LLVMContext::MD_alias_scope, Own[Lane]);
    if (Own.size() != 1)
      I->setMetadata(LLVMContext::MD_noalias, Apart[Lane]);
  }

private:
  bool Tell;
  llvm::MDNode *All;
  llvm::SmallVector<llvm::MDNode *, 4> Own, Apart;
};

} // namespace retrograd

#endif
