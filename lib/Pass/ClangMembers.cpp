//===- ClangMembers.cpp - what members hold -------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/ClangMembers.h"
#include "Pass/ClangCode.h"
#include "Primal/DispatchCalls.h"
#include "Primal/Language/PrimalEvidence.h"
#include "Request/EntryPoints.h"
#include "Support/SourceFact.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace clang;
using retrograd::CodeReader;

namespace {

bool isFunctionPointer(QualType T) {
  T = T.getNonReferenceType();
  if (const auto *A = T->getAs<AtomicType>())
    T = A->getValueType();
  return T->isFunctionPointerType() || T->isMemberFunctionPointerType();
}

/// Looks at each expression that names a function pointer. Parents are visited
/// first: they say which of their operands stay where they are.
class MemberReader final : public CodeReader<MemberReader> {
public:
  explicit MemberReader(ASTContext &Ctx) : Ctx(Ctx) {}

  /// Distances from the beginnings of structs; of members that are `void *`,
  /// where functions may be kept as such.
  llvm::SmallSetVector<uint64_t, 8> Offsets, OffsetsOfData;
  bool FunctionsAsData = false;
  /// Function pointers are reached in ways of which the member is not known.
  bool Any = false;
  /// Records with numbers are reached as records that have integers in their
  /// places.
  bool Puns = false;
  /// A pointer to a member function is made that is not just its address: the
  /// function is virtual, or the pointer is one to a member of another class.
  bool Indirect = false;

  bool VisitCallExpr(CallExpr *Call) {
    stays(calledIn(Call->getCallee()));
    noteBitsMoved(*Call);
    // What is asked for is not called by its address.
    if (const FunctionDecl *F = Call->getDirectCallee();
        F && F->getIdentifier() && F->getName().contains("__enzyme_"))
      for (Expr *Argument : Call->arguments())
        while (auto *Cast = dyn_cast<CastExpr>(Argument->IgnoreParens())) {
          Asked.insert(Cast);
          Argument = Cast->getSubExpr();
        }
    return true;
  }
  // Rules that are registered.
  bool TraverseVarDecl(VarDecl *V) {
    return (V->getIdentifier() && V->getName().contains("__enzyme_")) ||
           RecursiveASTVisitor::TraverseVarDecl(V);
  }
  bool VisitUnaryOperator(UnaryOperator *Op) {
    if (Op->getOpcode() == UO_LNot)
      stays(Op->getSubExpr());
    else if (Op->getOpcode() == UO_AddrOf)
      if (auto *Named = dyn_cast<DeclRefExpr>(Op->getSubExpr()->IgnoreParens()))
        if (auto *Field = dyn_cast<FieldDecl>(Named->getDecl()))
          if (isFunctionPointer(Field->getType()))
            moveAll(*Field->getParent());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    // Named by itself, and not as what is called on an object.
    if (const auto *Method = dyn_cast<CXXMethodDecl>(E->getDecl()))
      Indirect |= Method->isVirtual() && !Stay.contains(E);
    // Captured by a lambda, or a part of a structured binding.
    if ((E->refersToEnclosingVariableOrCapture() ||
         isa<BindingDecl>(E->getDecl())) &&
        isFunctionPointer(E->getType()) && !Stay.contains(E))
      Any = true;
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *Op) {
    if (Op->isComparisonOp() || Op->isLogicalOp()) {
      stays(Op->getLHS());
      stays(Op->getRHS());
    } else if (Op->getOpcode() == BO_Assign) {
      stays(Op->getLHS());
      const FieldDecl *To = fieldIn(Op->getLHS());
      if (To && To == fieldIn(Op->getRHS()))
        stays(Op->getRHS());
    }
    return true;
  }
  bool VisitAbstractConditionalOperator(AbstractConditionalOperator *Op) {
    if (isa<ConditionalOperator>(Op))
      stays(Op->getCond());
    return true;
  }
  bool VisitIfStmt(IfStmt *S) { return stays(S->getCond()); }
  bool VisitWhileStmt(WhileStmt *S) { return stays(S->getCond()); }
  bool VisitDoStmt(DoStmt *S) { return stays(S->getCond()); }
  bool VisitForStmt(ForStmt *S) { return stays(S->getCond()); }
  bool TraverseConstructorInitializer(CXXCtorInitializer *Init) {
    if (Init->isMemberInitializer() &&
        Init->getMember() == fieldIn(Init->getInit()))
      return true;
    return RecursiveASTVisitor::TraverseConstructorInitializer(Init);
  }

