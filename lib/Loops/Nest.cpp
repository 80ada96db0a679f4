//===- Nest.cpp - from LLVM IR to sets of iterations ----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalar evolution says what a counter, a bound, an address is. What it says is
// modulo 2^64; integers of isl have no end. So parameters are asked to be small
// (Limit) where LLVM does not know that they are, and counts to be positive and
// as small where a loop is entered. With that, each expression has a reach, the
// most that it can be; what reaches beyond 2^60 is not taken. So nothing wraps.
//
// An address is a base and a sum of products. The terms' factors that are
// strides in some access of the array, from the element to the largest, are its
// dimensions (with constants: rows of a fixed length; with parameters: arrays
// whose size the program computes). That an index stays within its dimension is
// asked, too.
//
//===----------------------------------------------------------------------===//

#include "Loops/Nest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include <cmath>
#include <numeric>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;
using namespace retrograd::loops;

namespace {

constexpr int64_t Limit = Nest::Limit;
constexpr double MostReach = 0x1p60;
constexpr unsigned MostStatements = 24, MostAccesses = 80, MostSlice = 64,
                   MostDepth = 5, MostPairs = 12;

/// An address: terms times counters, and terms.
struct Address {
  Value *Base;
  SmallVector<std::pair<Loop *, Term>, 4> Strides;
  SmallVector<Term, 4> Rest;
};

class Raiser {
public:
  explicit Raiser(Nest &N) : N(N), C(N.Context), SE(N.SE) {}
  bool run();

private:
  bool fail(const char *Why, Instruction *At = nullptr) {
    if (N.WhyNot.empty()) {
      N.WhyNot = Why;
      N.WhyNotAt = At;
    }
    return false;
  }
  bool fail(const char *Why, Value *At) {
    return fail(Why, dyn_cast<Instruction>(At));
  }
  // Sets and numbers.
  PwAff constant(int64_t K, unsigned Dims);
  PwAff counter(unsigned Index, unsigned Dims);
  PwAff parameter(const SCEV *S, unsigned Dims);
  /// Null where S is not affine.
  PwAff affine(const SCEV *S, ArrayRef<Loop *> Loops) {
    double Reach = 0;
    PwAff X = affine(S, Loops, Reach);
    return Reach <= MostReach ? X : PwAff();
  }
  PwAff affine(const SCEV *S, ArrayRef<Loop *> Loops, double &Reach);
  /// The same of a number of iterations, which is 0 at least where the loop is
  /// entered.
  PwAff count(const SCEV *S, ArrayRef<Loop *> Loops);
  bool isDefined(const SCEV *S);
  std::optional<Set> condition(Value *V, bool Holds, ArrayRef<Loop *> Loops);
  std::optional<Set> compare(CmpPredicate P, const SCEV *X, const SCEV *Y,
                             ArrayRef<Loop *> Loops);
  bool invariant(const SCEV *S) { return SE.isLoopInvariant(S, &N.Outer); }
  // Control.
  SmallVector<Loop *, 4> loopsAround(const BasicBlock *B);
  bool checkLoops();
  bool findDomains();
  void ask(const Set &Bad) {
    N.Asked = Set(isl_set_subtract(N.Asked.take(), isl_set_params(Bad.copy())));
  }
  // Statements.
  bool findCells();
  bool findStatements();
  bool addStatement(Statement S);
  bool collect(Value *V, Statement &S, unsigned Depth = 0);
  bool readCell(int Index, Value *V, Statement &S);
  bool isSliced(const Value *V, const Statement &S) const {
    return is_contained(S.Slice, V);
  }
  bool keep(Value *V);
  void findSum(Statement &S);
  void place(Statement &S, const BasicBlock *B, int64_t Within);
  int64_t indexOf(const Instruction *I) const;
  // Memory.
  bool findArrays();
  std::optional<Address> addressOf(Instruction *I);
  bool termsOf(const SCEV *S, SmallVectorImpl<Term> &To);
  bool linear(const SCEV *S, Address &A);
  bool apart();
  Map elements(Instruction *I, const Statement &S);
  SmallVector<int64_t, 4> strides(Instruction *I, const Statement &S);
  Map elementsOf(const Cell &Of, const Statement &S);
  bool divides(const Term &D, const Term &T, Term &Quotient);
  bool findMoved(Statement &S, bool &Kept);
  Map time(const Statement &S, ArrayRef<int64_t> Places, unsigned Depth);

  Nest &N;
  isl_ctx *C;
  ScalarEvolution &SE;
  SmallVector<BasicBlock *, 16> Order;
  DenseMap<const BasicBlock *, int64_t> Rank;
  DenseMap<const BasicBlock *, Set> Domains;
  DenseMap<const Loop *, const SCEV *> Backedges;
  DenseMap<Value *, int> CellOf; ///< header phis; values that are kept
  SmallVector<Value *, 4> Kept;
  SmallVector<Instruction *, 32> Accesses; ///< loads and stores
  DenseMap<const Instruction *, Address> Addresses;
  DenseMap<const Instruction *, unsigned> ArrayOf;
  std::vector<SmallVector<Term, 4>> Chains; ///< of each array, from the element
};

} // namespace

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static Set universe(isl_ctx *C, unsigned Dims) {
  return Set(isl_set_universe(isl_space_set_alloc(C, 0, Dims)));
}

PwAff Raiser::constant(int64_t K, unsigned Dims) {
  return PwAff(isl_pw_aff_val_on_domain(universe(C, Dims).take(),
                                        isl_val_int_from_si(C, K)));
}

PwAff Raiser::counter(unsigned Index, unsigned Dims) {
  return PwAff(isl_pw_aff_var_on_domain(
      isl_local_space_from_space(isl_space_set_alloc(C, 0, Dims)), isl_dim_set,
      Index));
}

