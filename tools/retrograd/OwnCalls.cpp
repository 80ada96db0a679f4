//===- OwnCalls.cpp -------------------------------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OwnCalls.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Entry/PrepareEntryCalls.h"
#include "Support/FreshAnalyses.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// Linked to the user's program. Its constructor takes the right to change
/// files away.
const char *RecorderText = R"text(
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#ifdef __cplusplus
extern "C" {
#endif
const char *__asan_locate_address(void *, char *, size_t, void **, size_t *);
int __asan_address_is_poisoned(void const volatile *);
enum { RG_CALLS = 64, RG_BYTES = 1 << 16 };
static FILE *rg_own_file;
static int rg_own_lines[RG_CALLS], rg_own_seen, rg_own_silent = 1;

__attribute__((constructor(101))) static void rg_own_start(void) {
  const char *path = getenv("RETROGRAD_OWN_CALLS");
  /* Landlock, of Linux 6.2 and later, by its numbers, for headers may be older. Bits 1 and 4 to 14: write to files,
   * remove, make, rename and cut them. */
  struct { uint64_t files; } changes;
  changes.files = 1u << 1 | 0x7ff0u;
  rg_own_file = path ? fopen(path, "w") : NULL;
  int rules = (int)syscall(444, &changes, sizeof changes, 0);
  if (!rg_own_file || rules < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
      syscall(446, rules, 0))
    _exit(7);
  close(rules);
}
void rg_own_begin(int line) {
  rg_own_silent = 0;
  for (int i = 0; i < rg_own_seen; ++i)
    rg_own_silent |= rg_own_lines[i] == line;
  rg_own_silent |= rg_own_seen == RG_CALLS;
  if (rg_own_silent)
    return;
  rg_own_lines[rg_own_seen++] = line;
  fprintf(rg_own_file, "call %d\n", line);
}
void rg_own_number(int constant, double v) {
  if (!rg_own_silent)
    fprintf(rg_own_file, "number %d %.17g\n", constant, v);
}
void rg_own_integer(int constant, long long v) {
  if (!rg_own_silent)
    fprintf(rg_own_file, "integer %d %lld\n", constant, v);
}
static size_t rg_own_behind(void *p) {
  char name[2];
  void *start = NULL;
  size_t size = 0;
  if (!p)
    return 0;
  __asan_locate_address(p, name, sizeof name, &start, &size);
  return start && (char *)p >= (char *)start && (char *)p < (char *)start + size
             ? size - (size_t)((char *)p - (char *)start) : 0;
}
void rg_own_pointer(int constant, void *p, int shadowed, void *shadow) {
  if (rg_own_silent)
    return;
  size_t behind = rg_own_behind(p);
  fprintf(rg_own_file, "pointer %d %llu %d %llu %llu %llu ", constant, (unsigned long long)(uintptr_t)p, shadowed,
          (unsigned long long)(uintptr_t)shadow, (unsigned long long)behind,
          (unsigned long long)rg_own_behind(shadow));
  for (size_t i = 0; i < behind && i < RG_BYTES && !__asan_address_is_poisoned((char *)p + i); ++i)
    fprintf(rg_own_file, "%02x", ((unsigned char *)p)[i]);
  fprintf(rg_own_file, "\n");
}
void rg_own_end(void) {
  if (!rg_own_silent)
    fprintf(rg_own_file, "end\n");
  fflush(rg_own_file);
}
#ifdef __cplusplus
}
#endif
)text";

int execute(StringRef Program, ArrayRef<std::string> Words, StringRef Complaint,
            unsigned Seconds) {
  std::vector<StringRef> All{Program};
  All.insert(All.end(), Words.begin(), Words.end());
  return sys::ExecuteAndWait(Program, All, std::nullopt,
                             {StringRef(""), StringRef(""), Complaint},
                             Seconds);
}

