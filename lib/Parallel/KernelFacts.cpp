//===- KernelFacts.cpp - what a kernel does to its parameters -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions are inlined into their kernels, variables become registers, and
// every access is asked where its address comes from: a parameter, the thread's
// or the block's memory, a variable of the device, or memory, when it is not
// known.
//
// What memory holds is told by the types of accesses. Integers that are only
// moved may be the bits of numbers, so memory counts as free of numbers only
// where some access computes with integers and none takes them for anything
// else.
//
//===----------------------------------------------------------------------===//

#include "Parallel/KernelFacts.h"
#include "Catalogue/Catalogue.h"
#include "Parallel/OrderOfThreads.h"
#include "Support/FreshAnalyses.h"
#include "Support/Kernels.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include <optional>
#include <utility>

using namespace llvm;
using namespace retrograd;

namespace {

/// What accesses take the memory behind a parameter for.
struct Evidence {
  bool Doubles = false, Floats = false, Integers = false, Others = false;

  char element() const {
    if (Others || (Doubles && Floats) || ((Doubles || Floats) && Integers))
      return 'U';
    return Doubles ? 'D' : Floats ? 'G' : Integers ? 0 : 'U';
  }
};

/// The same of memory behind pointers that lie in memory, for each place of
/// such a pointer in what it was read from.
struct FurtherEvidence {
  static constexpr int64_t AnyPlace = -1;
  SmallMapVector<int64_t, Evidence, 4> At;

  /// Where there are numbers of one type, and nothing else beside them.
  char element() const {
    char Found = 0;
    for (const auto &[Place, E] : At) {
      if (!E.Doubles && !E.Floats && !E.Others)
        continue; // integers alone
      const char One = E.element();
      if (One == 'U' || (Found && One != Found))
        return 0;
      Found = One;
    }
    return Found;
  }
};

/// Whether a statement of inline PTX reads or writes a texture or a surface.
bool accessesImages(const InlineAsm &Asm) {
  SmallVector<StringRef, 4> Statements;
  StringRef(Asm.getAsmString()).split(Statements, ';');
  return any_of(Statements, [](StringRef S) {
    S = S.ltrim(" \t\n{}");
    if (S.starts_with("@")) // a predicate
      S = S.drop_front(std::min(S.find_first_of(" \t\n"), S.size())).ltrim();
    StringRef Opcode = S.take_until([](char C) { return C == '.'; });
    return is_contained({"tex", "tld4", "suld", "sust", "sured"}, Opcode);
  });
}

class KernelReader {
  /// Structs of more are passed as a whole: they may hold no numbers.
  static constexpr unsigned MostMembers = 128;

public:
  KernelReader(Function &F, const Catalogue &Cat) : F(F), Cat(Cat) {}

  KernelFacts read() {
    for (Argument &A : F.args())
      describe(A);
    Of.resize(Facts.Parameters.size());
    Reached.insert(&F);
    for (unsigned N = 0; N != Reached.size(); ++N)
      for (Instruction &I : instructions(*Reached[N]))
        if (auto *C = dyn_cast<CallBase>(&I))
          if (Function *Callee = C->getCalledFunction();
              Callee && !Callee->isDeclaration())
            Reached.insert(Callee);
    for (Function *G : Reached)
      for (Instruction &I : instructions(*G))
        visit(I);
    // Where the kernel finds pointers, a copy may move one.
    for (auto [N, Steps] : CopiedTo)
      if (Steps < Facts.Parameters[N].Steps)
        refuse(StoresAddresses);
    for (auto [P, E] : zip(Facts.Parameters, Of))
      if (P.K == KernelParameter::Pointer && (P.Reads || P.Writes))
        P.Element = P.leads() ? 'P' : E.element();
    for (const auto &[N, E] : Further)
      Facts.Parameters[N].Further = E.element();
    const OrderOfThreads Order(F);
    if (Order.decidesPlaces())
      refuse("puts numbers at places that it counts by atomic operations, in "
             "the order in which threads come: in the reverse sweep it runs "
             "again, and the order may be another; let one kernel write the "
             "places to memory, as integers, and another one the numbers "
             "there");
    if (Order.decidesNumbers())
      refuse("lets the order in which threads come decide, by a branch on what "
             "an atomic operation returned, which of several numbers it "
             "stores: in the reverse sweep it runs again, and the order may be "
             "another; let one kernel write who came first to memory, as an "
             "integer, and another one the numbers");
    return std::move(Facts);
  }

private:
  Function &F;
  const Catalogue &Cat;
  KernelFacts Facts;
  /// The kernel, and what it calls without inlining.
  SmallSetVector<Function *, 8> Reached;
  SmallVector<Evidence, 8> Of;
  SmallMapVector<unsigned, FurtherEvidence, 4> Further;
  /// Bytes are copied to memory that the parameter leads to in so many steps.
  SmallVector<std::pair<unsigned, unsigned>, 4> CopiedTo;

