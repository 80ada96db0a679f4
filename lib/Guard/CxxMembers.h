//===- CxxMembers.h - functions of a module by class ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a name of C++ says, by the demangler: the class, the function, the
// arguments of templates. Parameters of a mangled name are not always spelt as
// they were written (a name refers to what stood in it before), so callers
// compare them with what they know, and give up where that differs.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_GUARD_CXXMEMBERS_H
#define RETROGRAD_GUARD_CXXMEMBERS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace retrograd {

/// A function's name in C++, in parts.
struct CxxName {
  /// Whole is without parameters, but with arguments of templates.
  std::string Class, Base, Params, Whole;
  bool IsStructor = false;
};

/// None if F has no name of a C++ function.
std::optional<CxxName> demangle(const llvm::Function &F);

/// The same of a demangled name: "void n::c<a>::f<b>(int) const". None if it is
/// no function's.
std::optional<CxxName> cxxNameIn(llvm::StringRef Text);

/// The parts of "name<a, b<c, d>, e>" or "(a, b)".
llvm::SmallVector<std::string, 3> parts(llvm::StringRef Text);

/// The functions of a module by their classes.
class CxxMembers {
public:
  explicit CxxMembers(llvm::Module &M);
  /// The member of Class, which is called Base and has Arity pointers as
  /// operands and parameters that Fits likes; null if there is none.
  llvm::Function *find(llvm::StringRef Class, llvm::StringRef Base,
                       unsigned Arity,
                       llvm::function_ref<bool(llvm::StringRef)> Fits) const;
  /// What calls an object of Class with one integer, and with More operands
  /// behind it: a pointer, and integers.
  llvm::Function *findCallable(llvm::StringRef Class, unsigned More = 0) const;
  /// Has Class, in this module, a member that is called Base?
  bool has(llvm::StringRef Class, llvm::StringRef Base) const;
  llvm::Function *destructor(llvm::StringRef Class) const;
  /// All functions of Class.
  void each(llvm::StringRef Class,
            llvm::function_ref<void(llvm::Function &, const CxxName &)>) const;
  /// The only class whose name begins so; empty if there is none, or several.
  std::string classThatBegins(llvm::StringRef Begin) const;

private:
  llvm::StringMap<llvm::SmallVector<std::pair<llvm::Function *, CxxName>, 4>>
      Of;
};

} // namespace retrograd

#endif
