//===- MemberPointers.h - pointers to members that are as they look -*- C++
//-*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer to a member function of C++ is two integers: the function's
// address, or a place in the object's virtual table, which one bit tells; and
// what is added to `this` for a base class. A call through one is
//
//   object = this + adjustment
//   callee = function & 1 ? *(*object + function - 1) : function
//   callee(object, ...)
//
// even where no class has virtual functions or several bases. Taken literally,
// the call may read any word of the object as the address of a table, and
// reaches any place in it: members of different types become one.
//
// Where no function of the call's type stands in a virtual table, or clang has
// seen that the module makes no pointer to a virtual member at all
// (Pass/ClangMembers), and no pointer to a candidate has an adjustment, the
// call gets `this` itself and the address itself. What it is told when it runs
// is compared: another pointer ends the program with a message.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_LANGUAGE_MEMBERPOINTERS_H
#define RETROGRAD_PRIMAL_LANGUAGE_MEMBERPOINTERS_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace retrograd {
class RuntimeLibrary;

/// Is one of Candidates the target of a pointer to a member with an adjustment,
/// as far as the module shows? True where the two integers are not seen
/// together.
bool haveAdjustments(llvm::ArrayRef<llvm::Function *> Candidates);

/// Whether dropVirtualMember or dropAdjustment would find something to do,
/// which takes no look at the candidates.
bool mayBeThroughMember(const llvm::CallBase &Call);

/// Call, through an address, takes no place of a virtual table. True if it was
/// a call through a pointer to a member that might have done so.
bool dropVirtualMember(llvm::CallBase &Call, RuntimeLibrary &Runtime);

/// The object that Call is given through a pointer to a member is `this`. True
/// if something was added to it.
bool dropAdjustment(llvm::CallBase &Call, RuntimeLibrary &Runtime);

} // namespace retrograd

#endif
