//===- ArtificialSubprogram.h - lines for functions we make -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_SUPPORT_ARTIFICIALSUBPROGRAM_H
#define RETROGRAD_SUPPORT_ARTIFICIALSUBPROGRAM_H

#include "llvm/IR/DebugInfoMetadata.h"

namespace retrograd {

/// The debug scope of a function named Symbol that stands for the user's
/// function of scope Of: the user's name and lines, marked as artificial.
inline llvm::DISubprogram *artificialSubprogram(const llvm::DISubprogram &Of,
                                                llvm::StringRef Symbol) {
  using namespace llvm;
  return DISubprogram::getDistinct(
      Of.getContext(), Of.getFile(), Of.getName(), Symbol, Of.getFile(),
      Of.getLine(), Of.getType(), Of.getScopeLine(),
      /*ContainingType=*/nullptr, /*VirtualIndex=*/0, /*ThisAdjustment=*/0,
      DINode::FlagArtificial,
      DISubprogram::SPFlagDefinition | DISubprogram::SPFlagLocalToUnit |
          DISubprogram::SPFlagOptimized,
      Of.getUnit());
}

} // namespace retrograd

#endif
