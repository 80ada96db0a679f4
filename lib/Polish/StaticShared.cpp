//===- StaticShared.cpp - static shared memory beyond a kernel's ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/StaticShared.h"
#include "Diagnostics/RequestTrail.h"
#include "Support/Kernels.h"
#include "Target/Target.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace retrograd;

/// What ptxas allows.
static constexpr uint64_t MostStatic = 48 << 10;
/// How much is known of where dynamic shared memory begins, and of its size.
static constexpr uint64_t LaunchAlignment = 16;

namespace {
struct Variable {
  GlobalVariable *G;
  uint64_t Bytes;
  bool Movable;
  SmallVector<Function *, 4> Kernels; ///< that come to it
  uint64_t Offset = 0;                ///< in what is moved
};

class Mover {
public:
  Mover(Module &M, bool Checked) : M(M), Checked(Checked) {}
  bool run();

private:
  bool collect();
  void choose();
  void joinKernels();
  void place();
  void replace(Variable &V);
  Value *startIn(Function &F);
  void tell(Function &Kernel);
  void check(Function &Kernel, uint64_t Bytes);
  uint64_t &bytesOf(Function *Kernel) {
    return Bytes[Classes.getLeaderValue(Kernel)];
  }

  Module &M;
  /// Kernels look whether the launch has given what they need.
  bool Checked;
  SmallVector<Variable, 8> Variables;
  SmallVector<Variable *, 8> Moved;
  GlobalVariable *Base = nullptr;
  /// What else uses dynamic shared memory, or asks for its size.
  MapVector<Function *, SmallVector<IntrinsicInst *, 2>> Others;
  /// Kernels that agree about how many bytes are moved, and so about where
  /// these begin.
  EquivalenceClasses<Function *> Classes;
  DenseMap<Function *, uint64_t> Bytes; ///< by the leaders of classes
  /// Leaders of classes whose kernels have other dynamic shared memory, too:
  /// what is moved lies behind it.
  SmallPtrSet<Function *, 4> Behind;
  /// Of a kernel what stays: as ptxas lays it out at most, and at least.
  DenseMap<Function *, uint64_t> Static, LeastStatic;
  DenseMap<Function *, Value *> Starts;
};
} // namespace

static bool isShared(const GlobalVariable &G) {
  constexpr unsigned Space = 3;
  return G.getAddressSpace() == Space;
}

static uint64_t sizeOf(const GlobalVariable &G) {
  return G.getDataLayout().getTypeAllocSize(G.getValueType()).getFixedValue();
}

/// Kernels of other files may come to F.
static bool isOpen(const Function &F) {
  return !isDeviceKernel(F) && !F.hasLocalLinkage();
}

bool Mover::collect() {
  SmallVector<Constant *, 8> All;
  uint64_t Sum = 0;
  for (GlobalVariable &G : M.globals())
    if (isShared(G)) {
      All.push_back(&G);
      if (!G.isDeclaration())
        Sum += alignTo(sizeOf(G), LaunchAlignment);
    }
  if (Sum <= MostStatic)
    return false;
  convertUsersOfConstantsToInstructions(All);
  for (Constant *C : All) {
    auto &G = *cast<GlobalVariable>(C);
    bool Movable = true;
    SmallSetVector<Function *, 4> Users;
    for (User *U : G.users())
      if (auto *I = dyn_cast<Instruction>(U))
        Users.insert(I->getFunction());
      else
        Movable = false;
    if (G.isDeclaration() || !sizeOf(G)) {
      for (Function *F : Users)
        Others[F];
      continue;
    }
    if (Users.empty())
      continue;
    Movable &= none_of(Users, [](Function *F) { return isOpen(*F); });
    Variables.push_back({&G, alignTo(sizeOf(G), LaunchAlignment), Movable,
                         kernelsReaching(M, Users.getArrayRef())});
  }
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *C = dyn_cast<IntrinsicInst>(&I);
          C && C->getIntrinsicID() ==
                   Intrinsic::nvvm_read_ptx_sreg_dynamic_smem_size)
        Others[&F].push_back(C);
  return true;
}

