//===- Formulas.h - formulas of the catalogue, parsed and checked ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the backends share: the dags of one partial as a graph of nodes, and the
// prototype of a record as letters. Errors are TableGen errors at the record.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_TBLGEN_FORMULAS_H
#define RETROGRAD_TBLGEN_FORMULAS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/TableGen/Record.h"
#include <deque>
#include <string>
#include <vector>

namespace retrograd::tblgen {

/// A node of a formula. Kind is spelt as the enumerator of FormulaNode::Op.
struct Node {
  std::string Kind;
  unsigned Index = 0; ///< Arg: operand number
  std::string Text;   ///< Const: as written. Call: record id
  std::vector<unsigned> Children;
  unsigned Number = 0; ///< position in FormulaSet::nodes()
};

/// All formulas of the catalogue. Equal expressions are one node, so that the
/// emitter computes what two places of a formula share once.
class FormulaSet {
public:
  explicit FormulaSet(const llvm::RecordKeeper &Records);

  struct PartialInfo {
    unsigned Operand;
    unsigned Root;
  };
  /// The partials of a Formula record (none for NoShare).
  std::vector<PartialInfo> partials(const llvm::Record *R);
  const std::deque<Node> &nodes() const { return Nodes; }
  /// Children first, each node once.
  std::string text(unsigned Root) const;
  /// Adds to ArgBits and ReadsResult what the expression reads.
  void reads(unsigned Root, uint32_t &ArgBits, bool &ReadsResult) const;

private:
  unsigned parse(const llvm::Record *R, const llvm::Init *I);
  unsigned unique(Node N);
  void checkCall(const llvm::Record *R, const Node &N);
  /// Degree of the expression in the seed: 0 or 1; -1 for "any", a constant 0.
  int degree(const llvm::Record *R, unsigned Root);

  const llvm::RecordKeeper &Records;
  std::deque<Node> Nodes;
  llvm::StringMap<unsigned> Known;
};

/// Result letter first, then the operands; empty for "any".
std::string prototypeLetters(const llvm::Record *R);
/// Checks what every record must say; reports and returns false otherwise.
bool checkRecord(const llvm::Record *R);
/// All records of class Operation in the order of their definition.
std::vector<const llvm::Record *> operations(const llvm::RecordKeeper &Records);

bool isA(const llvm::Record *R, llvm::StringRef Class);

bool emitCatalogue(llvm::raw_ostream &OS, const llvm::RecordKeeper &Records);
bool emitReference(llvm::raw_ostream &OS, const llvm::RecordKeeper &Records);
bool emitTests(llvm::raw_ostream &OS, const llvm::RecordKeeper &Records);

} // namespace retrograd::tblgen

#endif