  /// The primal sweep runs the kernel alone, which does not put the shadows of
  /// addresses beside them.
  static constexpr StringLiteral StoresAddresses =
      "stores addresses in memory; let the host make tables and links, and "
      "copy "
      "them to the device";

  void refuse(const Twine &Why) {
    if (Facts.Refused.empty())
      Facts.Refused = Why.str();
  }

  static bool holdsNumbers(Type *T) {
    if (T->isFPOrFPVectorTy() || T->isPtrOrPtrVectorTy())
      return true;
    return any_of(T->subtypes(), holdsNumbers);
  }

  static KernelParameter::Kind kindOf(Type *T) {
    return T->isPointerTy()   ? KernelParameter::Pointer
           : T->isFloatTy()   ? KernelParameter::Float
           : T->isDoubleTy()  ? KernelParameter::Double
           : T->isIntegerTy() ? KernelParameter::Inert
                              : KernelParameter::OtherNumber;
  }

  /// Members of a struct, and of structs and short arrays in it.
  bool addMembers(Type *T, KernelParameter P,
                  SmallVectorImpl<KernelParameter> &To) const {
    const DataLayout &DL = F.getDataLayout();
    if (auto *S = dyn_cast<StructType>(T)) {
      const StructLayout *L = DL.getStructLayout(S);
      for (auto [N, Member] : enumerate(S->elements())) {
        KernelParameter Q = P;
        Q.Offset += L->getElementOffset(N).getFixedValue();
        if (!addMembers(Member, Q, To))
          return false;
      }
      return true;
    }
    if (auto *A = dyn_cast<ArrayType>(T)) {
      uint64_t Step = DL.getTypeAllocSize(A->getElementType());
      if (A->getNumElements() > MostMembers)
        return false;
      for (uint64_t N = 0; N != A->getNumElements(); ++N) {
        KernelParameter Q = P;
        Q.Offset += N * Step;
        if (!addMembers(A->getElementType(), Q, To))
          return false;
      }
      return true;
    }
    P.T = T;
    P.K = kindOf(T);
    P.Bytes = DL.getTypeAllocSize(T).getFixedValue();
    To.push_back(P);
    return To.size() <= MostMembers;
  }

  void describe(const Argument &A) {
    const DataLayout &DL = F.getDataLayout();
    KernelParameter P;
    P.Of = A.getArgNo();
    P.T = A.getType();
    Type *Whole = A.getParamByValType();
    Facts.Own.push_back(
        DL.getTypeAllocSize(Whole ? Whole : P.T).getFixedValue());
    P.Bytes = Facts.Own.back();
    if (!Whole) {
      P.K = kindOf(P.T);
      Facts.Parameters.push_back(P);
      return;
    }
    KernelParameter Member = P;
    Member.InStruct = true;
    SmallVector<KernelParameter, 8> Members;
    if (addMembers(Whole, Member, Members)) {
      append_range(Facts.Parameters, Members);
      return;
    }
    // Nothing would tell which of its bytes are active.
    if (holdsNumbers(Whole))
      refuse("takes a struct of more than " + Twine(MostMembers) +
             " members with numbers or pointers by value; pass a pointer to "
             "it, in "
             "memory of the device");
    P.K = KernelParameter::Struct;
    P.T = Whole;
    Facts.Parameters.push_back(P);
  }

