//===- ExportCommand.cpp - a library that other languages call ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generated source includes the user's file, wraps the function in one
// whose parameters are addresses, and writes each derivative as a function that
// consists of one entry call on the step before. All levels are ordinary
// functions, so a step may be taken from any of them.
//
//===----------------------------------------------------------------------===//

#include "ExportCommand.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

namespace {

int complain(const Twine &Message) {
  errs() << "retrograd: " << Message << "\n";
  return 2;
}

bool isFortran(StringRef File) {
  return StringSwitch<bool>(sys::path::extension(File).lower())
      .Cases({".f90", ".f95", ".f03", ".f08", ".f"}, true)
      .Default(false);
}

StringRef spell(Passing How) {
  switch (How) {
  case Passing::Value:
    return "value";
  case Passing::Pointer:
    return "pointer";
  case Passing::Reference:
    return "reference";
  case Passing::Vector:
    return "vector";
  case Passing::Span:
    return "span";
  case Passing::Eigen:
    return "eigen";
  }
  return "";
}

StringRef spell(NumberKind K) {
  switch (K) {
  case NumberKind::Float:
    return "float";
  case NumberKind::Double:
    return "double";
  case NumberKind::LongDouble:
    return "long double";
  case NumberKind::Integer:
    return "integer";
  }
  return "";
}

bool isActive(const Parameter &P, const Signature &F, const ExportSettings &S) {
  // A kernel's numbers by value belong to all threads: they have no place for a
  // derivative.
  return P.isFloating() && !S.Constants.count(P.Name) &&
         !(F.Kernel && P.How == Passing::Value);
}

json::Value
describe(const Signature &F, const ExportSettings &S, StringRef Target,
         const std::vector<std::pair<std::string, std::string>> &Entries) {
  json::Array Parameters;
  for (const Parameter &P : F.Parameters) {
    json::Array Leaves;
    for (const Leaf &L : P.Leaves)
      Leaves.push_back(json::Object{{"path", L.Path},
                                    {"kind", spell(L.Kind)},
                                    {"type", L.Type},
                                    {"offset", int64_t(L.Offset)}});
    Parameters.push_back(
        json::Object{{"name", P.Name},
                     {"type", P.Spelling},
                     {"passing", spell(P.How)},
                     {"element", P.Element},
                     {"bytes", int64_t(P.ElementBytes)},
                     {"readonly", P.How == Passing::Value || P.ReadOnly},
                     {"writeonly", P.WriteOnly},
                     {"extent", int64_t(P.Extent)},
                     {"length", P.Length},
                     {"active", isActive(P, F, S)},
                     {"numbers", std::move(Leaves)}});
  }
  json::Object Symbols;
  for (const auto &[Steps, Symbol] : Entries)
    Symbols[Steps] = Symbol;
  return json::Object{{"name", F.Name},
                      {"declaration", F.Declaration},
                      {"result", F.Result},
                      {"kernel", F.Kernel},
                      {"target", Target},
                      {"parameters", std::move(Parameters)},
                      {"entries", std::move(Symbols)}};
}

/// The source that is generated for one function.
class Wrapper {
public:
  Wrapper(raw_ostream &OS, const Signature &F, const ExportSettings &S,
          unsigned Number, bool Cuda)
      : OS(OS), F(F), S(S), Cuda(Cuda),
        Prefix("rg_" + std::to_string(Number) + "_") {
    if (F.Result != "void")
      Base.push_back({-1, true});
    for (size_t I = 0; I < F.Parameters.size(); ++I)
      Base.push_back({int(I), isActive(F.Parameters[I], F, S)});
  }