  bool VisitCastExpr(CastExpr *Cast) {
    if (Cast->getCastKind() == CK_PointerToBoolean ||
        Cast->getCastKind() == CK_MemberPointerToBoolean ||
        Cast->getCastKind() == CK_ToVoid)
      stays(Cast->getSubExpr());
    if (Cast->getCastKind() == CK_LValueToRValue)
      Read.insert(Cast->getSubExpr()->IgnoreParens());
    if (Cast->getCastKind() == CK_BaseToDerivedMemberPointer ||
        Cast->getCastKind() == CK_DerivedToBaseMemberPointer ||
        Cast->getCastKind() == CK_ReinterpretMemberPointer)
      Indirect |= Cast->getType()->isMemberFunctionPointerType();
    const Expr *From = Cast->getSubExpr();
    if (Cast->isTypeDependent() || From->isTypeDependent())
      return true;
    if (isFunctionPointer(From->getType()) &&
        !isFunctionPointer(Cast->getType()) && !Asked.contains(Cast)) {
      FunctionsAsData |= Cast->getCastKind() == CK_BitCast;
      Any |= Cast->getCastKind() == CK_PointerToIntegral;
    }
    if (Cast->getCastKind() == CK_LValueToRValueBitCast) // std::bit_cast
      Puns |= retrograd::holdsIntegersForNumbers(Ctx, Cast->getType(),
                                                 From->getType());
    noteUntypedNumbers(*Cast);
    const bool IsReference = Cast->getCastKind() == CK_LValueBitCast;
    const QualType To =
        IsReference ? Cast->getType() : Cast->getType()->getPointeeType();
    const QualType What =
        IsReference ? From->getType() : From->getType()->getPointeeType();
    if (To.isNull() || What.isNull() || Ctx.hasSameUnqualifiedType(To, What) ||
        isa<CallExpr, CXXNewExpr>(From->IgnoreParenCasts()) ||
        From->isNullPointerConstant(Ctx, Expr::NPC_ValueDependentIsNotNull))
      return true;
    Puns |= (To->isRecordType() || What->isRecordType()) &&
            retrograd::holdsIntegersForNumbers(Ctx, To, What);
    // A table as its words, and words as function pointers.
    if (isFunctionPointer(To) ||
        (!To->isVoidType() && !To->isRecordType() &&
         !To->isAnyCharacterType() && !To->isFunctionType() &&
         holdsFunctions(What)))
      Any = true;
    return true;
  }

  bool VisitMemberExpr(MemberExpr *E) {
    const auto *Field = dyn_cast<FieldDecl>(E->getMemberDecl());
    if (!Field || Stay.contains(E))
      return true;
    const RecordDecl &R = *Field->getParent();
    if (Field->getType()->isVoidPointerType() && retrograd::hasLayout(R))
      OffsetsOfData.insert(retrograd::offsetOf(Ctx, R, *Field));
    if (!isFunctionPointer(Field->getType()))
      return true;
    if (Read.contains(E) && retrograd::hasLayout(R))
      Offsets.insert(retrograd::offsetOf(Ctx, R, *Field));
    else
      moveAll(R);
    return true;
  }

private:
  ASTContext &Ctx;
  llvm::SmallPtrSet<const Expr *, 32> Stay, Read, Asked;

  /// Integers are copied from or to memory without type, and a number's address
  /// becomes one of such memory.
  bool CopiesUntyped = false, HandsNumbers = false;
  llvm::SmallPtrSet<const Expr *, 32> Outside;

