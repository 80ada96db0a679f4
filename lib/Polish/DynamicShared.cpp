//===- DynamicShared.cpp - shadows of dynamic shared memory ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/DynamicShared.h"
#include "Support/Kernels.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace retrograd;

/// On a shadow that is declared.
static constexpr StringLiteral ShadowMark = "rg.dynamic.shadow";
static constexpr StringLiteral BytesName = "rg.dynamic.bytes";

GlobalVariable *retrograd::declareDynamicShadow(GlobalVariable &G,
                                                const Twine &Name) {
  Module &M = *G.getParent();
  auto *Sh = new GlobalVariable(
      M, G.getValueType(), /*isConstant=*/false, GlobalValue::ExternalLinkage,
      nullptr, Name, nullptr, GlobalValue::NotThreadLocal, G.getAddressSpace());
  Sh->setAlignment(G.getAlign());
  Sh->setMetadata(ShadowMark, MDNode::get(M.getContext(), {}));
  return Sh;
}

bool retrograd::isDynamicShadow(const GlobalVariable &G) {
  return G.hasMetadata(ShadowMark);
}

Value *retrograd::dynamicSharedBytes(IRBuilderBase &B) {
  Module &M = *B.GetInsertBlock()->getModule();
  return B.CreateCall(M.getOrInsertFunction(BytesName, B.getInt64Ty()));
}

/// All dynamic shared memory of the block, an i32.
static Value *launchedBytes(IRBuilderBase &B) {
  return B.CreateIntrinsic(B.getInt32Ty(),
                           Intrinsic::nvvm_read_ptx_sreg_dynamic_smem_size, {});
}

namespace {
/// The parts of one launch, in one module.
class Parts {
public:
  explicit Parts(Module &M) : M(M) {}
  void run();

private:
  Value *bytesIn(Function &F);
  void markKernels();
  void check(IRBuilderBase &B, Value *Seen);
  GlobalVariable *launchSeen();

  Module &M;
  /// Gone once every use has its part.
  SmallVector<GlobalVariable *, 4> Shadows;
  unsigned SharedSpace = 0;
  /// Bytes of a part, at the start of each function that asks.
  MapVector<Function *, Value *> Bytes;
};
} // namespace

/// A launch that was grown has a multiple of 16 for each part, which is more
/// than the primal asks for.
Value *Parts::bytesIn(Function &F) {
  Value *&Known = Bytes[&F];
  if (!Known) {
    IRBuilder<> B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Value *All = launchedBytes(B);
    Known = B.CreateAnd(B.CreateUDiv(All, B.getInt32(Shadows.size() + 1)),
                        B.getInt32(~15u), "part");
  }
  return Known;
}

void Parts::run() {
  for (GlobalVariable &G : M.globals())
    if (G.hasMetadata(ShadowMark))
      Shadows.push_back(&G);
  if (Shadows.empty())
    return;
  SharedSpace = Shadows.front()->getAddressSpace();
  SmallVector<Constant *, 4> Ends(Shadows.begin(), Shadows.end());
  convertUsersOfConstantsToInstructions(Ends);
  // Whatever is declared so begins where all of this memory begins.
  auto *Base = new GlobalVariable(
      M, ArrayType::get(Type::getInt8Ty(M.getContext()), 0),
      /*isConstant=*/false, GlobalValue::ExternalLinkage, nullptr,
      "rg_dynamic_base", nullptr, GlobalValue::NotThreadLocal, SharedSpace);
  Base->setAlignment(Align(16));
  for (auto [N, Sh] : enumerate(Shadows)) {
    for (Use &U : make_early_inc_range(Sh->uses())) {
      auto *I = cast<Instruction>(U.getUser());
      Value *Part = bytesIn(*I->getFunction());
      IRBuilder<> B(isa<PHINode>(I)
                        ? cast<PHINode>(I)->getIncomingBlock(U)->getTerminator()
                        : I);
      Value *Offset = B.CreateMul(Part, B.getInt32(N + 1));
      U.set(B.CreateInBoundsGEP(B.getInt8Ty(), Base, Offset, Sh->getName()));
    }
    Sh->eraseFromParent();
  }
  if (Function *Ask = M.getFunction(BytesName)) {
    for (User *U : make_early_inc_range(Ask->users())) {
      auto *C = cast<CallInst>(U);
      IRBuilder<> B(C);
      C->replaceAllUsesWith(
          B.CreateZExt(bytesIn(*C->getFunction()), C->getType()));
      C->eraseFromParent();
    }
    Ask->eraseFromParent();
  }
  markKernels();
}

void Parts::check(IRBuilderBase &B, Value *Seen) {
  Type *I32 = B.getInt32Ty();
  B.CreateCall(
      M.getOrInsertFunction("rg_check_dynamic_parts", B.getVoidTy(), I32, I32),
      {Seen, launchedBytes(B)});
}