  /// What a pointer may be: parameters, and what is found in memory that these
  /// lead to, in so many steps.
  struct Origins {
    SmallVector<unsigned, 4> Are;
    SmallMapVector<unsigned, uint8_t, 4> Lead;
    /// Loads of pointers that are being asked, and those that are done.
    SmallPtrSet<const Value *, 8> Open, Seen;
    /// A pointer is found by way of itself.
    bool Cycle = false;

    void add(unsigned N) {
      if (!is_contained(Are, N))
        Are.push_back(N);
    }
    void addLead(unsigned N, uint8_t Steps) {
      uint8_t &Most = Lead[N];
      Most = std::max(Most, Steps);
    }
  };

  /// Adds the parameters that P of the struct, or the pointer, A may be: of an
  /// element of a struct that is found by an index, all pointers of the struct.
  void addParametersOf(const Argument &A, std::optional<int64_t> Offset,
                       Origins &Found) const {
    for (auto [N, P] : enumerate(Facts.Parameters))
      if (P.Of == A.getArgNo() && (!Offset || P.Offset == *Offset) &&
          P.Variable.empty() && P.K == KernelParameter::Pointer)
        Found.add(N);
  }

  /// The parameters whose pointers the thread's own memory at A holds. False
  /// where not all are known.
  bool addParametersIn(const AllocaInst &A, Origins &Found) {
    if (!Found.Seen.insert(&A).second)
      return true;
    SmallVector<const Value *, 8> Work{&A};
    while (!Work.empty()) {
      const Value *P = Work.pop_back_val();
      for (const User *U : P->users()) {
        if (isa<GetElementPtrInst, AddrSpaceCastInst, PHINode, SelectInst>(U)) {
          if (Found.Seen.insert(U).second)
            Work.push_back(U);
          continue;
        }
        if (isa<LoadInst, AnyMemSetInst, CmpInst>(U) ||
            cast<Instruction>(U)->isLifetimeStartOrEnd() ||
            isa<DbgInfoIntrinsic>(U))
          continue;
        if (const auto *S = dyn_cast<StoreInst>(U)) {
          const Value *V = S->getValueOperand();
          if (V == P)
            return false;
          if (V->getType()->isPointerTy() && !addOrigins(*V, Found))
            return false;
          continue;
        }
        const auto *T = dyn_cast<AnyMemTransferInst>(U);
        if (!T)
          return false;
        if (getUnderlyingObject(T->getRawDest(), /*MaxLookup=*/0) == &A &&
            !addFoundAt(*T->getRawSource(), std::nullopt, Found))
          return false;
      }
    }
    return true;
  }

  /// Pointers lie at P, in memory: whatever leads to P leads one step further.
  bool addFurther(const Value &P, Origins &Found) {
    Origins Of;
    Of.Open = Found.Open;
    if (!addOrigins(P, Of) || (Of.Are.empty() && Of.Lead.empty() && !Of.Cycle))
      return false;
    Found.Cycle |= Of.Cycle;
    for (unsigned N : Of.Are)
      Found.addLead(N, 1);
    for (auto [N, Steps] : Of.Lead)
      Found.addLead(N, std::min<unsigned>(Steps + 1, MostSteps));
    return true;
  }

