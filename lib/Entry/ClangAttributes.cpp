//===- ClangAttributes.cpp - attributes for functions with rules ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// __attribute__((enzyme("gradient", g))), [[enzyme::inactive]] and their like
// become clang's own annotations, annotate("enzyme_gradient", g): those know
// templates, methods and declarations without a body, and arrive in the IR as
// llvm.global.annotations, where Request/Registrations reads them.
//
// An annotation does not make clang emit what it names (a static function, an
// instance of a template): a variable that is initialised with it does.
//
// Like ClangLoader.cpp, for hosts that are clang only.
//
//===----------------------------------------------------------------------===//

#include "Entry/ClangAttributes.h"
#include "Request/Registrations.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaConsumer.h"
#include <dlfcn.h>
#include <optional>

using namespace clang;

namespace {

/// What is annotated, and how many arguments go with it at most.
struct Name {
  const char *Text;
  unsigned Required, Optional;
};
constexpr Name Names[] = {
    {"augment", 1, 0},           {"gradient", 1, 0},
    {"derivative", 1, 0},        {"splitderivative", 2, 0},
    {"inactive", 0, 0},          {"nofree", 0, 0},
    {"function_like", 1, 0},     {"shouldrecompute", 0, 0},
    {"sparse_accumulate", 0, 0}, {"allocation_like", 2, 1}};

/// The spellings of one name: bare with its prefix, and in our scope. Clang
/// parses the arguments of a scoped attribute of a plugin only if there is one
/// of that name without scope, so there is; it is never applied.
struct Spellings {
  std::string Prefixed, Scoped, Both;
  ParsedAttrInfo::Spelling All[9];
  explicit Spellings(const char *Text)
      : Prefixed(std::string("enzyme_") + Text),
        Scoped(std::string("enzyme::") + Text),
        Both(std::string("enzyme::enzyme_") + Text),
        All{{ParsedAttr::AS_GNU, Prefixed.c_str()},
            {ParsedAttr::AS_C23, Prefixed.c_str()},
            {ParsedAttr::AS_CXX11, Prefixed.c_str()},
            {ParsedAttr::AS_C23, Scoped.c_str()},
            {ParsedAttr::AS_CXX11, Scoped.c_str()},
            {ParsedAttr::AS_C23, Both.c_str()},
            {ParsedAttr::AS_CXX11, Both.c_str()},
            {ParsedAttr::AS_C23, Text},
            {ParsedAttr::AS_CXX11, Text}} {}
};

/// The argument as an expression that folds to a constant: clang takes a lone
/// name for a name of the attribute's own, and leaves f<T> open.
Expr *argumentOf(Sema &S, const ParsedAttr &Attr, unsigned I) {
  Expr *E;
  if (Attr.isArgIdent(I)) {
    const IdentifierLoc &Id = *Attr.getArgAsIdent(I);
    LookupResult Found(S, Id.getIdentifierInfo(), Id.getLoc(),
                       Sema::LookupOrdinaryName);
    S.LookupName(Found, S.getCurScope());
    if (Found.empty()) {
      S.Diag(Id.getLoc(), S.getDiagnostics().getCustomDiagID(
                              DiagnosticsEngine::Error,
                              "there is no function %0 to be seen here"))
          << Id.getIdentifierInfo();
      return nullptr;
    }
    ExprResult R =
        S.BuildDeclarationNameExpr(CXXScopeSpec(), Found, /*NeedsADL=*/false);
    if (R.isInvalid())
      return nullptr;
    E = R.get();
  } else {
    E = Attr.getArgAsExpr(I);
  }
  if (!E->isTypeDependent() &&
      !E->getType()->isSpecificPlaceholderType(BuiltinType::Overload))
    return E;
  // A plus before a function changes nothing but makes it a pointer.
  ExprResult R = S.BuildUnaryOp(nullptr, E->getBeginLoc(), UO_Plus, E);
  return R.isInvalid() ? nullptr : R.get();
}

void annotate(Sema &S, Decl *D, const ParsedAttr &Attr, llvm::StringRef Text,
              unsigned First) {
  llvm::SmallVector<Expr *, 3> Arguments;
  for (unsigned I = First; I < Attr.getNumArgs(); ++I) {
    Arguments.push_back(argumentOf(S, Attr, I));
    if (!Arguments.back())
      return;
  }
  if (auto *A =
          S.CreateAnnotationAttr(Attr, ("enzyme_" + Text).str(), Arguments))
    D->addAttr(A);
}

bool checkSubject(Sema &S, const ParsedAttr &Attr, const Decl *D) {
  if (isa<FunctionDecl, VarDecl>(D))
    return true;
  S.Diag(Attr.getLoc(), S.getDiagnostics().getCustomDiagID(
                            DiagnosticsEngine::Error,
                            "%0 must stand at a function or a variable"))
      << Attr;
  return false;
}

/// enzyme_inactive, [[enzyme::inactive]], ...
template <unsigned N> struct NamedAttribute final : ParsedAttrInfo {
  struct Spellings Own{Names[N].Text};
  NamedAttribute() {
    NumArgs = Names[N].Required;
    OptArgs = Names[N].Optional;
    Spellings = Own.All;
  }
  bool diagAppertainsToDecl(Sema &S, const ParsedAttr &Attr,
                            const Decl *D) const override {
    return checkSubject(S, Attr, D);
  }
  AttrHandling handleDeclAttribute(Sema &S, Decl *D,
                                   const ParsedAttr &Attr) const override {
    if (!Attr.hasScope() && Attr.getAttrName()->getName() == Names[N].Text)
      return AttributeNotApplied;
    annotate(S, D, Attr, Names[N].Text, 0);
    return AttributeApplied;
  }
};

/// enzyme("gradient", g)
struct GeneralAttribute final : ParsedAttrInfo {
  GeneralAttribute() {
    static constexpr Spelling All[] = {
        {ParsedAttr::AS_GNU, "enzyme"},
        {ParsedAttr::AS_C23, "enzyme"},
        {ParsedAttr::AS_CXX11, "enzyme"},
        {ParsedAttr::AS_C23, "enzyme::enzyme"},
        {ParsedAttr::AS_CXX11, "enzyme::enzyme"}};
    NumArgs = 1;
    OptArgs = 3;
    Spellings = All;
  }
  bool diagAppertainsToDecl(Sema &S, const ParsedAttr &Attr,
                            const Decl *D) const override {
    return checkSubject(S, Attr, D);
  }
  AttrHandling handleDeclAttribute(Sema &S, Decl *D,
                                   const ParsedAttr &Attr) const override {
    auto *Text =
        Attr.isArgExpr(0)
            ? dyn_cast<StringLiteral>(Attr.getArgAsExpr(0)->IgnoreParenCasts())
            : nullptr;
    for (const Name &Known : Names) {
      if (!Text || Text->getString() != Known.Text)
        continue;
      unsigned Given = Attr.getNumArgs() - 1;
      if (Given < Known.Required || Given > Known.Required + Known.Optional)
        break;
      annotate(S, D, Attr, Known.Text, 1);
      return AttributeApplied;
    }
    S.Diag(Attr.getLoc(), S.getDiagnostics().getCustomDiagID(
                              DiagnosticsEngine::Error,
                              "%0 must be followed by \"augment\", "
                              "\"gradient\" or \"derivative\" and a function, "
                              "\"splitderivative\" and two functions, "
                              "\"function_like\" and a name, "
                              "\"allocation_like\", a number and a function, "
                              "\"inactive\", \"nofree\", "
                              "\"shouldrecompute\" or \"sparse_accumulate\""))
        << Attr;
    return AttributeNotApplied;
  }
};

template <class T> using Add = ParsedAttrInfoRegistry::Add<T>;

template <unsigned... N> struct EnterNames {
  std::tuple<std::optional<Add<NamedAttribute<N>>>...> Entries;
  void enter() {
    (std::get<N>(Entries).emplace(Names[N].Text,
                                  "what Retrograd is told of a function"),
     ...);
  }
};

struct EnterRegistry {
  EnterNames<0, 1, 2, 3, 4, 5, 6, 7, 8, 9> Named;
  std::optional<Add<GeneralAttribute>> General;
  EnterRegistry() {
    static_assert(std::size(Names) == 10);
    // ParsedAttrInfoRegistry::add_node, by its mangled name: see
    // ClangLoader.cpp.
    const char *AddNode = "_ZN4llvm8RegistryIN5clang" // layering: clang's own
                          "14ParsedAttrInfoEE8add_nodeEPNS3_4nodeE";
    if (!dlsym(RTLD_DEFAULT, AddNode))
      return;
    Named.enter();
    General.emplace("enzyme", "a function's derivative");
  }
};

EnterRegistry Enter;

class RuleKeeper final : public SemaConsumer {
public:
  void InitializeSema(Sema &Of) override { S = &Of; }
  void ForgetSema() override { S = nullptr; }

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *D : Group)
      visit(*D);
    return true;
  }