  /// Libraries move numbers without type, and integers, and keep them apart.
  bool isOfLibrary(const Expr &E) const {
    return Ctx.getSourceManager().isInSystemHeader(E.getBeginLoc());
  }
  /// What the pointer E leads to, before it was converted for a parameter.
  QualType leadsTo(const Expr *E) const {
    E = E->IgnoreParenImpCasts();
    const QualType T = E->getType();
    if (T->isDependentType())
      return {};
    return T->isArrayType() ? Ctx.getBaseElementType(T) : T->getPointeeType();
  }
  /// E is the address of a local variable.
  static bool isOfVariable(const Expr *E) {
    const auto *Address = dyn_cast<UnaryOperator>(E->IgnoreParenImpCasts());
    const auto *Named =
        Address && Address->getOpcode() == UO_AddrOf
            ? dyn_cast<DeclRefExpr>(Address->getSubExpr()->IgnoreParens())
            : nullptr;
    const auto *Variable =
        Named ? dyn_cast<VarDecl>(Named->getDecl()) : nullptr;
    return Variable && Variable->hasLocalStorage() &&
           !Variable->getType()->isReferenceType();
  }
  /// The bits of numbers may be copied to what is declared as integers, at one
  /// place or by a function that does not know what it copies.
  void noteBitsMoved(const CallExpr &Call) {
    const FunctionDecl *F = Call.getDirectCallee();
    if (!F || Call.isTypeDependent() || isOfLibrary(Call))
      return;
    const llvm::StringRef Name =
        F->getIdentifier() ? F->getName() : llvm::StringRef();
    if (Call.getNumArgs() >= 2 && copiesBytes(Name)) {
      const QualType To = leadsTo(Call.getArg(0)),
                     From = leadsTo(Call.getArg(1));
      // Between two variables nothing else is concerned.
      if (To.isNull() || From.isNull() ||
          (isOfVariable(Call.getArg(0)) && isOfVariable(Call.getArg(1))))
        return;
      auto IsWord = [&](QualType T) {
        return T->isIntegerType() && !T->isAnyCharacterType() &&
               Ctx.getTypeSizeInChars(T).getQuantity() >=
                   static_cast<int64_t>(sizeof(float));
      };
      if (IsWord(To) == IsWord(From))
        return;
      const QualType Other = IsWord(To) ? From : To;
      Puns |= Other->isRealFloatingType();
      CopiesUntyped |= Other->isVoidType() || Other->isAnyCharacterType();
    } else if (!F->isDefined()) {
      // What a library is handed, it does not keep in integers of ours.
      for (const Expr *Argument : Call.arguments())
        Outside.insert(Argument);
    }
    Puns |= CopiesUntyped && HandsNumbers;
  }
  /// Cast makes an address without type of a number's.
  void noteUntypedNumbers(const CastExpr &Cast) {
    const QualType To = Cast.getType()->getPointeeType(),
                   What = leadsTo(Cast.getSubExpr());
    HandsNumbers |= Cast.getCastKind() == CK_BitCast && !To.isNull() &&
                    !What.isNull() && !Outside.contains(&Cast) &&
                    !isOfLibrary(Cast) &&
                    (To->isVoidType() || To->isAnyCharacterType()) &&
                    What->isRealFloatingType();
    Puns |= CopiesUntyped && HandsNumbers;
  }
  static bool copiesBytes(llvm::StringRef Name) {
    Name.consume_front("__builtin_");
    return Name == "memcpy" || Name == "memmove" || Name == "mempcpy";
  }

