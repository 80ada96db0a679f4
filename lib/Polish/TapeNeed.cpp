//===- TapeNeed.cpp - how much tape a launch will ask for -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/TapeNeed.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

using namespace llvm;

namespace {

/// As runtime/launch.c reads them.
enum Operation : uint8_t {
  Number,    // Value
  Argument_, // A: which one, Value: where in it
  Position,  // A: 0 to 2 threadIdx, 3 blockIdx, 6 blockDim, 9 gridDim
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRight,
  ShiftSigned,
  Equal,
  Less, // unsigned
  LessSigned,
  Choose, // A ? B : C
  Extend, // the sign of A, which has C bits
  Narrow,
  Request // of B bytes, if A
};
using Node = uint16_t;
constexpr Node Unknown = 0xffff;
constexpr size_t MostNodes = 512;

class NeedProgram {
public:
  explicit NeedProgram(Function &F)
      : F(F), DT(F), LI(DT), DL(F.getParent()->getDataLayout()) {}

  /// Whether something is known of it.
  bool request(CallInst &C) {
    // `if (bytes > what is left) more = slow(bytes)`: what is left is not
    // known.
    BasicBlock *At = C.getParent();
    if (BasicBlock *Before = At->getSinglePredecessor())
      if (auto *Br = dyn_cast<BranchInst>(Before->getTerminator());
          Br && Br->isConditional() && Br->getSuccessor(0) == At)
        if (auto *Cmp = dyn_cast<ICmpInst>(Br->getCondition());
            Cmp &&
            (Cmp->getPredicate() == ICmpInst::ICMP_UGT ||
             Cmp->getPredicate() == ICmpInst::ICMP_ULT) &&
            Cmp->getOperand(Cmp->getPredicate() == ICmpInst::ICMP_ULT) ==
                C.getArgOperand(1))
          At = Before;
    const Node There = reach(At).Is;
    const Node Bytes = value(C.getArgOperand(1), At);
    return There != Unknown && Bytes != Unknown &&
           make(Request, 64, There, Bytes) != Unknown;
  }

  Constant *text() const {
    LLVMContext &Context = F.getContext();
    Type *I8 = Type::getInt8Ty(Context), *I16 = Type::getInt16Ty(Context),
         *I64 = Type::getInt64Ty(Context);
    auto *Word = StructType::get(I8, I8, I16, I16, I16, I64);
    SmallVector<Constant *, 64> Words;
    for (const auto &[Op, Bits, A, B, C, Value] : Nodes)
      Words.push_back(ConstantStruct::get(
          Word, {ConstantInt::get(I8, Op), ConstantInt::get(I8, Bits),
                 ConstantInt::get(I16, A), ConstantInt::get(I16, B),
                 ConstantInt::get(I16, C), ConstantInt::get(I64, Value)}));
    return ConstantArray::get(ArrayType::get(Word, Words.size()), Words);
  }

private:
  Function &F;
  DominatorTree DT;
  LoopInfo LI;
  const DataLayout &DL;
  using Key = std::tuple<uint8_t, uint8_t, Node, Node, Node, uint64_t>;
  std::map<Key, Node> Numbers;
  SmallVector<Key, 64> Nodes;
  /// Whether it is come to. Not exact: a thread may come there though it says
  /// no.
  struct Arrival {
    Node Is;
    bool Exact;
  };
  DenseMap<const BasicBlock *, Arrival> Reached;
  DenseMap<const Value *, Node> Known;

  Node make(Operation Op, unsigned Bits, Node A = 0, Node B = 0, Node C = 0,
            uint64_t Value = 0) {
    const bool HasOperands = Op > Position;
    if (HasOperands && (A == Unknown || B == Unknown || C == Unknown))
      return Unknown;
    const Key K{Op, static_cast<uint8_t>(Bits), A, B, C, Value};
    if (auto It = Numbers.find(K); It != Numbers.end())
      return It->second;
    if (Nodes.size() >= MostNodes)
      return Unknown;
    const auto N = static_cast<Node>(Nodes.size());
    Nodes.push_back(K);
    Numbers[K] = N;
    return N;
  }
  Node number(uint64_t N, unsigned Bits) {
    return make(Number, Bits, 0, 0, 0, N);
  }
  Node both(Node A, Node B) {
    const Node Yes = number(1, 1);
    return A == Yes ? B : B == Yes ? A : make(And, 1, A, B);
  }
  Node either(Node A, Node B) {
    return A == Unknown ? B : B == Unknown ? A : make(Or, 1, A, B);
  }
  Node opposite(Node A) { return make(Xor, 1, A, number(1, 1)); }

  /// Whether From's branch to To is taken when From is come to first.
  Node taken(BasicBlock *From, BasicBlock *To) {
    auto *Br = dyn_cast<BranchInst>(From->getTerminator());
    if (!Br)
      return Unknown;
    if (Br->isUnconditional() || Br->getSuccessor(0) == Br->getSuccessor(1))
      return number(1, 1);
    const Node If = value(Br->getCondition(), From);
    return Br->getSuccessor(0) == To ? If : opposite(If);
  }

