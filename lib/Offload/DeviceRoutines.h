//===- DeviceRoutines.h - answers for intrinsics of NVVM --------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels ask by intrinsics of NVVM, and call functions of CUDA's device
// library. Here routines answer whose names are made of the intrinsic's: those
// of our device library, which is linked into the device half, and, for
// functions that stay functions, those by which the runtime tells who runs
// them. What has no answer is refused, by its name, at its line.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_OFFLOAD_DEVICEROUTINES_H
#define RETROGRAD_OFFLOAD_DEVICEROUTINES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace llvm {
class Function;
class LLVMContext;
class Module;
} // namespace llvm

namespace retrograd {
class DiagnosticEngine;

/// Answers for the special register of that name: how much dynamic shared
/// memory the launch gave. The runtime knows.
inline constexpr llvm::StringLiteral DynamicSizeName = "rg_cuda_dynamic_size";
llvm::Function *dynamicSize(llvm::Module &D);

/// The routine that tells what a special register holds:
/// llvm.nvvm.read.ptx.sreg.tid.x -> rg_sreg_tid_x.
std::string registerRoutine(llvm::StringRef Register);

/// Names what has no meaning on this route: intrinsics, assembly, functions
/// without body. True if there is nothing of that kind.
bool refuseUnknown(llvm::Module &D, DiagnosticEngine &Diags);

/// Library functions in place of NVVM's intrinsics, and their bodies. False if
/// there is no library.
bool linkLibrary(llvm::Module &D);

} // namespace retrograd

#endif
