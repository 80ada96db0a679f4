//===- NanWatch.cpp - where adjoints stop being finite --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/NanWatch.h"
#include "Bitcode/RuntimeLibrary.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// "file:line:column: in 'f': fdiv", as a string of the user's module.
static Constant *placeOf(RuntimeLibrary &Runtime, const Instruction &I) {
  std::string Text;
  raw_string_ostream OS(Text);
  if (const DebugLoc &L = I.getDebugLoc())
    OS << L->getFilename() << ':' << L.getLine() << ':' << L.getCol() << ": ";
  // The user's function, also where it was inlined.
  StringRef Name = I.getFunction()->getName();
  Name.consume_front("rg.primal.");
  if (const DebugLoc &L = I.getDebugLoc())
    if (const DISubprogram *SP = L->getScope()->getSubprogram();
        SP && !SP->getName().empty())
      Name = SP->getName();
  OS << "in '" << Name << "': ";
  const auto *C = dyn_cast<CallBase>(&I);
  OS << (C && C->getCalledFunction() ? C->getCalledFunction()->getName()
                                     : StringRef(I.getOpcodeName()));
  return Runtime.text("rg.nan.", Text);
}

void retrograd::watchFinite(IRBuilderBase &B, NanKind Kind,
                            const Instruction &I, const OperationRecord &R,
                            const Partial &P, Value *X, Value *Seed,
                            function_ref<Value *(unsigned)> Operand,
                            function_ref<Value *()> Result,
                            RuntimeLibrary &Runtime) {
  Type *Scalar = X->getType()->getScalarType();
  if (Kind == NanKind::Off || !Scalar->isFloatingPointTy() ||
      isa<ScalableVectorType>(X->getType()))
    return;
  auto *Vector = dyn_cast<FixedVectorType>(X->getType());
  Type *Double = B.getDoubleTy();
  Constant *None = ConstantFP::get(Double, 0);
  Constant *Place = placeOf(Runtime, I);
  uint32_t Read = R.argsReadByPartial(P.Operand);
  for (unsigned Lane = 0, N = Vector ? Vector->getNumElements() : 1; Lane != N;
       ++Lane) {
    // A number of ours, or of one of the primal's, as a double: null if it is
    // none.
    auto Number = [&](Value *V) -> Value * {
      if (V->getType()->isVectorTy())
        V = B.CreateExtractElement(V, Lane);
      if (V->getType()->isIntegerTy())
        return B.CreateSIToFP(V, Double);
      return V->getType()->isFloatingPointTy() ? B.CreateFPCast(V, Double)
                                               : nullptr;
    };
    uint32_t Known = 0;
    Value *Values[4] = {None, None, None, None};
    for (unsigned K = 0; K != 3 && K < I.getNumOperands(); ++K)
      if (Read >> K & 1)
        if (Value *V = Number(Operand(K))) {
          Values[K] = V;
          Known |= 1u << K;
        }
    if (R.resultReadByPartial(P.Operand))
      if (Value *V = Number(Result())) {
        Values[3] = V;
        Known |= 1u << 31;
      }
    Value *S = Number(Seed);
    B.CreateCall(Runtime.require("rg_nan_check"),
                 {Number(X), S ? S : None, Place, B.getInt32(P.Operand),
                  B.getInt32(Known), Values[0], Values[1], Values[2], Values[3],
                  B.getInt32(Kind == NanKind::Trap)});
  }
}
