//===- PtxAssembly.h - inline PTX as the IR it stands for -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_PRIMAL_DEVICE_PTXASSEMBLY_H
#define RETROGRAD_PRIMAL_DEVICE_PTXASSEMBLY_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {

/// Replaces inline PTX in F, a function for an NVIDIA GPU, by IR that does the
/// same, wherever each of its statements is known. CUDA's headers write the
/// arithmetic of __half and __nv_bfloat16 so; derivatives and CPUs need to know
/// what it says. Likewise NVVM's intrinsics for the words of a double. Whether
/// anything was replaced.
/// SharedNumbers: also what reads and writes shared memory by numbers; to
/// derivatives a number has no shadow.
bool spellOutPtx(llvm::Function &F, bool SharedNumbers = false);

} // namespace retrograd

#endif // RETROGRAD_PRIMAL_DEVICE_PTXASSEMBLY_H
