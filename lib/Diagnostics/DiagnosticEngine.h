//===- DiagnosticEngine.h - the only voice that users hear ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Diags.report(DiagId::CallWithoutBody, &Call, Trail, {Callee});
//
// prints, through whatever hosts us (clang, opt, lld):
//
//   f.c:12:10: error: a call that derivatives flow through must have a body or
//                     a rule, and 'g' has neither [RG1101]
//   f.c:5:10:  note: in the derivative of 'h', called from 'f'
//   f.c:3:10:  note: the call is here, in 'h'
//              note: define 'g' in this translation unit ...
//
// The error stands at the user's derivative call, the first step of the trail;
// notes lead down to the instruction. See lib/Diagnostics/README.md.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_DIAGNOSTICS_DIAGNOSTICENGINE_H
#define RETROGRAD_DIAGNOSTICS_DIAGNOSTICENGINE_H

#include "Diagnostics/RequestTrail.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include <initializer_list>
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class SourceMgr;
class Type;
class Value;
} // namespace llvm

namespace retrograd {

enum class DiagId : uint16_t {
#define DIAGNOSTIC(Name, Code, Kind, Text, Advice) Name,
#include "Diagnostics/Diagnostics.def"
};

/// Whose fault it is.
enum class DiagKind : uint8_t {
  UserError,
  Unsupported,
  Internal,
  Warning,
  Note
};

DiagKind kindOf(DiagId Id);
struct DiagArg;
/// The text and the advice of an entry, for a message at run time.
std::string textOf(DiagId Id, llvm::ArrayRef<DiagArg> Args);

/// One argument of a message, written out at once: functions by their demangled
/// name, other values as operands, types as LLVM spells them.
struct DiagArg {
  std::string Text;
  DiagArg(const char *S) : Text(S) {}
  DiagArg(llvm::StringRef S) : Text(S.str()) {}
  DiagArg(std::string S) : Text(std::move(S)) {}
  DiagArg(const llvm::Twine &T) : Text(T.str()) {}
  DiagArg(unsigned N) : Text(std::to_string(N)) {}
  DiagArg(uint64_t N) : Text(std::to_string(N)) {}
  DiagArg(const llvm::Value *V);
  DiagArg(const llvm::Type *T);
};

class DiagnosticEngine {
public:
  /// Silent: tells nobody and remembers what it was to tell. InLinker: the host
  /// knows no source, so where there is no line the function is named.
  enum Voice : uint8_t { Aloud, Silent, InLinker };
  explicit DiagnosticEngine(llvm::Module &M, Voice V = Aloud);
  ~DiagnosticEngine();
  DiagnosticEngine(const DiagnosticEngine &) = delete;
  DiagnosticEngine &operator=(const DiagnosticEngine &) = delete;

  /// Tells the user. At, when given, is the instruction that cannot be dealt
  /// with (of the user's function or of a clone). Equal reports are told once.
  void report(DiagId Id, const llvm::Instruction *At, const RequestTrail &Trail,
              llvm::ArrayRef<DiagArg> Args = {});
  void report(DiagId Id, const llvm::Instruction *At, const RequestTrail &Trail,
              std::initializer_list<DiagArg> Args) {
    report(Id, At, Trail, llvm::ArrayRef<DiagArg>(Args.begin(), Args.size()));
  }

  /// A decision worth telling (-Rpass-analysis=retrograd): Name is one word in
  /// CamelCase, e.g. "Keep".
  void remark(llvm::StringRef Name, const llvm::Instruction &At,
              const llvm::Twine &Text);

  bool reported(DiagId Id) const { return llvm::is_contained(Reported, Id); }

  /// Call last. Hosts without a diagnostic handler (opt) end the process on an
  /// error; we let them do so only here, after everything has been told.
  void finish();

private:
  struct Delivery;

  llvm::Module &M;
  Voice How;
  unsigned Errors = 0;
  llvm::SmallVector<DiagId, 4> Reported;
  /// Errors that the host did not take, and that we printed ourselves.
  unsigned Untaken = 0;
  /// Texts already told, to tell each once.
  llvm::StringSet<> Told;
  /// Buffers of source files for located notes; lives as long as the engine
  /// because hosts may keep pointers into it.
  std::unique_ptr<llvm::SourceMgr> Sources;

  void deliver(llvm::DiagnosticSeverity Severity, const SourcePlace *Place,
               const llvm::Twine &Text);
};

} // namespace retrograd

#endif
