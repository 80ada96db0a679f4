//===- FortranTypes.cpp ---------------------------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/Language/FortranTypes.h"
#include "Bitcode/RuntimeLibrary.h"
#include "Catalogue/AccessTags.h"
#include "Primal/PrimalSteps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include <optional>

using namespace llvm;
using namespace retrograd;

namespace {

/// Objects within objects; types with allocatable components of their own type
/// never end.
constexpr unsigned DeepestNesting = 4;
/// Elements of a component, or numbers of a default value, that are written one
/// by one.
constexpr unsigned MostElements = 64;
/// CFI_cdesc_t of ISO_Fortran_binding.h: its size without dimensions, and one
/// dimension's.
constexpr uint64_t DescriptorBytes = 24, DimensionBytes = 24;
constexpr unsigned DescriptorVersion = 20240719;
enum : unsigned { PointerAttribute = 1, AllocatableAttribute = 2 };

/// Members of flang's tables, in the order of their declarations in
/// __fortran_type_info.
namespace table {
enum { Bytes = 2, Components = 6, Procedures = 7, Flags = 10 };
enum {
  NoInitialization = Flags + 1,
  NoDestruction,
  NoFinalization,
  NoDefinedAssignment
};
} // namespace table
namespace component {
enum {
  Genre = 1,
  Category,
  Kind,
  Rank,
  Offset = 6,
  Length,
  Derived,
  Bounds = 10,
  Initial
};
enum { Data = 1, Pointer, Allocatable };
enum { Integer, Unsigned, Real, Complex, Character, Logical, DerivedType };
} // namespace component

/// One entry of a type's table.
struct Component {
  uint64_t Genre, Category, Kind, Rank, Offset;
  uint64_t Length = 0;               ///< of characters, where it is constant
  const Constant *Derived = nullptr; ///< the table of its type
  Constant *Initial = nullptr;       ///< a global
  uint64_t Elements = 1;             ///< of data

  /// CFI_type_t of ISO_Fortran_binding.h as flang has it; none: a kind that is
  /// not served.
  std::optional<unsigned> code() const;
  std::optional<uint64_t> bytes() const;
};

struct DerivedTable {
  uint64_t Bytes = 0;
  bool NoInitialization = false, NoDestruction = false, NoFinalization = false,
       NoDefinedAssignment = false;
  SmallVector<Component, 8> Components;
  /// Procedure pointers: offset and first value.
  SmallVector<std::pair<uint64_t, Constant *>, 2> Procedures;
};

} // namespace

std::optional<unsigned> Component::code() const {
  auto OfKinds =
      [&](std::initializer_list<std::pair<uint64_t, unsigned>> Known) {
        for (auto [K, Code] : Known)
          if (K == Kind)
            return std::optional<unsigned>(Code);
        return std::optional<unsigned>();
      };
  switch (Category) {
  case component::Integer:
    return OfKinds({{1, 7}, {2, 8}, {4, 9}, {8, 10}});
  case component::Real:
    return OfKinds({{4, 27}, {8, 28}});
  case component::Complex:
    return OfKinds({{4, 34}, {8, 35}});
  case component::Logical:
    return OfKinds({{1, 39}, {2, 13}, {4, 14}, {8, 15}});
  case component::Character:
    return OfKinds({{1, 40}});
  case component::DerivedType:
    return 42;
  default:
    return std::nullopt;
  }
}

static const Constant *member(const Constant *C, unsigned N) {
  return C ? C->getAggregateElement(N) : nullptr;
}

static std::optional<uint64_t> integer(const Constant *C) {
  if (const auto *I = dyn_cast_or_null<ConstantInt>(C))
    return I->getZExtValue();
  return std::nullopt;
}

/// Behind a pointer, or behind an address in an integer.
static GlobalVariable *global(const Constant *C) {
  if (const auto *E = dyn_cast_or_null<ConstantExpr>(C);
      E && E->getOpcode() == Instruction::PtrToInt)
    C = E->getOperand(0);
  return const_cast<GlobalVariable *>(
      dyn_cast_or_null<GlobalVariable>(C ? C->stripPointerCasts() : nullptr));
}