  /// Whether a thread comes to Block at all: in the first iteration of the
  /// loops around it, or when a loop that has one way out ends.
  Arrival reach(BasicBlock *Block) {
    if (Block->isEntryBlock())
      return {number(1, 1), true};
    if (auto It = Reached.find(Block); It != Reached.end())
      return It->second;
    Reached[Block] = {Unknown, false};
    Arrival Any{Unknown, true};
    for (BasicBlock *P : predecessors(Block)) {
      if (DT.dominates(Block, P))
        continue;
      if (const Loop *Left = leftLoop(P, Block)) {
        const Arrival Begun =
            Left->getExitBlock() == Block && !leadsNowhere(*Left)
                ? reach(Left->getHeader())
                : Arrival{Unknown, false};
        Any = {either(Any.Is, Begun.Is), Any.Exact && Begun.Exact};
        continue;
      }
      const Arrival Before = reach(P);
      const Node Here = both(Before.Is, taken(P, Block));
      Any = {either(Any.Is, Here),
             Any.Exact && Before.Exact && Here != Unknown};
    }
    return Reached[Block] = Any;
  }

  /// The outermost loop that a way from From to To leaves.
  const Loop *leftLoop(const BasicBlock *From, const BasicBlock *To) const {
    const Loop *Left = nullptr;
    for (const Loop *L = LI.getLoopFor(From); L && !L->contains(To);
         L = L->getParentLoop())
      Left = L;
    return Left;
  }

  /// A thread may end within L.
  static bool leadsNowhere(const Loop &L) {
    return any_of(L.blocks(),
                  [](const BasicBlock *B) { return succ_empty(B); });
  }

  /// V, where a thread comes to At first.
  Node value(Value *V, const BasicBlock *At) {
    if (auto *C = dyn_cast<ConstantInt>(V))
      return C->getBitWidth() <= 64
                 ? number(C->getZExtValue(), C->getBitWidth())
                 : Unknown;
    if (isa<ConstantPointerNull>(V))
      return number(0, 64);
    Type *T = V->getType();
    if (auto *A = dyn_cast<Argument>(V)) {
      if (A->hasByValAttr() || !(T->isIntegerTy() || T->isPointerTy()))
        return Unknown;
      return argument(*A, T, 0);
    }
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !(T->isIntegerTy() || T->isPointerTy()) ||
        DL.getTypeSizeInBits(T) > 64)
      return Unknown;
    // What a loop has computed when it ends is not the first iteration's.
    if (const Loop *L = LI.getLoopFor(I->getParent()); L && !L->contains(At))
      return Unknown;
    if (auto It = Known.find(I); It != Known.end())
      return It->second;
    Known[I] = Unknown;
    return Known[I] = computed(*I);
  }

  Node argument(const Argument &A, Type *T, uint64_t Offset) {
    const uint64_t Bits = DL.getTypeSizeInBits(T);
    if (Bits != 8 && Bits != 16 && Bits != 32 && Bits != 64)
      return Unknown;
    return make(Argument_, Bits, A.getArgNo(), 0, 0, Offset);
  }

  Node computed(Instruction &I) {
    const BasicBlock *At = I.getParent();
    const unsigned Bits = DL.getTypeSizeInBits(I.getType());
    auto Of = [&](unsigned N) { return value(I.getOperand(N), At); };
    if (auto *B = dyn_cast<BinaryOperator>(&I)) {
      std::optional<Operation> Op = operation(B->getOpcode());
      return Op ? make(*Op, Bits, Of(0), Of(1)) : Unknown;
    }
    if (auto *C = dyn_cast<ICmpInst>(&I)) {
      Type *T = C->getOperand(0)->getType();
      return T->isIntOrPtrTy() && DL.getTypeSizeInBits(T) <= 64
                 ? compared(C->getPredicate(), Of(0), Of(1),
                            DL.getTypeSizeInBits(T))
                 : Unknown;
    }
    switch (I.getOpcode()) {
    case Instruction::ZExt:
    case Instruction::Trunc:
      return make(Narrow, Bits, Of(0));
    case Instruction::SExt:
      return make(Extend, Bits, Of(0), 0,
                  DL.getTypeSizeInBits(I.getOperand(0)->getType()));
    case Instruction::Freeze:
      return Of(0);
    case Instruction::Select:
      return make(Choose, Bits, Of(0), Of(1), Of(2));
    case Instruction::PHI:
      return entered(cast<PHINode>(I));
    case Instruction::Load:
      return parameter(cast<LoadInst>(I));
    case Instruction::Call:
      return called(cast<CallInst>(I), Bits);
    default:
      return Unknown;
    }
  }

