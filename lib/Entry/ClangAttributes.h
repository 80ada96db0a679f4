//===- ClangAttributes.h - attributes for functions with rules --*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ENTRY_CLANGATTRIBUTES_H
#define RETROGRAD_ENTRY_CLANGATTRIBUTES_H

#include "clang/AST/ASTConsumer.h"
#include <memory>

namespace retrograd {

/// Sees to it that clang emits what rules consist of: functions that nothing
/// but an attribute names, and static registrations that nothing reads.
std::unique_ptr<clang::ASTConsumer> keepRules();

} // namespace retrograd

#endif
