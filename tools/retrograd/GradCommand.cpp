//===- GradCommand.cpp - the IR of a derivative ---------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckCommand.h"
#include "CheckRun.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

int retrograd::gradCommand(const Invocation &I) {
  Expected<Signature> F =
      readSignature(I.File, I.Function, withFlags(readingFlags(I), I.Flags));
  if (!F)
    return complain(toString(F.takeError()));
  Workplace W(I.Keep);
  std::string Source = W.file(F->CPlusPlus ? "gradient.cpp" : "gradient.c");
  if (W.failed() || !writeFile(Source, gradientProgram(I.File, *F)))
    return complain("cannot write a temporary file");
  std::string Output = W.file("gradient.ll"), Problem;
  std::vector<std::string> Arguments{"-O2",  "-w", "-S",  "-emit-llvm",
                                     Source, "-o", Output};
  Arguments.insert(Arguments.end(), I.Flags.begin(), I.Flags.end());
  if (int Status = execute(driverFor(I, *F), Arguments, Problem))
    return complain("compiling the derivative of '" + I.Function + "' failed" +
                    (Status < 0 ? ": " + Problem : std::string()));
  LLVMContext Context;
  SMDiagnostic Diagnostic;
  std::unique_ptr<Module> M = parseIRFile(Output, Diagnostic, Context);
  Function *Root = M ? M->getFunction("rg_gradient") : nullptr;
  if (!Root)
    return complain("cannot read the IR of the derivative");
  outs() << "; reverse derivative of " << F->Declaration << "\n"
         << "; parameters as above, each pointer followed by its shadow\n";
  StripDebugInfo(*M);
  // The derivative and what it calls, outermost first; derivatives that were
  // inlined are inside rg_gradient. The tape's own functions are left out.
  std::vector<Function *> Order{Root};
  for (size_t K = 0; K < Order.size(); ++K) {
    outs() << "\n";
    Order[K]->print(outs());
    for (Instruction &Inst : instructions(*Order[K]))
      if (auto *Call = dyn_cast<CallBase>(&Inst))
        if (Function *Callee = Call->getCalledFunction())
          if (!Callee->isDeclaration() &&
              !Callee->getName().starts_with("rg_") &&
              !is_contained(Order, Callee))
            Order.push_back(Callee);
  }
  return 0;
}
