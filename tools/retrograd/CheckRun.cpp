//===- CheckRun.cpp - programs that a check makes and runs ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckRun.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

int retrograd::complain(const Twine &Message) {
  errs() << "retrograd: " << Message << "\n";
  return 2;
}

int retrograd::execute(StringRef Program, ArrayRef<std::string> Arguments,
                       std::string &Problem, StringRef Output) {
  std::vector<StringRef> All{Program};
  All.insert(All.end(), Arguments.begin(), Arguments.end());
  std::vector<std::optional<StringRef>> Redirects;
  if (!Output.empty())
    Redirects = {std::nullopt, Output, std::nullopt};
  return sys::ExecuteAndWait(Program, All, std::nullopt, Redirects, 0, 0,
                             &Problem);
}

Workplace::Workplace(bool Keep) : Keep(Keep) {
  Failed = bool(sys::fs::createUniqueDirectory("retrograd-check", Path));
}

Workplace::~Workplace() {
  if (Keep)
    errs() << "retrograd: the generated program is in " << Path << "\n";
  else if (!Failed)
    (void)sys::fs::remove_directories(Path);
}

std::string Workplace::file(StringRef Name) const {
  SmallString<256> Full = Path;
  sys::path::append(Full, Name);
  return Full.str().str();
}

bool retrograd::writeFile(const std::string &Path, StringRef Text) {
  std::error_code EC;
  raw_fd_ostream OS(Path, EC);
  OS << Text;
  OS.close();
  return !EC && !OS.has_error();
}

std::string retrograd::driverFor(const Invocation &I, const Signature &F) {
  SmallString<256> Path(I.BinDirectory);
  sys::path::append(Path, F.CPlusPlus ? "rg-clang++" : "rg-clang");
  return Path.str().str();
}

std::vector<std::string> retrograd::withFlags(std::vector<std::string> Words,
                                              ArrayRef<std::string> Flags) {
  append_range(Words, Flags);
  return Words;
}

std::string retrograd::ending(const Invocation &I, const Signature &F) {
  return I.isCuda() ? ".cu" : F.CPlusPlus ? ".cpp" : ".c";
}

std::vector<std::string> retrograd::targetFlags(const Invocation &I) {
  if (!I.isCuda())
    return {};
  if (!I.OnGpu)
    return {"--offload=cpu"};
  return {"-L/usr/local/cuda/lib64", "-lcudart_static", "-ldl", "-lrt",
          "-lpthread"};
}

std::vector<std::string> retrograd::readingFlags(const Invocation &I) {
  // The drivers' own headers, which the user's file may include.
  SmallString<256> Include(sys::path::parent_path(I.BinDirectory));
  sys::path::append(Include, "include");
  if (!I.isCuda())
    return {"-isystem", Include.str().str()};
  SmallString<256> Headers(Include);
  sys::path::append(Headers, "retrograd", "cuda");
  SmallString<256> First = Headers;
  sys::path::append(First, "retrograd_cuda.h");
  return {"-isystem",
          Include.str().str(),
          "-x",
          "cuda",
          "-nocudainc",
          "-nocudalib",
          "--cuda-path=/nonexistent",
          "-Xclang",
          "-target-sdk-version=12.8",
          "-isystem",
          Headers.str().str(),
          "-include",
          First.str().str()};
}