  /// Writes everything; the names of the entries by their steps.
  std::vector<std::pair<std::string, std::string>> emit() {
    emitTypes();
    if (!F.Kernel)
      emitValue();
    std::set<std::string> Done;
    std::vector<std::pair<std::string, std::string>> Entries;
    emitEntry("value", Entries);
    for (const std::string &Steps : S.Derivatives) {
      // Every step on the way is a function.
      for (size_t At = 0; At != std::string::npos;) {
        At = Steps.find('.', At + 1);
        if (std::string Part = Steps.substr(0, At); Done.insert(Part).second)
          emitStep(Part);
      }
      emitEntry(Steps, Entries);
    }
    return Entries;
  }

private:
  struct Slot {
    int Parameter; ///< -1: the result
    bool Active;
  };

  const Parameter *parameter(const Slot &X) const {
    return X.Parameter < 0 ? nullptr : &F.Parameters[size_t(X.Parameter)];
  }

  std::string type(const Slot &X) const {
    return Prefix +
           (X.Parameter < 0 ? "result" : "type" + std::to_string(X.Parameter));
  }

  void emitTypes() {
    if (F.Result != "void")
      OS << "typedef " << F.Result << " " << Prefix << "result;\n";
    for (size_t I = 0; I < F.Parameters.size(); ++I)
      OS << "typedef __typeof__(" << F.Parameters[I].Element << ") " << Prefix
         << "type" << I << ";\n";
    if (F.Fortran) {
      OS << "extern " << F.Result << " " << F.Name << "(";
      for (size_t I = 0; I < F.Parameters.size(); ++I) {
        const Parameter &P = F.Parameters[I];
        OS << (I ? ", " : "") << (P.ReadOnly ? "const " : "") << P.Element
           << (P.How == Passing::Value ? "" : " *");
      }
      OS << (F.Parameters.empty() ? "void" : "") << ");\n";
    }
  }

  std::string functionOf(StringRef Steps) const {
    std::string Name = Prefix + Steps.str();
    std::replace(Name.begin(), Name.end(), '.', '_');
    return Steps == "value" && F.Kernel ? F.Name : Name;
  }

  /// The function with all its parameters as addresses. The result's is of
  /// memory that nothing else leads to. Without that promise, everything that
  /// the function reads counts as overwritten when it returns.
  void emitValue() {
    OS << "static void " << functionOf("value") << "(const long long *n";
    for (size_t I = 0; I < Base.size(); ++I) {
      const Parameter *P = parameter(Base[I]);
      OS << ", "
         << (P && (P->How == Passing::Value || P->ReadOnly) ? "const " : "")
         << type(Base[I]) << (P ? " *s" : " *__restrict s") << I;
    }
    OS << ") {\n";
    std::string Call, After;
    for (size_t I = 0; I < Base.size(); ++I) {
      const Parameter *P = parameter(Base[I]);
      if (!P)
        continue;
      std::string N = std::to_string(I), Memory = "s" + N,
                  Length = "n[" + N + "]", Local = "v" + N;
      if (P->Extent)
        OS << "  if (" << Length << " != " << P->Extent
           << ") throw rg_wrong_length();\n";
      std::string Argument;
      switch (P->How) {
      case Passing::Value:
        Argument = "*" + Memory;
        break;
      case Passing::Pointer:
        Argument = F.CPlusPlus && !F.Kernel ? Memory : "(void *)" + Memory;
        break;
      case Passing::Reference:
        Argument = F.Fortran ? "(void *)" + Memory : "*" + Memory;
        break;
      case Passing::Vector:
        OS << "  " << P->View << " " << Local << "(" << Memory << ", " << Memory
           << " + " << Length << ");\n";
        Argument = (P->ByPointer ? "&" : "") + Local;
        if (!P->ReadOnly)
          After += "  if ((long long)" + Local + ".size() != " + Length +
                   ") throw rg_wrong_length();\n  for (long long i = 0; i < " +
                   Length + "; ++i) " + Memory + "[i] = " + Local + "[i];\n";
        break;
      case Passing::Span:
        OS << "  " << P->View << " " << Local << "(" << Memory << ", (size_t)"
           << Length << ");\n";
        Argument = Local;
        break;
      case Passing::Eigen: {
        std::string Map = std::string("Eigen::Map<") +
                          (P->ReadOnly ? "const " : "") + P->View + ">";
        OS << "  " << Map << " m" << N << "(" << Memory
           << (P->Extent ? "" : ", " + Length) << ");\n";
        Argument = "m" + N;
        // A plain vector that the function may write to is its own memory.
        if (!P->ReadOnly && !P->ByPointer &&
            StringRef(P->Spelling).contains("&") &&
            !StringRef(P->Spelling).contains("Ref<")) {
          OS << "  " << P->View << " " << Local << " = m" << N << ";\n";
          Argument = Local;
          After += "  if (" + Local + ".size() != " + Length +
                   ") throw rg_wrong_length();\n  m" + N + " = " + Local +
                   ";\n";
        }
        break;
      }
      }
      Call += (Call.empty() ? "" : ", ") + Argument;
    }
    OS << "  " << (F.Result == "void" ? "" : "*s0 = ")
       << (F.CPlusPlus ? "static_cast<" + F.PointerType + ">(" + F.Name + ")"
                       : F.Name)
       << "(" << Call << ");\n"
       << After << "}\n";
  }