/// The largest stay where they are, so that a kernel of which some are moved
/// keeps more than half of what it can have: a launch asks only such kernels.
void Mover::choose() {
  SmallVector<Variable *, 8> Order = to_vector(make_pointer_range(Variables));
  for (Variable *V : Order)
    // How far from its start a place of known alignment is, is known if nothing
    // lies in front.
    if (V->G->getAlign().valueOrOne() > LaunchAlignment && !Others.empty())
      V->Movable = false;
  stable_sort(Order, [](const Variable *A, const Variable *B) {
    return std::make_pair(A->Movable, B->Bytes) <
           std::make_pair(B->Movable, A->Bytes);
  });
  for (Variable *V : Order) {
    if (V->Movable && any_of(V->Kernels, [&](Function *K) {
          return Static[K] + V->Bytes > MostStatic;
        })) {
      Moved.push_back(V);
      continue;
    }
    for (Function *K : V->Kernels) {
      Static[K] += V->Bytes;
      LeastStatic[K] += sizeOf(*V->G);
    }
  }
}

void Mover::joinKernels() {
  auto Join = [&](ArrayRef<Function *> Kernels) {
    for (Function *K : Kernels)
      Classes.unionSets(Kernels.front(), K);
  };
  for (Variable *V : Moved)
    Join(V->Kernels);
  SmallVector<Function *, 4> With;
  for (auto &[F, Reads] : Others) {
    SmallVector<Function *, 4> Kernels = kernelsReaching(M, F);
    Join(Kernels);
    append_range(With, Kernels);
  }
  for (Function *K : With)
    Behind.insert(Classes.getLeaderValue(K));
}

/// Kernels that have no variable in common have one place for theirs.
void Mover::place() {
  Align Most(LaunchAlignment);
  for (auto [N, V] : enumerate(Moved)) {
    Align Its = std::max(Align(LaunchAlignment), V->G->getAlign().valueOrOne());
    Most = std::max(Most, Its);
    for (Variable *Other : ArrayRef(Moved).take_front(N))
      if (any_of(V->Kernels,
                 [&](Function *K) { return is_contained(Other->Kernels, K); }))
        V->Offset = std::max(V->Offset, Other->Offset + Other->Bytes);
    V->Offset = alignTo(V->Offset, Its);
    uint64_t &All = bytesOf(V->Kernels.front());
    All = std::max(All, V->Offset + V->Bytes);
  }
  Base = M.getGlobalVariable("rg_dynamic_base");
  if (!Base) {
    GlobalVariable &Like = *Moved.front()->G;
    Base = new GlobalVariable(
        M, ArrayType::get(Type::getInt8Ty(M.getContext()), 0),
        /*isConstant=*/false, GlobalValue::ExternalLinkage, nullptr,
        "rg_dynamic_base", nullptr, GlobalValue::NotThreadLocal,
        Like.getAddressSpace());
  }
  Base->setAlignment(std::max(Base->getAlign().valueOrOne(), Most));
}

static Value *launchedBytes(IRBuilderBase &B) {
  return B.CreateIntrinsic(B.getInt32Ty(),
                           Intrinsic::nvvm_read_ptx_sreg_dynamic_smem_size, {});
}

/// Where what is moved begins behind what the program has there.
Value *Mover::startIn(Function &F) {
  Value *&Start = Starts[&F];
  if (!Start) {
    uint64_t Extra = bytesOf(kernelsReaching(M, &F).front());
    IRBuilder<> B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Start = B.CreateInBoundsGEP(
        B.getInt8Ty(), Base, B.CreateSub(launchedBytes(B), B.getInt32(Extra)),
        "rg.moved");
  }
  return Start;
}

void Mover::replace(Variable &V) {
  const bool Last = Behind.contains(Classes.getLeaderValue(V.Kernels.front()));
  Type *I8 = Type::getInt8Ty(M.getContext());
  for (Use &U : make_early_inc_range(V.G->uses())) {
    auto *I = cast<Instruction>(U.getUser());
    Value *Start = Last ? startIn(*I->getFunction()) : Base;
    auto *Phi = dyn_cast<PHINode>(I);
    IRBuilder<> B(Phi ? Phi->getIncomingBlock(U)->getTerminator() : I);
    U.set(B.CreateConstInBoundsGEP1_64(I8, Start, V.Offset));
  }
  V.G->eraseFromParent();
}