  /// What the pointers at P may be: in a struct, at that offset of it, in
  /// memory of the thread's own, or in memory that parameters lead to.
  bool addFoundAt(const Value &P, std::optional<int64_t> Offset,
                  Origins &Found) {
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(&P, Objects, nullptr, /*MaxLookup=*/0);
    return all_of(Objects, [&](const Value *O) {
      if (const auto *A = dyn_cast<Argument>(O);
          A && A->getParent() == &F && A->hasByValAttr()) {
        addParametersOf(*A, Offset, Found);
        return true;
      }
      if (const auto *Own = dyn_cast<AllocaInst>(O))
        return addParametersIn(*Own, Found);
      return isa<ConstantPointerNull, UndefValue>(O) || addFurther(*O, Found);
    });
  }

  /// The calls of a function that is not inlined, in what the kernel runs. A
  /// kernel that calls through pointers is refused.
  SmallVector<const CallBase *, 4> callsOf(const Function &Callee) const {
    SmallVector<const CallBase *, 4> Calls;
    for (const User *U : Callee.users())
      if (const auto *C = dyn_cast<CallBase>(U);
          C && C->getCalledFunction() == &Callee &&
          Reached.contains(const_cast<Function *>(C->getFunction())))
        Calls.push_back(C);
    return Calls;
  }
  /// What calls hand to a function that is not inlined. Memory of the thread
  /// and of the block is nobody's parameter.
  bool addHanded(const Argument &A, Origins &Found) {
    if (!Found.Seen.insert(&A).second)
      return true;
    for (const CallBase *C : callsOf(*A.getParent())) {
      SmallVector<const Value *, 4> Objects;
      getUnderlyingObjects(C->getArgOperand(A.getArgNo()), Objects, nullptr,
                           /*MaxLookup=*/0);
      for (const Value *O : Objects) {
        const auto *G = dyn_cast<GlobalVariable>(O);
        if (!isa<AllocaInst>(O) && !(G && !isVariable(*G)) &&
            !addOrigins(*O, Found))
          return false;
      }
    }
    return true;
  }

  /// What V may be. False where it may be something else.
  bool addOrigins(const Value &V, Origins &Found) {
    if (!Budget)
      return false;
    --Budget;
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(&V, Objects, nullptr, /*MaxLookup=*/0);
    return all_of(Objects, [&](const Value *O) {
      if (isa<ConstantPointerNull, UndefValue>(O))
        return true;
      if (const auto *A = dyn_cast<Argument>(O)) {
        if (A->hasByValAttr())
          return false;
        if (A->getParent() != &F)
          return addHanded(*A, Found);
        addParametersOf(*A, 0, Found);
        return true;
      }
      if (const auto *G = dyn_cast<GlobalVariable>(O)) {
        if (!isVariable(*G))
          return false;
        Found.add(variable(*G));
        return true;
      }
      const auto *L = dyn_cast<LoadInst>(O);
      if (!L)
        return false;
      if (Found.Open.contains(L)) {
        Found.Cycle = true;
        return true;
      }
      if (!Found.Seen.insert(L).second)
        return true;
      Found.Open.insert(L);
      const DataLayout &DL = F.getDataLayout();
      APInt At(DL.getIndexTypeSizeInBits(L->getPointerOperandType()), 0);
      const Value *Base =
          L->getPointerOperand()->stripAndAccumulateConstantOffsets(
              DL, At, /*AllowNonInbounds=*/true);
      while (auto *Cast = dyn_cast<AddrSpaceCastInst>(Base))
        Base = Cast->getPointerOperand();
      // The runtime looks for addresses in words.
      const Value *Object = getUnderlyingObject(Base, /*MaxLookup=*/0);
      const auto *Whole = dyn_cast<Argument>(Object);
      if (L->getAlign() < DL.getPointerABIAlignment(0) &&
          !isa<AllocaInst>(Object) && !(Whole && Whole->hasByValAttr()))
        return false;
      std::optional<int64_t> Offset;
      if (isa<Argument>(Base))
        Offset = At.getSExtValue();
      const bool Known = addFoundAt(*Base, Offset, Found);
      Found.Open.erase(L);
      return Known;
    });
  }

  /// More than these are any number.
  static constexpr unsigned MostSteps = 8;
  /// Of questions for the origin of one access.
  static constexpr unsigned MostQuestions = 4096;
  unsigned Budget = 0;

