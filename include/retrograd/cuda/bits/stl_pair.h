//===- bits/stl_pair.h - the C++ library's pairs, in kernels, too -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As for tuples (../tuple).
//
#pragma clang force_cuda_host_device begin
#include_next <bits/stl_pair.h>
#pragma clang force_cuda_host_device end
