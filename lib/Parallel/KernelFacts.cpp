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
#include "Support/FreshAnalyses.h"
#include "Support/Kernels.h"
#include "llvm/ADT/SmallPtrSet.h"
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
    SmallPtrSet<Function *, 8> Seen{&F};
    SmallVector<Function *, 8> Work{&F};
    while (!Work.empty()) {
      Function &G = *Work.pop_back_val();
      for (Instruction &I : instructions(G)) {
        visit(I);
        if (auto *C = dyn_cast<CallBase>(&I))
          if (Function *Callee = C->getCalledFunction();
              Callee && !Callee->isDeclaration() && Seen.insert(Callee).second)
            Work.push_back(Callee);
      }
    }
    for (auto [P, E] : zip(Facts.Parameters, Of))
      if (P.K == KernelParameter::Pointer && (P.Reads || P.Writes))
        P.Element = E.element();
    return std::move(Facts);
  }

private:
  Function &F;
  const Catalogue &Cat;
  KernelFacts Facts;
  SmallVector<Evidence, 8> Of;

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

  /// Adds the parameters that P of the struct, or the pointer, A may be: of an
  /// element of a struct that is found by an index, all pointers of the struct.
  void addParametersOf(const Argument &A, std::optional<int64_t> Offset,
                       SmallVectorImpl<unsigned> &Found) const {
    for (auto [N, P] : enumerate(Facts.Parameters))
      if (P.Of == A.getArgNo() && (!Offset || P.Offset == *Offset) &&
          P.Variable.empty() && P.K == KernelParameter::Pointer &&
          !is_contained(Found, N))
        Found.push_back(N);
  }

  /// The parameters whose pointers the thread's own memory at A holds. False
  /// where not all are known.
  bool addParametersIn(const AllocaInst &A, SmallVectorImpl<unsigned> &Found,
                       SmallPtrSetImpl<const Value *> &Seen) const {
    if (!Seen.insert(&A).second)
      return true;
    SmallVector<const Value *, 8> Work{&A};
    while (!Work.empty()) {
      const Value *P = Work.pop_back_val();
      for (const User *U : P->users()) {
        if (isa<GetElementPtrInst, AddrSpaceCastInst, PHINode, SelectInst>(U)) {
          if (Seen.insert(U).second)
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
          if (V->getType()->isPointerTy() && !addParametersOf(*V, Found, Seen))
            return false;
          continue;
        }
        const auto *T = dyn_cast<AnyMemTransferInst>(U);
        if (!T)
          return false;
        if (getUnderlyingObject(T->getRawDest(), /*MaxLookup=*/0) == &A &&
            !addParametersBehind(*T->getRawSource(), std::nullopt, Found, Seen))
          return false;
      }
    }
    return true;
  }

  /// The parameters whose pointers lie at P: in a struct, at that offset of it,
  /// or in memory of the thread's own.
  bool addParametersBehind(const Value &P, std::optional<int64_t> Offset,
                           SmallVectorImpl<unsigned> &Found,
                           SmallPtrSetImpl<const Value *> &Seen) const {
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(&P, Objects, nullptr, /*MaxLookup=*/0);
    return all_of(Objects, [&](const Value *O) {
      if (const auto *A = dyn_cast<Argument>(O)) {
        if (A->getParent() != &F || !A->hasByValAttr())
          return false;
        addParametersOf(*A, Offset, Found);
        return true;
      }
      const auto *Own = dyn_cast<AllocaInst>(O);
      return Own && addParametersIn(*Own, Found, Seen);
    });
  }

  /// The parameters that V may be. False where it may be something else.
  bool addParametersOf(const Value &V, SmallVectorImpl<unsigned> &Found,
                       SmallPtrSetImpl<const Value *> &Seen) const {
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(&V, Objects, nullptr, /*MaxLookup=*/0);
    return all_of(Objects, [&](const Value *O) {
      if (isa<ConstantPointerNull, UndefValue>(O))
        return true;
      if (const auto *A = dyn_cast<Argument>(O)) {
        if (A->getParent() != &F || A->hasByValAttr())
          return false;
        addParametersOf(*A, 0, Found);
        return true;
      }
      const auto *L = dyn_cast<LoadInst>(O);
      if (!L || !Seen.insert(L).second)
        return L != nullptr;
      const DataLayout &DL = F.getDataLayout();
      APInt At(DL.getIndexTypeSizeInBits(L->getPointerOperandType()), 0);
      const Value *Base =
          L->getPointerOperand()->stripAndAccumulateConstantOffsets(
              DL, At, /*AllowNonInbounds=*/true);
      while (auto *Cast = dyn_cast<AddrSpaceCastInst>(Base))
        Base = Cast->getPointerOperand();
      std::optional<int64_t> Offset;
      if (isa<Argument>(Base))
        Offset = At.getSExtValue();
      return addParametersBehind(*Base, Offset, Found, Seen);
    });
  }

  SmallVector<unsigned, 4> parametersOf(const Value *V) const {
    SmallVector<unsigned, 4> Found;
    SmallPtrSet<const Value *, 8> Seen;
    if (!addParametersOf(*V, Found, Seen))
      Found.clear();
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

  void note(Evidence &E, Type *T, const Value *Loaded, const Value *Stored) {
    Type *S = T->getScalarType();
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

  void access(const Value *P, bool Reads, bool Writes, Type *T,
              const Value *Loaded, const Value *Stored) {
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(P, Objects, nullptr, /*MaxLookup=*/0);
    for (const Value *O : Objects) {
      if (isa<AllocaInst, ConstantPointerNull, UndefValue>(O))
        continue;
      SmallVector<unsigned, 4> At = parametersOf(O);
      if (const auto *G = dyn_cast<GlobalVariable>(O)) {
        // clang calls __constant__ variables constants, too; the host writes
        // them.
        if ((G->isConstant() && !G->isExternallyInitialized()) || isTable(*G) ||
            G->getAddressSpace() == 3 ||
            G->isDeclaration()) // markers of derivative calls
          continue;
        At = {variable(*G)};
      } else if (isa<Argument>(O) && At.empty()) {
        // A struct; or of a recursive function: its callers pass it.
        continue;
      }
      if (At.empty() && (Writes || Reads))
        refuse("follows pointers that it reads from memory");
      for (unsigned N : At) {
        Facts.Parameters[N].Reads |= Reads;
        Facts.Parameters[N].Writes |= Writes;
        if (T)
          note(Of[N], T, Loaded, Stored);
        else
          Of[N].Others = true;
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

  void visit(Instruction &I) {
    if (auto *L = dyn_cast<LoadInst>(&I))
      return access(L->getPointerOperand(), true, false, L->getType(), L,
                    nullptr);
    if (auto *S = dyn_cast<StoreInst>(&I))
      return access(S->getPointerOperand(), false, true,
                    S->getValueOperand()->getType(), nullptr,
                    S->getValueOperand());
    if (auto *M = dyn_cast<AtomicRMWInst>(&I))
      return access(M->getPointerOperand(), true, true, M->getType(), M,
                    M->getValOperand());
    if (auto *C = dyn_cast<AtomicCmpXchgInst>(&I))
      return access(C->getPointerOperand(), true, true, nullptr, nullptr,
                    nullptr);
    auto *C = dyn_cast<CallBase>(&I);
    if (!C || I.isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(I))
      return;
    if (auto *T = dyn_cast<AnyMemTransferInst>(C)) {
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
