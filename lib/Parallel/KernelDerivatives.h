//===- KernelDerivatives.h - kernels that run derivatives -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the device half, for a kernel k(double *x, int n, double a) that is active
// in x and a, what a user would write by hand:
//
//   __global__ void k_rg_rev_0_2(double *x, int n, const double *a,
//                                double *x_sh, double *a_sh) {
//     __enzyme_autodiff(k_once, enzyme_dup, x, x_sh, enzyme_const, n,
//                       enzyme_dup, a, a_sh);
//   }
//   __device__ void k_once(double *x, int n, const double *a) { k(x, n, *a); }
//
// Active numbers come by address: all threads add to one adjoint, which is done
// as for any memory that they share.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PARALLEL_KERNELDERIVATIVES_H
#define RETROGRAD_PARALLEL_KERNELDERIVATIVES_H

#include "Parallel/HostLaunches.h"

namespace retrograd {

/// Adds the derivatives to device half D, and takes all other kernels out.
/// Blocks wait for each other by GridBarrier.
void writeKernelDerivatives(llvm::Module &D,
                            llvm::ArrayRef<HostLaunches::Kernel> Wanted,
                            llvm::StringRef GridBarrier);

} // namespace retrograd

#endif
