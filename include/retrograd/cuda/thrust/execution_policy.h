//===- thrust/execution_policy.h - says that there is no Thrust here -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#error                                                                         \
    "Thrust is not part of --offload=cpu: use a kernel, or the C++ standard library on host memory"