/// A launch that nobody has asked stops here.
void Mover::check(Function &Kernel, uint64_t Bytes) {
  IRBuilder<> B(&*Kernel.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  if (DISubprogram *SP = Kernel.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(Kernel.getContext(), 0, 0, SP));
  Instruction *Stop = SplitBlockAndInsertIfThen(
      B.CreateICmpULT(launchedBytes(B), B.getInt32(Bytes)),
      &*B.GetInsertPoint(),
      /*Unreachable=*/false);
  B.SetInsertPoint(Stop);
  Value *Text = B.CreateGlobalString(
      ("retrograd: the launch of kernel '" + userName(Kernel.getName()) +
       "' did not provide the " + Twine(Bytes) +
       " bytes of dynamic shared memory for what its derivative has beyond 48 "
       "KiB: launch it in a file compiled with Retrograd [RG2201]\n")
          .str(),
      "rg.unasked", 1, &M);
  B.CreateCall(M.getOrInsertFunction("vprintf", B.getInt32Ty(), B.getPtrTy(),
                                     B.getPtrTy()),
               {B.CreateAddrSpaceCast(Text, B.getPtrTy()),
                ConstantPointerNull::get(B.getPtrTy())});
  B.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_all, {},
                    {B.getInt32(0)});
  B.CreateIntrinsic(B.getVoidTy(), Intrinsic::trap, {});
}

void Mover::tell(Function &Kernel) {
  const uint64_t Extra = bytesOf(&Kernel);
  Kernel.addFnAttr(MovedBytesAttribute, std::to_string(Extra));
  if (!Checked)
    return;
  Type *I32 = Type::getInt32Ty(M.getContext());
  auto *Said = new GlobalVariable(
      M, I32, /*isConstant=*/true, GlobalValue::ExternalLinkage,
      ConstantInt::get(I32, Extra), MovedBytesVariable + Kernel.getName(),
      nullptr, GlobalValue::NotThreadLocal, 1);
  appendToUsed(M, {Said});
  check(Kernel, Extra);
  if (LeastStatic[&Kernel] >= MostStatic / 2)
    return;
  // A launch asks it all the same.
  Type *I8 = Type::getInt8Ty(M.getContext());
  auto *T = ArrayType::get(I8, MostStatic / 2 - LeastStatic[&Kernel]);
  auto *Pad = new GlobalVariable(
      M, T, /*isConstant=*/false, GlobalValue::InternalLinkage,
      PoisonValue::get(T), "rg_shared_pad", nullptr,
      GlobalValue::NotThreadLocal, Base->getAddressSpace());
  IRBuilder<> B(&*Kernel.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  B.CreateStore(B.getInt8(0), Pad, /*isVolatile=*/true);
}

bool Mover::run() {
  if (!collect())
    return false;
  choose();
  if (Moved.empty())
    return false;
  joinKernels();
  place();
  // What asks for the size means what is in front.
  for (auto &[F, Reads] : Others)
    for (IntrinsicInst *Read : Reads) {
      SmallVector<Function *, 4> Kernels = kernelsReaching(M, F);
      uint64_t Extra = Kernels.empty() ? 0 : bytesOf(Kernels.front());
      if (!Extra)
        continue;
      IRBuilder<> B(Read->getNextNode());
      auto *Rest = cast<Instruction>(B.CreateSub(Read, B.getInt32(Extra)));
      Read->replaceUsesWithIf(Rest,
                              [&](Use &U) { return U.getUser() != Rest; });
    }
  for (Variable *V : Moved)
    replace(*V);
  for (Function &F : M)
    if (isDeviceKernel(F) && Classes.contains(&F) && bytesOf(&F))
      tell(F);
  return true;
}

PreservedAnalyses StaticSharedPass::run(Module &M, ModuleAnalysisManager &) {
  if (!Opts.OffloadDevice.empty() || !Target(M).growsSharedMemory() ||
      none_of(M, [](Function &F) { return isDeviceKernel(F); }))
    return PreservedAnalyses::all();
  return Mover(M, !Opts.OffloadHalf).run() ? PreservedAnalyses::none()
                                           : PreservedAnalyses::all();
}
