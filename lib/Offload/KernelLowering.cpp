//===- KernelLowering.cpp - a kernel as a function that runs blocks -------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of the work: regions (KernelRegions.cpp), the function that runs
// them (BlockEmitter.h), and what the code that launches must know of the
// kernel.
//
//===----------------------------------------------------------------------===//

#include "Offload/KernelLowering.h"
#include "Catalogue/ThreadIdentity.h"
#include "Offload/BlockEmitter.h"
#include "Offload/SharedWindow.h"
#include "Offload/WideIndices.h"
#include "Support/Kernels.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

static const Value *withoutCast(const Value *V) {
  return isa<ZExtInst, SExtInst>(V) ? cast<CastInst>(V)->getOperand(0) : V;
}
/// V is the answer to a thread's question along x.
static bool answers(const Value *V, ThreadIdentity::Question Question) {
  auto *Call = dyn_cast<CallInst>(withoutCast(V));
  return Call && ThreadIdentity::of(*Call) == ThreadIdentity{Question, 0};
}
/// V is the product of the block's index and size, along x.
static bool isStartOfBlock(const Value *V) {
  auto *Product = dyn_cast<BinaryOperator>(withoutCast(V));
  auto Is = [&](unsigned I, unsigned J) {
    return answers(Product->getOperand(I), ThreadIdentity::BlockIndex) &&
           answers(Product->getOperand(J), ThreadIdentity::BlockSize);
  };
  return Product && Product->getOpcode() == Instruction::Mul &&
         (Is(0, 1) || Is(1, 0));
}
/// V is the thread's index in the grid.
static bool isIndexInGrid(const Value *V) {
  auto *Sum = dyn_cast<BinaryOperator>(V);
  auto Is = [&](unsigned I, unsigned J) {
    return isStartOfBlock(Sum->getOperand(I)) &&
           answers(Sum->getOperand(J), ThreadIdentity::ThreadIndex);
  };
  return Sum && Sum->getOpcode() == Instruction::Add && (Is(0, 1) || Is(1, 0));
}
/// Whether Visit holds for the users of V, and for those of its extensions.
static bool allUsers(const Value *V, function_ref<bool(const User *)> Visit) {
  return all_of(V->users(), [&](const User *U) {
    return isa<ZExtInst, SExtInst>(U) ? allUsers(U, Visit) : Visit(U);
  });
}

/// Whether the kernel does not see blocks: threads never meet, share nothing,
/// and ask only for their place in the grid, along x. Then any number of blocks
/// is one long one.
bool KernelLowering::isLine() const {
  if (!Options.Collapse || Options.checks() || Points.size() != 1 ||
      usesMachine() || !SharedVars.empty() || !Values.memory().empty() ||
      Next[0].count() != 1)
    return false;
  return all_of(instructions(Kernel), [&](const Instruction &I) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (Call && Reads(*Call))
      return false;
    if (!isSpecialRegister(I))
      return true;
    std::optional<ThreadIdentity> Who = ThreadIdentity::of(*Call);
    if (!Who)
      return Call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_warpsize;
    switch (Who->Asks) {
    case ThreadIdentity::ThreadIndex:
      return Who->Axis == 0 && allUsers(&I, isIndexInGrid);
    case ThreadIdentity::BlockIndex:
      return Who->Axis == 0 && allUsers(&I, [](const User *U) {
               return isStartOfBlock(U) && allUsers(U, isIndexInGrid);
             });
    case ThreadIdentity::BlockSize:
    case ThreadIdentity::GridSize:
      return true;
    }
    llvm_unreachable("all questions are answered above");
  });
}

