//===- cublas_v2.h - says that this is not here -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#error "cuBLAS is not part of --offload=cpu (docs/user/CudaOnCpu.md)"