PwAff Raiser::parameter(const SCEV *S, unsigned Dims) {
  auto [At, New] = N.Parameters.insert({S, N.Parameters.size()});
  isl_id *Id =
      isl_id_alloc(C, ("p" + std::to_string(At->second)).c_str(), nullptr);
  if (New) {
    ConstantRange Range = SE.getSignedRange(S);
    const APInt Low = Range.getSignedMin(), High = Range.getSignedMax();
    auto Between = [&](int64_t From, int64_t To) {
      Set P(isl_set_universe(isl_space_params_alloc(C, 0)));
      PwAff X(isl_pw_aff_param_on_domain_id(P.copy(), isl_id_copy(Id)));
      auto Const = [&](int64_t K) {
        return isl_pw_aff_val_on_domain(P.copy(), isl_val_int_from_si(C, K));
      };
      return Set(isl_set_intersect(isl_pw_aff_ge_set(X.copy(), Const(From)),
                                   isl_pw_aff_le_set(X.copy(), Const(To))));
    };
    bool Small = Low.getSignificantBits() <= 33 &&
                 High.getSignificantBits() <= 33 &&
                 Low.getSExtValue() >= -Limit && High.getSExtValue() <= Limit;
    Set Bounds = Small ? Between(Low.getSExtValue(), High.getSExtValue())
                       : Between(-Limit, Limit);
    // A range says nothing about what is poison.
    if (Small && isDefined(S))
      N.Known = Set(isl_set_intersect(N.Known.take(), Bounds.copy()));
    N.Asked = Set(isl_set_intersect(N.Asked.take(), Bounds.take()));
  }
  return PwAff(isl_pw_aff_param_on_domain_id(universe(C, Dims).take(), Id));
}

/// Of steps that are not 1: a quotient of unsigned numbers, rounded down. What
/// is divided is not negative where the quotient is not.
PwAff Raiser::count(const SCEV *S, ArrayRef<Loop *> Loops) {
  const auto *D = dyn_cast<SCEVUDivExpr>(S);
  if (!D || invariant(S))
    return affine(S, Loops);
  const auto *By = dyn_cast<SCEVConstant>(D->getRHS());
  if (!By || By->getAPInt().getSignificantBits() > 20 || By->isZero())
    return PwAff();
  PwAff X = affine(D->getLHS(), Loops);
  if (!X)
    return X;
  return PwAff(isl_pw_aff_floor(isl_pw_aff_scale_down_val(
      X.take(), isl_val_int_from_si(C, By->getAPInt().getSExtValue()))));
}

/// S is surely neither undefined nor poison in front of the nest.
bool Raiser::isDefined(const SCEV *S) {
  switch (S->getSCEVType()) {
  case scConstant:
    return true;
  case scUnknown:
    return isGuaranteedNotToBeUndefOrPoison(
        cast<SCEVUnknown>(S)->getValue(), nullptr,
        N.Outer.getLoopPreheader()->getTerminator(), &N.DT);
  case scTruncate:
  case scZeroExtend:
  case scSignExtend:
    return isDefined(cast<SCEVCastExpr>(S)->getOperand());
  case scAddExpr:
  case scMulExpr:
  case scSMaxExpr:
  case scSMinExpr:
  case scUMaxExpr:
  case scUMinExpr:
    return cast<SCEVNAryExpr>(S)->getNoWrapFlags() == SCEV::FlagAnyWrap &&
           all_of(S->operands(), [&](const SCEV *Op) { return isDefined(Op); });
  default:
    return false;
  }
}