/// Calls of the recorder in front of the entry calls of the function; whether
/// there are any.
bool insertRecorder(Module &M, StringRef Function) {
  FreshAnalyses Own;
  DiagnosticEngine Silent(M, DiagnosticEngine::Silent);
  EntryCalls Found = prepareEntryCalls(
      M, Own.MAM, Silent, [](const llvm::Function &) { return false; });
  Type *Void = Type::getVoidTy(M.getContext()),
       *Int = Type::getInt32Ty(M.getContext()),
       *Long = Type::getInt64Ty(M.getContext()),
       *Double = Type::getDoubleTy(M.getContext()),
       *Pointer = PointerType::getUnqual(M.getContext());
  FunctionCallee Begin = M.getOrInsertFunction("rg_own_begin", Void, Int),
                 Number =
                     M.getOrInsertFunction("rg_own_number", Void, Int, Double),
                 Integer =
                     M.getOrInsertFunction("rg_own_integer", Void, Int, Long),
                 Address = M.getOrInsertFunction("rg_own_pointer", Void, Int,
                                                 Pointer, Int, Pointer),
                 End = M.getOrInsertFunction("rg_own_end", Void);
  bool Any = false;
  for (EntryCall &Entry : Found.Calls) {
    const llvm::Function &Primal = *Entry.Request.Primal;
    const DISubprogram *SP = Primal.getSubprogram();
    const DebugLoc &At = Entry.Call->getDebugLoc();
    StringRef Plain = Function.rsplit("::").second.empty()
                          ? Function
                          : Function.rsplit("::").second;
    if (!SP ||
        SP->getName() != Plain.take_until([](char C) { return C == '('; }) ||
        !At || Entry.Parameters.size() != Primal.arg_size() ||
        Entry.Request.Args.size() != Primal.arg_size())
      continue;
    auto Understood = [](const EntryOperand &O) {
      return is_contained({EntryOperand::Direct, EntryOperand::FPTrunc,
                           EntryOperand::IntTrunc, EntryOperand::FPExtend,
                           EntryOperand::IntExtend, EntryOperand::Load},
                          O.How) &&
             O.V && !O.Stride;
    };
    if (any_of(Entry.Parameters, [&](const EntryParameter &P) {
          return !Understood(P.Primal) ||
                 any_of(P.Shadows,
                        [&](const EntryOperand &S) { return !Understood(S); });
        }))
      continue;
    Any = true;
    IRBuilder<> B(Entry.Call);
    B.SetCurrentDebugLocation(At);
    auto Value = [&](const EntryOperand &O, Type *T) -> llvm::Value * {
      llvm::Value *V = O.V;
      if (O.How == EntryOperand::Load)
        V = B.CreateLoad(T, B.CreateConstGEP1_64(B.getInt8Ty(), V, O.Offset));
      return V;
    };
    B.CreateCall(Begin, {B.getInt32(At.getLine())});
    for (unsigned K = 0; K < Primal.arg_size(); ++K) {
      const EntryParameter &P = Entry.Parameters[K];
      Type *T = Primal.getArg(K)->getType();
      llvm::Value *Constant =
                      B.getInt32(Entry.Request.Args[K] == ArgActivity::Const),
                  *V = Value(P.Primal, T);
      if (V->getType()->isFloatingPointTy())
        B.CreateCall(Number, {Constant, B.CreateFPCast(V, Double)});
      else if (V->getType()->isIntegerTy())
        B.CreateCall(Integer, {Constant, B.CreateSExtOrTrunc(V, Long)});
      else if (V->getType()->isPointerTy()) {
        bool Shadowed = !P.Shadows.empty();
        B.CreateCall(Address, {Constant, V, B.getInt32(Shadowed),
                               Shadowed ? Value(P.Shadows[0], T)
                                        : Constant::getNullValue(Pointer)});
      } else
        B.CreateCall(Integer, {Constant, B.getInt64(0)});
    }
    B.CreateCall(End, {});
  }
  return Any;
}

