//===- ClangIntegers.cpp - are numbers reached as integers? ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass/ClangIntegers.h"
#include "Pass/ClangCode.h"
#include "Request/EntryPoints.h"
#include "Support/SourceFact.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"

using namespace clang;
using retrograd::CodeReader;
using retrograd::SourceFact;

namespace {

/// Follows addresses without type from where they are made of a number's to
/// where they become an integer's.
class IntegerReader final : public CodeReader<IntegerReader> {
public:
  explicit IntegerReader(ASTContext &Ctx) : Ctx(Ctx) {}

  /// Some address of numbers may become one of integers.
  bool reachesNumbers() {
    if (Direct)
      return true;
    // What it was made of goes on, and what it becomes is one place's.
    llvm::SmallVector<Channel, 32> Work;
    for (const auto &[C, Seen] : Through)
      Work.push_back(C);
    while (!Work.empty()) {
      const Channel From = Work.pop_back_val();
      for (Channel To : HandedTo[From])
        if (spread(From, To, &Views::Given))
          Work.push_back(To);
      for (Channel Before : HandedBy[From])
        if (spread(From, Before, &Views::Taken))
          Work.push_back(Before);
    }
    return llvm::any_of(Through, [&](const auto &Of) {
      const Views &Seen = Of.second;
      return meet(Seen.Given, Seen.Taken) || meet(Seen.Given, Seen.Dealt) ||
             meet(Seen.Taken, Seen.Taken);
    });
  }

  /// Some address that is read as one may be the bits of a number, and becomes
  /// an integer.
  bool countsNumbers() const {
    return NumberAsAddress || llvm::any_of(BesideNumbers, [&](const Type *T) {
             return Counted.contains(T);
           });
  }