static const Constant *held(const Constant *C) {
  const GlobalVariable *G = global(C);
  return G && G->isConstant() && G->hasDefinitiveInitializer()
             ? G->getInitializer()
             : nullptr;
}

/// The descriptor of a table of rank 1: what it leads to, and how many there
/// are.
static std::pair<const Constant *, uint64_t>
entries(const Constant *Descriptor) {
  const Constant *Dimensions = member(Descriptor, 7);
  return {held(member(Descriptor, 0)),
          integer(member(member(Dimensions, 0), 1)).value_or(0)};
}

/// Null: not a table as flang 22 writes it.
static std::optional<DerivedTable> read(const Constant *C) {
  const auto *S = C ? dyn_cast<StructType>(C->getType()) : nullptr;
  if (!S || !S->hasName() ||
      !S->getName().starts_with("_QM__fortran_type_infoTderivedtype") ||
      S->getNumElements() < 15)
    return std::nullopt;
  DerivedTable T;
  auto Bytes = integer(member(C, table::Bytes));
  if (!Bytes)
    return std::nullopt;
  T.Bytes = *Bytes;
  auto Flag = [&](unsigned N) {
    return integer(member(C, N)).value_or(0) != 0;
  };
  T.NoInitialization = Flag(table::NoInitialization);
  T.NoDestruction = Flag(table::NoDestruction);
  T.NoFinalization = Flag(table::NoFinalization);
  T.NoDefinedAssignment = Flag(table::NoDefinedAssignment);
  auto [Table, N] = entries(member(C, table::Components));
  for (uint64_t I = 0; I != N; ++I) {
    const Constant *E = member(Table, I);
    auto At = [&](unsigned M) { return integer(member(E, M)); };
    auto Genre = At(component::Genre), Category = At(component::Category),
         Kind = At(component::Kind), Rank = At(component::Rank),
         Offset = At(component::Offset);
    if (!Genre || !Category || !Kind || !Rank || !Offset || *Rank > 7 ||
        *Genre < component::Data || *Genre > component::Allocatable)
      return std::nullopt;
    Component P{*Genre, *Category, *Kind, *Rank, *Offset};
    const Constant *Length = member(E, component::Length);
    constexpr uint64_t Explicit = 2;
    if (integer(member(Length, 0)) == Explicit)
      P.Length = integer(member(Length, 2)).value_or(0);
    P.Derived = member(member(E, component::Derived), 0);
    if (P.Category == component::DerivedType && !held(P.Derived))
      return std::nullopt;
    P.Initial = global(member(member(E, component::Initial), 0));
    if (P.Genre == component::Data && P.Rank) {
      const Constant *Bounds = held(member(member(E, component::Bounds), 0));
      for (uint64_t D = 0; D != P.Rank; ++D) {
        // One after the other, or in rows of two.
        const Constant *First = member(Bounds, 2 * D),
                       *Last = member(Bounds, 2 * D + 1);
        if (Bounds && Bounds->getType()->isArrayTy() &&
            Bounds->getType()->getArrayElementType()->isArrayTy()) {
          First = member(member(Bounds, D), 0);
          Last = member(member(Bounds, D), 1);
        }
        auto Lower = integer(member(First, 2)),
             Upper = integer(member(Last, 2));
        if (!Lower || !Upper || integer(member(First, 0)) != Explicit ||
            integer(member(Last, 0)) != Explicit)
          return std::nullopt;
        P.Elements *=
            int64_t(*Upper) < int64_t(*Lower) ? 0 : *Upper - *Lower + 1;
      }
    }
    T.Components.push_back(P);
  }
  auto [Pointers, NumPointers] = entries(member(C, table::Procedures));
  for (uint64_t I = 0; I != NumPointers; ++I) {
    const Constant *E = member(Pointers, I);
    auto Offset = integer(member(E, 1));
    if (!Offset)
      return std::nullopt;
    const Constant *First = member(member(E, 2), 0);
    if (const auto *X = dyn_cast_or_null<ConstantExpr>(First);
        X && X->getOpcode() == Instruction::PtrToInt)
      First = X->getOperand(0);
    T.Procedures.push_back({*Offset, const_cast<Constant *>(First)});
  }
  return T;
}

