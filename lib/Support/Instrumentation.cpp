//===- Instrumentation.cpp - what sanitizers are to do --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/Instrumentation.h"
#include "llvm/IR/Function.h"

using namespace llvm;
using namespace retrograd;

void retrograd::copyInstrumentation(const Function &From, Function &To) {
  for (Attribute::AttrKind Kind :
       {Attribute::SanitizeAddress, Attribute::SanitizeHWAddress,
        Attribute::SanitizeMemory, Attribute::SanitizeThread,
        Attribute::SanitizeMemTag})
    if (From.hasFnAttribute(Kind))
      To.addFnAttr(Kind);
}