  bool VisitCastExpr(CastExpr *Cast) {
    if (!isOfUser(*Cast))
      return true;
    const Expr &From = *Cast->getSubExpr();
    const bool IsReference = Cast->getCastKind() == CK_LValueBitCast;
    const QualType To =
                       IsReference ? Cast->getType() : pointee(Cast->getType()),
                   What =
                       IsReference ? From.getType() : pointee(From.getType());
    if (Cast->getCastKind() == CK_ArrayToPointerDecay) {
      noteMemberOfUnion(From);
      return true;
    }
    if (Cast->getCastKind() == CK_PointerToIntegral) {
      // What becomes of it is not followed.
      give(Anything, What);
      noteCounted(From);
      if (isUntyped(What))
        hand(channelOf(From), Anything);
      return true;
    }
    if (Cast->getCastKind() == CK_IntegralToPointer)
      add(Anything, &Views::Taken, To);
    if (To.isNull() || What.isNull() || Ctx.hasSameUnqualifiedType(To, What))
      return true;
    Direct |= holdsWords(To) && !holdsWords(What) && leadsFromNumbers(From);
    NumberAsAddress |= To->isAnyPointerType() && holdsNumbers(What);
    if (isUntyped(What))
      take(From, To);
    else if (!isMade(From))
      Direct |= retrograd::holdsIntegersForNumbers(Ctx, To, What);
    noteAddressOfPointer(To, What, From);
    noteFunctions(To, What);
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *Op) {
    if (Op->getOpcode() == UO_AddrOf && isOfUser(*Op))
      noteMemberOfUnion(*Op->getSubExpr());
    return true;
  }
  bool VisitRecordDecl(RecordDecl *R) {
    if (!R->isUnion() || !retrograd::hasLayout(*R) || !isOfUser(*R))
      return true;
    for (const FieldDecl *Field : R->fields())
      Direct |= llvm::any_of(R->fields(), [&](const FieldDecl *Other) {
        return retrograd::holdsIntegersForNumbers(Ctx, Field->getType(),
                                                  Other->getType());
      });
    if (holdsNumbers(Ctx.getCanonicalTagType(R)))
      for (const FieldDecl *Field : R->fields())
        if (const Type *T = kindOfAddress(Field->getType()))
          BesideNumbers.insert(T);
    // Addresses of several things in one place.
    for (const FieldDecl *Field : R->fields())
      if (const QualType To = pointee(Field->getType()); !To.isNull()) {
        hand(channelOf(R), channelOf(Field));
        hand(channelOf(Field), channelOf(R));
        add(channelOf(R), &Views::Dealt, To);
      }
    return true;
  }
  bool VisitVarDecl(VarDecl *V) {
    if (const Expr *Init = V->getInit(); Init && !isa<ParmVarDecl>(V))
      flow(*Init, channelOf(V), V->getType());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *Op) {
    if (Op->getOpcode() == BO_Sub && isOfUser(*Op)) {
      noteCounted(*Op->getLHS());
      noteCounted(*Op->getRHS());
    }
    if (Op->getOpcode() != BO_Assign)
      return true;
    flow(*Op->getRHS(), channelOf(*Op->getLHS()), Op->getLHS()->getType());
    if (const auto *Member = dyn_cast<MemberExpr>(Op->getLHS()->IgnoreParens()))
      if (const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl()))
        noteKept(*Field);
    return true;
  }
  bool TraverseFunctionDecl(FunctionDecl *F) {
    return inside(F, [&] { return CodeReader::TraverseFunctionDecl(F); });
  }
  bool TraverseCXXMethodDecl(CXXMethodDecl *F) {
    return inside(F, [&] { return CodeReader::TraverseCXXMethodDecl(F); });
  }
  bool TraverseLambdaExpr(LambdaExpr *E) {
    return inside(E->getCallOperator(),
                  [&] { return CodeReader::TraverseLambdaExpr(E); });
  }
  bool VisitReturnStmt(ReturnStmt *S) {
    if (const Expr *V = S->getRetValue(); V && Inside)
      flow(*V, channelOf(Inside), Inside->getReturnType());
    return true;
  }
  bool VisitCallExpr(CallExpr *Call) {
    const FunctionDecl *F = Call->getDirectCallee();
    Callees.insert(Call->getCallee()->IgnoreParenImpCasts());
    // What a library is handed, it keeps apart.
    if (F && (!F->isDefined() || !isOfUser(*F))) {
      for (const Expr *Argument : Call->arguments())
        if (const auto *Cast = dyn_cast<CastExpr>(Argument->IgnoreParens()))
          Outside.insert(Cast->getSubExpr());
      return true;
    }
    for (unsigned N = 0; N != Call->getNumArgs(); ++N) {
      const unsigned Behind = F && isa<CXXOperatorCallExpr>(Call) &&
                              isa<CXXMethodDecl>(F) &&
                              !cast<CXXMethodDecl>(F)->isStatic();
      if (N < Behind)
        continue;
      if (F && N - Behind < F->getNumParams()) {
        const ParmVarDecl *P = parameter(*F, N - Behind);
        flow(*Call->getArg(N), channelOf(P), P->getType());
      } else if (const auto *Type = calledType(*Call);
                 Type && N < Type->getNumParams()) {
        flow(*Call->getArg(N), GivenToAddress, Type->getParamType(N));
      }
    }
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *Call) {
    const CXXConstructorDecl *F = Call->getConstructor();
    if (F && isOfUser(*F))
      for (unsigned N = 0; N != std::min(Call->getNumArgs(), F->getNumParams());
           ++N) {
        const ParmVarDecl *P = parameter(*F, N);
        flow(*Call->getArg(N), channelOf(P), P->getType());
      }
    return true;
  }
  bool VisitCXXConstructorDecl(CXXConstructorDecl *F) {
    for (const CXXCtorInitializer *Init : F->inits())
      if (const FieldDecl *Field = Init->getMember())
        flow(*Init->getInit(), channelOf(Field), Field->getType());
    return true;
  }
  bool VisitInitListExpr(InitListExpr *List) {
    if (const InitListExpr *Whole =
            List->isSemanticForm() ? List : List->getSemanticForm())
      initialise(*Whole);
    return true;
  }
  bool VisitCXXNewExpr(CXXNewExpr *New) {
    if (New->getNumPlacementArgs() != 1 || !isOfUser(*New))
      return true;
    take(*New->getPlacementArg(0), New->getAllocatedType());
    return true;
  }
  /// A function whose address is taken is called with what calls by address
  /// hand over.
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    const auto *F = dyn_cast<FunctionDecl>(E->getDecl());
    if (!F || Callees.contains(E))
      return true;
    for (unsigned N = 0; N != F->getNumParams(); ++N) {
      const ParmVarDecl *P = parameter(*F, N);
      const QualType To = pointee(P->getType());
      if (isUntyped(To))
        hand(GivenToAddress, channelOf(P));
    }
    if (isUntyped(pointee(F->getReturnType())))
      hand(channelOf(F), TakenFromAddress);
    return true;
  }