/// Reach: the greatest size of what was passed on the way.
PwAff Raiser::affine(const SCEV *S, ArrayRef<Loop *> Loops, double &Reach) {
  const unsigned Dims = Loops.size();
  const bool Wide =
      S->getType()->isPointerTy() || SE.getTypeSizeInBits(S->getType()) == 64;
  if (SE.getTypeSizeInBits(S->getType()) > 64)
    return PwAff();
  if (const auto *K = dyn_cast<SCEVConstant>(S)) {
    if (K->getAPInt().getSignificantBits() > 40)
      return PwAff();
    Reach = std::abs(double(K->getAPInt().getSExtValue()));
    return constant(K->getAPInt().getSExtValue(), Dims);
  }
  auto Join = [&](isl_pw_aff *(*How)(isl_pw_aff *, isl_pw_aff *)) {
    PwAff Sum;
    for (const SCEV *Op : cast<SCEVNAryExpr>(S)->operands()) {
      double Part = 0;
      PwAff X = affine(Op, Loops, Part);
      if (!X)
        return PwAff();
      Reach += Part;
      Sum = Sum ? PwAff(How(Sum.take(), X.take())) : X;
    }
    return Sum;
  };
  auto AllPositive = [&] {
    return all_of(cast<SCEVNAryExpr>(S)->operands(),
                  [&](const SCEV *Op) { return SE.isKnownNonNegative(Op); });
  };
  const bool Fixed = invariant(S);
  switch (S->getSCEVType()) {
  case scAddExpr:
    if (Wide || cast<SCEVAddExpr>(S)->hasNoSignedWrap())
      return Join(isl_pw_aff_add);
    break;
  case scMulExpr: {
    const auto *M = cast<SCEVMulExpr>(S);
    const auto *K = dyn_cast<SCEVConstant>(M->getOperand(0));
    if (!K || M->getNumOperands() != 2 ||
        K->getAPInt().getSignificantBits() > 32 ||
        !(Wide || M->hasNoSignedWrap()))
      break;
    PwAff X = affine(M->getOperand(1), Loops, Reach);
    Reach *= std::abs(double(K->getAPInt().getSExtValue()));
    return X ? PwAff(isl_pw_aff_scale_val(
                   X.take(),
                   isl_val_int_from_si(C, K->getAPInt().getSExtValue())))
             : PwAff();
  }
  case scSMaxExpr:
    return Join(isl_pw_aff_max);
  case scSMinExpr:
    return Join(isl_pw_aff_min);
  case scUMaxExpr:
    if (AllPositive())
      return Join(isl_pw_aff_max);
    break;
  case scUMinExpr:
    if (AllPositive())
      return Join(isl_pw_aff_min);
    break;
  case scZeroExtend:
  case scSignExtend: {
    const SCEV *X = cast<SCEVCastExpr>(S)->getOperand();
    if (!Fixed &&
        (S->getSCEVType() == scSignExtend || SE.isKnownNonNegative(X)))
      return affine(X, Loops, Reach);
    break;
  }
  case scAddRecExpr: {
    const auto *A = cast<SCEVAddRecExpr>(S);
    const auto *At = find(Loops, A->getLoop());
    if (At == Loops.end() || !A->isAffine())
      break;
    const auto *Step = dyn_cast<SCEVConstant>(A->getStepRecurrence(SE));
    if (!Step || Step->getAPInt().getSignificantBits() > 32 ||
        !(Wide || A->hasNoSignedWrap()))
      return PwAff();
    PwAff Start = affine(A->getStart(), Loops, Reach);
    if (!Start)
      return PwAff();
    Reach += std::abs(double(Step->getAPInt().getSExtValue())) * Limit;
    isl_pw_aff *I = isl_pw_aff_scale_val(
        counter(At - Loops.begin(), Dims).take(),
        isl_val_int_from_si(C, Step->getAPInt().getSExtValue()));
    return PwAff(isl_pw_aff_add(Start.take(), I));
  }
  default:
    break;
  }
  if (!Fixed || !S->getType()->isIntegerTy())
    return PwAff();
  Reach = Limit;
  return parameter(S, Dims);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

SmallVector<Loop *, 4> Raiser::loopsAround(const BasicBlock *B) {
  SmallVector<Loop *, 4> Loops;
  for (Loop *L = N.LI.getLoopFor(B); L && N.Outer.contains(L);
       L = L->getParentLoop())
    Loops.insert(Loops.begin(), L);
  return Loops;
}

bool Raiser::checkLoops() {
  for (Loop *L : N.Outer.getLoopsInPreorder()) {
    Instruction *At = L->getHeader()->getTerminator();
    if (!L->getLoopPreheader() || !L->getLoopLatch() || !L->getExitBlock() ||
        L->getExitingBlock() != L->getLoopLatch())
      return fail("a loop that is left from more than one place", At);
    if (L->getExitBlock()->getSinglePredecessor() != L->getLoopLatch())
      return fail("a loop whose end is shared", At);
    if (L->getLoopDepth() - N.Outer.getLoopDepth() >= MostDepth)
      return fail("too many loops within each other", At);
    const SCEV *B = SE.getBackedgeTakenCount(L);
    if (isa<SCEVCouldNotCompute>(B))
      return fail("a loop whose number of iterations is not known before", At);
    Backedges[L] = B;
  }
  if (!N.Outer.isRecursivelyLCSSAForm(N.DT, N.LI))
    return fail("numbers leave a loop in an unusual way");
  LoopBlocksRPO Blocks(&N.Outer);
  Blocks.perform(&N.LI);
  for (BasicBlock *B : Blocks) {
    Rank[B] = Order.size();
    Order.push_back(B);
    if (!isa<BranchInst>(B->getTerminator()))
      return fail("a branch to many places", B->getTerminator());
    for (Instruction &I : *B) {
      const auto *Load = dyn_cast<LoadInst>(&I);
      const auto *Store = dyn_cast<StoreInst>(&I);
      if ((Load && Load->isSimple()) || (Store && Store->isSimple()))
        Accesses.push_back(&I);
      else if (auto *Call = dyn_cast<IntrinsicInst>(&I);
               Call && Call->isAssumeLikeIntrinsic()) {
        N.DeclaresScopes |= isa<NoAliasScopeDeclInst>(Call);
        if (Call->isLifetimeStartOrEnd())
          return fail("memory that lives in one iteration", &I);
      } else if (I.mayReadOrWriteMemory() || I.mayHaveSideEffects())
        return fail(isa<CallBase>(I) ? "a call" : "an ordered access", &I);
    }
    if (Accesses.size() > MostAccesses)
      return fail("too many accesses", B->getTerminator());
  }
  return true;
}

std::optional<Set> Raiser::compare(CmpPredicate P, const SCEV *X, const SCEV *Y,
                                   ArrayRef<Loop *> Loops) {
  if (!X->getType()->isIntegerTy())
    return std::nullopt;
  if (ICmpInst::isUnsigned(P)) {
    // samesign: else it is poison, and nobody branches there.
    if (!P.hasSameSign() &&
        (!SE.isKnownNonNegative(X) || !SE.isKnownNonNegative(Y)))
      return std::nullopt;
    P = ICmpInst::getSignedPredicate(P);
  }
  PwAff A = affine(X, Loops), B = affine(Y, Loops);
  if (!A || !B)
    return std::nullopt;
  switch (P) {
  case ICmpInst::ICMP_EQ:
    return Set(isl_pw_aff_eq_set(A.take(), B.take()));
  case ICmpInst::ICMP_NE:
    return Set(isl_pw_aff_ne_set(A.take(), B.take()));
  case ICmpInst::ICMP_SLT:
    return Set(isl_pw_aff_lt_set(A.take(), B.take()));
  case ICmpInst::ICMP_SLE:
    return Set(isl_pw_aff_le_set(A.take(), B.take()));
  case ICmpInst::ICMP_SGT:
    return Set(isl_pw_aff_gt_set(A.take(), B.take()));
  case ICmpInst::ICMP_SGE:
    return Set(isl_pw_aff_ge_set(A.take(), B.take()));
  default:
    return std::nullopt;
  }
}

std::optional<Set> Raiser::condition(Value *V, bool Holds,
                                     ArrayRef<Loop *> Loops) {
  if (auto *Cmp = dyn_cast<ICmpInst>(V))
    return compare(
        Holds ? Cmp->getCmpPredicate() : Cmp->getInverseCmpPredicate(),
        SE.getSCEV(Cmp->getOperand(0)), SE.getSCEV(Cmp->getOperand(1)), Loops);
  Value *X, *Y;
  const bool And = match(V, m_LogicalAnd(m_Value(X), m_Value(Y)));
  if (!And && !match(V, m_LogicalOr(m_Value(X), m_Value(Y))))
    return std::nullopt;
  std::optional<Set> A = condition(X, Holds, Loops),
                     B = condition(Y, Holds, Loops);
  if (!A || !B)
    return std::nullopt;
  return And == Holds ? Set(isl_set_intersect(A->take(), B->take()))
                      : Set(isl_set_union(A->take(), B->take()));
}

bool Raiser::findDomains() {
  for (BasicBlock *B : Order) {
    SmallVector<Loop *, 4> Loops = loopsAround(B);
    Loop *L = Loops.back();
    if (B == L->getHeader()) {
      // One iteration at least, since it is entered; Backedges is unsigned.
      ArrayRef<Loop *> Outer = ArrayRef(Loops).drop_back();
      Set Entered = L == &N.Outer ? universe(C, 0)
                                  : Domains.lookup(L->getLoopPreheader());
      PwAff Last = count(Backedges[L], Outer);
      if (!Entered)
        return fail("a loop in an unusual place", B->getTerminator());
      if (!Last)
        return fail("a bound that is not affine", B->getTerminator());
      ask(Set(isl_set_intersect(
          Entered.copy(),
          isl_pw_aff_lt_set(Last.copy(), constant(0, Outer.size()).take()))));
      ask(Set(isl_set_intersect(
          Entered.copy(),
          isl_pw_aff_ge_set(Last.copy(),
                            constant(Limit, Outer.size()).take()))));
      PwAff Bound = count(Backedges[L], Loops);
      PwAff I = counter(Outer.size(), Loops.size());
      Set D(isl_set_add_dims(Entered.take(), isl_dim_set, 1));
      D = Set(isl_set_intersect(D.take(),
                                isl_pw_aff_le_set(I.copy(), Bound.take())));
      D = Set(isl_set_intersect(
          D.take(),
          isl_pw_aff_ge_set(I.take(), constant(0, Loops.size()).take())));
      Domains[B] = D;
      continue;
    }
    Set D;
    for (BasicBlock *P : predecessors(B)) {
      Loop *Of = N.LI.getLoopFor(P);
      Set From;
      if (Of != L) { // behind a loop within
        if (!Of || Of->getParentLoop() != L)
          return fail("control that does not nest", B->getTerminator());
        From = Domains.lookup(Of->getLoopPreheader());
      } else {
        From = Domains.lookup(P);
        auto *Branch = cast<BranchInst>(P->getTerminator());
        if (Branch->isConditional() &&
            Branch->getSuccessor(0) != Branch->getSuccessor(1)) {
          std::optional<Set> If = condition(
              Branch->getCondition(), Branch->getSuccessor(0) == B, Loops);
          if (!If)
            return fail("a condition that is not affine", Branch);
          From = Set(isl_set_intersect(From.take(), If->take()));
        }
      }
      if (!From)
        return fail("control that does not nest", B->getTerminator());
      D = D ? Set(isl_set_union(D.take(), From.take())) : From;
    }
    Domains[B] = Set(isl_set_coalesce(D.take()));
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Multiplied out: modulo 2^64, as everything that S is made of.
bool Raiser::termsOf(const SCEV *S, SmallVectorImpl<Term> &To) {
  constexpr unsigned Most = 16;
  switch (S->getSCEVType()) {
  case scConstant: {
    const APInt &K = cast<SCEVConstant>(S)->getAPInt();
    if (K.getSignificantBits() > 40)
      return false;
    if (!K.isZero())
      To.push_back({K.getSExtValue(), {}});
    return true;
  }
  case scAddExpr:
    return all_of(S->operands(),
                  [&](const SCEV *Op) { return termsOf(Op, To); });
  case scMulExpr: {
    SmallVector<Term, 4> Product{{1, {}}};
    for (const SCEV *Op : S->operands()) {
      SmallVector<Term, 4> Sum, Next;
      if (!termsOf(Op, Sum) || Product.size() * Sum.size() > Most)
        return false;
      for (const Term &X : Product)
        for (const Term &Y : Sum) {
          Term T = X;
          if (MulOverflow(X.C, Y.C, T.C) || std::abs(T.C) > int64_t(1) << 40)
            return false;
          append_range(T.Factors, Y.Factors);
          llvm::sort(T.Factors);
          Next.push_back(T);
        }
      Product = Next;
    }
    append_range(To, Product);
    return To.size() <= Most;
  }
  default:
    To.push_back({1, {S}});
    return true;
  }
}

/// Terms of the same factors are one.
static void addUp(SmallVectorImpl<Term> &Terms) {
  SmallVector<Term, 4> Sum;
  for (const Term &T : Terms) {
    auto *Same =
        find_if(Sum, [&](const Term &X) { return X.Factors == T.Factors; });
    if (Same == Sum.end())
      Sum.push_back(T);
    else
      Same->C += T.C;
  }
  erase_if(Sum, [](const Term &T) { return T.C == 0; });
  Terms.assign(Sum.begin(), Sum.end());
}

bool Raiser::linear(const SCEV *S, Address &A) {
  if (invariant(S))
    return termsOf(S, A.Rest);
  if (const auto *R = dyn_cast<SCEVAddRecExpr>(S)) {
    const SCEV *Step = R->getStepRecurrence(SE);
    if (!R->isAffine() || !N.Outer.contains(R->getLoop()) || !invariant(Step))
      return false;
    SmallVector<Term, 2> Terms;
    if (!termsOf(Step, Terms))
      return false;
    for (Term &T : Terms)
      A.Strides.push_back({const_cast<Loop *>(R->getLoop()), T});
    return linear(R->getStart(), A);
  }
  if (const auto *Sum = dyn_cast<SCEVAddExpr>(S))
    return all_of(Sum->operands(),
                  [&](const SCEV *Op) { return linear(Op, A); });
  return false;
}

std::optional<Address> Raiser::addressOf(Instruction *I) {
  const SCEV *P = SE.getSCEV(getLoadStorePointerOperand(I));
  const auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(P));
  if (!Base || !invariant(Base) || P->getType() != Base->getType() ||
      P->getType()->getPointerAddressSpace())
    return std::nullopt;
  const SCEV *Offset = SE.getMinusSCEV(P, Base);
  if (isa<SCEVCouldNotCompute>(Offset) ||
      SE.getTypeSizeInBits(Offset->getType()) != 64)
    return std::nullopt;
  Address A;
  A.Base = Base->getValue();
  if (!linear(Offset, A))
    return std::nullopt;
  addUp(A.Rest);
  return A;
}

/// D's factors are among T's.
bool Raiser::divides(const Term &D, const Term &T, Term &Quotient) {
  if (T.C % D.C)
    return false;
  Quotient = {T.C / D.C, T.Factors};
  for (const SCEV *F : D.Factors) {
    auto *At = find(Quotient.Factors, F);
    if (At == Quotient.Factors.end())
      return false;
    Quotient.Factors.erase(At);
  }
  return true;
}

bool Raiser::findArrays() {
  const DataLayout &DL = N.Outer.getHeader()->getModule()->getDataLayout();
  DenseMap<Value *, unsigned> ByBase;
  for (Instruction *I : Accesses) {
    std::optional<Address> A = addressOf(I);
    if (!A)
      return fail("an address that is not affine", I);
    Type *T = getLoadStoreType(I);
    TypeSize Size = DL.getTypeStoreSize(T);
    if (Size.isScalable() || Size != DL.getTypeAllocSize(T) || T->isVectorTy())
      return fail("an access of an unusual type", I);
    auto [At, New] = ByBase.insert({A->Base, N.Arrays.size()});
    if (New) {
      NestArray Array;
      Array.Base = A->Base;
      Array.ElementBytes = Size.getFixedValue();
      N.Arrays.push_back(Array);
    }
    if (N.Arrays[At->second].ElementBytes != int64_t(Size.getFixedValue()))
      return fail("an array with elements of several sizes", I);
    ArrayOf[I] = At->second;
    Addresses[I] = *A;
  }
  // The dimensions of each array.
  Chains.resize(N.Arrays.size());
  for (unsigned K = 0; K != N.Arrays.size(); ++K) {
    std::vector<Term> Pure;
    for (Instruction *I : Accesses)
      if (ArrayOf[I] == K)
        for (auto &[L, T] : Addresses[I].Strides) {
          Term Abs = T;
          Abs.C = std::abs(Abs.C);
          Pure.push_back(Abs);
        }
    // Every second row, from the first or from the second: rows all the same.
    for (Term &T : Pure) {
      auto Row = [&](const Term &Other) {
        if (!T.Factors.empty() && Other.Factors == T.Factors)
          T.C = std::gcd(T.C, Other.C);
      };
      for (Instruction *I : Accesses)
        if (ArrayOf[I] == K) {
          for (auto &[L, Stride] : Addresses[I].Strides)
            Row(Stride);
          for (const Term &Rest : Addresses[I].Rest)
            Row(Rest);
        }
    }
    llvm::stable_sort(Pure, [](const Term &X, const Term &Y) {
      return std::make_pair(X.Factors.size(), X.C) <
             std::make_pair(Y.Factors.size(), Y.C);
    });
    auto &Chain = Chains[K];
    Chain.push_back({N.Arrays[K].ElementBytes, {}});
    for (const Term &T : Pure) {
      Term Quotient;
      if (!divides(Chain.back(), T, Quotient))
        continue;
      // Steps of a few elements are no dimension.
      if (Quotient.Factors.empty() ? Quotient.C >= 8 : Quotient.C >= 1)
        Chain.push_back(T);
    }
    N.Arrays[K].Strides = Chain;
    for (unsigned D = 0; D + 1 < Chain.size(); ++D) {
      Term Q;
      if (!divides(Chain[D], Chain[D + 1], Q))
        return fail("dimensions that do not divide each other");
      N.Arrays[K].Sizes.push_back(
          {Q.C, Q.Factors.empty() ? nullptr : SE.getMulExpr(Q.Factors)});
    }
    for (Instruction *I : Accesses)
      if (ArrayOf[I] == K) {
        double Reach = 0;
        auto Add = [&](const Term &T, unsigned Counters) {
          Reach += std::abs(double(T.C)) *
                   std::pow(double(Limit), T.Factors.size() + Counters);
        };
        for (auto &[L, T] : Addresses[I].Strides)
          Add(T, 1);
        for (const Term &T : Addresses[I].Rest)
          Add(T, 0);
        N.Arrays[K].MayWrap |= Reach >= 0x1p61;
      }
  }
  return apart();
}

/// Different arrays share no memory, or will be asked. What is told about
/// bases, which do not change in the nest, holds for any two iterations.
bool Raiser::apart() {
  for (unsigned X = 0; X != Accesses.size(); ++X)
    for (unsigned Y = X + 1; Y != Accesses.size(); ++Y) {
      Instruction *A = Accesses[X], *B = Accesses[Y];
      if (ArrayOf[A] == ArrayOf[B] || (isa<LoadInst>(A) && isa<LoadInst>(B)))
        continue;
      auto Anywhere = [&](Instruction *I) {
        AAMDNodes Tags = I->getAAMetadata();
        if (N.DeclaresScopes)
          Tags.Scope = Tags.NoAlias = nullptr;
        return MemoryLocation::getBeforeOrAfter(N.Arrays[ArrayOf[I]].Base,
                                                Tags);
      };
      if (N.AA.isNoAlias(Anywhere(A), Anywhere(B)))
        continue;
      std::pair<unsigned, unsigned> Pair = std::minmax(ArrayOf[A], ArrayOf[B]);
      if (is_contained(N.MayMeet, Pair))
        continue;
      if (N.MayMeet.size() == MostPairs)
        return fail("too many arrays that may overlap", A);
      N.MayMeet.push_back(Pair);
    }
  return true;
}

/// The tuple of N's statement K, or array K.
static isl_id *named(isl_ctx *C, const char *Kind, unsigned K) {
  return isl_id_alloc(C, (Kind + std::to_string(K)).c_str(), nullptr);
}

static Map mapTo(isl_ctx *C, std::vector<PwAff> Parts, unsigned Dims,
                 unsigned Array) {
  Map M(isl_map_from_domain(universe(C, Dims).take()));
  for (PwAff &P : Parts)
    M = Map(
        isl_map_flat_range_product(M.take(), isl_map_from_pw_aff(P.take())));
  return Map(isl_map_set_tuple_id(M.take(), isl_dim_out, named(C, "A", Array)));
}

Map Raiser::elements(Instruction *I, const Statement &S) {
  const Address &A = Addresses[I];
  const auto &Chain = Chains[ArrayOf[I]];
  const unsigned Dims = S.Loops.size();
  std::vector<PwAff> Index;
  for (unsigned K = 0; K != Chain.size(); ++K)
    Index.push_back(constant(0, Dims));
  auto Add = [&](unsigned K, isl_pw_aff *X) {
    Index[K] = PwAff(isl_pw_aff_add(Index[K].take(), X));
  };
  auto Split = [&](Term T, Loop *L) {
    for (unsigned K = Chain.size(); K-- && T.C;) {
      const Term &D = Chain[K];
      Term Q, Part = T;
      // The nearest multiple; what is left belongs to smaller dimensions.
      if (D.Factors.size() == T.Factors.size())
        Part.C =
            K ? int64_t(std::llround(double(T.C) / double(D.C))) * D.C : T.C;
      if (!Part.C || !divides(D, Part, Q))
        continue;
      T.C -= Part.C;
      PwAff X = constant(Q.C, Dims);
      if (L) {
        const auto *At = find(S.Loops, L);
        if (!Q.Factors.empty() || At == S.Loops.end())
          return false;
        X = PwAff(isl_pw_aff_mul(X.take(),
                                 counter(At - S.Loops.begin(), Dims).take()));
      } else if (!Q.Factors.empty()) {
        SmallVector<const SCEV *, 2> F(Q.Factors.begin(), Q.Factors.end());
        PwAff P = affine(SE.getMulExpr(F), S.Loops);
        if (!P)
          return false;
        X = PwAff(isl_pw_aff_mul(X.take(), P.take()));
      }
      Add(K, X.take());
    }
    return T.C == 0;
  };
  for (auto &[L, T] : A.Strides)
    if (!Split(T, L))
      return Map();
  for (const Term &T : A.Rest)
    if (!Split(T, nullptr))
      return Map();
  // Within the dimension, all but the first: an index that never is, by a
  // multiple of the dimension, belongs to a row before or behind.
  const Set Domain(isl_set_intersect_params(S.Domain.copy(), N.Asked.copy()));
  auto Never = [&](isl_set *Where) {
    Set Some(isl_set_intersect(Domain.copy(), Where));
    return isl_set_is_empty(Some.get()) == isl_bool_true;
  };
  for (unsigned K = 0; K + 1 < Chain.size(); ++K) {
    auto [Times, Fixed] = N.Arrays[ArrayOf[I]].Sizes[K];
    PwAff Size = constant(Times, Dims);
    if (Fixed) {
      PwAff P = affine(Fixed, S.Loops);
      if (!P)
        return Map();
      Size = PwAff(isl_pw_aff_mul(Size.take(), P.take()));
    }
    int64_t Rows = 0;
    if (!Fixed) {
      Isl<isl_val> Least(isl_pw_aff_min_val(
          isl_pw_aff_intersect_domain(Index[K].copy(), Domain.copy())));
      if (Least && isl_val_is_int(Least.get()) == isl_bool_true &&
          std::abs(isl_val_get_d(Least.get())) < 0x1p50)
        Rows = std::floor(isl_val_get_d(Least.get()) / double(Times));
    } else if (Never(isl_pw_aff_ge_set(Index[K].copy(),
                                       constant(0, Dims).take()))) {
      Rows = -1;
    } else if (Never(isl_pw_aff_lt_set(Index[K].copy(), Size.copy()))) {
      Rows = 1;
    }
    if (Rows) {
      PwAff Moved(
          isl_pw_aff_scale_val(Size.copy(), isl_val_int_from_si(C, Rows)));
      Index[K] = PwAff(isl_pw_aff_sub(Index[K].take(), Moved.take()));
      Add(K + 1, constant(Rows, Dims).take());
    }
    ask(Set(isl_set_intersect(
        S.Domain.copy(),
        isl_pw_aff_lt_set(Index[K].copy(), constant(0, Dims).take()))));
    ask(Set(isl_set_intersect(
        S.Domain.copy(), isl_pw_aff_ge_set(Index[K].copy(), Size.take()))));
  }
  std::reverse(Index.begin(), Index.end());
  return mapTo(C, std::move(Index), Dims, ArrayOf[I]);
}

SmallVector<int64_t, 4> Raiser::strides(Instruction *I, const Statement &S) {
  SmallVector<int64_t, 4> Bytes(S.Loops.size(), 0);
  for (auto &[L, T] : Addresses[I].Strides) {
    const auto *At = find(S.Loops, L);
    if (At != S.Loops.end())
      Bytes[At - S.Loops.begin()] += T.Factors.empty() ? T.C : Access::Far;
  }
  return Bytes;
}

Map Raiser::elementsOf(const Cell &Of, const Statement &S) {
  std::vector<PwAff> Index;
  for (Loop *L : Of.Loops) {
    const auto *At = find(S.Loops, L);
    if (At == S.Loops.end())
      return Map();
    Index.push_back(counter(At - S.Loops.begin(), S.Loops.size()));
  }
  return mapTo(C, std::move(Index), S.Loops.size(), Of.Array);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

constexpr int64_t Block = 1 << 14;

int64_t Raiser::indexOf(const Instruction *I) const {
  int64_t K = 1;
  for (const Instruction &J : *I->getParent()) {
    if (&J == I)
      break;
    ++K;
  }
  return std::min(K, Block - 4);
}

/// S runs in B, at place Within.
void Raiser::place(Statement &S, const BasicBlock *B, int64_t Within) {
  S.Loops = N.Outer.contains(B) ? loopsAround(B) : SmallVector<Loop *, 4>();
  S.Places.clear();
  for (Loop *L : S.Loops)
    S.Places.push_back(L == &N.Outer ? 0 : Rank[L->getHeader()] * Block);
  S.Places.push_back(N.Outer.contains(B) ? Rank[B] * Block + Within : -1);
  S.Domain =
      N.Outer.contains(B) ? Domains.lookup(B) : universe(C, S.Loops.size());
}

/// Numbers that loops carry.
bool Raiser::findCells() {
  for (BasicBlock *B : Order) {
    Loop *L = N.LI.getLoopFor(B);
    for (PHINode &Phi : B->phis()) {
      if (B != L->getHeader())
        continue;
      if (SE.isSCEVable(Phi.getType())) {
        if (affine(SE.getSCEV(&Phi), loopsAround(B)) ||
            Phi.getType()->isPointerTy())
          continue; // pointers: their accesses tell
        return fail("an integer that is not affine", &Phi);
      }
      if (!Phi.getType()->isFloatingPointTy())
        return fail("a loop carries something unusual", &Phi);
      CellOf[&Phi] = N.Cells.size();
      Cell New{&Phi, loopsAround(B), true};
      New.Loops.pop_back();
      N.Cells.push_back(New);
    }
  }
  for (Value *V : Kept) {
    CellOf[V] = N.Cells.size();
    N.Cells.push_back(
        {V, loopsAround(cast<Instruction>(V)->getParent()), false});
  }
  for (Cell &Each : N.Cells) {
    Each.Array = N.Arrays.size();
    N.Arrays.push_back({});
  }
  return true;
}

static bool takesLong(const Instruction *I) {
  switch (I->getOpcode()) {
  case Instruction::FDiv:
  case Instruction::FRem:
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem:
    return true;
  case Instruction::Call: {
    const auto *II = dyn_cast<IntrinsicInst>(I);
    return !II || (II->getIntrinsicID() != Intrinsic::fmuladd &&
                   II->getIntrinsicID() != Intrinsic::fma &&
                   II->getIntrinsicID() != Intrinsic::fabs &&
                   II->getIntrinsicID() != Intrinsic::minnum &&
                   II->getIntrinsicID() != Intrinsic::maxnum);
  }
  default:
    return false;
  }
}

bool Raiser::keep(Value *V) {
  if (!is_contained(Kept, V))
    Kept.push_back(V);
  return true;
}

bool Raiser::readCell(int Index, Value *V, Statement &S) {
  if (S.FromCells.count(V))
    return true;
  Access A;
  A.CellIndex = Index;
  A.Array = N.Cells[Index].Array;
  A.Where = elementsOf(N.Cells[Index], S);
  if (!A.Where)
    return fail("a number is used out of its loop", V);
  S.FromCells[V] = Index;
  S.Reads.push_back(A);
  return true;
}

/// What has to be there when S computes V.
bool Raiser::collect(Value *V, Statement &S, unsigned Depth) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !N.Outer.contains(I) || S.FromCells.count(V) || isSliced(V, S))
    return true;
  if (Depth > MostSlice || S.Slice.size() > MostSlice)
    return fail("too much is computed for one store", I);
  auto Known = CellOf.find(V);
  // A kept number is computed where its cell is set.
  if (Known != CellOf.end() &&
      !(S.K == Statement::SetCell && S.CellIndex == Known->second &&
        !N.Cells[Known->second].Carried))
    return readCell(Known->second, V, S);
  if (SE.isSCEVable(V->getType()) && V->getType()->isIntegerTy() &&
      affine(SE.getSCEV(V), S.Loops))
    return true;
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    if (Phi->getNumIncomingValues() != 1)
      return fail("a number that depends on the way that was taken", I);
    Value *X = Phi->getIncomingValue(0);
    auto *From = dyn_cast<Instruction>(X);
    if (!From || !N.Outer.contains(From) ||
        N.LI.getLoopFor(From->getParent())->contains(Phi))
      return collect(X, S, Depth + 1); // and see resolve() of Generate.cpp
    Loop *L = N.LI.getLoopFor(From->getParent());
    for (PHINode &Carried : L->getHeader()->phis())
      if (CellOf.count(&Carried) &&
          Carried.getIncomingValueForBlock(L->getLoopLatch()) == X)
        return readCell(CellOf[&Carried], V, S);
    return fail("a number of a loop's last iteration", I);
  }
  Loop *Home = N.LI.getLoopFor(I->getParent());
  if (!is_contained(S.Loops, Home))
    return fail("a number is used out of its loop", I);
  bool Outside = Home != S.Loops.back();
  if (takesLong(I) && Outside)
    return keep(V); // and the statements are made again
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    Access A;
    A.I = Load;
    A.Array = ArrayOf[Load];
    A.Where = elements(Load, S);
    if (!A.Where)
      return fail("an address that is not affine", I);
    A.Strides = strides(Load, S);
    S.Reads.push_back(A);
    S.Slice.push_back(I);
    return true;
  }
  if (I->isTerminator() || I->mayHaveSideEffects() || I->mayReadFromMemory() ||
      I->getType()->isTokenTy() || I->getType()->isPointerTy())
    return fail("a value of an unusual kind", I);
  for (Value *Op : I->operands())
    if (!collect(Op, S, Depth + 1))
      return false;
  S.Slice.push_back(I);
  return true;
}

