//===- Examination.cpp - functions of a file, checked apart ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Examination.h"
#include "CheckRun.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace retrograd;

/// The file that holds Of, and the name by which it is called there.
static std::pair<std::string, std::string>
locate(const Invocation &I, const Subject &Of, const Workplace &W) {
  if (Of.Caller.empty())
    return {I.File, Of.Function};
  std::string Path = W.file("caller" + sys::path::extension(I.File).str());
  writeFile(Path, "#include \"" + I.File + "\"\n" + Of.Caller);
  return {Path, "rg_caller"};
}

/// With what a function that calls another one of the file has to be compiled.
static std::vector<std::string> flagsFor(const Invocation &I,
                                         const Subject &Of) {
  std::vector<std::string> Flags = I.Flags;
  // A member may be private.
  if (!Of.Caller.empty() && !StringRef(I.File).ends_with(".c"))
    Flags.push_back("-fno-access-control");
  return Flags;
}

Findings retrograd::examine(const Invocation &I, const CheckSettings &S,
                            const Subject &Of) {
  Findings Found;
  Workplace W(false);
  SmallString<256> Self(I.BinDirectory);
  sys::path::append(Self, "retrograd");
  auto [File, Function] = locate(I, Of, W);
  std::vector<std::string> Flags = flagsFor(I, Of);
  std::vector<std::string> Words{"check",
                                 File,
                                 "--function",
                                 Function,
                                 "--no-doctor",
                                 "--twice",
                                 "--findings",
                                 "--points",
                                 std::to_string(S.Points),
                                 "--seed",
                                 std::to_string(S.Seed)};
  if (I.isCuda()) {
    // Threads that know nothing of each other would all write one place.
    append_range(Words,
                 ArrayRef<std::string>{
                     "--grid", std::to_string(Of.Together ? S.Grid : 1),
                     "--block", std::to_string(Of.Together ? S.Block : 1)});
    Expected<Signature> F =
        readSignature(File, Function, withFlags(readingFlags(I), Flags));
    if (!F)
      consumeError(F.takeError());
    else if (Of.Together)
      for (const Parameter &P : F->Parameters)
        if (auto Given = S.Integers.find(P.Name); Given != S.Integers.end())
          append_range(Words, ArrayRef<std::string>{
                                  "--int", P.Name + "=" +
                                               std::to_string(Given->second)});
    if (I.OnGpu)
      Words.push_back("--target=gpu");
  }
  Words.push_back("--");
  append_range(Words, Flags);
  std::vector<StringRef> All{Self};
  All.insert(All.end(), Words.begin(), Words.end());
  std::string Said = W.file("said"), Complaint = W.file("complaint");
  int Status = sys::ExecuteAndWait(Self, All, std::nullopt,
                                   {StringRef(), Said, Complaint});
  auto Text = [](const std::string &Path) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> B = MemoryBuffer::getFile(Path);
    return B ? (*B)->getBuffer().str() : std::string();
  };
  if (Status == 0 || Status == 1)
    Found.read(Text(Said));
  else
    Found.Known = false;
  if (Found.Known)
    return Found;
  SmallVector<StringRef, 8> Lines;
  std::string Complained = Text(Complaint);
  StringRef(Complained).split(Lines, '\n', -1, false);
  for (StringRef Line : Lines)
    if (Line.consume_front("retrograd: "))
      Found.Reason = Line.str();
  return Found;
}

std::optional<std::string> retrograd::undefinedIn(const Invocation &I,
                                                  CheckSettings S,
                                                  const Subject &Of) {
  Workplace W(false);
  Expected<Signature> F = readSignature(I.File, Of.Function, I.Flags);
  if (!F) {
    consumeError(F.takeError());
    return std::nullopt;
  }
  S.Trace = true;
  std::string Source = W.file("trace" + ending(I, *F));
  if (W.failed() || !writeFile(Source, checkProgram(I.File, *F, S)))
    return std::nullopt;
  return findUndefined(driverFor(I, *F), Source, W.file("trace"), I.Flags);
}

Measured retrograd::measure(const Invocation &I, const CheckSettings &Given,
                            const Subject &Of) {
  Workplace W(I.Keep);
  if (W.failed())
    return {};
  bool Root = Of.Function == I.Function && Of.Caller.empty();
  auto [File, Function] = locate(I, Of, W);
  // Decisions are traced on the processor, wherever the check itself runs.
  Invocation OnProcessor = I;
  OnProcessor.OnGpu = false;
  OnProcessor.Flags = flagsFor(I, Of);
  Expected<Signature> F = readSignature(
      File, Function, withFlags(readingFlags(I), OnProcessor.Flags));
  if (!F) {
    consumeError(F.takeError());
    return {};
  }
  CheckSettings S;
  if (Root)
    S = Given;
  S.Points = Given.Points;
  S.Seed = Given.Seed;
  S.Trace = true;
  if (!Root) {
    S.Grid = Of.Together ? Given.Grid : 1;
    S.Block = Of.Together ? Given.Block : 1;
  }
  std::string Source = W.file("trace" + ending(I, *F));
  if (!writeFile(Source, checkProgram(File, *F, S)))
    return {};
  std::vector<std::string> Flags =
      withFlags(targetFlags(OnProcessor), OnProcessor.Flags);
  Measured Result =
      measureDecisions(driverFor(I, *F), Source, W.file("trace"), Flags);
  if (Result.Ran && !Result.Changed && !I.isCuda())
    Result.Undefined =
        findUndefined(driverFor(I, *F), Source, W.file("trace"), Flags);
  return Result;
}

std::optional<std::string>
retrograd::racesIn(const Invocation &I, const Signature &F, CheckSettings S) {
  Workplace W(I.Keep);
  S.Trace = true;
  std::string Source = W.file("races" + ending(I, F)),
              Program = W.file("races"), Output = W.file("races.txt"),
              Complaint = W.file("races.err"), Problem;
  if (W.failed() || !writeFile(Source, checkProgram(I.File, F, S)))
    return std::nullopt;
  std::vector<std::string> Words{"-w",    Source,          "-o",
                                 Program, "--offload=cpu", "-O1"};
  append_range(Words, I.Flags);
  append_range(Words, ArrayRef<StringRef>{"-rg-check-races", "-lm"});
  if (execute(driverFor(I, F), Words, Problem))
    return std::nullopt;
  constexpr int Reported = 66, Seconds = 60;
  int Status = sys::ExecuteAndWait(Program, {Program, Output}, std::nullopt,
                                   {StringRef(), StringRef(), Complaint},
                                   Seconds, 0, &Problem);
  if (Status != Reported)
    return Status < 0 ? std::nullopt : std::optional<std::string>("");
  ErrorOr<std::unique_ptr<MemoryBuffer>> Said =
      MemoryBuffer::getFile(Complaint);
  if (!Said)
    return std::nullopt;
  SmallVector<StringRef, 8> Lines;
  (*Said)->getBuffer().split(Lines, '\n', -1, false);
  std::string Text;
  for (StringRef Line : Lines) {
    // The kernel around the function is this tool's own.
    auto [Before, Behind] = Line.split(" in kernel 'rg_kernel_primal");
    if (!Behind.empty())
      Text += (Before + " in '" + I.Function + "'" + Behind.split('\'').second)
                  .str() +
              "\n";
    else if (Line.contains(": note: "))
      Text += Line.str() + "\n";
  }
  return Text;
}