  Origins originsOf(const Value *V) {
    Origins Found;
    Budget = MostQuestions;
    if (!addOrigins(*V, Found))
      return {};
    for (auto &[N, Steps] : Found.Lead)
      if (Found.Cycle || Steps >= MostSteps)
        Steps = KernelParameter::AnySteps;
    return Found;
  }

  /// The variable's place among the parameters.
  unsigned variable(const GlobalVariable &G) {
    for (auto [N, P] : enumerate(Facts.Parameters))
      if (P.Variable == G.getName())
        return N;
    KernelParameter P;
    P.K = KernelParameter::Pointer;
    P.T = PointerType::get(G.getContext(), 0);
    P.Variable = G.getName().str();
    P.Bytes = F.getDataLayout().getTypeAllocSize(G.getValueType());
    Facts.Parameters.push_back(P);
    Of.push_back({});
    return Facts.Parameters.size() - 1;
  }

  /// Integers that are computed with, not only moved.
  static bool isComputedWith(const Value &V) {
    return any_of(V.users(), [](const User *U) {
      return isa<ICmpInst, BinaryOperator, GetElementPtrInst, SIToFPInst,
                 UIToFPInst, SwitchInst, SExtInst, ZExtInst>(U);
    });
  }

  /// Computes with integers in memory: a maximum or an exchange may be one of
  /// numbers, by their bits.
  static bool counts(const AtomicRMWInst &A) {
    switch (A.getOperation()) {
    case AtomicRMWInst::Add:
    case AtomicRMWInst::Sub:
    case AtomicRMWInst::And:
    case AtomicRMWInst::Nand:
    case AtomicRMWInst::Or:
    case AtomicRMWInst::Xor:
    case AtomicRMWInst::UIncWrap:
    case AtomicRMWInst::UDecWrap:
      return true;
    default:
      return false;
    }
  }

  void note(Evidence &E, Type *T, const Value *Loaded, const Value *Stored) {
    Type *S = T->getScalarType();
    if (const auto *A = dyn_cast_or_null<AtomicRMWInst>(Loaded);
        A && counts(*A)) {
      E.Integers = true;
      return;
    }
    if (S->isDoubleTy()) {
      E.Doubles = true;
    } else if (S->isFloatTy()) {
      E.Floats = true;
    } else if (S->isIntegerTy()) {
      if (Loaded ? isComputedWith(*Loaded)
                 : Stored && isa<BinaryOperator, CastInst, SelectInst>(Stored))
        E.Integers = true;
      else if (!(Stored && isa<Constant>(Stored)))
        E.Others = true;
    } else {
      E.Others = true;
    }
  }

  /// The numbers of which T is made: D, G, or 0 where there are others beside
  /// them, or none.
  static char numbersIn(Type *T) {
    if (T->isDoubleTy())
      return 'D';
    if (T->isFloatTy())
      return 'G';
    if (auto *V = dyn_cast<VectorType>(T))
      return numbersIn(V->getElementType());
    if (auto *A = dyn_cast<ArrayType>(T))
      return numbersIn(A->getElementType());
    auto *S = dyn_cast<StructType>(T);
    if (!S || !S->getNumElements())
      return 0;
    const char First = numbersIn(S->getElementType(0));
    return all_of(S->elements(), [&](Type *E) { return numbersIn(E) == First; })
               ? First
               : 0;
  }
  /// A copy of bytes, to or from P: what the step to P says of the elements of
  /// the array there.
  static void noteCopy(Evidence &E, const Value &P) {
    const auto *Step = dyn_cast<GEPOperator>(P.stripPointerCasts());
    const char Numbers =
        Step ? numbersIn(Step->getResultElementType()) : char(0);
    E.Doubles |= Numbers == 'D';
    E.Floats |= Numbers == 'G';
    E.Others |= !Numbers;
  }