void KernelLowering::collectShared() {
  Kernel.getFnAttribute(StaticSharedAttribute)
      .getValueAsString()
      .getAsInteger(10, Result.StaticShared);
  for (GlobalVariable &GV : M.globals()) {
    if (GV.getAddressSpace() != SharedSpace)
      continue;
    bool Here = false;
    for (User *U : GV.users())
      if (auto *I = dyn_cast<Instruction>(U); I && I->getFunction() == &Kernel)
        Here = true;
    if (!Here)
      continue;
    if (GV.isDeclaration() || DL.getTypeAllocSize(GV.getValueType()) == 0)
      DynamicVar = &GV; // all of them start at the same address
    else
      Result.StaticShared =
          alignTo(Result.StaticShared, GV.getAlign().valueOrOne()) +
          DL.getTypeAllocSize(GV.getValueType());
    SharedVars.push_back(&GV);
  }
}

Function *KernelLowering::helper(StringRef Name, Type *Ret,
                                 ArrayRef<Type *> Params) {
  return cast<Function>(
      M.getOrInsertFunction(Name, FunctionType::get(Ret, Params, false))
          .getCallee());
}

void KernelLowering::makeBlocks() {
  Type *Ptr = PointerType::get(Ctx, 0), *I64 = Type::getInt64Ty(Ctx);
  FunctionType *FT = FunctionType::get(Type::getVoidTy(Ctx),
                                       {Ptr, Ptr, I64, I64, Ptr, Ptr}, false);
  auto Make = [&](const Twine &Name, bool Row) {
    Function *F = Function::Create(FT, GlobalValue::InternalLinkage, Name, M);
    F->addParamAttr(0, Attribute::NoAlias);
    F->addParamAttr(1, Attribute::NoAlias);
    F->addParamAttr(4, Attribute::NoAlias);
    F->addParamAttr(4, Attribute::getWithAlignment(Ctx, Align(64)));
    F->addParamAttr(5, Attribute::NoAlias);
    F->addParamAttr(5, Attribute::getWithAlignment(Ctx, Align(64)));
    F->addFnAttr(Attribute::NoUnwind);
    // A row of a block is too short to be worth a call of the C library.
    for (StringRef Name :
         {"no-builtin-memcpy", "no-builtin-memmove", "no-builtin-memset"})
      F->addFnAttr(Name);
    Result.ScratchPerThread = 0;
    BlockEmitter(*this, F, Row).run();
    return F;
  };
  if (!usesMachine() || Options.Interleave) {
    Blocks = Make("rg..kernel", false);
    return;
  }
  // Threads of a warp follow each other along x, where blocks have no other
  // dimension.
  Function *Row = Make("rg..kernel.row", true),
           *General = Make("rg..kernel.general", false);
  for (Function *F : {Row, General})
    F->setSubprogram(Kernel.getSubprogram() && F == Row ? Kernel.getSubprogram()
                                                        : F->getSubprogram());
  Blocks = Function::Create(FT, GlobalValue::InternalLinkage, "rg..kernel", M);
  IRBuilder<> B(BasicBlock::Create(Ctx, "entry", Blocks));
  auto Word = [&](unsigned I) {
    return B.CreateLoad(
        B.getInt32Ty(),
        B.CreateConstInBoundsGEP1_32(B.getInt32Ty(), Blocks->getArg(1), I));
  };
  Value *Flat = B.CreateAnd(B.CreateICmpEQ(Word(4), B.getInt32(1)),
                            B.CreateICmpEQ(Word(5), B.getInt32(1)));
  BasicBlock *IsRow = BasicBlock::Create(Ctx, "row", Blocks),
             *IsNot = BasicBlock::Create(Ctx, "general", Blocks);
  B.CreateCondBr(Flat, IsRow, IsNot);
  SmallVector<Value *, 6> Args;
  for (Argument &A : Blocks->args())
    Args.push_back(&A);
  for (auto [BB, F] : {std::pair(IsRow, Row), std::pair(IsNot, General)}) {
    B.SetInsertPoint(BB);
    B.CreateCall(F, Args);
    B.CreateRetVoid();
  }
}