  bool stays(Expr *E) {
    if (E)
      Stay.insert(E->IgnoreParenImpCasts());
    return true;
  }
  /// s->f, (*s->f), (o.*s->f), (p->*s->f)
  static Expr *calledIn(Expr *Callee) {
    for (;;) {
      Callee = Callee->IgnoreParenImpCasts();
      if (auto *Op = dyn_cast<UnaryOperator>(Callee);
          Op && Op->getOpcode() == UO_Deref)
        Callee = Op->getSubExpr();
      else if (auto *To = dyn_cast<BinaryOperator>(Callee);
               To && To->isPtrMemOp())
        Callee = To->getRHS();
      else
        return Callee;
    }
  }
  static const FieldDecl *fieldIn(Expr *E) {
    const auto *M =
        E ? dyn_cast<MemberExpr>(E->IgnoreParenImpCasts()) : nullptr;
    return M ? dyn_cast<FieldDecl>(M->getMemberDecl()) : nullptr;
  }
  /// By its address others of the struct can be reached.
  void moveAll(const RecordDecl &R) {
    if (R.isDependentContext())
      return; // its instances follow
    if (!retrograd::hasLayout(R)) {
      Any = true;
      return;
    }
    for (const FieldDecl *Field : R.fields()) {
      if (isFunctionPointer(Field->getType()))
        Offsets.insert(retrograd::offsetOf(Ctx, R, *Field));
      else if (const auto *Inner =
                   Ctx.getBaseElementType(Field->getType())->getAsRecordDecl())
        moveAll(*Inner);
    }
  }
  bool holdsFunctions(QualType T) const {
    const RecordDecl *R = Ctx.getBaseElementType(T)->getAsRecordDecl();
    return R && retrograd::hasLayout(*R) &&
           llvm::any_of(R->fields(), [&](const FieldDecl *Field) {
             return isFunctionPointer(Field->getType()) ||
                    holdsFunctions(Field->getType());
           });
  }
};

} // namespace

/// T is a number, or an array of them.
static bool isNumber(const ASTContext &Ctx, QualType T) {
  T = Ctx.getBaseElementType(T);
  return T->isRealFloatingType() || T->isAnyComplexType() || T->isVectorType();
}

/// What clang calls R in IR.
static std::string nameInModule(const RecordDecl &R) {
  std::string Name = (R.getKindName() + ".").str();
  llvm::raw_string_ostream OS(Name);
  PrintingPolicy Policy = R.getASTContext().getPrintingPolicy();
  Policy.SuppressInlineNamespace =
      llvm::to_underlying(PrintingPolicy::SuppressInlineNamespaceMode::None);
  if (R.getIdentifier())
    R.printQualifiedName(OS, Policy);
  else if (const TypedefNameDecl *Other = R.getTypedefNameForAnonDecl())
    Other->printQualifiedName(OS, Policy);
  else
    OS << "anon";
  return Name;
}

/// What clang's tags of accesses call R.
static std::string nameInTags(const RecordDecl &R, MangleContext &Mangler) {
  std::string Name = R.getName().str();
  if (R.getASTContext().getLangOpts().CPlusPlus) {
    Name.clear();
    llvm::raw_string_ostream OS(Name);
    Mangler.mangleCanonicalTypeName(R.getASTContext().getCanonicalTagType(&R),
                                    OS);
  }
  return Name;
}

/// An access of an integer whose tag names it a member of one of these structs
/// is one of any integer: a number may lie there.
static void forgetMembers(llvm::Module &M, const llvm::StringSet<> &Structs) {
  for (llvm::Function &F : M)
    for (llvm::Instruction &I : llvm::instructions(F)) {
      llvm::MDNode *Tag = I.getMetadata(llvm::LLVMContext::MD_tbaa);
      const llvm::Value *P = llvm::getLoadStorePointerOperand(&I);
      if (!P || !llvm::getLoadStoreType(&I)->isIntegerTy() || !Tag ||
          Tag->getNumOperands() < 3 || Tag->getOperand(0) == Tag->getOperand(1))
        continue;
      auto *Base = dyn_cast<llvm::MDNode>(Tag->getOperand(0));
      auto *Type = dyn_cast<llvm::MDNode>(Tag->getOperand(1));
      const auto *Name = Base && Base->getNumOperands()
                             ? dyn_cast<llvm::MDString>(Base->getOperand(0))
                             : nullptr;
      if (Name && Type && Structs.contains(Name->getString()))
        I.setMetadata(llvm::LLVMContext::MD_tbaa,
                      llvm::MDBuilder(M.getContext())
                          .createTBAAStructTagNode(Type, Type, 0));
    }
}