std::optional<uint64_t> Component::bytes() const {
  switch (Category) {
  case component::Complex:
    return 2 * Kind;
  case component::Character:
    return Kind * Length;
  case component::DerivedType:
    if (auto T = read(held(Derived)))
      return T->Bytes;
    return std::nullopt;
  default:
    return Kind;
  }
}

namespace {

/// Writes at one place. False: something is not served, and what was written
/// has to go.
class Writer {
public:
  Writer(Instruction &At, RuntimeLibrary &Runtime)
      : B(&At), DL(At.getDataLayout()), Runtime(Runtime) {}
  bool initialise(Value *Object, const Constant *Table, unsigned Depth = 0);
  bool copy(Value *To, Value *From, const Constant *Table, unsigned Depth = 0);

private:
  Value *at(Value *P, uint64_t Offset) {
    return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), P, Offset);
  }
  void move(Type *T, Value *To, Value *From, uint64_t Offset) {
    B.CreateStore(B.CreateLoad(T, at(From, Offset)), at(To, Offset));
  }
  bool store(Value *To, const Constant *C, unsigned &Budget);
  bool establish(Value *To, const Component &C);
  void moveDescriptor(Value *To, Value *From, const Component &C);
  bool moveData(Value *To, Value *From, const Component &C);

  IRBuilder<> B;
  const DataLayout &DL;
  RuntimeLibrary &Runtime;
};

} // namespace

/// The numbers and pointers of C, one by one: each says its type.
bool Writer::store(Value *To, const Constant *C, unsigned &Budget) {
  Type *T = C->getType();
  if (isa<UndefValue>(C))
    return true;
  if (auto *S = dyn_cast<StructType>(T)) {
    const StructLayout *L = DL.getStructLayout(S);
    for (unsigned I = 0; I != S->getNumElements(); ++I)
      if (!store(at(To, L->getElementOffset(I)), C->getAggregateElement(I),
                 Budget))
        return false;
    return true;
  }
  if (auto *A = dyn_cast<ArrayType>(T)) {
    uint64_t Stride = DL.getTypeAllocSize(A->getElementType());
    for (uint64_t I = 0; I != A->getNumElements(); ++I)
      if (!store(at(To, I * Stride), C->getAggregateElement(I), Budget))
        return false;
    return true;
  }
  if (!Budget--)
    return false;
  B.CreateStore(const_cast<Constant *>(C), To);
  return true;
}

/// The descriptor of what is not allocated, or points nowhere.
bool Writer::establish(Value *To, const Component &C) {
  auto Code = C.code();
  auto Bytes = C.bytes();
  if (!Code || !Bytes)
    return false;
  const bool IsDerived = C.Category == component::DerivedType;
  B.CreateStore(ConstantPointerNull::get(B.getPtrTy()), To);
  B.CreateStore(B.getInt64(*Bytes), at(To, 8));
  B.CreateStore(B.getInt32(DescriptorVersion), at(To, 16));
  B.CreateStore(B.getInt8(C.Rank), at(To, 20));
  B.CreateStore(B.getInt8(*Code), at(To, 21));
  B.CreateStore(B.getInt8(C.Genre == component::Pointer ? PointerAttribute
                                                        : AllocatableAttribute),
                at(To, 22));
  B.CreateStore(B.getInt8(IsDerived), at(To, 23));
  if (IsDerived) {
    Value *Addendum = at(To, DescriptorBytes + C.Rank * DimensionBytes);
    B.CreateStore(const_cast<Constant *>(C.Derived), Addendum);
    B.CreateStore(B.getInt64(0), at(Addendum, 8));
  }
  return true;
}

