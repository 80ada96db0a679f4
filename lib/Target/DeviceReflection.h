//===- DeviceReflection.h - what libdevice asks a compilation ---*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TARGET_DEVICEREFLECTION_H
#define RETROGRAD_TARGET_DEVICEREFLECTION_H

namespace llvm {
class Function;
}

namespace retrograd {

/// libdevice asks its host about the compilation. The answers are known here;
/// the back end would give them, too, but too late for what is inlined now.
void answerReflection(llvm::Function &F);

} // namespace retrograd

#endif