void retrograd::noteIntegerMembers(const CompilerInstance &CI,
                                   llvm::Module &M) {
  if (!CI.hasASTContext() ||
      (!CI.getCodeGenOpts().PrepareForLTO &&
       !CI.getCodeGenOpts().PrepareForThinLTO && !hasEntryCalls(M)))
    return;
  const ASTContext &Ctx = CI.getASTContext();
  llvm::SmallSetVector<const RecordDecl *, 8> Found;
  for (const Type *T : Ctx.getTypes()) {
    const auto *OfUnion = dyn_cast<RecordType>(T);
    const RecordDecl *Union =
        OfUnion ? OfUnion->getAsRecordDecl()->getDefinition() : nullptr;
    if (!Union || !Union->isUnion() || Union->isInvalidDecl() ||
        Union->isDependentContext())
      continue;
    for (const FieldDecl *Field : Union->fields()) {
      const RecordDecl *R =
          Ctx.getBaseElementType(Field->getType())->getAsRecordDecl();
      R = R ? R->getDefinition() : nullptr;
      // What a template wraps is read as what was written (std::variant).
      if (R && !R->isUnion() && !isa<ClassTemplateSpecializationDecl>(R) &&
          llvm::any_of(Union->fields(), [&](const FieldDecl *Other) {
            return isNumber(Ctx, Other->getType());
          }))
        Found.insert(R);
    }
  }
  if (!Found.empty()) {
    llvm::NamedMDNode *Node = M.getOrInsertNamedMetadata(NumbersBeside);
    const std::unique_ptr<MangleContext> Mangler(
        CI.getASTContext().createMangleContext());
    llvm::StringSet<> Structs;
    for (const RecordDecl *R : Found)
      if (const std::string Name = nameInTags(*R, *Mangler); !Name.empty())
        Structs.insert(Name);
    forgetMembers(M, Structs);
    for (const RecordDecl *R : Found)
      Node->addOperand(llvm::MDNode::get(
          M.getContext(),
          llvm::MDString::get(M.getContext(), nameInModule(*R))));
  }
  if (CI.getCodeGenOpts().OptimizationLevel)
    markBitFields(M);
}

namespace {

bool isPlainCharacter(const ASTContext &Ctx, QualType T) {
  return Ctx.hasSameUnqualifiedType(T, Ctx.CharTy);
}

/// T is an array of `char`. Storage for something else is declared as
/// `unsigned char` or `std::byte`, which may be it by the language's rules.
bool isText(const ASTContext &Ctx, QualType T) {
  return T->isConstantArrayType() &&
         isPlainCharacter(Ctx, Ctx.getBaseElementType(T));
}

/// Looks for text whose address becomes an address of something else.
class TextReader final : public CodeReader<TextReader> {
public:
  explicit TextReader(ASTContext &Ctx) : Ctx(Ctx) {}

  llvm::SmallPtrSet<const FieldDecl *, 8> Storage;
  /// So does an address of characters of which the member is not known.
  bool Any = false;

  bool VisitCallExpr(CallExpr *Call) {
    const FunctionDecl *F = Call->getDirectCallee();
    if (!F || !F->getIdentifier() || !F->isExternC())
      return true;
    const bool Copies =
        llvm::StringSwitch<bool>(F->getName())
            .Cases({"memcpy", "memmove", "mempcpy"}, true)
            .Cases({"__builtin_memcpy", "__builtin_memmove",
                    "__builtin___memcpy_chk", "__builtin___memmove_chk"},
                   true)
            .Default(false);
    const bool Reads =
        llvm::StringSwitch<bool>(F->getName())
            .Cases({"memset", "memcmp", "memchr", "fread", "fwrite"}, true)
            .Cases({"__builtin_memset", "__builtin_memcmp",
                    "__builtin___memset_chk"},
                   true)
            .Cases({"read", "write", "send", "recv", "free"}, true)
            .Default(false);
    if (!Reads &&
        !(Copies && Call->getNumArgs() >= 2 && isCharacters(Call->getArg(0)) &&
          isCharacters(Call->getArg(1))))
      return true;
    for (Expr *Argument : Call->arguments())
      if (auto *Cast = dyn_cast<ImplicitCastExpr>(Argument))
        Harmless.insert(Cast);
    return true;
  }

