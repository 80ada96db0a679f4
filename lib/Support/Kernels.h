//===- Kernels.h - what is said of kernels in IR ----------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_SUPPORT_KERNELS_H
#define RETROGRAD_SUPPORT_KERNELS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace retrograd {

/// Attribute of a kernel: the number of parts of dynamic shared memory that its
/// launch has to provide, where it is not 1 (Polish/DynamicShared.h).
inline constexpr llvm::StringLiteral DynamicPartsAttribute = "rg-dynamic-parts";
/// With the kernel's name behind it, the variable by which it tells the host:
/// that number, and whether the host has seen it (runtime/launch.c).
inline constexpr llvm::StringLiteral DynamicPartsVariable =
    "rg_dynamic_parts_of_";

/// Attribute of a kernel: the bytes of dynamic shared memory that its launch
/// has to provide behind what the program asks for (Polish/StaticShared.h).
inline constexpr llvm::StringLiteral MovedBytesAttribute = "rg-moved-bytes";
/// The variable by which it tells the host. Such a kernel has 24 KiB of static
/// shared memory or more.
inline constexpr llvm::StringLiteral MovedBytesVariable = "rg_moved_bytes_of_";

/// The same for the variable whose presence says that the kernel may need tape
/// of its launch (Polish/LaunchMemory.h), and where the launch says how many
/// bytes of it are on the stack.
inline constexpr llvm::StringLiteral TapeVariable = "rg_tape_of_";
/// Beside it, what is known before the launch of how much it will ask for
/// (Polish/TapeNeed.h).
inline constexpr llvm::StringLiteral NeedVariable = "rg_need_of_";

/// Attribute of what the derivative of a launch is made of: one kernel alone
/// runs it.
inline constexpr llvm::StringLiteral LaunchedAlone = "rg-launched-alone";

/// Attribute of its parameters: pointers lie in the memory behind it, which it
/// follows. The host says of each whether it has a shadow; one without is its
/// own, as the parameter itself may be.
inline constexpr llvm::StringLiteral LeadsOn = "rg-leads-on";
/// With it, where the derivative is a reverse sweep: the function by
/// which one thread of each block waits for those of the others. The launch of
/// the derivative is cooperative where the derivative calls it
/// (Primal/Device/MeetAtFences.cpp).
inline constexpr llvm::StringLiteral GridBarrierName = "rg-grid-barrier";
/// All blocks wait for each other where it ends.
inline constexpr llvm::StringLiteral GridBarrierAtEnd =
    "rg-grid-barrier-at-end";

/// F is a kernel of NVIDIA with a body.
bool isDeviceKernel(const llvm::Function &F);

/// The device's symbol of the kernel that a host stub launches, or "": the
/// unqualified name in the stub's symbol starts with __device_stub__, and its
/// length counts it.
std::string kernelOfStub(llvm::StringRef Stub);

/// The kernels of M (of NVIDIA) that come to one of Roots by calls that name
/// it; all of them if there are other ways to come there.
llvm::SmallVector<llvm::Function *, 4>
kernelsReaching(llvm::Module &M, llvm::ArrayRef<llvm::Function *> Roots);

} // namespace retrograd

#endif
