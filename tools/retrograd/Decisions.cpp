//===- Decisions.cpp ------------------------------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decisions.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

namespace {

enum class Nature { Smooth, Cast, Step, Kink, Branch };

/// CUDA's mathematics are functions of clang's headers: what happens in them, happens where they
/// are called.
bool isMathHeader(StringRef File) {
  StringRef Name = sys::path::filename(File);
  return Name.starts_with("__clang_cuda") || Name == "retrograd_cuda.h";
}

/// The name of the mathematical function that C calls: without the intrinsic's prefix and
/// the letter of its type.
Nature natureOf(const Instruction &I) {
  if (isa<FPToSIInst, FPToUIInst>(I))
    return Nature::Cast;
  if (isa<FCmpInst>(I))
    return Nature::Branch;
  const auto *C = dyn_cast<CallBase>(&I);
  const Function *Callee = C ? C->getCalledFunction() : nullptr;
  if (!Callee)
    return Nature::Smooth;
  StringRef Name = Callee->getName();
  if (const DISubprogram *SP = Callee->getSubprogram(); SP && isMathHeader(SP->getFilename()))
    Name = SP->getName();
  Name.consume_front("__nv_"); // of CUDA's library
  if (Name.consume_front("llvm."))
    Name = Name.take_until([](char Ch) { return Ch == '.'; });
  auto Is = [&](StringRef Known) {
    return Name == Known || Name == (Known + "f").str() || Name == (Known + "l").str();
  };
  for (StringRef Step : {"floor", "ceil", "round", "trunc", "rint", "nearbyint", "roundeven",
                         "lround", "lrint", "llround", "llrint"})
    if (Is(Step))
      return Nature::Step;
  for (StringRef Kink : {"fabs", "fmax", "fmin", "maxnum", "minnum"})
    if (Is(Kink))
      return Nature::Kink;
  return Nature::Smooth;
}

const char *describe(Nature N) {
  switch (N) {
  case Nature::Cast:
    return "a number becomes an integer here: the derivative by it is zero";
  case Nature::Step:
    return "a step function: the derivative is zero between its steps";
  case Nature::Kink:
    return "a kink: the derivative jumps here";
  case Nature::Branch:
    return "it branches on a number here";
  case Nature::Smooth:
    break;
  }
  return nullptr;
}

/// What I decided, as an i64: equal for equal decisions.
Value *outcome(IRBuilder<> &B, Instruction &I, Nature N) {
  if (N == Nature::Kink) {
    Value *X = I.getOperand(0);
    Value *Y = cast<CallBase>(I).arg_size() > 1 ? I.getOperand(1) : ConstantFP::get(X->getType(), 0);
    return B.CreateZExt(B.CreateFCmpULT(X, Y), B.getInt64Ty());
  }
  Value *V = &I;
  if (V->getType()->isFloatingPointTy())
    V = B.CreateBitCast(B.CreateFPCast(V, B.getDoubleTy()), B.getInt64Ty());
  return V->getType()->isIntegerTy() ? B.CreateZExtOrTrunc(V, B.getInt64Ty()) : nullptr;
}

bool succeeds(StringRef Program, ArrayRef<std::string> Words) {
  std::vector<StringRef> All{Program};
  All.insert(All.end(), Words.begin(), Words.end());
  // What the user's program prints is not ours to show.
  return sys::ExecuteAndWait(Program, All, std::nullopt,
                             {std::nullopt, StringRef(""), StringRef("")}) == 0;
}

} // namespace

const char *retrograd::notDifferentiable(const Instruction &I) {
  Nature N = natureOf(I);
  return N == Nature::Branch ? nullptr : describe(N);
}

std::optional<Decision> retrograd::measureDecisions(StringRef Driver, StringRef Source, StringRef Base,
                                                    ArrayRef<std::string> Flags) {
  std::string Text = (Base + ".ll").str(), Program = (Base + ".run").str(),
              Output = (Base + ".txt").str();
  std::vector<std::string> Words{"-w", Source.str(), "-S", "-emit-llvm", "-o", Text};
  // Kernels have to be whole, so the derivatives in them stay; none of them is run.
  bool Cuda = Source.ends_with(".cu");
  if (!Cuda)
    append_range(Words, ArrayRef<StringRef>{"-mllvm", "-enzyme-enable=0"});
  else // Blocks one after the other: decisions have an order.
    setenv("OMP_NUM_THREADS", "1", 1);
  append_range(Words, Flags);
  append_range(Words, ArrayRef<StringRef>{"-O0", "-g"});
  LLVMContext Context;
  SMDiagnostic Problem;
  std::unique_ptr<Module> M;
  if (succeeds(Driver, Words))
    M = parseIRFile(Text, Problem, Context);
  Function *Decide = M ? M->getFunction("rg_decide") : nullptr;
  if (!Decide)
    return std::nullopt;

  std::vector<std::pair<const DILocation *, Nature>> Sites;
  for (Function &F : *M) {
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      Nature N = natureOf(I);
      const DILocation *At = I.getDebugLoc();
      while (At && At->getInlinedAt() && isMathHeader(At->getFilename()))
        At = At->getInlinedAt();
      if (N == Nature::Smooth || !At || I.isTerminator() || I.getType()->isVectorTy() ||
          // What the check itself is made of. (A kernel of its holds the user's function inlined.)
          sys::path::filename(At->getFilename()) == sys::path::filename(Source) ||
          isMathHeader(At->getFilename()))
        continue;
      IRBuilder<> B(I.getNextNode());
      B.SetCurrentDebugLocation(I.getDebugLoc());
      if (Value *V = outcome(B, I, N)) {
        B.CreateCall(Decide, {B.getInt32(unsigned(Sites.size())), V});
        Sites.push_back({At, N});
      }
    }
  }
  std::error_code EC;
  {
    raw_fd_ostream OS(Text, EC);
    M->print(OS, nullptr);
  }
  Words = {"-w", "-Wno-everything", Text, "-o", Program, "-mllvm", "-enzyme-enable=0"};
  append_range(Words, Flags);
  append_range(Words, ArrayRef<StringRef>{"-O0", "-lm"});
  if (EC || !succeeds(Driver, Words) || !succeeds(Program, {Output}))
    return std::nullopt;
  ErrorOr<std::unique_ptr<MemoryBuffer>> Said = MemoryBuffer::getFile(Output);
  if (!Said)
    return std::nullopt;
  SmallVector<StringRef, 4> Parts;
  (*Said)->getBuffer().take_until([](char C) { return C == '\n'; }).split(Parts, ' ');
  unsigned Site;
  Decision D;
  if (Parts.size() != 4 || Parts[0] != "decision" || Parts[1].getAsInteger(10, Site) ||
      Site >= Sites.size() || Parts[2].getAsInteger(10, D.Time))
    return std::nullopt;
  const DILocation *At = Sites[Site].first;
  D.File = At->getFilename().str();
  D.Function = At->getScope()->getSubprogram()->getName().str();
  D.Line = At->getLine();
  D.What = describe(Sites[Site].second);
  D.Number = Parts[3].str();
  return D;
}