/// Is V the read number Start plus something, by additions that may be done in
/// any order?
static bool isSumFrom(Value *V, Value *Start, const Statement &S) {
  for (unsigned Depth = 0; Depth != 8; ++Depth) {
    if (V == Start)
      return Depth != 0;
    auto *B = dyn_cast<BinaryOperator>(V);
    if (!B || !B->hasAllowReassoc() || !is_contained(S.Slice, B))
      return false;
    auto Reaches = [&](Value *X) {
      SmallVector<Value *, 8> Todo{X};
      for (unsigned K = 0; K != Todo.size() && K < 64; ++K) {
        if (Todo[K] == Start)
          return true;
        if (auto *I = dyn_cast<Instruction>(Todo[K]);
            I && is_contained(S.Slice, I) && !isa<LoadInst>(I))
          append_range(Todo, I->operands());
      }
      return Todo.size() >= 64;
    };
    Value *X = B->getOperand(0), *Y = B->getOperand(1);
    if (B->getOpcode() == Instruction::FAdd) {
      bool InX = Reaches(X), InY = Reaches(Y);
      if (InX == InY)
        return false;
      V = InX ? X : Y;
    } else if (B->getOpcode() == Instruction::FSub) {
      if (Reaches(Y))
        return false;
      V = X;
    } else {
      return false;
    }
  }
  return false;
}

