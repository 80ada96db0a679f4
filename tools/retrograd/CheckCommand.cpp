//===- CheckCommand.cpp - compile, run, compare, report -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckCommand.h"
#include "CheckOwnCalls.h"
#include "CheckRun.h"
#include "Comparison.h"
#include "Examination.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

int retrograd::checkCommand(const Invocation &I, const CheckSettings &S) {
  Expected<Signature> F =
      readSignature(I.File, I.Function, withFlags(readingFlags(I), I.Flags));
  if (!F)
    return complain(toString(F.takeError()));
  auto Known = [&](StringRef Option, const std::string &Name) {
    for (const Parameter &P : F->Parameters)
      if (P.Name == Name)
        return true;
    complain("--" + Option + ": '" + I.Function + "' has no parameter '" +
             Name + "'");
    return false;
  };
  for (const auto &[Name, Value] : S.Integers)
    if (!Known("int", Name))
      return 2;
  for (const auto &[Name, Value] : S.Lengths)
    if (!Known("len", Name))
      return 2;
  for (const auto &[Name, Value] : S.Ranges)
    if (!Known("range", Name))
      return 2;
  for (const std::string &Name : S.Constants)
    if (!Known("const", Name))
      return 2;

  if (I.Json)
    (*I.Json)["declaration"] = F->Declaration;
  outs() << (I.Brief ? "retrograd doctor " : "retrograd check ") << I.Shown
         << ": " << F->Declaration;
  for (size_t K = 0; K < F->Parameters.size(); ++K) {
    const Parameter &P = F->Parameters[K];
    if (P.isIntegerValue())
      outs() << ", " << P.Name << " = " << integerValue(P, S);
    else if (P.How == Passing::Pointer || P.How == Passing::Vector)
      outs() << ", " << P.Name << "[" << lengthOf(*F, K, S) << "]";
  }
  outs() << "\n";
  outs().flush();

  Comparison C;
  if (int Status = compare(I, *F, S, C))
    return Status;
  bool Races = false;
  if (I.isCuda() && I.Doctor && !I.Findings &&
      !StringRef(C.Note).starts_with("bounds")) {
    std::optional<std::string> Found = racesIn(I, *F, S);
    Races = Found && !Found->empty();
    if (Races)
      outs() << *Found << "WRONG: '" << I.Function
             << "' has a race, and what depends on the order of threads has no "
                "derivative\n";
    else
      outs() << (Found ? "no races" : "the race check did not run")
             << " (-rg-check-races, " << counted(S.Grid, "block") << " of "
             << counted(S.Block, "thread") << ")\n";
  }
  outs().flush();
  if (!C.Note.empty()) {
    int Status = Races ? 1 : explainNote(C.Note, I);
    // What was never written is as good as random.
    if (I.Doctor && !I.isCuda() && !StringRef(C.Note).starts_with("bounds"))
      if (std::optional<std::string> Why =
              undefinedIn(I, S, {I.Function, "", false}))
        outs() << *Why << "\n";
    return Status;
  }
  C.report(I, S);
  if (I.Json)
    C.report(*I.Json, S);
  if (I.Findings)
    outs() << C.Found.text() << "\n";
  outs().flush();
  // The seed of one call is 1, whatever a rule for the function itself does
  // with it.
  if (!C.Found.wrong() && I.Doctor && !S.Twice && hasRule(I))
    if (Findings Two = examine(I, S, {I.Function, "", S.Grid * S.Block > 1});
        Two.Known && Two.wrong()) {
      outs() << "WRONG: a sum of two calls with different weights has another "
                "derivative (--twice shows it)\n";
      C.Found = Two;
    }
  if ((C.Found.wrong() || C.Unsure) && I.Doctor && !Races)
    findFault(I, S, C.Found);
  bool Wrong = C.Found.wrong() || Races;
  if (I.Doctor && !S.Twice && !I.isCuda())
    Wrong |= checkOwnCalls(I, *F, S);
  return Wrong ? 1 : 0;
}
