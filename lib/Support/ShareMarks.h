//===- ShareMarks.h - the arithmetic of derivatives -------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_SUPPORT_SHAREMARKS_H
#define RETROGRAD_SUPPORT_SHAREMARKS_H

namespace retrograd {

/// `!annotation` (LLVM's passes carry it on) of what is linear in an adjoint or
/// a tangent, on GPUs: products with it, its sums, additions of it to memory.
/// Emission writes it, Polish/ZeroShares reads it and takes it off.
constexpr const char *ShareMark = "rg_share";

} // namespace retrograd

#endif