void Raiser::findSum(Statement &S) {
  for (unsigned K = 0; K != S.Reads.size(); ++K) {
    const Access &R = S.Reads[K];
    if (R.Array != S.Write.Array)
      continue;
    Value *Start = R.I;
    if (!Start)
      for (auto &[V, Index] : S.FromCells)
        if (Index == R.CellIndex)
          Start = V;
    if (isl_map_is_equal(R.Where.get(), S.Write.Where.get()) != isl_bool_true ||
        !isSumFrom(S.V, Start, S))
      continue;
    // The same element is not read for something else.
    unsigned Same = count_if(S.Reads, [&](const Access &A) {
      return A.Array == R.Array &&
             isl_map_is_equal(A.Where.get(), R.Where.get()) != isl_bool_false;
    });
    if (Same == 1)
      S.Sum = K;
    return;
  }
}

Map Raiser::time(const Statement &S, ArrayRef<int64_t> Places, unsigned Depth) {
  const unsigned Dims = S.Loops.size();
  std::vector<PwAff> Parts;
  for (unsigned K = 0; K != MostDepth + 1; ++K) {
    Parts.push_back(constant(K < Places.size() ? Places[K] : 0, Dims));
    Parts.push_back(K < Depth ? counter(K, Dims) : constant(0, Dims));
  }
  Map M = mapTo(C, std::move(Parts), Dims, 0);
  return Map(isl_map_reset_tuple_id(M.take(), isl_dim_out));
}

