//===- Signature.cpp - a function of the user's file, as a check sees it --===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Signature.h"
#include "clang-c/Index.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace retrograd;

namespace {

std::string take(CXString S) {
  const char *Text = clang_getCString(S);
  std::string Result = Text ? Text : "";
  clang_disposeString(S);
  return Result;
}

Error fail(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

/// What can be counted and named but not sampled: the list of reasons is long,
/// so that each message can say what to do.
std::optional<NumberKind> numberKind(CXType T) {
  switch (T.kind) {
  case CXType_Float:
    return NumberKind::Float;
  case CXType_Double:
    return NumberKind::Double;
  case CXType_LongDouble:
    return NumberKind::LongDouble;
  case CXType_Bool:
  case CXType_Char_U:
  case CXType_UChar:
  case CXType_UShort:
  case CXType_UInt:
  case CXType_ULong:
  case CXType_ULongLong:
  case CXType_Char_S:
  case CXType_SChar:
  case CXType_Short:
  case CXType_Int:
  case CXType_Long:
  case CXType_LongLong:
  case CXType_Enum:
    return NumberKind::Integer;
  default:
    return std::nullopt;
  }
}

/// Lists the functions of the main file's translation unit that have a name.
class FunctionFinder {
public:
  explicit FunctionFinder(std::string Wanted) : Wanted(std::move(Wanted)) {}

  void run(CXTranslationUnit Unit) {
    clang_visitChildren(clang_getTranslationUnitCursor(Unit), visit, this);
  }

  std::vector<CXCursor> Matches;
  std::vector<CXCursor> Templates;
  std::vector<std::string>
      InMainFile; ///< every function there, for the message

  static std::string qualified(CXCursor C, bool Display) {
    std::string Name = take(Display ? clang_getCursorDisplayName(C)
                                    : clang_getCursorSpelling(C));
    for (CXCursor P = clang_getCursorSemanticParent(C);
         !clang_Cursor_isNull(P) && !clang_isTranslationUnit(P.kind) &&
         !clang_isInvalid(P.kind);
         P = clang_getCursorSemanticParent(P))
      // An anonymous namespace has no name that could be called.
      if (std::string Outer = take(clang_getCursorSpelling(P));
          !Outer.empty() && Outer.front() != '(')
        Name = Outer + "::" + Name;
    return Name;
  }

private:
  static CXChildVisitResult visit(CXCursor C, CXCursor, CXClientData Data) {
    auto *Self = static_cast<FunctionFinder *>(Data);
    switch (C.kind) {
    case CXCursor_FunctionDecl:
    case CXCursor_CXXMethod:
    case CXCursor_FunctionTemplate:
      break;
    case CXCursor_Namespace:
    case CXCursor_ClassDecl:
    case CXCursor_StructDecl:
    case CXCursor_LinkageSpec:
    case CXCursor_UnexposedDecl:
      return CXChildVisit_Recurse;
    default:
      return CXChildVisit_Continue;
    }
    bool Main = clang_Location_isFromMainFile(clang_getCursorLocation(C));
    std::string Full = qualified(C, /*Display=*/false);
    std::string Shown = qualified(C, /*Display=*/true);
    if (Main && C.kind != CXCursor_FunctionTemplate &&
        clang_isCursorDefinition(C))
      Self->InMainFile.push_back(Shown);
    for (StringRef Name : {StringRef(Full), StringRef(Shown)}) {
      StringRef W = Self->Wanted;
      if (Name == W ||
          (Name.ends_with(W) && Name.drop_back(W.size()).ends_with("::"))) {
        auto &List = C.kind == CXCursor_FunctionTemplate ? Self->Templates
                                                         : Self->Matches;
        CXCursor Canonical = clang_getCanonicalCursor(C);
        if (none_of(List, [&](CXCursor O) {
              return clang_equalCursors(clang_getCanonicalCursor(O), Canonical);
            }))
          List.push_back(C);
        break;
      }
    }
    return CXChildVisit_Continue;
  }

  std::string Wanted;
};

/// Takes a type apart into numbers at byte offsets.
class LeafCollector {
public:
  /// Whole is what messages call the type itself.
  LeafCollector(std::vector<Leaf> &Leaves, StringRef Whole)
      : Leaves(Leaves), Whole(Whole) {}

  /// Empty, or the reason why the type cannot be sampled.
  std::string collect(CXType Given, const std::string &Path, uint64_t Offset) {
    CXType T = clang_getCanonicalType(Given);
    if (std::optional<NumberKind> Kind = numberKind(T)) {
      std::string Type =
          T.kind == CXType_Enum
              ? take(clang_getTypeSpelling(clang_getCanonicalType(
                    clang_getEnumDeclIntegerType(clang_getTypeDeclaration(T)))))
              : take(clang_getTypeSpelling(clang_getUnqualifiedType(T)));
      Leaves.push_back({Path, *Kind, Offset, Type});
      return "";
    }
    if (T.kind == CXType_ConstantArray) {
      CXType E = clang_getArrayElementType(T);
      int64_t Size = clang_Type_getSizeOf(E), Count = clang_getArraySize(T);
      for (int64_t I = 0; I < Count; ++I)
        if (std::string Reason =
                collect(E, Path + "[" + std::to_string(I) + "]",
                        Offset + uint64_t(I * Size));
            !Reason.empty())
          return Reason;
      return "";
    }
    std::string Here =
        Path.empty() ? Whole.str() : "its member '" + Path.substr(1) + "'";
    std::string Spelled = take(clang_getTypeSpelling(Given));
    if (T.kind != CXType_Record)
      return Here + " is a '" + Spelled + "'";
    CXCursor Decl = clang_getTypeDeclaration(T);
    if (Decl.kind == CXCursor_UnionDecl)
      return Here + " is a union";
    if (clang_Type_getSizeOf(T) < 0)
      return Here + " is an incomplete type, '" + Spelled + "'";
    Fields Of;
    clang_Type_visitFields(T, Fields::addField, &Of);
    clang_visitCXXBaseClasses(T, Fields::addBase, &Of);
    clang_visitCXXMethods(T, Fields::addMethod, &Of);
    if (!Of.Reason.empty())
      return Here + " " + Of.Reason;
    if (Of.List.empty())
      return Here + " has no members";
    for (CXCursor F : Of.List) {
      if (clang_Cursor_isBitField(F))
        continue; // an integer that keeps the zero it starts with
      int64_t Bits = clang_Cursor_getOffsetOfField(F);
      if (Bits < 0)
        return Here + " has a layout that depends on a template argument";
      if (std::string Reason =
              collect(clang_getCursorType(F),
                      Path + "." + take(clang_getCursorSpelling(F)),
                      Offset + uint64_t(Bits) / 8);
          !Reason.empty())
        return Reason;
    }
    return "";
  }

private:
  struct Fields {
    std::vector<CXCursor> List;
    std::string Reason;
    static CXVisitorResult addField(CXCursor C, CXClientData Data) {
      static_cast<Fields *>(Data)->List.push_back(C);
      return CXVisit_Continue;
    }
    static CXVisitorResult addBase(CXCursor, CXClientData Data) {
      static_cast<Fields *>(Data)->Reason = "has a base class";
      return CXVisit_Break;
    }
    static CXVisitorResult addMethod(CXCursor C, CXClientData Data) {
      if (clang_CXXMethod_isVirtual(C))
        static_cast<Fields *>(Data)->Reason = "has virtual functions";
      return CXVisit_Continue;
    }
  };

  std::vector<Leaf> &Leaves;
  StringRef Whole;
};

/// `double` when T is std::vector<double>, an invalid type otherwise.
CXType vectorElement(CXType T) {
  CXType None{CXType_Invalid, {nullptr, nullptr}};
  CXType C = clang_getCanonicalType(T);
  if (C.kind != CXType_Record)
    return None;
  CXCursor Decl = clang_getTypeDeclaration(C);
  if (take(clang_getCursorSpelling(Decl)) != "vector")
    return None;
  std::string Spelled =
      take(clang_getTypeSpelling(clang_getUnqualifiedType(C)));
  return StringRef(Spelled).starts_with("std::") &&
                 clang_Type_getNumTemplateArguments(C) >= 1
             ? clang_Type_getTemplateArgumentAsType(C, 0)
             : None;
}

/// Element and extent of std::span<const double, 3>; an invalid type otherwise.
CXType spanElement(CXType T, std::string &Spelled) {
  CXType None{CXType_Invalid, {nullptr, nullptr}};
  CXType C = clang_getCanonicalType(T);
  Spelled = take(clang_getTypeSpelling(clang_getUnqualifiedType(C)));
  return C.kind == CXType_Record &&
                 StringRef(Spelled).starts_with("std::span<") &&
                 clang_Type_getNumTemplateArguments(C) >= 1
             ? clang_Type_getTemplateArgumentAsType(C, 0)
             : None;
}

/// What is known of an Eigen vector: Eigen::Matrix<double, -1, 1>, Array, or a
/// Ref or Map of one.
struct EigenClass {
  CXType Element{CXType_Invalid, {nullptr, nullptr}};
  std::string Plain; ///< the Matrix or Array
  bool Constant = false, View = false;
  uint64_t Extent = 0;
  std::string Reason; ///< why it is not supported
};

std::optional<EigenClass> eigenClass(CXType T) {
  CXType C = clang_getCanonicalType(T);
  if (C.kind != CXType_Record)
    return std::nullopt;
  EigenClass E;
  auto Spelling = [](CXType Of) {
    return take(clang_getTypeSpelling(clang_getUnqualifiedType(Of)));
  };
  std::string Spelled = Spelling(C);
  if (StringRef(Spelled).starts_with("Eigen::Ref<") ||
      StringRef(Spelled).starts_with("Eigen::Map<")) {
    E.View = true;
    C = clang_Type_getTemplateArgumentAsType(C, 0);
    E.Constant = clang_isConstQualifiedType(C);
    C = clang_getCanonicalType(C);
    Spelled = Spelling(C);
    StringRef(Spelled).consume_front("const ");
    if (StringRef(Spelled).starts_with("const "))
      Spelled = Spelled.substr(6);
  }
  StringRef Rest = Spelled;
  if (!Rest.consume_front("Eigen::Matrix<") &&
      !Rest.consume_front("Eigen::Array<"))
    return std::nullopt;
  E.Plain = Spelled;
  E.Element = clang_Type_getTemplateArgumentAsType(C, 0);
  SmallVector<StringRef> Words;
  Rest.rtrim('>').split(Words, ',');
  int Rows = 0, Columns = 0;
  if (Words.size() < 3 || Words[1].trim().getAsInteger(10, Rows) ||
      Words[2].trim().getAsInteger(10, Columns))
    E.Reason = "its sizes cannot be read";
  else if (Rows != 1 && Columns != 1)
    E.Reason = "it is a matrix; take a vector, and map it to a matrix inside";
  else if (Rows > 0 && Columns > 0)
    E.Extent = uint64_t(Rows) * uint64_t(Columns);
  return E;
}

/// A type as the generated program can write it anywhere: qualified in full.
/// What an anonymous namespace holds is visible there, for the file is
/// included.
std::string canonicalSpelling(CXType T) {
  std::string Text = take(clang_getTypeSpelling(clang_getCanonicalType(T)));
  const StringRef Anonymous = "(anonymous namespace)::";
  for (size_t At; (At = Text.find(Anonymous)) != std::string::npos;)
    Text.erase(At, Anonymous.size());
  return Text;
}

std::string unqualifiedSpelling(CXType T) {
  return canonicalSpelling(clang_getUnqualifiedType(clang_getCanonicalType(T)));
}

/// Decayed is the parameter's type in the function's type: arrays are pointers.
Expected<Parameter> readParameter(CXCursor C, CXType Decayed, unsigned Index,
                                  Reader For) {
  Parameter P;
  P.Name = take(clang_getCursorSpelling(C));
  if (P.Name.empty())
    P.Name = "argument" + std::to_string(Index + 1);
  CXType Written = clang_getCursorType(C), T = clang_getCanonicalType(Decayed);
  P.Spelling = take(clang_getTypeSpelling(Written));
  CXType Target = T;
  if (T.kind == CXType_Pointer) {
    P.How = Passing::Pointer;
    Target = clang_getPointeeType(T);
  } else if (T.kind == CXType_LValueReference ||
             T.kind == CXType_RValueReference) {
    P.How = Passing::Reference;
    Target = clang_getPointeeType(T);
  }
  // The const of an array is that of its elements; the canonical type of an
  // array has it outside.
  CXType Innermost = Target;
  bool Const = clang_isConstQualifiedType(Innermost), Variable = false;
  while (Innermost.kind == CXType_ConstantArray ||
         Innermost.kind == CXType_VariableArray) {
    Variable |= Innermost.kind == CXType_VariableArray;
    Innermost = clang_getArrayElementType(Innermost);
    Const |= clang_isConstQualifiedType(Innermost) != 0;
  }
  // double a[n][m] in C: numbers in a row, as many as the caller has.
  if (Variable && P.How == Passing::Pointer && For == Reader::Export)
    Target = Innermost;
  P.ReadOnly = P.How != Passing::Value && Const;
  if (CXType E = vectorElement(Target); E.kind != CXType_Invalid) {
    if (P.How == Passing::Value && For == Reader::Check)
      return fail("parameter '" + P.Name +
                  "' is a vector by value, whose derivative would be "
                  "lost with the copy; wrap f in a function that takes it by "
                  "reference");
    P.ByPointer = P.How == Passing::Pointer;
    P.ReadOnly |= P.How == Passing::Value;
    P.How = Passing::Vector;
    P.View = unqualifiedSpelling(Target);
    Target = E;
  } else if (For == Reader::Export) {
    if (CXType S = spanElement(Target, P.View); S.kind != CXType_Invalid) {
      if (P.How == Passing::Pointer)
        return fail("parameter '" + P.Name +
                    "' is a pointer to a span; take the span itself");
      P.How = Passing::Span;
      P.ReadOnly = clang_isConstQualifiedType(S);
      if (StringRef(P.View).split(',').second.trim(" >").getAsInteger(
              10, P.Extent) ||
          P.Extent == UINT64_MAX)
        P.Extent = 0;
      Target = S;
    } else if (std::optional<EigenClass> E = eigenClass(Target)) {
      if (E->Reason.empty() && P.How == Passing::Pointer)
        E->Reason = "it is behind a pointer; take it by reference";
      if (!E->Reason.empty())
        return fail("parameter '" + P.Name + "' of type '" + P.Spelling +
                    "' is not supported: " + E->Reason);
      // A copy is handed over for what is passed by value; a view writes
      // through.
      P.ReadOnly =
          E->View ? E->Constant : P.How == Passing::Value || P.ReadOnly;
      P.ByPointer =
          E->View &&
          StringRef(canonicalSpelling(Target)).contains("Eigen::Map<");
      P.How = Passing::Eigen;
      P.View = E->Plain;
      P.Extent = E->Extent;
      Target = E->Element;
    } else
      P.View.clear();
  }
  P.Element = unqualifiedSpelling(Target);
  int64_t Bytes = clang_Type_getSizeOf(clang_getCanonicalType(Target));
  StringRef Whole = P.How == Passing::Pointer ? "what it points at"
                    : P.How == Passing::Value || P.How == Passing::Reference
                        ? "it"
                        : "its element";
  std::string Reason = LeafCollector(P.Leaves, Whole).collect(Target, "", 0);
  if (Reason.empty() && P.How == Passing::Value && !numberKind(T) &&
      For == Reader::Check)
    Reason = "it is a struct by value; wrap f in a function that takes it by "
             "pointer";
  if (!Reason.empty())
    return fail(
        "parameter '" + P.Name + "' of type '" + P.Spelling +
        "' is not supported: " + Reason +
        (For == Reader::Check
             ? "; check supports numbers, pointers and references to numbers "
               "and to structs of numbers, and vectors of these"
             : "; numbers, structs of numbers, pointers and references to "
               "these, std::vector, std::span and Eigen's vectors of them are "
               "supported") +
        Twine(
            ": wrap the function in one that takes such parameters and builds "
            "the rest"));
  P.ElementBytes = uint64_t(Bytes);
  return P;
}

} // namespace

Expected<Signature> retrograd::readSignature(const std::string &File,
                                             const std::string &Function,
                                             ArrayRef<std::string> Flags,
                                             Reader For) {
  std::vector<const char *> Arguments;
  for (const std::string &Flag : Flags)
    Arguments.push_back(Flag.c_str());
  CXIndex Index = clang_createIndex(/*excludeDeclarationsFromPCH=*/0,
                                    /*displayDiagnostics=*/0);
  CXTranslationUnit Unit = nullptr;
  CXErrorCode Code = clang_parseTranslationUnit2(
      Index, File.c_str(), Arguments.data(), int(Arguments.size()), nullptr, 0,
      CXTranslationUnit_None, &Unit);
  llvm::scope_exit Dispose([&] {
    if (Unit)
      clang_disposeTranslationUnit(Unit);
    clang_disposeIndex(Index);
  });
  if (Code != CXError_Success)
    return fail("cannot read '" + File + "'");
  for (unsigned I = 0; I < clang_getNumDiagnostics(Unit); ++I) {
    CXDiagnostic D = clang_getDiagnostic(Unit, I);
    bool Bad = clang_getDiagnosticSeverity(D) >= CXDiagnostic_Error;
    std::string Text = take(
        clang_formatDiagnostic(D, clang_defaultDiagnosticDisplayOptions()));
    clang_disposeDiagnostic(D);
    if (Bad)
      return fail("'" + File +
                  "' does not compile; flags for it go after '--'\n" + Text);
  }

  FunctionFinder Finder(Function);
  Finder.run(Unit);
  if (Finder.Matches.empty() && !Finder.Templates.empty())
    return fail("'" + Function +
                "' is a template; add a function that calls the "
                "instantiation that you mean, and check that");
  if (Finder.Matches.empty()) {
    std::string Known = join(Finder.InMainFile, ", ");
    return fail("there is no function '" + Function + "' in '" + File + "'" +
                (Known.empty() ? "" : "; it defines: " + Known));
  }
  // Headers may declare functions of that name, as CUDA's do of 'norm'. The
  // file's own is meant, if there is one.
  if (Finder.Matches.size() > 1) {
    std::vector<CXCursor> Own;
    for (CXCursor C : Finder.Matches) {
      CXCursor Body = clang_getCursorDefinition(C);
      if (clang_Location_isFromMainFile(clang_getCursorLocation(C)) ||
          (!clang_Cursor_isNull(Body) &&
           clang_Location_isFromMainFile(clang_getCursorLocation(Body))))
        Own.push_back(C);
    }
    if (Own.size() == 1)
      Finder.Matches = Own;
  }
  // Of f and a::f, 'f' is the first.
  if (Finder.Matches.size() > 1) {
    std::vector<CXCursor> Exact;
    for (CXCursor C : Finder.Matches)
      if (FunctionFinder::qualified(C, /*Display=*/false) == Function ||
          FunctionFinder::qualified(C, /*Display=*/true) == Function)
        Exact.push_back(C);
    if (Exact.size() == 1)
      Finder.Matches = Exact;
  }
  if (Finder.Matches.size() > 1) {
    std::string Names;
    for (CXCursor C : Finder.Matches)
      Names += "\n  --function '" +
               FunctionFinder::qualified(C, /*Display=*/true) + "'";
    return fail("'" + Function + "' is overloaded; say which one:" + Names);
  }

  CXCursor F = Finder.Matches.front();
  Signature S;
  S.CPlusPlus =
      clang_getCursorLanguage(F) == CXLanguage_CPlusPlus ||
      StringRef(File).ends_with(".cpp") || StringRef(File).ends_with(".cc") ||
      StringRef(File).ends_with(".cxx") || StringRef(File).ends_with(".cu");
  bool Kernel = false;
  auto SeeAttribute = [&](CXCursorKind K) {
    S.OnDevice |= K == CXCursor_CUDADeviceAttr;
    Kernel |= K == CXCursor_CUDAGlobalAttr;
  };
  clang_visitChildren(
      F,
      [](CXCursor C, CXCursor, CXClientData Data) {
        (*static_cast<decltype(SeeAttribute) *>(Data))(clang_getCursorKind(C));
        return CXChildVisit_Continue;
      },
      &SeeAttribute);
  S.Kernel = Kernel;
  if (S.OnDevice && For == Reader::Export)
    return fail("'" + Function +
                "' is a device function; export the kernel that calls it");
  if (Kernel && For == Reader::Check)
    return fail("'" + Function +
                "' is a kernel; check the __device__ function that it calls, "
                "in --grid blocks of --block "
                "threads");
  if (F.kind == CXCursor_CXXMethod && !clang_CXXMethod_isStatic(F))
    return fail("'" + Function +
                "' is a member function; wrap it in a function that takes the "
                "object by reference");
  // Canonical: libclang undoes the decay of array parameters in types as
  // written.
  CXType Type = clang_getCanonicalType(clang_getCursorType(F));
  if (clang_isFunctionTypeVariadic(Type))
    return fail("'" + Function +
                "' takes variable arguments; wrap it in a function that "
                "passes fixed ones");
  S.Name = take(clang_getCursorSpelling(F));
  for (CXCursor P = clang_getCursorSemanticParent(F);
       !clang_Cursor_isNull(P) && !clang_isTranslationUnit(P.kind) &&
       !clang_isInvalid(P.kind);
       P = clang_getCursorSemanticParent(P))
    if (std::string Outer = take(clang_getCursorSpelling(P));
        !Outer.empty() && Outer.front() != '(')
      S.Name = Outer + "::" + S.Name;

  CXType Result = clang_getCursorResultType(F),
         Plain = clang_getCanonicalType(Result);
  std::optional<NumberKind> Kind = numberKind(Plain);
  if (Plain.kind != CXType_Void && (!Kind || *Kind == NumberKind::Integer))
    return fail(
        "'" + Function + "' returns '" + take(clang_getTypeSpelling(Result)) +
        "', not a floating-point number; wrap it in a function that returns "
        "the number "
        "to differentiate, or that returns void and writes through a pointer");
  S.Result = Plain.kind == CXType_Void ? "void" : unqualifiedSpelling(Result);

  std::string Types, Declared;
  bool Output = S.Result != "void", Input = false;
  for (int I = 0; I < clang_Cursor_getNumArguments(F); ++I) {
    Expected<Parameter> P =
        readParameter(clang_Cursor_getArgument(F, unsigned(I)),
                      clang_getArgType(Type, unsigned(I)), unsigned(I), For);
    if (!P)
      return P.takeError();
    Types += (I ? ", " : "") +
             canonicalSpelling(clang_getArgType(Type, unsigned(I)));
    bool Glued = P->Spelling.back() == '*' || P->Spelling.back() == '&';
    Declared += (I ? ", " : "") + P->Spelling + (Glued ? "" : " ") + P->Name;
    Input |= P->isFloating();
    Output |= P->isFloating() && P->How != Passing::Value && !P->ReadOnly;
    if (Kernel && P->How != Passing::Pointer &&
        (P->How != Passing::Value || P->Leaves[0].Path != ""))
      return fail("parameter '" + P->Name +
                  "' of a kernel must be a number or a pointer");
    S.Parameters.push_back(std::move(*P));
  }
  std::string Returned = take(clang_getTypeSpelling(Result));
  S.PointerType = canonicalSpelling(Result) + " (*)(" +
                  (Types.empty() ? "void" : Types) + ")";
  S.Declaration = Returned + " " + S.Name + "(" + Declared + ")";
  if (!Input)
    return fail("'" + Function +
                "' has no floating-point parameter to differentiate with "
                "respect to");
  if (!Output)
    return fail("'" + Function +
                "' returns nothing and writes through no pointer; there is "
                "nothing to differentiate");
  return S;
}