  bool VisitCastExpr(CastExpr *Cast) {
    const Expr *From = Cast->getSubExpr();
    if (Cast->isTypeDependent() || From->isTypeDependent() ||
        Harmless.contains(Cast))
      return true;
    const bool IsReference = Cast->getCastKind() == CK_LValueBitCast;
    if (!IsReference && Cast->getCastKind() != CK_BitCast &&
        Cast->getCastKind() != CK_PointerToIntegral)
      return true;
    QualType To =
        IsReference ? Cast->getType() : Cast->getType()->getPointeeType();
    QualType What =
        IsReference ? From->getType() : From->getType()->getPointeeType();
    if (What.isNull())
      return true;
    if (const FieldDecl *Field = textIn(From)) {
      if (To.isNull() || !To->isAnyCharacterType())
        Storage.insert(Field);
      return true;
    }
    // A variable may hold the address of a member. That of untyped memory is
    // nobody's member.
    if (isPlainCharacter(Ctx, Ctx.getBaseElementType(What)) && !To.isNull() &&
        (To->isRealFloatingType() || To->isPointerType() ||
         To->isRecordType()) &&
        !isa<CallExpr, CXXNewExpr>(From->IgnoreParenCasts()))
      Any = true;
    return true;
  }

private:
  ASTContext &Ctx;
  llvm::SmallPtrSet<const Expr *, 8> Harmless;

  static bool isCharacters(const Expr *E) {
    const QualType T = E->IgnoreParenImpCasts()->getType();
    const Type *Of = T->getPointeeOrArrayElementType();
    while (Of->isArrayType())
      Of = Of->getPointeeOrArrayElementType();
    return Of->isAnyCharacterType();
  }
  /// The text that E is, points to, or points into.
  const FieldDecl *textIn(const Expr *E) const {
    for (;;) {
      E = E->IgnoreParenCasts();
      if (const auto *Op = dyn_cast<UnaryOperator>(E);
          Op && (Op->getOpcode() == UO_AddrOf || Op->getOpcode() == UO_Deref))
        E = Op->getSubExpr();
      else if (const auto *At = dyn_cast<ArraySubscriptExpr>(E))
        E = At->getBase();
      else if (const auto *Sum = dyn_cast<BinaryOperator>(E);
               Sum && Sum->isAdditiveOp())
        E = Sum->getLHS()->getType()->isIntegerType() ? Sum->getRHS()
                                                      : Sum->getLHS();
      else
        break;
    }
    const auto *Member = dyn_cast<MemberExpr>(E);
    const auto *Field =
        Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
    return Field && isText(Ctx, Field->getType()) ? Field : nullptr;
  }
};

} // namespace