  /// A step's slots: those of the step before, then shadows of the active ones.
  std::vector<Slot> slots(StringRef Steps) const {
    std::vector<Slot> List = Base;
    if (Steps == "value")
      return List;
    for (size_t Left = Steps.count('.') + 1; Left; --Left) {
      std::vector<Slot> Before = List;
      for (const Slot &X : Before)
        if (X.Active)
          List.push_back(X);
    }
    return List;
  }

  bool byValue(const Slot &X) const {
    return F.Kernel && parameter(X)->How == Passing::Value;
  }

  void emitStep(const std::string &Steps) {
    auto [Outer, Step] = StringRef(Steps).rsplit('.');
    if (Step.empty())
      Step = Outer, Outer = "value";
    std::vector<Slot> Before = slots(Outer), All = slots(Steps);
    OS << (F.Kernel ? "static __global__ void " : "static void ")
       << functionOf(Steps) << "(" << (F.Kernel ? "" : "const long long *n");
    for (size_t I = 0; I < All.size(); ++I)
      OS << (I || !F.Kernel ? ", " : "")
         << (byValue(All[I]) ? type(All[I]) + " s" : "void *s") << I;
    OS << ") {\n  "
       << (Step == "rev" ? "__enzyme_autodiff_rg" : "__enzyme_fwddiff_rg")
       << "((void *)" << functionOf(Outer)
       << (Step == "pat" ? ", " + mark("enzyme_pattern") : "")
       << (F.Kernel ? "" : ", " + mark("enzyme_const") + ", n");
    for (size_t I = 0, Shadow = Before.size(); I < Before.size(); ++I) {
      OS << ", " << mark(Before[I].Active ? "enzyme_dup" : "enzyme_const")
         << ", s" << I;
      if (Before[I].Active)
        OS << ", s" << Shadow++;
    }
    OS << ");\n}\n";
  }

  std::string mark(StringRef Marker) const {
    return (F.CPlusPlus && !F.Kernel ? "rg_markers::" : "") + Marker.str();
  }

  /// How far the caller's arrays reach. Launches in the function keep and put
  /// back what they overwrite, and CUDA may know less, or a pool with arrays of
  /// others.
  void nameMemory(ArrayRef<Slot> All) {
    OS << "  rg_arguments held;\n";
    for (size_t I = 0; I < All.size(); ++I)
      if (const Parameter *P = parameter(All[I]);
          P && (P->How == Passing::Pointer || P->How == Passing::Span))
        OS << "  rg_device_argument(s[" << I << "], n[" << baseOf(All[I])
           << "] * sizeof(" << type(All[I]) << "));\n";
  }

