//===- Catalogue.td - all records, in the order of the tables -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "Operation.td"
include "Instructions.td"
include "LibM.td"
include "Intrinsics.td"
include "X86.td"
include "Device.td"
include "LibC.td"
include "OpenMP.td"
include "Threads.td"
include "CThreads.td"
include "Dispatch.td"
include "CxxRuntime.td"
include "Fortran.td"
include "Rust.td"
include "LinearAlgebra.td"
include "MPI.td"
include "Cuda.td"