  /// Where in its struct the pointer O was read from.
  int64_t placeOf(const Value &O) const {
    const auto *L = dyn_cast<LoadInst>(&O);
    if (!L)
      return FurtherEvidence::AnyPlace;
    const DataLayout &DL = F.getDataLayout();
    APInt At(DL.getIndexTypeSizeInBits(L->getPointerOperandType()), 0);
    const Value *Base =
        L->getPointerOperand()->stripAndAccumulateConstantOffsets(
            DL, At, /*AllowNonInbounds=*/true);
    return isa<Argument, LoadInst>(Base) ? At.getSExtValue()
                                         : FurtherEvidence::AnyPlace;
  }

  /// The file's own, with contents from the start that nothing writes: the
  /// host has no name for it (tables of the device's library are such).
  static bool isTable(const GlobalVariable &G) {
    if (!G.hasLocalLinkage() || !G.hasInitializer())
      return false;
    SmallVector<const Value *, 8> Work{&G};
    while (!Work.empty())
      for (const User *U : Work.pop_back_val()->users()) {
        const auto *Op = dyn_cast<Operator>(U);
        if (Op && (isa<GEPOperator>(Op) || isa<AddrSpaceCastOperator>(Op)))
          Work.push_back(U);
        else if (!isa<LoadInst>(U))
          return false;
      }
    return true;
  }

  /// The host has it, too. clang calls __constant__ variables constants, though
  /// the host writes them.
  static bool isVariable(const GlobalVariable &G) {
    return !((G.isConstant() && !G.isExternallyInitialized()) || isTable(G) ||
             G.getAddressSpace() == 3 ||
             G.isDeclaration()); // markers of derivative calls
  }

  /// Where it is not known what A is: its callers are asked as for bytes.
  void accessByCalls(const Argument &A, bool Reads, bool Writes) {
    if (A.getParent() == &F || A.hasByValAttr() ||
        !Asked.insert({&A, Reads + 2 * Writes}).second)
      return;
    for (const CallBase *C : callsOf(*A.getParent()))
      access(C->getArgOperand(A.getArgNo()), Reads, Writes, nullptr, nullptr,
             nullptr);
  }
  SmallSet<std::pair<const Argument *, int>, 8> Asked;

  void access(const Value *P, bool Reads, bool Writes, Type *T,
              const Value *Loaded, const Value *Stored) {
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(P, Objects, nullptr, /*MaxLookup=*/0);
    for (const Value *O : Objects) {
      if (isa<AllocaInst, ConstantPointerNull, UndefValue>(O))
        continue;
      if (const auto *G = dyn_cast<GlobalVariable>(O); G && !isVariable(*G))
        continue;
      Origins From = originsOf(O);
      ArrayRef<unsigned> At = From.Are;
      if (const auto *A = dyn_cast<Argument>(O);
          A && At.empty() && From.Lead.empty()) {
        // A struct; or what a function is handed that is not inlined.
        accessByCalls(*A, Reads, Writes);
        continue;
      }
      if (At.empty() && From.Lead.empty() && (Writes || Reads))
        refuse("follows pointers that it reads from memory, and that no "
               "parameter is seen to lead to");
      for (unsigned N : At) {
        Facts.Parameters[N].Reads |= Reads;
        Facts.Parameters[N].Writes |= Writes;
        if (T)
          note(Of[N], T, Loaded, Stored);
        else
          noteCopy(Of[N], *P);
      }
      for (auto [N, Steps] : From.Lead) {
        KernelParameter &Leads = Facts.Parameters[N];
        Leads.ReadsFurther |= Reads;
        Leads.WritesFurther |= Writes;
        Leads.Steps = std::max(Leads.Steps, Steps);
        if (T && T->isPtrOrPtrVectorTy())
          continue;
        Evidence &E = Further[N].At[placeOf(*O)];
        if (T)
          note(E, T, Loaded, Stored);
        else
          noteCopy(E, *P);
      }
    }
  }