private:
  /// A declaration, or one of the names below.
  using Channel = const void *;
  ASTContext &Ctx;
  const FunctionDecl *Inside = nullptr;
  bool Direct = false, NumberAsAddress = false;
  /// Types of addresses (without their types: of characters) that a union holds
  /// beside numbers, and of those that become integers.
  llvm::SmallPtrSet<const Type *, 8> BesideNumbers, Counted;
  llvm::SmallPtrSet<const Expr *, 32> Callees, Outside;
  llvm::DenseMap<Channel, llvm::SmallVector<Channel, 4>> HandedTo, HandedBy;
  /// What addresses without type lead to: by those that they were made of,
  /// by those that they become, and by those that become of what a call gave
  /// (of an arena: another place each time).
  using Types = llvm::SmallPtrSet<const Type *, 4>;
  struct Views {
    Types Given, Taken, Dealt;
  };
  llvm::DenseMap<Channel, Views> Through;
  const char Names[3] = {};
  const Channel Anything = &Names[0], GivenToAddress = &Names[1],
                TakenFromAddress = &Names[2];

  template <class T> bool isOfUser(const T &Node) const {
    return !Ctx.getSourceManager().isInSystemHeader(Node.getBeginLoc());
  }
  template <class Function>
  bool inside(const FunctionDecl *F, Function Traverse) {
    const FunctionDecl *Outside = std::exchange(Inside, F);
    const bool More = Traverse();
    Inside = Outside;
    return More;
  }
  static const FunctionProtoType *calledType(const CallExpr &Call) {
    const QualType T = Call.getCallee()->getType();
    const QualType F = pointee(T);
    return (F.isNull() ? T : F)->getAs<FunctionProtoType>();
  }
  static const ParmVarDecl *parameter(const FunctionDecl &F, unsigned N) {
    const FunctionDecl *Defined = F.getDefinition();
    return (Defined ? Defined : &F)->getParamDecl(N);
  }
  static QualType pointee(QualType T) {
    if (T.isNull() || T->isDependentType())
      return {};
    if (const auto *A = T->getAsArrayTypeUnsafe())
      return A->getElementType();
    return T->getPointeeType();
  }
  static bool isUntyped(QualType T) {
    return !T.isNull() &&
           (T->isVoidType() || T->isAnyCharacterType() || T->isStdByteType());
  }
  /// Integers that the bits of a number fit into.
  bool holdsWords(QualType T) const {
    if (T.isNull() || T->isDependentType() || T->isIncompleteType())
      return false;
    T = Ctx.getBaseElementType(T);
    if (const auto *V = T->getAs<VectorType>())
      T = V->getElementType();
    return T->isIntegralOrEnumerationType() &&
           Ctx.getTypeSizeInChars(T).getQuantity() >=
               static_cast<int64_t>(sizeof(float));
  }
  bool holdsNumbers(QualType T, unsigned Depth = 0) const {
    constexpr unsigned Deepest = 8;
    if (T.isNull() || T->isDependentType() || T->isIncompleteType())
      return false;
    T = Ctx.getBaseElementType(T);
    if (const auto *V = T->getAs<VectorType>())
      T = V->getElementType();
    if (T->isRealFloatingType() || T->isAnyComplexType() || Depth == Deepest)
      return true;
    const RecordDecl *R = T->getAsRecordDecl();
    R = R ? R->getDefinition() : nullptr;
    if (!R || R->isInvalidDecl())
      return false;
    if (const auto *Class = dyn_cast<CXXRecordDecl>(R))
      for (const CXXBaseSpecifier &Base : Class->bases())
        if (holdsNumbers(Base.getType(), Depth + 1))
          return true;
    return llvm::any_of(R->fields(), [&](const FieldDecl *Field) {
      return holdsNumbers(Field->getType(), Depth + 1);
    });
  }

  /// What an address of this type leads to; null of what is no address.
  const Type *kindOfAddress(QualType T) const {
    const QualType To = T->isAnyPointerType() ? pointee(T) : QualType();
    if (To.isNull())
      return nullptr;
    return isUntyped(To)
               ? Ctx.CharTy.getTypePtr()
               : Ctx.getCanonicalType(To).getUnqualifiedType().getTypePtr();
  }
  /// The address E, whatever it was called before, becomes an integer.
  void noteCounted(const Expr &E) {
    for (const Expr *V = &E;;) {
      if (const Type *T = kindOfAddress(V->getType()))
        Counted.insert(T);
      V = V->IgnoreParens();
      const auto *Cast = dyn_cast<CastExpr>(V);
      if (!Cast)
        return;
      V = Cast->getSubExpr();
    }
  }

  void add(Channel C, Types Views::*As, QualType T) {
    if (C && (holdsWords(T) || holdsNumbers(T) ||
              (!T.isNull() && !T->isDependentType() && T->isRecordType())))
      (Through[C].*As).insert(Ctx.getCanonicalType(T).getTypePtr());
  }
  void give(Channel C, QualType T) { add(C, &Views::Given, T); }
  /// The address E, which has no type, becomes one of a T.
  void take(const Expr &E, QualType T) {
    add(channelOf(E), isMade(E) ? &Views::Dealt : &Views::Taken, T);
  }
  static bool isMade(const Expr &E) {
    return isa<CallExpr, CXXNewExpr>(E.IgnoreParenCasts());
  }
  bool meet(const Types &A, const Types &B) const {
    return llvm::any_of(A, [&](const Type *One) {
      return llvm::any_of(B, [&](const Type *Other) {
        return One != Other && retrograd::holdsIntegersForNumbers(
                                   Ctx, QualType(One, 0), QualType(Other, 0));
      });
    });
  }
  /// Adds what From has to To; true if that was news.
  bool spread(Channel From, Channel To, Types Views::*What) {
    const Types Has = Through.lookup(From).*What;
    Types &Of = Through[To].*What;
    const size_t Before = Of.size();
    Of.insert(Has.begin(), Has.end());
    return Of.size() != Before;
  }
  void hand(Channel From, Channel To) {
    if (From && To && From != To) {
      HandedTo[From].push_back(To);
      HandedBy[To].push_back(From);
    }
  }
  static Channel channelOf(const Decl *D) { return D->getCanonicalDecl(); }
  /// What hands on the address E, or the address that E is computed of; null if
  /// nothing does.
  Channel channelOf(const Expr &E) const {
    const Expr *V = E.IgnoreParenCasts();
    if (const auto *Named = dyn_cast<DeclRefExpr>(V)) {
      const ValueDecl *D = Named->getDecl();
      if (const auto *P = dyn_cast<ParmVarDecl>(D))
        if (const auto *F = dyn_cast<FunctionDecl>(P->getDeclContext());
            F && P->getFunctionScopeIndex() < F->getNumParams())
          return channelOf(parameter(*F, P->getFunctionScopeIndex()));
      return channelOf(D);
    }
    if (const auto *Member = dyn_cast<MemberExpr>(V))
      return channelOf(Member->getMemberDecl());
    if (const auto *Call = dyn_cast<CallExpr>(V)) {
      const FunctionDecl *F = Call->getDirectCallee();
      if (!F)
        return TakenFromAddress;
      return F->isDefined() && isOfUser(*F) ? channelOf(F) : nullptr;
    }
    if (const auto *Op = dyn_cast<BinaryOperator>(V)) {
      if (Op->isAssignmentOp() || Op->isAdditiveOp())
        return channelOf(Op->getOpcode() == BO_Add &&
                                 !Op->getLHS()->getType()->isPointerType()
                             ? *Op->getRHS()
                             : *Op->getLHS());
      if (Op->isCommaOp())
        return channelOf(*Op->getRHS());
    }
    if (const auto *Op = dyn_cast<UnaryOperator>(V)) {
      if (Op->isIncrementDecrementOp() || Op->getOpcode() == UO_AddrOf)
        return channelOf(*Op->getSubExpr());
      return Anything; // behind an address of addresses
    }
    if (const auto *At = dyn_cast<ArraySubscriptExpr>(V))
      return channelOf(*At->getBase());
    if (isa<CXXNewExpr, StringLiteral, CXXNullPtrLiteralExpr, IntegerLiteral,
            ImplicitValueInitExpr, CXXThisExpr>(V))
      return nullptr;
    return Anything;
  }
  /// E is the address of a number, or computed of one.
  bool leadsFromNumbers(const Expr &E) const {
    const Expr *V = E.IgnoreParens();
    if (isMade(*V))
      return false;
    if (holdsNumbers(pointee(V->getType())) ||
        (V->isGLValue() && holdsNumbers(V->getType())))
      return true;
    if (const auto *Cast = dyn_cast<CastExpr>(V))
      return leadsFromNumbers(*Cast->getSubExpr());
    if (const auto *Op = dyn_cast<BinaryOperator>(V); Op && Op->isAdditiveOp())
      return leadsFromNumbers(*Op->getLHS()) || leadsFromNumbers(*Op->getRHS());
    if (const auto *Op = dyn_cast<ConditionalOperator>(V))
      return leadsFromNumbers(*Op->getTrueExpr()) ||
             leadsFromNumbers(*Op->getFalseExpr());
    return false;
  }
  /// The address E is put into To, of type T.
  void flow(const Expr &E, Channel To, QualType T) {
    if (E.isTypeDependent() || T.isNull() || !To)
      return;
    const QualType Behind = pointee(T);
    if (!isUntyped(Behind))
      return;
    const Expr *V = E.IgnoreParenImpCasts();
    if (const auto *Op = dyn_cast<ConditionalOperator>(V->IgnoreParenCasts())) {
      flow(*Op->getTrueExpr(), To, T);
      flow(*Op->getFalseExpr(), To, T);
      return;
    }
    // An address of numbers, whatever it is called on the way.
    for (const Expr *Step = &E;;) {
      const QualType Of = pointee(Step->getType());
      if (!Of.isNull() && !isUntyped(Of) && !isMade(*Step)) {
        give(To, Of);
        return;
      }
      Step = Step->IgnoreParens();
      const auto *Cast = dyn_cast<CastExpr>(Step);
      if (!Cast)
        break;
      Step = Cast->getSubExpr();
    }
    if (isUntyped(pointee(V->IgnoreParenCasts()->getType())) ||
        !V->IgnoreParenCasts()->getType()->isPointerType())
      hand(channelOf(E), To);
  }
  /// With what is written without braces, too.
  void initialise(const InitListExpr &List) {
    const RecordDecl *R =
        List.getType().isNull() ? nullptr : List.getType()->getAsRecordDecl();
    for (const Expr *Init : List.inits())
      if (const auto *Inner = dyn_cast_or_null<InitListExpr>(Init))
        initialise(*Inner);
    if (R && R->isUnion())
      if (const FieldDecl *Field = List.getInitializedFieldInUnion())
        noteKept(*Field);
    if (!R || R->isUnion())
      return;
    unsigned N = 0;
    if (const auto *Class = dyn_cast<CXXRecordDecl>(R))
      N = Class->getNumBases();
    for (const FieldDecl *Field : R->fields())
      if (!Field->isUnnamedBitField() && N < List.getNumInits())
        flow(*List.getInit(N++), channelOf(Field), Field->getType());
  }
  /// Field is given an address: in a union, the others are it, too.
  void noteKept(const FieldDecl &Field) {
    if (Field.getParent()->isUnion() && holdsNumbers(pointee(Field.getType())))
      give(channelOf(Field.getParent()), pointee(Field.getType()));
  }
  /// The integers of a union that has numbers, by their address.
  void noteMemberOfUnion(const Expr &E) {
    const auto *Member = dyn_cast<MemberExpr>(E.IgnoreParens());
    const auto *Field =
        Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
    Direct |=
        Field && Field->getParent()->isUnion() &&
        holdsWords(Field->getType()) &&
        llvm::any_of(Field->getParent()->fields(), [&](const FieldDecl *Other) {
          return holdsNumbers(Other->getType());
        });
  }
  /// The address of an address: what is put there is the one and the other.
  void noteAddressOfPointer(QualType To, QualType What, const Expr &From) {
    const QualType Behind = pointee(To), Before = pointee(What);
    if (Behind.isNull() || Before.isNull() || Outside.contains(&From) ||
        isMade(From))
      return;
    if (!isUntyped(Behind) && !isUntyped(Before))
      Direct |= retrograd::holdsIntegersForNumbers(Ctx, Behind, Before);
    for (QualType T : {Behind, Before}) {
      give(Anything, T);
      add(Anything, &Views::Dealt, T);
    }
  }
  /// A function is called as one of another type.
  void noteFunctions(QualType To, QualType What) {
    const auto *Called = To->getAs<FunctionType>(),
               *Is = What->getAs<FunctionType>();
    if (!Called || !Is)
      return;
    // What is handed to it, and what it returns, as it is and as it is called.
    auto Note = [&](QualType Given, QualType Taken, Channel C) {
      Given = pointee(Given);
      Taken = pointee(Taken);
      if (isUntyped(Taken))
        give(C, Given);
      else if (isUntyped(Given))
        add(C, &Views::Dealt, Taken);
      else if (!Given.isNull() && !Taken.isNull())
        Direct |= retrograd::holdsIntegersForNumbers(Ctx, Given, Taken);
    };
    const auto *From = dyn_cast<FunctionProtoType>(Called),
               *With = dyn_cast<FunctionProtoType>(Is);
    Note(Is->getReturnType(), Called->getReturnType(), TakenFromAddress);
    if (From && With)
      for (auto [Given, Taken] :
           llvm::zip(From->param_types(), With->param_types()))
        Note(Given, Taken, GivenToAddress);
    else if (const FunctionProtoType *Known = From ? From : With)
      Direct |= llvm::any_of(Known->param_types(), [&](QualType T) {
        return holdsWords(pointee(T)) || holdsNumbers(pointee(T));
      });
  }
};

} // namespace

void retrograd::notePlainIntegers(const CompilerInstance &CI, llvm::Module &M) {
  const CodeGenOptions &CodeGen = CI.getCodeGenOpts();
  if (!CI.hasASTContext() || CodeGen.PrepareForLTO ||
      CodeGen.PrepareForThinLTO || CodeGen.RelaxedAliasing || !hasEntryCalls(M))
    return;
  ASTContext &Ctx = CI.getASTContext();
  IntegerReader Reader(Ctx);
  Reader.TraverseDecl(Ctx.getTranslationUnitDecl());
  const bool Integers = !Reader.reachesNumbers(),
             Addresses = !Reader.countsNumbers();
  if (Integers)
    noteFact(M, SourceFact::PlainIntegers);
  if (Addresses)
    noteFact(M, SourceFact::PlainAddresses);
  // Optimised code moves numbers as words.
  if (Integers && Addresses && CodeGen.OptimizationLevel == 0)
    noteFact(M, SourceFact::PlainMembers);
}
