//===- ViewLowering.h - views become calls of their functions ---*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SparseViews finds the views and runs the lowering, ViewAccesses reads, writes
// and addresses one, ViewUses follows a pointer into one through its uses.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ENTRY_VIEWLOWERING_H
#define RETROGRAD_ENTRY_VIEWLOWERING_H

#include "Diagnostics/DiagnosticEngine.h"
#include "Support/Options.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/ValueHandle.h"
#include <map>
#include <optional>

namespace retrograd {

/// The functions of a view. Views of one kind may meet.
struct ViewKind {
  llvm::Function *Load = nullptr,
                 *Store = nullptr; ///< null: the view of nowhere
  llvm::SmallVector<llvm::Type *, 4> Extras;
  /// Says what the extra arguments are: memory passed by value, say.
  llvm::AttributeList Attributes;
  llvm::Type *Element = nullptr;
  std::string Name;
  bool ReadOnly = false; ///< Store has not the form of one: to be refused where
                         ///< something is written
  bool operator==(const ViewKind &O) const {
    return Load == O.Load && Store == O.Store && Extras == O.Extras;
  }
};

/// A pointer into a view, taken apart.
struct ViewPointer {
  llvm::Value *Offset = nullptr; ///< in bytes, as the index type of pointers
  llvm::SmallVector<llvm::Value *, 4> Extras;
};

/// The views of a module, on their way to calls of their functions.
class Views {
public:
  Views(llvm::Module &M, llvm::ModuleAnalysisManager &MAM,
        DiagnosticEngine &Diags, const Options &Opts)
      : M(M), MAM(MAM), Diags(Diags), Opts(Opts), DL(M.getDataLayout()) {}
  void run(bool Last);

private:
  llvm::Module &M;
  llvm::ModuleAnalysisManager &MAM;
  DiagnosticEngine &Diags;
  const Options &Opts;
  const llvm::DataLayout &DL;
  llvm::SmallVector<ViewKind, 4> Kinds;
  using Pointers = llvm::MapVector<llvm::Value *, ViewPointer>;
  /// By callee, the parameters that are views, and their kind.
  std::map<std::tuple<llvm::Function *, std::vector<unsigned>, unsigned>,
           llvm::Function *>
      Copies;
  llvm::SmallVector<llvm::Function *, 8> Changed;
  /// Calls of the functions of views, to be inlined.
  llvm::SmallVector<llvm::WeakTrackingVH, 32> Accesses;
  llvm::SmallPtrSet<const llvm::Instruction *, 8> Told;

  std::optional<unsigned> kindOf(llvm::CallBase &Call);
  bool refuse(const llvm::Instruction &At, unsigned Kind,
              const llvm::Twine &Why);
  bool lowerIn(llvm::Function &F, bool Last);
  void exposeReturned(
      llvm::Function &F,
      llvm::function_ref<llvm::SmallVector<llvm::Value *, 4>()> Roots);
  void follow(llvm::Function &F, unsigned Kind, Pointers Roots);
  void takeApart(llvm::Function &F, unsigned Kind, Pointers &Known);
  void replaceUse(llvm::Instruction &I, unsigned Kind, Pointers &Known);
  void replaceCall(llvm::CallBase &Call, unsigned Kind, Pointers &Known);
  void replaceTransfer(llvm::AnyMemIntrinsic &I, unsigned Kind,
                       Pointers &Known);
  llvm::Value *load(llvm::IRBuilderBase &B, llvm::Type *T, const ViewPointer &P,
                    unsigned Kind, const llvm::Instruction &At);
  void store(llvm::IRBuilderBase &B, llvm::Value *V, const ViewPointer &P,
             unsigned Kind, const llvm::Instruction &At);
  llvm::Value *call(llvm::IRBuilderBase &B, llvm::Function &F,
                    llvm::Value *Stored, const ViewPointer &P, unsigned Kind);
  std::optional<uint64_t> elementsIn(llvm::Type *T, unsigned Kind,
                                     const llvm::Instruction &At);
  llvm::Value *addressOf(llvm::IRBuilderBase &B, const ViewPointer &P,
                         unsigned Kind, llvm::Type *T);
  llvm::Function *copyOf(llvm::Function &Callee, llvm::ArrayRef<unsigned> At,
                         unsigned Kind);
  void inlineAccesses();
};

/// P, so many bytes on.
ViewPointer advanced(llvm::IRBuilderBase &B, const ViewPointer &P,
                     llvm::Value *Bytes);

/// V as a T, or null: C promotes arguments whose parameter is not declared.
llvm::Value *convertForView(llvm::IRBuilderBase &B, llvm::Value *V,
                            llvm::Type *T);

} // namespace retrograd

#endif
