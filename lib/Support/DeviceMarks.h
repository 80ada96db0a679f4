//===- DeviceMarks.h - attributes on functions of device libraries --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_SUPPORT_DEVICEMARKS_H
#define RETROGRAD_SUPPORT_DEVICEMARKS_H

namespace retrograd {

/// On a function with a body that is a library's: the catalogue speaks of it
/// all the same, and nobody inlines it before derivatives are made. Its value
/// is "inline" where the function was marked always_inline before. See
/// Guard/DeviceLibrary.
constexpr const char *HeldLibraryFunction = "rg-held-library-function";

} // namespace retrograd

#endif
