//===- MethodSubstitute.cpp - code in place of a method -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard/MethodSubstitute.h"

using namespace llvm;
using namespace retrograd;

Value *MethodSubstitute::ask(Function &F, ArrayRef<Value *> Args) {
  CallInst *Call = B.CreateCall(&F, Args);
  Call->setCallingConv(F.getCallingConv());
  // As clang's calls say it: what a bool is, and what lies in memory.
  AttributeList Attrs = AttributeList().addRetAttributes(
      M.getContext(),
      AttrBuilder(M.getContext(), F.getAttributes().getRetAttrs()));
  for (unsigned I = 0; I != F.arg_size(); ++I)
    for (Attribute::AttrKind K :
         {Attribute::ByVal, Attribute::StructRet, Attribute::SExt,
          Attribute::ZExt, Attribute::Alignment})
      if (Attribute A = F.getAttributes().getParamAttr(I, K); A.isValid())
        Attrs = Attrs.addParamAttribute(M.getContext(), I, A);
  Call->setAttributes(Attrs);
  return Call;
}

Value *MethodSubstitute::nth(Value *Base, uint64_t Stride, Value *I) {
  return B.CreateInBoundsGEP(B.getInt8Ty(), Base,
                             B.CreateNUWMul(I, B.getInt64(Stride)));
}

Function *MethodSubstitute::begin() {
  SmallVector<Type *, 4> Params;
  for (Argument &A : Method.args())
    Params.push_back(A.getType());
  Function *F = function(B.getVoidTy(), Params, "rg.method");
  // How parameters are handed over, too.
  for (Argument &A : Method.args())
    F->addParamAttrs(
        A.getArgNo(),
        AttrBuilder(M.getContext(),
                    Method.getAttributes().getParamAttrs(A.getArgNo())));
  return F;
}