  /// Textures and surfaces: a number tells which memory is read, and of which
  /// type it is.
  bool readsByNumber(const CallBase &C) const {
    if (const auto *Asm = dyn_cast<InlineAsm>(C.getCalledOperand()))
      return accessesImages(*Asm);
    const Function *Callee = C.getCalledFunction();
    const OperationRecord *R = Callee ? Cat.lookupFunction(*Callee) : nullptr;
    return R && R->ReadsByNumber;
  }

  /// Pointers whose bits V is computed of.
  static SmallVector<const Value *, 2> pointersIn(const Value &V) {
    SmallVector<const Value *, 2> Found;
    SmallVector<const Value *, 8> Work{&V};
    SmallPtrSet<const Value *, 8> Seen;
    while (!Work.empty()) {
      const Value *Part = Work.pop_back_val();
      if (!Seen.insert(Part).second)
        continue;
      const auto *Op = dyn_cast<Operator>(Part);
      if (Part->getType()->isPointerTy())
        Found.push_back(Part);
      else if (Op && (isa<BinaryOperator, CastInst, ConstantExpr, PHINode,
                          SelectInst, FreezeInst>(Op)))
        append_range(Work, Op->operands());
    }
    return Found;
  }

  /// Addresses may be given to inline PTX as numbers; what it accesses stands
  /// in brackets.
  void visitAsm(const CallBase &C) {
    bool Known = false;
    for (const Value *A : C.args())
      for (const Value *P : pointersIn(*A)) {
        access(P, true, true, nullptr, nullptr, nullptr);
        Known = true;
      }
    const auto *Asm = cast<InlineAsm>(C.getCalledOperand());
    if (!Known && Asm->getAsmString().contains('['))
      refuse("accesses memory by inline PTX at an address whose pointer is not "
             "seen");
  }

  /// V is put in memory at P.
  void noteStored(const Value &P, const Value &V) {
    if (!V.getType()->isPtrOrPtrVectorTy() && !isa<PtrToIntInst>(V))
      return;
    if (isa<ConstantPointerNull>(V))
      return;
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(&P, Objects, nullptr, /*MaxLookup=*/0);
    if (any_of(Objects, [](const Value *O) {
          const auto *G = dyn_cast<GlobalVariable>(O);
          return !isa<AllocaInst>(O) && !(G && G->getAddressSpace() == 3);
        }))
      refuse(StoresAddresses);
  }
  /// Of a copy whose types say so, no word is an address.
  static bool movesNoAddress(const AnyMemTransferInst &T) {
    const auto *Bytes = dyn_cast<ConstantInt>(T.getLength());
    if (Bytes && Bytes->getLimitedValue() < 8)
      return true;
    const MDNode *Fields = T.getMetadata(LLVMContext::MD_tbaa_struct);
    if (!Fields)
      return false;
    // Offset, size and tag of each.
    for (unsigned I = 2; I < Fields->getNumOperands(); I += 3) {
      const auto *Tag = dyn_cast_or_null<MDNode>(Fields->getOperand(I));
      const auto *Of = Tag && Tag->getNumOperands() > 1
                           ? dyn_cast_or_null<MDNode>(Tag->getOperand(1))
                           : nullptr;
      const auto *Name = Of && Of->getNumOperands()
                             ? dyn_cast_or_null<MDString>(Of->getOperand(0))
                             : nullptr;
      if (!Name || (Name->getString() != "double" &&
                    Name->getString() != "float" && Name->getString() != "int"))
        return false;
    }
    return true;
  }
  void noteCopied(const AnyMemTransferInst &T) {
    if (movesNoAddress(T))
      return;
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(T.getRawDest(), Objects, nullptr, /*MaxLookup=*/0);
    for (const Value *O : Objects) {
      Origins From = originsOf(O);
      for (unsigned N : From.Are)
        CopiedTo.push_back({N, 0});
      for (auto [N, Steps] : From.Lead)
        CopiedTo.push_back(
            {N, Steps == KernelParameter::AnySteps ? 0 : unsigned(Steps)});
    }
  }