  /// The slot of the function itself that a shadow belongs to.
  size_t baseOf(const Slot &X) const {
    return size_t(
        find_if(Base,
                [&](const Slot &B) { return B.Parameter == X.Parameter; }) -
        Base.begin());
  }

  void emitEntry(const std::string &Steps,
                 std::vector<std::pair<std::string, std::string>> &Entries) {
    std::string Symbol = Prefix + "entry_" + Steps;
    std::replace(Symbol.begin(), Symbol.end(), '.', '_');
    Entries.emplace_back(Steps, Symbol);
    std::vector<Slot> All = slots(Steps);
    OS << (F.CPlusPlus ? "extern \"C\" " : "")
       << "__attribute__((visibility(\"default\"))) int " << Symbol
       << "(void *const *s, const long long *n, char *message) {\n"
       << (F.CPlusPlus ? "  try {\n" : "");
    if (Cuda && !F.Kernel && Steps != "value")
      nameMemory(All);
    OS << "  " << functionOf(Steps);
    auto Launch = [&](unsigned K) {
      return "n[" + std::to_string(Base.size() + K) + "]";
    };
    if (F.Kernel)
      OS << "<<<dim3(" << Launch(0) << ", " << Launch(1) << ", " << Launch(2)
         << "), dim3(" << Launch(3) << ", " << Launch(4) << ", " << Launch(5)
         << "), " << Launch(6) << ", (cudaStream_t)" << Launch(7) << ">>>(";
    else
      OS << "(n";
    for (size_t I = 0; I < All.size(); ++I) {
      const Parameter *P = parameter(All[I]);
      OS << (I || !F.Kernel ? ", " : "");
      if (byValue(All[I]))
        OS << "*(const " << type(All[I]) << " *)s[" << I << "]";
      else if (Steps == "value")
        OS << "(" << (P && P->ReadOnly ? "const " : "") << type(All[I])
           << " *)s[" << I << "]";
      else
        OS << "s[" << I << "]";
    }
    OS << ");\n";
    if (F.Kernel)
      OS << "  cudaError_t e = cudaGetLastError();\n"
            "  if (!e && "
         << Launch(8) << ") e = cudaStreamSynchronize((cudaStream_t)"
         << Launch(7)
         << ");\n"
            "  if (!e) return 0;\n"
            "  rg_tell(message, cudaGetErrorString(e));\n  return 1;\n";
    else
      OS << "  return 0;\n";
    if (F.CPlusPlus)
      OS << "  } catch (const rg_wrong_length &) {\n"
            "    rg_tell(message, \"a vector does not have the length that the "
            "function needs, or the function has changed its length\");\n"
            "  } catch (const std::exception &e) {\n"
            "    rg_tell(message, e.what());\n"
            "  } catch (...) {\n"
            "    rg_tell(message, \"an exception that is no "
            "std::exception\");\n  }\n  return 1;\n";
    OS << "}\n";
  }

