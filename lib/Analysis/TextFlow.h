//===- TextFlow.h - numbers that go through text or files -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations without a derivative print numbers into memory that other ones
// make numbers of again (snprintf and strtod, << and >>). What comes back
// depends on what was printed, and no derivative follows. This says which
// memory text gets to, whatever the activity; Plan/Legality asks it with the
// activity of one function.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_TEXTFLOW_H
#define RETROGRAD_ANALYSIS_TEXTFLOW_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/InstrTypes.h"

namespace retrograd {

class ProgramFacts;

class TextFlow {
public:
  TextFlow(llvm::ArrayRef<llvm::Function *> Functions,
           const ProgramFacts &Facts);

  /// Some function of the call graph prints numbers, and some makes numbers of
  /// text. The rest is only worth asking then.
  bool any() const { return Any; }

  /// C itself prints one of its operands, or numbers that they lead to, for
  /// which the question (of a value, of an object) is answered with yes.
  bool prints(const llvm::CallBase &C,
              llvm::function_ref<bool(const llvm::Value *)> Value,
              const llvm::BitVector &Objects) const;
  /// C may give numbers, as its result or behind its operands, that it makes of
  /// text: an inactive operation with such a result, or a function of which
  /// nothing is known.
  bool readsNumbers(const llvm::CallBase &C) const;
  /// Objects that C, which prints, prints to. A number behind the last object
  /// stands for whatever descriptors name (write, read), and one for what
  /// functions elsewhere, of which nothing is known, keep and find again.
  llvm::BitVector printedBy(const llvm::CallBase &C) const;
  /// Objects that C, which reads numbers, may read them from.
  llvm::BitVector readBy(const llvm::CallBase &C) const;

  /// C, which reads numbers, may give them back as its result or behind its
  /// operands, and somebody finds numbers there. A hook that logs does not.
  bool givesNumbers(const llvm::CallBase &C) const;
  /// Objects behind the operands of C, which reads numbers, in which somebody
  /// may find those that it has put there: the call graph, or who sees its
  /// memory afterwards.
  llvm::BitVector givenBy(const llvm::CallBase &C) const;
  /// The same of all functions elsewhere: each may have kept what any of them
  /// was told of. Unseen: of those that stand beside the program's own behind a
  /// pointer (UnseenCallee), what these were handed.
  const llvm::BitVector &givenElsewhere() const { return GivenElsewhere; }
  const llvm::BitVector &givenUnseen() const { return GivenUnseen; }
  /// What functions elsewhere keep, as an object of readBy and printedBy.
  llvm::BitVector elsewhere() const;

  /// The same of a function with a body and of what it calls: any number is
  /// printed. Returned: of Read, what is read by calls that give numbers.
  struct Summary {
    llvm::BitVector Printed, Read, Returned, Given;
  };
  const Summary *summary(const llvm::CallBase &C) const;

  /// Adds the objects to which characters in Objects get.
  void close(llvm::BitVector &Objects) const;

private:
  void findEdges(llvm::Function &F);
  void findNumbers(llvm::ArrayRef<llvm::Function *> Functions);

  const ProgramFacts &Facts;
  bool Any = false;
  /// Objects in which the call graph, or who sees its memory afterwards, may
  /// find numbers; and those of them that functions elsewhere may write to.
  llvm::BitVector NumbersFound, GivenElsewhere, GivenUnseen;
  llvm::DenseMap<const llvm::Function *, Summary> Summaries;
  struct Edge {
    llvm::BitVector From, To;
  };
  llvm::SmallVector<Edge, 0> Edges;
};

} // namespace retrograd

#endif