private:
  Sema *S = nullptr;
  llvm::SmallPtrSet<const Decl *, 8> Kept;

  void visit(Decl &D) {
    if (auto *F = dyn_cast<FunctionDecl>(&D)) {
      if (!F->isDependentContext())
        for (const auto *A : F->specific_attrs<AnnotateAttr>())
          if (A->getAnnotation().starts_with("enzyme_"))
            for (Expr *E : A->args())
              keepNamedIn(E);
      return;
    }
    if (auto *V = dyn_cast<VarDecl>(&D)) {
      if (V->getIdentifier() && V->getName().contains("__enzyme_") &&
          V->hasInit() && V->getStorageClass() == SC_Static &&
          !V->hasAttr<UsedAttr>())
        V->addAttr(UsedAttr::CreateImplicit(V->getASTContext()));
      return;
    }
    if (isa<NamespaceDecl, LinkageSpecDecl, CXXRecordDecl>(D))
      for (Decl *Inner : cast<DeclContext>(D).decls())
        visit(*Inner);
  }

  void keepNamedIn(Stmt *E) {
    if (auto *Ref = dyn_cast_or_null<DeclRefExpr>(E))
      if (auto *F = dyn_cast<FunctionDecl>(Ref->getDecl()))
        keep(*F);
    if (E)
      for (Stmt *Child : E->children())
        keepNamedIn(Child);
  }

  void keep(FunctionDecl &F) {
    auto *Method = dyn_cast<CXXMethodDecl>(&F);
    if (!S || F.isDependentContext() || (Method && Method->isInstance()) ||
        !Kept.insert(F.getCanonicalDecl()).second)
      return;
    ASTContext &C = S->getASTContext();
    SourceLocation At = F.getLocation();
    S->MarkFunctionReferenced(At, &F);
    QualType T = C.getPointerType(F.getType());
    auto *Ref =
        DeclRefExpr::Create(C, NestedNameSpecifierLoc(), SourceLocation(), &F,
                            /*RefersToEnclosingVariableOrCapture=*/false, At,
                            F.getType(), VK_LValue);
    auto *V = VarDecl::Create(
        C, C.getTranslationUnitDecl(), At, At,
        &C.Idents.get(retrograd::KeptName + std::to_string(Kept.size())), T,
        /*TInfo=*/nullptr, SC_Static);
    V->setInit(ImplicitCastExpr::Create(C, T, CK_FunctionToPointerDecay, Ref,
                                        /*BasePath=*/nullptr, VK_PRValue,
                                        FPOptionsOverride()));
    V->addAttr(UsedAttr::CreateImplicit(C));
    S->Consumer.HandleTopLevelDecl(DeclGroupRef(V));
  }
};

} // namespace

std::unique_ptr<ASTConsumer> retrograd::keepRules() {
  return std::make_unique<RuleKeeper>();
}