  raw_ostream &OS;
  const Signature &F;
  const ExportSettings &S;
  bool Cuda;
  std::string Prefix;
  std::vector<Slot> Base;
};

void emitHead(raw_ostream &OS, const Invocation &I, const Signature &F) {
  if (!F.Fortran)
    OS << "#define main rg_main_of_the_user\n#include \"" << I.File
       << "\"\n#undef main\n";
  if (F.CPlusPlus)
    OS << "#include <cstring>\n#include <exception>\n"
          "namespace {\nstruct rg_wrong_length {};\n"
          "inline void rg_tell(char *to, const char *text) {\n"
          "  std::strncpy(to, text, 255);\n  to[255] = 0;\n}\n}\n";
  const char *Space = I.isCuda() ? "__device__ " : "";
  OS << Space << "void __enzyme_autodiff_rg(void *, ...);\n"
     << Space << "void __enzyme_fwddiff_rg(void *, ...);\n";
  if (I.isCuda())
    OS << "void __enzyme_autodiff_rg(void *, ...);\n"
          "void __enzyme_fwddiff_rg(void *, ...);\n"
          "extern __device__ int enzyme_dup, enzyme_const, enzyme_pattern;\n"
          "extern \"C\" void rg_device_argument(void *, unsigned long long);\n"
          "extern \"C\" void rg_device_arguments_end(void);\n"
          "namespace {\nstruct rg_arguments {\n"
          "  ~rg_arguments() { rg_device_arguments_end(); }\n};\n}\n";
  if (F.CPlusPlus)
    OS << "#undef enzyme_dup // macros of <retrograd/retrograd.h>\n"
          "#undef enzyme_const\n#undef enzyme_pattern\n"
          "namespace rg_markers { // the user's file may have its own\n"
          "int enzyme_dup, enzyme_const, enzyme_pattern;\n}\n";
  else
    OS << "extern int enzyme_dup, enzyme_const, enzyme_pattern;\n"
          "int enzyme_dup, enzyme_const, enzyme_pattern;\n";
}

std::string inFolder(StringRef Folder, StringRef Name) {
  SmallString<256> Path(Folder);
  sys::path::append(Path, Name);
  return Path.str().str();
}

bool hasStandard(ArrayRef<std::string> Flags) {
  return any_of(Flags, [](StringRef F) { return F.starts_with("-std="); });
}

/// Runs a driver; its messages are the user's.
bool runDriver(const std::string &Driver, ArrayRef<std::string> Words) {
  std::vector<StringRef> All{Driver};
  All.insert(All.end(), Words.begin(), Words.end());
  std::string Problem;
  int Status =
      sys::ExecuteAndWait(Driver, All, std::nullopt, {}, 0, 0, &Problem);
  if (Status < 0)
    complain("cannot run " + Driver + ": " + Problem);
  return Status == 0;
}

/// The names of these files as a rule for make, which is what clang writes.
bool writeDependencies(const std::string &Path, StringRef Output,
                       ArrayRef<std::string> Files) {
  std::string Rule = Output.str() + ":";
  for (const std::string &File : Files) {
    Rule += " \\\n  ";
    for (char C : File) {
      if (C == ' ' || C == '#')
        Rule += '\\';
      Rule += C;
    }
  }
  return writeFile(Path, Rule + "\n");
}

bool isStep(StringRef Steps) {
  SmallVector<StringRef> Words;
  Steps.split(Words, '.');
  return all_of(Words, [](StringRef W) {
    return W == "rev" || W == "fwd" || W == "pat";
  });
}

} // namespace