void Writer::moveDescriptor(Value *To, Value *From, const Component &C) {
  move(B.getPtrTy(), To, From, 0);
  move(B.getInt64Ty(), To, From, 8);
  move(B.getInt32Ty(), To, From, 16);
  for (uint64_t O = 20; O != DescriptorBytes; ++O)
    move(B.getInt8Ty(), To, From, O);
  const uint64_t End = DescriptorBytes + C.Rank * DimensionBytes;
  for (uint64_t O = DescriptorBytes; O != End; O += 8)
    move(B.getInt64Ty(), To, From, O);
  if (C.Category == component::DerivedType) {
    move(B.getPtrTy(), To, From, End);
    move(B.getInt64Ty(), To, From, End + 8);
  }
}

bool Writer::moveData(Value *To, Value *From, const Component &C) {
  auto Bytes = C.bytes();
  if (!Bytes)
    return false;
  uint64_t All = *Bytes * C.Elements;
  Type *Number = C.Kind == 4   ? B.getFloatTy()
                 : C.Kind == 8 ? B.getDoubleTy()
                               : nullptr;
  const bool IsNumber =
      C.Category == component::Real || C.Category == component::Complex;
  if (IsNumber && Number && All / C.Kind <= MostElements)
    for (uint64_t O = 0; O != All; O += C.Kind)
      move(Number, To, From, O);
  else if (!IsNumber && C.Elements == 1 && C.Category != component::Character &&
           C.Kind <= 8)
    move(B.getIntNTy(8 * C.Kind), To, From, 0);
  else if (All)
    B.CreateMemCpy(To, MaybeAlign(), From, MaybeAlign(), All);
  return true;
}

bool Writer::initialise(Value *Object, const Constant *Table, unsigned Depth) {
  auto T = read(held(Table));
  if (!T || Depth > DeepestNesting)
    return false;
  for (const Component &C : T->Components) {
    Value *To = at(Object, C.Offset);
    if (C.Initial) {
      unsigned Budget = MostElements;
      const Constant *First = held(C.Initial);
      if (!First || !store(To, First, Budget))
        return false;
    } else if (C.Genre != component::Data) {
      if (!establish(To, C))
        return false;
    } else if (C.Category == component::DerivedType) {
      auto Part = read(held(C.Derived));
      if (!Part)
        return false;
      if (Part->NoInitialization)
        continue;
      if (C.Elements > MostElements)
        return false;
      for (uint64_t I = 0; I != C.Elements; ++I)
        if (!initialise(at(To, I * Part->Bytes), C.Derived, Depth + 1))
          return false;
    }
  }
  for (auto [Offset, First] : T->Procedures)
    B.CreateStore(First && First->getType()->isPointerTy()
                      ? First
                      : ConstantPointerNull::get(B.getPtrTy()),
                  at(Object, Offset));
  return true;
}

bool Writer::copy(Value *To, Value *From, const Constant *Table,
                  unsigned Depth) {
  auto T = read(held(Table));
  if (!T || Depth > DeepestNesting || !T->NoDefinedAssignment ||
      !T->NoFinalization)
    return false;
  for (const Component &C : T->Components) {
    Value *There = at(To, C.Offset), *Here = at(From, C.Offset);
    if (C.Genre == component::Pointer) {
      moveDescriptor(There, Here, C);
    } else if (C.Genre == component::Allocatable) {
      auto Code = C.code();
      auto Bytes = C.bytes();
      if (!Code || !Bytes || !*Bytes)
        return false;
      const bool IsDerived = C.Category == component::DerivedType;
      Function *Routine = Runtime.require(
          IsDerived ? "rg_fortran_copy_objects" : "rg_fortran_copy_numbers");
      if (!Routine)
        return false;
      B.CreateCall(Routine, {There, Here, B.getInt32(C.Rank),
                             IsDerived ? const_cast<Constant *>(C.Derived)
                                       : (Value *)B.getInt32(*Code),
                             B.getInt64(*Bytes)});
    } else if (C.Category == component::DerivedType) {
      auto Part = read(held(C.Derived));
      if (!Part || C.Elements > MostElements)
        return false;
      for (uint64_t I = 0; I != C.Elements; ++I)
        if (!copy(at(There, I * Part->Bytes), at(Here, I * Part->Bytes),
                  C.Derived, Depth + 1))
          return false;
    } else if (!moveData(There, Here, C)) {
      return false;
    }
  }
  for (auto [Offset, First] : T->Procedures)
    move(B.getPtrTy(), To, From, Offset);
  return true;
}

