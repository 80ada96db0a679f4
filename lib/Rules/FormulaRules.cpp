//===- FormulaRules.cpp - operations whose derivative is a formula --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   primal   y = f(x1, ..., xn)
//   adjoint  adj[xi] += (df/dxi) * adj[y]        for each active xi
//
// The formula of (df/dxi) * seed is a record of the catalogue.
//
//===----------------------------------------------------------------------===//

#include "Catalogue/Catalogue.h"
#include "Rules/RulesInternal.h"

using namespace llvm;
using namespace retrograd;

static const char *missing(const Instruction &I, const ActivityAnalysis &A) {
  const OperationRecord *R = A.facts().catalogue().lookup(I);
  return R && R->Class == RuleClass::Formula ? nullptr : I.getOpcodeName();
}

static void needs(const Instruction &I, const ActivityAnalysis &A,
                  NeedSink Sink) {
  const OperationRecord &R = *A.facts().catalogue().lookup(I);
  for (const Partial &P : R.Partials) {
    if (!A.isActive(I.getOperand(P.Operand)))
      continue;
    uint32_t Read = R.argsReadByPartial(P.Operand);
    for (unsigned N = 0; N != 32 && N < I.getNumOperands(); ++N)
      if (Read >> N & 1)
        Sink({Need::Primal, I.getOperand(N)});
    if (R.resultReadByPartial(P.Operand))
      Sink({Need::Primal, &I});
  }
}

static void emit(const Instruction &I, RuleContext &C) {
  const OperationRecord &R = *C.activity().facts().catalogue().lookup(I);
  Value *Seed = C.take(&I);
  for (const Partial &P : R.Partials) {
    const Value *Operand = I.getOperand(P.Operand);
    if (C.activity().isActive(Operand))
      C.accumulate(Operand, C.partial(P, I, Seed));
  }
}

const Rule retrograd::FormulaRule = {missing, needs, emit};