LoweredKernel KernelLowering::run() {
  Result.Name = Kernel.getName().str();
  const DataLayout &DL = Kernel.getDataLayout();
  for (const Argument &A : Kernel.args())
    Result.Sizes.push_back(DL.getTypeAllocSize(
        A.hasByValAttr() ? A.getParamByValType() : A.getType()));
  if (Kernel.hasFnAttribute("nvvm.maxntid")) {
    SmallVector<StringRef, 3> Parts;
    uint32_t Product = 1;
    Kernel.getFnAttribute("nvvm.maxntid").getValueAsString().split(Parts, ',');
    for (StringRef Part : Parts) {
      uint32_t N;
      if (!Part.trim().getAsInteger(10, N))
        Product *= N;
    }
    Result.MaxThreads = std::min<uint32_t>(Product, 1024);
  }
  Kernel.getFnAttribute(DynamicPartsAttribute)
      .getValueAsString()
      .getAsInteger(10, Result.DynamicParts);
  Kernel.getFnAttribute(MovedBytesAttribute)
      .getValueAsString()
      .getAsInteger(10, Result.MovedBytes);
  collectShared();
  Regions.resize(Points.size());
  AccessGroups.resize(Points.size());
  for (unsigned K = 0; K != Points.size(); ++K) {
    Next.push_back(Points.next(K));
    makeRegion(K);
    findActive(K);
  }
  makeBlocks();
  // Not before: the bounds of loops over threads are written from the guards
  // of the region as ActiveThreads found them.
  for (unsigned K = 0; K != Points.size(); ++K)
    for (Function *Region : {Regions[K], Active[K].Limited, Active[K].Within})
      if (Region)
        widenIndices(*Region, threadIndices(*Region));
  Result.Blocks = Blocks;
  DISubprogram *Lines = Kernel.getSubprogram();
  Kernel.deleteBody();
  Kernel.setSubprogram(nullptr);
  if (Lines && (!usesMachine() || Options.Interleave))
    Blocks->setSubprogram(Lines);
  Result.Blocks->takeName(&Kernel);
  return Result;
}

Constant *retrograd::siteOf(Module &M, const Instruction *I) {
  LLVMContext &Ctx = M.getContext();
  Type *I32 = Type::getInt32Ty(Ctx);
  const DILocation *Where = I ? I->getDebugLoc().get() : nullptr;
  // What headers of CUDA do for the user is told of where the user called them.
  while (Where && Where->getInlinedAt() &&
         (Where->getFilename().contains("__clang_cuda_") ||
          Where->getFilename().contains("retrograd/cuda/")))
    Where = Where->getInlinedAt();
  std::string File = Where ? Where->getFilename().str() : "";
  GlobalVariable *Text =
      M.getGlobalVariable("rg.file." + File, /*AllowInternal=*/true);
  if (!Text) {
    Constant *Bytes = ConstantDataArray::getString(Ctx, File);
    Text = new GlobalVariable(M, Bytes->getType(), true,
                              GlobalValue::PrivateLinkage, Bytes,
                              "rg.file." + File);
  }
  StructType *T = StructType::get(Ctx, {PointerType::get(Ctx, 0), I32, I32});
  Constant *Site = ConstantStruct::get(
      T, {Text, ConstantInt::get(I32, Where ? Where->getLine() : 0),
          ConstantInt::get(I32, Where ? Where->getColumn() : 0)});
  // One per place, so that each is told of once.
  std::string Name =
      ("rg.site." + File + ":" + Twine(Where ? Where->getLine() : 0) + ":" +
       Twine(Where ? Where->getColumn() : 0))
          .str();
  if (GlobalVariable *Known = M.getGlobalVariable(Name, /*AllowInternal=*/true))
    return Known;
  return new GlobalVariable(M, T, true, GlobalValue::PrivateLinkage, Site,
                            Name);
}

LoweredKernel retrograd::lowerKernel(
    Function &Kernel, function_ref<bool(const Value *)> IsUniform,
    ReadsThread Reads, const OffloadOptions &Options, DiagnosticEngine &Diags) {
  return KernelLowering(Kernel, IsUniform, Reads, Options, Diags).run();
}