/// T as CFI_cdesc_t, with or without more behind it; null if it is none.
static const StructType *asDescriptor(const Type *T) {
  const auto *S = dyn_cast_or_null<StructType>(T);
  if (!S || S->getNumElements() < 7)
    return nullptr;
  auto IsInteger = [&](unsigned N, unsigned Bits) {
    return S->getElementType(N)->isIntegerTy(Bits);
  };
  const bool IsOne = S->getElementType(0)->isPointerTy() && IsInteger(1, 64) &&
                     IsInteger(2, 32) && IsInteger(3, 8) && IsInteger(4, 8) &&
                     IsInteger(5, 8) && IsInteger(6, 8);
  return IsOne ? S : nullptr;
}

static bool hasDimensions(const StructType &Descriptor) {
  const auto *Next = Descriptor.getNumElements() > 7
                         ? dyn_cast<ArrayType>(Descriptor.getElementType(7))
                         : nullptr;
  return Next && Next->getElementType()->isArrayTy();
}

/// The values that flang copies to new variables of a derived type. A derived
/// type has no unions, so what they are as constants is what its components are
/// declared as.
static GlobalVariable *defaultValuesIn(const AnyMemCpyInst &Copy) {
  auto *G = dyn_cast<GlobalVariable>(Copy.getRawSource()->stripPointerCasts());
  const bool Are = G && G->getName().starts_with("_QQ_QM") &&
                   G->getName().ends_with("XDerivedInit") && G->isConstant() &&
                   G->hasDefinitiveInitializer();
  return Are ? G : nullptr;
}

namespace {

/// Writes the scalars of a constant.
class Spelling {
public:
  Spelling(AnyMemCpyInst &Copy, const DataLayout &DL)
      : B(&Copy), To(Copy.getRawDest()),
        Aligned(Copy.getDestAlign().valueOrOne()), DL(DL) {}
  /// C has few enough scalars to be written one by one.
  static bool isShort(const Constant &C, unsigned &Left);
  void write(Constant &C, uint64_t Offset);

private:
  IRBuilder<> B;
  Value *To;
  Align Aligned;
  const DataLayout &DL;
};

} // namespace

/// An array or struct: how many elements it has; none for scalars.
static std::optional<uint64_t> elementsOf(const Type &T) {
  if (const auto *A = dyn_cast<ArrayType>(&T))
    return A->getNumElements();
  if (const auto *S = dyn_cast<StructType>(&T))
    return S->getNumElements();
  return std::nullopt;
}

bool Spelling::isShort(const Constant &C, unsigned &Left) {
  std::optional<uint64_t> Elements = elementsOf(*C.getType());
  if (!Elements)
    return Left && Left--;
  if (*Elements > Left)
    return false;
  for (uint64_t I = 0; I != *Elements; ++I) {
    const Constant *Element = C.getAggregateElement(unsigned(I));
    if (!Element || !isShort(*Element, Left))
      return false;
  }
  return true;
}

