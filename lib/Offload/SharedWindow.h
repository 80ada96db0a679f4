//===- SharedWindow.h - shared memory by numbers ----------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a device an address of shared memory, as a number, counts from the start
// of the block's shared memory. It fits into 32 bits, and programs hand such
// numbers to inline PTX. Here shared memory is memory of the stack and of the
// heap, whose addresses do not fit.
//
// Where a program turns pointers to shared memory into numbers or numbers into
// such pointers, all shared memory of a block is one allocation, which the
// runtime makes: the variables, then what the launch asked for, as on a device.
// The numbers count from its start.
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_OFFLOAD_SHAREDWINDOW_H
#define RETROGRAD_OFFLOAD_SHAREDWINDOW_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace llvm {
class Module;
} // namespace llvm

namespace retrograd {

/// On a kernel: the bytes of the shared variables that it names, which it no
/// longer does.
constexpr llvm::StringLiteral StaticSharedAttribute = "rg-static-shared";

/// Brings the shared variables of D, a device half, together where it needs
/// that. Says how many bytes of an allocation they take; 0 where they stay
/// variables. Shared variables are named by instructions only.
uint64_t layOutSharedWindow(llvm::Module &D);

} // namespace retrograd

#endif
