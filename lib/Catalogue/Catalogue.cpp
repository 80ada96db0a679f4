//===- Catalogue.cpp - queries over the generated tables ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rule by name needs more than the name. A call gets the record of `sin` when
//   - the callee is declared here and not defined (available_externally bodies
//     are copies of a library's; the library's routine is what is meant);
//   - its type is that of the form that the name stands for: double(double) for
//     sin, float(float) for sinf, and the long double of the target for sinl;
//   - the call is made through that very type.
// `nobuiltin` does not matter: it forbids LLVM to assume what `sin` does, for
// code that brings its own, and such a program has either a body for it or
// links one that is a sine too.
//
//===----------------------------------------------------------------------===//

#include "Catalogue.h"
#include "Catalogue/ParallelMethods.h"
#include "Catalogue/ReadingRoutines.h"
#include "Support/DeviceMarks.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>

using namespace llvm;

namespace retrograd {

namespace {
/// Which form of a function a name stands for.
enum class NameForm : uint8_t { Any, Double, Float, LongDouble };

/// One name of one record.
struct NameEntry {
  StringRef Name;
  unsigned Record;
  NameForm Form;
};
/// Expansion::Graph of one name.
struct GraphedCall {
  StringRef Name, Form;
};
} // namespace

#define RG_CATALOGUE_TABLES
#include "CatalogueTables.inc"
#undef RG_CATALOGUE_TABLES

struct Catalogue::Impl {
  /// Library name to its entry.
  StringMap<const NameEntry *> Names;
  /// Intrinsic to the records for it, one unless they differ in OnlyType.
  DenseMap<unsigned, SmallVector<const OperationRecord *, 1>> Intrinsics;
  /// Opcode to record, null for instructions that are not ours.
  const OperationRecord *Opcodes[Instruction::OtherOpsEnd] = {};
  /// Record id to record.
  StringMap<const OperationRecord *> Ids;