/// What no other launch and no other block of this one has, nor finds in shared
/// memory.
static Value *launchMark(IRBuilderBase &B) {
  auto Read = [&](Intrinsic::ID Which) {
    return B.CreateIntrinsic(B.getInt32Ty(), Which, {});
  };
  Value *Block = Read(Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  Block = B.CreateXor(Block,
                      B.CreateMul(Read(Intrinsic::nvvm_read_ptx_sreg_ctaid_y),
                                  B.getInt32(0x9e3779b1)));
  Block = B.CreateXor(Block,
                      B.CreateMul(Read(Intrinsic::nvvm_read_ptx_sreg_ctaid_z),
                                  B.getInt32(0x85ebca6b)));
  Value *Grid =
      B.CreateZExt(Read(Intrinsic::nvvm_read_ptx_sreg_gridid), B.getInt64Ty());
  return B.CreateXor(
      B.CreateOr(B.CreateShl(Grid, 32), B.CreateZExt(Block, B.getInt64Ty())),
      B.getInt64(0x5247726164ull << 24));
}

static void goToStart(IRBuilderBase &B, Function &F) {
  B.SetInsertPoint(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  if (DISubprogram *SP = F.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(F.getContext(), 0, 0, SP));
}

/// Functions of other files can come to F, which is no kernel, without coming
/// to a kernel first.
static bool isCalledFromElsewhere(Function &F) {
  SetVector<Function *> Callers;
  Callers.insert(&F);
  for (unsigned N = 0; N != Callers.size(); ++N) {
    if (Callers[N]->getCallingConv() == CallingConv::PTX_Kernel)
      continue;
    if (!Callers[N]->hasLocalLinkage())
      return true;
    for (User *U : Callers[N]->users()) {
      auto *C = dyn_cast<CallBase>(U);
      if (!C || C->getCalledOperand() != Callers[N])
        return true;
      Callers.insert(C->getFunction());
    }
  }
  return false;
}

/// Functions with such shadows that are no kernels may be called by kernels of
/// other files
/// (-fgpu-rdc), whose launches know nothing of them. So the kernels of this
/// file leave word in shared memory, and these functions look. Null if there
/// are none.
GlobalVariable *Parts::launchSeen() {
  GlobalVariable *Word = nullptr;
  for (Function *F : make_first_range(Bytes)) {
    if (F->getCallingConv() == CallingConv::PTX_Kernel ||
        !isCalledFromElsewhere(*F))
      continue;
    Type *I64 = Type::getInt64Ty(M.getContext());
    if (!Word)
      Word = new GlobalVariable(
          M, I64, /*isConstant=*/false, GlobalValue::InternalLinkage,
          PoisonValue::get(I64), "rg_dynamic_launch", nullptr,
          GlobalValue::NotThreadLocal, SharedSpace);
    IRBuilder<> B(M.getContext());
    goToStart(B, *F);
    Value *Seen = B.CreateICmpEQ(B.CreateLoad(I64, Word), launchMark(B));
    check(B, B.CreateZExt(Seen, B.getInt32Ty()));
  }
  return Word;
}

/// Kernels that come to a function with such a shadow, by calls that name it,
/// or by any others.
void Parts::markKernels() {
  Type *I32 = Type::getInt32Ty(M.getContext());
  const unsigned Count = Shadows.size() + 1;
  GlobalVariable *Word = launchSeen();
  SmallVector<GlobalValue *, 4> Kept;
  for (Function *Kernel :
       kernelsReaching(M, to_vector(make_first_range(Bytes)))) {
    Function &F = *Kernel;
    F.addFnAttr(DynamicPartsAttribute, std::to_string(Count));
    // How many, and whether the host has seen this: runtime/launch.c.
    auto *Pair = ArrayType::get(I32, 2);
    auto *Said = new GlobalVariable(
        M, Pair, /*isConstant=*/false, GlobalValue::ExternalLinkage,
        ConstantArray::get(
            Pair, {ConstantInt::get(I32, Count), ConstantInt::get(I32, 0)}),
        DynamicPartsVariable + F.getName(), nullptr,
        GlobalValue::NotThreadLocal, 1);
    Said->setExternallyInitialized(true);
    Kept.push_back(Said);
    IRBuilder<> B(M.getContext());
    goToStart(B, F);
    if (Word)
      B.CreateStore(launchMark(B), Word);
    check(B, B.CreateLoad(I32, B.CreateConstInBoundsGEP2_32(Pair, Said, 0, 1)));
  }
  appendToUsed(M, Kept);
}

void retrograd::placeDynamicShadows(Module &M) { Parts(M).run(); }
