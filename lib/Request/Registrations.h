//===- Registrations.h - what users say of functions ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There are three ways to say that a function has a rule, is inactive,
// allocates, and so on: a global with a reserved name, an attribute in the
// source (clang's annotate, which our own attributes become), and attributes or
// metadata of the IR, which other front ends write. All are read here into one
// form; what they mean is the business of Entry/UserRules.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_REQUEST_REGISTRATIONS_H
#define RETROGRAD_REQUEST_REGISTRATIONS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/GlobalVariable.h"
#include <string>

namespace llvm {
class Module;
}

namespace retrograd {

struct Registration {
  enum Kind : uint8_t {
    Augment, ///< functions are in Operands
    Gradient,
    Derivative,
    SplitDerivative,
    Inactive,
    InactiveGlobal,
    FunctionLike,   ///< name of a known function
    AllocationLike, ///< size operand, operands of the deallocator, deallocator
    Allocator,      ///< size operand
    Deallocator,    ///< operand that is freed
    DeallocatorFunction,
    NoEffect ///< permissions that we do not need
  } K;
  /// What it speaks of; null if the registration names nothing.
  llvm::GlobalObject *Of = nullptr;
  /// Functions, strings (as globals), numbers.
  llvm::SmallVector<llvm::Constant *, 3> Operands = {};
  /// For messages: the name of the global, or of the attribute.
  std::string Name = {};
  /// A global says everything in one place; attributes come one by one.
  bool InGlobal = false;
  /// Where an attribute stands, as clang says; 0: not known.
  unsigned Line = 0;
};

/// Variables whose names begin so are initialised with the functions of a rule,
/// so that clang emits those (Entry/ClangAttributes), and are of no other use.
inline constexpr char KeptName[] = "rg.keep.";

/// In the order of the module.
llvm::SmallVector<Registration, 4> collectRegistrations(llvm::Module &M);

/// The text of a C string constant; empty if C is none.
llvm::StringRef registeredText(const llvm::Constant *C);
/// The function that C is the address of, or null.
llvm::Function *registeredFunction(llvm::Constant *C);

/// A global whose name is reserved for registrations.
bool isRegistration(const llvm::GlobalVariable &G);

} // namespace retrograd

#endif