/// A load that S repeats must find what it found at its own place.
bool Raiser::findMoved(Statement &S, bool &NeedsMore) {
  for (Access &R : S.Reads) {
    if (!R.I)
      continue;
    Statement Own;
    place(Own, R.I->getParent(), indexOf(R.I));
    Map Read = time(S, Own.Places, Own.Loops.size()),
        Run = time(S, S.Places, S.Loops.size());
    for (Statement &W : N.Statements) {
      if (W.Write.Array != R.Array || W.K != Statement::Store)
        continue;
      Map Meets(isl_map_apply_range(R.Where.copy(),
                                    isl_map_reverse(W.Write.Where.copy())));
      Meets = Map(isl_map_intersect_domain(Meets.take(), S.Domain.copy()));
      Meets = Map(isl_map_intersect_range(Meets.take(), W.Domain.copy()));
      Map At = time(W, W.Places, W.Loops.size());
      isl_space *Time = isl_space_range(isl_map_get_space(At.get()));
      auto Before = [&](const Map &X, const Map &Y) {
        return isl_map_apply_range(
            isl_map_apply_range(X.copy(), isl_map_lex_lt(isl_space_copy(Time))),
            isl_map_reverse(Y.copy()));
      };
      Meets = Map(isl_map_intersect(Meets.take(), Before(Read, At)));
      Meets = Map(
          isl_map_intersect(Meets.take(), isl_map_reverse(Before(At, Run))));
      isl_space_free(Time);
      isl_bool Empty = isl_map_is_empty(Meets.get());
      if (Empty == isl_bool_error)
        return fail("this takes too long");
      if (!Empty) {
        // A kept load cannot be kept again.
        if (S.K == Statement::SetCell && S.V == R.I)
          return fail("a number changes before it is used", R.I);
        NeedsMore = true;
        keep(R.I);
        break;
      }
    }
  }
  return true;
}

