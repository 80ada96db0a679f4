//===- DiagnosticEngine.cpp - the only voice that users hear --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM has one way to the user, LLVMContext::diagnose, and each host (clang,
// opt, lld) shows each *class* of diagnostic differently. What clang 22 does:
//
//   DiagnosticInfoUnsupported   error or warning at the debug location; without
//                               one, at the function that the IR function was
//                               made from. Never a note.
//   DiagnosticInfoInlineAsm     any severity at a clang location cookie, which
//                               calls of functions declared with the `error`
//                               attribute carry as `!srcloc`, with or without
//                               -g.
//   DiagnosticInfoSrcMgr        any severity at a place in a buffer we provide.
//   our own plugin class        any severity, no location.
//
// So a message is delivered as the best of these that applies. `opt` has no
// handler at all: LLVMContext prints the first error and ends the process.
// There we print ourselves and leave the ending to finish().
//
//===----------------------------------------------------------------------===//

#include "Diagnostics/DiagnosticEngine.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

namespace {

struct DiagRecord {
  DiagKind Kind;
  const char *Code;
  const char *Text;
  const char *Advice;
};

constexpr DiagRecord Records[] = {
#define DIAGNOSTIC(Name, Code, Kind, Text, Advice)                             \
  {DiagKind::Kind, Code, Text, Advice},
#include "Diagnostics/Diagnostics.def"
};

const DiagRecord &recordOf(DiagId Id) {
  return Records[static_cast<unsigned>(Id)];
}

/// A note without a location: the only class of ours, and so printable by any
/// host, since all of them know what to do with a plugin's diagnostic.
class PlainDiagnostic final : public DiagnosticInfo {
public:
  PlainDiagnostic(DiagnosticSeverity Severity, StringRef Text)
      : DiagnosticInfo(kind(), Severity), Text(Text) {}
  void print(DiagnosticPrinter &DP) const override { DP << Text; }

private:
  static int kind() {
    static const int Kind = getNextAvailablePluginDiagnosticKind();
    return Kind;
  }
  StringRef Text;
};

/// LLVM's own text adds the function's IR type, which says nothing to users.
class LocatedDiagnostic final : public DiagnosticInfoUnsupported {
public:
  LocatedDiagnostic(const Function &F, const Twine &Text,
                    const DiagnosticLocation &Loc, DiagnosticSeverity Severity)
      : DiagnosticInfoUnsupported(F, Text, Loc, Severity) {}
  void print(DiagnosticPrinter &DP) const override {
    if (isLocationAvailable())
      DP << getLocationStr() << ": ";
    DP << getMessage();
  }
};

std::string expand(StringRef Format, ArrayRef<DiagArg> Args) {
  std::string Result;
  while (!Format.empty()) {
    size_t Brace = Format.find('{');
    Result += Format.substr(0, Brace);
    if (Brace == StringRef::npos)
      break;
    Format = Format.substr(Brace + 1);
    unsigned Index = 0;
    [[maybe_unused]] bool Bad = Format.consumeInteger(10, Index);
    assert(!Bad && Index < Args.size() &&
           "message refers to an argument it was not given");
    if (Index < Args.size())
      Result += Args[Index].Text;
    Format.consume_front("}");
  }
  return Result;
}

} // namespace

DiagKind retrograd::kindOf(DiagId Id) { return recordOf(Id).Kind; }

std::string retrograd::textOf(DiagId Id, ArrayRef<DiagArg> Args) {
  const DiagRecord &R = recordOf(Id);
  std::string Text = expand(R.Text, Args) + " [" + R.Code + "]";
  return *R.Advice ? Text + "\nretrograd: " + expand(R.Advice, Args) : Text;
}

DiagArg::DiagArg(const Value *V) {
  if (auto *F = dyn_cast_or_null<Function>(V)) {
    Text = userName(*F);
    return;
  }
  raw_string_ostream OS(Text);
  if (!V)
    OS << "<none>";
  else if (auto *I = dyn_cast<Instruction>(V); I && I->getType()->isVoidTy())
    OS << *I;
  else
    V->printAsOperand(OS, /*PrintType=*/true);
}

DiagArg::DiagArg(const Type *T) {
  raw_string_ostream OS(Text);
  T->print(OS, /*IsForDebug=*/false, /*NoDetails=*/true);
}

DiagnosticEngine::DiagnosticEngine(Module &M, Voice V)
    : M(M), How(V), Sources(std::make_unique<SourceMgr>()) {}
DiagnosticEngine::~DiagnosticEngine() = default;

/// The host's own handler, asked directly: LLVMContext::diagnose would end the
/// process after the first error that nobody takes.
static bool takenByHost(LLVMContext &Context, const DiagnosticInfo &Info) {
  auto *Handler = const_cast<DiagnosticHandler *>(Context.getDiagHandlerPtr());
  if (!Handler)
    return false;
  if (Info.getSeverity() == DS_Error)
    Handler->HasErrors = true;
  return Handler->handleDiagnostics(Info);
}