void Spelling::write(Constant &C, uint64_t Offset) {
  if (std::optional<uint64_t> Elements = elementsOf(*C.getType())) {
    auto *S = dyn_cast<StructType>(C.getType());
    for (uint64_t I = 0; I != *Elements; ++I) {
      uint64_t At =
          S ? DL.getStructLayout(S)->getElementOffset(unsigned(I))
            : I * DL.getTypeAllocSize(C.getType()->getArrayElementType());
      write(*C.getAggregateElement(unsigned(I)), Offset + At);
    }
    return;
  }
  if (isa<UndefValue>(C))
    return;
  StoreInst *Store = B.CreateAlignedStore(
      &C, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), To, Offset),
      commonAlignment(Aligned, Offset));
  // A constant integer says nothing of what is kept at its place.
  StringRef Name = C.getType()->isIntegerTy(64)   ? "long"
                   : C.getType()->isIntegerTy(32) ? "int"
                   : C.getType()->isIntegerTy(16) ? "short"
                                                  : "";
  if (!Name.empty())
    Store->setMetadata(LLVMContext::MD_tbaa,
                       writtenTag(Name, /*OfMember=*/true, B.getContext()));
}

bool retrograd::spellDefaultValues(Function &F) {
  constexpr unsigned MostScalars = 512;
  const DataLayout &DL = F.getDataLayout();
  SmallVector<AnyMemCpyInst *, 4> Found;
  for (Instruction &I : instructions(F))
    if (auto *Copy = dyn_cast<AnyMemCpyInst>(&I); Copy && !Copy->isVolatile()) {
      GlobalVariable *Values = defaultValuesIn(*Copy);
      const auto *Length = dyn_cast<ConstantInt>(Copy->getLength());
      unsigned Left = MostScalars;
      if (Values && Length &&
          Length->getValue() == DL.getTypeAllocSize(Values->getValueType()) &&
          Spelling::isShort(*Values->getInitializer(), Left))
        Found.push_back(Copy);
    }
  for (AnyMemCpyInst *Copy : Found) {
    Spelling(*Copy, DL).write(*defaultValuesIn(*Copy)->getInitializer(), 0);
    Copy->eraseFromParent();
  }
  return !Found.empty();
}

/// CFI_cdesc_t and its dimensions, with nothing behind them.
static bool isDescriptorOfNumbers(const Type *T) {
  const StructType *S = asDescriptor(T);
  return S &&
         S->getNumElements() == 7 + static_cast<unsigned>(hasDimensions(*S));
}

/// A dummy argument that is declared a scalar: its descriptor is accessed as
/// one without dimensions.
static bool isScalarDummy(const Value &V) {
  return isa<Argument>(V) && any_of(V.users(), [&](const User *U) {
           const auto *P = dyn_cast<GetElementPtrInst>(U);
           const StructType *S =
               P ? asDescriptor(P->getSourceElementType()) : nullptr;
           return S && !hasDimensions(*S);
         });
}

void retrograd::noteDescriptors(Function &F) {
  SmallVector<CallBase *, 8> Calls;
  for (Instruction &I : instructions(F))
    if (auto *C = dyn_cast<CallBase>(&I);
        C && C->getCalledFunction() &&
        C->getCalledFunction()->getName().starts_with("_FortranA") &&
        // Clones are of functions in which this has been done, or not.
        !isa_and_nonnull<AssumeInst>(C->getPrevNode()))
      Calls.push_back(C);
  constexpr uint64_t RankAt = 20, ExtraAt = 23;
  for (CallBase *C : Calls) {
    IRBuilder<> B(C);
    auto Assume = [&](Value *Descriptor, uint64_t At, uint8_t Mask) {
      Value *Byte = B.CreateLoad(
          B.getInt8Ty(),
          B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Descriptor, At));
      B.CreateAssumption(B.CreateICmpEQ(B.CreateAnd(Byte, Mask), B.getInt8(0)));
    };
    for (Value *V : C->args()) {
      auto *P = dyn_cast<GEPOperator>(V);
      if (P && isDescriptorOfNumbers(P->getResultElementType()))
        Assume(V, ExtraAt, 1); // its lowest bit: a type follows
      else if (isScalarDummy(*V))
        Assume(V, RankAt, UINT8_MAX);
    }
  }
}