bool parse(StringRef Line, OwnArgument &A) {
  SmallVector<StringRef, 8> Words;
  Line.split(Words, ' ');
  A.Constant = Words.size() > 1 && Words[1] == "1";
  if (Words[0] == "number" && Words.size() == 3) {
    A.Number = std::strtod(Words[2].str().c_str(), nullptr);
    return true;
  }
  if (Words[0] == "integer" && Words.size() == 3)
    return !Words[2].getAsInteger(10, A.Integer);
  if (Words[0] != "pointer" || Words.size() != 8)
    return false;
  A.Pointer = true;
  A.HasShadow = Words[3] == "1";
  return !Words[2].getAsInteger(10, A.Address) &&
         !Words[4].getAsInteger(10, A.Shadow) &&
         !Words[5].getAsInteger(10, A.Behind) &&
         !Words[6].getAsInteger(10, A.ShadowBehind) &&
         tryGetFromHex(Words[7], A.Bytes);
}

std::string contentsOf(const std::string &Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> B = MemoryBuffer::getFile(Path);
  return B ? (*B)->getBuffer().str() : std::string();
}

} // namespace

OwnProgram retrograd::recordOwnCalls(const Invocation &I, StringRef Driver,
                                     StringRef Base) {
  bool C = StringRef(I.File).ends_with(".c");
  std::string Text = (Base + ".own.ll").str(),
              Recorder = (Base + (C ? ".recorder.c" : ".recorder.cpp")).str(),
              Program = (Base + ".own").str(), Output = (Base + ".calls").str(),
              Complaint = (Base + ".err").str();
  // As the front end leaves it: AddressSanitizer comes behind the derivatives.
  std::vector<std::string> Words{"-w", I.File, "-S",     "-emit-llvm",
                                 "-o", Text,   "-mllvm", "-enzyme-enable=0"};
  append_range(Words, I.Flags);
  append_range(Words, ArrayRef<StringRef>{
                          "-O1", "-g", "-Xclang", "-disable-llvm-passes",
                          "-fsanitize=address", "-fno-discard-value-names"});
  LLVMContext Context;
  SMDiagnostic Problem;
  std::unique_ptr<Module> M;
  if (execute(Driver, Words, "", 120) == 0)
    M = parseIRFile(Text, Problem, Context);
  Function *Main = M ? M->getFunction("main") : nullptr;
  if (!Main || Main->isDeclaration() || !insertRecorder(*M, I.Function))
    return {};
  std::error_code EC, RecorderEC;
  {
    raw_fd_ostream OS(Text, EC), Other(Recorder, RecorderEC);
    M->print(OS, nullptr);
    Other << RecorderText;
  }
  Words = {"-w", "-Wno-everything", Text, Recorder, "-o", Program};
  append_range(Words, I.Flags);
  append_range(Words,
               ArrayRef<StringRef>{"-O1", "-g", "-fsanitize=address", "-lm"});
  if (EC || RecorderEC || execute(Driver, Words, "", 300) != 0)
    return {};
  setenv("RETROGRAD_OWN_CALLS", Output.c_str(), 1);
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  execute(Program, {}, Complaint, 20);

  OwnProgram Result;
  OwnCall Call;
  SmallVector<StringRef, 16> Lines;
  std::string Said = contentsOf(Output);
  StringRef(Said).split(Lines, '\n', -1, false);
  for (StringRef Line : Lines) {
    if (Line.consume_front("call ")) {
      Call = {};
      if (Line.getAsInteger(10, Call.Line))
        break;
    } else if (Line == "end")
      Result.Calls.push_back(Call);
    else if (OwnArgument A; parse(Line, A))
      Call.Arguments.push_back(std::move(A));
    else
      break;
  }
  std::string Complained = contentsOf(Complaint);
  if (size_t At = Complained.find("SUMMARY: AddressSanitizer: ");
      At != std::string::npos) {
    Result.Fault = StringRef(Complained)
                       .drop_front(At + 27)
                       .take_until([](char C) { return C == '\n'; })
                       .str();
    // "0x... is located 0 bytes after 24-byte region ..."
    size_t Where = Complained.find(" is located ");
    if (Where != std::string::npos)
      Result.Fault += ", " + StringRef(Complained)
                                 .drop_front(Where + 12)
                                 .take_until([](char C) {
                                   return C == '\n' || C == '(' || C == '[';
                                 })
                                 .rtrim()
                                 .str();
  }
  return Result;
}
