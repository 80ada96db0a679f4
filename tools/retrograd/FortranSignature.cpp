//===- FortranSignature.cpp - a bind(C) procedure, from flang's symbols ---===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `flang -fc1 -fdebug-dump-symbols` lists every symbol of a file with its
// attributes, type, shape and intent:
//
//   energy, BIND(C), PUBLIC (Function): Subprogram bindName:energy
//       result:REAL(8) energy (REAL(8) x,INTEGER(4) n)
//   Subprogram scope: energy size=144 ...
//     n, VALUE size=4 offset=8: ObjectEntity dummy type: INTEGER(4)
//     x, INTENT(IN) size=48 ...: ObjectEntity dummy type: REAL(8) shape: 1_8:n
//
//===----------------------------------------------------------------------===//

#include "Signature.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

using namespace llvm;
using namespace retrograd;

namespace {

Error fail(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

/// The C type of "REAL(8)"; empty where there is none that we support.
std::string cType(StringRef Type) {
  for (auto [Fortran, C] : {std::pair("REAL(8)", "double"),
                            {"REAL(4)", "float"},
                            {"INTEGER(1)", "signed char"},
                            {"INTEGER(2)", "short"},
                            {"INTEGER(4)", "int"},
                            {"INTEGER(8)", "long"},
                            {"LOGICAL(1)", "_Bool"}})
    if (Type == Fortran)
      return C;
  return "";
}

uint64_t sizeOf(StringRef Type) {
  uint64_t Size = 0;
  Type.split('(').second.trim(")").getAsInteger(10, Size);
  return Size;
}

/// "1_8:int(n,kind=8),1_8:3_8" -> "n*3". Empty where the source does not say.
std::string lengthOf(StringRef Shape) {
  std::string Length;
  int Depth = 0;
  size_t Start = 0;
  for (size_t I = 0; I <= Shape.size(); ++I) {
    char C = I < Shape.size() ? Shape[I] : ',';
    Depth += C == '(' ? 1 : C == ')' ? -1 : 0;
    if (C != ',' || Depth)
      continue;
    auto [Low, High] = Shape.slice(Start, I).split(':');
    Start = I + 1;
    if (Low.trim() != "1_8" || High.empty() || High.trim() == "*")
      return "";
    std::string Extent = High.trim().str();
    // Kinds and conversions of kinds mean nothing outside of Fortran.
    for (Regex R("int\\(([a-z0-9_+*-]+),kind=[0-9]+\\)"); R.match(Extent);)
      Extent = R.sub("(\\1)", Extent);
    for (Regex R("([0-9])_[0-9]+"); R.match(Extent);)
      Extent = R.sub("\\1", Extent);
    if (!Regex("^[a-z0-9_+*()-]+$").match(Extent))
      return "";
    Length +=
        (Length.empty() ? "" : "*") +
        (isAlnum(Extent[0]) && Extent.find_first_of("+-") == std::string::npos
             ? Extent
             : "(" + Extent + ")");
  }
  return Length;
}

/// What flang prints for one of its -fdebug-dump- flags.
Expected<std::string> dump(StringRef What, const std::string &File,
                           ArrayRef<std::string> Flags) {
  ErrorOr<std::string> Flang =
      sys::findProgramByName("flang-22", {"/usr/lib/llvm-22/bin"});
  if (!Flang)
    Flang = sys::findProgramByName("flang-22");
  if (!Flang)
    Flang = sys::findProgramByName("flang", {"/usr/lib/llvm-22/bin"});
  if (!Flang)
    return fail("flang 22 is missing, which reads Fortran (Debian: apt-get "
                "install flang-22)");
  SmallString<128> Output, Errors, Modules;
  if (sys::fs::createTemporaryFile("retrograd-symbols", "txt", Output) ||
      sys::fs::createTemporaryFile("retrograd-symbols", "err", Errors) ||
      sys::fs::createUniqueDirectory("retrograd-modules", Modules))
    return fail("cannot write a temporary file");
  std::vector<StringRef> Words{*Flang, "-fc1",        What,
                               File,   "-module-dir", Modules};
  for (const std::string &Flag : Flags)
    if (StringRef(Flag).starts_with("-D") ||
        StringRef(Flag).starts_with("-I") || StringRef(Flag).starts_with("-U"))
      Words.push_back(Flag);
  int Status =
      sys::ExecuteAndWait(*Flang, Words, std::nullopt,
                          {std::nullopt, StringRef(Output), StringRef(Errors)});
  std::string Text, Said;
  if (auto Buffer = MemoryBuffer::getFile(Output))
    Text = (*Buffer)->getBuffer().str();
  if (auto Buffer = MemoryBuffer::getFile(Errors))
    Said = (*Buffer)->getBuffer().str();
  (void)sys::fs::remove(Output);
  (void)sys::fs::remove(Errors);
  (void)sys::fs::remove_directories(Modules);
  if (Status)
    return fail("'" + File +
                "' does not compile; flags for it go after '--'\n" + Said);
  return Text;
}

} // namespace

Expected<std::vector<std::string>>
retrograd::fortranInputs(const std::string &File, ArrayRef<std::string> Flags) {
  Expected<std::string> Sources = dump("-fdebug-dump-provenance", File, Flags);
  if (!Sources)
    return Sources.takeError();
  Expected<std::string> Symbols = dump("-fdebug-dump-symbols", File, Flags);
  if (!Symbols)
    return Symbols.takeError();
  std::vector<std::string> Inputs;
  SmallVector<StringRef> Lines, M;
  StringRef(*Sources).split(Lines, '\n');
  for (StringRef Line : Lines)
    if (Line.consume_front("SourceFile '") && Line.consume_back("'"))
      Inputs.push_back(Line.str());

  // Modules of the compiler are in none of these folders.
  std::vector<StringRef> Folders{"."};
  for (const std::string &Flag : Flags)
    if (StringRef(Flag).starts_with("-I"))
      Folders.push_back(StringRef(Flag).drop_front(2));
  Lines.clear();
  StringRef(*Symbols).split(Lines, '\n');
  for (StringRef Line : Lines)
    if (Regex("^ +([a-z0-9_]+)[^:]* \\(ModFile[^:]*\\): Module")
            .match(Line, &M))
      for (StringRef Folder : Folders) {
        SmallString<128> Path(Folder);
        sys::path::append(Path, M[1] + ".mod");
        if (sys::fs::exists(Path)) {
          Inputs.push_back(Path.str().str());
          break;
        }
      }
  return Inputs;
}

Expected<Signature>
retrograd::readFortranSignature(const std::string &File,
                                const std::string &Procedure,
                                ArrayRef<std::string> Flags) {
  Expected<std::string> Listed = dump("-fdebug-dump-symbols", File, Flags);
  if (!Listed)
    return Listed.takeError();
  std::string Wanted = StringRef(Procedure).lower();
  SmallVector<StringRef> Lines;
  StringRef(*Listed).split(Lines, '\n');

  // The procedure's own line: attributes, the name for C, the result.
  Regex Own("^ +([a-z0-9_]+), ([^:]*)\\((Function|Subroutine)\\): Subprogram "
            "(bindName:([^ ]+) )?(result:([A-Z]+\\([0-9]+\\)) [a-z0-9_]+ "
            ")?\\((.*)\\)$");
  Regex Unbound("^ +([a-z0-9_]+)(, [^:]*)? ?\\((Function|Subroutine)\\): "
                "Subprogram .*\\((.*)\\)$");
  Signature S;
  S.Fortran = true;
  std::string Known, Arguments, Name;
  bool Seen = false;
  for (StringRef Line : Lines) {
    SmallVector<StringRef> M;
    if (Line.contains("HostAssoc") || Line.contains("Use from"))
      continue;
    if (Own.match(Line, &M) && M[2].contains("BIND(C)")) {
      if (M[1] != Wanted && M[5] != Procedure) {
        Known += (Known.empty() ? "" : ", ") + M[1].str();
        continue;
      }
      Name = M[1].str();
      S.Name = M[5].empty() ? Name : M[5].str();
      S.Result = M[7].empty() ? "void" : cType(M[7]);
      Arguments = M[8].str();
      if (M[3] == "Function" && S.Result != "double" && S.Result != "float")
        return fail("'" + Procedure + "' returns '" + M[7] +
                    "', not a real(4) or real(8) number");
      break;
    }
    if (Unbound.match(Line, &M) && M[1] == Wanted)
      Seen = true;
  }
  if (S.Name.empty())
    return fail(Seen ? "'" + Procedure +
                           "' has no bind(C); add it to the procedure, so that "
                           "its arguments are passed as they are declared"
                     : "there is no bind(C) procedure '" + Procedure +
                           "' in '" + File + "'" +
                           (Known.empty() ? "" : "; it has: " + Known));

  // Its arguments, in order; each has a line in the procedure's scope.
  SmallVector<StringRef> Words;
  StringRef(Arguments).split(Words, ',', -1, false);
  std::string Declared;
  bool Input = false, Output = S.Result != "void";
  for (StringRef Word : Words) {
    auto [Type, Argument] = Word.trim().rsplit(' ');
    Parameter P;
    P.Name = Argument.str();
    P.Spelling = Type.lower();
    std::string Element = cType(Type);
    if (Element.empty())
      return fail("argument '" + Argument + "' of type '" + Type +
                  "' is not supported; real, integer and logical(1) numbers "
                  "and arrays of them are");
    bool Inside = false, Found = false;
    StringRef Attributes, Shape;
    for (StringRef Line : Lines) {
      StringRef Trimmed = Line.trim();
      if (Trimmed.contains(" scope: "))
        Inside = Trimmed.starts_with("Subprogram scope: " + Name + " ");
      if (!Inside || !Trimmed.consume_front(Argument) ||
          !Trimmed.contains(" dummy ") ||
          (!Trimmed.starts_with(",") && !Trimmed.starts_with(" ") &&
           !Trimmed.starts_with(":")))
        continue;
      Found = true;
      Attributes = Trimmed.split(": ObjectEntity").first;
      Shape = Trimmed.split(" shape: ").second.trim();
      break;
    }
    if (!Found)
      return fail("cannot read the declaration of argument '" + Argument + "'");
    if (Attributes.contains("ALLOCATABLE") || Attributes.contains("POINTER") ||
        Attributes.contains("OPTIONAL") || Shape == ":" ||
        Shape.starts_with(":,"))
      return fail("argument '" + Argument +
                  "' is passed by descriptor or optional; give it an explicit "
                  "shape, as in x(n)");
    P.How = Attributes.contains("VALUE") ? Passing::Value
            : Shape.empty()              ? Passing::Reference
                                         : Passing::Pointer;
    P.ReadOnly = P.How != Passing::Value && Attributes.contains("INTENT(IN)");
    P.WriteOnly = Attributes.contains("INTENT(OUT)");
    P.Length = lengthOf(Shape);
    P.Element = Element;
    P.ElementBytes = sizeOf(Type);
    P.Leaves = {{"",
                 Element == "double"  ? NumberKind::Double
                 : Element == "float" ? NumberKind::Float
                                      : NumberKind::Integer,
                 0, Element}};
    Input |= P.isFloating();
    Output |= P.isFloating() && P.How != Passing::Value && !P.ReadOnly;
    Declared += (S.Parameters.empty() ? "" : ", ") + P.Name;
    S.Parameters.push_back(std::move(P));
  }
  S.Declaration = S.Name + "(" + Declared + ")";
  if (!Input || !Output)
    return fail("'" + Procedure + "' has no " +
                (Input ? "result or argument that it could write"
                       : "real argument to differentiate with respect to"));
  return S;
}