  static std::optional<Operation> operation(unsigned Opcode) {
    switch (Opcode) {
    case Instruction::Add:
      return Add;
    case Instruction::Sub:
      return Sub;
    case Instruction::Mul:
      return Mul;
    case Instruction::UDiv:
      return Div;
    case Instruction::URem:
      return Rem;
    case Instruction::And:
      return And;
    case Instruction::Or:
      return Or;
    case Instruction::Xor:
      return Xor;
    case Instruction::Shl:
      return ShiftLeft;
    case Instruction::LShr:
      return ShiftRight;
    case Instruction::AShr:
      return ShiftSigned;
    default:
      return std::nullopt;
    }
  }

  Node compared(CmpInst::Predicate P, Node A, Node B, unsigned Bits) {
    switch (P) {
    case CmpInst::ICMP_EQ:
      return make(Equal, Bits, A, B);
    case CmpInst::ICMP_NE:
      return opposite(make(Equal, Bits, A, B));
    case CmpInst::ICMP_ULT:
      return make(Less, Bits, A, B);
    case CmpInst::ICMP_UGT:
      return make(Less, Bits, B, A);
    case CmpInst::ICMP_UGE:
      return opposite(make(Less, Bits, A, B));
    case CmpInst::ICMP_ULE:
      return opposite(make(Less, Bits, B, A));
    case CmpInst::ICMP_SLT:
      return make(LessSigned, Bits, A, B);
    case CmpInst::ICMP_SGT:
      return make(LessSigned, Bits, B, A);
    case CmpInst::ICMP_SGE:
      return opposite(make(LessSigned, Bits, A, B));
    case CmpInst::ICMP_SLE:
      return opposite(make(LessSigned, Bits, B, A));
    default:
      return Unknown;
    }
  }

  /// Of a loop's header what the first iteration has; elsewhere what the way
  /// there gives.
  Node entered(PHINode &Phi) {
    BasicBlock *Here = Phi.getParent();
    const unsigned Bits = DL.getTypeSizeInBits(Phi.getType());
    Node Chosen = Unknown;
    bool First = true;
    for (unsigned N = 0; N < Phi.getNumIncomingValues(); ++N) {
      BasicBlock *From = Phi.getIncomingBlock(N);
      if (DT.dominates(Here, From))
        continue;
      const bool Ended = leftLoop(From, Here);
      const Node V = value(Phi.getIncomingValue(N), Ended ? Here : From);
      if (First) {
        Chosen = V;
      } else if (V != Chosen) {
        const Arrival Came = reach(From);
        Chosen = Came.Exact && !Ended
                     ? make(Choose, Bits, both(Came.Is, taken(From, Here)), V,
                            Chosen)
                     : Unknown;
      }
      First = false;
    }
    return Chosen;
  }

  /// A member of a struct that the kernel was given by value.
  Node parameter(LoadInst &L) {
    APInt Offset(DL.getIndexTypeSizeInBits(L.getPointerOperandType()), 0);
    auto *A = dyn_cast<Argument>(
        L.getPointerOperand()->stripAndAccumulateConstantOffsets(
            DL, Offset, /*AllowNonInbounds=*/false));
    if (!A || !A->hasByValAttr() || !A->onlyReadsMemory() || L.isVolatile() ||
        Offset.isNegative())
      return Unknown;
    return argument(*A, L.getType(), Offset.getZExtValue());
  }

  Node called(CallInst &C, unsigned Bits) {
    auto *II = dyn_cast<IntrinsicInst>(&C);
    if (!II)
      return Unknown;
    auto Least = [&](CmpInst::Predicate P) {
      const Node A = value(C.getArgOperand(0), C.getParent()),
                 B = value(C.getArgOperand(1), C.getParent());
      return make(Choose, Bits, compared(P, A, B, Bits), A, B);
    };
    auto At = [&](Node N) { return make(Position, Bits, N); };
    switch (II->getIntrinsicID()) {
    case Intrinsic::umin:
      return Least(CmpInst::ICMP_ULT);
    case Intrinsic::umax:
      return Least(CmpInst::ICMP_UGT);
    case Intrinsic::smin:
      return Least(CmpInst::ICMP_SLT);
    case Intrinsic::smax:
      return Least(CmpInst::ICMP_SGT);
    case Intrinsic::nvvm_read_ptx_sreg_tid_x:
      return At(0);
    case Intrinsic::nvvm_read_ptx_sreg_tid_y:
      return At(1);
    case Intrinsic::nvvm_read_ptx_sreg_tid_z:
      return At(2);
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
      return At(3);
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
      return At(4);
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
      return At(5);
    case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
      return At(6);
    case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
      return At(7);
    case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
      return At(8);
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
      return At(9);
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
      return At(10);
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
      return At(11);
    default:
      return Unknown;
    }
  }
};

} // namespace

Constant *retrograd::tapeNeed(Function &Kernel, ArrayRef<CallInst *> Requests) {
  NeedProgram Program(Kernel);
  bool Any = false;
  for (CallInst *C : Requests)
    Any |= Program.request(*C);
  return Any ? Program.text() : nullptr;
}