int retrograd::exportCommand(const Invocation &I, const ExportSettings &S) {
  for (const std::string &Steps : S.Derivatives)
    if (!isStep(Steps))
      return complain("--derive wants steps 'rev' and 'fwd', joined by dots as "
                      "in rev.fwd, and got '" +
                      Steps + "'");
  bool Fortran = isFortran(I.File);
  bool CPlusPlus = !Fortran && sys::path::extension(I.File) != ".c";
  std::vector<std::string> Flags = readingFlags(I);
  if (CPlusPlus && !hasStandard(I.Flags))
    Flags.push_back("-std=gnu++20");
  Flags.insert(Flags.end(), I.Flags.begin(), I.Flags.end());

  std::vector<Signature> Functions;
  for (const std::string &Name : S.Functions) {
    Expected<Signature> F =
        Fortran ? readFortranSignature(I.File, Name, I.Flags)
                : readSignature(I.File, Name, Flags, Reader::Export);
    if (!F)
      return complain(toString(F.takeError()));
    Functions.push_back(std::move(*F));
  }
  for (const std::string &Name : S.Constants)
    if (none_of(Functions, [&](const Signature &F) {
          return any_of(F.Parameters,
                        [&](const Parameter &P) { return P.Name == Name; });
        }))
      return complain("there is no parameter '" + Name + "' (--const " + Name +
                      ")");

  std::string Source;
  raw_string_ostream OS(Source);
  emitHead(OS, I, Functions.front());
  json::Array Described;
  for (size_t K = 0; K < Functions.size(); ++K) {
    auto Entries = Wrapper(OS, Functions[K], S, unsigned(K), I.isCuda()).emit();
    Described.push_back(
        describe(Functions[K], S, I.OnGpu ? "gpu" : "cpu", Entries));
  }
  json::Value Description = json::Object{{"retrograd", RETROGRAD_VERSION},
                                         {"functions", std::move(Described)}};
  if (S.Output.empty()) {
    outs() << formatv("{0:2}", Description) << "\n";
    return 0;
  }
  OS << (CPlusPlus ? "extern \"C\" " : "")
     << "__attribute__((visibility(\"default\"), used)) const char "
        "rg_export_json[] = \"";
  for (char C : formatv("{0}", Description).str())
    if (C == '"' || C == '\\')
      OS << '\\' << C;
    else if (C == '?') // no trigraphs
      OS << "\\?";
    else
      OS << C;
  OS << "\";\n";

  SmallString<256> Folder;
  if (sys::fs::createUniqueDirectory("retrograd-export", Folder))
    return complain("cannot write a temporary file");
  std::string Glue = inFolder(Folder, I.isCuda()  ? "export.cu"
                                      : CPlusPlus ? "export.cpp"
                                                  : "export.c");
  bool Done = writeFile(Glue, Source);
  std::vector<std::string> Common{"-O2", "-fPIC"};
  std::string Driver =
      inFolder(I.BinDirectory, CPlusPlus ? "rg-clang++" : "rg-clang");
  if (CPlusPlus && !hasStandard(I.Flags))
    Common.push_back("-std=gnu++20");
  auto Words = [&](std::vector<std::string> List) {
    List.insert(List.begin(), Common.begin(), Common.end());
    return List;
  };
  auto WithUser = [&](std::vector<std::string> List) {
    List = Words(std::move(List));
    List.insert(List.end(), I.Flags.begin(), I.Flags.end());
    return List;
  };
  if (Fortran) {
    // The derivative is made by the linker, which sees both files.
    std::string Flang = inFolder(I.BinDirectory, "rg-flang");
    std::string Object = inFolder(Folder, "model.o"),
                Caller = inFolder(Folder, "export.o");
    Done =
        Done &&
        runDriver(Flang, WithUser({"-flto", "-c", I.File, "-J",
                                   Folder.str().str(), "-o", Object})) &&
        runDriver(Driver, Words({"-flto", "-w", "-c", Glue, "-o", Caller})) &&
        runDriver(Flang, WithUser({"-flto", "-shared", Object, Caller, "-o",
                                   S.Output}));
    if (Done && !S.Dependencies.empty()) {
      Expected<std::vector<std::string>> Inputs =
          fortranInputs(I.File, I.Flags);
      if (!Inputs)
        return complain(toString(Inputs.takeError()));
      Done = writeDependencies(S.Dependencies, S.Output, *Inputs);
    }
  } else {
    std::vector<std::string> List{"-shared", "-w", "-Wl,-Bsymbolic", Glue,
                                  "-lm",     "-o", S.Output};
    if (!S.Dependencies.empty())
      for (const char *Word : {"-MMD", "-MF", S.Dependencies.c_str()})
        List.push_back(Word);
    for (const std::string &Flag : targetFlags(I))
      List.push_back(Flag);
    Done = Done && runDriver(Driver, WithUser(std::move(List)));
  }
  if (I.Keep)
    errs() << "retrograd: the generated source is " << Glue << "\n";
  else
    (void)sys::fs::remove_directories(Folder);
  if (!Done)
    return complain("the library was not made: see the errors above");
  return 0;
}