bool Raiser::addStatement(Statement S) {
  if (N.Statements.size() == MostStatements)
    return fail("too many statements");
  if (!collect(S.V, S))
    return false;
  if (S.K == Statement::Store) {
    S.Write.I = S.At;
    S.Write.Array = ArrayOf[S.At];
    S.Write.Where = elements(S.At, S);
    S.Write.Strides = strides(S.At, S);
  } else {
    S.Write.CellIndex = S.CellIndex;
    S.Write.Array = N.Cells[S.CellIndex].Array;
    S.Write.Where = elementsOf(N.Cells[S.CellIndex], S);
  }
  if (!S.Write.Where)
    return fail("an address that is not affine", S.At);
  findSum(S);
  N.Statements.push_back(std::move(S));
  return true;
}

bool Raiser::findStatements() {
  auto SetCell = [&](int Index, Value *V, BasicBlock *B, int64_t Within) {
    Statement S;
    S.K = Statement::SetCell;
    S.CellIndex = Index;
    S.V = V;
    S.At = B->getTerminator();
    place(S, B, Within);
    return addStatement(std::move(S));
  };
  for (int K = 0, E = N.Cells.size(); K != E; ++K) {
    if (!N.Cells[K].Carried)
      continue;
    auto *Phi = cast<PHINode>(N.Cells[K].V);
    Loop *L = N.LI.getLoopFor(Phi->getParent());
    Value *Next = Phi->getIncomingValueForBlock(L->getLoopLatch());
    if (!SetCell(K, Phi->getIncomingValueForBlock(L->getLoopPreheader()),
                 L->getLoopPreheader(), Block - 3) ||
        !SetCell(K, Next, L->getLoopLatch(), Block - 2))
      return false;
    // All phis of a header change at once; cells do one after the other.
    for (auto &[V, Index] : N.Statements.back().FromCells)
      if (Index != K && N.Cells[Index].Carried &&
          cast<PHINode>(N.Cells[Index].V)->getParent() == Phi->getParent())
        return fail("numbers that a loop carries change each other", Phi);
  }
  for (int K = 0, E = N.Cells.size(); K != E; ++K)
    if (!N.Cells[K].Carried) {
      auto *I = cast<Instruction>(N.Cells[K].V);
      if (!SetCell(K, I, I->getParent(), indexOf(I)))
        return false;
    }
  for (BasicBlock *B : Order)
    for (Instruction &I : *B)
      if (auto *Store = dyn_cast<StoreInst>(&I)) {
        Statement S;
        S.At = Store;
        S.V = Store->getValueOperand();
        place(S, B, indexOf(&I));
        if (!addStatement(std::move(S)))
          return false;
      }
  return true;
}