  void visit(Instruction &I) {
    if (auto *L = dyn_cast<LoadInst>(&I))
      return access(L->getPointerOperand(), true, false, L->getType(), L,
                    nullptr);
    if (auto *S = dyn_cast<StoreInst>(&I)) {
      noteStored(*S->getPointerOperand(), *S->getValueOperand());
      return access(S->getPointerOperand(), false, true,
                    S->getValueOperand()->getType(), nullptr,
                    S->getValueOperand());
    }
    if (auto *M = dyn_cast<AtomicRMWInst>(&I)) {
      noteStored(*M->getPointerOperand(), *M->getValOperand());
      return access(M->getPointerOperand(), true, true, M->getType(), M,
                    M->getValOperand());
    }
    if (auto *C = dyn_cast<AtomicCmpXchgInst>(&I)) {
      noteStored(*C->getPointerOperand(), *C->getNewValOperand());
      return access(C->getPointerOperand(), true, true, nullptr, nullptr,
                    nullptr);
    }
    auto *C = dyn_cast<CallBase>(&I);
    if (!C || I.isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(I))
      return;
    if (auto *T = dyn_cast<AnyMemTransferInst>(C)) {
      noteCopied(*T);
      access(T->getRawDest(), false, true, nullptr, nullptr, nullptr);
      return access(T->getRawSource(), true, false, nullptr, nullptr, nullptr);
    }
    if (auto *S = dyn_cast<AnyMemSetInst>(C)) // zeros, of whatever type
      return access(S->getRawDest(), false, true, S->getValue()->getType(),
                    nullptr, S->getValue());
    if (readsByNumber(*C))
      return refuse("reads memory through a texture or a surface; pass a "
                    "pointer to the memory, and read it there");
    if (!C->getCalledFunction() && !C->isInlineAsm())
      return refuse("calls functions through pointers");
    if (C->isInlineAsm())
      return visitAsm(*C);
    if (Reached.contains(C->getCalledFunction())) // visited itself
      return;
    if (!C->getCalledFunction()->doesNotAccessMemory())
      for (const auto &A : C->args())
        if (A->getType()->isPointerTy())
          access(A, !C->doesNotAccessMemory(A.getOperandNo()),
                 !C->onlyReadsMemory(A.getOperandNo()), nullptr, nullptr,
                 nullptr);
  }
};

} // namespace

StringMap<KernelFacts> retrograd::readKernels(Module &D, const Catalogue &Cat) {
  for (Function &F : D) {
    // Where threads wait for each other is no access of the kernel's.
    if (const OperationRecord *R =
            F.isDeclaration() ? nullptr : Cat.lookupFunction(F);
        R && R->Waits) {
      F.deleteBody();
      F.setComdat(nullptr);
      continue;
    }
    bool Unoptimised = F.hasFnAttribute(Attribute::OptimizeNone);
    F.removeFnAttr(Attribute::OptimizeNone);
    if (Unoptimised)
      F.removeFnAttr(Attribute::NoInline);
    if (!F.isDeclaration() && !isDeviceKernel(F) &&
        !F.hasFnAttribute(Attribute::NoInline)) {
      F.addFnAttr(Attribute::AlwaysInline);
      F.setLinkage(GlobalValue::InternalLinkage);
      F.setComdat(nullptr);
    }
  }
  FreshAnalyses Own;
  ModulePassManager MPM;
  MPM.addPass(AlwaysInlinerPass(/*InsertLifetime=*/false));
  FunctionPassManager FPM;
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(EarlyCSEPass(true));
  FPM.addPass(SimplifyCFGPass());
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  MPM.addPass(createModuleToFunctionPassAdaptor(std::move(FPM)));
  MPM.run(D, Own.MAM);
  StringMap<KernelFacts> Found;
  for (Function &F : D)
    if (isDeviceKernel(F))
      Found[F.getName()] = KernelReader(F, Cat).read();
  return Found;
}