  /// What the user declared of a function, by mode (forward last).
  struct Declared {
    const OperationRecord *InReverse = nullptr, *InForward = nullptr;
  };
  DenseMap<const Function *, Declared> OfUser;
  std::deque<OperationRecord> Copies;
  enum { Any, Reverse, Forward } Mode = Any;
};

static bool isLongDouble(Type *T) {
  // Where long double is double, its routines have the type of that form.
  return T->isX86_FP80Ty() || T->isFP128Ty() || T->isPPC_FP128Ty() ||
         T->isDoubleTy();
}

/// The type F of a form, or null for "whatever the first F is".
static bool isFormType(Type *T, NameForm Form) {
  switch (Form) {
  case NameForm::Any:
    return T->isFPOrFPVectorTy();
  case NameForm::Double:
    return T->isDoubleTy();
  case NameForm::Float:
    return T->isFloatTy();
  case NameForm::LongDouble:
    return isLongDouble(T);
  }
  return false;
}

/// Whether T is what Letter says; F is the type that the first F stood for.
static bool matches(char Letter, Type *T, NameForm Form, Type *&F) {
  switch (Letter) {
  case 'F':
    if (!F && isFormType(T, Form))
      F = T;
    return F == T;
  case 'D':
    return T->isDoubleTy();
  case 'G':
    return T->isFloatTy();
  case 'X':
    return isLongDouble(T);
  case 'I':
    return T->isIntegerTy(32);
  case 'L':
  case 'Z':
    // long and size_t are 32 or 64 bits wide.
    return T->isIntegerTy(64) || T->isIntegerTy(32);
  case 'N':
    return T->isIntOrIntVectorTy();
  case 'P':
    return T->isPointerTy();
  case 'V':
    return T->isVoidTy();
  default:
    return true;
  }
}

/// Whether a function type is that of a form of a record. Intrinsics of
/// constrained floating point have two more operands, which are metadata.
static bool prototypeMatches(const OperationRecord &R, FunctionType *T,
                             NameForm Form) {
  if (R.Prototype.empty())
    return true;
  Type *F = nullptr;
  // Integer results come before the operand that tells what F is.
  StringRef Letters = R.Prototype.drop_front();
  unsigned Next = 0;
  for (char Letter : Letters) {
    if (Letter == '*')
      return matches(R.Prototype[0], T->getReturnType(), Form, F);
    if (Next == T->getNumParams() ||
        !matches(Letter, T->getParamType(Next), Form, F))
      return false;
    ++Next;
  }
  for (; Next < T->getNumParams(); ++Next)
    if (!T->getParamType(Next)->isMetadataTy())
      return false;
  return !T->isVarArg() && matches(R.Prototype[0], T->getReturnType(), Form, F);
}

static bool hasOnlyType(const OperationRecord &R, FunctionType *T) {
  if (R.OnlyType.empty())
    return true;
  if (T->getNumParams() == 0)
    return false;
  std::string Spelling;
  raw_string_ostream(Spelling) << *T->getParamType(0);
  return Spelling == R.OnlyType;
}

Catalogue::Catalogue() : I(std::make_unique<Impl>()) {
  for (const OperationRecord &R : Records)
    I->Ids[R.Id] = &R;
  for (const NameEntry &E : LibraryNames)
    I->Names[E.Name] = &E;
  for (const NameEntry &E : IntrinsicNames)
    if (Intrinsic::ID Id = Intrinsic::lookupIntrinsicID(E.Name))
      I->Intrinsics[Id].push_back(&Records[E.Record]);
  for (const NameEntry &E : InstructionNames)
    for (unsigned Opcode = 0; Opcode < Instruction::OtherOpsEnd; ++Opcode)
      if (E.Name == Instruction::getOpcodeName(Opcode))
        I->Opcodes[Opcode] = &Records[E.Record];
}

Catalogue::~Catalogue() = default;

ArrayRef<OperationRecord> Catalogue::records() const { return Records; }

const OperationRecord *Catalogue::byId(StringRef Id) const {
  return I->Ids.lookup(Id);
}

void Catalogue::declare(const Function &F, const OperationRecord &R,
                        bool InForward, bool InReverse) {
  const OperationRecord *Copy = &I->Copies.emplace_back(R);
  Impl::Declared &D = I->OfUser[&F];
  if (InForward)
    D.InForward = Copy;
  if (InReverse)
    D.InReverse = Copy;
}

void Catalogue::askFor(bool Forward) {
  I->Mode = Forward ? Impl::Forward : Impl::Reverse;
}

bool Catalogue::modesDiffer() const {
  return any_of(I->OfUser, [](const auto &Entry) {
    return !Entry.second.InForward || !Entry.second.InReverse;
  });
}

const OperationRecord *Catalogue::declared(const Function &F) const {
  auto It = I->OfUser.find(&F);
  if (It == I->OfUser.end())
    return nullptr;
  const Impl::Declared &D = It->second;
  switch (I->Mode) {
  case Impl::Forward:
    return D.InForward;
  case Impl::Reverse:
    return D.InReverse;
  case Impl::Any:
    break;
  }
  return D.InReverse ? D.InReverse : D.InForward;
}

const OperationRecord *Catalogue::named(StringRef Name, FunctionType *T) const {
  const NameEntry *E = I->Names.lookup(Name);
  const OperationRecord *R = E ? &Records[E->Record] : nullptr;
  return R && prototypeMatches(*R, T, NameForm::Any) ? R : nullptr;
}

bool Catalogue::handlesCharacters(const Function &F) const {
  if (const NameEntry *E = I->Names.lookup(F.getName()))
    return Records[E->Record].OfCharacters;
  return any_of(LibraryPrefixes, [&](const NameEntry &E) {
    return F.getName().starts_with(E.Name) && Records[E.Record].OfCharacters;
  });
}

OperandMemory OperationRecord::memoryBehind(unsigned Op) const {
  SmallVector<StringRef, 16> Operands;
  Memory.split(Operands, ' ', -1, /*KeepEmpty=*/false);
  OperandMemory M;
  if (Op >= Operands.size())
    return M;
  StringRef Text = Operands[Op];
  char Access = Text.front();
  M.Reads = Access == 'r' || Access == 'm';
  M.Writes = Access == 'w' || Access == 'm';
  M.Element = Text.size() > 1 ? Text[1] : 0;
  if (Access == 'i')
    M.Reads = M.Writes = true;
  if (M.Element == 'P') {
    char Further = Text.size() > 2 ? Text[2] : 'm';
    M.ReadsFurther = Further == 'r' || Further == 'm';
    M.WritesFurther = Further == 'w' || Further == 'm';
    M.Further = Text.size() > 3 ? Text[3] : 0;
  }
  if (M.Element == '@')
    Text.drop_front(2).getAsInteger(10, M.TypeAt);
  return M;
}

void forEachWatched(function_ref<void(StringRef, StringRef)> Do) {
  for (const NameEntry &E : LibraryNames)
    if (Records[E.Record].Watched)
      Do(E.Name, Records[E.Record].Expansion);
}

void forEachInPool(function_ref<void(StringRef, StringRef)> Do) {
  for (const NameEntry &E : LibraryNames)
    if (StringRef Routine = Records[E.Record].InPool; !Routine.empty())
      Do(E.Name, Routine);
}

StringRef unboxingFor(StringRef Name) {
  for (const NameEntry &E : LibraryPrefixes)
    if (!Records[E.Record].Unbox.empty() && Name.starts_with(E.Name))
      return Records[E.Record].Unbox;
  return {};
}

StringRef graphForm(StringRef Name) {
  for (const GraphedCall &C : GraphedCalls)
    if (C.Name == Name)
      return C.Form;
  return {};
}

const ReadingRoutineRecord *readingRoutine(StringRef Name) {
  const auto *R = find_if(ReadingRoutines, [&](const ReadingRoutineRecord &R) {
    return R.Name == Name;
  });
  return R == std::end(ReadingRoutines) ? nullptr : R;
}

bool isInactiveName(StringRef Name) {
  for (const NameEntry &E : LibraryNames)
    if (E.Name == Name)
      return Records[E.Record].Class == RuleClass::Inactive;
  return false;
}

ArrayRef<ParallelMethodRecord> parallelMethods() { return ParallelMethods; }

ArrayRef<StringRef> routinesAtStart() {
  static constexpr StringRef Names[] = {"MPI_Init",      "MPI_Init_thread",
                                        "mpi_init_",     "mpi_init_thread_",
                                        "MPI_Op_create", "mpi_op_create_"};
  return Names;
}

char elementBehind(const CallBase &C, unsigned Op, const OperationRecord &R) {
  OperandMemory M = R.memoryBehind(Op);
  if (M.Element != '@')
    return M.Element;
  const Value *Type = C.getArgOperand(M.TypeAt);
  StringRef Global;
  int64_t Number = 0;
  auto Read = [&](const Value *V) {
    if (const auto *I = dyn_cast<ConstantInt>(V))
      Number = I->getSExtValue();
  };
  Read(Type);
  if (const auto *G = dyn_cast<GlobalVariable>(Type->stripPointerCasts())) {
    Global = G->getName();
    // Fortran passes the address of a number.
    if (G->isConstant() && G->hasDefinitiveInitializer())
      Read(G->getInitializer());
  }
  for (const MessageTypeRecord &T : MessageTypes)
    if (T.Global.empty() ? T.Number == Number : T.Global == Global)
      return T.Letter;
  return '@';
}

/// A name as Rust mangles it (v0), without the hashes of crates: "Cs1x2Y_3std"
/// is "C3std" to the catalogue. Others stay as they are.
static StringRef withoutCrateHashes(StringRef Name, std::string &Storage) {
  if (!Name.starts_with("_R"))
    return Name;
  while (!Name.empty()) {
    size_t Crate = Name.find("Cs");
    StringRef Hash = Crate == StringRef::npos
                         ? StringRef()
                         : Name.substr(Crate + 2).take_while(isAlnum);
    size_t End = Crate + 2 + Hash.size();
    bool IsCrate = Crate != StringRef::npos && End + 1 < Name.size() &&
                   Name[End] == '_' && isDigit(Name[End + 1]);
    Storage += Name.substr(0, Crate == StringRef::npos ? Crate : Crate + 1);
    if (Crate == StringRef::npos)
      break;
    Name = Name.substr(IsCrate ? End + 1 : Crate + 1);
  }
  return Storage;
}

const OperationRecord *Catalogue::lookupFunction(const Function &F) const {
  if (const OperationRecord *R = declared(F))
    return R;
  FunctionType *T = F.getFunctionType();
  if (F.isIntrinsic()) {
    auto It = I->Intrinsics.find(F.getIntrinsicID());
    if (It != I->Intrinsics.end())
      for (const OperationRecord *R : It->second)
        if (hasOnlyType(*R, T) && prototypeMatches(*R, T, NameForm::Any))
          return R;
    return nullptr;
  }
  bool Held = F.hasFnAttribute(HeldLibraryFunction);
  // Of a header's functions that each file has for itself, names say so.
  if (!F.hasName() ||
      (F.hasLocalLinkage() && !Held && !F.getName().starts_with("_ZL")))
    return nullptr;

  // "\01" marks a name that the mangler leaves alone.
  std::string Plain;
  StringRef Name = withoutCrateHashes(
      GlobalValue::dropLLVMManglingEscape(F.getName()), Plain);
  bool UserBody =
      !Held && !F.isDeclaration() && !F.hasAvailableExternallyLinkage();
  if (const NameEntry *E = I->Names.lookup(Name)) {
    const OperationRecord &R = Records[E->Record];
    if ((!UserBody || R.OfRuntime) && prototypeMatches(R, T, E->Form))
      return &R;
    return nullptr;
  }
  for (const NameEntry &E : LibraryPrefixes)
    if (Name.starts_with(E.Name) && (!UserBody || Records[E.Record].OfRuntime))
      return prototypeMatches(Records[E.Record], T, E.Form) ? &Records[E.Record]
                                                            : nullptr;
  return nullptr;
}

const OperationRecord *Catalogue::lookup(const Instruction &Inst) const {
  const auto *Call = dyn_cast<CallBase>(&Inst);
  if (!Call && Inst.getOpcode() == llvm::Instruction::FDiv &&
      match(Inst.getOperand(0), PatternMatch::m_FPOne()))
    return I->Ids.lookup("reciprocal");
  if (!Call)
    return I->Opcodes[Inst.getOpcode()];
  if (Attribute Is = Call->getAttributes().getFnAttr(IsOperation); Is.isValid())
    return I->Ids.lookup(Is.getValueAsString());
  // Null when the call is indirect or made through another type.
  const Function *Callee = Call->getCalledFunction();
  return Callee ? lookupFunction(*Callee) : nullptr;
}

std::optional<Catalogue::KnownAssembly>
Catalogue::intrinsicOf(CallBase &Assembly) const {
  auto *Asm = dyn_cast<InlineAsm>(Assembly.getCalledOperand());
  if (!Asm || Asm->getDialect() != InlineAsm::AD_ATT)
    return std::nullopt;
  StringRef Text = StringRef(Asm->getAsmString()).trim();
  StringRef Constraints = Asm->getConstraintString();
  Constraints = Constraints.substr(0, Constraints.find(",~{"));
  Type *T = Assembly.getType();
  Module &M = *Assembly.getModule();
  for (const AssemblyRecord &R : AssemblyRecords) {
    if (R.Text != Text || R.Constraints != Constraints ||
        Assembly.arg_size() != R.Operands.size() ||
        any_of(Assembly.args(), [&](Value *V) { return V->getType() != T; }))
      continue;
    llvm::Intrinsic::ID Id = llvm::Intrinsic::lookupIntrinsicID(R.Intrinsic);
    if (!Id)
      continue;
    bool Overloaded = llvm::Intrinsic::isOverloaded(Id);
    if (Overloaded
            ? !T->isFPOrFPVectorTy()
            : llvm::Intrinsic::getType(M.getContext(), Id)->getReturnType() !=
                  T)
      continue;
    KnownAssembly Found;
    Found.Declaration = llvm::Intrinsic::getOrInsertDeclaration(
        &M, Id, Overloaded ? ArrayRef<Type *>(T) : ArrayRef<Type *>());
    for (unsigned Operand : R.Operands)
      Found.Operands.push_back(Assembly.getArgOperand(Operand));
    return Found;
  }
  return std::nullopt;
}

static const Partial *findPartial(const OperationRecord &R, unsigned Op) {
  for (const Partial &P : R.Partials)
    if (P.Operand == Op)
      return &P;
  return nullptr;
}

static void collectReads(const FormulaNode &N, uint32_t &Args, bool &Result) {
  if (N.K == FormulaNode::Arg)
    Args |= 1u << N.Index;
  Result |= N.K == FormulaNode::Result;
  for (const FormulaNode *Child : N.Children)
    collectReads(*Child, Args, Result);
}

uint32_t OperationRecord::argsReadByPartial(unsigned Op) const {
  uint32_t Args = 0;
  bool Result = false;
  if (const Partial *P = findPartial(*this, Op))
    collectReads(*P->Expression, Args, Result);
  return Args;
}

bool OperationRecord::resultReadByPartial(unsigned Op) const {
  uint32_t Args = 0;
  bool Result = false;
  if (const Partial *P = findPartial(*this, Op))
    collectReads(*P->Expression, Args, Result);
  return Result;
}

} // namespace retrograd