void DiagnosticEngine::deliver(DiagnosticSeverity Severity,
                               const SourcePlace *Place, const Twine &Text) {
  LLVMContext &Context = M.getContext();
  std::string Message = Text.str();

  auto Tell = [&](const DiagnosticInfo &Info) {
    if (takenByHost(Context, Info))
      return;
    errs() << (Severity == DS_Error     ? "error: "
               : Severity == DS_Warning ? "warning: "
                                        : "note: ");
    DiagnosticPrinterRawOStream Printer(errs());
    Info.print(Printer);
    errs() << '\n';
    Untaken += Severity == DS_Error;
  };

  if (Place && !Place->Debug.isValid() && Place->Cookie && How != InLinker)
    return Tell(DiagnosticInfoInlineAsm(Place->Cookie, Message, Severity));

  // A module of several files has no name: what clang is given as IR, it takes
  // such a note for one of inline assembly.
  if (Place && Severity == DS_Note && Place->Debug.isValid() &&
      !M.getSourceFileName().empty()) {
    // A buffer of our own gives the note a place in clang. Where the file
    // cannot be read (stdin, headers inside the compiler) the place is spelled
    // out.
    const DiagnosticLocation &Loc = Place->Debug;
    std::string Path = Loc.getRelativePath().str();
    auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/true);
    if (!Buffer) {
      Path = Loc.getAbsolutePath();
      Buffer = MemoryBuffer::getFile(Path, /*IsText=*/true);
    }
    if (Buffer) {
      unsigned Id = Sources->AddNewSourceBuffer(std::move(*Buffer), SMLoc());
      SMLoc At = Sources->FindLocForLineAndColumn(
          Id, Loc.getLine(), std::max(1u, Loc.getColumn()));
      if (At.isValid()) {
        SMDiagnostic Located =
            Sources->GetMessage(At, SourceMgr::DK_Note, Message);
        DiagnosticInfoSrcMgr Info(Located, M.getName(),
                                  /*InlineAsmDiag=*/false);
        if (takenByHost(Context, Info))
          return;
      }
    }
  }

  const Function *Around = nullptr;
  if (Place && Severity != DS_Note)
    Around = M.getFunction(Place->Symbol);
  if (Around)
    return Tell(LocatedDiagnostic(*Around, Message, Place->Debug, Severity));

  std::string Spelled = Place ? Place->str() : "";
  Tell(PlainDiagnostic(Severity,
                       Spelled.empty() ? Message : Spelled + ": " + Message));
}

void DiagnosticEngine::report(DiagId Id, const Instruction *At,
                              const RequestTrail &Trail,
                              ArrayRef<DiagArg> Args) {
  const DiagRecord &Record = recordOf(Id);
  std::string Text = expand(Record.Text, Args);
  SourcePlace Place = At ? SourcePlace(*At) : SourcePlace();
  ArrayRef<RequestTrail::Step> Steps = Trail.steps();
  const SourcePlace *Top = !Steps.empty() ? &Steps.front().Place
                           : At           ? &Place
                                          : nullptr;

  DiagnosticSeverity Severity =
      Record.Kind == DiagKind::Warning ? DS_Warning : DS_Error;
  if (Record.Kind == DiagKind::Note) {
    // Clang swallows notes that follow no other message.
    if (How != Silent)
      errs() << "note: " << Text << " [" << Record.Code << "]\n";
    return;
  }
  if (Severity == DS_Error)
    ++Errors;
  if (!reported(Id))
    Reported.push_back(Id);
  if (How == Silent)
    return;
  if (!Told.insert((Text + "@" + (Top ? Top->str() + Top->Function : "") +
                    Place.str())
                       .c_str())
           .second)
    return;

  std::string Where;
  if (How == InLinker && Top && !Top->Debug.isValid())
    Where = "in '" + Top->Function + "': ";
  deliver(Severity, Top, Where + Text + " [" + Record.Code + "]");

  // The way down, at most six lines of it: the first ones and the last ones say
  // more than the middle of a deep recursion.
  constexpr size_t Head = 3, Tail = 2;
  for (size_t I = 1; I < Steps.size(); ++I) {
    if (I > Head && I + Tail < Steps.size()) {
      deliver(DS_Note, nullptr,
              "... " + Twine(Steps.size() - Head - Tail - 1) +
                  " more call(s) ...");
      I = Steps.size() - Tail - 1;
      continue;
    }
    deliver(DS_Note, &Steps[I].Place,
            "in the derivative of '" + Steps[I].Callee + "', called from '" +
                Steps[I].Place.Function + "'");
  }
  // At the entry call itself there is nothing further down.
  bool Deeper =
      At && !Steps.empty() &&
      (Place.Symbol != Steps.front().Place.Symbol || Place.str() != Top->str());
  if (Deeper)
    deliver(DS_Note, &Place, "it is here, in '" + Place.Function + "'");
  if (*Record.Advice)
    deliver(DS_Note, nullptr, expand(Record.Advice, Args));
}

void DiagnosticEngine::remark(StringRef Name, const Instruction &At,
                              const Twine &Text) {
  if (How == Silent)
    return;
  std::string Message = Text.str();
  OptimizationRemarkAnalysis Remark("retrograd", Name, &At);
  Remark << Message;
  M.getContext().diagnose(Remark);
}

void DiagnosticEngine::finish() {
  if (!Untaken)
    return;
  std::string Text =
      std::to_string(Untaken) + " derivative(s) could not be made";
  Untaken = 0;
  M.getContext().diagnose(PlainDiagnostic(DS_Error, Text));
}