bool Raiser::run() {
  N.Known = N.Asked = Set(isl_set_universe(isl_space_params_alloc(C, 0)));
  if (!checkLoops() || !findDomains() || !findArrays())
    return false;
  const size_t NumArrays = N.Arrays.size();
  for (unsigned Round = 0;; ++Round) {
    if (Round == 6)
      return fail("numbers depend on each other in an unusual way");
    N.Statements.clear();
    N.Cells.clear();
    CellOf.clear();
    N.Arrays.resize(NumArrays);
    size_t Before = Kept.size();
    if (!findCells() || !findStatements())
      return false;
    bool More = Kept.size() != Before;
    if (!More)
      for (Statement &S : N.Statements)
        if (!findMoved(S, More))
          return false;
    if (!More)
      break;
    if (Kept.size() == Before)
      return fail("numbers depend on each other in an unusual way");
  }
  // What is used behind the nest.
  for (PHINode &Phi : N.Outer.getExitBlock()->phis()) {
    Value *X = Phi.getIncomingValue(0);
    auto *I = dyn_cast<Instruction>(X);
    if (!I || !N.Outer.contains(I))
      continue;
    auto *At = find_if(N.Cells, [&](const Cell &Each) {
                 return Each.Carried && Each.Loops.empty() &&
                        cast<PHINode>(Each.V)->getIncomingValueForBlock(
                            N.Outer.getLoopLatch()) == X;
               }).base();
    if (At == N.Cells.data() + N.Cells.size())
      return fail("a number of the last iteration is used behind", &Phi);
    N.Results.push_back({&Phi, int(At - N.Cells.data())});
  }
  // Names, and iterations that do not exist are no matter.
  for (unsigned K = 0; K != N.Statements.size(); ++K) {
    Statement &S = N.Statements[K];
    S.Domain = Set(isl_set_set_tuple_id(
        isl_set_intersect_params(S.Domain.take(), N.Asked.copy()),
        named(C, "S", K)));
    auto Name = [&](Access &A) {
      A.Where = Map(
          isl_map_set_tuple_id(A.Where.take(), isl_dim_in, named(C, "S", K)));
      A.Where = Map(isl_map_intersect_domain(A.Where.take(), S.Domain.copy()));
    };
    for (Access &A : S.Reads)
      Name(A);
    Name(S.Write);
    if (!S.Domain || !S.Write.Where)
      return fail("this takes too long");
  }
  N.Asked = Set(isl_set_coalesce(N.Asked.take()));
  if (!N.Asked || isl_set_is_empty(N.Asked.get()) != isl_bool_false)
    return fail("indices that leave their array's dimension");
  return true;
}

std::unique_ptr<Nest> loops::raise(Loop &L, LoopInfo &LI, ScalarEvolution &SE,
                                   AAResults &AA, DominatorTree &DT,
                                   std::string &WhyNot,
                                   Instruction *&WhyNotAt) {
  auto N = std::make_unique<Nest>(L, LI, SE, AA, DT);
  if (Raiser(*N).run())
    return N;
  WhyNot = N->Context.exceeded() ? "this takes too long" : N->WhyNot;
  WhyNotAt = N->WhyNotAt;
  return nullptr;
}