/// Calls in F that stand for what a table says.
static SmallVector<CallInst *, 4> callsOfTypes(Function &F) {
  Module &M = *F.getParent();
  const Function *Initialise = M.getFunction("rg_fortran_initialise"),
                 *Copy = M.getFunction("rg_fortran_copy_object");
  SmallVector<CallInst *, 4> Calls;
  if (Initialise || Copy)
    for (Instruction &I : instructions(F))
      if (auto *C = dyn_cast<CallInst>(&I);
          C && C->getCalledFunction() &&
          (C->getCalledFunction() == Initialise ||
           C->getCalledFunction() == Copy))
        Calls.push_back(C);
  return Calls;
}

/// What Call does to objects of the type with that table, before At. Nothing,
/// if that is not served.
static bool writeFor(CallInst &Call, const Constant *Table, Instruction &At,
                     RuntimeLibrary &Runtime) {
  Instruction *Before = At.getPrevNode();
  Writer W(At, Runtime);
  if (Call.arg_size() == 2
          ? W.initialise(Call.getArgOperand(0), Table)
          : W.copy(Call.getArgOperand(0), Call.getArgOperand(1), Table))
    return true;
  // Nothing uses what was written: it is stores, and addresses and loads for
  // them.
  while (At.getPrevNode() != Before)
    At.getPrevNode()->eraseFromParent();
  return false;
}

bool retrograd::writeFortranTypes(Function &F, RuntimeLibrary &Runtime) {
  bool Any = false;
  for (CallInst *C : callsOfTypes(F)) {
    const auto *Table = dyn_cast<Constant>(C->getArgOperand(C->arg_size() - 1));
    if (!Table || !held(Table) || !writeFor(*C, Table, *C, Runtime))
      continue;
    C->eraseFromParent();
    Any = true;
  }
  return Any;
}

/// Metadata of a call for which all types that are known were tried.
static constexpr StringLiteral TypesTried = "rg.types.tried";

bool retrograd::chooseFortranTypes(
    Function &F, function_ref<SmallSetVector<const Constant *, 32>()> Known,
    RuntimeLibrary &Runtime) {
  SmallVector<CallInst *, 4> Calls = callsOfTypes(F);
  erase_if(Calls, [](CallInst *C) {
    return isa<Constant>(C->getArgOperand(C->arg_size() - 1)) ||
           C->hasMetadata(TypesTried);
  });
  if (Calls.empty())
    return false;
  const SmallSetVector<const Constant *, 32> Constants = Known();
  for (CallInst *C : Calls) {
    Value *Address = C->getArgOperand(C->arg_size() - 1);
    for (const Constant *Table : Constants) {
      auto T = read(isa<GlobalVariable>(Table) ? held(Table) : nullptr);
      if (!T || (C->arg_size() == 2 ? T->NoInitialization : T->NoDestruction))
        continue;
      BasicBlock *BB = C->getParent(), *Rest = BB->splitBasicBlock(C),
                 *Taken = BasicBlock::Create(F.getContext(), "", &F, Rest),
                 *Other = BasicBlock::Create(F.getContext(), "", &F, Rest);
      BB->getTerminator()->eraseFromParent();
      IRBuilder<> B(BB);
      B.SetCurrentDebugLocation(C->getDebugLoc());
      B.CreateCondBr(B.CreateICmpEQ(Address, const_cast<Constant *>(Table)),
                     Taken, Other);
      Instruction *End = BranchInst::Create(Rest, Taken);
      End->setDebugLoc(C->getDebugLoc());
      if (!writeFor(*C, Table, *End, Runtime)) {
        Instruction *Refused = C->clone();
        Refused->insertBefore(End->getIterator());
        Refused->setMetadata(TypesTried, MDNode::get(F.getContext(), {}));
      }
      BranchInst::Create(Rest, Other)->setDebugLoc(C->getDebugLoc());
      C->moveBefore(Other->getTerminator()->getIterator());
    }
    C->setMetadata(TypesTried, MDNode::get(F.getContext(), {}));
  }
  return true;
}