void retrograd::noteTextMembers(const CompilerInstance &CI, llvm::Module &M) {
  const CodeGenOptions &CodeGen = CI.getCodeGenOpts();
  if (!CI.hasASTContext() || (!CodeGen.PrepareForLTO &&
                              !CodeGen.PrepareForThinLTO && !hasEntryCalls(M)))
    return;
  ASTContext &Ctx = CI.getASTContext();
  llvm::SmallVector<std::pair<llvm::StructType *, const RecordDecl *>, 8> Found;
  llvm::SmallPtrSet<const RecordDecl *, 8> InUnions;
  for (const Type *T : Ctx.getTypes()) {
    const auto *Record = dyn_cast<RecordType>(T);
    const RecordDecl *R =
        Record ? Record->getAsRecordDecl()->getDefinition() : nullptr;
    if (!R || R->isInvalidDecl() || R->isDependentContext())
      continue;
    for (const FieldDecl *Field : R->fields())
      if (const auto *Inner =
              Ctx.getBaseElementType(Field->getType())->getAsRecordDecl();
          Inner && R->isUnion())
        InUnions.insert(Inner->getDefinition());
    if (R->isUnion() || llvm::none_of(R->fields(), [&](const FieldDecl *Field) {
          return isText(Ctx, Field->getType());
        }))
      continue;
    if (auto *Struct =
            llvm::StructType::getTypeByName(M.getContext(), nameInModule(*R));
        Struct && !Struct->isOpaque())
      Found.push_back({Struct, R});
  }
  if (Found.empty())
    return;
  TextReader Texts(Ctx);
  Texts.TraverseDecl(Ctx.getTranslationUnitDecl());
  if (Texts.Any)
    return;
  for (auto [Struct, R] : Found) {
    if (InUnions.contains(R))
      continue;
    const llvm::StructLayout &Layout =
        *M.getDataLayout().getStructLayout(Struct);
    llvm::SmallVector<uint64_t, 2> Offsets;
    for (const FieldDecl *Field : R->fields()) {
      if (!isText(Ctx, Field->getType()) || Field->hasAttr<AlignedAttr>() ||
          Texts.Storage.contains(Field))
        continue;
      const uint64_t Offset =
          Ctx.getASTRecordLayout(R).getFieldOffset(Field->getFieldIndex()) / 8;
      const unsigned Element = Layout.getElementContainingOffset(Offset);
      if (Layout.getElementOffset(Element) == Offset &&
          Struct->getElementType(Element)->isArrayTy() &&
          M.getDataLayout().getTypeAllocSize(Struct->getElementType(Element)) ==
              uint64_t(Ctx.getTypeSizeInChars(Field->getType()).getQuantity()))
        Offsets.push_back(Offset);
    }
    if (!Offsets.empty())
      noteText(M, *Struct, Offsets);
  }
}

void retrograd::noteMovedMembers(const CompilerInstance &CI, llvm::Module &M) {
  const CodeGenOptions &CodeGen = CI.getCodeGenOpts();
  if (!CI.hasASTContext())
    return;
  const bool Linked = CodeGen.PrepareForLTO || CodeGen.PrepareForThinLTO;
  const bool CallsAddresses =
      Linked || llvm::any_of(M, [](const llvm::Function &F) {
        return llvm::any_of(llvm::instructions(F),
                            [](const llvm::Instruction &I) {
                              const auto *Call = dyn_cast<llvm::CallBase>(&I);
                              return Call && Call->isIndirectCall();
                            });
      });
  if (!CallsAddresses && !hasEntryCalls(M))
    return;
  ASTContext &Ctx = CI.getASTContext();
  MemberReader Moved(Ctx);
  Moved.TraverseDecl(Ctx.getTranslationUnitDecl());
  if (Moved.Puns)
    noteFact(M, SourceFact::CopiesBits);
  if (!CallsAddresses)
    return;
  if (!Moved.Indirect)
    M.addModuleFlag(llvm::Module::Min, retrograd::MemberPointersAreAddresses,
                    1);
  if (Moved.Any)
    return;
  M.addModuleFlag(llvm::Module::Min, retrograd::MembersAreKnown, 1);
  auto Write = [&](StringRef Name, auto &Offsets) {
    llvm::LLVMContext &C = M.getContext();
    llvm::NamedMDNode *Node = M.getOrInsertNamedMetadata(Name);
    for (uint64_t Offset : Offsets)
      Node->addOperand(llvm::MDNode::get(
          C, llvm::ConstantAsMetadata::get(
                 llvm::ConstantInt::get(llvm::Type::getInt64Ty(C), Offset))));
  };
  Write(retrograd::MovedMembers, Moved.Offsets);
  Write(retrograd::MovedDataMembers, Moved.OffsetsOfData);
  if (Moved.FunctionsAsData)
    M.getOrInsertNamedMetadata(retrograd::FunctionsAsData);
}
